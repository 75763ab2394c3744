// Bodies and headers of replies: the one place that knows how the contract writes them. Each reply has one list of headers,
// to which only this file adds: a list for every kind of header would cost more than the headers themselves.

import type { Answer, Endpoint } from '../contract/endpoint.ts';
import type { Refusal } from '../contract/refusal.ts';
import { type ErrorCode, errors } from '../errors.ts';
import type { KnownAdmission, Limits, Mode, Window } from '../ledger/ledger.ts';
import type { Release } from '../release/reader.ts';
import { type DataTold, membersOf, nothingTold } from './data-told.ts';

/** Names and values in turn, as Node writes them; each name once. */
export type Headers = readonly string[];

export type Reply = {
  readonly status: number;
  readonly headers: Headers;
  /** Bytes where the same page is sent to everybody: it need not be encoded each time. */
  readonly body: string | Buffer;
  readonly bodyBytes: number;
  /** Of a refusal. */
  readonly code?: ErrorCode | undefined;
};

export const jsonType = 'application/json; charset=utf-8';
const csvType = 'text/csv; charset=utf-8';

export function replyOf(status: number, headers: Headers, type: string, body: Reply['body']): Reply {
  const bodyBytes = Buffer.byteLength(body);
  const own = ['content-type', type, 'content-length', String(bodyBytes)];
  return { status, headers: [...headers, ...own], body, bodyBytes };
}

/** What every reply to a call says, whatever its outcome. */
export type CallFacts = Reference & {
  readonly atMs: number;
  readonly release: Release | undefined;
  readonly data: DataTold;
  /** Undefined where the reply may say nothing of one. */
  readonly account: { readonly admission: KnownAdmission; readonly bill: Bill } | undefined;
  /** Whether an earlier call with the same Idempotency-Key was charged for the answer. */
  readonly replayed: boolean;
  /** Pages that may read it: an origin or `*`; undefined where none may. */
  readonly readers: string | undefined;
};

function callHeaders(facts: CallFacts): string[] {
  const { requestId, atMs, release, account, readers } = facts;
  const headers = ['x-request-id', requestId];
  if (release !== undefined) headers.push('x-data-release', release.id);
  headers.push(...facts.data.headers);
  if (facts.replayed) headers.push(...replayedHeaders);
  if (account !== undefined) {
    addRate(headers, account.admission, atMs);
    addBilling(headers, account.bill);
  }
  if (readers !== undefined) headers.push(...readerHeaders(readers));
  return headers;
}

const replayedHeaders: Headers = ['idempotent-replayed', 'true'];

/** All that a page would otherwise not see of a reply. */
const exposed = [
  'ETag',
  'Link',
  'Allow',
  'Retry-After',
  'X-Request-Id',
  'Idempotent-Replayed',
  'X-Credits-Charged',
  'X-Credits-Remaining',
  'X-Credits-Refresh-At',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit',
  'RateLimit-Policy',
  'X-Data-Release',
  'X-Data-As-Of',
  'X-Data-Source',
  'X-Data-Coverage',
].join(', ');

export function readerHeaders(readers: string | undefined): Headers {
  return readers === undefined
    ? []
    : ['access-control-allow-origin', readers, 'access-control-expose-headers', exposed];
}

/** Where the account of a known key stands, for a reply that charges nothing. */
export function accountHeaders(admission: KnownAdmission, atMs: number): Headers {
  const headers: string[] = [];
  addRate(headers, admission, atMs);
  addBilling(headers, unchargedBill(admission));
  return headers;
}

export function unchargedBill({ caller: { mode }, standing }: KnownAdmission): Bill {
  const { creditsRemaining, refreshAtMs } = standing;
  return { mode, creditsCharged: 0, creditsRemaining, refreshAtMs };
}

/** `caching` are the headers that say how the answer may be kept. `unchanged` where the caller has it already. */
export function successReply(
  endpoint: Endpoint,
  answer: Answer | { readonly kind: 'unchanged' },
  caching: Headers,
  facts: CallFacts,
): Reply {
  const headers = callHeaders(facts);
  headers.push(...caching);
  if (answer.kind === 'unchanged') return { status: 304, headers, body: '', bodyBytes: 0 };
  const isCsv = answer.kind === 'tabulated';
  const body = isCsv ? answer.csv : successBody(endpoint, answer.json, facts.account?.bill);
  const bodyBytes = Buffer.byteLength(body);
  headers.push('content-type', isCsv ? csvType : jsonType, 'content-length', String(bodyBytes));
  return { status: 200, headers, body, bodyBytes };
}

/** `facts` and `account` are those of the batch as a whole; what concerns a call alone stands in its result. */
export function batchReply(
  results: readonly string[],
  facts: Pick<CallFacts, 'requestId' | 'publicUrl' | 'atMs' | 'release' | 'readers'>,
  account: { readonly admission: KnownAdmission; readonly bill: Bill },
): Reply {
  const headers = callHeaders({ ...facts, data: nothingTold, account, replayed: false });
  const body = `{"success":true,"results":[${results.join(',')}],"billing":${billingJson(account.bill)}}`;
  return replyOf(200, [...headers, 'cache-control', 'no-store'], jsonType, body);
}

/** The reply to one call of a batch, as JSON. What all of them would say alike is said by the batch. */
export type Result = {
  readonly status: number;
  /** Of a refusal. */
  readonly code: ErrorCode | undefined;
  readonly creditsCharged: number;
  readonly json: string;
};

export function successResult(
  endpoint: Endpoint,
  answer: Extract<Answer, { kind: 'answered' }>,
  facts: CallFacts,
): Result {
  const body = successBody(endpoint, answer.json, facts.account?.bill);
  return resultOf(200, facts, [], body);
}

export function refusalResult(refusal: Refusal, facts: CallFacts): Result {
  const { status } = errors[refusal.code];
  const retry = retryHeaders(refusal, status);
  return { ...resultOf(status, facts, retry, refusalBody(refusal, facts)), code: refusal.code };
}

/** `retry` says when to ask again. */
function resultOf(status: number, facts: CallFacts, retry: Headers, body: string): Result {
  const { account, data, replayed } = facts;
  const isUsual = !replayed && retry.length === 0;
  const own = isUsual
    ? data.members
    : membersOf([...data.headers, ...(replayed ? replayedHeaders : []), ...retry]);
  const creditsCharged = account?.bill.creditsCharged ?? 0;
  const json = `{"status":${status},"creditsCharged":${creditsCharged},"headers":{${own}},"body":${body}}`;
  return { status, code: undefined, creditsCharged, json };
}

/** Nobody reads it: it stands in the log and the usage, by the number that proxies use for a caller who left. */
export const unheardReply: Reply = { status: 499, headers: [], body: '', bodyBytes: 0 };
export const unheardResult: Result = { status: 499, code: undefined, creditsCharged: 0, json: '' };

export function callRefusalReply(refusal: Refusal, facts: CallFacts): Reply {
  return refusalReply(refusal, facts, callHeaders(facts));
}

/** What an error says of its request, and the address that its link is put behind. */
export type Reference = { readonly requestId: string; readonly publicUrl: string | undefined };

export const requestHeaders = (requestId: string): Headers => ['x-request-id', requestId];

/** `headers` are those that do not depend on the refusal. */
export function refusalReply(
  refusal: Refusal,
  reference: Reference,
  headers: Headers = requestHeaders(reference.requestId),
): Reply {
  const { status } = errors[refusal.code];
  const own = ['cache-control', 'no-store', 'vary', 'Origin', ...retryHeaders(refusal, status)];
  const body = refusalBody(refusal, reference);
  return { ...replyOf(status, [...headers, ...own], jsonType, body), code: refusal.code };
}

function refusalBody({ code, message, extras }: Refusal, { requestId, publicUrl = '' }: Reference): string {
  const error = { code, message, ...extras, requestId, docs: `${publicUrl}/docs/errors/${code}` };
  return JSON.stringify({ success: false, error });
}

function retryHeaders({ retrySeconds, extras }: Refusal, status: number): Headers {
  const told = typeof extras.retryAfterSeconds === 'number' ? extras.retryAfterSeconds : undefined;
  const wait = retrySeconds ?? told ?? (status === 503 ? unavailableRetrySeconds : undefined);
  return wait === undefined || wait === 'never' ? [] : ['retry-after', String(wait)];
}

/** Seconds a caller waits before a 503 is worth trying again. */
const unavailableRetrySeconds = 30;

/** What a call cost and where it left the account. */
export type Bill = {
  readonly mode: Mode;
  readonly creditsCharged: number;
  readonly creditsRemaining: number;
  readonly refreshAtMs: number | null;
};

function successBody({ envelope, credits }: Endpoint, answerJson: string, bill: Bill | undefined): string {
  const members = envelope === 'data' ? `"data":${answerJson}` : answerJson.slice(1, -1);
  const billing = credits > 0 && bill !== undefined ? `,"billing":${billingJson(bill)}` : '';
  return `{"success":true,${members}${billing}}`;
}

type AroundRemaining = { readonly bill: Bill; readonly start: string; readonly end: string };

// Bills mostly differ from the last one in what remains alone.
let last: AroundRemaining | undefined;

function billingJson(bill: Bill): string {
  if (last === undefined || !isAlikeButRemaining(bill, last.bill)) last = aroundRemaining(bill);
  return `${last.start}${bill.creditsRemaining}${last.end}`;
}

const isAlikeButRemaining = (one: Bill, other: Bill): boolean =>
  one.mode === other.mode &&
  one.creditsCharged === other.creditsCharged &&
  one.refreshAtMs === other.refreshAtMs;

function aroundRemaining(bill: Bill): AroundRemaining {
  const { mode, creditsCharged, refreshAtMs } = bill;
  const refreshAt = refreshAtMs === null ? 'null' : `"${isoInstant(refreshAtMs)}"`;
  const start = `{"mode":"${mode === 'test' ? 'sandbox' : 'prepaid'}","creditsCharged":${creditsCharged},"creditsRemaining":`;
  return { bill, start, end: `,"creditsRefreshAt":${refreshAt}}` };
}

export function dataHeaders(release: Release): Headers {
  return ['x-data-release', release.id];
}

function addBilling(headers: string[], { creditsCharged, creditsRemaining, refreshAtMs }: Bill): void {
  headers.push('x-credits-charged', String(creditsCharged), 'x-credits-remaining', String(creditsRemaining));
  if (refreshAtMs !== null) headers.push('x-credits-refresh-at', isoInstant(refreshAtMs));
}

/** As RateLimit-Policy has it, which may leave the length out: a calendar month has none of its own. */
const windowLength = { minute: ';w=60', day: ';w=86400', month: '' } as const satisfies Record<
  Window,
  string
>;
const windows = ['minute', 'day', 'month'] as const;

/** The contract's X-RateLimit-* speak of the minute; the IETF pair names every window that has a limit. */
function addRate(headers: string[], admission: KnownAdmission, atMs: number): void {
  const { limits, minuteRemaining, minuteResetAtMs } = admission.standing;
  if (limits.minute !== null && minuteRemaining !== null) {
    headers.push('x-ratelimit-limit', String(limits.minute));
    headers.push('x-ratelimit-remaining', String(minuteRemaining));
    headers.push('x-ratelimit-reset', String(Math.ceil(minuteResetAtMs / 1000)));
  }
  if (admission.kind === 'limited') {
    headers.push('ratelimit', `"${admission.window}";r=0;t=${secondsUntil(admission.resetAtMs, atMs)}`);
  } else if (minuteRemaining !== null) {
    headers.push('ratelimit', `"minute";r=${minuteRemaining};t=${secondsUntil(minuteResetAtMs, atMs)}`);
  }
  const policy = policyOf(limits);
  if (policy !== '') headers.push('ratelimit-policy', policy);
}

function policyOf(limits: Limits): string {
  let policy = '';
  for (const window of windows) {
    const limit = limits[window];
    if (limit === null) continue;
    policy += `${policy === '' ? '' : ', '}"${window}";q=${limit}${windowLength[window]}`;
  }
  return policy;
}

export function secondsUntil(momentMs: number, atMs: number): number {
  return Math.max(1, Math.ceil((momentMs - atMs) / 1000));
}

// Replies repeat the same instant, so the last one written is kept.
let lastInstant = { ms: Number.NaN, text: '' };

function isoInstant(ms: number): string {
  if (ms !== lastInstant.ms) lastInstant = { ms, text: new Date(ms).toISOString() };
  return lastInstant.text;
}
