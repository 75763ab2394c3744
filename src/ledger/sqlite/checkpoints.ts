// Has the ledger's write-ahead log copied into its file by a thread of its own. Done by the writing thread, every
// thousandth page would hold all requests up for as long as the disk takes, some 40 ms.

import { Worker } from 'node:worker_threads';

/** What the log may gather beside the thread. The writer reaches it, and empties the log, only when the thread is gone. */
const pagesBesideThread = 65_536;

export type Checkpoints = { readonly stop: () => Promise<void> };

type Emptied = { readonly path: string; readonly setLogPagesMost: (pages: number) => void };

/** `onFault` hears why the thread ended, unless `stop` ended it; the ledger goes on without it. */
export function startCheckpoints(ledger: Emptied, onFault: (fault: unknown) => void): Checkpoints {
  ledger.setLogPagesMost(pagesBesideThread);
  const thread = new Worker(new URL('./checkpoint-thread.ts', import.meta.url), { workerData: ledger.path });
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  thread.once('exit', () => resolve());
  thread.once('error', onFault);
  thread.unref();
  return {
    stop: async () => {
      thread.ref();
      thread.postMessage('stop');
      await ended;
    },
  };
}
