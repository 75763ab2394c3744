// Promise: openapi.json explains itself. Every operation stands in a described group, everything has a description, every reply
// has an example, and the examples are what callers really get.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { batchEndpoint } from '../../src/contract/batch.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { endpoints } from '../../src/endpoints/index.ts';
import { errors } from '../../src/errors.ts';
import { publicKey } from '../../src/ledger/public-sandbox.ts';
import { openRig, type Rig } from '../rig.ts';

type Json = Readonly<Record<string, unknown>>;

let rig: Rig;
let document: {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<'schemas' | 'headers' | 'examples', Readonly<Record<string, Json>>>>;
};

type Content = { readonly schema: Json; readonly example?: unknown; readonly examples?: Json };
type Operation = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Json[];
  readonly requestBody?: Json;
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: Readonly<Record<string, Content>> }>
  >;
};

before(async () => {
  rig = await openRig();
  document = (await rig.get('/api/v1/openapi.json')).json();
});
after(() => rig.close());

const operations = (): readonly Operation[] => Object.values(document.paths).flatMap(Object.values);

test('every operation stands in one group, and every group is described and used', () => {
  const used = operations().flatMap(({ operationId, tags }) => {
    assert.equal(tags.length, 1, operationId);
    return tags;
  });
  assert.deepEqual(new Set(document.tags.map(({ name }) => name)), new Set(used));
  for (const { name, description } of document.tags) assertSaid(description, name);
  assert.ok(document.tags.length > 5 && !used.includes('More'));
});

test('everything has a description: operations, parameters, bodies, replies, headers, schemas and their members', () => {
  for (const { operationId, summary, description, parameters = [], requestBody, responses } of operations()) {
    assert.ok(summary.length > 5 && !summary.endsWith('.'), operationId);
    assertSaid(description, operationId);
    for (const parameter of parameters) assertSaid(parameter.description, `${operationId} ${parameter.name}`);
    if (requestBody !== undefined) assertSaid(requestBody.description, `${operationId} body`);
    for (const [status, reply] of Object.entries(responses))
      assertSaid(reply.description, `${operationId} ${status}`);
  }
  for (const [name, header] of Object.entries(document.components.headers))
    assertSaid(header.description, name);
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    assertSaid(schema.description, name);
    for (const [member, own] of Object.entries<Json>(Object(schema.properties ?? {}))) {
      assertSaid(descriptionOf(own), `${name}.${member}`);
    }
  }
});

/** Its own, or that of the schema that it refers to, or of one that may be null. */
function descriptionOf(schema: Json): unknown {
  if (schema.description !== undefined) return schema.description;
  const { $ref, anyOf } = schema;
  if (typeof $ref === 'string')
    return document.components.schemas[$ref.slice('#/components/schemas/'.length)]?.description;
  return Array.isArray(anyOf) ? anyOf.map(descriptionOf).find((said) => said !== undefined) : undefined;
}

/** Sentences, each with its end. */
const assertSaid = (text: unknown, where: string) => assert.match(String(text), /^[A-Z`0-9].*[.)`]$/s, where);

test('every reply with a body has an example, and every code one of its own', () => {
  for (const { operationId, responses } of operations()) {
    for (const [status, { content }] of Object.entries(responses)) {
      if (content === undefined) {
        assert.equal(status, '304', operationId);
        continue;
      }
      const { example, examples = {} } = content['application/json'] ?? assert.fail(operationId);
      if (status === '200') assert.equal(Object(example).success, true, operationId);
      else assert.ok(Object.keys(examples).length > 0, `${operationId} ${status}`);
      for (const code of Object.keys(examples)) assert.ok(code in document.components.examples, code);
    }
  }
  const [answered, documented] = [new Set<string>(), new Set(Object.keys(document.components.examples))];
  for (const { errors: codes } of [...endpoints, batchEndpoint]) for (const code of codes) answered.add(code);
  assert.deepEqual(documented, answered);
});

test('the example of a code is what a test key that rehearses it is answered', async () => {
  const ask = async ({ method, path }: Endpoint, code: string) => {
    const { key } = await rig.customer({ mode: 'test' });
    const headers = { 'x-api-key': key, 'x-sandbox-outcome': code, 'content-type': 'application/json' };
    const body = method === 'POST' ? { payload: '{"calls":[{"path":"/bank-rates"}]}' } : {};
    return rig.app.inject({ method, url: `/api/v1${path}`, headers, ...body });
  };
  const seen = new Set<string>();
  for (const endpoint of [...endpoints, batchEndpoint]) {
    for (const code of endpoint.errors) {
      if (seen.has(code)) continue;
      seen.add(code);
      const reply = await ask(endpoint, code);
      assert.equal(reply.statusCode, errors[code].status, code);
      const { value } = document.components.examples[code] ?? assert.fail(code);
      const told = reply.json().error;
      const shown = Object(value).error;
      assert.deepEqual({ ...shown, requestId: told.requestId, docs: told.docs }, told);
      assert.ok(shown.docs.endsWith(`/docs/errors/${code}`));
    }
  }
  assert.ok(seen.size > 25);
});

test('the example of a batch is what the public key is answered', async () => {
  await rig.accounts.openPublicSandbox(rig.clock.nowMs);
  const { requestBody, responses } = document.paths['/batch']?.post ?? assert.fail('no batch');
  const { examples } = Object(requestBody).content['application/json'];
  const reply = await rig.app.inject({
    method: 'POST',
    url: '/api/v1/batch',
    headers: { 'x-api-key': publicKey, 'content-type': 'application/json' },
    payload: JSON.stringify(examples.calls.value),
  });
  assert.deepEqual(responses['200']?.content?.['application/json']?.example, reply.json());
});

test('the example of the datasets has every list, and each entry is as complete as a real one', async () => {
  const { responses } = document.paths['/datasets']?.get ?? assert.fail('no datasets');
  const shown = Object(responses['200']?.content?.['application/json']?.example).data;
  const told = (await rig.get('/api/v1/datasets')).json().data;
  assert.deepEqual(Object.keys(shown).sort(), Object.keys(told).sort());
  for (const list of ['datasets', 'notLoaded'] as const) {
    const { required } = document.components.schemas[
      list === 'datasets' ? 'LoadedDataset' : 'DatasetNotLoaded'
    ] ?? { required: [] };
    assert.ok(Array.isArray(required) && shown[list].length > 0);
    for (const entry of [...shown[list], ...told[list]])
      for (const name of required) assert.ok(name in entry, `${list}.${name}`);
  }
});
