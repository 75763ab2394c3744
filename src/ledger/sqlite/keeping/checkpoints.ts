// A thread beside the ledger for what waits for the disk: it copies the write-ahead log into the file, which would hold all requests up
// for some 40 ms if the writing thread did it, notes in the seal what is on disk, and checks a large file. It does what it is asked to,
// one thing after the other.

import { Worker } from 'node:worker_threads';
import type { Seal } from '../../seal.ts';

export type Task =
  /** Where the seal is to be written, it has what is known by then. */
  | { readonly kind: 'copy'; readonly seal: Seal; readonly isToSeal: boolean }
  | { readonly kind: 'check' }
  | { readonly kind: 'stop' };

export type Outcome =
  | { readonly kind: 'done'; readonly seal: Seal | undefined }
  | { readonly kind: 'failed'; readonly fault: unknown; readonly why: 'full' | 'other' };

export class CheckpointThread {
  readonly #worker: Worker;
  readonly #ended: Promise<Outcome>;
  #answer: (outcome: Outcome) => void = () => undefined;

  constructor(ledger: string) {
    this.#worker = new Worker(new URL('./checkpoint-thread.ts', import.meta.url), { workerData: ledger });
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.#ended = promise;
    const end = (fault: unknown) => resolve({ kind: 'failed', fault, why: 'other' });
    this.#worker.on('message', (outcome: Outcome) => this.#answer(outcome));
    this.#worker.once('error', end);
    this.#worker.once('exit', () => end(new Error('the thread that copies the log has ended')));
    this.#worker.unref();
  }

  /** One at a time. */
  ask(task: Task): Promise<Outcome> {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.#answer = resolve;
    this.#worker.postMessage(task);
    return Promise.race([promise, this.#ended]);
  }

  /** The process does not end before what it was asked is done. */
  hold(): void {
    this.#worker.ref();
  }

  /** Once it is done with what it was asked. */
  async stop(): Promise<void> {
    this.hold();
    this.#worker.postMessage({ kind: 'stop' } satisfies Task);
    await this.#ended;
  }
}
