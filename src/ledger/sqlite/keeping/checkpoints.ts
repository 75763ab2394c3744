// Has the ledger's write-ahead log copied into its file by a thread of its own. Done by the writing thread, every
// thousandth page would hold all requests up for as long as the disk takes, some 40 ms.

import { Worker } from 'node:worker_threads';
import type { LedgerNotice } from '../../ledger.ts';
import type { Seal } from '../../seal.ts';
import type { Connection } from '../connection.ts';
import type { Watched } from './guard.ts';

/** `check` first has the whole ledger checked and waits to be told to go on. */
export type ThreadStart = {
  /** How often it looks and copies. */
  readonly everyMs: number;
  readonly path: string;
  readonly files: readonly Watched[];
  readonly first: 'check' | 'go on';
  /** Opened by the main thread: what a thread opens is closed when it ends. */
  readonly logIndex: number;
  /** Of the connection that charges; shared. */
  readonly ownCopies: Connection['ownCopies'];
};

export type ToThread =
  | { readonly kind: 'go on'; readonly seal: Seal }
  | { readonly kind: 'shorten' }
  | { readonly kind: 'save' }
  | { readonly kind: 'stop' };

export type FromThread =
  | { readonly kind: 'checked'; readonly seconds: number }
  | { readonly kind: 'lost'; readonly what: string }
  | { readonly kind: 'notice'; readonly notice: LedgerNotice }
  /** By itself, which it should not. */
  | { readonly kind: 'ended'; readonly fault: unknown }
  | { readonly kind: 'stopped'; readonly seal: Seal | undefined };

/** The last word of the thread goes to whoever stops it. */
export type Heard = Exclude<FromThread, { readonly kind: 'stopped' }>;

export type Checkpoints = {
  readonly goOn: (seal: Seal) => void;
  /** A commit found no room: the log is to be emptied as soon as it can be. */
  readonly shorten: () => void;
  /** The loss that was told is known, and nothing is charged any more. */
  readonly save: () => void;
  /** The seal as the thread last knew it. */
  readonly stop: () => Promise<Seal | undefined>;
  /** Without waiting, where the thread may be busy for long. */
  readonly leave: () => void;
};

export function startCheckpoints(start: ThreadStart, hear: (message: Heard) => void): Checkpoints {
  const thread = new Worker(new URL('./checkpoint-thread.ts', import.meta.url), { workerData: start });
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  let last: Seal | undefined;
  thread.on('message', (message: FromThread) => {
    if (message.kind === 'stopped') last = message.seal;
    else hear(message);
  });
  thread.once('exit', () => resolve());
  thread.once('error', (fault) => {
    hear({ kind: 'ended', fault });
  });
  thread.unref();
  const say = (message: ToThread) => thread.postMessage(message);
  return {
    goOn: (seal) => say({ kind: 'go on', seal }),
    shorten: () => say({ kind: 'shorten' }),
    save: () => say({ kind: 'save' }),
    stop: async () => {
      thread.ref();
      say({ kind: 'stop' });
      await ended;
      return last;
    },
    leave: () => say({ kind: 'stop' }),
  };
}
