// Requests that arrive when they arrive, whether earlier ones are answered or not. A reply's time counts from the moment
// at which its request was due, so that waiting behind slow ones counts too (no coordinated omission).

import { connect, type Socket } from 'node:net';
import { replyBytes, requestBytes } from './load.ts';

export type Arrivals = {
  readonly url: string;
  /** Path and query of each request, in turn. */
  readonly paths: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly perSecond: number;
  readonly requests: number;
  /** `asleep`: the generator leaves the processor to others until a request is due, a millisecond late at most where it gets
   *  one at once. Otherwise it never sleeps. */
  readonly between?: 'asleep';
};

export type ArrivalTimes = {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
  /** All of them, in order of size. */
  readonly timesMs: readonly number[];
};

/** A connection is opened when none is free. */
const mostConnections = 512;

export async function runOpenLoop(arrivals: Arrivals): Promise<ArrivalTimes> {
  const { url, paths, headers, perSecond, requests, between } = arrivals;
  const { hostname, port } = new URL(url);
  const wanted = paths.map((path) => requestBytes(`${url}${path}`, headers));
  const free: Client[] = [];
  const late: number[] = [];
  const times: number[] = [];
  const startMs = performance.now() + 100;
  const gapMs = 1000 / perSecond;
  const dueMs = (index: number) => startMs + index * gapMs;
  let opened = 0;
  const { promise, resolve, reject } = Promise.withResolvers<void>();

  const release = (client: Client) => {
    const index = late.shift();
    if (index !== undefined) client.send(index);
    else free.push(client);
    if (times.length === requests) resolve();
  };
  const open = () => {
    opened += 1;
    return new Client(connect(Number(port), hostname), {
      bytesOf: (index) => wanted[index % wanted.length] ?? Buffer.alloc(0),
      onReply: (client, index) => {
        times.push(performance.now() - dueMs(index));
        release(client);
      },
      onError: reject,
    });
  };
  let next = 0;
  const step = () => {
    for (; next < requests && performance.now() >= dueMs(next); next++) {
      const client = free.pop() ?? (opened < mostConnections ? open() : undefined);
      if (client === undefined) late.push(next);
      else client.send(next);
    }
    if (next >= requests) return;
    if (between === 'asleep') setTimeout(step, Math.max(0, dueMs(next) - performance.now()));
    else setImmediate(step);
  };
  step();
  await promise;
  for (const client of free) client.close();
  return summarise(times);
}

export function summarise(times: readonly number[]): ArrivalTimes {
  const timesMs = times.toSorted((a, b) => a - b);
  const at = (share: number) =>
    timesMs[Math.min(timesMs.length - 1, Math.floor(timesMs.length * share))] ?? Number.NaN;
  return { p50Ms: at(0.5), p99Ms: at(0.99), p999Ms: at(0.999), maxMs: at(1), timesMs };
}

type Hooks = {
  readonly bytesOf: (index: number) => Buffer;
  readonly onReply: (client: Client, index: number) => void;
  readonly onError: (error: Error) => void;
};

class Client {
  readonly #socket: Socket;
  readonly #hooks: Hooks;
  #index = 0;
  #pending: Buffer<ArrayBufferLike>[] = [];
  #received = 0;
  #expected: number | undefined;

  constructor(socket: Socket, hooks: Hooks) {
    this.#socket = socket;
    this.#hooks = hooks;
    socket.setNoDelay(true);
    socket.on('error', hooks.onError);
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
  }

  send(index: number): void {
    this.#index = index;
    this.#socket.write(this.#hooks.bytesOf(index));
  }

  #take(chunk: Buffer): void {
    this.#pending.push(chunk);
    this.#received += chunk.length;
    this.#expected ??= replyBytes(Buffer.concat(this.#pending));
    if (this.#expected === undefined || this.#received < this.#expected) return;
    const status = this.#pending[0]?.toString('latin1', 0, 12);
    this.#pending = [];
    this.#received = 0;
    this.#expected = undefined;
    if (status === 'HTTP/1.1 200') this.#hooks.onReply(this, this.#index);
    else this.#hooks.onError(new Error(`refused: ${status}`));
  }

  close(): void {
    this.#socket.destroy();
  }
}
