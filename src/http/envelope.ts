// Bodies and headers of replies: the one place that knows how the contract writes them.

import type { Endpoint, Refusal } from '../contract/endpoint.ts';
import type { DatasetName } from '../datasets.ts';
import { errors } from '../errors.ts';
import type { KnownAdmission, Limits, Mode, Window } from '../ledger/ledger.ts';
import type { Release } from '../release/reader.ts';

/** Names and values in turn, as Node writes them; each name once. */
export type Headers = string[];

export type Reply = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
};

export const jsonType = 'application/json; charset=utf-8';
export const csvType = 'text/csv; charset=utf-8';

/** Seconds a caller waits before a 503 is worth trying again. */
const unavailableRetrySeconds = 30;

export function refusalReply(
  { code, message, extras }: Refusal,
  requestId: string,
  headers: Headers,
  retrySeconds?: number,
): Reply {
  const { status } = errors[code];
  headers.push('content-type', jsonType, 'cache-control', 'no-store');
  const wait = retrySeconds ?? (status === 503 ? unavailableRetrySeconds : undefined);
  if (wait !== undefined) headers.push('retry-after', String(wait));
  const error = { code, message, ...extras, requestId, docs: `/docs#${code}` };
  return { status, headers, body: JSON.stringify({ success: false, error }) };
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
export function dataHeaders(headers: Headers, release: Release, datasets: readonly DatasetName[]): void {
  headers.push('x-data-release', release.id);
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
  if (asOf !== '') headers.push('x-data-as-of', asOf, 'x-data-source', sources);
}

export function billingHeaders(
  headers: Headers,
  { creditsCharged, creditsRemaining, refreshAtMs }: Bill,
): void {
  headers.push('x-credits-charged', String(creditsCharged), 'x-credits-remaining', String(creditsRemaining));
  if (refreshAtMs !== null) headers.push('x-credits-refresh-at', isoInstant(refreshAtMs));
}

const windowSeconds = { minute: 60, day: 86_400, month: 2_592_000 } as const satisfies Record<Window, number>;
const windows = ['minute', 'day', 'month'] as const;

/** The contract's X-RateLimit-* speak of the minute; the IETF pair names every window that has a limit. */
export function rateHeaders(headers: Headers, admission: KnownAdmission, atMs: number): void {
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
