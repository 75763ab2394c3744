// docs/self-hosting.md typed word for word: its chapters on one machine, backup and restore, and PostgreSQL. Commands are read out of the
// guide, in its order; test/guides/machine.ts has what stands in for systemd, a certificate or another machine. Whatever is
// restored or moved, the same person signs in with the same second factor, the same key works, and the same balance is there.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { makePackage } from '../../scripts/package.ts';
import { codeAt, fromBase32 } from '../../src/people/proof/totp.ts';
import { openWebServer } from '../depot/web-server.ts';
import { testPostgres } from '../postgres.ts';
import { curl, testWith } from '../requirements.ts';
import { startDomesday } from '../rig.ts';
import { putEverything } from '../update/editions.ts';
import { openPublishers } from '../update/publishers.ts';
import { Machine, type World } from './machine.ts';

const origin = 'https://data.example.com';
const email = 'ann@example.com';
const password = 'a quiet meadow at noon';

type Block = { readonly language: string; readonly text: string };
type Chapter = { readonly part: string; readonly title: string; readonly blocks: readonly Block[] };

/** Of the guide; what stands before the first chapter of a part has the title of the part. */
const chapters: readonly Chapter[] = (() => {
  const page = readFileSync(path.join(import.meta.dirname, '../../docs/self-hosting.md'), 'utf8');
  const found: { part: string; title: string; blocks: Block[] }[] = [];
  let part = '';
  for (const [, level, title = '', language, text = ''] of page.matchAll(
    /^(##+) (.*)$|^```(\w*)\n([\s\S]*?)^```$/gm,
  )) {
    if (language !== undefined) found.at(-1)?.blocks.push({ language, text });
    else {
      if (level === '##') part = title;
      found.push({ part, title, blocks: [] });
    }
  }
  return found;
})();

const typedParts = ['One machine', 'Backup and restore', 'Two replicas and PostgreSQL'];
const waiting = new Set(
  chapters.flatMap(({ part, title, blocks }) =>
    typedParts.includes(part)
      ? blocks.filter(({ language }) => language === 'sh').map((_, at) => `${title} ${at}`)
      : [],
  ),
);

/** A block of a chapter: one for each command, which ends with its line or with its here-document. */
function commands(title: string, at = 0): readonly string[] {
  const found = chapters
    .find((each) => each.title === title)
    ?.blocks.filter(({ language }) => language === 'sh');
  const { text } = found?.[at] ?? assert.fail(`the guide has no block ${at} in "${title}"`);
  waiting.delete(`${title} ${at}`);
  return [...text.matchAll(/^.*<<'(\w+)'\n[\s\S]*?^\1$|^.+$/gm)].map(([command]) => command);
}

/** The settings that a chapter tells to write. */
function toldSettings(title: string): Readonly<Record<string, string>> {
  const ini = chapters
    .find((each) => each.title === title)
    ?.blocks.find(({ language }) => language === 'ini');
  const lines = (ini?.text ?? assert.fail(title)).trim().split('\n');
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

const only = (text: string, pattern: RegExp): string =>
  pattern.exec(text)?.[0] ?? assert.fail(`${pattern} is not in ${text}`);

type Asked = { readonly cookie?: string; readonly body?: unknown };

async function page(url: string, place: string, { cookie = '', body }: Asked = {}) {
  const reply = await fetch(`${url}/portal/${place}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { cookie, origin, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  assert.equal(reply.status, 200, `${place}: ${text}`);
  const cookies = reply.headers.getSetCookie().map((each) => each.split(';')[0]);
  return { told: text === '' ? {} : JSON.parse(text), cookie: cookies.join('; ') };
}

/** Ann, her key and what is left of her credits. */
class Customer {
  accountId = '';
  key = '';
  #balance = 0;
  #secret: Uint8Array = new Uint8Array();
  /** A code of one step ahead of the clock is taken, and of one behind it. */
  #lastStep = 0;

  async join(url: string, invite: string): Promise<void> {
    await page(url, 'sign-up', { body: { email, password, invite } });
    const { cookie } = await page(url, 'sign-in', { body: { email, password } });
    const { told } = await page(url, 'totp/begin', { cookie, body: { password } });
    this.#secret = fromBase32(told.secret);
    // The one before, so that two more can follow within the same half a minute.
    this.#lastStep = this.#now() - 1;
    const code = codeAt(this.#secret, this.#lastStep);
    await page(url, 'totp/confirm', { cookie, body: { code } });
  }

  #now(): number {
    return Math.floor(Date.now() / 30_000);
  }

  #code(): string {
    // Not the one before, which is over when a password has taken its time.
    this.#lastStep = Math.max(this.#now(), this.#lastStep + 1);
    return codeAt(this.#secret, this.#lastStep);
  }

  async call(url: string): Promise<void> {
    this.#balance = await this.#left(url);
  }

  async #left(url: string): Promise<number> {
    const headers = { 'x-api-key': this.key };
    const reply = await fetch(`${url}/api/v1/bank-rates?limit=1`, { headers });
    const text = await reply.text();
    assert.equal(reply.status, 200, text);
    return JSON.parse(text).billing.creditsRemaining;
  }

  /** What a backup of now has. */
  keep(): { readonly balance: number; readonly lastStep: number } {
    return { balance: this.#balance, lastStep: this.#lastStep };
  }

  /** From here on the ledger is one that goes on from there. */
  goBack({ balance, lastStep }: ReturnType<Customer['keep']>): void {
    this.#balance = balance;
    this.#lastStep = lastStep;
  }

  /** The same person, second factor, key and balance. A ledger can be asked twice, however fast the commands are: a code is taken once. */
  async isThere(url: string): Promise<void> {
    const wish = { email, password };
    const first = await page(url, 'sign-in', { body: wish });
    assert.equal(first.told.next, 'second factor');
    const { told, cookie } = await page(url, 'sign-in', { body: { ...wish, code: this.#code() } });
    assert.equal(told.next, 'signed in');
    const { account } = (await page(url, `accounts/${this.accountId}`, { cookie })).told;
    assert.equal(account.balance, this.#balance);
    await this.pays(url);
  }

  /** The same key and balance. */
  async pays(url: string): Promise<void> {
    const left = await this.#left(url);
    assert.equal(left, this.#balance - 1);
    this.#balance = left;
  }
}

type Cast = World & { readonly customer: Customer; readonly open: () => Promise<Machine> };

async function openCast(context: TestContext): Promise<Cast> {
  const scratch = mkdtempSync(path.join(tmpdir(), 'domesday-guide-'));
  context.after(() => rmSync(scratch, { recursive: true, force: true, maxRetries: 10 }));
  const elsewhere = path.join(scratch, 'elsewhere');
  const depot = path.join(scratch, 'depot');
  for (const each of [elsewhere, depot]) mkdirSync(each);
  const publishers = await openPublishers(context);
  putEverything(publishers);
  const releases = await openWebServer(context, depot);
  const server = await testPostgres();
  const run = randomBytes(6).toString('hex');
  const nameOf = (database: string) => `typed_${database}_${run}`;
  context.after(() => Promise.all(['domesday', 'drill'].map((each) => drop(each))));
  const drop = async (database: string) => {
    await server.asAdmin(`DROP DATABASE IF EXISTS ${nameOf(database)} WITH (FORCE)`);
    return '';
  };
  const make = async (database: string) => {
    await server.asAdmin(`CREATE DATABASE ${nameOf(database)} ENCODING 'UTF8' TEMPLATE template0`);
    return '';
  };
  const customer = new Customer();
  const world: World = {
    program: await makePackage(path.join(scratch, 'package')),
    elsewhere,
    meanings: (machine) => [
      [/(?:127\.0\.0\.1|10\.0\.0\.11):8080/g, `127.0.0.1:${machine.port}`],
      [/https:\/\/\$NAME/g, `http://127.0.0.1:${machine.port}`],
      [/http:\/\/(?:127\.0\.0\.1|10\.0\.0\.10):8081/g, releases.url],
      [/\/srv\/domesday-releases/g, depot],
      // The server of the tests knows no password and has no certificate.
      [/postgresql:\/\/domesday:PASSWORD@10\.0\.0\.10\/domesday\?[^\s"]+/g, server.url(nameOf('domesday'))],
      [/postgresql:\/\/domesday:PASSWORD@10\.0\.0\.10\/drill\?[^\s"]+/g, server.url(nameOf('drill'))],
      [/acc_1aB2c3D4e5F6g7/g, customer.accountId || (/acc_\w+/.exec(machine.saidLast)?.[0] ?? '')],
      [/domesday-20270131T001507Z/g, readdirSync(elsewhere).toSorted().at(-1) ?? ''],
    ],
    standIns: {
      psql: (_, input) => (/^CREATE DATABASE domesday /m.test(input) ? make('domesday') : ''),
      createdb: (words) => make(words.at(-1) ?? ''),
      dropdb: (words) => drop(words.at(-1) ?? ''),
      pg_archivecleanup: (words) => {
        assert.match(words.at(-1) ?? '', /\.backup$/);
        return '';
      },
    },
  };
  const open = async () => {
    const machine = await Machine.open(context, world);
    // Besides what the guide says: ports of this run, and where the publishers are here.
    machine.settings['domesday.env'] = {
      PORT: String(machine.port),
      DOMESDAY_METRICS_PORT: '',
      DOMESDAY_UPDATE_FROM: publishers.from,
      DOMESDAY_SIGNUP: 'invited',
    };
    machine.settings['publish.env'] = {
      PUBLISH_TARGET: '/srv/domesday-releases',
      DOMESDAY_UPDATE_FROM: publishers.from,
    };
    return machine;
  };
  return { ...world, customer, open };
}

function write(machine: Machine, settings: Readonly<Record<string, string>>): void {
  machine.settings['domesday.env'] = { ...machine.settings['domesday.env'], ...settings };
}

const settingsFile = 'etc/domesday/domesday.env';

/** What cron runs when its hour comes. */
const cronLine = (machine: Machine, name: string): string =>
  machine
    .read(`etc/cron.d/${name}`)
    .trim()
    .replace(/^(?:\S+ ){5}\w+ /, '');

async function oneMachine({ customer }: Cast, machine: Machine): Promise<void> {
  await machine.type(commands('The program'));
  await machine.type(commands('The service'));
  const terms = await machine.type(commands('Data'));
  assert.match(terms, /price-paid-addresses/);
  write(machine, { DOMESDAY_ACCEPT_LICENCES: 'price-paid-addresses' });
  machine.edit(machine.folder(settingsFile));
  const ready = await machine.type(commands('Data', 1));
  assert.match(ready, /"status":"ready"/);
  await machine.type(commands('TLS'));
  assert.match(machine.saidLast, /"status":"ready"/);
  const said = await machine.type(commands('The first customer'));
  customer.accountId = only(said, /acc_\w+/);
  customer.key = only(said, /dd_live_\w+/);
  const invited = await machine.type(commands('The first customer', 1));
  const url = await machine.url();
  await customer.join(url, only(invited, /(?<=#)[\w-]{43}/));
  await customer.call(url);
}

async function backupAndRestore({ customer, open }: Cast, machine: Machine): Promise<void> {
  await machine.type(commands('Backup and restore'));
  const kept = customer.keep();
  await machine.type(commands('Backup and restore', 1));
  await machine.type([cronLine(machine, 'domesday-offsite')]);
  const drill = await machine.type(commands('Try it, each month'));
  assert.deepEqual(
    drill.match(/^\w+ +(?=(?:people|ledger|journals):)/gm),
    ['ok       ', 'ok       ', 'ok       '],
    drill,
  );
  assert.ok(drill.includes(customer.accountId), drill);
  // The backup lacks this one.
  await customer.call(await machine.url());
  const restored = await machine.type(commands('A real restore'));
  assert.match(restored, /The backup lacks 1 entry .* 1 credit\./);
  customer.goBack(kept);
  await customer.pays(await machine.url());
  const now = customer.keep();

  const other = await open();
  await other.type(commands('The program'));
  await other.type(commands('The service').slice(0, -3));
  await other.type(commands('A real restore', 1));
  customer.goBack(kept);
  await customer.isThere(await other.url());
  await other.stopService();
  customer.goBack(now);
}

async function publish(machine: Machine): Promise<string> {
  await machine.type(commands('The program'));
  await machine.type(commands('The service').slice(0, 2));
  const said = await machine.type(commands('The publisher'));
  await machine.type(commands('The publisher', 1));
  await machine.type(commands('The publisher', 2));
  return only(said, /(?<=DOMESDAY_RELEASE_PUBLIC_KEY=)\S+/);
}

async function replicas({ customer, open }: Cast, machine: Machine): Promise<void> {
  await machine.type(commands('The database'));
  const told = toldSettings('The replicas');
  write(machine, { DATABASE_URL: told.DATABASE_URL ?? assert.fail() });
  machine.edit(machine.folder(settingsFile));
  const moved = await machine.type(commands('The ledger moves'));
  assert.match(moved, /The copy was checked/);
  await customer.pays(await machine.url());

  const publicKey = await publish(await open());
  const replica = await open();
  write(replica, {
    ...told,
    HOST: '127.0.0.1',
    DOMESDAY_RELEASE_PUBLIC_KEY: publicKey,
    DOMESDAY_UPDATE: 'off',
  });
  await replica.type(commands('The program'));
  await replica.type(commands('The service'));
  await replica.type(commands('The replicas'));
  await customer.isThere(await replica.url());
  await replica.stopService();
}

async function backupOfDatabase({ customer }: Cast, machine: Machine): Promise<void> {
  await machine.type(commands('Backup and restore with PostgreSQL'));
  await machine.type([cronLine(machine, 'domesday-base')]);
  await machine.type(commands('Backup and restore with PostgreSQL', 1));
  await machine.type(commands('Backup and restore with PostgreSQL', 2));
  await machine.type(['systemctl start domesday-backup.service']);
  const drill = commands('The drill with PostgreSQL');
  const said = await machine.type(drill.slice(0, -1));
  assert.ok(said.includes(customer.accountId), said);
  const [, databaseUrl = ''] = /"DATABASE_URL=([^"]+)"/.exec(drill.join('\n')) ?? [];
  await machine.stopService();
  const looked = await startDomesday(machine.folder('var/lib/domesday'), {
    DATABASE_URL: machine.meantBy(databaseUrl),
    DOMESDAY_PUBLIC_URL: origin,
  });
  await customer.isThere(looked.url);
  await looked.stop();
  await machine.type(drill.slice(-1));
}

testWith(
  curl,
  'every command of the guide on one machine, backup, restore, PostgreSQL and replicas can be typed as it stands, and what is restored elsewhere has the same person, second factor, key and balance',
  async (_, context) => {
    const cast = await openCast(context);
    const machine = await cast.open();
    await oneMachine(cast, machine);
    await backupAndRestore(cast, machine);
    await replicas(cast, machine);
    await backupOfDatabase(cast, machine);
    assert.deepEqual([...waiting], [], 'blocks of the guide that nobody typed');
  },
);
