// Promise: openapi.json is a true description: answers fit its schemas, errors its lists, every parameter is in it.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { batchEndpoint } from '../../src/contract/batch.ts';
import { endpoint, hasVersions } from '../../src/contract/endpoint.ts';
import { readExampleAnswers } from '../../src/contract/examples.ts';
import { openApi } from '../../src/contract/openapi.ts';
import { type ObjectShape, object, string } from '../../src/contract/shape.ts';
import { endpoints } from '../../src/endpoints/index.ts';
import { errors } from '../../src/errors.ts';
import { openRig, type Rig } from '../rig.ts';

const ajv = new Ajv2020({
  strict: true,
  formats: {
    date: /^\d{4}-\d\d-\d\d$/,
    'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3}Z|[+-]\d\d:\d\d)$/,
    uri: (text: string) => URL.canParse(text),
  },
});

/** Examples of replies carry an instant as JavaScript writes it. */
const wholeReplies = new Ajv2020({
  strict: true,
  // `["string", "null"]` is how a member says that it may be null.
  allowUnionTypes: true,
  formats: {
    date: /^\d{4}-\d\d-\d\d$/,
    'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3}Z|[+-]\d\d:\d\d)$/,
    uri: (text: string) => URL.canParse(text),
  },
});

/** What the sandbox knows, for the parameters that an endpoint requires, or takes instead of one it requires. */
const inSandbox: Record<string, string> = {
  postcode: 'ZZ1 1AA',
  address: 'Flat 2, Zenith Court, 11 High Street',
  authorityCode: 'E06000999',
  area: 'ZZ',
  lat: '54.1806',
  lon: '0.91',
  q: 'zed',
};

let rig: Rig;
before(async () => {
  rig = await openRig();
});
after(() => rig.close());

test('it lists every endpoint, parameter and error', async () => {
  const specification = (await rig.get('/api/v1/openapi.json')).json();
  assert.equal(specification.openapi, '3.1.0');
  assert.deepEqual(Object.keys(specification.paths), [
    ...endpoints.map(({ path }) => path),
    '/batch',
    '/datasets',
  ]);
  for (const endpoint of endpoints) {
    const operation = specification.paths[endpoint.path][endpoint.method.toLowerCase()];
    const inQuery = operation.parameters.filter((parameter: { in: string }) => parameter.in === 'query');
    assert.deepEqual(
      inQuery.map(({ name }: { name: string }) => name),
      Object.keys(endpoint.params),
    );
    const statuses = new Set(endpoint.errors.map((code) => String(errors[code].status)));
    assert.deepEqual(
      new Set(Object.keys(operation.responses)),
      new Set(['200', ...(hasVersions(endpoint) ? ['304'] : []), ...statuses]),
    );
  }
});

test('whatever costs credits can be sent again, and only that', async () => {
  const { paths, components } = (await rig.get('/api/v1/openapi.json')).json();
  assert.ok('Idempotent-Replayed' in components.headers);
  for (const { path, method, credits } of endpoints) {
    const { parameters, responses } = paths[path][method.toLowerCase()];
    const names = parameters.map(({ name }: { name: string }) => name);
    assert.equal(names.includes('Idempotency-Key'), credits > 0, path);
    assert.equal('Idempotent-Replayed' in responses[200].headers, credits > 0, path);
  }
});

test('the example of every endpoint fits its own schema, and none is of an endpoint that is gone', async () => {
  const examples = await readExampleAnswers();
  assert.deepEqual(
    Object.keys(examples),
    endpoints.map(({ path }) => path),
  );
  for (const { answer, path } of endpoints) assert.ok(ajv.validate(answer.schema, examples[path]), path);
});

type Schema = Readonly<Record<string, unknown>>;

/** Every schema in a schema, itself included. */
function schemasIn(value: unknown): readonly Schema[] {
  if (typeof value !== 'object' || value === null) return [];
  return [{ ...value }, ...Object.values(value).flatMap(schemasIn)];
}

test('every answer, and every object in one, has a name in the components', async () => {
  const { paths, components } = (await rig.get('/api/v1/openapi.json')).json();
  for (const endpoint of endpoints) {
    const { responses } = paths[endpoint.path][endpoint.method.toLowerCase()];
    const { schema } = responses[200].content['application/json'];
    assert.deepEqual(Object.keys(schema), ['$ref'], endpoint.path);
  }
  for (const [name, schema] of Object.entries(components.schemas)) {
    const inside = schemasIn(schema).slice(1);
    const anonymous = inside.filter(({ type, properties }) => type === 'object' && properties !== undefined);
    assert.deepEqual(anonymous, [], name);
    for (const { $ref } of inside) {
      if ($ref !== undefined)
        assert.ok(String($ref).slice('#/components/schemas/'.length) in components.schemas);
    }
  }
  for (const name of [
    'AreaStatistics',
    'Demographics',
    'SoldPrices',
    'SaleRecord',
    'CouncilTaxLookup',
    'BankRatesReply',
  ]) {
    assert.ok(name in components.schemas, name);
  }
});

test('every example reply fits the schema that the document refers to', async () => {
  const { paths, components } = (await rig.get('/api/v1/openapi.json')).json();
  const $defs = JSON.parse(
    JSON.stringify(components.schemas).replaceAll('#/components/schemas/', '#/$defs/'),
  );
  for (const endpoint of endpoints) {
    const { responses } = paths[endpoint.path][endpoint.method.toLowerCase()];
    const { schema, example } = responses[200].content['application/json'];
    const $ref = schema.$ref.replace('#/components/schemas/', '#/$defs/');
    const validate = wholeReplies.compile({ $defs, $ref });
    assert.ok(validate(example), `${endpoint.path}: ${wholeReplies.errorsText(validate.errors)}`);
    assert.equal(validate({ ...Object(example), success: 'yes' }), false, endpoint.path);
  }
});

test('the list of datasets fits its schema, which names every member of it and asks for no key', async () => {
  const { paths, components } = (await rig.get('/api/v1/openapi.json')).json();
  const { security, responses } = paths['/datasets'].get;
  assert.deepEqual(security, []);
  const { $ref } = responses[200].content['application/json'].schema;
  const closed = Object.fromEntries(
    Object.entries<Schema>(components.schemas).map(([name, schema]) => [
      name,
      { ...schema, ...(schema.properties !== undefined && { additionalProperties: false }) },
    ]),
  );
  const within = (value: unknown) =>
    JSON.parse(JSON.stringify(value).replaceAll('#/components/schemas/', '#/$defs/'));
  const validate = wholeReplies.compile(within({ $defs: closed, $ref }));
  const reply = (await rig.get('/api/v1/datasets')).json();
  assert.ok(reply.data.datasets.length > 0 && reply.data.notLoaded.length > 0);
  const { datasets: _, ...rest } = reply.data;
  assert.equal(validate({ success: true, data: rest }), false);
  assert.ok(validate(reply), wholeReplies.errorsText(validate.errors));
});

test('the members that errors share are texts', async () => {
  const { Problem } = (await rig.get('/api/v1/openapi.json')).json().components.schemas;
  for (const name of ['code', 'message', 'requestId', 'docs', 'field', 'reason']) {
    assert.equal(Problem.properties[name].type, 'string', name);
  }
});

test('a batch and its answer fit the schemas that the document refers to', async () => {
  const own = await rig.customer({ mode: 'test' });
  const { paths, components } = (await rig.get('/api/v1/openapi.json')).json();
  const $defs = JSON.parse(
    JSON.stringify(components.schemas).replaceAll('#/components/schemas/', '#/$defs/'),
  );
  const { requestBody, responses } = paths['/batch'].post;
  const { examples } = requestBody.content['application/json'];
  const isBatch = wholeReplies.compile({
    $defs,
    oneOf: [{ $ref: '#/$defs/BatchOfCalls' }, { $ref: '#/$defs/BatchOfPostcodes' }],
  });
  const isReply = wholeReplies.compile({ $defs, $ref: '#/$defs/BatchReply' });
  for (const { value } of Object.values<{ value: object }>(examples)) {
    assert.ok(isBatch(value));
    assert.equal(isBatch({ ...value, more: 1 }), false);
    const headers = { 'x-api-key': own.key, 'content-type': 'application/json' };
    const url = '/api/v1/batch';
    const reply = await rig.app.inject({ method: 'POST', url, headers, payload: JSON.stringify(value) });
    assert.equal(reply.statusCode, 200);
    assert.ok(isReply(reply.json()), wholeReplies.errorsText(isReply.errors));
    assert.deepEqual(
      new Set(reply.json().results.map(({ status }: { status: number }) => status)),
      new Set([200]),
    );
  }
  assert.deepEqual(
    new Set(Object.keys(responses)),
    new Set(['200', ...batchEndpoint.errors.map((code) => String(errors[code].status))]),
  );
});

test('two shapes of one name are refused, not mixed', () => {
  const of = <A extends object>(path: `/${string}`, answer: ObjectShape<A>, told: A) =>
    endpoint({
      method: 'GET',
      path,
      summary: 'X',
      description: 'X.',
      credits: 0,
      envelope: 'data',
      datasets: ['bank-rate'],
      maxAgeSeconds: 0,
      params: {},
      errors: ['INTERNAL_ERROR'],
      answer,
      handle: () => told,
    });
  const made = [
    of('/a', object('A', { part: object('Part', { a: string() }) }), { part: { a: '' } }),
    of('/b', object('B', { part: object('Part', { b: string() }) }), { part: { b: '' } }),
  ];
  assert.throws(() => openApi(made, '1', {}), /Two objects of the API are called Part; rename one/);
});

test('a real answer fits the schema and has no member that the schema does not know', async () => {
  for (const { answer, credits, envelope, params, path } of endpoints) {
    // A test key has the limits of Basic.
    rig.clock.nowMs += 60_000;
    const known = Object.keys(params).filter((name) => name in inSandbox);
    const query = new URLSearchParams(known.map((name) => [name, inSandbox[name] ?? '']));
    // Each by a customer of its own: there are more endpoints than calls in a test key's minute.
    const { key } = await rig.customer({ mode: 'test' });
    const reply = (await rig.get(`/api/v1${path}?${query}`, key)).json();
    const { success, billing, ...members } = reply;
    const data = envelope === 'data' ? members.data : members;
    assert.equal(success, true, path);
    assert.equal(billing?.mode, credits > 0 ? 'sandbox' : undefined);
    assert.ok(ajv.validate({ ...answer.schema, additionalProperties: false }, data), path);
  }
});
