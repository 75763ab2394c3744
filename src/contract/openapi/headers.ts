// Headers of requests and replies, as OpenAPI describes them.

import type { ErrorCode } from '../../errors.ts';

type Json = Readonly<Record<string, unknown>>;

const header = (description: string, schema: Json = { type: 'string' }) => ({ description, schema });

/** Headers of every reply to a call with a valid key. */
export const replyHeaders = {
  'X-Request-Id': header(
    'Id of this request in logs and errors. If you send this header with a reasonable id, the service uses yours.',
  ),
  'X-Data-Release': header('Id of the data release that answered.'),
  'X-Data-As-Of': header(
    'Newest day of the dataset behind the answer, as `asOf` of `/datasets` has it. With several datasets, that of the oldest one.',
    { type: 'string', format: 'date' },
  ),
  'X-Data-Source': header('Short name of the publisher. With several datasets, all of their publishers.'),
  'X-Data-Coverage': header(
    'What is missing from the data behind the reply. Absent if nothing is. `sample`: a dataset behind the reply is a sample. `partial; …`: a part is missing; the text after the semicolon says which part, or what there is. `sample, partial; …`: both. `none; …`: there is no data, and why.',
  ),
  'X-Credits-Charged': header('Credits that this call cost. 0 if it was free.', { type: 'integer' }),
  'X-Credits-Remaining': header('Balance after this call.', { type: 'integer' }),
  'X-Credits-Refresh-At': header('Next monthly refresh. Absent if the balance does not renew.'),
  'X-RateLimit-Limit': header('Requests allowed per minute. Absent if there is no limit.', {
    type: 'integer',
  }),
  'X-RateLimit-Remaining': header('Requests left in this minute.', { type: 'integer' }),
  'X-RateLimit-Reset': header('End of this minute in Unix seconds.', { type: 'integer' }),
  'RateLimit-Policy': header('Every rate-limit window with its limit, in the form of the IETF draft.'),
  RateLimit: header(
    'Calls left in this minute, and the seconds until it ends. On a 429, the window whose limit is reached.',
  ),
} as const;

/** Of an answer that an earlier call paid for; only where a call costs credits. */
export const replayHeaders = {
  'Idempotent-Replayed': header(
    '`true` if an earlier call with the same Idempotency-Key already paid for this answer. Absent otherwise.',
  ),
} as const;

/** Of an answer that may be a page of a longer list. */
export const pageHeaders = {
  Link: header('Address of the next page (RFC 8288): `<…>; rel="next"`. Absent on the last page.'),
} as const;

export const referTo = (headers: Json): Json =>
  Object.fromEntries(Object.keys(headers).map((name) => [name, { $ref: `#/components/headers/${name}` }]));

export const sandboxOutcome = (codes: readonly ErrorCode[]): Json => ({
  name: 'X-Sandbox-Outcome',
  in: 'header',
  required: false,
  description: 'Only with a test key: the service answers with this error code.',
  schema: { type: 'string', enum: codes },
});

export const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'ETag of an earlier answer. If nothing has changed, the reply is 304 and free.',
  schema: { type: 'string' },
} as const;

export const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Your name for this call, for example a UUID. If you send the call again within 24 hours with the same key and parameters, it is answered without a second charge.',
  schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
} as const;
