// One request of a page: found in the list, let through the guards that hold for all, answered, written. What comes after
// knows no HTTP.

import type { FastifyRequest } from 'fastify';
import { type Headers, jsonType, type Reply, replyOf, requestHeaders } from '../http/envelope.ts';
import type { Portal } from '../http/portal-door.ts';
import { tlsAlone } from '../http/web/tls-alone.ts';
import { bodyText } from '../http/wire/body.ts';
import { hostOf } from '../http/wire/host-of.ts';
import type { StreamedReply } from '../http/wire/stream.ts';
import { pathOf, queryOf } from '../http/wire/target.ts';
import { KeysFull, LedgerRefusal } from '../ledger/ledger.ts';
import { revokePageKey } from '../people/accounts/page-keys.ts';
import { refuse } from '../people/outcome.ts';
import type { Refusal, RefusalCode } from '../people/people.ts';
import { DatabaseUnavailable, TablesDamaged } from '../storage/sql.ts';
import { Explorers, type LivePace, type PortalDesk, Streams } from './desk.ts';
import { type Cookie, notFound, type Streamed, type Told, type Visit } from './route.ts';
import { routes } from './routes.ts';
import type { PortalRefusal } from './views.ts';
import { cookieIn, cookieText, type Way, wayOf } from './way.ts';

const usualPace: LivePace = { everyMs: 1_000, lookAgainMs: 5_000 };

export function openPortal(
  given: Omit<PortalDesk, 'livePace' | 'streams' | 'explorers'> & { readonly livePace?: LivePace },
): Portal {
  const streams = new Streams();
  const desk = { livePace: usualPace, ...given, streams, explorers: new Explorers() };
  return {
    answer: (request) => answer(desk, request),
    endStreams: () => streams.endAll(),
    close: () => given.people.close(),
  };
}

type Outcome = Refusal | Told<object> | Streamed;

async function answer(desk: PortalDesk, request: FastifyRequest): Promise<Reply | StreamedReply> {
  const found = findRoute(request.method, pathOf(request));
  const way = wayIn(desk, request);
  if (found.kind === 'nothing') return refusalReply(desk, request, notFound());
  if (found.kind === 'other methods') {
    const message = `This path accepts ${found.methods.join(', ')}.`;
    const allow = ['allow', found.methods.join(', ')];
    return refusalReply(desk, request, refuse('OTHER_METHOD', message), allow);
  }
  const outcome = await serve(desk, request, way, found);
  switch (outcome.kind) {
    case 'refused':
      return refusalReply(desk, request, outcome);
    case 'told':
      return reply(desk, request, way, outcome);
    case 'streamed':
      return streamedReply(desk, request, outcome);
  }
}

type Found = {
  readonly kind: 'found';
  readonly route: (typeof routes)[number];
  readonly parts: Readonly<Record<string, string>>;
};

function findRoute(
  method: string,
  path: string,
):
  | Found
  | { readonly kind: 'other methods'; readonly methods: readonly string[] }
  | { readonly kind: 'nothing' } {
  const there = routes.flatMap((route) => {
    const match = route.path.exec(path);
    return match === null ? [] : [{ route, parts: { ...match.groups } }];
  });
  const asked = method === 'HEAD' ? 'GET' : method;
  const found = there.find(({ route }) => route.method === asked);
  if (found !== undefined) return { kind: 'found', ...found };
  const methods = there.flatMap(({ route }) => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]));
  return methods.length === 0 ? { kind: 'nothing' } : { kind: 'other methods', methods };
}

/** Every guard that needs no route stands here, before anything is looked up. */
async function serve(
  desk: PortalDesk,
  request: FastifyRequest,
  way: Way,
  { route, parts }: Found,
): Promise<Outcome> {
  const { headers, id: requestId, ip } = request;
  const isWrite = route.method !== 'GET';
  const foreign = isWrite ? refuseForeignWrite(way, request) : undefined;
  if (foreign !== undefined) return foreign;
  const sent = isWrite ? sentBody(request) : sentQuery(request);
  if (sent.kind === 'refused') return sent;
  const visit: Visit = {
    requestId,
    atMs: desk.now(),
    way,
    wants: request.method === 'HEAD' ? 'headers' : 'body',
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
    const outcome = await route.serve(desk, visit);
    // A fault may come after the change.
    const isDone = outcome.kind !== 'refused' || outcome.code === 'FAULT';
    if (isWrite && isDone) await endPageKeys(desk, requestId);
    return outcome;
  } catch (fault) {
    return refusalOf(desk, fault, requestId);
  }
}

function refusalOf(desk: PortalDesk, fault: unknown, requestId: string): Refusal {
  if (fault instanceof KeysFull) return refuse('CONFLICT', fault.message);
  if (fault instanceof LedgerRefusal) return refuse('INVALID', fault.message);
  if (fault instanceof DatabaseUnavailable) {
    desk.reportFault('a page could not be answered', fault, requestId);
    if (fault instanceof TablesDamaged) {
      return refuse(
        'UNAVAILABLE',
        'The tables of people are damaged: nobody can sign in before the operator has restored a backup. Calls with keys go on.',
      );
    }
    return refuse('UNAVAILABLE', 'The service cannot do that at the moment; try again shortly.', {
      retryAfterSeconds: 10,
    });
  }
  desk.reportFault('a page could not be answered', fault, requestId);
  return refuse('FAULT', `Something went wrong here; tell the operator the number ${requestId}.`);
}

const isOfProxy = (name: string): boolean => /^(?:x-forwarded-.+|forwarded|via|x-real-ip)$/.test(name);

const wayIn = ({ settings }: PortalDesk, { headers, raw }: FastifyRequest): Way =>
  wayOf(settings, {
    host: headers.host,
    address: raw.socket.remoteAddress ?? '',
    // No browser of today speaks HTTP/1.0; a proxy may, also one that was told to say nothing of itself.
    forwarded: raw.httpVersion === '1.0' || Object.keys(headers).some(isOfProxy) ? 'by a proxy' : 'no',
  });

/** A write has to come from a page of our own. A browser tells where a request comes from in Sec-Fetch-Site, which no page can
 *  set; older ones in Origin. Both must agree where both are there, and one of them must be. */
function refuseForeignWrite(way: Way, { headers }: FastifyRequest): Refusal | undefined {
  if (way.kind === 'in the clear') return refuse('NOT_ALLOWED', way.because);
  const { origin, 'sec-fetch-site': secFetchSite, 'content-type': contentType } = headers;
  const isOurs =
    (secFetchSite === 'same-origin' || secFetchSite === undefined) &&
    (origin === way.origin || origin === undefined) &&
    (secFetchSite !== undefined || origin !== undefined);
  if (!isOurs) {
    return refuse(
      'NOT_ALLOWED',
      `The service accepts changes from the pages of ${way.origin} alone; open the dashboard there and try again.`,
    );
  }
  // What forms can send without asking is never JSON.
  const type = contentType?.split(';')[0]?.trim().toLowerCase();
  return type === 'application/json'
    ? undefined
    : refuse('INVALID', 'Send the body as JSON, with Content-Type: application/json.');
}

/** Keys that pages made for themselves end with the session and the role they were made with. Looked after once something was
 *  changed, so that no way to end a session can be forgotten, and no call pays for it. */
async function endPageKeys(
  { people, accounts, now, reportFault }: PortalDesk,
  requestId: string,
): Promise<void> {
  try {
    await people.pageKeys.endOrphans((key) => revokePageKey(accounts, key, now()));
  } catch (fault) {
    // What was asked is done. Whoever changes something next tries again; at the latest the key ends by its own time.
    reportFault('a key of a page could not be ended with its session', fault, requestId);
  }
}

type Sent = { readonly kind: 'sent'; readonly value: unknown };

function sentBody({ body }: FastifyRequest): Sent | Refusal {
  const text = bodyText(body);
  if (text === undefined) return refuse('TOO_LARGE', 'The body is too large; send less.');
  if (text.trim() === '') return { kind: 'sent', value: {} };
  try {
    return { kind: 'sent', value: JSON.parse(text) };
  } catch (fault) {
    if (!(fault instanceof SyntaxError)) throw fault;
    return refuse('INVALID', 'The body is not JSON; send an object.');
  }
}

function sentQuery(request: FastifyRequest): Sent | Refusal {
  const query = [...new URLSearchParams(queryOf(request))];
  const names = new Set(query.map(([name]) => name));
  return names.size === query.length
    ? { kind: 'sent', value: Object.fromEntries(query) }
    : refuse('INVALID', 'Each parameter is sent once.');
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

const statusOf: Readonly<Record<RefusalCode, number>> = {
  INVALID: 400,
  SIGN_IN: 401,
  WRONG_CREDENTIALS: 401,
  NOT_ALLOWED: 403,
  NOT_FOUND: 404,
  OTHER_METHOD: 405,
  CONFLICT: 409,
  TOO_LARGE: 413,
  TOO_MANY: 429,
  UNAVAILABLE: 503,
  FAULT: 500,
};

const headersOf = ({ settings }: PortalDesk, request: FastifyRequest, own: Headers): Headers => [
  ...requestHeaders(request.id),
  ...closed,
  ...tlsAlone(settings.publicUrl),
  ...own,
];

function refusalReply(desk: PortalDesk, request: FastifyRequest, refusal: Refusal, own: Headers = []): Reply {
  const { kind: _, ...error } = refusal;
  const wait = error.retryAfterSeconds;
  const later = wait === undefined ? [] : ['retry-after', String(wait)];
  const body: PortalRefusal = { error };
  const headers = headersOf(desk, request, [...own, ...later]);
  return replyOf(statusOf[error.code], headers, jsonType, JSON.stringify(body));
}

function reply(desk: PortalDesk, request: FastifyRequest, way: Way, { tells, cookies }: Told<object>): Reply {
  const set = cookies.flatMap((cookie) => setCookie(way, cookie, desk.now()));
  return replyOf(200, headersOf(desk, request, set), jsonType, JSON.stringify(tells));
}

/** More than a page of any table has. */
const fileChunkBytes = 2 ** 21;

function streamedReply(
  desk: PortalDesk,
  request: FastifyRequest,
  { type, fileName, chunks }: Streamed,
): Reply | StreamedReply {
  const own =
    fileName === undefined
      ? // Or a proxy would keep events back until there are many; and a service that stops need not wait for the connection.
        ['x-accel-buffering', 'no', 'connection', 'close']
      : ['content-disposition', `attachment; filename="${fileName}"`];
  const headers = headersOf(desk, request, ['content-type', type, ...own]);
  if (request.method === 'HEAD') return { status: 200, headers, body: '', bodyBytes: 0 };
  return {
    status: 200,
    headers,
    chunkBytesMost: fileName === undefined ? 'endless' : fileChunkBytes,
    chunks,
  };
}

function setCookie(way: Way, { name, kept }: Cookie, nowMs: number): Headers {
  if (way.kind === 'in the clear') return [];
  const value =
    kept === 'forgotten'
      ? kept
      : { value: kept.value, seconds: Math.max(0, Math.floor((kept.expiresAtMs - nowMs) / 1000)) };
  return ['set-cookie', cookieText(way, name, value)];
}
