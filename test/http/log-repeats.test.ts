// A fault that comes with every request does not fill the disk with its stack.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Log } from '../../src/http/observe/log.ts';

test('a fault is told with its stack once, then counted once a minute; another is told at once', () => {
  const lines: { fault: string; stack?: string; timesSinceToldLast?: number }[] = [];
  let nowMs = 1_000_000;
  const log = new Log(
    { log: 'error', slowRequestMs: 0 },
    (line) => lines.push(JSON.parse(line)),
    () => nowMs,
  );
  const seen = () =>
    lines.splice(0).map(({ stack, timesSinceToldLast: times }) => [stack !== undefined, times]);
  const fail = (subject: string) => log.fault('request failed', new Error(`no ${subject}`), 'req_1');
  for (let call = 0; call < 1000; call += 1) fail(`ledger ${call}`);
  assert.deepEqual(seen(), [[true, undefined]]);
  nowMs += 60_000;
  for (let call = 0; call < 10; call += 1) fail('ledger');
  assert.deepEqual(seen(), [[false, 1000]]);
  log.fault('request failed', new Error('of another place'));
  assert.deepEqual(seen(), [[true, undefined]]);
  const behind = (code: string) => Object.assign(new Error('the disk'), { code });
  const failBy = (code: string) =>
    log.fault('request failed', new Error('no ledger', { cause: behind(code) }));
  for (const code of ['EIO', 'ENOSPC', 'EIO', 'ENOSPC']) failBy(code);
  assert.deepEqual(seen(), [
    [true, undefined],
    [true, undefined],
  ]);
  // A clock that was set back does not silence it.
  nowMs -= 10 * 365 * 86_400_000;
  fail('ledger');
  assert.deepEqual(seen(), [[false, 10]]);
});

test('of very many different faults it forgets the oldest', () => {
  let told = 0;
  const log = new Log(
    { log: 'error', slowRequestMs: 0 },
    () => {
      told += 1;
    },
    () => 0,
  );
  for (let kind = 0; kind < 200; kind += 1) log.fault(`fault ${kind}`, 'text');
  log.fault('fault 199', 'text');
  log.fault('fault 0', 'text');
  assert.equal(told, 201);
});
