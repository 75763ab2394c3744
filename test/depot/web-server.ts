// A real web server over a depot, which may be told to misbehave.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import path from 'node:path';
import type { Context } from './desk.ts';

export type Question = {
  readonly key: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly content: Buffer;
};

/** Returns whether it has answered. */
export type Mischief = (question: Question) => boolean;

export type WebServer = {
  readonly url: string;
  /** Undefined: it behaves. */
  mischief: Mischief | undefined;
  /** What was asked, with the number of bytes that each answer began to send. */
  readonly asked: { key: string; status: number; bytes: number }[];
};

export async function openWebServer(context: Context, folder: string): Promise<WebServer> {
  const asked: WebServer['asked'] = [];
  const own: { mischief: Mischief | undefined } = { mischief: undefined };
  const server = createServer((request, response) => {
    const key = new URL(request.url ?? '', 'http://x').pathname.replace(/^\/depot\//, '');
    const file = path.join(folder, key);
    if (!existsSync(file)) {
      asked.push({ key, status: 404, bytes: 0 });
      response.writeHead(404).end();
      return;
    }
    const content = readFileSync(file);
    if (own.mischief?.({ key, request, response, content }) === true) return;
    const { status, headers, body } = answerOf(request, content);
    asked.push({ key, status, bytes: body.length });
    response.writeHead(status, headers).end(body);
  });
  const port = await listenTo(server);
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(own, { url: `http://127.0.0.1:${port}/depot`, asked });
}

/** Returns the port that the system gave it. */
export async function listenTo(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return address.port;
}

export const etagOf = (content: Buffer): string => `"${createHash('sha1').update(content).digest('hex')}"`;

/** As nginx would: conditions, and the rest of a file where the same version is asked for. */
export function answerOf(
  { headers: { 'if-none-match': known, range, 'if-range': version } }: IncomingMessage,
  content: Buffer,
) {
  const etag = etagOf(content);
  if (known === etag) return { status: 304, headers: { etag }, body: Buffer.alloc(0) };
  const from = version === etag ? Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0) : 0;
  const body = content.subarray(from);
  const usual = { etag, 'content-length': body.length };
  if (from === 0) return { status: 200, headers: usual, body };
  const end = content.length - 1;
  return {
    status: 206,
    headers: { ...usual, 'content-range': `bytes ${from}-${end}/${content.length}` },
    body,
  };
}
