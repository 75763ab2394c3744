// The public sandbox key of a real service: the limit of an address holds, and a first start still makes the demo account beside
// the public one.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publicKey } from '../../../src/ledger/public-sandbox.ts';
import { bundledHome, runDomesday, startDomesday } from '../../rig.ts';

test('calls that come at once share the windows of an address, and the account is marked in the lists', async () => {
  const { home, remove } = await bundledHome();
  const running = await startDomesday(home);
  try {
    const calls = await Promise.all(
      Array.from({ length: 40 }, () =>
        fetch(`${running.url}/api/v1/bank-rates?limit=1`, {
          headers: { 'x-api-key': publicKey, connection: 'close' },
        }),
      ),
    );
    // The clock is the real one: the calls may fall into two minutes, each with ten of its own.
    const minutes = Map.groupBy(calls, ({ headers }) => headers.get('x-ratelimit-reset'));
    for (const inMinute of minutes.values()) {
      const answered = inMinute.filter(({ status }) => status === 200).length;
      assert.equal(answered, Math.min(10, inMinute.length));
    }
    assert.match(running.output(), /an account "demo"/);
    const listed = await runDomesday(['accounts', 'list', '--home', home]);
    assert.match(listed.out, /^acc_public +public sandbox key .* public, for the sandbox$/m);
    const { accounts } = JSON.parse((await runDomesday(['accounts', 'list', '--home', home, '--json'])).out);
    assert.deepEqual(
      accounts.map(({ name, purpose }: { name: string; purpose: string }) => [name, purpose]),
      [
        ['demo', 'customer'],
        ['public sandbox key', 'public sandbox'],
      ],
    );
    const granted = await runDomesday(['accounts', 'credit', 'acc_public', '5', '--home', home]);
    assert.deepEqual([granted.code, granted.out], [1, '']);
    assert.match(granted.err, /DOMESDAY_PUBLIC_SANDBOX=off/);
  } finally {
    await running.stop();
    remove();
  }
});
