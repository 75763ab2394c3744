// What a batch is: many calls in one body, each with its path and parameters. Read here as a whole; what a single call of it
// means is its endpoint's business.

import type { ErrorCode } from '../errors.ts';
import { isObject, type JsonObject } from '../json.ts';
import type { Endpoint } from './endpoint.ts';
import { parseObject, shown } from './input.ts';
import { type Refusal, refuse } from './refusal.ts';

/** Documented in the guide and in OpenAPI from here. */
export const batchBounds = {
  callsMost: 100,
  bodyBytesMax: 262_144,
  /** Of all answers together. */
  answerBytesMax: 8_388_608,
  /** After so long no further call is looked up. */
  secondsMost: 20,
} as const;

/** One call of a batch. Its path and parameters may still be wrong: then it is answered as that single call would be. */
export type BatchCall = {
  readonly path: string;
  readonly params: JsonObject;
  readonly idempotencyKey: string | undefined;
  readonly sandboxOutcome: string | undefined;
};

/** Errors of the batch as a whole. */
const codes = [
  'INVALID_PARAMETER',
  'AUTHENTICATION_REQUIRED',
  'KEY_NOT_ALLOWED',
  'ACCOUNT_SUSPENDED',
  'RATE_LIMITED',
  'INTERNAL_SERVER_ERROR',
  'DATABASE_ERROR',
  'SERVICE_UNAVAILABLE',
] as const satisfies readonly ErrorCode[];

/** As far as a batch is an endpoint: it has a path, is counted, and refuses as one. Nothing is looked up for it. */
export const batchEndpoint: Endpoint = {
  method: 'POST',
  path: '/batch',
  summary: 'Many calls in one request',
  description:
    'Sends up to 100 calls in one request. The answers come in the same order, each with the status and body that it would have by itself. Each call counts as one call in every rate-limit window, and each is charged by itself.',
  credits: 0,
  envelope: 'top-level',
  isPaged: false,
  unauthorised: 'AUTHENTICATION_REQUIRED',
  datasets: [],
  needs: [],
  grounds: { datasets: [], publisher: undefined, asOf: undefined, shortage: undefined, charge: 'usual' },
  maxAgeSeconds: 0,
  params: {},
  errors: codes,
  answer: { schema: {} },
  csv: [],
  prepare: () => {
    throw new Error('A batch has no question of its own.');
  },
};

/** Refuses what cannot be read at all, so that nothing of it is answered or charged. */
export function readBatch(
  text: string,
  findEndpoint: (path: string) => Endpoint | undefined,
): readonly BatchCall[] | Refusal<'INVALID_PARAMETER'> {
  const sent = parseObject(text, `with ${forms}`);
  if (sent.kind === 'refused') return sent;
  const { members: body } = sent;
  const isShort = 'postcodes' in body;
  const stranger = strangerIn(body, isShort ? ['path', 'postcodes', 'params'] : ['calls']);
  if (stranger !== undefined) {
    return refuseField('body', `Send the body without ${shown(stranger)}: it may have only ${forms}.`);
  }
  return isShort ? readPostcodes(body, findEndpoint) : readCalls(body);
}

const forms = 'either `calls`, or `path`, `postcodes` and, if you need it, `params`';

function readCalls({ calls }: JsonObject): readonly BatchCall[] | Refusal<'INVALID_PARAMETER'> {
  if (!Array.isArray(calls)) return refuseField('calls', `Send \`calls\` as a list of ${range} calls.`);
  if (isOutside(calls)) return refuseField('calls', `Send ${range} calls in \`calls\`; ${counted(calls)}.`);
  const read: BatchCall[] = [];
  for (const [place, call] of calls.entries()) {
    const one = readCall(call, `calls[${place}]`);
    if ('kind' in one) return one;
    read.push(one);
  }
  return read;
}

const callMembers = ['path', 'params', 'idempotencyKey', 'sandboxOutcome'];

function readCall(call: unknown, at: string): BatchCall | Refusal<'INVALID_PARAMETER'> {
  if (!isObject(call)) {
    return refuseField(at, 'Send each call as an object, such as {"path": "/bank-rates", "params": {}}.');
  }
  const stranger = strangerIn(call, callMembers);
  if (stranger !== undefined) {
    return refuseField(
      at,
      `Send the call without ${shown(stranger)}: it may have only ${callMembers.join(', ')}.`,
    );
  }
  const { path, params = {}, idempotencyKey, sandboxOutcome } = call;
  if (typeof path !== 'string')
    return refuseField(`${at}.path`, 'Send `path` as text, such as "/bank-rates".');
  if (!isObject(params))
    return refuseField(`${at}.params`, 'Send `params` as an object with one member for each parameter.');
  if (!isTextOrAbsent(idempotencyKey))
    return refuseField(`${at}.idempotencyKey`, 'Send `idempotencyKey` as text, or leave it out.');
  if (!isTextOrAbsent(sandboxOutcome))
    return refuseField(`${at}.sandboxOutcome`, 'Send `sandboxOutcome` as text, or leave it out.');
  return { path, params, idempotencyKey, sandboxOutcome };
}

/** The short form: one path for many postcodes. */
function readPostcodes(
  { path, postcodes, params = {} }: JsonObject,
  findEndpoint: (path: string) => Endpoint | undefined,
): readonly BatchCall[] | Refusal<'INVALID_PARAMETER'> {
  if (typeof path !== 'string') {
    return refuseField('path', 'Send `path` as text, such as "/council-tax/lookup".');
  }
  if (!isObject(params))
    return refuseField('params', 'Send `params` as an object with one member for each parameter.');
  if ('postcode' in params) {
    return refuseField('params.postcode', 'Send postcodes only in `postcodes`, not in `params`.');
  }
  if (!Array.isArray(postcodes)) {
    return refuseField('postcodes', `Send \`postcodes\` as a list of ${range} postcodes.`);
  }
  if (isOutside(postcodes)) {
    return refuseField('postcodes', `Send ${range} postcodes in \`postcodes\`; ${counted(postcodes)}.`);
  }
  const odd = postcodes.findIndex((postcode) => typeof postcode !== 'string');
  if (odd !== -1) return refuseField(`postcodes[${odd}]`, 'Send each postcode as text.');
  const endpoint = findEndpoint(path);
  if (endpoint !== undefined && !('postcode' in endpoint.params)) {
    return refuseField('path', 'Send `calls` for this path: it takes no `postcode`.');
  }
  return postcodes.map((postcode: unknown) => ({
    path,
    params: { ...params, postcode },
    idempotencyKey: undefined,
    sandboxOutcome: undefined,
  }));
}

const range = `1 to ${batchBounds.callsMost}`;
const isOutside = ({ length }: readonly unknown[]): boolean => length < 1 || length > batchBounds.callsMost;
const counted = ({ length }: readonly unknown[]): string => `there are ${length}`;

const strangerIn = (members: JsonObject, known: readonly string[]): string | undefined =>
  Object.keys(members).find((name) => !known.includes(name));

const isTextOrAbsent = (value: unknown): value is string | undefined =>
  value === undefined || typeof value === 'string';

const refuseField = (field: string, message: string): Refusal<'INVALID_PARAMETER'> =>
  refuse('INVALID_PARAMETER', message, { field });
