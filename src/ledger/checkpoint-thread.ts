// Entry of the thread that empties the ledger's write-ahead log; see checkpoints.ts.

import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { readNumber } from './rows.ts';

/** Little at a time, so that a commit never waits long for the disk. */
const everyMs = 250;
/** Pages. As long as somebody writes all the time the log is never wholly copied and only grows; then writers wait once. */
const longLog = 16_384;
const busyTimeoutMs = 5_000;

const path: unknown = workerData;
if (parentPort === null || typeof path !== 'string') throw new Error('This is started by checkpoints.ts.');

const db = new DatabaseSync(path, { timeout: busyTimeoutMs });
const passive = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
const restart = db.prepare('PRAGMA wal_checkpoint(RESTART)');

const timer = setInterval(() => {
  const row = passive.get();
  if (row !== undefined && readNumber(row, 'log') > longLog) restart.get();
}, everyMs);

parentPort.once('message', () => {
  clearInterval(timer);
  db.close();
});
