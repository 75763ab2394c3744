// The compiler refuses what an endpoint's contract does not allow; these lines fail the type check if it did not.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Endpoint, endpoint } from '../../src/contract/endpoint.ts';
import { date, flag, optionalText, postcode, text, wholeNumber } from '../../src/contract/params.ts';
import { refuse } from '../../src/contract/refusal.ts';
import { integer, object } from '../../src/contract/shape.ts';

const frame = {
  method: 'GET',
  path: '/x',
  summary: 'X',
  description: 'X.',
  credits: 1,
  envelope: 'data',
  datasets: ['bank-rate'],
  maxAgeSeconds: 0,
  answer: object('Number', { n: integer() }),
  example: { n: 1 },
} as const;

const made: Endpoint[] = [
  endpoint({ ...frame, params: {}, errors: ['NO_DATA_FOUND'], handle: () => refuse('NO_DATA_FOUND') }),
  // @ts-expect-error a code that the endpoint does not list
  endpoint({ ...frame, params: {}, errors: ['NO_DATA_FOUND'], handle: () => refuse('NO_CRIME_DATA') }),
  endpoint({
    ...frame,
    // @ts-expect-error a parameter whose fault the endpoint does not list
    params: { day: date({ description: '', fault: 'INVALID_DATE_FORMAT' }) },
    errors: ['NO_DATA_FOUND'],
    handle: () => ({ n: 1 }),
  }),
  // @ts-expect-error an answer of another shape
  endpoint({ ...frame, params: {}, errors: ['NO_DATA_FOUND'], handle: () => ({ n: 'one' }) }),
];

test('an endpoint lists the common codes beside its own', () => {
  assert.deepEqual(made[0]?.errors.toSorted(), [
    'ACCOUNT_SUSPENDED',
    'INVALID_PARAMETER',
    'KEY_NOT_ALLOWED',
    'NO_DATA_FOUND',
    'RATE_LIMITED',
    'SERVICE_UNAVAILABLE',
  ]);
});

const read = (query: string) =>
  endpoint({
    ...frame,
    answer: object('Number', { n: integer() }),
    params: {
      clamped: wholeNumber({
        description: '',
        min: 1,
        max: 10,
        fallback: 5,
        outside: 'clamp',
        fault: 'INVALID_PARAMETER',
      }),
      place: postcode({ description: '', missing: 'MISSING_POSTCODE', fault: 'INVALID_POSTCODE' }),
      words: text({ description: '', missing: 'MISSING_ADDRESS' }),
      more: optionalText({ description: '' }),
      isOn: flag({ description: '' }),
    },
    errors: ['MISSING_POSTCODE', 'INVALID_POSTCODE', 'MISSING_ADDRESS'],
    handle: () => ({ n: 1 }),
  }).prepare(new URLSearchParams(query));

test('parameters are read, clamped or refused with their own code and field', () => {
  const faults: Record<string, [code: string, field: string]> = {
    'words=a': ['MISSING_POSTCODE', 'place'],
    'place=&words=a': ['MISSING_POSTCODE', 'place'],
    'place=QQ&words=a': ['INVALID_POSTCODE', 'place'],
    'place=SW1A1AA': ['MISSING_ADDRESS', 'words'],
    'place=SW1A1AA&words=a&clamped=two': ['INVALID_PARAMETER', 'clamped'],
    'place=SW1A1AA&words=a&clamped=1e3': ['INVALID_PARAMETER', 'clamped'],
  };
  for (const [query, [code, field]] of Object.entries(faults)) {
    const refusal = read(query);
    assert.ok(refusal.kind === 'refused', query);
    assert.deepEqual([refusal.code, refusal.extras.field], [code, field], query);
  }
});

test('queries that mean the same have one canonical form', () => {
  const canonical = (query: string) => {
    const prepared = read(query);
    assert.ok(prepared.kind === 'prepared', query);
    return prepared.canonical;
  };
  const plain = canonical('place=SW1A 1AA&words=a&clamped=10&isOn=true');
  assert.equal(canonical('isOn=TRUE&clamped=99&words=a&place=sw1a1aa&more='), plain);
  assert.notEqual(canonical('place=SW1A 1AA&words=a&clamped=10&isOn=yes'), plain);
});
