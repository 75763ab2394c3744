// Entry of an answering thread: its own HTTP server on the shared port; ledger and data come from the main
// thread.

import { parentPort, workerData } from 'node:worker_threads';
import { remoteLedger } from '../../ledger/remote.ts';
import { Metrics } from '../../metrics/metrics.ts';
import { watchThread } from '../../metrics/thread-figures.ts';
import { remoteRecords } from '../../records/remote.ts';
import { openRelease, Release } from '../../release/reader.ts';
import { loadThrough } from '../../release/shared-parts.ts';
import { layouts } from '../../tables/index.ts';
import { CommandRefused } from '../command.ts';
import { type RunningHttp, startHttp } from './http.ts';
import { openLog, sharedChunkBytes } from './log.ts';
import type { FromWorker, ToWorker, WorkerStart } from './messages.ts';

const main = parentPort;
if (main === null) throw new Error('serve/worker.ts is started by domesday serve, not by itself.');

const start: WorkerStart = workerData;
const metrics = new Metrics();
watchThread(metrics);
const { log, flush: flushLog } = openLog(start.settings, Date.now, {
  chunkBytes: sharedChunkBytes,
  look: start.look,
  metrics,
});
const books = remoteLedger(start.ledgerPort);
const records = remoteRecords(start.recordsPort);
const loadBuffer = loadThrough(start.partsPort);
const say = (message: FromWorker) => main.postMessage(message);

const renders = new Map<number, (text: string) => void>();
let lastRender = 0;
function renderAll(): Promise<string> {
  return new Promise((resolve) => {
    lastRender += 1;
    renders.set(lastRender, resolve);
    say({ kind: 'render', number: lastRender });
  });
}

let http: RunningHttp;
try {
  http = await startHttp(
    start.settings,
    { port: start.port, use: 'shared' },
    {
      books,
      records,
      live: start.liveDir === undefined ? undefined : openRelease(start.liveDir, layouts, loadBuffer),
      sandbox: openRelease(start.sandboxDir, layouts, loadBuffer),
      failedKeyCounts: start.failedKeyCounts,
      log,
      now: Date.now,
      metrics,
      renderMetrics: renderAll,
    },
  );
} catch (error) {
  if (!(error instanceof CommandRefused)) throw error;
  say({ kind: 'refused', message: error.message });
  process.exit(1);
}

main.on('message', async (message: ToWorker) => {
  switch (message.kind) {
    case 'switch':
      // Reading the manifest again could fail here, where nobody would be told.
      http.switchTo(new Release(message.dir, message.manifest, layouts, loadBuffer));
      break;
    case 'snapshot':
      say({ kind: 'snapshot', number: message.number, snapshot: await metrics.snapshot() });
      break;
    case 'rendered':
      renders.get(message.number)?.(message.text);
      renders.delete(message.number);
      break;
    case 'drain':
      http.drain();
      break;
    case 'close':
      await http.close();
      await books.ledger.close();
      await records.close();
      flushLog();
      main.close();
      break;
  }
});
say({ kind: 'listening', port: http.port });
