// One run of the simulation: a seed decides what callers ask, what fails and when. Gives back a trace, the same byte by
// byte for the same seed, and throws where the journal does not say what callers were told.

import assert from 'node:assert/strict';
import type { DatabaseSync } from 'node:sqlite';
import { Doubts } from '../../../src/ledger/doubts.ts';
import { hashKey } from '../../../src/ledger/keys.ts';
import {
  type Admission,
  type Caller,
  type Charge,
  type ChargeResult,
  LedgerRefusal,
  LedgerUnavailable,
  type Tell,
} from '../../../src/ledger/ledger.ts';
import { eventLoop } from '../../../src/ledger/pace.ts';
import { repeatable } from '../../../src/ledger/repeats.ts';
import { Connection, type Disk } from '../../../src/ledger/sqlite/connection.ts';
import { sayUnsound } from '../../../src/ledger/sqlite/keeping/copies.ts';
import { SqliteLedger } from '../../../src/ledger/sqlite/ledger.ts';
import { SqlitePortable } from '../../../src/ledger/sqlite/portable.ts';
import { StoreSql } from '../../../src/ledger/sqlite/sql.ts';
import { SqliteStorage, slicedSql, sqliteFile } from '../../../src/ledger/sqlite/storage.ts';
import { SqliteStore } from '../../../src/ledger/sqlite/store.ts';

import { StoredAccounts } from '../../../src/ledger/stored/accounts.ts';
import { verifyJournals } from '../../../src/ledger/stored/journals.ts';

import { Metrics } from '../../../src/metrics/metrics.ts';

import { unwatched } from '../bench.ts';
import { Model } from './model.ts';
import { Chance, type CommitFault, Platter, SimulatedDisk, SimulatedPace } from './world.ts';

/** Each seed goes without some of these, so that faults which hide each other meet alone too. */
const switches = [
  'failed',
  'there',
  'absent',
  'in the air',
  'crash before',
  'crash after',
  'crash',
  'restart',
  'lock',
  'death',
  'leap',
  'commands',
  'repeats',
] as const;
type Switch = (typeof switches)[number];
const commitFaults: readonly CommitFault[] = [
  'failed',
  'there',
  'absent',
  'in the air',
  'crash before',
  'crash after',
];

const startMs = Date.UTC(2026, 0, 31, 12);
const patienceMs = 200;
const stepsMost = 60;

type Customer = { readonly caller: Caller; readonly hash: string };

/** A process: from a start to a stop or a crash. */
type Process = {
  readonly pace: SimulatedPace;
  readonly disk: SimulatedDisk;
  readonly store: SqliteStore;
  readonly ledger: SqliteLedger;
  readonly tell: Tell;
  readonly accounts: StoredAccounts;
  readonly database: SqlitePortable;
};

class Run {
  readonly trace: string[] = [];
  readonly #chance: Chance;
  readonly #model = new Model();
  readonly #platter = new Platter();
  readonly #on: ReadonlySet<Switch>;
  readonly #customers: Customer[] = [];
  readonly #faultEvery: number;
  #faults: 'on' | 'off' = 'off';
  #wallMs = startMs;
  #asked = 0;
  #process: Process;
  /** A key that is revoked at some time. */
  #doomed: { readonly customer: Customer; revoked: 'no' | 'yes' } | undefined;

  constructor(seed: number) {
    this.#chance = new Chance(seed);
    this.#on = new Set(switches.filter(() => this.#chance.oneIn(2)));
    this.#faultEvery = this.#chance.pick([2, 4, 8]);
    this.#process = this.#start();
    this.#say(`seed ${seed}: ${[...this.#on].join(', ')}`);
  }

  async play(): Promise<void> {
    for (const allowance of [8, 40]) {
      const accountId = (
        await this.#process.accounts.createAccount({
          name: 'Ada',
          plan: 'basic',
          terms: { allowance, limits: { minute: null } },
          atMs: startMs,
        })
      ).accountId;
      this.#customers.push(await this.#makeKey(accountId));
      this.#doomed ??= { customer: await this.#makeKey(accountId), revoked: 'no' };
    }
    this.#faults = 'on';
    const steps = 10 + this.#chance.below(stepsMost);
    for (let step = 0; step < steps; step++) {
      await this.#step();
      // The crash that matters most is the one that brings back what hung in the air.
      if (this.#platter.isHanging && this.#on.has('crash') && this.#chance.oneIn(6)) {
        this.#process.disk.state = 'crashed';
      }
      if (this.#process.disk.state === 'crashed') await this.#crash();
    }
    await this.#finish();
  }

  async #makeKey(accountId: string): Promise<Customer> {
    const { keyId, key } = await this.#process.accounts.createKey({ accountId, kind: 'live', atMs: startMs });
    return { caller: { accountId, keyId, mode: 'live' }, hash: hashKey(key) };
  }

  /** Everything is well again: whoever waits is answered, and after one more start no doubt is left. */
  async #finish(): Promise<void> {
    this.#faults = 'off';
    this.#platter.unlock();
    this.#platter.state = 'well';
    // It may have met a crash in the very last step, and then nobody is there to settle anything.
    if (this.#process.disk.state === 'crashed') await this.#crash();
    await this.#process.pace.advance(3 * patienceMs);
    await this.#restart();
    await this.#process.pace.advance(3 * patienceMs);
    await this.#stop();
    await this.#compare('settled');
    const db = this.#platter.open();
    this.#model.compareCounts(db);
    db.close();
    this.#platter.remove();
  }

  async #step(): Promise<void> {
    const { pace } = this.#process;
    await new Promise(setImmediate);
    const dice = this.#chance.below(100);
    if (dice < 30) this.#charge(1 + this.#chance.below(4));
    else if (dice < 42) this.#admit();
    else if (dice < 47) this.#record();
    else if (dice < 67) await pace.endTurn();
    else if (dice < 77) await this.#pass(pace, this.#chance.below(60));
    else if (dice < 80) await this.#pass(pace, this.#chance.below(2 * patienceMs));
    else if (dice < 82) this.#grant();
    else if (dice < 86) this.#rename();
    else if (dice < 88) await this.#compare('under way');
    else await this.#mishap();
  }

  async #mishap(): Promise<void> {
    const what = this.#chance.pick(['crash', 'restart', 'lock', 'death', 'leap', 'commands'] as const);
    if (!this.#on.has(what)) return;
    if (what === 'crash') this.#process.disk.state = 'crashed';
    else if (what === 'restart') await this.#restart();
    else if (what === 'lock') this.#turnLock();
    else if (what === 'death') this.#turnDeath();
    else if (what === 'leap') this.#leap();
    else this.#command();
  }

  async #pass(pace: SimulatedPace, ms: number): Promise<void> {
    this.#wallMs += ms;
    this.#say(`${ms} ms pass`);
    await pace.advance(ms);
  }

  #leap(): void {
    const days = this.#chance.pick([-40, -1, 1, 27, 62, 4_000]);
    this.#wallMs += days * 86_400_000;
    this.#model.hasLeapt = true;
    this.#say(`the clock leaps by ${days} days`);
  }

  #turnLock(): void {
    if (this.#platter.isLocked) this.#platter.unlock();
    else this.#platter.lock();
    this.#say(this.#platter.isLocked ? 'locked' : 'unlocked');
  }

  #turnDeath(): void {
    this.#platter.state = this.#platter.state === 'well' ? 'dead' : 'well';
    this.#say(`the disk is ${this.#platter.state}`);
  }

  /** Each by itself, or all of them as calls of one batch. */
  #charge(count: number): void {
    const charges = Array.from({ length: count }, () => this.#newCharge());
    const { ledger } = this.#process;
    if (this.#chance.oneIn(2)) {
      for (const charge of charges) this.#hearOf(charge, ledger.charge(charge));
      return;
    }
    const results = ledger.chargeTogether(charges);
    for (const [place, charge] of charges.entries()) {
      const own = async () => {
        const result = (await results)[place] ?? new Error(`${charge.chargeId} has no result`);
        if (result instanceof Error) throw result;
        return result;
      };
      this.#hearOf(charge, own());
    }
  }

  #newCharge(): Charge {
    const { caller } = this.#chance.pick(this.#customers);
    const repeats = this.#on.has('repeats') && this.#asked > 0 && this.#chance.oneIn(4);
    const number = repeats ? this.#chance.below(this.#asked) : this.#asked++;
    // The same id always comes with the same credits and for the same account.
    const payer = this.#customers[number % 2] ?? { caller };
    const credits = 1 + ((number * 7) % 5);
    const chargeId = `c${number}`;
    this.#model.ask(this.#model.charges, chargeId, credits);
    return {
      caller: payer.caller,
      endpoint: '/crime',
      atMs: this.#wallMs,
      chargeId,
      requestId: chargeId,
      credits,
      // A key of its own each: what it remembers goes with the charge, also where that is given back.
      ...(number % 3 === 0 ? { repeatable: repeatable(chargeId, chargeId) } : {}),
    };
  }

  #hearOf({ chargeId, credits }: Charge, result: Promise<ChargeResult>): void {
    this.#listen(`charge ${chargeId} of ${credits}`, result, {
      answered: ({ kind, creditsRemaining }) => {
        this.#model.reply(this.#model.charges, chargeId, kind === 'charged' ? 'made' : 'insufficient');
        if (kind === 'insufficient' && creditsRemaining >= credits)
          throw new Error(`${chargeId}: refused without need`);
        return `${kind}, ${creditsRemaining} left`;
      },
      refused: (reply) => this.#model.reply(this.#model.charges, chargeId, reply),
    });
  }

  #admit(): void {
    const isDoomed = this.#chance.oneIn(3);
    const { hash } = isDoomed && this.#doomed ? this.#doomed.customer : this.#chance.pick(this.#customers);
    const mustFail = isDoomed && this.#doomed?.revoked === 'yes';
    const admission = Promise.resolve().then((): Admission | Promise<Admission> =>
      this.#process.ledger.admit(hash, this.#wallMs),
    );
    this.#model.admissionsAsked += 1;
    this.#listen('admission', admission, {
      answered: (answer) => {
        if (answer.kind === 'unknown') return answer.kind;
        if (mustFail) throw new Error('a revoked key was admitted');
        if (answer.standing.creditsRemaining < 0) throw new Error('a balance below zero was shown');
        this.#model.admitted += 1;
        return `${answer.kind}, ${answer.standing.creditsRemaining} left`;
      },
      refused: () => undefined,
    });
  }

  #record(): void {
    this.#model.recorded += 1;
    const { caller } = this.#chance.pick(this.#customers);
    this.#process.ledger.record({ caller, endpoint: '/area', atMs: this.#wallMs, status: 404 });
  }

  /** By the service itself, as a page would. */
  #grant(): void {
    const { caller } = this.#chance.pick(this.#customers);
    const note = `g${this.#asked++}`;
    const credits = 1 + this.#chance.below(9);
    this.#model.ask(this.#model.grants, note, credits);
    this.#listen(
      `grant ${note}`,
      this.#process.accounts.grantCredits(caller.accountId, { credits, note, atMs: this.#wallMs }),
      {
        answered: ({ balance }) => {
          this.#model.reply(this.#model.grants, note, 'made');
          return `balance ${balance}`;
        },
        refused: (reply) => this.#model.reply(this.#model.grants, note, reply),
      },
    );
  }

  /** A change of people, with the line of the audit log that tells of it. */
  #rename(): void {
    const person = this.#chance.pick(['ada', 'bob']);
    const name = `n${this.#asked++}`;
    const atMs = this.#wallMs;
    let tries = 0;
    this.#model.ask(this.#model.renames, name, 0);
    const renamed = this.#process.database.transaction(async (sql) => {
      tries += 1;
      await sql.all(
        `INSERT INTO people (person_id, email, email_key, name, password_hash, standing, created_ms)
          VALUES (?, ?, ?, ?, 'hash', 'customer', ?) ON CONFLICT (person_id) DO UPDATE SET name = excluded.name`,
        [person, person, person, name, atMs],
      );
      await sql.all(
        "INSERT INTO people_audit (audit_id, at_ms, who, what, subject) VALUES (?, ?, ?, 'person.renamed', ?)",
        [`${name} ${tries}`, atMs, person, name],
      );
    });
    this.#listen(`rename ${name} of ${person}`, renamed, {
      answered: () => {
        this.#model.reply(this.#model.renames, name, 'made');
        return 'done';
      },
      refused: (reply) => this.#model.reply(this.#model.renames, name, reply),
    });
  }

  /** As a command of the operator, who asks the process that has the file. */
  #command(): void {
    const { caller } = this.#chance.pick(this.#customers);
    const { accounts } = this.#process;
    const atMs = this.#wallMs;
    const nothing = { answered: () => 'done', refused: () => undefined };
    if (this.#doomed?.revoked === 'no' && this.#chance.oneIn(3)) {
      const doomed = this.#doomed;
      const answered = () => {
        doomed.revoked = 'yes';
        return 'done';
      };
      const { keyId } = doomed.customer.caller;
      this.#listen('revoke', accounts.revokeKey(keyId, atMs), { ...nothing, answered });
      return;
    }
    const plan = this.#chance.pick(['basic', 'standard', 'trial'] as const);
    const terms = { allowance: this.#chance.below(50), limits: { minute: null } };
    const change = { plan, terms, atMs };
    this.#listen(`plan ${plan}`, accounts.changePlan(caller.accountId, change), nothing);
  }

  /** Answers that come after a crash of their process are heard by nobody. */
  #listen<T>(
    question: string,
    answer: Promise<T>,
    on: {
      readonly answered: (value: T) => string;
      readonly refused: (reply: 'refused' | 'unavailable') => void;
    },
  ): void {
    const { disk } = this.#process;
    this.#say(`${question}?`);
    answer.then(
      (value) => {
        if (disk.state === 'up') this.#try(() => this.#say(`${question}: ${on.answered(value)}`));
      },
      (error: unknown) => {
        if (disk.state === 'crashed') return;
        this.#try(() => {
          if (!(error instanceof LedgerRefusal || error instanceof LedgerUnavailable)) throw error;
          this.#say(`${question}: ${error.name}`);
          on.refused(error instanceof LedgerRefusal ? 'refused' : 'unavailable');
        });
      },
    );
  }

  #wrong: unknown;
  #try(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#wrong ??= error;
    }
  }

  #start(): Process {
    const disk = new SimulatedDisk(this.#platter, this.#nextFault);
    const pace = new SimulatedPace();
    const opened = this.#openOn(disk, pace);
    const ledger = new SqliteLedger(opened.store, pace, opened.tell);
    void opened.store.writer.settleDoubts();
    return { pace, disk, ledger, ...opened };
  }

  #openOn(
    disk: SimulatedDisk & Disk,
    pace: SimulatedPace,
  ): Pick<Process, 'store' | 'accounts' | 'database' | 'tell'> {
    const connection = new Connection(disk, disk.open());
    const doubts = new Doubts(this.#platter.notes);
    const tell: Tell = ({ message }) => {
      if (disk.state === 'up') this.#say(`told: ${message}`);
    };
    const store = new SqliteStore({
      connection,
      pace,
      doubts,
      patienceMs,
      tell,
      metrics: new Metrics(),
      ...unwatched(connection),
    });
    const sql = new StoreSql(store, pace);
    const accounts = new StoredAccounts(new SqliteStorage(store, sql, pace), this.#chance.bytes, tell);
    return { store, tell, accounts, database: new SqlitePortable(sql, tell) };
  }

  readonly #nextFault = (work: 'charges' | 'other work'): CommitFault | undefined => {
    if (this.#faults === 'off' || !this.#chance.oneIn(this.#faultEvery)) return undefined;
    const possible = commitFaults.filter((fault) => this.#on.has(fault));
    if (possible.length === 0) return undefined;
    const fault = this.#chance.pick(possible);
    this.#say(`commit: ${fault}`);
    if (fault !== 'failed' && work === 'other work') this.#model.hasDoubted = true;
    // A disk that fails a sync often fails for longer.
    if (this.#on.has('death') && this.#chance.oneIn(2)) this.#turnDeath();
    return fault;
  };

  async #restart(): Promise<void> {
    if (this.#platter.isLocked || this.#platter.state === 'dead') return;
    await this.#stop();
    if (this.#process.disk.state === 'crashed') return;
    this.#process.disk.crash();
    this.#say(`started again ${this.#platter.recover(this.#chance)}`);
    this.#process = this.#start();
    await this.#process.pace.endTurn();
  }

  async #stop(): Promise<void> {
    const { ledger, pace } = this.#process;
    const closing: { state: 'closing' | 'closed' | 'failed' } = { state: 'closing' };
    ledger.close().then(
      () => {
        closing.state = 'closed';
      },
      () => {
        closing.state = 'failed';
      },
    );
    for (let i = 0; i < 20 && closing.state === 'closing' && this.#process.disk.state === 'up'; i++) {
      await pace.advance(patienceMs);
    }
    this.#say(`stopped: ${closing.state}`);
    if (closing.state === 'failed') this.#model.hasCrashed = true; // its last counts were not written
  }

  async #crash(): Promise<void> {
    await this.#process.pace.endTurn();
    this.#process.disk.crash();
    this.#model.crash();
    this.#say(`crashed, and up again ${this.#platter.recover(this.#chance)}`);
    await this.#compare('under way');
    this.#process = this.#start();
    await this.#process.pace.endTurn();
  }

  async #compare(moment: 'under way' | 'settled'): Promise<void> {
    if (this.#wrong !== undefined) throw this.#wrong;
    if (this.#platter.isLocked) return;
    const db = this.#platter.open();
    try {
      this.#model.compare(db, moment);
      await this.#assertProved(db);
    } finally {
      db.close();
    }
  }

  /** What `domesday check` proves holds at every moment, whatever failed before: an alarm would be a false one. */
  async #assertProved(db: DatabaseSync): Promise<void> {
    const report = await verifyJournals(slicedSql(db, eventLoop), sqliteFile, this.#wallMs);
    assert.deepEqual(sayUnsound(report), []);
  }

  #say(line: string): void {
    this.trace.push(line);
    // Whoever waits for one another without end says so time and again.
    if (this.trace.length > linesMost) throw new Error(`it went on for more than ${linesMost} lines`);
  }
}

/** Runs have a few hundred. */
const linesMost = 3_000;

/** The trace; where the run went wrong, it is part of the error. */
export async function simulate(seed: number): Promise<string> {
  const run = new Run(seed);
  try {
    await run.play();
  } catch (error) {
    throw new Error(
      `seed ${seed} went wrong: ${error instanceof Error ? error.message : String(error)}\n${run.trace.join('\n')}`,
      { cause: error },
    );
  }
  return run.trace.join('\n');
}
