// Bodies and headers of replies: the one place that knows how the contract writes them. Every function returns its own
// headers; a reply is put together from them once.

import type { Endpoint } from '../contract/endpoint.ts';
import type { Refusal } from '../contract/refusal.ts';
import { errors } from '../errors.ts';
import type { KnownAdmission, Limits, Mode, Window } from '../ledger/ledger.ts';
import type { Release } from '../release/reader.ts';

/** Names and values in turn, as Node writes them; each name once. */
export type Headers = readonly string[];

export type Reply = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
};

export const jsonType = 'application/json; charset=utf-8';
export const csvType = 'text/csv; charset=utf-8';

/** Seconds a caller waits before a 503 is worth trying again. */
const unavailableRetrySeconds = 30;

/** `headers` are those that do not depend on the refusal. */
export function refusalReply(refusal: Refusal, requestId: string, headers: Headers = []): Reply {
  const { code, message, extras } = refusal;
  const { status } = errors[code];
  const error = { code, message, ...extras, requestId, docs: `/docs#${code}` };
  return {
    status,
    headers: [
      ...requestHeaders(requestId),
      ...headers,
      ...['content-type', jsonType, 'cache-control', 'no-store'],
      ...retryHeaders(refusal, status),
    ],
    body: JSON.stringify({ success: false, error }),
  };
}

export const requestHeaders = (requestId: string): Headers => ['x-request-id', requestId];

function retryHeaders({ retrySeconds, extras }: Refusal, status: number): Headers {
  const told = typeof extras.retryAfterSeconds === 'number' ? extras.retryAfterSeconds : undefined;
  const wait = retrySeconds ?? told ?? (status === 503 ? unavailableRetrySeconds : undefined);
  return wait === undefined ? [] : ['retry-after', String(wait)];
}

/** What a call cost and where it left the account. */
export type Bill = {
  readonly mode: Mode;
  readonly creditsCharged: number;
  readonly creditsRemaining: number;
  readonly refreshAtMs: number | null;
};

export function successBody({ envelope, credits }: Endpoint, answerJson: string, bill: Bill): string {
  const members = envelope === 'data' ? `"data":${answerJson}` : answerJson.slice(1, -1);
  const billing = credits > 0 ? `,"billing":${billingJson(bill)}` : '';
  return `{"success":true,${members}${billing}}`;
}

function billingJson({ mode, creditsCharged, creditsRemaining, refreshAtMs }: Bill): string {
  const refreshAt = refreshAtMs === null ? 'null' : `"${isoInstant(refreshAtMs)}"`;
  return `{"mode":"${mode === 'test' ? 'sandbox' : 'prepaid'}","creditsCharged":${creditsCharged},"creditsRemaining":${creditsRemaining},"creditsRefreshAt":${refreshAt}}`;
}

/** Of several datasets the oldest date: nothing in the answer is older. */
export function dataHeaders(release: Release, datasets: readonly string[]): Headers {
  let asOf = '';
  let sources = '';
  for (const name of datasets) {
    const entry = release.findDataset(name);
    if (entry === undefined) continue;
    if (asOf === '' || entry.asOf < asOf) asOf = entry.asOf;
    // A dataset of two publishers names both.
    if (sources === '') sources = entry.publisherShort;
    else {
      const known = new Set([...sources.split(', '), ...entry.publisherShort.split(', ')]);
      sources = [...known].join(', ');
    }
  }
  return asOf === ''
    ? ['x-data-release', release.id]
    : ['x-data-release', release.id, 'x-data-as-of', asOf, 'x-data-source', sources];
}

export function billingHeaders({ creditsCharged, creditsRemaining, refreshAtMs }: Bill): Headers {
  const charged = String(creditsCharged);
  const remaining = String(creditsRemaining);
  return refreshAtMs === null
    ? ['x-credits-charged', charged, 'x-credits-remaining', remaining]
    : [
        ...['x-credits-charged', charged, 'x-credits-remaining', remaining],
        ...['x-credits-refresh-at', isoInstant(refreshAtMs)],
      ];
}

const windowSeconds = { minute: 60, day: 86_400, month: 2_592_000 } as const satisfies Record<Window, number>;
const windows = ['minute', 'day', 'month'] as const;

/** The contract's X-RateLimit-* speak of the minute; the IETF pair names every window that has a limit. */
export function rateHeaders(admission: KnownAdmission, atMs: number): Headers {
  const { limits, minuteRemaining, minuteResetAtMs } = admission.standing;
  const headers: string[] = [];
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
  return headers;
}

function policyOf(limits: Limits): string {
  let policy = '';
  for (const window of windows) {
    const limit = limits[window];
    if (limit === null) continue;
    policy += `${policy === '' ? '' : ', '}"${window}";q=${limit};w=${windowSeconds[window]}`;
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
