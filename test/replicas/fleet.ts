// Several services on one PostgreSQL behind HAProxy with the configuration of deploy/, each a process with a home of its
// own, the last of them through PgBouncer.

import assert from 'node:assert/strict';
import { Agent } from 'node:https';
import { connect } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { type Ending, type RunningProxy, startHaproxy } from '../deploy/proxies.ts';
import { freePort, OwnPostgres } from '../postgres.ts';
import { bundledHome, command, type Running, runDomesdayProcess, startDomesday } from '../rig.ts';
import { startPooler } from './pooler.ts';

export type FleetTools = { readonly proxy: string; readonly openssl: string; readonly pooler: string };

export type Customer = { readonly accountId: string; readonly keyId: string; readonly key: string };

export const question = '/api/v1/bank-rates?limit=1';
const batchOfOne = JSON.stringify({ calls: [{ path: '/bank-rates', params: { limit: 1 } }] });

const startsMost = 60;
const restartMs = 500;

/** One service, which keeps its home and its port over restarts. */
export class Replica {
  readonly home: string;
  readonly address: string;
  readonly #env: Record<string, string>;
  /** What its next start runs. */
  program: string;
  #running: Running | undefined;
  #start: Promise<void> = Promise.resolve();

  constructor(home: string, port: number, program: string, env: Record<string, string>) {
    this.home = home;
    this.address = `127.0.0.1:${port}`;
    this.program = program;
    this.#env = { ...env, PORT: String(port) };
  }

  get running(): Running {
    assert.ok(this.#running, 'the replica was not started');
    return this.#running;
  }

  start(): Promise<void> {
    this.#start = this.#startOften(1);
    return this.#start;
  }

  /** As whatever runs a service does: a start that fails, as while the database is away, is made again. */
  supervise(): Promise<void> {
    this.#start = this.#startOften(startsMost);
    return this.#start;
  }

  /** Resolves when a start that is under way has ended. */
  get started(): Promise<void> {
    return this.#start;
  }

  async #startOften(most: number): Promise<void> {
    for (let starts = 1; ; starts += 1) {
      try {
        this.#running = await startDomesday(this.home, this.#env, this.program);
        return;
      } catch (error) {
        if (starts === most) throw error;
        await pause(restartMs);
      }
    }
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    const { code } = await this.running.stop(signal);
    return code;
  }

  /** Without the proxy. */
  ask(key: string): Promise<Response> {
    return fetch(`http://${this.address}${question}`, { headers: { 'x-api-key': key } });
  }
}

export class Fleet implements AsyncDisposable {
  readonly server: OwnPostgres;
  readonly database: string;
  readonly replicas: readonly Replica[];
  readonly proxy: RunningProxy;
  /** Connections of callers to the proxy, kept from call to call. */
  readonly agent: Agent;
  /** What commands run. */
  program: string;
  readonly #open: AsyncDisposableStack;

  private constructor(
    parts: Pick<Fleet, 'server' | 'database' | 'replicas' | 'proxy' | 'agent' | 'program'>,
    open: AsyncDisposableStack,
  ) {
    this.server = parts.server;
    this.database = parts.database;
    this.replicas = parts.replicas;
    this.proxy = parts.proxy;
    this.agent = parts.agent;
    this.program = parts.program;
    this.#open = open;
  }

  static async open(
    tools: FleetTools,
    count: number,
    env: Record<string, string> = {},
    program = command,
  ): Promise<Fleet> {
    await using open = new AsyncDisposableStack();
    const context: Ending = { after: (end) => open.defer(async () => end()) };
    const server = await OwnPostgres.make();
    open.defer(() => server.remove());
    const database = await server.createDatabase();
    const pooled = server.url(database, await startPooler(context, tools.pooler, server));
    const replicas: Replica[] = [];
    for (let number = 1; number <= count; number += 1) {
      const { home, remove } = await bundledHome();
      open.defer(remove);
      const replica = new Replica(home, await freePort(), program, {
        DOMESDAY_LOG: 'warn',
        DOMESDAY_TRUST_PROXY: '1',
        DOMESDAY_DEMO_ACCOUNT: 'off',
        DOMESDAY_SAMPLE: 'serve',
        DATABASE_URL: number === count ? pooled : server.url(database),
        ...env,
      });
      await replica.start();
      open.defer(async () => {
        await Promise.allSettled([replica.started]);
        await replica.stop('SIGKILL');
      });
      replicas.push(replica);
    }
    const addresses = replicas.map(({ address }) => address);
    const proxy = await startHaproxy(context, tools, addresses);
    const agent = new Agent({ keepAlive: true });
    open.defer(() => agent.destroy());
    return new Fleet({ server, database, replicas, proxy, agent, program }, open.move());
  }

  get databaseUrl(): string {
    return this.server.url(this.database);
  }

  /** A command on another machine, which has the database's address alone. */
  async run(...args: readonly string[]): Promise<string> {
    const { home } = this.replicas[0] ?? assert.fail('a fleet has a replica');
    const env = { DATABASE_URL: this.databaseUrl, DOMESDAY_HOME: home };
    const { code, out, err } = await runDomesdayProcess(args, env, this.program);
    assert.equal(code, 0, `domesday ${args.join(' ')}: ${out}${err}`);
    return out;
  }

  /** On the enterprise plan, with these options. */
  async customer(...options: readonly string[]): Promise<Customer> {
    const create = ['accounts', 'create', '--name', 'customer', '--plan', 'enterprise', ...options];
    const { accountId } = JSON.parse(await this.run(...create, '--json'));
    return {
      accountId,
      ...JSON.parse(await this.run('keys', 'create', '--account', accountId, '--json')),
    };
  }

  ask(key: string, headers: Readonly<Record<string, string>> = {}): ReturnType<RunningProxy['ask']> {
    return this.proxy.ask(question, { headers: { 'x-api-key': key, ...headers }, agent: this.agent });
  }

  askBatch(key: string, headers: Readonly<Record<string, string>>): ReturnType<RunningProxy['ask']> {
    return this.proxy.ask('/api/v1/batch', {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
      body: batchOfOne,
      agent: this.agent,
    });
  }

  /** Resolves once the proxy sends calls to every replica. */
  async allUp(): Promise<void> {
    while ((await this.#proxyTells()).filter(({ status }) => status === 'UP').length < this.replicas.length)
      await pause(50);
  }

  /** How many calls the proxy has sent to each replica. */
  async callsToEach(): Promise<readonly number[]> {
    return (await this.#proxyTells()).map(({ stot }) => Number(stot));
  }

  /** What the proxy has on each replica, by its own names. */
  async #proxyTells(): Promise<readonly Readonly<Record<string, string>>[]> {
    const socket = connect(path.join(this.proxy.folder, 'admin.sock'));
    socket.end('show stat\n');
    const [head = '', ...lines] = (await text(socket)).split('\n');
    const names = head.replace(/^# /, '').split(',');
    return lines
      .map((line) => Object.fromEntries(line.split(',').map((value, column) => [names[column], value])))
      .filter(({ pxname, svname }) => pxname === 'replicas' && svname?.startsWith('replica-'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#open.disposeAsync();
  }
}
