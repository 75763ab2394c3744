// Writes one reply, then counts and logs it.

import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { basePath } from '../../contract/endpoint.ts';
import { isThere } from '../../contract/when-there.ts';
import type { Caller } from '../../ledger/ledger.ts';
import { publicCaller } from '../../ledger/public-sandbox.ts';
import type { AnsweredCall, RequestNotes } from '../../requests/notes.ts';
import { loggablePath } from '../../strike-keys.ts';
import type { Reply } from '../envelope.ts';
import type { Laps } from '../observe/laps.ts';
import type { Log } from '../observe/log.ts';
import type { RequestFigures } from '../observe/request-figures.ts';
import type { Tracer } from '../observe/tracing/tracer.ts';
import { lingerBytes, lingerMs } from './body.ts';
import { compressed } from './compress.ts';
import { pathOf } from './target.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** By the clock of `Observers`. */
    startedMs: number;
  }
}

export type Observers = {
  readonly log: Log;
  readonly figures: RequestFigures;
  /** Undefined where no traces are kept. */
  readonly tracer: Tracer | undefined;
  /** Undefined where no list of requests is kept. */
  readonly requests: RequestNotes | undefined;
  /** The clock on the wall. */
  readonly now: () => number;
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
  /** As a query. */
  readonly parameters: string | undefined;
  /** Of a batch that was answered call by call. */
  readonly calls?: readonly AnsweredCall[] | undefined;
};

/** What may be longer than is waited for. */
const mayBeLong = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > lingerBytes;

/** A caller who is still sending would lose the reply when its connection is closed behind it. How long a body may take
 *  is bounded by the time-out of requests. A long one is not waited for: the reply comes first, and the connection ends soon. */
function afterBody(request: IncomingMessage, { write, end }: Record<'write' | 'end', () => void>): void {
  let read = 0;
  let state: 'waits' | 'is written' = 'waits';
  const writeNow = () => {
    read = 0;
    state = 'is written';
    write();
    setTimeout(end, lingerMs).unref();
  };
  request.on('data', (chunk: Buffer) => {
    read += chunk.length;
    if (read <= lingerBytes) return;
    if (state === 'waits') writeNow();
    else end();
  });
  request.once('end', () => {
    if (state === 'waits') write();
    end();
  });
  if (Number(request.headers['content-length'] ?? 0) > lingerBytes) writeNow();
  request.resume();
}

/** As the router has it; undefined where nothing is there. */
const routeOf = ({ routeOptions }: FastifyRequest): string | undefined => routeOptions.url;

/** A promise only where a thread compresses the body. */
export function send(
  observers: Observers,
  request: FastifyRequest,
  reply: FastifyReply,
  told: Reply,
  sent?: Sent,
  caller = sent?.caller,
): void | Promise<void> {
  // Past Fastify's own send, which wants headers as an object; Node takes the list as it is.
  reply.hijack();
  const coded = compressed(told, request.headers['accept-encoding']);
  if (isThere(coded)) return writeReply(observers, request, reply, coded, sent, caller);
  const write = (ready: Reply) => writeReply(observers, request, reply, ready, sent, caller);
  return coded.then(write, (fault) => {
    observers.log.fault('a reply could not be compressed and was sent as it is', fault, request.id);
    write(told);
  });
}

function writeReply(
  observers: Observers,
  request: FastifyRequest,
  reply: FastifyReply,
  told: Reply,
  sent: Sent | undefined,
  caller: Caller | undefined,
): void {
  const { status, headers, body, bodyBytes } = told;
  // ASCII is the same in both encodings, and Latin-1 is cheaper to write.
  const encoding = bodyBytes === body.length ? 'latin1' : 'utf8';
  const { raw } = reply;
  const isRead = request.raw.complete || request.raw.readableEnded;
  raw.writeHead(
    status,
    isRead || !mayBeLong(request.raw) ? [...headers] : [...headers, 'connection', 'close'],
  );
  if (isRead) raw.end(body, encoding);
  else afterBody(request.raw, { write: () => raw.write(body, encoding), end: () => raw.end() });
  noteReply(observers, request, told, sent, caller);
}

/** The query is left out of the log: it may hold an address, or a key. */
export function noteReply(
  { log, figures, tracer, requests, now, elapsedMs }: Observers,
  request: FastifyRequest,
  { status, code }: Pick<Reply, 'status' | 'code'>,
  sent?: Sent,
  caller?: Caller,
): void {
  const endedMs = sent === undefined ? elapsedMs() : sent.laps.end('reply');
  const seconds = (endedMs - request.startedMs) / 1000;
  const calls = sent?.calls;
  figures.countReply(
    sent?.endpoint ?? 'other',
    status,
    seconds,
    calls === undefined ? (sent?.creditsCharged ?? 0) : 0,
  );
  if (calls !== undefined) figures.countCalls(calls);
  if (sent !== undefined) figures.countStages(sent.laps);
  if (sent?.caller?.keyId === publicCaller.keyId) figures.publicCalls.add(calls?.length ?? 1);
  const traceId =
    tracer === undefined
      ? undefined
      : tracer.note(request.headers.traceparent, {
          method: request.method,
          route: sent === undefined ? routeOf(request) : `${basePath}${sent.endpoint}`,
          status,
          seconds,
          endedMs: now(),
          creditsCharged: sent?.creditsCharged ?? 0,
          calls: calls?.length,
          laps: sent?.laps,
        });
  log.request({
    requestId: request.id,
    method: request.method,
    pathJson: sent === undefined ? JSON.stringify(loggablePath(pathOf(request))) : `"${sent.endpoint}"`,
    status,
    seconds,
    caller: sent?.caller,
    creditsCharged: sent?.creditsCharged ?? 0,
    calls: calls?.length,
    laps: sent?.laps,
    traceId,
  });
  requests?.note({
    requestId: request.id,
    atMs: now(),
    caller,
    endpoint: sent?.endpoint ?? 'other',
    status,
    code,
    seconds,
    creditsCharged: sent?.creditsCharged ?? 0,
    parameters: sent?.parameters,
    calls,
  });
}
