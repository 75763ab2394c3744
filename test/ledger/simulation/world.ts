// What the simulated ledger stands on: a seeded source of chance, a clock and turns that move when told to, and a disk
// that fails as the seed says. Above it runs the real engine over real SQLite.

import { DatabaseSync } from 'node:sqlite';
import { setImmediate as realTurn } from 'node:timers/promises';
import { threadId } from 'node:worker_threads';
import type { DoubtNotes } from '../../../src/ledger/doubts.ts';
import type { Pace } from '../../../src/ledger/pace.ts';
import type { Disk } from '../../../src/ledger/sqlite/connection.ts';
import { migrate } from '../../../src/ledger/sqlite/migrate.ts';
import { migrations } from '../../../src/ledger/sqlite/schema/migrations.ts';

/** Mulberry32: small, and the same everywhere. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed, 0x9e37_79b9) ^ 0x5bd1_e995;
  }

  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b_79f5) | 0;
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return Math.floor((((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  oneIn(times: number): boolean {
    return this.below(times) === 0;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new RangeError('nothing to pick from');
    return item;
  }

  bytes = (count: number): Buffer => Buffer.from(Array.from({ length: count }, () => this.below(256)));
}

type Timer = { readonly atMs: number; readonly work: () => void };

/** Time and turns of one process; they stand still until they are moved. */
export class SimulatedPace implements Pace {
  #nowMs = 0;
  #turn: (() => void)[] = [];
  #timers: Timer[] = [];

  elapsedMs = (): number => this.#nowMs;

  endOfTurn = (work: () => void): void => {
    this.#turn.push(work);
  };

  pause = (ms: number): Promise<void> => new Promise((resolve) => this.later(ms, resolve));

  later = (ms: number, work: () => void): (() => void) => {
    const timer = { atMs: this.#nowMs + ms, work };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  };

  /** Ends a turn of the event loop: everything that is due runs, and what it promised is kept. */
  async endTurn(): Promise<void> {
    // A transaction is over with the microtasks of its turn; nobody else comes before.
    await realTurn();
    const work = this.#turn;
    this.#turn = [];
    for (const each of work) each();
    await realTurn();
  }

  async advance(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      await this.endTurn();
      const next = this.#timers.reduce<Timer | undefined>(
        (first, each) => (first === undefined || each.atMs < first.atMs ? each : first),
        undefined,
      );
      if (next === undefined || next.atMs > untilMs) break;
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      this.#timers = this.#timers.filter((each) => each !== next);
      next.work();
    }
    this.#nowMs = untilMs;
    await this.endTurn();
  }
}

/** How a commit goes: failed for sure; reported as failed but there, not there, or hanging in the air until the next
 *  commit or crash; cut off by a crash before or after it. */
export type CommitFault = 'failed' | 'there' | 'absent' | 'in the air' | 'crash before' | 'crash after';

type NextFault = (work: 'charges' | 'other work') => CommitFault | undefined;

const ioError = () => Object.assign(new Error('disk I/O error'), { errcode: 1034 });
const diskFull = () => Object.assign(new Error('database or disk is full'), { errcode: 13 });

const template = new DatabaseSync(':memory:');
migrate(template, migrations);

let platters = 0;

/** What outlives a crash: the file, what hangs in the air behind it, and the note of doubts. */
export class Platter {
  #uri = '';
  /** Keeps the file in memory alive. */
  #keeper = this.#load(template);
  #inTheAir: Uint8Array | undefined;
  #lock: DatabaseSync | undefined;
  #charges = 0;
  #version = versionOf(this.#keeper);
  #noted: string[] = [];
  state: 'well' | 'dead' = 'well';

  get isLocked(): boolean {
    return this.#lock !== undefined;
  }

  get isHanging(): boolean {
    return this.#inTheAir !== undefined;
  }

  /** A connection of the referee, or of another process. */
  open(): DatabaseSync {
    return new DatabaseSync(this.#uri, { timeout: 0, enableForeignKeyConstraints: true });
  }

  lock(): void {
    this.#lock = this.open();
    this.#lock.exec('BEGIN IMMEDIATE');
  }

  unlock(): void {
    this.#lock?.close();
    this.#lock = undefined;
  }

  /** A commit that wrote nothing does not reach the log. */
  commit(db: DatabaseSync): void {
    db.exec('COMMIT');
    this.#charges = countCharges(db);
    const version = versionOf(this.#keeper);
    if (version !== this.#version) this.#inTheAir = undefined;
    this.#version = version;
  }

  /** Whether the transaction under way makes a charge. */
  isCharging(db: DatabaseSync): boolean {
    return countCharges(db) > this.#charges;
  }

  leaveInTheAir(db: DatabaseSync): void {
    this.#inTheAir = db.serialize();
  }

  /** The machine comes up again, perhaps with what hung in the air. */
  recover(chance: Chance): 'as it was' | 'with what hung in the air' {
    this.unlock();
    this.state = 'well';
    const image = this.#inTheAir;
    this.#inTheAir = undefined;
    if (image === undefined || chance.oneIn(3)) return 'as it was';
    const ghost = new DatabaseSync(':memory:');
    ghost.deserialize(image);
    this.#keeper.close();
    this.#keeper = this.#load(ghost);
    this.#version = versionOf(this.#keeper);
    this.#charges = countCharges(ghost);
    ghost.close();
    return 'with what hung in the air';
  }

  readonly notes: DoubtNotes = {
    read: () => this.#noted,
    add: (ids) => {
      this.#noted = [...this.#noted, ...ids];
    },
    remove: () => {
      this.#noted = [];
    },
  };

  remove(): void {
    this.unlock();
    this.#keeper.close();
  }

  #load(from: DatabaseSync): DatabaseSync {
    platters += 1;
    this.#uri = `file:/platter-${threadId}-${platters}?vfs=memdb`;
    const keeper = this.open();
    from.exec(`VACUUM INTO '${this.#uri}'`);
    return keeper;
  }
}

/** Changes with every commit that wrote something. */
const versionOf = (db: DatabaseSync): number => Number(db.prepare('PRAGMA data_version').get()?.data_version);

const countCharges = (db: DatabaseSync): number =>
  Number(db.prepare('SELECT count(*) AS charges FROM journal WHERE kind = 2').get()?.charges);

/** The disk as one process sees it. After its crash nothing of that process reaches the platter any more. */
export class SimulatedDisk implements Disk {
  readonly #platter: Platter;
  readonly #nextFault: NextFault;
  readonly #connections: DatabaseSync[] = [];
  state: 'up' | 'crashed' = 'up';

  constructor(platter: Platter, nextFault: NextFault) {
    this.#platter = platter;
    this.#nextFault = nextFault;
  }

  open = (): DatabaseSync => {
    this.#check();
    const db = this.#platter.open();
    this.#connections.push(db);
    return db;
  };

  begin = (db: DatabaseSync): void => {
    this.#check();
    db.exec('BEGIN IMMEDIATE');
  };

  commit = (db: DatabaseSync): void => {
    this.#check();
    const fault = this.#nextFault(this.#platter.isCharging(db) ? 'charges' : 'other work');
    if (fault === 'failed') throw diskFull();
    if (fault === 'in the air') this.#platter.leaveInTheAir(db);
    if (fault === undefined || fault === 'there' || fault === 'crash after') this.#platter.commit(db);
    if (fault === 'crash before' || fault === 'crash after') this.state = 'crashed';
    if (fault !== undefined) throw ioError();
  };

  crash(): void {
    this.state = 'crashed';
    for (const db of this.#connections) if (db.isOpen) db.close();
  }

  #check(): void {
    if (this.state === 'crashed' || this.#platter.state === 'dead') throw ioError();
  }
}
