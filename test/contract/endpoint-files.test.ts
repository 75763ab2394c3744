// The folder of the endpoints reads like the contract's table of paths: one file a path, and the list.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { endpoints } from '../../src/endpoints/index.ts';

test('every path has one file of its own name, and nothing else stands beside them', () => {
  const folder = path.join(import.meta.dirname, '../../src/endpoints');
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  const named = endpoints.map((endpoint) => `${endpoint.path.slice(1).replaceAll('/', '-')}.ts`);
  assert.deepEqual(files.map(({ name }) => name).sort(), [...named, 'index.ts'].sort());
});
