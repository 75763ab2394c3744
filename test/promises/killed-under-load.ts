// Kills a service under load again and again, and compares its journal with what callers were told.

import assert from 'node:assert/strict';
import { openLedger } from '../../src/ledger/open.ts';
import { copyBundled } from '../prebuilt.ts';
import { runDomesday, startDomesday, temporaryHome } from '../rig.ts';

/** So often the service is killed while it builds the sandbox. Then it finds one. */
const firstStarts = 2;
const connections = 16;

/** The journal holds every reported charge exactly once, and the service starts again without repair. */
export async function assertNothingLost(rounds: number): Promise<void> {
  const { home, remove } = temporaryHome();
  const create = ['accounts', 'create', '--name', 'load', '--plan', 'enterprise', '--credits', '10000000'];
  const created = await runDomesday([...create, '--json', '--home', home]);
  const { accountId } = JSON.parse(created.out);
  const made = await runDomesday(['keys', 'create', '--account', accountId, '--json', '--home', home]);
  const { key } = JSON.parse(made.out);

  const reported = new Set<string>();
  let random = 12_345;
  for (let round = 0; round < rounds; round += 1) {
    random = (random * 1_103_515_245 + 12_345) % 2_147_483_648;
    const killAfter = 1 + (random % 120);
    if (round === firstStarts) await copyBundled(home);
    const running = await startDomesday(home, { DOMESDAY_LOG: 'silent' });
    let answered = 0;
    const client = async (number: number) => {
      for (let call = 0; ; call += 1) {
        const requestId = `r${round}-${number}-${call}`;
        try {
          const reply = await fetch(`${running.url}/api/v1/bank-rates?limit=1`, {
            headers: { 'x-api-key': key, 'x-request-id': requestId },
          });
          // The status line with its headers is the report, whether or not the body still came through.
          if (reply.headers.get('x-credits-charged') === '1') reported.add(requestId);
          await reply.arrayBuffer();
        } catch (error) {
          if (error instanceof TypeError) return;
          throw error;
        }
        answered += 1;
        if (answered === killAfter) running.child.kill('SIGKILL');
      }
    };
    await Promise.all(Array.from({ length: connections }, (_, number) => client(number)));
    await running.stop('SIGKILL');
  }

  const { ledger, accounts } = await openLedger({ home });
  const charges = (await accounts.journalOf(accountId)).filter(({ kind }) => kind === 'charge');
  const balances = await accounts.recomputeBalances();
  await ledger.close();
  remove();
  const inJournal = charges.map(({ requestId }) => requestId);
  assert.ok(reported.size > rounds * 10, `only ${reported.size} charges were reported`);
  assert.equal(new Set(inJournal).size, inJournal.length, 'a request stands twice in the journal');
  assert.deepEqual(
    [...reported].filter((id) => !inJournal.includes(id)),
    [],
  );
  assert.deepEqual(new Set(balances.map(({ kind }) => kind)), new Set(['equal']));
}
