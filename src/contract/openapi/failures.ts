// Errors as OpenAPI describes them: one shape, and for each code the body that a caller gets.

import { type ErrorCode, errors } from '../../errors.ts';

type Json = Readonly<Record<string, unknown>>;

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
