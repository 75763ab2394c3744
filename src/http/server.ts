// The Fastify server: what listens, which paths there are, and how a reply is written, logged and counted.
// What one API request means stands in answer.ts.

import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { basePath, type Endpoint, refuse } from '../contract/endpoint.ts';
import type { ErrorCode } from '../errors.ts';
import { hashKey, parseKey } from '../ledger/keys.ts';
import { type Answered, answer, type Desk, type Incoming } from './answer.ts';
import { dataHeaders, type Headers, type Reply, refusalReply } from './envelope.ts';
import type { Log } from './observe/log.ts';
import type { Metrics } from './observe/metrics.ts';
import { type OperationsDesk, operationRoutes } from './operations.ts';
import { Questions } from './questions.ts';
import {
  answerBrokenRequest,
  answerOddRequests,
  headerBytesMax,
  targetBytesMax,
} from './wire/broken-requests.ts';
import { cutStalledReaders } from './wire/stalled-readers.ts';
import { inTurns } from './wire/turns.ts';

export type ServerDesk = Omit<Desk, 'reportFault'> &
  Omit<OperationsDesk, 'endpoints'> & {
    readonly endpoints: readonly Endpoint[];
    readonly log: Log;
    readonly metrics: Metrics;
    readonly now: () => number;
    /** Unique for ever: requests and charges are named by it. */
    readonly newId: () => string;
    readonly trustedProxies: number;
  };

declare module 'fastify' {
  interface FastifyRequest {
    startedMs: number;
  }
}

/** What a caller may name a request; never something with a key in it, for it is logged. */
const saneRequestId = /^(?!.*dd_(?:live|test)_)[\w.:@=+/-]{1,100}$/;
const anyKey = /dd_(live|test)_\w+/g;

function listener(answerRequest: RequestListener): Server {
  // Not imported: see status-names.ts.
  const server = process.getBuiltinModule('node:http').createServer(
    {
      maxHeaderSize: headerBytesMax,
      requireHostHeader: false,
      headersTimeout: 10_000,
      requestTimeout: 15_000,
      keepAliveTimeout: 72_000,
      // A GET has no body: no stream need come to its end for it.
      optimizeEmptyRequests: true,
    },
    inTurns(answerRequest),
  );
  cutStalledReaders(server, 60_000);
  return server;
}

/** Routes have no schema of Fastify's; without its own compilers a start loads a third of its modules less. */
function noSchemas(): never {
  throw new Error('A route was given a schema for Fastify; endpoints read and write by their contract.');
}

export function buildServer(desk: ServerDesk): FastifyInstance {
  // Fastify's own logger stays off: it would make a child for every request, and send() writes the one line.
  const app = Fastify({
    trustProxy: desk.trustedProxies > 0 ? (_address, hop) => hop < desk.trustedProxies : false,
    genReqId: (request) => {
      const sent = request.headers['x-request-id'];
      return typeof sent === 'string' && saneRequestId.test(sent) ? sent : desk.newId();
    },
    bodyLimit: 65_536,
    serverFactory: listener,
    exposeHeadRoutes: false,
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // The query is read from the raw URL by the endpoint, once.
    routerOptions: { querystringParser: () => ({}) },
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, desk.newId()),
    frameworkErrors: (_error, request, reply) => {
      // Before any hook.
      request.startedMs = performance.now();
      send(desk, request, reply, plainRefusal(desk, request, 'BAD_REQUEST'));
    },
  });
  answerOddRequests(app.server, desk.newId);
  // No endpoint reads a body; whatever comes is drained, so that the refusal still arrives.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => {
    payload.on('error', () => payload.destroy());
    payload.resume();
    done(null);
  });
  // Fastify keeps the time only for a logger of its own.
  app.decorateRequest('startedMs', 0);
  app.addHook('onRequest', (request, reply, done) => {
    request.startedMs = performance.now();
    const { url = '' } = request.raw;
    if (url.length <= targetBytesMax) done();
    else send(desk, request, reply, plainRefusal(desk, request, 'URI_TOO_LONG'));
  });
  for (const endpoint of desk.endpoints) endpointRoute(app, endpoint, desk);
  operationRoutes(app, desk, (request, reply, answered) => send(desk, request, reply, answered));
  refusalRoutes(app, desk);
  return app;
}

function endpointRoute(app: FastifyInstance, endpoint: Endpoint, desk: ServerDesk): void {
  const answerDesk: Desk = {
    ledger: desk.ledger,
    releases: desk.releases,
    failedKeys: desk.failedKeys,
    ...(desk.upstream === undefined ? {} : { upstream: desk.upstream }),
    reportFault: (fault, requestId) => reportFault(desk, fault, requestId),
  };
  const questions = new Questions(endpoint);
  const sentKeys = new SentKeys();
  const serve = async (request: FastifyRequest, reply: FastifyReply, incoming: Incoming) => {
    try {
      send(desk, request, reply, await answer(questions, incoming, answerDesk), endpoint.path);
    } catch (fault) {
      sendFault(desk, request, reply, fault);
    }
  };
  app.get(`${basePath}${endpoint.path}`, (request, reply) => {
    const { headers, raw } = request;
    const incoming = {
      keyHash: sentKeys.hashOf(raw.socket, one(headers['x-api-key'])),
      query: queryOf(request),
      ifNoneMatch: one(headers['if-none-match']),
      accept: headers.accept,
      sandboxOutcome: one(headers['x-sandbox-outcome']),
      address: () => request.ip,
      requestId: request.id,
      chargeId: request.id === one(headers['x-request-id']) ? desk.newId() : request.id,
      atMs: desk.now(),
    };
    serve(request, reply, incoming);
  });
}

/** Unknown paths, wrong methods, and whatever a handler let fall. */
function refusalRoutes(app: FastifyInstance, desk: ServerDesk): void {
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request);
    if (request.method !== 'GET' && app.hasRoute({ method: 'GET', url: path })) {
      const refusal = plainRefusal(desk, request, 'METHOD_NOT_ALLOWED');
      refusal.headers.push('allow', 'GET');
      return send(desk, request, reply, refusal);
    }
    return send(desk, request, reply, plainRefusal(desk, request, 'NOT_FOUND'));
  });
  app.setErrorHandler((error, request, reply) => sendFault(desk, request, reply, error));
}

/** The last resort: one request fails, the others go on. */
function sendFault(desk: ServerDesk, request: FastifyRequest, reply: FastifyReply, fault: unknown): void {
  reportFault(desk, fault, request.id);
  if (reply.raw.headersSent) reply.raw.destroy();
  else send(desk, request, reply, plainRefusal(desk, request, 'INTERNAL_SERVER_ERROR'));
}

function reportFault({ log, metrics }: ServerDesk, fault: unknown, requestId: string): void {
  metrics.countFault();
  log.fault('request failed', fault, requestId);
}

/** A refusal outside the metered endpoints. */
function plainRefusal(desk: ServerDesk, request: FastifyRequest, code: ErrorCode): Reply {
  const headers: Headers = ['x-request-id', request.id];
  dataHeaders(headers, desk.releases.live(), []);
  return refusalReply(refuse(code), request.id, headers);
}

/** Writes, counts and logs one reply. The query is left out of the log: it may hold an address, or a key. */
function send(
  { log, metrics }: ServerDesk,
  request: FastifyRequest,
  reply: FastifyReply,
  answered: Reply & Partial<Pick<Answered, 'caller' | 'creditsCharged'>>,
  endpoint = 'other',
): FastifyReply {
  const { status, headers, body, caller, creditsCharged = 0 } = answered;
  // Past Fastify's own send, which wants headers as an object; Node takes the list as it is.
  reply.hijack();
  const bytes = Buffer.byteLength(body);
  if (status !== 304) headers.push('content-length', String(bytes));
  // ASCII is the same in both encodings, and Latin-1 is cheaper to write.
  reply.raw.writeHead(status, headers).end(body, bytes === body.length ? 'latin1' : 'utf8');
  const seconds = (performance.now() - request.startedMs) / 1000;
  metrics.countReply(endpoint, status, seconds, creditsCharged);
  log.request({
    requestId: request.id,
    method: request.method,
    pathJson:
      endpoint === 'other' ? JSON.stringify(pathOf(request).replaceAll(anyKey, 'dd_$1_…')) : `"${endpoint}"`,
    status,
    seconds,
    caller,
    creditsCharged,
  });
  return reply;
}

function one(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}

/** A connection mostly sends one key: its hash is kept for as long as the connection is there. */
class SentKeys {
  readonly #last = new WeakMap<Socket, { readonly key: string; readonly hash: string }>();

  /** Undefined where there is no key, or none that could be one. */
  hashOf(socket: Socket, key: string | undefined): string | undefined {
    if (key === undefined) return undefined;
    const last = this.#last.get(socket);
    if (last?.key === key) return last.hash;
    if (parseKey(key).kind === 'malformed') return undefined;
    const hash = hashKey(key);
    this.#last.set(socket, { key, hash });
    return hash;
  }
}

function pathOf({ raw: { url = '' } }: FastifyRequest): string {
  const mark = url.indexOf('?');
  return mark === -1 ? url : url.slice(0, mark);
}

function queryOf({ raw: { url = '' } }: FastifyRequest): string {
  const mark = url.indexOf('?');
  return mark === -1 ? '' : url.slice(mark + 1);
}
