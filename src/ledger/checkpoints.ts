// Moves what the ledger's write-ahead log has gathered into its file, in a thread of its own. Where the writing thread
// did it, every thousandth page would stop all requests for as long as the disk takes, some 40 ms.

import { Worker } from 'node:worker_threads';

/** How many pages the log may gather while a thread empties it: a writer does it himself only when that thread is gone. */
export const pagesBesideThread = 65_536;

export type Checkpoints = { readonly stop: () => Promise<void> };

/** `onFault` hears why the thread ended, if it did not by `stop`; the ledger goes on without it. */
export function startCheckpoints(path: string, onFault: (fault: unknown) => void): Checkpoints {
  const thread = new Worker(new URL('./checkpoint-thread.ts', import.meta.url), { workerData: path });
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
