// The connections to the database: a small pool, time-outs, waiting longer and longer while it cannot be reached, and what
// became of a statement that failed.

import { hash } from 'node:crypto';
import pg from 'pg';
import type { Row } from '../../storage/rows.ts';
import { hourMs } from '../../time.ts';
import { LedgerOutOfService, type LedgerRefusal, type LedgerUnavailable, type Tell } from '../ledger.ts';
import { asLedgerError } from '../outcome.ts';
import type { Pace } from '../pace.ts';
import { readAddress } from './address.ts';

/** What connections are for. */
type Use = {
  readonly connectionsMost: number;
  /** Told when the database cannot be used, and when it can again. */
  readonly outage: string;
  readonly recovery: string;
};

/** One each for charges, admissions, recollections, counts and readiness, two for refreshes, one for commands of the operator,
 *  and one that says that a service runs. */
const forLedger: Use = {
  connectionsMost: 9,
  outage: 'the database cannot be used; calls are refused until it can',
  recovery: 'the database can be used again',
};

const connectTimeoutMs = 3_000;
const statementTimeoutMs = 5_000;
const backoffLeastMs = 50;
const backoffMostMs = 1_000;

/** Whole numbers that JavaScript can count exactly; any other is a fault. */
const { INT8, NUMERIC } = pg.types.builtins;
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 || oid === NUMERIC ? readWhole : pg.types.getTypeParser(oid, format),
};

function readWhole(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${text} is no number that can be counted exactly`);
  return number;
}

/** No statement was sent. */
class Unreached extends Error {
  override name = 'Unreached';
}

/** A statement was sent and there is no answer. */
class LostConnection extends Error {
  override name = 'LostConnection';
}

/** Lost before the commit was sent: the server undoes it. */
class LostTransaction extends Error {
  override name = 'LostTransaction';
}

class NoAnswer extends Error {
  override name = 'NoAnswer';
}

export type Ask = (text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

/** One that is asked with every batch: each connection has it parsed once, under a name. */
export type Frequent = { readonly name: string; readonly text: string };

type Statement = string | Frequent;
type AskAny = (statement: Statement, values?: readonly unknown[]) => Promise<readonly Row[]>;

/** Named after its text, so that programs of two versions behind one pooler never mean different things by a name. */
export const frequent = (text: string): Frequent => ({
  name: `domesday_${hash('sha256', text).slice(0, 16)}`,
  text,
});

export class Database {
  readonly #pool: pg.Pool;
  readonly #pace: Pace;
  readonly #tell: Tell;
  readonly #use: Use;
  #reach:
    | { readonly kind: 'reached' }
    | { readonly kind: 'away'; readonly nextMs: number; readonly waitMs: number } = { kind: 'reached' };

  /** Until it was used once, whoever opens it is told what is wrong by the error alone. */
  #health: 'untried' | 'sound' | 'faulty' = 'untried';
  /** Behind a pooler that gives every statement another connection, as PgBouncer before 1.21 in transaction mode, names are lost. */
  #names: 'kept' | 'lost' = 'kept';
  /** Connections that broke and statements that met an outage: what was known of the database before one is not any more. */
  losses = 0;

  constructor(url: string, pace: Pace, tell: Tell, use = forLedger) {
    this.#pace = pace;
    this.#tell = tell;
    this.#use = use;
    this.#pool = new pg.Pool({
      ...readAddress(url),
      max: use.connectionsMost,
      connectionTimeoutMillis: connectTimeoutMs,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      application_name: 'domesday',
      allowExitOnIdle: true,
      types,
    });
    // Whoever uses the connection learns it by the answer that does not come; one that nobody uses is let go by the pool.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) =>
      client.on('error', () => {
        this.losses += 1;
      }),
    );
  }

  /** One statement, committed by itself. */
  async ask(statement: Statement, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return this.#telling(() => this.#askOnce(statement, values));
  }

  async #askOnce(statement: Statement, values: readonly unknown[]): Promise<readonly Row[]> {
    const text = typeof statement === 'string' ? statement : statement.text;
    const plainly = () => this.#with(statementTimeoutMs, (ask) => ask(text, values));
    if (typeof statement === 'string' || this.#names === 'lost') return plainly();
    try {
      return await this.#with(statementTimeoutMs, (ask) => ask(statement, values));
    } catch (error) {
      if (!isNameLost(error)) throw error;
      this.#names = 'lost';
      return plainly();
    }
  }

  /** A transaction of several statements; `work` throws to undo it. A lock or a paused program holds up nobody for long. */
  async transact<T>(work: (ask: Ask) => Promise<T>, manner: Manner = toWrite): Promise<T> {
    const transaction = async (ask: Ask) => {
      const result = await this.#untilCommit(manner, ask, work);
      await ask('COMMIT');
      return result;
    };
    return this.#telling(() => this.#with(manner.answerWithinMs, transaction));
  }

  async #untilCommit<T>({ begin }: Manner, ask: Ask, work: (ask: Ask) => Promise<T>): Promise<T> {
    try {
      await ask(begin);
      return await work(ask);
    } catch (error) {
      if (outcomeOf(error) === 'unknown')
        throw new LostTransaction('The connection was lost.', { cause: error });
      await ask('ROLLBACK');
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #with<T>(answerWithinMs: number, work: (ask: AskAny) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    const ask: AskAny = async (statement, values = []) => {
      const named = typeof statement === 'string' ? { text: statement } : statement;
      try {
        const answer = client.query<Record<string, unknown>>({ ...named, values: [...values] });
        return (await this.#within(answerWithinMs, answer)).rows;
      } catch (error) {
        throw error instanceof pg.DatabaseError
          ? error
          : new LostConnection('The connection to the database was lost.', { cause: error });
      }
    };
    try {
      const result = await work(ask);
      client.release();
      return result;
    } catch (error) {
      client.release(mustReconnect(error));
      throw error;
    }
  }

  /** Once when it begins and once when it is over. */
  async #telling<T>(work: () => Promise<T>): Promise<T> {
    try {
      const result = await work();
      if (this.#health === 'faulty') this.#tell({ level: 'info', message: this.#use.recovery });
      this.#health = 'sound';
      return result;
    } catch (error) {
      if (isOutage(error)) this.losses += 1;
      if (isOutage(error) && this.#health === 'sound') {
        this.#health = 'faulty';
        this.#tell({ level: 'error', message: this.#use.outage, fault: error });
      }
      throw error;
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    const before = this.#reach;
    if (before.kind === 'away' && this.#pace.elapsedMs() < before.nextMs) throw unreached();
    try {
      const client = await this.#pool.connect();
      this.#reach = { kind: 'reached' };
      return client;
    } catch (error) {
      const waitMs = before.kind === 'away' ? Math.min(2 * before.waitMs, backoffMostMs) : backoffLeastMs;
      this.#reach = { kind: 'away', nextMs: this.#pace.elapsedMs() + waitMs, waitMs };
      throw unreached(error);
    }
  }

  /** Beyond it the connection is given up, and with it the answer. */
  #within<T>(ms: number, answer: Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const callOff = this.#pace.later(ms, () => reject(new NoAnswer('the database does not answer')));
    answer.then(resolve, reject).finally(callOff);
    return promise;
  }
}

/** A pooler may give each transaction another connection, so that nothing is set for a session. */
const inSchema = 'SET LOCAL search_path = domesday';

export type Manner = { readonly begin: string; readonly answerWithinMs: number };

export const toWrite: Manner = {
  begin: `BEGIN; ${inSchema}; SET LOCAL lock_timeout = '2s'; SET LOCAL statement_timeout = '5s';
    SET LOCAL idle_in_transaction_session_timeout = '5s'`,
  answerWithinMs: statementTimeoutMs,
};

/** Long work that sees one moment. A month that is dropped before its first statement is gone from its snapshot too. */
export const toReadAll: Manner = {
  begin: `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${inSchema}; SET LOCAL statement_timeout = 0;
    SET LOCAL idle_in_transaction_session_timeout = 0; LOCK TABLE domesday.journal IN ACCESS SHARE MODE`,
  answerWithinMs: hourMs,
};

/** Long work that waits for the lock of a table no longer than those can who wait behind it. */
export const toRebuild: Manner = {
  begin: `BEGIN; SET LOCAL lock_timeout = '1s'; SET LOCAL statement_timeout = 0;
    SET LOCAL idle_in_transaction_session_timeout = '5s'`,
  answerWithinMs: hourMs,
};

/** Long work on a ledger that nobody else is to use. */
export const toReplace: Manner = {
  begin: `BEGIN; ${inSchema}; SET LOCAL lock_timeout = '10s'; SET LOCAL statement_timeout = 0;
    SET LOCAL idle_in_transaction_session_timeout = 0`,
  answerWithinMs: hourMs,
};

/** A lock that is held for as long as the connection lives. */
export const toHold: Manner = {
  begin: "BEGIN; SET LOCAL lock_timeout = '2s'; SET LOCAL idle_in_transaction_session_timeout = 0",
  answerWithinMs: statementTimeoutMs,
};

function unreached(cause?: unknown): Unreached {
  return new Unreached('The database cannot be reached just now.', { cause });
}

const sqlstate = {
  serializationFailure: '40001',
  deadlock: '40P01',
  lockNotAvailable: '55P03',
  uniqueViolation: '23505',
  checkViolation: '23514',
  readOnly: '25006',
  /** Of our own, see charge_1. */
  knownAlready: 'DD001',
  otherNumbers: 'DD002',
  noSuchName: '26000',
  nameTaken: '42P05',
  /** What a name stands for gives other columns since; the same code says that a statement asks for what there is not. */
  notSupported: '0A000',
};

/** Nothing was written, and once others have finished the same may succeed. */
const passing: readonly (string | undefined)[] = [
  sqlstate.serializationFailure,
  sqlstate.deadlock,
  sqlstate.lockNotAvailable,
  sqlstate.uniqueViolation,
  sqlstate.knownAlready,
  sqlstate.otherNumbers,
];

/** The row was on its way to the common table when its month got one of its own. Any other check has a name. */
const isForNewMonth = ({ code, constraint }: pg.DatabaseError): boolean =>
  code === sqlstate.checkViolation && constraint === undefined;

/** What became of a statement or transaction: `failed` and `busy` left nothing behind, of `unknown` nobody knows. */
export function outcomeOf(error: unknown): 'busy' | 'failed' | 'unknown' {
  if (error instanceof Unreached) return 'failed';
  if (error instanceof LostTransaction) return 'busy';
  if (!(error instanceof pg.DatabaseError)) return error instanceof LostConnection ? 'unknown' : 'failed';
  if (passing.includes(error.code) || isForNewMonth(error)) return 'busy';
  // The server ends, or ended this connection.
  return error.severity === 'FATAL' || error.severity === 'PANIC' ? 'unknown' : 'failed';
}

const ofNames: readonly (string | undefined)[] = [
  sqlstate.noSuchName,
  sqlstate.nameTaken,
  sqlstate.notSupported,
];

/** Nothing was done. */
const isNameLost = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && ofNames.includes(error.code);

/** Nothing was written, because charges were taken for new that are not. */
export const isKnownAlready = (error: unknown): boolean =>
  error instanceof pg.DatabaseError &&
  (error.code === sqlstate.knownAlready ||
    (error.code === sqlstate.uniqueViolation && error.table === 'charge_ids'));

/** Nothing was written, because keys or endpoints have other numbers here. */
export const hasOtherNumbers = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === sqlstate.otherNumbers;

/** A value that must be the only one is there already; or somebody else is just adding it. */
export const isTaken = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === sqlstate.uniqueViolation;

/** Classes of SQLSTATE that say nothing about the statement: the connection, want of room or memory, an operator, the
 *  system. */
const outages = ['08', '53', '57', '58'];

const isLost = (error: unknown): boolean =>
  error instanceof LostConnection || error instanceof LostTransaction;

export function isOutage(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return isLost(error) || error instanceof Unreached;
  const code = error.code ?? '';
  return outages.includes(code.slice(0, 2)) || code === sqlstate.readOnly;
}

/** What callers are told; the operator was told by the database itself where it is an outage. */
export function asOutage(error: unknown): LedgerRefusal | LedgerUnavailable {
  if (!isOutage(error)) return asLedgerError(error);
  const message = 'The database cannot be used just now.';
  return new LedgerOutOfService(message, 'until it is reached', { cause: error });
}

/** It may be stopped: whoever can wait no longer does not ask again. */
export const isSilent = (error: unknown): boolean =>
  error instanceof LostConnection && error.cause instanceof NoAnswer;

/** A server that has become a standby may be the primary elsewhere. */
function mustReconnect(error: unknown): boolean {
  return (
    outcomeOf(error) === 'unknown' ||
    isLost(error) ||
    (error instanceof pg.DatabaseError && error.code === sqlstate.readOnly)
  );
}

/** A list as PostgreSQL reads it: its client would take each number for a text, and look through each text three times. */
export const bigints = (numbers: readonly (number | null)[]): string =>
  `{${numbers.map((number) => number ?? 'NULL').join(',')}}`;

export const texts = (values: readonly (string | null)[]): string =>
  `{${values.map((value) => (value === null ? 'NULL' : quoted(value))).join(',')}}`;

const quoted = (text: string): string =>
  /["\\]/.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : `"${text}"`;
