// What the tests of moving, backup and restore share: a home beside an empty database, commands on either, and everything that
// a ledger has as values.

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Io } from '../../../src/cli/command.ts';
import { backup, restore } from '../../../src/cli/database/backup.ts';
import { move } from '../../../src/cli/database/move.ts';
import { ledger } from '../../../src/cli/ledger.ts';
import { people } from '../../../src/cli/people/people.ts';
import type { OpenLedger } from '../../../src/ledger/ledger.ts';
import { openLedger } from '../../../src/ledger/open.ts';
import { readText } from '../../../src/storage/rows.ts';
import type { Database } from '../../../src/storage/sql.ts';
import { peopleColumns } from '../../../src/storage/tables.ts';
import { dayMs } from '../../../src/time.ts';
import { type TestPostgres, testPostgres } from '../../postgres.ts';
import { type Customer, charging, customer, startMs } from '../bench.ts';

const commands = { backup, ledger, move, restore, people };

export class Pair {
  readonly server: TestPostgres;
  readonly database: string;
  readonly folder: string;
  readonly home: string;
  /** What the last command printed and told. */
  printed = '';
  told = '';
  readonly #opened: OpenLedger[] = [];
  nowMs = startMs + 200 * dayMs;

  private constructor(server: TestPostgres, database: string) {
    this.server = server;
    this.database = database;
    this.folder = mkdtempSync(path.join(tmpdir(), 'domesday-moving-'));
    this.home = mkdtempSync(path.join(this.folder, 'home-'));
  }

  static async make(): Promise<Pair> {
    const server = await testPostgres();
    return new Pair(server, await server.createDatabase());
  }

  get url(): string {
    return this.server.url(this.database);
  }

  get file(): string {
    return path.join(this.home, 'domesday.sqlite');
  }

  openFile(): Promise<OpenLedger> {
    return this.#keep(openLedger({ home: this.home, ifMissing: 'refuse' }));
  }

  openDatabase(): Promise<OpenLedger> {
    return this.#keep(openLedger({ home: this.home, databaseUrl: this.url, ifMissing: 'refuse' }));
  }

  async #keep(opening: Promise<OpenLedger>): Promise<OpenLedger> {
    const opened = await opening;
    this.#opened.push(opened);
    return opened;
  }

  /** A command with the home and, where it is named, the database in the environment. */
  async run(engine: 'file' | 'database', name: keyof typeof commands, ...args: string[]): Promise<string> {
    this.printed = '';
    this.told = '';
    const io: Io = {
      env: { DOMESDAY_HOME: this.home, ...(engine === 'database' && { DATABASE_URL: this.url }) },
      out: (text) => {
        this.printed += text;
      },
      err: (text) => {
        this.told += text;
      },
      isTerminal: false,
      asTyped: (text) => text,
      now: () => this.nowMs,
    };
    await commands[name].run(args, io);
    return this.printed;
  }

  moveIn = (): Promise<string> => this.run('database', 'move', this.home, 'DATABASE_URL');
  moveOut = (): Promise<string> => this.run('database', 'move', 'DATABASE_URL', this.home);

  /** How many services say in the database that they run. */
  async services(): Promise<number | null> {
    const { rowCount } = await this.server.ask(
      this.database,
      "SELECT FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock'",
    );
    return rowCount;
  }

  async closeAll(): Promise<void> {
    for (const { ledger } of this.#opened.splice(0)) await ledger.close();
  }

  async remove(): Promise<void> {
    await this.closeAll();
    rmSync(this.folder, { recursive: true });
    await this.server.dropDatabase(this.database);
  }
}

export async function withPair(work: (pair: Pair) => Promise<void>): Promise<void> {
  const pair = await Pair.make();
  try {
    await work(pair);
  } finally {
    await pair.remove();
  }
}

/** In the file of the home: one account, which has been charged one credit. */
export async function makeLedger({ home }: Pair): Promise<Customer> {
  const { ledger, accounts } = await openLedger({ home });
  const who = await customer(accounts, 'premium');
  await ledger.charge(charging(who.caller, 'c1'));
  await ledger.close();
  return who;
}

/** Every row of every table of a file, or of that in a backup, without what a move raises. */
export function contentsOf(place: string): Record<string, unknown> {
  const file = statSync(place).isDirectory() ? path.join(place, 'domesday.sqlite') : place;
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const tables = db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      .all()
      .map((row) => readText(row, 'name'));
    const contents = tables.map((table) => [
      table,
      db
        .prepare(`SELECT * FROM ${table}`)
        .all()
        .map(({ generation: _, pulse: __, backed_up_at: ___, ...row }) => JSON.stringify(row))
        .toSorted(),
    ]);
    return Object.fromEntries(contents);
  } finally {
    db.close();
  }
}

/** Two rows in each table of people, so that one that is left behind is missed. */
export async function fillPeople(database: Database): Promise<void> {
  for (const [table, columns] of Object.entries(peopleColumns)) {
    const names = Object.keys(columns);
    const places = names.map(() => '?').join(', ');
    for (const mark of ['ann', 'bob'])
      await database.all(
        `INSERT INTO ${table} (${names.join(', ')}) VALUES (${places})`,
        names.map((name, at) => (columns[name] === 'text' ? `${mark} ${table} ${name} é` : startMs + at)),
      );
  }
}
