// Promise: openapi.json is a valid OpenAPI 3.1 document by the judgement of the usual linter, without a warning.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { readExampleAnswers } from '../../src/contract/examples.ts';
import { openApi } from '../../src/contract/openapi.ts';
import { endpoints } from '../../src/endpoints/index.ts';

const document = JSON.parse(JSON.stringify(openApi(endpoints, '1.0.0', await readExampleAnswers())));

/** The recommended rules, and those that ask for descriptions and groups. */
const config = createConfig({
  extends: ['recommended'],
  rules: {
    'operation-description': 'error',
    'operation-tag-defined': 'error',
    'operation-singular-tag': 'error',
    'parameter-description': 'error',
    'no-invalid-parameter-examples': 'error',
    'no-invalid-schema-examples': 'error',
    // /datasets takes no key and no parameter, so that no fault of a caller is left.
    'operation-4xx-response': 'off',
  },
});

const redocly = async (source: unknown) =>
  (
    await lintFromString({
      source: JSON.stringify(source),
      absoluteRef: '/openapi.json',
      config: await config,
    })
  ).map(
    ({ ruleId, message, location }) =>
      `${ruleId}: ${message} (${location.map(({ pointer }) => pointer).join()})`,
  );

test('Redocly finds nothing to complain about', async () => {
  assert.deepEqual(await redocly(document), []);
  const { info: _, ...nameless } = document;
  assert.notDeepEqual(await redocly(nameless), []);
  assert.notDeepEqual(await redocly({ ...document, paths: { bankRates: {} } }), []);
});
