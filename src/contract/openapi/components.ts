// The components of the OpenAPI document: its schemas by name (every answer, and every object in one, so that clients made from
// the document have types with names), the headers, and the errors.

import { type ErrorCode, errors } from '../../errors.ts';
import { isSchema, type JsonSchema } from '../shape.ts';

type Json = Readonly<Record<string, unknown>>;

export class Components {
  readonly #schemas: Map<string, Json>;
  readonly #from = new Map<string, JsonSchema>();

  constructor(schemas: Readonly<Record<string, Json>>) {
    this.#schemas = new Map(Object.entries(schemas));
  }

  /** The schema with every named object in it replaced by a reference. */
  refer(schema: JsonSchema): Json {
    const { title } = schema;
    if (typeof title !== 'string') return this.#inside(schema);
    const known = this.#from.get(title);
    if (known === undefined) {
      this.#from.set(title, schema);
      const { title: _, ...rest } = this.#inside(schema);
      this.add(title, rest);
    } else if (known !== schema) throw new Error(`Two objects of the API are called ${title}; rename one.`);
    return { $ref: `#/components/schemas/${title}` };
  }

  add(name: string, schema: Json): void {
    if (this.#schemas.has(name)) throw new Error(`Two schemas of the API are called ${name}; rename one.`);
    this.#schemas.set(name, schema);
  }

  #inside(schema: JsonSchema): Json {
    const { properties, items, additionalProperties, anyOf } = schema;
    return {
      ...schema,
      ...(isSchema(properties) && { properties: this.referEach(properties) }),
      ...(isSchema(items) && { items: this.refer(items) }),
      ...(isSchema(additionalProperties) && { additionalProperties: this.refer(additionalProperties) }),
      ...(Array.isArray(anyOf) && { anyOf: anyOf.filter(isSchema).map((one) => this.refer(one)) }),
    };
  }

  referEach(properties: JsonSchema): Json {
    return Object.fromEntries(
      Object.entries(properties).map(([name, member]) => [
        name,
        isSchema(member) ? this.refer(member) : member,
      ]),
    );
  }

  toJson(): Json {
    return Object.fromEntries(this.#schemas);
  }
}

// Headers of requests and replies, as OpenAPI describes them.

const header = (description: string, schema: Json = { type: 'string' }) => ({ description, schema });

/** Headers of every reply to a call with a valid key. */
export const replyHeaders = {
  'X-Request-Id': header(
    'Id of this request in logs and errors. If you send this header with a reasonable id, the service uses yours.',
  ),
  'X-Data-Release': header('Id of the data release that answered.'),
  'X-Data-As-Of': header(
    'Newest day of the dataset behind the answer, as `asOf` of `/datasets` has it. With several datasets, that of the oldest one. For sold prices, the newest loaded sale of the postcode area.',
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
  'RateLimit-Policy': header(
    'Every rate-limit window with its limit `q`, in the form of the IETF draft. `minute` and `day` have their length `w` in seconds. `month` has none: it is the calendar month in UTC, whose length varies.',
  ),
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

// Errors as OpenAPI describes them: one shape, and for each code the body that a caller gets.

export const failureSchemas = {
  Problem: {
    type: 'object',
    description: 'What went wrong. Some codes have more members.',
    required: ['code', 'message', 'requestId', 'docs'],
    properties: {
      code: { type: 'string', description: 'Stable code. Decide by this, not by the message.' },
      message: { type: 'string', description: 'What happened and what to do, in a sentence for people.' },
      requestId: { type: 'string', description: 'Id of the request. Quote it when you report a problem.' },
      docs: { type: 'string', description: 'Page about this code.' },
      field: { type: 'string', description: 'The part of the call that is wrong, if it is one part.' },
      suggestion: {
        type: 'string',
        description: 'What was probably meant by `field`, if something is near.',
      },
      reason: { type: 'string', description: 'Which of several causes it was, for codes that have them.' },
    },
    additionalProperties: true,
  },
  Failure: {
    type: 'object',
    description: 'Body of every error.',
    required: ['success', 'error'],
    properties: {
      success: { const: false, description: 'Always false.' },
      error: { $ref: '#/components/schemas/Problem' },
    },
  },
} as const;

const exampleOf = (code: ErrorCode): Json => ({
  summary: code,
  value: {
    success: false,
    error: {
      code,
      message: errors[code].message,
      ...errors[code].extras,
      requestId: 'ZQGUCGDdm-_V6bnwZA5l',
      docs: `http://127.0.0.1:8080/docs/errors/${code}`,
    },
  },
});

/** One for each code, which the replies refer to. */
export const failureExamples = (codes: Iterable<ErrorCode>): Json =>
  Object.fromEntries([...new Set(codes)].map((code) => [code, exampleOf(code)]));

export function failureResponses(codes: readonly ErrorCode[]): Json {
  const byStatus = Map.groupBy(codes, (code) => errors[code].status);
  return Object.fromEntries([...byStatus].map(([status, group]) => [status, failureResponse(group)]));
}

function failureResponse(codes: readonly ErrorCode[]): Json {
  return {
    description: codes.map((code) => `\`${code}\`: ${errors[code].when}`).join('\n\n'),
    content: {
      'application/json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/Failure' },
            { properties: { error: { properties: { code: { enum: codes } } } } },
          ],
        },
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}
