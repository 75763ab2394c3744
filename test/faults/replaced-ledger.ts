// Somebody removes the ledger under the service, or puts an older copy in its place.

import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { actOnFrozen, type Committed } from '../ledger/loss/frozen.ts';
import { bundledHome, runDomesday, startDomesday } from '../rig.ts';
import type { Fault } from './fault.ts';
import { assertBooksHold, call, makeCustomer, noLoad } from './load.ts';

const connections = 16;
/** Where this many replies come without a refusal, the act was not noticed. */
const repliesMost = 20_000;
const noticeMostMs = 2_000;

type Act = {
  readonly name: string;
  readonly act: (ledger: string, older: string) => void;
};

const acts: readonly Act[] = [
  {
    name: 'rm domesday.sqlite*',
    act: (ledger) => {
      for (const suffix of ['', '-wal', '-shm']) rmSync(`${ledger}${suffix}`, { force: true });
    },
  },
  {
    name: 'mv of an older copy',
    act: (ledger, older) => renameSync(older, ledger),
  },
];

async function replaceUnderLoad({ name, act }: Act): Promise<string> {
  const { home, remove } = await bundledHome();
  const { accountId, key } = await makeCustomer(home);
  const running = await startDomesday(home, { DOMESDAY_LOG: 'warn' });
  try {
    const backup = path.join(home, 'backup.sqlite');
    const [ledger, older] = [path.join(home, 'domesday.sqlite'), path.join(home, 'older.sqlite')];
    const load = noLoad();
    const refused = () =>
      [...load.statuses].reduce((sum, [status, count]) => sum + (status >= 500 ? count : 0), 0);
    let committed: Committed = { charges: new Set(), people: new Map() };
    let told: ReadonlySet<string> = new Set();
    let [actedMs, refusedMs] = [Number.NaN, Number.NaN];
    await call(load, {
      url: running.url,
      key,
      round: 'b',
      connections,
      afterReply: async (answered) => {
        if (answered === 100) copyFileSync(ledger, older);
        if (answered === 2_000) {
          const made = await runDomesday(['backup', backup, '--home', home]);
          assert.equal(made.code, 0, made.err);
          told = new Set(load.reported);
          const service = { child: running.child, ledger, by: 'request_id' } as const;
          committed = actOnFrozen(service, () => act(ledger, older));
          actedMs = performance.now();
        }
        if (Number.isNaN(refusedMs) && refused() > 0) refusedMs = performance.now();
        return refused() > 50 || answered > repliesMost ? 'stop' : 'go on';
      },
    });
    assert.ok(refused() > 50, `${name}: it was not noticed`);
    const reported = [...load.reported];
    const after = reported.filter((id) => !committed.charges.has(id)).length;
    // Committed before, and told while the act was done or after it.
    const onTheirWay = reported.filter((id) => committed.charges.has(id) && !told.has(id)).length;
    assert.equal(after, 0, `${name}: ${after} charges that were committed afterwards were acknowledged`);
    // Pages of another file can make charges fail before the file is looked at.
    const unready = async () => (await fetch(`${running.url}/health/ready`)).status === 503;
    while (!(await unready())) {
      assert.ok(performance.now() - actedMs < noticeMostMs, `${name}: still ready, ${[...load.statuses]}`);
    }
    const unreadyMs = performance.now() - actedMs;
    await running.stop();
    const again = await startDomesday(home).then(
      () => 'it started',
      (error: unknown) => String(error),
    );
    assert.notEqual(again, 'it started', name);
    const restored = await runDomesday(['restore', backup, '--home', home]);
    assert.equal(restored.code, 0, `${name}: ${restored.err}`);
    const healed = await startDomesday(home);
    await healed.stop();
    const saved = existsSync(home) ? readdirSync(home).filter((file) => file.includes('rescued')).length : 0;
    const { charges } = await assertBooksHold(home, accountId, noLoad());
    return `${name}: ${after} charges committed afterwards and acknowledged, ${onTheirWay} replies of before on their way, refused after ${(refusedMs - actedMs).toFixed(0)} ms, not ready within ${unreadyMs.toFixed(0)} ms, the next start refused, ${charges} charges restored${saved > 0 ? ', all others rescued into a file' : ''}`;
  } finally {
    await running.stop('SIGKILL');
    remove();
  }
}

export const replacedLedger: Fault = {
  name: 'the ledger is removed or replaced under load',
  promise:
    'it is noticed before the next acknowledgement; then nothing is charged, and no start goes on with another ledger',
  run: async () => {
    const seen: string[] = [];
    for (const each of acts) seen.push(await replaceUnderLoad(each));
    return seen.join('; ');
  },
};
