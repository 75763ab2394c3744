// A service that is stopped in its tracks while something is done to its ledger: what it had committed before and what it
// commits afterwards can then be told apart, however long its replies take to arrive.

import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync } from 'node:child_process';
import { DatabaseSync } from 'node:sqlite';

type Frozen = {
  readonly child: ChildProcess;
  readonly ledger: string;
  /** What is known of its charges. */
  readonly by: 'charge_id' | 'request_id';
};

/** Tells which charges stood in the journal when `act` was done. */
export function actOnFrozen({ child, ledger, by }: Frozen, act: () => void): ReadonlySet<string> {
  const { pid } = child;
  assert.ok(pid !== undefined && child.kill('SIGSTOP'));
  try {
    while (!stateOf(pid).startsWith('T'));
    const committed = chargesOf(ledger, by);
    act();
    return committed;
  } finally {
    child.kill('SIGCONT');
  }
}

const stateOf = (pid: number): string =>
  execFileSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8' });

function chargesOf(ledger: string, by: Frozen['by']): ReadonlySet<string> {
  const db = new DatabaseSync(ledger, { readOnly: true });
  try {
    const rows = db.prepare(`SELECT ${by} AS id FROM journal WHERE kind = 2 AND ${by} IS NOT NULL`).all();
    return new Set(rows.map(({ id }) => String(id)));
  } finally {
    db.close();
  }
}
