// Entry of the thread beside the ledger; see checkpoints.ts.

import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { readNumber } from '../../../storage/rows.ts';
import { readSeal, type Seal, sealFile, writeSeal } from '../../seal.ts';
import { existingFile } from '../connection.ts';
import { faultOf } from '../faults.ts';
import { checkWhole } from '../file.ts';
import type { Outcome, Task } from './checkpoints.ts';
import { identityOf, newestEntryOf } from './identity.ts';
import { keepReserve } from './reserve.ts';

/** While somebody writes all the time the log is never wholly copied and only grows. From this size on (16 MB), writers
 *  are made to wait once: a long log could fill a disk by itself. */
const longLogPages = 4_096;
const busyTimeoutMs = 5_000;

class Copier {
  readonly #path: string;
  readonly #db: DatabaseSync;
  #writeLock: DatabaseSync | undefined;

  constructor(ledger: string) {
    this.#path = ledger;
    this.#db = new DatabaseSync(existingFile(ledger), { timeout: busyTimeoutMs });
  }

  copy(seal: Seal): Seal {
    const { pulse } = identityOf(this.#db);
    let log = this.#copyPages();
    if (log.pages > longLogPages) log = this.#copyWhole();
    const newestEntry = newestEntryOf(this.#db);
    return log.isOnDisk ? { ...seal, newestEntry, checkpointed: pulse } : { ...seal, newestEntry };
  }

  keepSeal(seal: Seal): void {
    const file = sealFile(path.dirname(this.#path));
    const stored = readSeal(file);
    const isStored =
      stored !== 'absent' &&
      stored.checkpointed === seal.checkpointed &&
      stored.newestEntry === seal.newestEntry;
    if (!isStored) writeSeal(file, seal);
    keepReserve(this.#path);
  }

  close(): void {
    this.#writeLock?.close();
    this.#db.close();
  }

  #copyPages(): { readonly pages: number; readonly isOnDisk: boolean } {
    const row = this.#db.prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
    const pages = readNumber(row, 'log');
    const isCopied = readNumber(row, 'busy') === 0 && readNumber(row, 'checkpointed') === pages;
    // SQLite leaves the file unsynced where the log grew meanwhile, and begins the log anew only after a sync.
    const now = this.#db.prepare('PRAGMA wal_checkpoint(NOOP)').get();
    const log = readNumber(now, 'log');
    return { pages, isOnDisk: isCopied && (log < pages || log === readNumber(now, 'checkpointed')) };
  }

  /** Not as wal_checkpoint(RESTART), which would hold writers up until the last reader is done. */
  #copyWhole() {
    this.#writeLock ??= new DatabaseSync(existingFile(this.#path), { timeout: busyTimeoutMs });
    this.#writeLock.exec('BEGIN IMMEDIATE');
    try {
      return this.#copyPages();
    } finally {
      this.#writeLock.exec('ROLLBACK');
    }
  }
}

const port = parentPort;
if (port === null) throw new Error('This is started by checkpoints.ts.');
const ledger: string = workerData;
let opened: Copier | undefined;
/** Not before the first task: what is opened here is closed again, and by then the ledger is known to be ours. */
const copier = (): Copier => {
  opened ??= new Copier(ledger);
  return opened;
};

function perform(task: Exclude<Task, { readonly kind: 'stop' }>): Seal | undefined {
  if (task.kind === 'check') {
    checkWhole(ledger, 'pages');
    return undefined;
  }
  const seal = copier().copy(task.seal);
  if (task.isToSeal) copier().keepSeal(seal);
  return seal;
}

port.on('message', (task: Task) => {
  if (task.kind === 'stop') {
    opened?.close();
    port.close();
    return;
  }
  let outcome: Outcome;
  try {
    outcome = { kind: 'done', seal: perform(task) };
  } catch (fault) {
    outcome = { kind: 'failed', fault, why: faultOf(fault) === 'full' ? 'full' : 'other' };
  }
  port.postMessage(outcome);
});
