// That a service runs on the ledger in the database, for whoever must not move or restore it under one. A lock that the
// database holds for as long as the connection lives. It belongs to a transaction, since that is what a pooler such as
// PgBouncer keeps together; without a statement under way it holds nothing else up.

import type { Tell } from '../ledger.ts';
import type { Pace } from '../pace.ts';
import { type Ask, type Database, outcomeOf, toHold } from './database.ts';

const lockNumber = 0x53_45_52_56; // "SERV"
/** How soon a connection that was lost is noticed. */
const lookEveryMs = 2_000;

/** Within a transaction, until its end. */
export async function keepServicesOut(ask: Ask): Promise<'alone' | 'served'> {
  const [row] = await ask('SELECT pg_try_advisory_xact_lock($1, 0) AS is_alone', [lockNumber]);
  return row?.is_alone === true ? 'alone' : 'served';
}

export class Serving {
  readonly #database: Database;
  readonly #pace: Pace;
  readonly #tell: Tell;
  #wake: (() => void) | undefined;
  #state: 'idle' | 'kept' | 'stopped' = 'idle';

  constructor(database: Database, pace: Pace, tell: Tell) {
    this.#database = database;
    this.#pace = pace;
    this.#tell = tell;
  }

  /** Until it is stopped; again whenever it is lost. What a move or restore must not meet, its locks on the tables see to:
   *  this one lets it say so at once. */
  async keep(): Promise<void> {
    this.#state = 'kept';
    while (this.#state === 'kept') {
      try {
        await this.#database.transact((ask) => this.#hold(ask), toHold);
      } catch (fault) {
        if (outcomeOf(fault) === 'busy') {
          const message = 'the ledger is being moved or restored; calls are refused meanwhile';
          this.#tell({ level: 'warn', message, fault });
        }
        await this.#pause();
      }
    }
  }

  stop(): void {
    this.#state = 'stopped';
    this.#wake?.();
  }

  async #hold(ask: Ask): Promise<void> {
    await ask('SELECT pg_advisory_xact_lock_shared($1, 0)', [lockNumber]);
    while (this.#state === 'kept') {
      await this.#pause();
      await ask('SELECT 1');
    }
  }

  #pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#state === 'stopped') return Promise.resolve();
    const callOff = this.#pace.later(lookEveryMs, resolve);
    this.#wake = () => {
      callOff();
      resolve();
    };
    return promise;
  }
}
