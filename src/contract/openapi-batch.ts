// The batch as OpenAPI describes it: its bodies, and the names that stand in the components.

import { batchBounds } from './batch.ts';

const { callsMost } = batchBounds;

const params = {
  type: 'object',
  description: 'Parameters of the call by name, as text, numbers, true or false.',
  additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
} as const;

const path = {
  type: 'string',
  description: 'Path of an endpoint, as in this document.',
  examples: ['/council-tax/lookup'],
} as const;

export const batchSchemas = {
  BatchCall: {
    type: 'object',
    required: ['path'],
    properties: {
      path,
      params,
      idempotencyKey: {
        type: 'string',
        pattern: '^[!-~]{1,255}$',
        description: 'As the header Idempotency-Key of a single call.',
      },
      sandboxOutcome: {
        type: 'string',
        description: 'With a test key: answer this call with this error code of its endpoint instead.',
      },
    },
    additionalProperties: false,
  },
  BatchOfCalls: {
    type: 'object',
    required: ['calls'],
    properties: {
      calls: {
        type: 'array',
        minItems: 1,
        maxItems: callsMost,
        items: { $ref: '#/components/schemas/BatchCall' },
      },
    },
    additionalProperties: false,
  },
  BatchOfPostcodes: {
    type: 'object',
    description: 'The short form: one path for many postcodes.',
    required: ['path', 'postcodes'],
    properties: {
      path,
      postcodes: { type: 'array', minItems: 1, maxItems: callsMost, items: { type: 'string' } },
      params: { ...params, description: 'Parameters of every call, beside its postcode.' },
    },
    additionalProperties: false,
  },
  BatchResult: {
    type: 'object',
    required: ['status', 'creditsCharged', 'headers', 'body'],
    properties: {
      status: { type: 'integer', description: 'Status that the call would have by itself.' },
      creditsCharged: { type: 'integer', minimum: 0 },
      headers: {
        type: 'object',
        description:
          'Headers of the single reply that differ from call to call: X-Data-As-Of, X-Data-Source, X-Data-Coverage, Idempotent-Replayed, Retry-After; each where the call has it.',
        additionalProperties: { type: 'string' },
      },
      body: { type: 'object', description: 'Body of the single reply.', additionalProperties: true },
    },
  },
  BatchReply: {
    type: 'object',
    required: ['success', 'results', 'billing'],
    properties: {
      success: { const: true },
      results: {
        type: 'array',
        description: 'One for each call, in the order sent.',
        items: { $ref: '#/components/schemas/BatchResult' },
      },
      billing: { $ref: '#/components/schemas/Billing' },
    },
  },
} as const;

export const batchRequestBody = {
  required: true,
  content: {
    'application/json': {
      schema: {
        oneOf: [
          { $ref: '#/components/schemas/BatchOfCalls' },
          { $ref: '#/components/schemas/BatchOfPostcodes' },
        ],
      },
      examples: {
        calls: {
          summary: 'Calls of any endpoints',
          value: {
            calls: [
              { path: '/bank-rates', params: { limit: 1 } },
              { path: '/council-tax/lookup', params: { postcode: 'ZZ1 1AA' } },
            ],
          },
        },
        postcodes: {
          summary: 'One path for many postcodes',
          value: { path: '/council-tax/lookup', postcodes: ['ZZ1 1AA', 'ZZ1 1AB'] },
        },
      },
    },
  },
} as const;
