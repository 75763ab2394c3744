// The batch as OpenAPI describes it: its bodies, and the names that stand in the components.

import { batchBounds } from '../batch.ts';

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
    description: 'One call of a batch.',
    required: ['path'],
    properties: {
      path,
      params,
      idempotencyKey: {
        type: 'string',
        pattern: '^[!-~]{1,255}$',
        description: 'Works like the Idempotency-Key header of a single call.',
      },
      sandboxOutcome: {
        type: 'string',
        description:
          'Works like the X-Sandbox-Outcome header of a single call: with a test key, this call gets this error code.',
      },
    },
    additionalProperties: false,
  },
  BatchOfCalls: {
    type: 'object',
    description: 'Calls of any endpoints.',
    required: ['calls'],
    properties: {
      calls: {
        type: 'array',
        description: 'The calls. The answers come in the same order.',
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
      postcodes: {
        type: 'array',
        description: 'The postcodes. Each makes one call.',
        minItems: 1,
        maxItems: callsMost,
        items: { type: 'string' },
      },
      params: { ...params, description: 'Other parameters, the same for every call.' },
    },
    additionalProperties: false,
  },
  BatchResult: {
    type: 'object',
    description: 'Answer to one call of a batch.',
    required: ['status', 'creditsCharged', 'headers', 'body'],
    properties: {
      status: { type: 'integer', description: 'Status that the call would have by itself.' },
      creditsCharged: { type: 'integer', minimum: 0, description: 'Credits that this call cost.' },
      headers: {
        type: 'object',
        description:
          'Headers that differ from call to call, if the call has them: X-Data-As-Of, X-Data-Source, X-Data-Coverage, Link, Idempotent-Replayed and Retry-After.',
        additionalProperties: { type: 'string' },
      },
      body: {
        type: 'object',
        description: 'Body that the call would have by itself.',
        additionalProperties: true,
      },
    },
  },
  BatchReply: {
    type: 'object',
    description: 'Answer to a batch.',
    required: ['success', 'results', 'billing'],
    properties: {
      success: { const: true, description: 'Always true. Each result has its own `success` in its body.' },
      results: {
        type: 'array',
        description: 'One result for each call, in the same order.',
        items: { $ref: '#/components/schemas/BatchResult' },
      },
      billing: { $ref: '#/components/schemas/Billing' },
    },
  },
} as const;

const calls = [
  { path: '/bank-rates', params: { limit: 1 } },
  { path: '/council-tax/lookup', params: { postcode: 'ZZ1 1AA' } },
];

export const batchRequestBody = {
  required: true,
  description: `Up to ${callsMost} calls, or one path with up to ${callsMost} postcodes.`,
  content: {
    'application/json': {
      schema: {
        oneOf: [
          { $ref: '#/components/schemas/BatchOfCalls' },
          { $ref: '#/components/schemas/BatchOfPostcodes' },
        ],
      },
      examples: {
        calls: { summary: 'Calls of any endpoints', value: { calls } },
        postcodes: {
          summary: 'One path for many postcodes',
          value: { path: '/council-tax/lookup', postcodes: ['ZZ1 1AA', 'ZZ1 1AB'] },
        },
      },
    },
  },
} as const;

const billing = { mode: 'sandbox', creditsCharged: 0, creditsRemaining: 0, creditsRefreshAt: null } as const;

/** To the first of the example requests, as the public key is answered. */
export const batchReplyExample = {
  success: true,
  results: [
    {
      status: 200,
      creditsCharged: 0,
      headers: {
        'X-Data-As-Of': '2026-09-21',
        'X-Data-Source': 'Bank of England',
        'X-Data-Coverage': 'partial; the rate is known up to 2026-09-21',
        Link: '</api/v1/bank-rates?endDate=2025-08-07&limit=1>; rel="next"',
      },
      body: {
        success: true,
        current: { rate: 3.75, effectiveFrom: '2025-12-18', label: 'Official Bank Rate' },
        rateChanges: [{ date: '2025-12-18', rate: 3.75 }],
        billing,
      },
    },
    {
      status: 200,
      creditsCharged: 0,
      headers: { 'X-Data-As-Of': '2026-03-25', 'X-Data-Source': 'MHCLG' },
      body: {
        success: true,
        data: {
          postcode: 'ZZ1 1AA',
          authority: 'Zedbury Borough Council',
          ons_code: 'E06000999',
          taxYear: '2026-27',
          councilTaxBands: {
            band_a: 1400.01,
            band_b: 1633.34,
            band_c: 1866.68,
            band_d: 2100.01,
            band_e: 2566.68,
            band_f: 3033.35,
            band_g: 3500.02,
            band_h: 4200.02,
          },
        },
        billing,
      },
    },
  ],
  billing,
} as const;
