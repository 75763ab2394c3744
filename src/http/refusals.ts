// The refusals that every endpoint shares, with their own sentences: keys, limits, the sandbox, missing data, faults.

import { batchBounds } from '../contract/batch.ts';
import { type Endpoint, storageFault, unexpectedFault } from '../contract/endpoint.ts';
import { type Refusal, refuse } from '../contract/refusal.ts';
import type { DatasetName } from '../datasets.ts';
import { type ErrorCode, errors, isErrorCode } from '../errors.ts';
import { parseOrigin } from '../ledger/binding.ts';
import { type Caller, type KnownAdmission, LedgerOutOfService, LedgerUnavailable } from '../ledger/ledger.ts';
import { publicCaller, publicKeyHash } from '../ledger/public-sandbox.ts';
import { isGuest } from '../ledger/visitors/guests.ts';
import { ReleaseDamaged } from '../release/reader.ts';
import type { Call } from './call.ts';
import { secondsUntil } from './envelope.ts';
import type { KeySlip } from './wire/sent-keys.ts';

/** What can be seen without a look at the keys that there are. */
const slips: Readonly<Record<KeySlip, string>> = {
  'none sent': 'This call has no API key; send a valid API key in the X-API-Key header.',
  'in Authorization':
    'The API key is read from the X-API-Key header, not from Authorization; send a valid API key there.',
  'not a key':
    'What this call has in X-API-Key is not an API key; copy the whole key again, without quotes or a word before it, and send it in the X-API-Key header.',
};

/** The same for all three: nobody learns which keys there are or were. */
const keyUnknown =
  'This API key is unknown, revoked or expired; send a valid API key in the X-API-Key header.';

/** It is the same everywhere and no secret, so that nothing is given away. */
const publicKeyOff =
  'The public sandbox key is switched off on this service; send an API key of your own in the X-API-Key header. Make one at /account, or ask whoever runs the service for one.';

/** Counts the failure against the address it came from; one that keeps failing is told to wait. */
export function noValidKey({ key, keySlip, questions, desk: { failedKeys }, address, atMs }: Call): Refusal {
  const failure = failedKeys.count(address(), atMs);
  if (failure.kind === 'counted') {
    const unknown = key?.hash === publicKeyHash ? publicKeyOff : keyUnknown;
    return refuse(questions.endpoint.unauthorised, keySlip === undefined ? unknown : slips[keySlip]);
  }
  const message = 'Too many calls without a valid API key from this address; wait, then send a valid key.';
  const refusal = refuse('RATE_LIMITED', message, { window: 'minute', limit: failedKeys.perMinute });
  return { ...refusal, retrySeconds: secondsUntil(failure.resetAtMs, atMs) };
}

/** `sent` is told again only where it is an origin at all. */
export function originNotAllowed(sent: string | undefined): Refusal {
  return refuse('KEY_NOT_ALLOWED', wrongOrigin(sent), { reason: 'origin' });
}

function wrongOrigin(sent: string | undefined): string {
  if (sent === undefined) {
    return 'A publishable key works only on web pages of its origins, and this call has no `Origin`, which browsers send to another host; on a server, send a live key.';
  }
  if (sent === 'null') {
    return 'A page opened from a file or in a sandboxed frame has no origin that a key could allow; serve it from an address, or send a test key.';
  }
  const origin = parseOrigin(sent) ?? 'the origin in the call';
  return `This key does not allow ${origin}; call from a page on one of its origins, or ask for a key for this one.`;
}

export function endpointNotAllowed(endpoints: readonly string[]): Refusal {
  const message = `This key works only for ${endpoints.join(', ')}; use another key here, or ask for one for this endpoint.`;
  return refuse('KEY_NOT_ALLOWED', message, { reason: 'endpoint', endpoints });
}

/** Who opens a page can read its key, so that it tells of the account only where it was made to. */
export function accountNotAllowed(path: string): Refusal {
  const message = `A key for web pages shows nothing about its account unless it names ${path}; use a live key on a server, or ask for such a key.`;
  return refuse('KEY_NOT_ALLOWED', message, { reason: 'endpoint' });
}

/** Neither the address nor the blocks are told: who calls from elsewhere is a stranger. */
export const addressNotAllowed = (): Refusal =>
  refuse(
    'KEY_NOT_ALLOWED',
    'This key does not allow the address of this call; call from one of its addresses, or ask for this one to be added.',
    { reason: 'address' },
  );

export const onlyOwnPages = (): Refusal =>
  refuse(
    'KEY_NOT_ALLOWED',
    'A key that the dashboard made works only on its own pages; make a live key for programs, or a publishable key for other pages.',
    { reason: 'origin' },
  );

export const accountSuspended = (): Refusal => refuse('ACCOUNT_SUSPENDED');

export function rateLimited(admission: Extract<KnownAdmission, { kind: 'limited' }>, atMs: number): Refusal {
  const { caller, window, limit, resetAtMs } = admission;
  const retrySeconds = secondsUntil(resetAtMs, atMs);
  const again = `try again in ${retrySeconds === 1 ? '1 second' : `${retrySeconds} seconds`}`;
  const message = `${whoseLimit(caller, `${limit} requests per ${window}`, again)}.`;
  return { ...refuse('RATE_LIMITED', message, { window, limit }), retrySeconds };
}

function whoseLimit(caller: Caller, limit: string, again: string): string {
  const { keyId, mode } = caller;
  if (keyId === publicCaller.keyId)
    return `The public sandbox key allows ${limit} and address; ${again}, or use a test key of your own`;
  if (isGuest(caller))
    return `Visitors who are not signed in get ${limit} here, and these are used up; ${again}, or sign in and use credits of your own`;
  // Test keys have a bucket of their own.
  return `${mode === 'test' ? "The sandbox's" : "The account's"} limit of ${limit} is reached; ${again}`;
}

/** How long the sandbox's 429 asks to wait: to the end of a whole minute. */
const sandboxRetrySeconds = 60;

const codeIn = (wanted: string): string => wanted.trim().toUpperCase();

export const isOutcome = (wanted: string | undefined, code: ErrorCode): boolean =>
  wanted !== undefined && codeIn(wanted) === code;

/** The error that a test key asks for with X-Sandbox-Outcome. */
export function rehearsed(endpoint: Endpoint, wanted: string): Refusal {
  const code = codeIn(wanted);
  if (!isErrorCode(code) || !endpoint.errors.includes(code)) {
    const message = `X-Sandbox-Outcome must be one of ${endpoint.errors.join(', ')}.`;
    return refuse('INVALID_PARAMETER', message, { field: 'X-Sandbox-Outcome' });
  }
  const { status, message, extras } = errors[code];
  const refusal = refuse(code, message, extras);
  return status === 429 ? { ...refusal, retrySeconds: sandboxRetrySeconds } : refusal;
}

export function wrongMethod(allowed: readonly string[]): Refusal {
  const message = `This path takes only ${allowed.join(' and ')}; send the call as ${allowed[0]}.`;
  return refuse('METHOD_NOT_ALLOWED', message);
}

export function bodyTooLarge(bytesMax: number): Refusal {
  return refuse('INVALID_PARAMETER', `Send a body of at most ${bytesMax} bytes.`, { field: 'body' });
}

export const codedBody = (): Refusal =>
  refuse(
    'INVALID_PARAMETER',
    'Send the body without Content-Encoding; the service does not accept compressed bodies.',
    { field: 'body' },
  );

const visibleCharacters = /^[!-~]{1,255}$/;

export const isVisibleKey = (idempotencyKey: string): boolean => visibleCharacters.test(idempotencyKey);

export function oddIdempotencyKey(): Refusal {
  const message = 'Send `Idempotency-Key` once, as 1 to 255 visible ASCII characters without spaces.';
  return refuse('INVALID_PARAMETER', message, { field: 'Idempotency-Key' });
}

export function keyOfAnotherCall(): Refusal {
  const message =
    'This `Idempotency-Key` belongs to another call from the last 24 hours; send a new key with each new call.';
  return refuse('INVALID_PARAMETER', message, { field: 'Idempotency-Key' });
}

/** For a call of a batch that was not looked up because the calls before it used the batch up. */
export function batchExhausted(bound: 'bytes' | 'seconds'): Refusal {
  const reached =
    bound === 'bytes'
      ? `The answers of a batch may have at most ${batchBounds.answerBytesMax} bytes`
      : `A batch may take at most ${batchBounds.secondsMost} seconds`;
  const message = `${reached}; send this call again in another batch, or by itself.`;
  return { ...refuse('BATCH_EXHAUSTED', message, { bound }), retrySeconds: 'never' };
}

/** A replica fetches its first one as soon as it can. */
export const noReleaseYet = (): Refusal =>
  refuse('SERVICE_UNAVAILABLE', 'This service has no data yet and is fetching it; try again in a moment.');

/** Waiting does not load it, so that no time is told. */
export function notLoaded(dataset: DatasetName): Refusal {
  const message = `This service has no data for this endpoint ("${dataset}" is not loaded); /api/v1/datasets lists what it has.`;
  return { ...refuse('SERVICE_UNAVAILABLE', message, { dataset }), retrySeconds: 'never' };
}

export const noOwnData = 'no data of your own is loaded: domesday update';

/** As `notLoaded`, where the sample of the program is there: it is for whoever tries the service on a machine of their own. */
export function onlySample(dataset: DatasetName): Refusal {
  const message = `Live keys get no answer here ("${dataset}" is only the bundled sample), since ${noOwnData}. Test keys work.`;
  return { ...refuse('SERVICE_UNAVAILABLE', message, { dataset }), retrySeconds: 'never' };
}

/** `refreshAtMs` is null where the balance does not renew. */
export function tooFewCredits(refreshAtMs: number | null): Refusal {
  const remedy =
    refreshAtMs === null
      ? 'and its credits do not renew; ask for more, or for a plan'
      : `add credits, or wait for the monthly refresh on ${new Date(refreshAtMs).toISOString().slice(0, 10)}`;
  const glue = refreshAtMs === null ? ', ' : '; ';
  return refuse('INSUFFICIENT_CREDITS', `The account has too few credits for this call${glue}${remedy}.`);
}

/** A failure of ours says nothing of its cause: that stands in the log. */
export function ourFault(endpoint: Endpoint, fault: unknown): Refusal {
  if (fault instanceof LedgerOutOfService && fault.howLong === 'for good') {
    const message = 'The service cannot meter calls at present; its operator has been told.';
    return { ...refuse('SERVICE_UNAVAILABLE', message), retrySeconds: 'never' };
  }
  if (fault instanceof LedgerOutOfService) {
    return refuse(
      'SERVICE_UNAVAILABLE',
      'The service cannot meter calls at the moment; try again after Retry-After.',
    );
  }
  const isStorage = fault instanceof LedgerUnavailable || fault instanceof ReleaseDamaged;
  return refuse(isStorage ? storageFault(endpoint) : unexpectedFault(endpoint));
}
