// Several answering threads of one process: they share the port, one ledger and one copy of the data.

import { createServer } from 'node:net';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { Settings } from '../../config.ts';
import type { Log } from '../../http/observe/log.ts';
import { type LedgerHalves, serveLedger } from '../../ledger/remote.ts';
import type { MetricsSnapshot } from '../../metrics/metrics.ts';
import type { OpenRecords } from '../../records/open.ts';
import type { Release } from '../../release/reader.ts';
import type { SharedParts } from '../../release/shared-parts.ts';
import { CommandRefused } from '../command.ts';
import { listenRefusal, type RunningHttp } from './http.ts';
import type { LogLook } from './log.ts';
import type { FromWorker, ToWorker, WorkerStart } from './messages.ts';

type PoolParts = {
  readonly books: LedgerHalves;
  readonly records: OpenRecords;
  readonly sharedParts: SharedParts;
  readonly live: Release | undefined;
  readonly sandbox: Release;
  readonly failedKeyCounts: SharedArrayBuffer;
  readonly log: Log;
  readonly look: LogLook;
  /** The figures of this thread and of the answering ones together, as Prometheus reads them. */
  readonly renderMetrics: (answering: readonly MetricsSnapshot[]) => Promise<string>;
  /** Called when a thread ended by itself; the caller stops the process. */
  readonly onLoss: (reason: string) => void;
};

export async function startPool(settings: Settings, parts: PoolParts): Promise<RunningHttp> {
  await refusePortInUse(settings.host, settings.port);
  const workers: PoolWorker[] = [];
  const renderAll = async () =>
    parts.renderMetrics(await Promise.all(workers.map((worker) => worker.snapshot())));
  const start = async (port: number) => {
    const worker = new PoolWorker(settings, port, parts, renderAll);
    const boundPort = await worker.listening;
    workers.push(worker);
    return boundPort;
  };
  // The first finds the port, which may have been left to the system.
  const port = await start(settings.port);
  await Promise.all(Array.from({ length: settings.workers - 1 }, () => start(port)));
  return {
    port,
    renderMetrics: renderAll,
    switchTo: (release) => {
      for (const worker of workers) worker.switchTo(release);
    },
    drain: () => {
      for (const worker of workers) worker.drain();
    },
    close: async () => {
      await Promise.all(workers.map((worker) => worker.close()));
    },
  };
}

class PoolWorker {
  readonly listening: Promise<number>;
  readonly #worker: Worker;
  readonly #ended: Promise<void>;
  readonly #snapshots = new Map<number, (snapshot: MetricsSnapshot) => void>();
  #lastSnapshot = 0;
  #isClosing = false;

  constructor(settings: Settings, port: number, parts: PoolParts, renderAll: () => Promise<string>) {
    const ledgerChannel = new MessageChannel();
    serveLedger(ledgerChannel.port1, parts.books);
    const recordsChannel = new MessageChannel();
    parts.records.serve(recordsChannel.port1);
    const partsPort = parts.sharedParts.open();
    this.#worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: {
        settings,
        port,
        liveDir: parts.live?.dir,
        sandboxDir: parts.sandbox.dir,
        ledgerPort: ledgerChannel.port2,
        recordsPort: recordsChannel.port2,
        partsPort,
        failedKeyCounts: parts.failedKeyCounts,
        look: parts.look,
      } satisfies WorkerStart,
      transferList: [ledgerChannel.port2, recordsChannel.port2, partsPort],
    });
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.listening = promise;
    this.#worker.on('message', async (message: FromWorker) => {
      if (message.kind === 'listening') resolve(message.port);
      else if (message.kind === 'refused') reject(new CommandRefused(message.message));
      else if (message.kind === 'snapshot') this.#snapshots.get(message.number)?.(message.snapshot);
      else this.#say({ kind: 'rendered', number: message.number, text: await renderAll() });
    });
    this.#worker.on('error', (error) => {
      parts.log.fault('an answering thread failed', error);
      reject(error);
    });
    this.#ended = new Promise((ended) => {
      this.#worker.on('exit', () => {
        ended();
        if (!this.#isClosing) parts.onLoss('An answering thread ended by itself; see the log.');
      });
    });
  }

  #say(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  switchTo(release: Release): void {
    this.#say({ kind: 'switch', dir: release.dir, manifest: release.manifest });
  }

  drain(): void {
    this.#say({ kind: 'drain' });
  }

  snapshot(): Promise<MetricsSnapshot> {
    this.#lastSnapshot += 1;
    const number = this.#lastSnapshot;
    return new Promise((resolve) => {
      this.#snapshots.set(number, (snapshot) => {
        this.#snapshots.delete(number);
        resolve(snapshot);
      });
      this.#say({ kind: 'snapshot', number });
    });
  }

  close(): Promise<void> {
    this.#isClosing = true;
    this.#say({ kind: 'close' });
    return this.#ended;
  }
}

/** A shared port would let a second service join the first unnoticed, so the port is first asked for alone. */
async function refusePortInUse(host: string, port: number): Promise<void> {
  if (port === 0) return;
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', (error) => reject(listenRefusal(error, host, port)));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve()));
  });
}
