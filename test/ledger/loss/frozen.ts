// A service that is stopped in its tracks while something is done to its ledger: what it had committed before and what it
// commits afterwards can then be told apart, however long its replies take to arrive.

import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync } from 'node:child_process';
import { DatabaseSync } from 'node:sqlite';
import { type FoundPeople, readFound, selectFound } from '../../people/changes.ts';

type Frozen = {
  readonly child: ChildProcess;
  readonly ledger: string;
  /** What is known of its charges. */
  readonly by: 'charge_id' | 'request_id';
};

export type Committed = { readonly charges: ReadonlySet<string>; readonly people: FoundPeople };

/** Tells what was committed when `act` was done. */
export function actOnFrozen({ child, ledger, by }: Frozen, act: () => void): Committed {
  const { pid } = child;
  assert.ok(pid !== undefined && child.kill('SIGSTOP'));
  try {
    while (!stateOf(pid).startsWith('T'));
    const committed = committedIn(ledger, by);
    act();
    return committed;
  } finally {
    child.kill('SIGCONT');
  }
}

const stateOf = (pid: number): string =>
  execFileSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8' });

function committedIn(ledger: string, by: Frozen['by']): Committed {
  const db = new DatabaseSync(ledger, { readOnly: true });
  try {
    const rows = db.prepare(`SELECT ${by} AS id FROM journal WHERE kind = 2 AND ${by} IS NOT NULL`).all();
    return {
      charges: new Set(rows.map(({ id }) => String(id))),
      people: readFound(db.prepare(selectFound).all()),
    };
  } finally {
    db.close();
  }
}
