// Services are stopped, upgraded and given new data while others are called: no caller notices.

import assert from 'node:assert/strict';
import path from 'node:path';
import { migrations } from '../../src/ledger/postgres/schema/migrations.ts';
import { makeNextVersion } from '../next-version.ts';
import { fleetTools, testWith } from '../requirements.ts';
import { runDomesday } from '../rig.ts';
import { Fleet } from './fleet.ts';
import { assertEachPaidOnce, SteadyLoad } from './steady-load.ts';

const root = path.join(import.meta.dirname, '../..');
const newRates = path.join(root, 'test/fixtures/bank-rate/iadb-later.csv');
const callers = 8;
/** Enough that every replica has some of them under way. */
const between = 60;

/** Until the next replica may be touched. */
async function settled(fleet: Fleet, load: SteadyLoad): Promise<void> {
  await fleet.allUp();
  await load.answers(between);
}

const releaseOf = async (address: string): Promise<unknown> =>
  JSON.parse(await (await fetch(`http://${address}/health/ready`)).text()).release;

testWith(fleetTools(), 'under calls through the proxy, none fails', async (tools, context) => {
  await using fleet = await Fleet.open(tools, 2, { DOMESDAY_WATCH_RELEASE_MS: '50' });
  const customer = await fleet.customer('--credits', '1000000');
  await using load = new SteadyLoad(fleet, customer, callers, 'never');
  await settled(fleet, load);

  await context.test('each replica is stopped by SIGTERM and started again', async () => {
    for (const replica of fleet.replicas) {
      assert.equal(await replica.stop('SIGTERM'), 0);
      await load.answers(between);
      await replica.start();
      await settled(fleet, load);
    }
  });

  await context.test('each replica is given another release', async () => {
    for (const { home, address } of fleet.replicas) {
      const before = await releaseOf(address);
      const { code, err } = await runDomesday(['ingest', newRates, '--home', home]);
      assert.equal(code, 0, err);
      while ((await releaseOf(address)) === before) await load.answers(1);
      await load.answers(between);
    }
  });

  await load.stop();
  assert.deepEqual(load.odd, []);
  await assertEachPaidOnce(fleet, customer, load);
});

testWith(
  fleetTools(),
  'replicas that drain are stopped: not even a call fails that no proxy may send again',
  async (tools) => {
    // The proxy of deploy/ asks once a second and believes the second refusal.
    await using fleet = await Fleet.open(tools, 2, { DOMESDAY_DRAIN_SECONDS: '4' });
    const customer = await fleet.customer('--credits', '1000000');
    await using load = new SteadyLoad(fleet, customer, callers, 'never', 'batches');
    await settled(fleet, load);
    for (const replica of fleet.replicas) {
      assert.equal(await replica.stop('SIGTERM'), 0);
      await load.answers(between);
      await replica.start();
      await settled(fleet, load);
    }
    await load.stop();
    assert.deepEqual(load.odd, []);
    await assertEachPaidOnce(fleet, customer, load);
  },
);

testWith(fleetTools(), 'an upgrade replica by replica: none fails', async (tools, context) => {
  const next = makeNextVersion('postgres', 'ALTER TABLE domesday.accounts ADD COLUMN later text');
  context.after(next.remove);
  const after = next.program;
  await using fleet = await Fleet.open(tools, 2);
  const version = async () => {
    const { rows } = await fleet.server.ask(
      fleet.database,
      'SELECT max(version) AS version FROM domesday.schema_versions',
    );
    return rows[0]?.version;
  };
  const customer = await fleet.customer('--credits', '1000000');
  await using load = new SteadyLoad(fleet, customer, callers, 'never');
  await settled(fleet, load);
  assert.equal(await version(), migrations.length, 'the ledger is that of the older program');
  const [first, second] = fleet.replicas;
  assert.ok(first && second);

  // Its start migrates, while the other one serves.
  await first.stop('SIGTERM');
  first.program = after;
  await first.start();
  assert.equal(await version(), migrations.length + 1);
  await settled(fleet, load);

  // Started again on newer tables, the older one goes on and says so.
  await second.stop('SIGTERM');
  await second.start();
  await settled(fleet, load);
  const said = second.running.output().match(/this program knows \d+; it goes on/g);
  assert.equal(said?.length, 1, second.running.output());

  await second.stop('SIGTERM');
  second.program = after;
  await second.start();
  await settled(fleet, load);
  await load.stop();
  assert.deepEqual(load.odd, []);
  fleet.program = after;
  await assertEachPaidOnce(fleet, customer, load);
});
