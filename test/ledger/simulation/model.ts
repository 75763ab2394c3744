// The referee: remembers what every caller was told and holds it against journal and people, read by SQL of its own. It knows
// no rule of the engine but these: told as charged stands once, told as refused does not, in doubt ends in nothing.

import assert from 'node:assert/strict';
import type { DatabaseSync } from 'node:sqlite';

/** What the callers of one charge id, of one grant, or of one change of people, were told. `none`: the process crashed before its answer. */
type Reply = 'made' | 'insufficient' | 'refused' | 'unavailable' | 'none';
type Asked = { readonly credits: number; readonly replies: Set<Reply>; waiting: number };

type Entry = {
  readonly account: number;
  readonly previous: number | null;
  readonly seq: number;
  readonly kind: number;
  readonly credits: number;
  readonly balance: number;
  readonly chargeId: string | null;
  readonly note: string | null;
};

const kinds = { grant: 0, charge: 2, reversal: 5 };

export class Model {
  readonly charges = new Map<string, Asked>();
  readonly grants = new Map<string, Asked>();
  /** By the new name. */
  readonly renames = new Map<string, Asked>();
  /** Uncharged calls that were counted, and admissions. */
  recorded = 0;
  admissionsAsked = 0;
  admitted = 0;
  hasCrashed = false;
  hasLeapt = false;
  /** A commit without charges reported a fault: of that nobody can tell whether it stands. */
  hasDoubted = false;

  ask(book: Map<string, Asked>, id: string, credits: number): void {
    const asked = book.get(id) ?? { credits, replies: new Set(), waiting: 0 };
    asked.waiting += 1;
    book.set(id, asked);
  }

  reply(book: Map<string, Asked>, id: string, reply: Reply): void {
    const asked = book.get(id);
    assert.ok(asked !== undefined && asked.waiting > 0, `${id}: an answer too many`);
    asked.waiting -= 1;
    asked.replies.add(reply);
  }

  /** Whoever still waits will never hear. */
  crash(): void {
    this.hasCrashed = true;
    for (const asked of [this.charges, this.grants, this.renames].flatMap((book) => [...book.values()])) {
      if (asked.waiting > 0) asked.replies.add('none');
      asked.waiting = 0;
    }
  }

  /** True at every moment. `settled`: every doubt must be settled too, and everybody answered. */
  compare(db: DatabaseSync, moment: 'under way' | 'settled'): void {
    const entries = readEntries(db);
    this.#compareBalances(db, entries);
    compareUsage(db, entries);
    const given = Map.groupBy(
      entries.filter(({ kind }) => kind === kinds.reversal),
      ({ chargeId }) => chargeId,
    );
    const made = Map.groupBy(
      entries.filter(({ kind }) => kind === kinds.charge),
      ({ chargeId }) => chargeId,
    );
    for (const [id, asked] of this.charges) {
      const times = made.get(id)?.length ?? 0;
      const reversals = given.get(`reversal of ${id}`)?.length ?? 0;
      assert.ok(times <= 1 && reversals <= times, `${id}: charged ${times}, given back ${reversals} times`);
      if (times === 1) assert.equal(made.get(id)?.[0]?.credits, -asked.credits, `${id}: what was taken`);
      compareOne(id, asked, times - reversals, moment);
    }
    for (const id of made.keys())
      assert.ok(id !== null && this.charges.has(id), `${id}: nobody asked for it`);
    for (const [id, asked] of this.grants) {
      const times = entries.filter(({ note, credits }) => note === id && credits === asked.credits).length;
      assert.ok(times <= 1, `${id}: granted ${times} times`);
      const mayStand = asked.replies.has('unavailable') && this.hasDoubted;
      if (!mayStand) compareOne(id, asked, times, moment);
    }
    this.#compareRenames(db, moment);
  }

  /** After a clean stop every count is in the file. */
  compareCounts(db: DatabaseSync): void {
    const { calls } = {
      ...db.prepare('SELECT coalesce(sum(calls), 0) AS calls FROM usage WHERE status = 404').get(),
    };
    const { counted } = {
      ...db.prepare('SELECT coalesce(sum(month_count), 0) AS counted FROM windows').get(),
    };
    const pairs = [{ written: calls, least: this.recorded, most: this.recorded }];
    if (!this.hasLeapt) pairs.push({ written: counted, least: this.admitted, most: this.admissionsAsked });
    for (const { written, least, most } of pairs) {
      if (!this.hasCrashed) assert.ok(Number(written) >= least, `counts lost: ${written} of ${least}`);
      if (!this.hasDoubted) assert.ok(Number(written) <= most, `counts twice: ${written} of ${most}`);
    }
  }

  #compareRenames(db: DatabaseSync, moment: 'under way' | 'settled'): void {
    const lines = db.prepare('SELECT subject FROM people_audit').all();
    for (const [name, asked] of this.renames) {
      const times = lines.filter(({ subject }) => subject === name).length;
      assert.ok(times <= 1, `${name}: renamed ${times} times`);
      const mayStand = asked.replies.has('unavailable') && this.hasDoubted;
      if (!mayStand) compareOne(name, asked, times, moment);
    }
    const apart = db.prepare(`SELECT person_id FROM people WHERE name IS NOT
      (SELECT subject FROM people_audit WHERE who = person_id ORDER BY rowid DESC LIMIT 1)`);
    assert.deepEqual(apart.all(), [], 'names that the last line of the audit log does not tell of');
  }

  #compareBalances(db: DatabaseSync, entries: readonly Entry[]): void {
    for (const row of db.prepare('SELECT number, balance, newest_entry FROM accounts').all()) {
      const own = entries.filter(({ account }) => account === row.number);
      let balance = 0;
      let newest: number | null = null;
      for (const entry of own) {
        assert.equal(entry.previous, newest, `entry ${entry.seq}: the one before it`);
        balance += entry.credits;
        newest = entry.seq;
        assert.equal(entry.balance, balance, `entry ${entry.seq}: the balance after it`);
        assert.ok(balance >= 0, `entry ${entry.seq}: a balance below zero`);
      }
      assert.deepEqual([row.balance, row.newest_entry], [balance, newest], `account ${row.number}`);
    }
  }
}

function compareOne(id: string, { replies, waiting }: Asked, net: number, moment: string): void {
  const told = `${id}: told ${[...replies].join(', ')}, stands ${net} times`;
  if (replies.has('made')) assert.equal(net, 1, told);
  if (moment === 'under way') return;
  assert.equal(waiting, 0, `${id}: never answered`);
  if (!replies.has('made') && !replies.has('none')) assert.equal(net, 0, told);
}

function compareUsage(db: DatabaseSync, entries: readonly Entry[]): void {
  const row = db
    .prepare(
      'SELECT coalesce(sum(calls), 0) AS calls, coalesce(sum(credits), 0) AS credits FROM usage WHERE status = 200',
    )
    .get();
  // What comes after that entry is added up later; what was given back is out of the usage at once.
  const counted = Number(db.prepare('SELECT counted_entry FROM identity').get()?.counted_entry);
  const charges = entries.filter(({ kind, seq }) => kind === kinds.charge && seq <= counted);
  const reversals = entries.filter(({ kind }) => kind === kinds.reversal);
  const credits = [...charges, ...reversals].reduce((sum, entry) => sum - entry.credits, 0);
  assert.deepEqual(
    { ...row },
    { calls: charges.length - reversals.length, credits },
    'usage of charged calls',
  );
}

function readEntries(db: DatabaseSync): readonly Entry[] {
  const rows = db.prepare(
    'SELECT seq, previous, account, kind, credits, balance_after, charge_id, note FROM journal ORDER BY seq',
  );
  return rows.all().map((row) => ({
    seq: Number(row.seq),
    previous: row.previous === null ? null : Number(row.previous),
    account: Number(row.account),
    kind: Number(row.kind),
    credits: Number(row.credits),
    balance: Number(row.balance_after),
    chargeId: row.charge_id === null ? null : String(row.charge_id),
    note: row.note === null ? null : String(row.note),
  }));
}
