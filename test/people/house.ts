// People over a real database of either engine, with a clock of their own and cheap hashes, for the tests of this folder.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { LedgerNotice } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { openPeople, type PeopleWish } from '../../src/people/open.ts';
import type { Actor, NewSession, PendingLink, People, Refusal, Visitor } from '../../src/people/people.ts';
import type { Database } from '../../src/storage/sql.ts';
import { type TestPostgres, testPostgres } from '../postgres.ts';

/** Hashing takes as good as nothing. */
export const cheap = { memory: 8, passes: 1, parallelism: 1 };

export const password = 'violet harbour lantern 9';

export type Engine = {
  readonly name: 'SQLite' | 'PostgreSQL';
  /** Empty ones, and how to remove them. */
  readonly open: () => Promise<{ readonly database: Database; readonly remove: () => Promise<void> }>;
};

export const sqlite: Engine = {
  name: 'SQLite',
  open: async () => {
    const home = mkdtempSync(path.join(tmpdir(), 'domesday-people-'));
    const { ledger, database } = await openLedger({ home });
    return {
      database,
      remove: async () => {
        await ledger.close();
        rmSync(home, { recursive: true });
      },
    };
  },
};

let template: Promise<string> | undefined;

/** With tables that are empty: making them takes longer than most tests. */
async function emptyDatabase(server: TestPostgres): Promise<string> {
  const name = await server.createDatabase();
  const { ledger } = await openLedger({ home: '/nowhere', databaseUrl: server.url(name) });
  await ledger.close();
  return name;
}

export const postgres: Engine = {
  name: 'PostgreSQL',
  open: async () => {
    const server = await testPostgres();
    template ??= emptyDatabase(server);
    const name = await server.createDatabase(await template);
    const { ledger, database } = await openLedger({ home: '/nowhere', databaseUrl: server.url(name) });
    return {
      database,
      remove: async () => {
        await ledger.close();
        await server.dropDatabase(name);
      },
    };
  },
};

type Wish = Partial<PeopleWish> & {
  readonly engine?: Engine;
  readonly around?: (database: Database) => Database;
};

export class House {
  nowMs = Date.UTC(2027, 0, 4, 9);
  readonly told: LedgerNotice[] = [];
  readonly database: Database;
  readonly people: People;
  readonly #wish: Wish;
  readonly #remove: () => Promise<void>;
  readonly #replicas: People[] = [];

  private constructor(database: Database, remove: () => Promise<void>, wish: Wish) {
    this.database = database;
    this.#remove = remove;
    this.#wish = wish;
    this.people = this.replica();
  }

  static async open(wish: Wish = {}): Promise<House> {
    const { database, remove } = await (wish.engine ?? sqlite).open();
    return new House(wish.around?.(database) ?? database, remove, wish);
  }

  /** Another process over the same database. */
  replica(over: Partial<PeopleWish> = {}): People {
    const { engine: _, around: __, ...wish } = this.#wish;
    const people = openPeople({
      database: this.database,
      signUp: 'open',
      publicUrl: 'https://data.example.com',
      smtpUrl: undefined,
      mailFrom: undefined,
      now: () => this.nowMs,
      tell: (notice) => this.told.push(notice),
      passwordCost: cheap,
      ...wish,
      ...over,
    });
    this.#replicas.push(people);
    return people;
  }

  async close(): Promise<void> {
    for (const people of this.#replicas) await people.close();
    await this.#remove();
  }

  async links(email: string, purpose: PendingLink['purpose']): Promise<readonly string[]> {
    const links = await this.people.mail.links(email);
    return links.filter((each) => each.purpose === purpose).map(({ link }) => link ?? '');
  }

  /** What the newest link for the address carries. */
  async token(email: string, purpose: PendingLink['purpose']): Promise<string> {
    const [link = ''] = await this.links(email, purpose);
    assert.match(link, /^https:\/\/data\.example\.com\/account\/\w+#[\w-]{43}$/);
    return link.slice(link.indexOf('#') + 1);
  }

  /** Signs up and confirms. Gives the id of the person. */
  async join(email: string, chosen = password): Promise<string> {
    this.nowMs += 1;
    told(await this.people.joining.signUp({ email }, visitor({ host: `host of ${email}` })));
    told(
      await this.people.joining.confirm(
        { token: await this.token(email, 'confirm'), password: chosen },
        visitor(),
      ),
    );
    const person = await this.people.persons.findByEmail(email);
    assert.ok(person !== undefined);
    return person.personId;
  }

  async signIn(
    email: string,
    over: { readonly password?: string; readonly code?: string; readonly visitor?: Visitor } = {},
  ): Promise<NewSession> {
    const wish = { email, password: over.password ?? password, code: over.code };
    const outcome = await this.people.signingIn.signIn(wish, over.visitor ?? visitor());
    assert.equal(outcome.kind, 'signed in', JSON.stringify(outcome));
    assert.ok(outcome.kind === 'signed in');
    return outcome.session;
  }

  async isSignedIn(token: string): Promise<boolean> {
    return (await this.people.sessions.find(token, visitor())) !== undefined;
  }

  /** Every row of every table, as text. */
  async dump(): Promise<string> {
    const tables = ['people', ...peopleTables.map((name) => `people_${name}`)];
    const rows = await Promise.all(tables.map((table) => this.database.all(`SELECT * FROM ${table}`)));
    return JSON.stringify(rows);
  }
}

const peopleTables = [
  'recovery_codes',
  'sessions',
  'devices',
  'asks',
  'ask_tokens',
  'throttle',
  'members',
  'trials',
  'audit',
  'plan_requests',
  'page_keys',
  'watching',
];

export function visitor(over: Partial<Visitor> = {}): Visitor {
  const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
  return { address: '203.0.113.7', host: '203.0.113.7', userAgent, deviceToken: undefined, ...over };
}

export const as = (personId: string): Extract<Actor, { kind: 'person' }> => ({
  kind: 'person',
  personId,
  address: '203.0.113.7',
});

const isRefusal = (outcome: { readonly kind: string }): outcome is Refusal => outcome.kind === 'refused';

/** Fails where it was refused. */
export function told<T extends { readonly kind: string }>(outcome: T | Refusal): T {
  if (isRefusal(outcome)) assert.fail(JSON.stringify(outcome));
  return outcome;
}

/** The code of a refusal. */
export function refusedAs(outcome: { readonly kind: string } | Refusal): string {
  if (!isRefusal(outcome)) assert.fail(JSON.stringify(outcome));
  assert.match(outcome.message, /^[A-Z].*\.$/);
  return outcome.code;
}
