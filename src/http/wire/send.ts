// Writes one reply, then counts and logs it.

import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../ledger/ledger.ts';
import { publicCaller } from '../../ledger/public-sandbox.ts';
import type { Reply } from '../envelope.ts';
import type { Laps } from '../observe/laps.ts';
import type { Log } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import { loggablePath } from '../observe/strike-keys.ts';
import { pathOf } from './target.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** By the clock of `Observers`. */
    startedMs: number;
  }
}

export type Observers = {
  readonly log: Log;
  readonly metrics: Metrics;
  /** A clock that is never set. */
  readonly elapsedMs: () => number;
};

/** What is known of a reply to a call of an endpoint. */
type Sent = {
  /** Its path. */
  readonly endpoint: string;
  readonly caller: Caller | undefined;
  readonly creditsCharged: number;
  readonly laps: Laps;
};

/** A caller who is still sending would lose the reply when its connection is closed behind it. How long a body may take
 *  is bounded by the time-out of requests. */
function afterBody(request: IncomingMessage, write: () => void): void {
  request.once('end', write);
  request.resume();
}

/** The query is left out of the log: it may hold an address, or a key. */
export function send(
  { log, metrics, elapsedMs }: Observers,
  request: FastifyRequest,
  reply: FastifyReply,
  { status, headers, body, bodyBytes }: Reply,
  sent?: Sent,
): void {
  // Past Fastify's own send, which wants headers as an object; Node takes the list as it is.
  reply.hijack();
  // ASCII is the same in both encodings, and Latin-1 is cheaper to write.
  const head = reply.raw.writeHead(status, [...headers]);
  const encoding = bodyBytes === body.length ? 'latin1' : 'utf8';
  if (request.raw.complete || request.raw.readableEnded) head.end(body, encoding);
  else afterBody(request.raw, () => head.end(body, encoding));
  const endedMs = sent === undefined ? elapsedMs() : sent.laps.end('reply');
  const seconds = (endedMs - request.startedMs) / 1000;
  metrics.countReply(sent?.endpoint ?? 'other', status, seconds, sent?.creditsCharged ?? 0);
  if (sent !== undefined) metrics.countStages(sent.laps);
  if (sent?.caller?.keyId === publicCaller.keyId) metrics.countPublicCall();
  log.request({
    requestId: request.id,
    method: request.method,
    pathJson: sent === undefined ? JSON.stringify(loggablePath(pathOf(request))) : `"${sent.endpoint}"`,
    status,
    seconds,
    caller: sent?.caller,
    creditsCharged: sent?.creditsCharged ?? 0,
    laps: sent?.laps,
  });
}
