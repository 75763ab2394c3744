// The Fastify server: what listens, and which paths there are. Every route, `Allow` and HEAD come from one table, made of
// the endpoints and the paths beside them. What one API call means stands in answer.ts.

import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Settings } from '../config.ts';
import { batchBounds, batchEndpoint } from '../contract/batch.ts';
import { basePath } from '../contract/endpoint.ts';
import { refuseNames } from '../contract/input.ts';
import { type Refusal, refuse } from '../contract/refusal.ts';
import { errorCode } from '../errno.ts';
import { readSentKey, type SentKey } from '../ledger/keys.ts';
import { type Caller, LedgerOutOfService, LedgerUnavailable } from '../ledger/ledger.ts';
import { mayBeLogged } from '../strike-keys.ts';
import { Gate } from './admit.ts';
import { answer } from './answer.ts';
import { type AnsweredBatch, answerBatch } from './batch.ts';
import type { Call, Desk } from './call.ts';
import {
  accountHeaders,
  dataHeaders,
  type Headers,
  type Reply,
  readerHeaders,
  refusalReply,
  requestHeaders,
} from './envelope.ts';
import { FailedKeys } from './failed-keys.ts';
import { Laps } from './observe/laps.ts';
import { type OperationsDesk, operations } from './operations.ts';
import { anyPage, isPreflight, pageOf, preflightReply, readersOf } from './pages.ts';
import { isOfPortal, type Portal, PortalDoor } from './portal-door.ts';
import { Questions } from './questions.ts';
import { bodyTooLarge, codedBody, wrongMethod } from './refusals.ts';
import { isForReader, noSuchPage, nothingAt } from './web/unknown-paths.ts';
import { bodyText, drainBody, readBody, usualBodyBytesMax } from './wire/body.ts';
import { answerBrokenRequest, answerOddRequests, targetBytesMax } from './wire/broken-requests.ts';
import { closeIdleWhileStopping } from './wire/idle-connections.ts';
import { KnownMethods } from './wire/known-methods.ts';
import { listen, type Patience } from './wire/listen.ts';
import type { Pipelines } from './wire/pipelines.ts';
import { send } from './wire/send.ts';
import { keySlipOf, SentKeys } from './wire/sent-keys.ts';
import { InFlight, type Sending, sendStream } from './wire/stream.ts';
import { namesIn, pathOf, queryOf } from './wire/target.ts';

type ServerDesk = Omit<
  Desk,
  'answers' | 'failedKeys' | 'gate' | 'publicUrl' | 'reportFault' | 'reportMissing'
> &
  OperationsDesk &
  Sending & {
    readonly settings: Settings;
    readonly now: () => number;
    readonly patience: Patience;
    /** Both unique for ever. Charges are named in growing order, requests in none: callers see those. */
    readonly newRequestId: () => string;
    readonly newChargeId: () => string;
    /** Called by the first who asks for a page of the dashboard. */
    readonly openPortal: () => Promise<Portal>;
  };

/** Paths that need no key answer HEAD too; a metered path has the method of its endpoint alone. */
type Route = {
  readonly path: string;
  readonly methods: readonly ('GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE')[];
  readonly serve: (request: FastifyRequest, reply: FastifyReply) => void | Promise<void>;
  /** Longest body that is read. */
  readonly bodyBytesMax?: number;
};

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Of routes whose parameters come in the body. */
    bodyBytesMax?: number;
  }
}

/** What a caller may name a request. */
const saneRequestId = /^[\w.:@=+/-]{1,100}$/;

/** Routes have no schema of Fastify's; without its own compilers a start loads a third of its modules less. */
function noSchemas(): never {
  throw new Error('A route was given a schema for Fastify; endpoints read and write by their contract.');
}

export function buildServer(given: Omit<ServerDesk, 'inFlight'>): FastifyInstance {
  const desk: ServerDesk = { ...given, inFlight: new InFlight(given.patience) };
  const { trustProxy, publicUrl } = desk.settings;
  const newReference = () => ({ requestId: desk.newRequestId(), publicUrl });
  let pipelines: Pipelines | undefined;
  // Fastify's own logger stays off: it would make a child for every request, and send() writes the one line.
  const app = Fastify({
    trustProxy: trustProxy > 0 ? (_address, hop) => hop < trustProxy : false,
    genReqId: (request) => {
      const sent = request.headers['x-request-id'];
      return typeof sent === 'string' && saneRequestId.test(sent) && mayBeLogged(sent)
        ? sent
        : desk.newRequestId();
    },
    serverFactory: (answerRequest) => {
      const listening = listen(answerRequest, desk.patience, desk.elapsedMs);
      pipelines = listening.pipelines;
      return listening.server;
    },
    exposeHeadRoutes: false,
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // The query is read from the raw URL by the endpoint, once.
    routerOptions: { querystringParser: () => ({}) },
    clientErrorHandler: (error, socket) => {
      if (pipelines !== undefined) answerBrokenRequest(error, socket, newReference, pipelines);
    },
    frameworkErrors: (_error, request, reply) => {
      // Before any hook.
      request.startedMs = desk.elapsedMs();
      if (isPreflight(request)) sendPreflight(desk, request, reply);
      else send(desk, request, reply, plainRefusal(desk, request, refuse('BAD_REQUEST')));
    },
  });
  answerOddRequests(app.server, newReference);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request, payload, done) => {
    const { bodyBytesMax } = request.routeOptions.config;
    if (bodyBytesMax === undefined) drainBody(payload, done);
    else readBody(payload, bodyBytesMax, done);
  });
  // Fastify keeps the time only for a logger of its own.
  app.decorateRequest('startedMs', 0);
  app.addHook('onRequest', (request, reply, done) => {
    request.startedMs = desk.elapsedMs();
    // Whoever keeps connections opens the next one elsewhere.
    if (desk.phase() === 'draining') reply.raw.shouldKeepAlive = false;
    const { url = '' } = request.raw;
    if (url.length <= targetBytesMax) done();
    else if (isPreflight(request)) sendPreflight(desk, request, reply);
    else send(desk, request, reply, plainRefusal(desk, request, refuse('URI_TOO_LONG')));
  });
  const door = new PortalDoor(desk.openPortal);
  app.addHook('preClose', () => door.endStreams());
  app.addHook('onClose', () => door.close());
  closeIdleWhileStopping(app);
  const gate = new Gate(desk.ledger, desk.settings);
  addRoutes(app, desk, door, gate, [...endpointRoutes(desk, gate), ...operationRoutes(desk)]);
  return app;
}

/** A known path with another method is told which ones there are; what is left is unknown. */
function addRoutes(
  app: FastifyInstance,
  desk: ServerDesk,
  door: PortalDoor,
  gate: Gate,
  routes: readonly Route[],
): void {
  const known = new KnownMethods();
  const { path: portalPath, methods: portalMethods } = door;
  const portal: Route = {
    path: portalPath,
    methods: portalMethods,
    serve: (request, reply) => servePortal(desk, door, request, reply),
  };
  for (const { path, methods, serve, bodyBytesMax = usualBodyBytesMax } of [...routes, portal]) {
    known.add(path, methods);
    const config = methods.includes('POST') ? { bodyBytesMax } : {};
    app.route({ method: [...methods], url: path, config, handler: serve });
  }
  const refuseRoute = async (request: FastifyRequest, reply: FastifyReply) => {
    if (isPreflight(request)) return sendPreflight(desk, request, reply);
    if (isOfPortal(request)) return servePortal(desk, door, request, reply);
    const methods = known.of(pathOf(request));
    // Paths that answer HEAD ask for no key.
    const admitted = methods?.includes('HEAD') ? undefined : await admitWrongCall(desk, gate, request);
    const account = admitted === undefined ? [] : accountHeaders(admitted.admission, admitted.atMs);
    const caller = admitted?.admission.caller;
    const refusal =
      methods === undefined
        ? isForReader(request)
          ? noSuchPage(request.id)
          : plainRefusal(desk, request, nothingAt(request, known), { caller, headers: account })
        : methods.includes(request.method)
          ? plainRefusal(desk, request, oddBody(), { caller, headers: account })
          : plainRefusal(desk, request, wrongMethod(methods), {
              caller,
              headers: ['allow', methods.join(', '), ...account],
            });
    if (admitted !== undefined) {
      const { admission, atMs } = admitted;
      desk.ledger.record({ caller: admission.caller, endpoint: 'other', atMs, status: refusal.status });
    }
    return send(desk, request, reply, refusal, undefined, caller);
  };
  app.setNotFoundHandler(refuseRoute);
  app.setErrorHandler((error, request, reply) =>
    isAboutContentType(error) ? refuseRoute(request, reply) : sendFault(desk, request, reply, error),
  );
}

/** Fastify looks at the header before any route does, also where no route takes the method. */
const isAboutContentType = (error: unknown): boolean =>
  errorCode(error) === 'FST_ERR_CTP_INVALID_MEDIA_TYPE' ||
  errorCode(error) === 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE';

/** A call of the API with a valid key counts and tells where the account stands, though nothing answers there. */
async function admitWrongCall({ now }: ServerDesk, gate: Gate, request: FastifyRequest) {
  const key = readSentKey(one(request.headers['x-api-key']) ?? '');
  if (key === undefined) return undefined;
  if (!pathOf(request).startsWith(`${basePath}/`)) return undefined;
  const atMs = now();
  try {
    const fetchSite = one(request.headers['sec-fetch-site']);
    const admission = await gate.admit({ key, address: () => request.ip, fetchSite, atMs });
    return admission.kind === 'unknown' ? undefined : { admission, atMs };
  } catch (fault) {
    // That there is nothing here is true without a ledger too.
    if (fault instanceof LedgerUnavailable) return undefined;
    throw fault;
  }
}

function operationRoutes(desk: ServerDesk): readonly Route[] {
  return operations(desk).map(({ path, reply, pages }) => {
    const readers = readerHeaders(pages === 'none' ? undefined : anyPage);
    return {
      path,
      methods: ['GET', 'HEAD'],
      serve: async (request, out) => {
        const made = await reply(request);
        const headers = [...made.headers, ...readers];
        return 'chunks' in made
          ? sendStream(desk, request, out, { ...made, headers })
          : send(desk, request, out, { ...made, headers });
      },
    };
  });
}

async function servePortal(
  desk: ServerDesk,
  door: PortalDoor,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const answered = await door.answer(request);
  return 'chunks' in answered
    ? sendStream(desk, request, reply, answered)
    : send(desk, request, reply, answered);
}

/** No key is looked at and nothing is counted: it is no call. */
function sendPreflight(desk: ServerDesk, request: FastifyRequest, reply: FastifyReply): void {
  // Browsers send HEAD, where it is answered, whether it is named or not.
  const methods = new Set([...desk.endpoints, batchEndpoint].map(({ method }) => method));
  send(desk, request, reply, preflightReply(request.id, methods));
}

function endpointRoutes(desk: ServerDesk, gate: Gate): readonly Route[] {
  const { ledger, accounts, releases, liveService, settings } = desk;
  const callDesk: Desk = {
    ledger,
    accounts,
    releases,
    liveService,
    answers: desk.figures.answers,
    failedKeys: new FailedKeys(settings.failedKeysPerMinute),
    publicUrl: settings.publicUrl,
    reportMissing: missingReporter(desk),
    gate,
    reportFault: (fault, requestId) => reportFault(desk, fault, requestId),
  };
  const sentKeys = new SentKeys();
  const routeOf = (questions: Questions, answerIt: AnswerCall): Route => ({
    path: `${basePath}${questions.endpoint.path}`,
    methods: [questions.endpoint.method],
    // Its promise is not Fastify's to wait for: whatever fails is answered here.
    serve: (request, reply) => {
      const key = sentKeys.read(request.raw.socket, one(request.headers['x-api-key']));
      serveCall(desk, request, reply, callOf(request, desk, callDesk, questions, key), answerIt);
    },
  });
  const asked = new Map<string, Questions>(
    desk.endpoints.map((endpoint) => [endpoint.path, new Questions(endpoint)]),
  );
  const batchDesk = { ...desk, findQuestions: (path: string) => asked.get(path) };
  const batch = routeOf(new Questions(batchEndpoint), (call) => answerBatch(call, batchDesk));
  return [
    ...[...asked.values()].map((questions) => routeOf(questions, answer)),
    { ...batch, bodyBytesMax: batchBounds.bodyBytesMax },
  ];
}

type AnswerCall = (call: Call) => AnsweredBatch | Promise<AnsweredBatch>;

async function serveCall(
  desk: ServerDesk,
  request: FastifyRequest,
  reply: FastifyReply,
  call: Call,
  answerIt: AnswerCall,
): Promise<void> {
  try {
    const answered = await answerIt(call);
    const { caller, creditsCharged, calls } = answered;
    const { path: endpoint, method } = call.questions.endpoint;
    const parameters = method === 'GET' && typeof call.sent === 'string' ? call.sent : undefined;
    const sent = { endpoint, caller, creditsCharged, calls, laps: call.laps, parameters };
    const sending = send(desk, request, reply, answered, sent);
    if (sending !== undefined) await sending;
  } catch (fault) {
    sendFault(desk, request, reply, fault);
  }
}

function callOf(
  request: FastifyRequest,
  { now, newChargeId, elapsedMs }: ServerDesk,
  desk: Desk,
  questions: Questions,
  key: SentKey | undefined,
): Call {
  const { headers, id } = request;
  return {
    questions,
    desk,
    key,
    keySlip: key === undefined ? keySlipOf(headers) : undefined,
    sent: questions.endpoint.method === 'GET' ? queryOf(request) : sentBody(request),
    ifNoneMatch: one(headers['if-none-match']),
    accept: headers.accept,
    sandboxOutcome: one(headers['x-sandbox-outcome']),
    idempotencyKey: one(headers['idempotency-key']),
    page: pageOf(headers, desk.publicUrl),
    fetchSite: one(headers['sec-fetch-site']),
    isGone: () => request.raw.socket.destroyed,
    address: () => request.ip,
    requestId: id,
    chargeId: newChargeId(),
    atMs: now(),
    laps: new Laps(elapsedMs, request.startedMs),
  };
}

function sentBody(request: FastifyRequest): string | Refusal {
  const { body, headers, routeOptions } = request;
  const odd = refuseNames(namesIn(request), []);
  if (odd !== undefined) return odd;
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') return codedBody();
  return bodyText(body) ?? bodyTooLarge(routeOptions.config.bodyBytesMax ?? usualBodyBytesMax);
}

/** The last resort: one request fails, the others go on. */
function sendFault(desk: ServerDesk, request: FastifyRequest, reply: FastifyReply, fault: unknown): void {
  reportFault(desk, fault, request.id);
  if (reply.raw.headersSent) reply.raw.destroy();
  else send(desk, request, reply, plainRefusal(desk, request, refuse('INTERNAL_SERVER_ERROR')));
}

function reportFault({ log, figures }: ServerDesk, fault: unknown, requestId: string): void {
  figures.faults.add(1);
  // The operator was told when it began.
  if (fault instanceof LedgerOutOfService) return;
  log.fault('request failed', fault, requestId);
}

/** Once a dataset: callers are told that it is missing, the operator what to do. */
function missingReporter({ log }: ServerDesk): Desk['reportMissing'] {
  const told = new Set<string>();
  return (dataset) => {
    if (told.has(dataset)) return;
    told.add(dataset);
    log.warn(
      `"${dataset}" was asked for, and no data of your own is loaded for it; \`domesday check\` says where its files are, \`domesday ingest PATH…\` loads them.`,
    );
  };
}

const oddBody = () =>
  refuse('INVALID_PARAMETER', 'Send the body as JSON, with Content-Type: application/json.', {
    field: 'body',
  });

/** A refusal outside the metered endpoints. */
function plainRefusal(
  { releases, settings }: ServerDesk,
  request: FastifyRequest,
  refusal: Refusal,
  { caller, headers = [] }: { readonly caller?: Caller | undefined; readonly headers?: Headers } = {},
): Reply {
  const { id } = request;
  const release = releases.live();
  const common = [
    ...requestHeaders(id),
    ...(release === undefined ? [] : dataHeaders(release)),
    ...readerHeaders(readersOf(pageOf(request.headers, settings.publicUrl), caller)),
  ];
  const reference = { requestId: id, publicUrl: settings.publicUrl };
  return refusalReply(refusal, reference, [...common, ...headers]);
}

function one(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}
