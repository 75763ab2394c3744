// A publisher that misbehaves as a test wants, reached as a mirror over a real socket; a clock that never sleeps; and a
// folder for what is fetched.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../../src/update/web/clock.ts';
import type { Order } from '../../../src/update/web/download.ts';
import { type FailureKind, TransferFailed } from '../../../src/update/web/failure.ts';
import { Web, type WebOptions } from '../../../src/update/web/web.ts';

export const host = 'files.example.org';
export const address = `https://${host}/prices/all.csv`;
export const stallMs = 77_777;
export const documentMs = 99_999;

export type Asked = { readonly url: string; readonly headers: IncomingHttpHeaders };
/** `nth` counts from 1. */
export type Behaviour = (asked: Asked, response: ServerResponse, nth: number) => void;

export type TestClock = Clock & {
  /** Pauses between tries, gaps and waits that a host asked for. */
  readonly waited: readonly number[];
  set(ms: number): void;
  /** Lets those pass that wait for a stall or for the time of a document. */
  pass(ms: number): Promise<void>;
};

export const startMs = Date.UTC(2026, 8, 1);

/** Waits pass at once, except for those that end a transfer: a test says when. */
export function testClock(): TestClock {
  let nowMs = startMs;
  const waited: number[] = [];
  const held = new Map<() => void, number>();
  return {
    waited,
    now: () => nowMs,
    set: (ms) => {
      nowMs = ms;
    },
    random: () => 0.5,
    wait: async (ms, signal) => {
      if (ms !== stallMs && ms !== documentMs) {
        waited.push(ms);
        nowMs += ms;
        await turn();
        return;
      }
      if (signal?.aborted === true) return;
      await new Promise<void>((resolve) => {
        held.set(resolve, ms);
        signal?.addEventListener('abort', () => {
          held.delete(resolve);
          resolve();
        });
      });
    },
    pass: async (ms) => {
      for (const [resolve, of] of held) {
        if (of !== ms) continue;
        held.delete(resolve);
        resolve();
      }
      await turn();
    },
  };
}

export type Desk = {
  readonly asked: readonly Asked[];
  readonly clock: TestClock;
  readonly folder: string;
  readonly from: string;
  readonly web: Web;
  /** Of the address above, into the folder, as all.csv. */
  readonly order: Order;
  /** As a new run would. */
  reopen(options?: Partial<WebOptions>): Web;
  /** What lies in the folder. */
  files(): readonly string[];
};

export async function desk(
  context: TestContext,
  behave: Behaviour,
  options: Partial<WebOptions> = {},
): Promise<Desk> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const question = { url: request.url ?? '', headers: request.headers };
    asked.push(question);
    behave(question, response, asked.length);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  assert.ok(bound !== null && typeof bound === 'object');
  const folder = mkdtempSync(path.join(tmpdir(), 'domesday-web-'));
  const clock = testClock();
  const from = `http://127.0.0.1:${bound.port}/mirror`;
  const opened: Web[] = [];
  const reopen = (more: Partial<WebOptions> = {}) => {
    const web = new Web({
      from,
      version: '9.9.9',
      contact: 'https://operator.example',
      clock,
      stallMs,
      documentMs,
      ...options,
      ...more,
    });
    opened.push(web);
    return web;
  };
  context.after(() => {
    for (const web of opened) web.close();
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    asked,
    clock,
    folder,
    from,
    web: reopen(),
    order: { address, hosts: [host], folder, fileName: 'all.csv', mostBytes: 2e6 },
    reopen,
    files: () => readdirSync(folder).sort(),
  };
}

export type Served = {
  readonly content: Uint8Array;
  readonly etag?: string;
  readonly lastModified?: string;
  /** The connection ends before this byte of the file. */
  readonly cutAt?: number;
  readonly ranges?: 'given' | 'ignored';
  /** Without Content-Length. */
  readonly length?: 'told' | 'untold';
};

/** As a well-behaved server would, apart from what is said. */
export function serve({ headers }: Asked, response: ServerResponse, served: Served): void {
  const { content, etag, lastModified, cutAt, ranges = 'given', length = 'told' } = served;
  const condition = headers['if-range'];
  const isSame = condition === undefined || condition === etag || condition === lastModified;
  const wanted = ranges === 'given' && isSame ? /^bytes=(\d+)-$/.exec(headers.range ?? '') : null;
  const start = Number(wanted?.[1] ?? 0);
  if (wanted !== null && start >= content.byteLength) {
    response.writeHead(416).end();
    return;
  }
  response.writeHead(wanted === null ? 200 : 206, {
    ...(etag === undefined ? {} : { etag }),
    ...(lastModified === undefined ? {} : { 'last-modified': lastModified }),
    ...(length === 'told' ? { 'content-length': content.byteLength - start } : {}),
    ...(wanted === null
      ? {}
      : { 'content-range': `bytes ${start}-${content.byteLength - 1}/${content.byteLength}` }),
  });
  if (cutAt === undefined) response.end(content.subarray(start));
  else if (cutAt <= start) response.destroy();
  else response.write(content.subarray(start, cutAt), () => response.destroy());
}

/** Lines of a file that no two places of are alike. */
export function linesOf(bytes: number, seed = 1): Buffer {
  const lines: string[] = [];
  for (let line = 0, length = 0; length < bytes; line += 1) {
    const text = `"${seed}","${line}","${(line * 7919 + seed) % 100_003}"\n`;
    lines.push(text);
    length += text.length;
  }
  return Buffer.from(lines.join('')).subarray(0, bytes);
}

/** The failure that a promise must end with. */
export async function failureOf(promise: Promise<unknown>, kind: FailureKind): Promise<TransferFailed> {
  try {
    await promise;
  } catch (error) {
    if (!(error instanceof TransferFailed)) throw error;
    assert.equal(error.kind, kind, error.message);
    return error;
  }
  return assert.fail(`should have failed: ${kind}`);
}
