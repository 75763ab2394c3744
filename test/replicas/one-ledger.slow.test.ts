// Three services behind a proxy spend, count and obey as one.

import assert from 'node:assert/strict';
import { fleetTools, testWith } from '../requirements.ts';
import { Fleet } from './fleet.ts';

testWith(fleetTools(), 'three replicas on one PostgreSQL are one service', async (tools, context) => {
  await using fleet = await Fleet.open(tools, 3);
  await fleet.allUp();

  await context.test('1,000 calls at once on 100 credits: 100 are answered, 900 are refused', async () => {
    const { accountId, key } = await fleet.customer('--credits', '100');
    const replies = await Promise.all(Array.from({ length: 1_000 }, () => fleet.ask(key)));
    const count = (status: number) => replies.filter((reply) => reply.status === status).length;
    assert.deepEqual([count(200), count(402)], [100, 900]);
    const charged = replies.filter(({ headers }) => headers['x-credits-charged'] === '1');
    assert.equal(charged.length, 100);
    const left = new Set(charged.map(({ headers }) => headers['x-credits-remaining']));
    assert.equal(left.size, 100, 'each charge leaves another balance');
    const calls = await fleet.callsToEach();
    assert.equal(calls.filter((count) => count > 0).length, 3, `every replica was asked: ${calls}`);
    const shown = JSON.parse(await fleet.run('accounts', 'show', accountId, '--json'));
    assert.equal(shown.balance, 0);
  });

  await context.test('the limit of a minute is that of the account, over all replicas', async () => {
    const { key } = await fleet.customer('--credits', '1000', '--per-minute', '50');
    const replies = await Promise.all(Array.from({ length: 300 }, () => fleet.ask(key)));
    // Two minutes, where the calls came between them.
    const minutes = Map.groupBy(replies, ({ headers }) => headers['x-ratelimit-reset']);
    for (const inOne of minutes.values()) {
      const allowed = inOne.filter(({ status }) => status === 200).length;
      const limited = inOne.filter(({ status }) => status === 429).length;
      assert.deepEqual([allowed, limited], [Math.min(50, inOne.length), Math.max(0, inOne.length - 50)]);
    }
  });

  await context.test(
    'a revoked key is refused, and a grant counts, at the next call everywhere',
    async () => {
      const { accountId, keyId, key } = await fleet.customer('--credits', '3');
      const ask = () => Promise.all(fleet.replicas.map((replica) => replica.ask(key)));
      const statuses = async () => (await ask()).map(({ status }) => status);
      assert.deepEqual(await statuses(), [200, 200, 200]);
      assert.deepEqual(await statuses(), [402, 402, 402]);
      await fleet.run('accounts', 'credit', accountId, '3');
      assert.deepEqual(await statuses(), [200, 200, 200]);
      await fleet.run('keys', 'revoke', keyId);
      assert.deepEqual(await statuses(), [401, 401, 401]);
    },
  );

  await context.test('every journal adds up', async () => {
    await fleet.run('check');
  });
});
