// Somebody removes the ledger under the service, or puts an older copy in its place.

import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { bundledHome, runDomesday, startDomesday } from '../rig.ts';
import type { Fault } from './fault.ts';
import { assertBooksHold, call, makeCustomer, noLoad } from './load.ts';

const connections = 16;

type Act = { readonly name: string; readonly act: (ledger: string, older: string) => void };

const acts: readonly Act[] = [
  {
    name: 'rm ledger.sqlite*',
    act: (ledger) => {
      for (const suffix of ['', '-wal', '-shm']) rmSync(`${ledger}${suffix}`, { force: true });
    },
  },
  { name: 'mv of an older copy', act: (ledger, older) => renameSync(older, ledger) },
  { name: 'cp of an older copy', act: (ledger, older) => copyFileSync(older, ledger) },
];

async function replaceUnderLoad({ name, act }: Act): Promise<string> {
  const { home, remove } = await bundledHome();
  try {
    const { accountId, key } = await makeCustomer(home);
    const backup = path.join(home, 'backup.sqlite');
    const running = await startDomesday(home, { DOMESDAY_LOG: 'warn' });
    const [ledger, older] = [path.join(home, 'ledger.sqlite'), path.join(home, 'older.sqlite')];
    const load = noLoad();
    const refused = () =>
      [...load.statuses].reduce((sum, [status, count]) => sum + (status >= 500 ? count : 0), 0);
    let before = 0;
    await call(load, {
      url: running.url,
      key,
      round: 'b',
      connections,
      afterReply: async (answered) => {
        if (answered === 100) copyFileSync(ledger, older);
        if (answered === 2_000) {
          const made = await runDomesday(['ledger', 'backup', backup, '--home', home]);
          assert.equal(made.code, 0, made.err);
          before = load.reported.size;
          act(ledger, older);
        }
        return refused() > 50 ? 'stop' : 'go on';
      },
    });
    const after = load.reported.size - before;
    const { status } = await fetch(`${running.url}/health/ready`);
    assert.equal(status, 503);
    await running.stop();
    const again = await startDomesday(home).then(
      () => 'it started',
      (error: unknown) => String(error),
    );
    assert.notEqual(again, 'it started');
    const restored = await runDomesday(['ledger', 'restore', backup, '--home', home]);
    assert.equal(restored.code, 0, restored.err);
    const healed = await startDomesday(home);
    await healed.stop();
    const saved = existsSync(home) ? readdirSync(home).filter((file) => file.includes('rescued')).length : 0;
    const { charges } = await assertBooksHold(home, accountId, noLoad());
    return `${name}: ${after} charges acknowledged afterwards, ready 503, the next start refused, ${charges} charges restored${saved > 0 ? ', all others rescued into a file' : ''}`;
  } finally {
    remove();
  }
}

export const replacedLedger: Fault = {
  name: 'the ledger is removed or replaced under load',
  promise:
    'removed or exchanged it is noticed before the next acknowledgement, overwritten within a second; then nothing is charged, and no start goes on with another ledger',
  run: async () => {
    const seen: string[] = [];
    for (const each of acts) seen.push(await replaceUnderLoad(each));
    return seen.join('; ');
  },
};
