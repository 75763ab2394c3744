// OpenAPI 3.1 of the whole API, made from the endpoints themselves. Every answer, and every object in one, stands in the
// components under the name of its shape, so that clients made from the document have types with names.

import { type ErrorCode, errors } from '../errors.ts';
import { batchEndpoint } from './batch.ts';
import { basePath, type Endpoint, hasVersions } from './endpoint.ts';
import { exampleParams } from './examples.ts';
import { datasetsReadBy } from './needs.ts';
import { batchRequestBody, batchSchemas } from './openapi-batch.ts';
import { datasetsSchemas } from './openapi-datasets.ts';
import type { Example } from './params.ts';
import { isSchema, type JsonSchema } from './shape.ts';

type Json = Readonly<Record<string, unknown>>;

const billing = {
  type: 'object',
  description: 'What the call cost; present on successful calls that cost credits.',
  required: ['mode', 'creditsCharged', 'creditsRemaining', 'creditsRefreshAt'],
  properties: {
    mode: { type: 'string', enum: ['prepaid', 'sandbox'] },
    creditsCharged: { type: 'integer', minimum: 0 },
    creditsRemaining: { type: 'integer', minimum: 0 },
    creditsRefreshAt: { type: ['string', 'null'], format: 'date-time' },
  },
} as const;

const problem = {
  type: 'object',
  description: 'Some codes have members of their own.',
  required: ['code', 'message', 'requestId', 'docs'],
  properties: {
    code: { type: 'string' },
    message: { type: 'string' },
    requestId: { type: 'string' },
    docs: { type: 'string' },
    field: { type: 'string', description: 'What of the call is wrong, where one thing is.' },
    reason: { type: 'string', description: 'Which of several causes it was, where a code has them.' },
  },
  additionalProperties: true,
} as const;

const failure = {
  type: 'object',
  required: ['success', 'error'],
  properties: { success: { const: false }, error: { $ref: '#/components/schemas/Problem' } },
} as const;

/** The schemas of the document, by name. */
class Components {
  readonly #schemas = new Map<string, Json>([
    ['Billing', billing],
    ['Problem', problem],
    ['Failure', failure],
  ]);
  readonly #from = new Map<string, JsonSchema>();

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

const header = (description: string, schema: Json = { type: 'string' }) => ({ description, schema });

/** Headers of every reply to a call with a valid key. */
const replyHeaders = {
  'X-Request-Id': header('Names this request in logs and errors; yours is echoed when it is sane.'),
  'X-Data-Release': header('Id of the data release that answered.'),
  'X-Data-As-Of': header(
    'Newest day of the dataset that the answer rests on; of several, that of the oldest.',
    {
      type: 'string',
      format: 'date',
    },
  ),
  'X-Data-Source': header("The publisher's short name; of several datasets, all of them."),
  'X-Data-Coverage': header(
    'What the data behind the reply lacks; absent where it lacks nothing. `sample`: a dataset that it rests on is a sample. `partial; …`: a part is missing, after the semicolon which, or what is there (`sample, partial; …` where both are so). `none; …`: why there is nothing.',
  ),
  'X-Credits-Charged': header('Credits charged by this call; 0 unless charged.', { type: 'integer' }),
  'X-Credits-Remaining': header('Balance after this call.', { type: 'integer' }),
  'X-Credits-Refresh-At': header('Next monthly refresh; absent for balances that do not renew.'),
  'X-RateLimit-Limit': header('Requests allowed per minute; absent when unlimited.', { type: 'integer' }),
  'X-RateLimit-Remaining': header('Requests left in this minute.', { type: 'integer' }),
  'X-RateLimit-Reset': header('When this minute ends, in Unix seconds.', { type: 'integer' }),
  'RateLimit-Policy': header('Every window with its limit, as the IETF draft writes it.'),
  RateLimit: header('The window in question: calls left and seconds to its end.'),
} as const;

/** Of an answer that an earlier call paid for; only where a call costs credits. */
const replayHeaders = {
  'Idempotent-Replayed': header(
    '`true` where an earlier call with the same Idempotency-Key was charged for this answer; absent otherwise.',
  ),
} as const;

/** Of an answer that may be a page of a longer list. */
const pageHeaders = {
  Link: header('Address of the next page, as RFC 8288 writes it: `<…>; rel="next"`; absent on the last one.'),
} as const;

export function openApi(endpoints: readonly Endpoint[], version: string): Json {
  const components = new Components();
  const byPath = Map.groupBy(endpoints, ({ path }) => path);
  const paths = [...byPath].map(([path, group]) => [
    path,
    Object.fromEntries(
      group.map((endpoint) => [endpoint.method.toLowerCase(), operation(endpoint, components)]),
    ),
  ]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Domesday property data',
      version,
      description:
        'UK property data from official open sources. Every call needs an API key in X-API-Key; a test key (dd_test_…) is free and answers from a fictional town. Pages of other origins may call with a test key, or with a publishable key (dd_pub_…) that is bound to their origin.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: basePath }],
    security: [{ apiKey: [] }],
    paths: {
      ...Object.fromEntries(paths),
      [batchEndpoint.path]: { post: batchOperation() },
      '/datasets': { get: datasetsOperation },
    },
    components: {
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description:
            'dd_live_… (real data, for servers), dd_test_… (sandbox, free, anywhere) or dd_pub_… (real data, for web pages of the origins it is bound to).',
        },
      },
      schemas: { ...components.toJson(), ...batchSchemas, ...datasetsSchemas },
      headers: { ...replyHeaders, ...replayHeaders, ...pageHeaders },
    },
  };
}

function batchOperation(): Json {
  const { summary, description, errors: codes } = batchEndpoint;
  return {
    operationId: operationId(batchEndpoint),
    summary,
    description,
    parameters: [sandboxOutcome(batchEndpoint), idempotencyKey],
    requestBody: batchRequestBody,
    responses: {
      200: {
        description: 'Every call has its own status in `results`, whatever became of it.',
        headers: referTo(replyHeaders),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/BatchReply' } } },
      },
      ...failureResponses(codes),
    },
  };
}

const sandboxOutcome = ({ errors: codes }: Endpoint): Json => ({
  name: 'X-Sandbox-Outcome',
  in: 'header',
  required: false,
  description: 'With a test key: answer with this error code instead.',
  schema: { type: 'string', enum: codes },
});

const referTo = (headers: Json): Json =>
  Object.fromEntries(Object.keys(headers).map((name) => [name, { $ref: `#/components/headers/${name}` }]));

function failureResponses(codes: readonly ErrorCode[]): Json {
  const byStatus = Map.groupBy(codes, (code) => errors[code].status);
  return Object.fromEntries([...byStatus].map(([status, group]) => [status, failureResponse(group)]));
}

function operation(endpoint: Endpoint, components: Components): Json {
  return {
    operationId: operationId(endpoint),
    summary: endpoint.summary,
    description: endpoint.description,
    'x-credits': endpoint.credits,
    'x-datasets': datasetsReadBy(endpoint),
    // Not as a content of its own: clients that are made from this document then have one type of answer.
    'x-csv': endpoint.csv,
    parameters: [
      ...(endpoint.method === 'GET' ? queryParameters(endpoint) : []),
      sandboxOutcome(endpoint),
      ...(hasVersions(endpoint) ? [ifNoneMatch] : []),
      ...(endpoint.credits > 0 ? [idempotencyKey] : []),
    ],
    ...(endpoint.method === 'POST' ? { requestBody: requestBody(endpoint, components) } : {}),
    responses: responses(endpoint, components),
  };
}

const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'ETag of an earlier answer; 304 without charge when nothing has changed.',
  schema: { type: 'string' },
} as const;

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Names this call, for instance by a UUID. Sent again within 24 hours with the same key and parameters it is answered without a second charge.',
  schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
} as const;

const queryParameters = ({ params }: Endpoint): readonly Json[] =>
  Object.entries(params).map(([name, param]) => ({
    name,
    in: 'query',
    required: param.required,
    description: param.description,
    schema: param.schema,
    ...examplesOf(param.example),
  }));

/** Of two, the one that a test key is answered comes first: tools show that. */
function examplesOf(example: Example | undefined): Json {
  if (example === undefined) return {};
  if (typeof example === 'string') return { example };
  const { sandbox, live } = example;
  return {
    examples: {
      sandbox: { summary: 'With a test key', value: sandbox },
      ...(live === undefined ? {} : { live: { summary: 'With a live key', value: live } }),
    },
  };
}

const datasetsOperation: Json = {
  operationId: 'datasets',
  summary: 'What data there is',
  description:
    'Every dataset with its publisher, licence, attribution, edition and coverage, and those that are not loaded. Needs no key and costs nothing.',
  security: [],
  responses: {
    200: {
      description: 'The list.',
      headers: referTo({
        'X-Request-Id': replyHeaders['X-Request-Id'],
        'X-Data-Release': replyHeaders['X-Data-Release'],
      }),
      content: { 'application/json': { schema: { $ref: '#/components/schemas/DatasetsReply' } } },
    },
    ...failureResponses(['SERVICE_UNAVAILABLE']),
  },
};

/** A POST has its parameters as members of one JSON object. */
function requestBody(endpoint: Endpoint, components: Components): Json {
  const params = Object.entries(endpoint.params);
  const name = `${pascalCase(operationId(endpoint))}Request`;
  components.add(name, {
    type: 'object',
    required: params.filter(([, { required }]) => required).map(([member]) => member),
    properties: Object.fromEntries(
      params.map(([member, { schema, description }]) => [member, { ...schema, description }]),
    ),
  });
  return {
    required: params.some(([, { required }]) => required),
    content: {
      'application/json': {
        schema: { $ref: `#/components/schemas/${name}` },
        example: Object.fromEntries(exampleParams(endpoint, 'sandbox') ?? []),
      },
    },
  };
}

function responses(endpoint: Endpoint, components: Components): Json {
  const headers = referTo({
    ...replyHeaders,
    ...(endpoint.credits > 0 && replayHeaders),
    ...(endpoint.isPaged && pageHeaders),
  });
  return {
    200: {
      description: 'The answer.',
      headers,
      content: {
        'application/json': {
          schema: replySchema(endpoint, components),
          example: envelopeExample(endpoint),
        },
      },
    },
    ...(hasVersions(endpoint)
      ? { 304: { description: 'Nothing has changed since the ETag sent in If-None-Match. Free of credits.' } }
      : {}),
    ...failureResponses(endpoint.errors),
  };
}

function failureResponse(codes: readonly ErrorCode[]): Json {
  return {
    description: codes.map((code) => `\`${code}\`: ${errors[code].when}`).join('\n'),
    content: {
      'application/json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/Failure' },
            { properties: { error: { properties: { code: { enum: codes } } } } },
          ],
        },
      },
    },
  };
}

/** The whole reply, named after the answer in it. */
function replySchema({ envelope, answer, credits }: Endpoint, components: Components): Json {
  const name = `${answer.title}Reply`;
  const { properties, required: own } = answer;
  const members =
    envelope === 'data'
      ? { data: components.refer(answer) }
      : components.referEach(isSchema(properties) ? properties : {});
  const required = envelope === 'data' ? ['data'] : Array.isArray(own) ? own : [];
  components.add(name, {
    type: 'object',
    required: ['success', ...required, ...(credits > 0 ? ['billing'] : [])],
    properties: {
      success: { const: true },
      ...members,
      ...(credits > 0 ? { billing: { $ref: '#/components/schemas/Billing' } } : {}),
    },
  });
  return { $ref: `#/components/schemas/${name}` };
}

/** As the public key is answered, whose account has no credits and needs none. */
export function envelopeExample({ envelope, example, credits }: Endpoint): Json {
  const billing = { mode: 'sandbox', creditsCharged: 0, creditsRemaining: 0, creditsRefreshAt: null };
  return {
    success: true,
    ...(envelope === 'data' ? { data: example } : { ...Object(example) }),
    ...(credits > 0 ? { billing } : {}),
  };
}

/** `/council-tax/lookup` → `councilTaxLookup`; another method than GET stands in front: `postBatch`. */
function operationId({ method, path }: Endpoint): string {
  const name = path.slice(1).replace(/[/-](\w)/g, (_, letter: string) => letter.toUpperCase());
  return method === 'GET' ? name : `${method.toLowerCase()}${pascalCase(name)}`;
}

const pascalCase = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
