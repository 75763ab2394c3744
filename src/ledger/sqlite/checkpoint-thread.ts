// Entry of the thread that empties the ledger's write-ahead log; see checkpoints.ts.

import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { readNumber } from './rows.ts';

/** Short, so that each copy is small and no commit waits long for the disk. */
const everyMs = 250;
/** While somebody writes all the time the log is never wholly copied and only grows. From this size on, writers are
 *  made to wait once. */
const longLogPages = 16_384;
const busyTimeoutMs = 5_000;

const path: unknown = workerData;
if (parentPort === null || typeof path !== 'string') throw new Error('This is started by checkpoints.ts.');

const db = new DatabaseSync(path, { timeout: busyTimeoutMs });
const passive = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
const restart = db.prepare('PRAGMA wal_checkpoint(RESTART)');

const timer = setInterval(() => {
  const row = passive.get();
  if (row !== undefined && readNumber(row, 'log') > longLogPages) restart.get();
}, everyMs);

parentPort.once('message', () => {
  clearInterval(timer);
  db.close();
});
