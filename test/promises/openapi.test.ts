// Promise: openapi.json is a true description: answers fit its schemas, errors its lists, every parameter is in it.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { endpoints } from '../../src/endpoints/index.ts';
import { errors } from '../../src/errors.ts';
import { openRig, type Rig } from '../rig.ts';

const ajv = new Ajv2020({
  strict: true,
  formats: {
    date: /^\d{4}-\d\d-\d\d$/,
    'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/,
    uri: (text: string) => URL.canParse(text),
  },
});

/** What the sandbox knows, for the parameters that an endpoint requires, or takes instead of one it requires. */
const inSandbox: Record<string, string> = {
  postcode: 'ZZ1 1AA',
  address: 'Flat 2, Zenith Court, 11 High Street',
  authorityCode: 'E06000999',
  area: 'ZZ',
};

let rig: Rig;
let key: string;
before(async () => {
  rig = await openRig();
  ({ key } = await rig.customer({ mode: 'test' }));
});
after(() => rig.close());

test('it lists every endpoint, parameter and error', async () => {
  const specification = (await rig.get('/api/v1/openapi.json')).json();
  assert.equal(specification.openapi, '3.1.0');
  assert.deepEqual(
    Object.keys(specification.paths),
    endpoints.map(({ path }) => path),
  );
  for (const endpoint of endpoints) {
    const { get } = specification.paths[endpoint.path];
    const inQuery = get.parameters.filter((parameter: { in: string }) => parameter.in === 'query');
    assert.deepEqual(
      inQuery.map(({ name }: { name: string }) => name),
      Object.keys(endpoint.params),
    );
    const statuses = new Set(endpoint.errors.map((code) => String(errors[code].status)));
    assert.deepEqual(new Set(Object.keys(get.responses)), new Set(['200', '304', ...statuses]));
  }
});

test('the example of every endpoint fits its own schema', () => {
  for (const { answer, example, path } of endpoints) assert.ok(ajv.validate(answer, example), path);
});

test('a real answer fits the schema and has no member that the schema does not know', async () => {
  for (const { answer, credits, envelope, params, path } of endpoints) {
    const known = Object.keys(params).filter((name) => name in inSandbox);
    const query = new URLSearchParams(known.map((name) => [name, inSandbox[name] ?? '']));
    const reply = (await rig.get(`/api/v1${path}?${query}`, key)).json();
    const { success, billing, ...members } = reply;
    const data = envelope === 'data' ? members.data : members;
    assert.equal(success, true, path);
    assert.equal(billing?.mode, credits > 0 ? 'sandbox' : undefined);
    assert.ok(ajv.validate({ ...answer, additionalProperties: false }, data), path);
  }
});
