// One request of a page: found in the table, let through the guards that hold for all, answered, written. What comes after
// knows no HTTP.

import type { FastifyRequest } from 'fastify';
import { type Headers, jsonType, type Reply, replyOf, requestHeaders } from '../http/envelope.ts';
import type { Portal } from '../http/portal-door.ts';
import { tlsAlone } from '../http/web/tls-alone.ts';
import { bodyText } from '../http/wire/body.ts';
import { hostOf } from '../http/wire/host-of.ts';
import type { StreamedReply } from '../http/wire/stream.ts';
import { pathOf, queryOf } from '../http/wire/target.ts';
import { KeysFull, LedgerRefusal, LedgerUnavailable } from '../ledger/ledger.ts';
import type { Refusal } from '../people/people.ts';
import { RecordsUnavailable } from '../records/records.ts';
import type { PortalDesk } from './desk.ts';
import { Explorers } from './explorers.ts';
import type { AnyRoute, Cookie, Streamed, Told, Visit } from './guards.ts';
import { endPageKeys } from './page-keys.ts';
import { notFound, refused, statusOf } from './refused.ts';
import { findRoute } from './routing.ts';
import { refuseForeignWrite } from './same-page.ts';
import { Streams } from './streams.ts';
import { table } from './table.ts';
import { cookieIn, cookieText, type Way, wayOf } from './way.ts';

export function openPortal(given: Omit<PortalDesk, 'streams' | 'explorers'>): Portal {
  const streams = new Streams();
  const desk = { ...given, streams, explorers: new Explorers() };
  return {
    answer: (request) => answer(desk, request),
    endStreams: () => streams.endAll(),
    close: () => given.people.close(),
  };
}

type Outcome = Refusal | Told<object>;

async function answer(desk: PortalDesk, request: FastifyRequest): Promise<Reply | StreamedReply> {
  const found = findRoute(request.method, pathOf(request));
  const way = wayIn(desk, request);
  if (found.kind === 'nothing') return refusalReply(desk, request, notFound());
  if (found.kind === 'other methods') {
    const message = `This path accepts ${found.methods.join(', ')}.`;
    const allow = ['allow', found.methods.join(', ')];
    return refusalReply(desk, request, refused('OTHER_METHOD', message), allow);
  }
  const outcome = await serve(desk, request, way, found);
  return outcome.kind === 'refused'
    ? refusalReply(desk, request, outcome)
    : reply(desk, request, way, outcome);
}

type Found = { readonly route: AnyRoute; readonly parts: Readonly<Record<string, string>> };

/** Every guard that needs no table stands here, before anything is looked up. */
async function serve(desk: PortalDesk, request: FastifyRequest, way: Way, found: Found): Promise<Outcome> {
  const { route, parts } = found;
  const { headers, id: requestId, ip } = request;
  const isWrite = !route.startsWith('GET ');
  const foreign = isWrite ? refuseForeignWrite(way, sentFrom(request)) : undefined;
  if (foreign !== undefined) return foreign;
  const sent = isWrite ? sentBody(request) : sentQuery(request);
  if (sent.kind === 'refused') return sent;
  const visit: Visit = {
    requestId,
    atMs: desk.now(),
    way,
    visitor: {
      address: ip,
      host: hostOf(ip),
      userAgent: headers['user-agent'],
      deviceToken: cookieIn(way, headers.cookie, 'device'),
    },
    sessionToken: cookieIn(way, headers.cookie, 'session'),
    parts,
    sent: sent.value,
  };
  try {
    const outcome = await table[route].serve(desk, visit);
    // A fault may come after the change.
    const isDone = outcome.kind === 'told' || outcome.code === 'FAULT';
    if (isWrite && isDone) await endPageKeys(desk, requestId);
    return outcome;
  } catch (fault) {
    return refusalOf(desk, fault, requestId);
  }
}

function refusalOf(desk: PortalDesk, fault: unknown, requestId: string): Refusal {
  if (fault instanceof KeysFull) return refused('CONFLICT', fault.message);
  if (fault instanceof LedgerRefusal) return refused('INVALID', fault.message);
  if (fault instanceof LedgerUnavailable || fault instanceof RecordsUnavailable) {
    desk.reportFault('a page could not be answered', fault, requestId);
    return refused('UNAVAILABLE', 'The service cannot do that at the moment; try again shortly.', {
      retryAfterSeconds: 10,
    });
  }
  desk.reportFault('a page could not be answered', fault, requestId);
  return refused('FAULT', `Something went wrong here; tell the operator the number ${requestId}.`);
}

const wayIn = ({ settings }: PortalDesk, { headers, raw }: FastifyRequest): Way =>
  wayOf(settings, {
    host: headers.host,
    address: raw.socket.remoteAddress ?? '',
    forwarded:
      headers['x-forwarded-for'] === undefined &&
      headers['x-forwarded-proto'] === undefined &&
      headers.forwarded === undefined
        ? 'no'
        : 'by a proxy',
  });

function sentFrom({ headers }: FastifyRequest) {
  return {
    secFetchSite: headers['sec-fetch-site'],
    origin: headers.origin,
    contentType: headers['content-type'],
  };
}

type Sent = { readonly kind: 'sent'; readonly value: unknown };

function sentBody({ body }: FastifyRequest): Sent | Refusal {
  const text = bodyText(body);
  if (text === undefined) return refused('TOO_LARGE', 'The body is too large; send less.');
  if (text.trim() === '') return { kind: 'sent', value: {} };
  try {
    return { kind: 'sent', value: JSON.parse(text) };
  } catch (fault) {
    if (!(fault instanceof SyntaxError)) throw fault;
    return refused('INVALID', 'The body is not JSON; send an object.');
  }
}

function sentQuery(request: FastifyRequest): Sent | Refusal {
  const query = [...new URLSearchParams(queryOf(request))];
  const names = new Set(query.map(([name]) => name));
  return names.size === query.length
    ? { kind: 'sent', value: Object.fromEntries(query) }
    : refused('INVALID', 'Each parameter is sent once.');
}

/** Nothing here is for anybody's cache, frame or script but our own pages'. */
const closed: Headers = [
  'cache-control',
  'no-store',
  'vary',
  'Cookie',
  'x-content-type-options',
  'nosniff',
  'referrer-policy',
  'no-referrer',
  'cross-origin-resource-policy',
  'same-origin',
  'content-security-policy',
  "default-src 'none'; frame-ancestors 'none'",
];

function refusalReply(
  { settings }: PortalDesk,
  request: FastifyRequest,
  refusal: Refusal,
  own: Headers = [],
): Reply {
  const { kind: _, ...error } = refusal;
  const wait = error.retryAfterSeconds;
  const later = wait === undefined ? [] : ['retry-after', String(wait)];
  const headers = [
    ...requestHeaders(request.id),
    ...closed,
    ...tlsAlone(settings.publicUrl),
    ...own,
    ...later,
  ];
  return replyOf(statusOf[error.code], headers, jsonType, JSON.stringify({ error }));
}

function reply(
  desk: PortalDesk,
  request: FastifyRequest,
  way: Way,
  { tells, cookies }: Told<object>,
): Reply | StreamedReply {
  const set = cookies.flatMap((cookie) => setCookie(way, cookie, desk.now()));
  const headers = [...requestHeaders(request.id), ...closed, ...tlsAlone(desk.settings.publicUrl), ...set];
  if (isStreamed(tells)) return streamedReply(request, headers, tells);
  return replyOf(200, headers, jsonType, JSON.stringify(tells));
}

const isStreamed = (tells: object): tells is Streamed => 'chunks' in tells;

function streamedReply(request: FastifyRequest, headers: Headers, streamed: Streamed): Reply | StreamedReply {
  const { type, fileName, chunks } = streamed;
  const own =
    fileName === undefined
      ? // Or a proxy would keep events back until there are many; and a service that stops need not wait for the connection.
        ['x-accel-buffering', 'no', 'connection', 'close']
      : ['content-disposition', `attachment; filename="${fileName}"`];
  const all = [...headers, 'content-type', type, ...own];
  if (request.method === 'HEAD') return { status: 200, headers: all, body: '', bodyBytes: 0 };
  return { status: 200, headers: all, length: fileName === undefined ? 'endless' : 'finite', chunks };
}

function setCookie(way: Way, { name, kept }: Cookie, nowMs: number): Headers {
  if (way.kind === 'in the clear') return [];
  const value =
    kept === 'forgotten'
      ? kept
      : { value: kept.value, seconds: Math.max(0, Math.floor((kept.expiresAtMs - nowMs) / 1000)) };
  return ['set-cookie', cookieText(way, name, value)];
}
