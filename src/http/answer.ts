// One request to one endpoint, its stages in order: key, rate limit, parameters, balance, lookup, charge, reply.

import {
  type Endpoint,
  type Form,
  type Outcome,
  type Refusal,
  refuse,
  storageFault,
  type Upstream,
  unexpectedFault,
} from '../contract/endpoint.ts';
import type { DatasetName } from '../datasets.ts';
import { errors, isErrorCode } from '../errors.ts';
import {
  type Admission,
  type Caller,
  type ChargeResult,
  type KnownAdmission,
  type Ledger,
  LedgerUnavailable,
  type Mode,
} from '../ledger/ledger.ts';
import { type Release, ReleaseDamaged } from '../release/reader.ts';
import { londonToday } from '../uk/calendar.ts';
import {
  type Bill,
  billingHeaders,
  csvType,
  dataHeaders,
  type Headers,
  jsonType,
  type Reply,
  rateHeaders,
  refusalReply,
  secondsUntil,
  successBody,
} from './envelope.ts';
import type { FailedKeys } from './failed-keys.ts';
import type { Answer, Questions } from './questions.ts';

export type Incoming = {
  /** Of the API key; undefined where none was sent, or nothing that could be one. */
  readonly keyHash: string | undefined;
  /** As it stands in the URL, after the question mark. */
  readonly query: string;
  readonly ifNoneMatch: string | undefined;
  readonly accept: string | undefined;
  readonly sandboxOutcome: string | undefined;
  /** Asked for only when a key is refused. */
  readonly address: () => string;
  readonly requestId: string;
  /** Made here, unlike the request id, which a caller may choose: what a charge is keyed by. */
  readonly chargeId: string;
  readonly atMs: number;
};

export type Desk = {
  readonly ledger: Ledger;
  readonly releases: { readonly live: () => Release; readonly sandbox: () => Release | Promise<Release> };
  readonly failedKeys: FailedKeys;
  readonly upstream?: Upstream;
  readonly reportFault: (fault: unknown, requestId: string) => void;
};

export type Answered = Reply & { readonly caller: Caller | undefined; readonly creditsCharged: number };

/** What the stages came to. `bill` where the ledger has counted the call already. */
type Verdict =
  | {
      readonly kind: 'refused';
      readonly refusal: Refusal;
      readonly retrySeconds?: number;
      readonly bill?: Bill;
    }
  | { readonly kind: 'unchanged'; readonly etag: string }
  | {
      readonly kind: 'answered';
      readonly outcome: Exclude<Outcome, Refusal>;
      readonly etag: string;
      readonly bill?: Bill;
    };

export async function answer(questions: Questions, incoming: Incoming, desk: Desk): Promise<Answered> {
  const { endpoint } = questions;
  const headers: Headers = ['x-request-id', incoming.requestId];
  let admission: Admission;
  try {
    const admitting = admit(incoming, desk);
    admission = admitting instanceof Promise ? await admitting : admitting;
  } catch (fault) {
    const refusal = faultRefusal(fault, endpoint, incoming, desk);
    return { ...refusalReply(refusal, incoming.requestId, headers), caller: undefined, creditsCharged: 0 };
  }
  if (admission.kind === 'unknown') return unknownKeyReply(endpoint, incoming, desk, headers);
  const release = admission.caller.mode === 'test' ? await desk.releases.sandbox() : desk.releases.live();
  const voice: Voice = { speakers: endpoint.speakers };
  let verdict: Verdict;
  try {
    const deciding = decide(questions, incoming, desk, admission, release, voice);
    // Most is decided at once; a promise for nothing would cost as much as reading the parameters.
    const decided = deciding instanceof Promise ? await deciding : deciding;
    if (decided.kind === 'due') {
      const { atMs, chargeId, requestId } = incoming;
      const { caller } = admission;
      const { credits } = decided;
      const charge = { caller, endpoint: endpoint.path, atMs, chargeId, requestId, credits };
      verdict = paid(decided, caller.mode, await desk.ledger.charge(charge));
    } else verdict = decided;
  } catch (fault) {
    verdict = { kind: 'refused', refusal: faultRefusal(fault, endpoint, incoming, desk) };
  }
  dataHeaders(headers, release, voice.speakers);
  return compose(endpoint, incoming, desk, admission, verdict, headers);
}

/** Which datasets the X-Data headers speak of, as far as is known. */
type Voice = { speakers: readonly DatasetName[] };

/** An answer that is still to be paid for. */
type Due = {
  readonly kind: 'due';
  readonly outcome: Answer['outcome'];
  readonly etag: string;
  readonly credits: number;
};

function decide(
  questions: Questions,
  incoming: Incoming,
  desk: Desk,
  admission: KnownAdmission,
  release: Release,
  voice: Voice,
): Verdict | Due | Promise<Verdict | Due> {
  const { endpoint } = questions;
  const { caller, standing } = admission;
  if (admission.kind === 'limited') return rateLimited(admission, incoming.atMs);
  if (caller.mode === 'test' && incoming.sandboxOutcome !== undefined) {
    return sandboxOutcome(endpoint, incoming.sandboxOutcome);
  }
  const question = questions.find(incoming.query);
  const { prepared } = question;
  if (prepared.kind === 'refused') return { kind: 'refused', refusal: prepared };

  const today = londonToday(incoming.atMs);
  const form = formOf(endpoint, incoming.accept);
  const asked = questions.ask(question, prepared, release, today, form);
  const { etag } = asked;
  if (etagMatches(incoming.ifNoneMatch, etag)) return { kind: 'unchanged', etag };
  const credits = caller.mode === 'test' ? 0 : endpoint.credits;
  if (credits > standing.creditsRemaining) return refused('INSUFFICIENT_CREDITS');
  if (asked.answer !== undefined) {
    voice.speakers = asked.answer.speakers;
    return priced(asked.answer.outcome, etag, credits);
  }
  const missing = endpoint.datasets.find((name) => release.findDataset(name) === undefined);
  if (missing !== undefined) return notLoaded(missing);

  const upstream = caller.mode === 'test' ? {} : (desk.upstream ?? {});
  const cite = (dataset: DatasetName | undefined) => {
    voice.speakers = dataset === undefined ? [] : [dataset];
  };
  const running = prepared.run({ release, today, upstream, cite }, form);
  if (running instanceof Promise) return running.then((outcome) => priced(outcome, etag, credits));
  if (running.kind !== 'refused') questions.keep(asked, { outcome: running, speakers: voice.speakers });
  return priced(running, etag, credits);
}

function priced(outcome: Outcome, etag: string, credits: number): Verdict | Due {
  if (outcome.kind === 'refused') {
    const { retryAfterSeconds } = outcome.extras;
    const retry = typeof retryAfterSeconds === 'number' ? { retrySeconds: retryAfterSeconds } : {};
    return { kind: 'refused', refusal: outcome, ...retry };
  }
  return credits === 0 ? { kind: 'answered', outcome, etag } : { kind: 'due', outcome, etag, credits };
}

function paid({ outcome, etag, credits }: Due, mode: Mode, charge: ChargeResult): Verdict {
  const { creditsRemaining, refreshAtMs } = charge;
  if (charge.kind === 'charged') {
    const bill = { mode, creditsCharged: credits, creditsRemaining, refreshAtMs };
    return { kind: 'answered', outcome, etag, bill };
  }
  const bill = { mode, creditsCharged: 0, creditsRemaining, refreshAtMs };
  return { kind: 'refused', refusal: refuse('INSUFFICIENT_CREDITS'), bill };
}

/** The verdict as the contract writes it, and its usage counted unless the charge did. */
function compose(
  endpoint: Endpoint,
  { requestId, atMs }: Incoming,
  { ledger }: Desk,
  admission: KnownAdmission,
  verdict: Verdict,
  headers: Headers,
): Answered {
  const { caller, standing } = admission;
  const billed = verdict.kind === 'unchanged' ? undefined : verdict.bill;
  const { creditsRemaining, refreshAtMs } = standing;
  const bill = billed ?? { mode: caller.mode, creditsCharged: 0, creditsRemaining, refreshAtMs };
  const { creditsCharged } = bill;
  const status =
    verdict.kind === 'refused'
      ? errors[verdict.refusal.code].status
      : verdict.kind === 'unchanged'
        ? 304
        : 200;
  if (billed === undefined) ledger.record({ caller, endpoint: endpoint.path, atMs, status });
  // A 401 says nothing of an account; only the sandbox can come here with one.
  if (status !== 401) {
    rateHeaders(headers, admission, atMs);
    billingHeaders(headers, bill);
  }
  if (verdict.kind === 'refused') {
    const { refusal, retrySeconds } = verdict;
    return { ...refusalReply(refusal, requestId, headers, retrySeconds), caller, creditsCharged };
  }
  headers.push('etag', verdict.etag, 'cache-control', cacheControl(endpoint), 'vary', varyOf(endpoint));
  if (verdict.kind === 'unchanged') return { status, headers, body: '', caller, creditsCharged };
  const { outcome } = verdict;
  const isCsv = outcome.kind === 'tabulated';
  headers.push('content-type', isCsv ? csvType : jsonType);
  const body = isCsv ? outcome.csv : successBody(endpoint, outcome.json, bill);
  return { status, headers, body, caller, creditsCharged };
}

function admit({ keyHash, atMs }: Incoming, { ledger }: Desk): Admission | Promise<Admission> {
  return keyHash === undefined ? { kind: 'unknown' } : ledger.admit(keyHash, atMs);
}

function unknownKeyReply(endpoint: Endpoint, incoming: Incoming, desk: Desk, headers: Headers): Answered {
  const { address, requestId, atMs } = incoming;
  dataHeaders(headers, desk.releases.live(), endpoint.speakers);
  const nobody = { caller: undefined, creditsCharged: 0 };
  const failure = desk.failedKeys.count(address(), atMs);
  if (failure.kind === 'counted') {
    return { ...refusalReply(refuse(endpoint.unauthorised), requestId, headers), ...nobody };
  }
  const message = 'Too many calls without a valid API key from this address; wait, then send a valid key.';
  const refusal = refuse('RATE_LIMITED', message, { window: 'minute', limit: desk.failedKeys.perMinute });
  return { ...refusalReply(refusal, requestId, headers, secondsUntil(failure.resetAtMs, atMs)), ...nobody };
}

const refused = (code: Refusal['code']): Verdict => ({ kind: 'refused', refusal: refuse(code) });

function rateLimited(admission: Extract<Admission, { kind: 'limited' }>, atMs: number): Verdict {
  const { window, limit, resetAtMs } = admission;
  const retrySeconds = secondsUntil(resetAtMs, atMs);
  const message = `The account's limit of ${limit} requests per ${window} is reached; try again in ${retrySeconds} seconds.`;
  return { kind: 'refused', refusal: refuse('RATE_LIMITED', message, { window, limit }), retrySeconds };
}

/** How long the sandbox's 429 asks to wait: to the end of a whole minute. */
const sandboxRetrySeconds = 60;

function sandboxOutcome(endpoint: Endpoint, wanted: string): Verdict {
  const code = wanted.trim().toUpperCase();
  if (!isErrorCode(code) || !endpoint.errors.includes(code)) {
    const message = `X-Sandbox-Outcome must be one of ${endpoint.errors.join(', ')}.`;
    return { kind: 'refused', refusal: refuse('INVALID_PARAMETER', message, { field: 'X-Sandbox-Outcome' }) };
  }
  const { status, message, extras } = errors[code];
  const refusal = refuse(code, message, extras);
  return status === 429
    ? { kind: 'refused', refusal, retrySeconds: sandboxRetrySeconds }
    : { kind: 'refused', refusal };
}

function notLoaded(dataset: string): Verdict {
  const message = `The dataset "${dataset}" behind this endpoint is not loaded yet; its operator can load it with "domesday ingest".`;
  return { kind: 'refused', refusal: refuse('SERVICE_UNAVAILABLE', message, { dataset }) };
}

function faultRefusal(fault: unknown, endpoint: Endpoint, { requestId }: Incoming, desk: Desk): Refusal {
  desk.reportFault(fault, requestId);
  const isStorage = fault instanceof LedgerUnavailable || fault instanceof ReleaseDamaged;
  return refuse(isStorage ? storageFault(endpoint) : unexpectedFault(endpoint));
}

function cacheControl({ maxAgeSeconds }: Endpoint): string {
  return maxAgeSeconds > 0 ? `private, max-age=${maxAgeSeconds}` : 'private, no-cache';
}

const varyOf = ({ forms }: Endpoint): string => (forms.length > 1 ? 'X-API-Key, Accept' : 'X-API-Key');

/** CSV only where it is asked for by name, and not less than JSON. */
function formOf({ forms }: Endpoint, accept: string | undefined): Form {
  if (accept === undefined || !forms.includes('csv')) return 'json';
  const weights = new Map<string, number>();
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...options] = range.split(';').map((part) => part.trim());
    const weight = options.find((option) => option.startsWith('q='))?.slice(2);
    weights.set(type, weight === undefined ? 1 : Number(weight) || 0);
  }
  const csv = weights.get('text/csv') ?? 0;
  return csv > 0 && csv >= (weights.get('application/json') ?? 0) ? 'csv' : 'json';
}

function etagMatches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const opaque = etag.slice(2);
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === opaque);
}
