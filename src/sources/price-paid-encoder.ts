// Areas are encoded in a thread of their own while the next one is put together, which takes about as long. A few sales
// are encoded at once: quicker than starting a thread.

import { Worker } from 'node:worker_threads';
import { encodeSaleParts, type SaleParts, type SaleRows, type SaleWords } from '../tables/sales-part.ts';

export type EncodeJob = { readonly rows: SaleRows; readonly words: SaleWords };

type Waiting = { readonly resolve: (parts: SaleParts) => void; readonly reject: (error: unknown) => void };

/** Starting a thread takes about as long as encoding so many. */
const fewSales = 200_000;

export class SalesEncoder {
  #worker: Worker | undefined;
  /** Replies come in the order of the jobs. */
  readonly #waiting: Waiting[] = [];
  readonly #few: number;

  /** Fewer sales than `few` do not start the thread. */
  constructor(few: number = fewSales) {
    this.#few = few;
  }

  /** The rows belong to the encoder from then on. */
  async encode({ rows, words }: EncodeJob): Promise<SaleParts> {
    if (this.#worker === undefined && rows.days.length < this.#few) return encodeSaleParts(rows, words);
    this.#worker ??= this.#start();
    const { promise, resolve, reject } = Promise.withResolvers<SaleParts>();
    this.#waiting.push({ resolve, reject });
    const buffers = Object.values(rows).flatMap(({ buffer }) =>
      buffer instanceof ArrayBuffer ? [buffer] : [],
    );
    this.#worker.postMessage({ rows, words } satisfies EncodeJob, [...new Set(buffers)]);
    return promise;
  }

  #start(): Worker {
    const worker = new Worker(new URL('./price-paid-encode-thread.ts', import.meta.url));
    worker.on('message', (parts: SaleParts) => this.#waiting.shift()?.resolve(parts));
    worker.on('error', (error) => {
      for (const { reject } of this.#waiting.splice(0)) reject(error);
    });
    return worker;
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }
}
