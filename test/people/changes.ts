// Changes of people that are made without pause while a fault is brought about: who makes them, what was told of each, and what of it is
// not there afterwards.

import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { openLedger } from '../../src/ledger/open.ts';
import type { People, Role, Visitor } from '../../src/people/people.ts';
import { Passwords } from '../../src/people/proof/passwords.ts';
import { type Row, readText, readTextOrNull } from '../../src/storage/rows.ts';
import type { Database } from '../../src/storage/sql.ts';

const whats = ['sign-up', 'name', 'role', 'password'] as const;

/** Of a sign-up, `value` is the password; whoever signs up was invited as `firstRole`. */
export type Change = {
  readonly email: string;
  readonly what: (typeof whats)[number];
  readonly value: string;
};

/** Rejects where the change was refused, or nobody answered. */
export type MakeChange = (change: Change) => Promise<void>;

export const firstRole: Role = 'developer';
const otherRoles = ['billing', 'reader'] as const satisfies readonly Role[];
const changesOfPerson = 10;

/** The place of a change among those of its person; a hash is dear, so that most are none. */
function changeAt(email: string, place: number): Change {
  const [what, value] =
    place === 0
      ? (['sign-up', `first meadow of ${email}`] as const)
      : place === 5
        ? (['password', `second meadow of ${email}`] as const)
        : place % 2 === 1
          ? (['name', `name ${place}`] as const)
          : (['role', otherRoles[(place / 2) % 2] ?? firstRole] as const);
  return { email, what, value };
}

type Changing = {
  readonly make: MakeChange;
  /** Distinguishes people of this loop from all others. */
  readonly name: string;
  readonly goesOn: () => boolean;
  readonly hear: (told: 'asked' | 'acknowledged' | 'refused', change: Change) => void;
};

/** One change after another. Whoever one was refused for is left alone: it may still be done. */
export async function changePeople({ make, name, goesOn, hear }: Changing): Promise<void> {
  for (let person = 0; goesOn(); person += 1) {
    const email = `${name}-${person}@example.com`;
    let isRefused = false;
    for (let place = 0; place < changesOfPerson && !isRefused && goesOn(); place += 1) {
      const change = changeAt(email, place);
      hear('asked', change);
      try {
        await make(change);
        hear('acknowledged', change);
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
        hear('refused', change);
        isRefused = true;
        await pause(5);
      }
    }
  }
}

/** Hashing takes as good as nothing. */
export const cheapHashes = { memory: 8, passes: 1, parallelism: 1 };

const visitorFrom = (host: string): Visitor => ({
  address: '203.0.113.7',
  host,
  userAgent: 'tests',
  deviceToken: undefined,
});

function assertDone(outcome: { readonly kind: string }): void {
  assert.equal(outcome.kind, 'done', JSON.stringify(outcome));
}

/** Over the database itself. Each joins another account: one sends few invitations a day. */
export function changesOver(people: People): MakeChange {
  const passwords = new Map<string, string>();
  return async ({ email, what, value }) => {
    const by = visitorFrom(email);
    const accountId = `account of ${email}`;
    if (what === 'sign-up') {
      const account = { accountId, name: 'Acme', role: firstRole };
      assertDone(await people.members.invite({ kind: 'command' }, { email, account }));
      const [link] = await people.mail.links(email);
      const invite = link?.link?.split('#')[1] ?? '';
      assertDone(await people.joining.signUp({ email, password: value, invite }, by));
      passwords.set(email, value);
      return;
    }
    const { personId } = (await people.persons.findByEmail(email)) ?? assert.fail(`${email} is nobody`);
    if (what === 'name')
      assertDone(
        await people.persons.rename({ kind: 'person', personId, address: by.address }, personId, value),
      );
    else if (what === 'role')
      assertDone(await people.members.changeRole({ kind: 'command' }, accountId, personId, readRole(value)));
    else {
      const current = passwords.get(email) ?? '';
      assertDone(await people.persons.changePassword(personId, { current, next: value }, by));
    }
  };
}

const readRole = (value: string): Role => otherRoles.find((role) => role === value) ?? firstRole;

/** What can be read of somebody without signing in. */
type Found = Readonly<Record<'name' | 'role', string | null>>;

export type FoundPeople = ReadonlyMap<string, Found>;

export const selectFound = `SELECT p.email, p.name, m.role FROM people p
  LEFT JOIN people_members m ON m.person_id = p.person_id`;

export const readFound = (rows: readonly Row[]): FoundPeople =>
  new Map(
    rows.map((row) => [
      readText(row, 'email'),
      { name: readTextOrNull(row, 'name'), role: readTextOrNull(row, 'role') },
    ]),
  );

/** What was told of one thing of somebody: it is what was acknowledged last, or what nobody answered. */
type Told = { acknowledged?: string; asked?: string };

export class ToldChanges {
  acknowledged = 0;
  refused = 0;
  readonly #people = new Map<string, Partial<Record<Change['what'], Told>>>();

  hear(what: 'asked' | 'acknowledged' | 'refused', change: Change): void {
    const person = this.#people.get(change.email) ?? {};
    this.#people.set(change.email, person);
    const of = person[change.what] ?? {};
    person[change.what] = of;
    if (what === 'refused') this.refused += 1;
    else if (what === 'asked') of.asked = change.value;
    else {
      of.acknowledged = change.value;
      this.acknowledged += 1;
    }
  }

  /** Acknowledged changes that are not there; passwords aside, which nobody can read. */
  missingIn(found: FoundPeople): readonly string[] {
    return [...this.#people].flatMap(([email, { 'sign-up': signUp, name, role }]) => {
      if (signUp?.acknowledged === undefined) return [];
      const person = found.get(email);
      if (person === undefined) return [`the sign-up of ${email}`];
      const wrong = [
        ...(isOneOf(person.name, name, null) ? [] : [`the name of ${email}: ${person.name}`]),
        ...(isOneOf(person.role, role, firstRole) ? [] : [`the role of ${email}: ${person.role}`]),
      ];
      return wrong;
    });
  }

  /** The same, and the password of each is the one that was acknowledged last. Nothing is written. */
  async missing(database: Database): Promise<readonly string[]> {
    const lost = [...this.missingIn(readFound(await database.all(selectFound)))];
    const rows = await database.all('SELECT email, password_hash FROM people');
    const hashes = new Map(rows.map((row) => [readText(row, 'email'), readText(row, 'password_hash')]));
    const passwords = new Passwords(cheapHashes);
    for (const [email, { 'sign-up': signUp, password }] of this.#people) {
      if (signUp?.acknowledged === undefined) continue;
      const mayBe = [password?.acknowledged ?? signUp.acknowledged, password?.asked];
      const outcomes = mayBe.flatMap((each) =>
        each === undefined ? [] : passwords.verify(each, hashes.get(email) ?? null),
      );
      if (!(await Promise.all(outcomes)).includes('right')) lost.push(`the password of ${email}`);
    }
    return lost;
  }

  /** In the home, which nobody uses, or in the database. */
  async assertThere(home: string, databaseUrl?: string): Promise<void> {
    const { ledger, database } = await openLedger({ home, databaseUrl, ifMissing: 'refuse' });
    try {
      const lost = await this.missing(database);
      assert.deepEqual(
        lost,
        [],
        `${lost.length} of ${this.acknowledged} acknowledged changes of people are lost`,
      );
    } finally {
      await ledger.close();
    }
  }
}

const isOneOf = (found: string | null, { acknowledged, asked }: Told = {}, first: string | null): boolean =>
  found === (acknowledged ?? first) || (asked !== undefined && found === asked);
