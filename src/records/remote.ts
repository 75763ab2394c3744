// Records across threads: one thread has the engine, others ask through a port. A transaction is held open between its
// questions, and undone where its asker is gone or keeps others waiting.

import type { MessagePort } from 'node:worker_threads';
import { Contended, type Engine, RecordsUnavailable, type Row, type Sql, type Value } from './records.ts';

type Question =
  | {
      readonly kind: 'all';
      /** Of a transaction that was begun; 0 for a statement by itself. */
      readonly within: number;
      readonly text: string;
      readonly values: readonly Value[];
    }
  | { readonly kind: 'begin' | 'commit' | 'undo'; readonly within: number }
  | { readonly kind: 'close' };

type Asked = { readonly number: number; readonly question: Question };

type Answer =
  | { readonly number: number; readonly kind: 'told'; readonly rows: readonly Row[] }
  | {
      readonly number: number;
      readonly kind: 'unavailable' | 'fault';
      readonly message: string;
    }
  | {
      readonly number: number;
      readonly kind: 'contended';
      readonly message: string;
      readonly atLast: Contended['atLast'];
    };

/** How long others wait for one who has begun and asks nothing. */
const silenceMostMs = 5_000;

export function serveEngine(port: MessagePort, engine: Engine): void {
  const held = new Map<number, HeldTransaction>();
  port.on('message', ({ number, question }: Asked) => {
    answer(engine, held, question).then(
      (rows) => port.postMessage({ number, kind: 'told', rows } satisfies Answer),
      (error: unknown) => port.postMessage(faultOf(number, error) satisfies Answer),
    );
  });
  port.on('close', () => undoAll(held));
}

function undoAll(held: Map<number, HeldTransaction>): void {
  for (const transaction of held.values()) void transaction.undo();
  held.clear();
}

async function answer(
  engine: Engine,
  held: Map<number, HeldTransaction>,
  question: Question,
): Promise<readonly Row[]> {
  switch (question.kind) {
    case 'close':
      undoAll(held);
      await engine.close();
      return [];
    case 'begin': {
      const transaction = new HeldTransaction(engine);
      held.set(question.within, transaction);
      await transaction.begun;
      return [];
    }
    case 'all':
      if (question.within === 0) return engine.all(question.text, question.values);
      return transactionOf(held, question).all(question.text, question.values);
    case 'commit': {
      const transaction = transactionOf(held, question);
      held.delete(question.within);
      await transaction.commit();
      return [];
    }
    case 'undo': {
      const transaction = transactionOf(held, question);
      held.delete(question.within);
      await transaction.undo();
      return [];
    }
  }
}

function transactionOf(
  held: ReadonlyMap<number, HeldTransaction>,
  { within }: { readonly within: number },
): HeldTransaction {
  const transaction = held.get(within);
  if (transaction === undefined) throw new Error('There is no such transaction.');
  return transaction;
}

class Undone extends Error {}

/** A transaction that was begun through a port. */
class HeldTransaction {
  /** Rejected where the engine cannot begin it. */
  readonly begun: Promise<Sql>;
  readonly #ended: Promise<void>;
  readonly #work = Promise.withResolvers<void>();
  #silence: NodeJS.Timeout | undefined;
  #state: 'open' | 'over' = 'open';

  constructor(engine: Engine) {
    const { promise, resolve, reject } = Promise.withResolvers<Sql>();
    this.begun = promise;
    const tooLong = () =>
      this.#end(new RecordsUnavailable('A transaction kept others waiting and was undone.'));
    this.#ended = engine.attempt((sql) => {
      this.#silence = setTimeout(tooLong, silenceMostMs);
      resolve(sql);
      return this.#work.promise;
    });
    // It may end before it has begun; and whoever asks next is told.
    this.#work.promise.catch(() => undefined);
    this.#ended.catch((error: unknown) => {
      this.#end(error);
      reject(error);
    });
  }

  /** After a statement that failed nothing more is done within: so it is in a database. */
  async all(text: string, values: readonly Value[]): Promise<readonly Row[]> {
    const sql = await this.begun;
    if (this.#state === 'open') {
      this.#silence?.refresh();
      try {
        return await sql.all(text, values);
      } catch (error) {
        this.#end(error);
      }
    }
    // Rejects with what the engine makes of it.
    await this.#ended;
    throw new Error('The transaction is over.');
  }

  commit(): Promise<void> {
    clearTimeout(this.#silence);
    this.#state = 'over';
    this.#work.resolve();
    return this.#ended;
  }

  /** Resolves when nothing of it is left, whatever became of it before. */
  undo(): Promise<void> {
    this.#end(new Undone('undone'));
    return this.#ended.catch(() => undefined);
  }

  #end(reason: unknown): void {
    clearTimeout(this.#silence);
    this.#state = 'over';
    this.#work.reject(reason);
  }
}

function faultOf(number: number, error: unknown): Answer {
  if (error instanceof Contended) {
    return { number, kind: 'contended', message: error.message, atLast: error.atLast };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { number, kind: error instanceof RecordsUnavailable ? 'unavailable' : 'fault', message };
}

function errorOf(answered: Exclude<Answer, { readonly kind: 'told' }>): Error {
  if (answered.kind === 'contended') return new Contended(answered.message, answered.atLast);
  return answered.kind === 'unavailable'
    ? new RecordsUnavailable(answered.message)
    : new Error(answered.message);
}

type Asker = { readonly resolve: (rows: readonly Row[]) => void; readonly reject: (error: Error) => void };

const gone = () => new RecordsUnavailable('The records are closed.');

/** The engine at the other end of a port. Closing it closes the engine; a port that closes ends it. */
export class RemoteEngine implements Engine {
  readonly #port: MessagePort;
  readonly #waiting = new Map<number, Asker>();
  #lastNumber = 0;
  #lastTransaction = 0;
  #state: 'open' | 'closed' = 'open';

  constructor(port: MessagePort) {
    this.#port = port;
    port.on('message', (answered: Answer) => {
      const asker = this.#waiting.get(answered.number);
      this.#waiting.delete(answered.number);
      if (answered.kind === 'told') asker?.resolve(answered.rows);
      else asker?.reject(errorOf(answered));
    });
    port.on('close', () => {
      this.#state = 'closed';
      for (const { reject } of this.#waiting.values()) reject(gone());
      this.#waiting.clear();
    });
  }

  all(text: string, values: readonly Value[] = []): Promise<readonly Row[]> {
    return this.#ask({ kind: 'all', within: 0, text, values });
  }

  async attempt<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    this.#lastTransaction += 1;
    const within = this.#lastTransaction;
    await this.#ask({ kind: 'begin', within });
    const result = await this.#untilCommit(within, work);
    await this.#ask({ kind: 'commit', within });
    return result;
  }

  async #untilCommit<T>(within: number, work: (sql: Sql) => Promise<T>): Promise<T> {
    try {
      return await work({ all: (text, values = []) => this.#ask({ kind: 'all', within, text, values }) });
    } catch (error) {
      if (this.#state === 'open') await this.#ask({ kind: 'undo', within });
      throw error;
    }
  }

  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    await this.#ask({ kind: 'close' });
    this.#port.close();
  }

  #ask(question: Question): Promise<readonly Row[]> {
    if (this.#state === 'closed') return Promise.reject(gone());
    this.#lastNumber += 1;
    const number = this.#lastNumber;
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
      this.#port.postMessage({ number, question } satisfies Asked);
    });
  }
}
