// Portable SQL on the one connection of the SQLite engine: at once, or as a transaction in the queue of its writer, between two commits
// of charges.

import type { Row } from '../../storage/rows.ts';
import type { Sql, Value } from '../../storage/sql.ts';
import { LedgerRefusal } from '../ledger.ts';
import type { Pace } from '../pace.ts';
import { resultOf } from './faults.ts';
import type { SqliteStore } from './store.ts';

/** What undoes a transaction and says nothing of the disk: the writer goes on, and whoever asked is told the cause. */
class Undone extends LedgerRefusal {
  override readonly cause: unknown;

  constructor(cause: unknown) {
    super('undone');
    this.cause = cause;
  }
}

type Wish = {
  readonly ifUnknown: 'repeat' | 'give up';
  /** What is read into memory of accounts and keys. */
  readonly memory: 'is current' | 'to be forgotten';
};

export class StoreSql implements Sql {
  readonly #store: SqliteStore;
  readonly #pace: Pace;

  constructor(store: SqliteStore, pace: Pace) {
    this.#store = store;
    this.#pace = pace;
  }

  async all(text: string, values: readonly Value[] = []): Promise<readonly Row[]> {
    return this.#unwrapping(() => this.#store.read(() => this.#ask(text, values)));
  }

  /** `work` awaits nothing but its statements. */
  transaction<T>(work: (sql: Sql) => Promise<T>, { ifUnknown, memory }: Wish): Promise<T> {
    const noted = async () => {
      // By it a commit in doubt is found, and an older copy known for one.
      this.#store.raisePulse();
      // So that balances and usage are of one moment.
      if (memory === 'to be forgotten') this.#store.countCharges();
      const result = await this.#withinTurn(work);
      if (memory === 'to be forgotten') this.#store.forget();
      return result;
    };
    return this.#unwrapping(() => this.#store.writer.transact(noted, { ifUnknown }));
  }

  /** Charges wait for it, so that it is over with the microtasks of this turn, or undone. */
  async #withinTurn<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const late = Promise.withResolvers<never>();
    const at: { state: 'open' | 'failed' | 'over' } = { state: 'open' };
    this.#pace.endOfTurn(() =>
      late.reject(new Error('A transaction awaited something else than its statements.')),
    );
    const sql: Sql = {
      all: async (text, values = []) => {
        if (at.state !== 'open') throw new Error('The transaction is over.');
        try {
          return this.#ask(text, values);
        } catch (error) {
          at.state = 'failed';
          throw error;
        }
      },
    };
    try {
      const result = await Promise.race([work(sql), late.promise]);
      if (at.state === 'failed') throw new Error('A statement of the transaction failed.');
      return result;
    } catch (error) {
      throw isOfFile(error) ? error : new Undone(error);
    } finally {
      at.state = 'over';
    }
  }

  #ask(text: string, values: readonly Value[]): readonly Row[] {
    try {
      const rows = this.#store.ask(text, values);
      if (!isRead(text)) this.#store.keeper.noteRows(1);
      return rows;
    } catch (error) {
      throw isOfFile(error) ? error : new Undone(error);
    }
  }

  async #unwrapping<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw causeOf(error);
    }
  }
}

/** A change says so with its first word. */
export const isRead = (text: string): boolean => /^\s*(?:SELECT|WITH)\b/i.test(text);

function causeOf(error: unknown): unknown {
  return error instanceof Undone ? causeOf(error.cause) : error;
}

/** Results of SQLite that say something of the statement, or of what it found: the disk is not to blame. */
const notOfFile: readonly (number | undefined)[] = [undefined, 1, 11, 18, 19, 20, 21, 25, 26];
const isOfFile = (error: unknown): boolean => !notOfFile.includes(resultOf(error));
