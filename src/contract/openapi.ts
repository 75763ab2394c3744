// OpenAPI 3.1 of the whole API, made from the endpoints themselves. TypeBox shapes are JSON Schema already.

import { type ErrorCode, errors } from '../errors.ts';
import { basePath, type Endpoint } from './endpoint.ts';

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

const failure = {
  type: 'object',
  required: ['success', 'error'],
  properties: {
    success: { const: false },
    error: {
      type: 'object',
      required: ['code', 'message', 'requestId', 'docs'],
      properties: {
        code: { type: 'string' },
        message: { type: 'string' },
        requestId: { type: 'string' },
        docs: { type: 'string' },
      },
      additionalProperties: true,
    },
  },
} as const;

const header = (description: string, schema: Json = { type: 'string' }) => ({ description, schema });

/** Headers of every reply to a call with a valid key. */
const replyHeaders = {
  'X-Request-Id': header('Names this request in logs and errors; yours is echoed when it is sane.'),
  'X-Data-Release': header('Id of the data release that answered.'),
  'X-Data-As-Of': header('Date of the data behind this endpoint; of several datasets, the oldest.', {
    type: 'string',
    format: 'date',
  }),
  'X-Data-Source': header("The publisher's short name; of several datasets, all of them."),
  'X-Credits-Charged': header('Credits charged by this call; 0 unless charged.', { type: 'integer' }),
  'X-Credits-Remaining': header('Balance after this call.', { type: 'integer' }),
  'X-Credits-Refresh-At': header('Next monthly refresh; absent for balances that do not renew.'),
  'X-RateLimit-Limit': header('Requests allowed per minute; absent when unlimited.', { type: 'integer' }),
  'X-RateLimit-Remaining': header('Requests left in this minute.', { type: 'integer' }),
  'X-RateLimit-Reset': header('When this minute ends, in Unix seconds.', { type: 'integer' }),
  'RateLimit-Policy': header('Every window with its limit, as the IETF draft writes it.'),
  RateLimit: header('The window in question: calls left and seconds to its end.'),
} as const;

export function openApi(endpoints: readonly Endpoint[], version: string): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Domesday property data',
      version,
      description:
        'UK property data from official open sources. Every call needs an API key in X-API-Key; a test key (dd_test_…) is free and answers from a fictional town.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: basePath }],
    security: [{ apiKey: [] }],
    paths: Object.fromEntries(endpoints.map((endpoint) => [endpoint.path, { get: operation(endpoint) }])),
    components: {
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
      schemas: { Billing: billing, Failure: failure },
      headers: replyHeaders,
    },
  };
}

function operation(endpoint: Endpoint): Json {
  return {
    operationId: operationId(endpoint.path),
    summary: endpoint.summary,
    description: endpoint.description,
    'x-credits': endpoint.credits,
    'x-datasets': [...endpoint.datasets, ...Object.keys(endpoint.optionalDatasets ?? {})],
    parameters: [
      ...Object.entries(endpoint.params).map(([name, param]) => ({
        name,
        in: 'query',
        required: param.required,
        description: param.description,
        schema: param.schema,
        ...(param.example === undefined ? {} : { example: param.example }),
      })),
      {
        name: 'X-Sandbox-Outcome',
        in: 'header',
        required: false,
        description: 'With a test key: answer with this error code instead.',
        schema: { type: 'string', enum: endpoint.errors },
      },
      {
        name: 'If-None-Match',
        in: 'header',
        required: false,
        description: 'ETag of an earlier answer; 304 without charge when nothing has changed.',
        schema: { type: 'string' },
      },
    ],
    responses: responses(endpoint),
  };
}

function responses(endpoint: Endpoint): Json {
  const headers = Object.fromEntries(
    Object.keys(replyHeaders).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
  const byStatus = Map.groupBy(endpoint.errors, (code) => errors[code].status);
  return {
    200: {
      description: 'The answer.',
      headers,
      content: {
        'application/json': { schema: envelopeSchema(endpoint), example: envelopeExample(endpoint) },
        ...(endpoint.forms.includes('csv') ? { 'text/csv': { schema: { type: 'string' } } } : {}),
      },
    },
    304: { description: 'Nothing has changed since the ETag sent in If-None-Match. Free of credits.' },
    ...Object.fromEntries([...byStatus].map(([status, codes]) => [status, failureResponse(codes)])),
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

function envelopeSchema({ envelope, answer, credits }: Endpoint): Json {
  const { properties, required: own } = answer;
  const members = envelope === 'data' ? { data: answer } : Object(properties);
  const required = envelope === 'data' ? ['data'] : Array.isArray(own) ? own : [];
  return {
    type: 'object',
    required: ['success', ...required, ...(credits > 0 ? ['billing'] : [])],
    properties: {
      success: { const: true },
      ...members,
      ...(credits > 0 ? { billing: { $ref: '#/components/schemas/Billing' } } : {}),
    },
  };
}

export function envelopeExample({ envelope, example, credits }: Endpoint): Json {
  return {
    success: true,
    ...(envelope === 'data' ? { data: example } : { ...Object(example) }),
    ...(credits > 0
      ? {
          billing: {
            mode: 'prepaid',
            creditsCharged: credits,
            creditsRemaining: 99_999,
            creditsRefreshAt: '2026-12-15T00:00:00.000Z',
          },
        }
      : {}),
  };
}

/** `/council-tax/lookup` → `councilTaxLookup`. */
function operationId(path: string): string {
  return path.slice(1).replace(/[/-](\w)/g, (_, letter: string) => letter.toUpperCase());
}
