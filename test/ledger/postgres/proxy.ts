// Stands between a ledger and its database and loses what it is told to lose, at the one moment that matters.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { LedgerNotice, OpenLedger } from '../../../src/ledger/ledger.ts';
import { openLedger } from '../../../src/ledger/open.ts';
import { Metrics } from '../../../src/metrics/metrics.ts';
import { freshStorage, type PostgresStorage } from './bench.ts';

/** What becomes of the next charges on their way:
 *  `pass`, `before`: cut before they reach the server, `after`: cut when the server has answered,
 *  `during`: handed to the server and cut at once, `held`: cut, and handed to the server when it is released,
 *  `waits`: carried when it is released, as if nothing had been. */
export type Fate = 'pass' | 'before' | 'after' | 'during' | 'held' | 'waits';

export class LossyProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #held: { readonly server: Socket; readonly chunk: Buffer }[] = [];
  readonly #waiting = Promise.withResolvers<() => void>();
  /** Of the charges to come, in their order; then all pass. */
  fates: Fate[] = [];
  /** What a charge is known by; a test of other statements sets another. */
  sign = 'domesday.charge_1';

  private constructor(target: number) {
    this.#server = createServer((client) => this.#carry(client, connect(target, '127.0.0.1')));
  }

  static async open(target: number): Promise<LossyProxy> {
    const proxy = new LossyProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    assert.ok(typeof address === 'object' && address !== null);
    return address.port;
  }

  /** What was held goes to the server now. Resolves when the server has dealt with it. */
  async release(): Promise<void> {
    await Promise.all(
      this.#held.splice(0).map(async ({ server, chunk }) => {
        server.end(chunk);
        await once(server, 'close');
      }),
    );
  }

  /** Until something waits. Tells how it goes on. */
  untilWaiting(): Promise<() => void> {
    return this.#waiting.promise;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #carry(client: Socket, server: Socket): void {
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.#sockets.delete(socket));
    }
    let answer: 'carried' | 'lost' = 'carried';
    /** A statement that has a name is sent with its text the first time alone. */
    const first = new Map<string, Buffer>();
    client.on('data', (chunk: Buffer) => {
      const name = /domesday_[0-9a-f]{16}/.exec(chunk.toString('latin1'))?.[0] ?? '';
      if (name !== '' && !first.has(name)) first.set(name, chunk);
      const says = first.get(name) ?? chunk;
      const fate = says.includes(this.sign) ? (this.fates.shift() ?? 'pass') : 'pass';
      if (fate === 'waits') {
        client.pause();
        this.#waiting.resolve(() => {
          server.write(chunk);
          client.resume();
        });
        return;
      }
      if (fate === 'before') server.destroy();
      if (fate === 'held') this.#held.push({ server, chunk });
      if (fate === 'before' || fate === 'held') client.destroy();
      else server.write(chunk);
      if (fate === 'after') answer = 'lost';
      if (fate === 'during') {
        client.destroy();
        server.end();
      }
    });
    server.on('data', (chunk) => {
      if (answer === 'carried') client.write(chunk);
      else client.destroy();
    });
    client.on('close', () => {
      if (!this.#held.some((each) => each.server === server)) server.end();
    });
    server.on('close', () => client.destroy());
  }
}

type Broken = PostgresStorage & {
  readonly proxy: LossyProxy;
  readonly told: LedgerNotice[];
  readonly inDoubt: () => Promise<number | undefined>;
  /** Through the proxy. */
  readonly openThrough: (patienceMs: number) => Promise<OpenLedger>;
};

/** A ledger behind a proxy. */
export async function withProxy(work: (broken: Broken) => Promise<void>): Promise<void> {
  const storage = await freshStorage();
  const { server, database, home } = storage;
  const proxy = await LossyProxy.open(server.port);
  const told: LedgerNotice[] = [];
  const opened: OpenLedger[] = [];
  const metrics = new Metrics();
  const inDoubt = async () =>
    (await metrics.snapshot()).numbers.get('domesday_ledger_doubtful_charges')?.get('');
  const openThrough = async (patienceMs: number) => {
    const databaseUrl = server.url(database, proxy.port);
    const tell = (notice: LedgerNotice) => told.push(notice);
    const open = await openLedger({ home, databaseUrl, patienceMs, metrics, tell });
    opened.push(open);
    return open;
  };
  try {
    await work({ ...storage, proxy, told, inDoubt, openThrough });
  } finally {
    for (const { ledger } of opened) await ledger.close();
    await proxy.close();
    await storage.remove();
  }
}
