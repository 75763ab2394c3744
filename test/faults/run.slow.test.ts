// What `npm run faults` ends with.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';

test('a fault for which the machine lacks programs is not counted as held, and the run does not end with 0', () => {
  const run = path.join(import.meta.dirname, 'run.ts');
  const { status, stdout } = spawnSync(process.execPath, [run, 'replicas'], {
    encoding: 'utf8',
    env: { PATH: '/nowhere' },
  });
  assert.match(stdout, /not run: {2}this machine lacks .*haproxy/i);
  assert.match(stdout, /of 1 promises 0 held, 0 broken, 1 not tried/);
  assert.equal(status, 3);
});
