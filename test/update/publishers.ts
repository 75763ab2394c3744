// All publishers on one local server, reached as a mirror: https://HOST/PATH?QUERY lies at /HOST/PATH?QUERY. It writes down
// what it was asked and how much it sent, and can be told per address to misbehave.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';

export type Kept = {
  readonly content: Uint8Array | string;
  /** Which validators the real publisher sends with it. */
  readonly tells: 'etag and day' | 'day' | 'etag' | 'nothing';
  /** Of HTTP. Without it, the day on which the tests begin. */
  readonly lastModified?: string;
  readonly type?: 'text/html' | 'application/json' | 'text/csv';
  readonly ranges?: 'ignored';
  /** `index`: it is read to find others. */
  readonly is: 'file' | 'index';
};

/** What is asked for lies elsewhere. */
type Moved = { readonly movedTo: string; readonly status: 301 | 302 | 307 };

type Asked = {
  readonly address: string;
  readonly status: number;
  /** Of the body, as far as it was handed over. */
  readonly bytes: number;
  readonly is: Kept['is'];
};

export type Misbehaviour = (request: IncomingMessage, response: ServerResponse) => unknown;

export type Publishers = {
  readonly from: string;
  put(address: string, kept: Kept | Moved): void;
  /** Where the file of this name lies. */
  addressOf(fileName: string): string;
  /** Until `misbehaveNoMore`. */
  misbehave(address: string, as: Misbehaviour): void;
  misbehaveNoMore(): void;
  /** Since `forget`. */
  asked(): readonly Asked[];
  /** Files of which something was sent, in the order of their addresses. */
  sent(): readonly string[];
  forget(): void;
  /** Called after each piece of a body; what is not settled holds it up. */
  onSent(listener: OnSent): void;
};

/** `nth`: how often the address has been asked for, this time included. */
type OnSent = (address: string, nth: number) => Promise<void>;

export const editionDay = 'Fri, 06 Nov 2026 09:30:00 GMT';
/** Small enough that a kill finds a file half way. */
const pieceBytes = 2_000;

export async function openPublishers(context: Pick<TestContext, 'after'>): Promise<Publishers> {
  const kept = new Map<string, Kept | Moved>();
  const misbehaving = new Map<string, Misbehaviour>();
  let asked: Asked[] = [];
  const times = new Map<string, number>();
  let onSent: OnSent | undefined;

  const send = async (response: ServerResponse, body: Uint8Array, address: string): Promise<number> => {
    const nth = (times.get(address) ?? 0) + 1;
    times.set(address, nth);
    for (let at = 0; at < body.byteLength; at += pieceBytes) {
      if (response.destroyed) return at;
      const piece = body.subarray(at, at + pieceBytes);
      response.write(piece);
      await onSent?.(address, nth);
    }
    response.end();
    return body.byteLength;
  };

  const answer = async (request: IncomingMessage, response: ServerResponse, address: string) => {
    const note = (status: number, is: Kept['is'], bytes = 0) => asked.push({ address, status, is, bytes });
    const found = kept.get(address);
    const bad = misbehaving.get(address);
    if (bad !== undefined) {
      note(0, 'file');
      await bad(request, response);
      return;
    }
    if (found === undefined) {
      note(404, 'index');
      response.writeHead(404, { 'content-type': 'text/html' }).end('<!DOCTYPE html><title>Not found</title>');
      return;
    }
    if ('movedTo' in found) {
      note(found.status, 'index');
      const body = `<!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN"><p>The document has moved.</p>`;
      response.writeHead(found.status, { location: found.movedTo, 'content-type': 'text/html' }).end(body);
      return;
    }
    const body = Buffer.from(found.content);
    const validators = validatorsOf(found, body);
    if (isKnown(request, validators)) {
      note(304, found.is);
      response.writeHead(304, validators).end();
      return;
    }
    const start = startOf(request, found, validators);
    const length = body.byteLength - start;
    response.writeHead(start > 0 ? 206 : 200, {
      ...validators,
      'content-length': length,
      ...(found.type === undefined ? {} : { 'content-type': found.type }),
      ...(start > 0 ? { 'content-range': `bytes ${start}-${body.byteLength - 1}/${body.byteLength}` } : {}),
    });
    note(start > 0 ? 206 : 200, found.is, await send(response, body.subarray(start), address));
  };

  const server = createServer((request, response) => {
    response.on('error', () => {});
    void answer(request, response, `https:/${request.url}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const bound = server.address();
  assert.ok(bound !== null && typeof bound === 'object');
  return {
    from: `http://127.0.0.1:${bound.port}`,
    put: (address, value) => void kept.set(mirrored(address), value),
    addressOf: (fileName) =>
      [...kept.keys()].find((address) => address.endsWith(`/${fileName}`)) ?? assert.fail(fileName),
    misbehave: (address, as) => void misbehaving.set(mirrored(address), as),
    misbehaveNoMore: () => misbehaving.clear(),
    asked: () => asked,
    sent: () =>
      [
        ...new Set(asked.flatMap(({ address, is, bytes }) => (is === 'file' && bytes > 0 ? [address] : []))),
      ].sort(),
    forget: () => {
      asked = [];
    },
    onSent: (listener) => {
      onSent = listener;
    },
  };
}

/** As it arrives: addresses are written as URLs are. */
const mirrored = (address: string) => new URL(address).href;

type Headers = { readonly etag?: string; readonly 'last-modified'?: string };

function validatorsOf({ tells, lastModified = editionDay }: Kept, body: Uint8Array): Headers {
  const etag = `"${createHash('md5').update(body).digest('hex')}-1"`;
  return {
    ...(tells === 'etag' || tells === 'etag and day' ? { etag } : {}),
    ...(tells === 'day' || tells === 'etag and day' ? { 'last-modified': lastModified } : {}),
  };
}

function isKnown({ headers }: IncomingMessage, validators: Headers): boolean {
  if (headers['if-none-match'] !== undefined) return headers['if-none-match'] === validators.etag;
  const since = headers['if-modified-since'];
  return since !== undefined && since === validators['last-modified'];
}

function startOf({ headers }: IncomingMessage, { ranges }: Kept, validators: Headers): number {
  const wanted = /^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1];
  const condition = headers['if-range'];
  const isSame =
    condition === undefined || condition === validators.etag || condition === validators['last-modified'];
  return wanted === undefined || ranges === 'ignored' || !isSame ? 0 : Number(wanted);
}
