// The engine in a file, as its process sees it: a thread that is started by the first question, and again after it was lost.

import { MessageChannel, Worker } from 'node:worker_threads';
import type { Tell } from '../../ledger/ledger.ts';
import { type Engine, RecordsUnavailable, type Row, type Sql, type Value } from '../records.ts';
import { RemoteEngine } from '../remote.ts';
import type { IfMissing } from './file.ts';
import type { RecordsThread } from './thread.ts';

type Running = { readonly engine: RemoteEngine; readonly ended: Promise<void> };

export class FileEngine implements Engine {
  readonly #path: string;
  readonly #tell: Tell;
  #running: Running | undefined;
  /** For the next thread. */
  #ifMissing: IfMissing = 'make';
  #health: 'sound' | 'faulty' = 'sound';
  #state: 'open' | 'closed' = 'open';

  constructor(path: string, tell: Tell) {
    this.#path = path;
    this.#tell = tell;
  }

  all(text: string, values: readonly Value[] = []): Promise<readonly Row[]> {
    return this.#telling((engine) => engine.all(text, values));
  }

  attempt<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#telling((engine) => engine.attempt(work));
  }

  async close(): Promise<void> {
    this.#state = 'closed';
    const running = this.#running;
    await running?.engine.close();
    await running?.ended;
  }

  /** Once when it begins and once when it is over. */
  async #telling<T>(work: (engine: RemoteEngine) => Promise<T>): Promise<T> {
    if (this.#state === 'closed') throw new RecordsUnavailable('The records are closed.');
    this.#running ??= this.#start();
    try {
      const result = await work(this.#running.engine);
      this.#ifMissing = 'refuse';
      if (this.#health === 'faulty') this.#tell({ level: 'info', message: 'the records are used again' });
      this.#health = 'sound';
      return result;
    } catch (error) {
      if (error instanceof RecordsUnavailable && this.#health === 'sound') {
        this.#health = 'faulty';
        const message =
          'records.sqlite cannot be used; people cannot sign in and requests are not listed until it can';
        this.#tell({ level: 'error', message, fault: error });
      }
      throw error;
    }
  }

  #start(): Running {
    const { port1, port2 } = new MessageChannel();
    const worker = new Worker(new URL('./thread.ts', import.meta.url), {
      workerData: { path: this.#path, ifMissing: this.#ifMissing, port: port2 } satisfies RecordsThread,
      transferList: [port2],
    });
    // Whoever waits learns it by the port that closes.
    worker.on('error', (fault) => {
      this.#tell({ level: 'error', message: 'the thread of the records failed', fault });
    });
    const ended = new Promise<void>((resolve) => {
      worker.on('exit', () => {
        this.#running = undefined;
        resolve();
      });
    });
    return { engine: new RemoteEngine(port1), ended };
  }
}
