// What the tests of batches share: endpoints made for them, and a way to send one call, or many in one request.

import type { LightMyRequestResponse } from 'fastify';
import { endpoint } from '../../src/contract/endpoint.ts';
import { optionalText } from '../../src/contract/params.ts';
import { refuse } from '../../src/contract/refusal.ts';
import { object, string } from '../../src/contract/shape.ts';
import { endpoints } from '../../src/endpoints/index.ts';
import type { Rig } from '../rig.ts';

/** What the endpoints made for tests wait for, or do, before they answer. */
export const hooks = { beforeEcho: async (_word: string): Promise<void> => undefined, busyRuns: 0 };

const usual = {
  summary: 'Made up',
  description: 'Made up.',
  envelope: 'data',
  datasets: ['bank-rate'],
  maxAgeSeconds: 0,
  params: { word: optionalText({ description: 'A word.' }) },
  errors: [
    'AUTHENTICATION_REQUIRED',
    'INSUFFICIENT_CREDITS',
    'NO_DATA_FOUND',
    'DATABASE_ERROR',
    'INTERNAL_SERVER_ERROR',
  ],
} as const;

/** A POST that costs two credits and answers later. */
const echo = endpoint({
  ...usual,
  method: 'POST',
  path: '/echo',
  credits: 2,
  answer: object('Echo', { word: string() }),
  handle: async ({ word = '' }) => {
    await hooks.beforeEcho(word);
    return word === 'nothing' ? refuse('NO_DATA_FOUND') : { word };
  },
});

/** Answers at once, as long as it is asked to. */
const long = endpoint({
  ...usual,
  method: 'GET',
  path: '/long',
  credits: 1,
  answer: object('Long', { text: string() }),
  handle: ({ word = '0' }) => ({ text: 'x'.repeat(Number(word)) }),
});

/** Keeps the processor for some milliseconds. */
const busy = endpoint({
  ...usual,
  method: 'GET',
  path: '/busy',
  credits: 1,
  answer: object('Busy', { word: string() }),
  handle: ({ word = '0' }) => {
    const endMs = performance.now() + Number(word);
    while (performance.now() < endMs);
    hooks.busyRuns += 1;
    return { word };
  },
});

export const withMadeUp = [...endpoints, echo, long, busy];

export type BatchedCall = {
  readonly path: string;
  readonly params?: Readonly<Record<string, string | number>>;
  readonly idempotencyKey?: string;
  readonly sandboxOutcome?: string;
};

export const sendBatch = (
  { app }: Rig,
  key: string | undefined,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<LightMyRequestResponse> =>
  app.inject({
    method: 'POST',
    url: '/api/v1/batch',
    headers: {
      'content-type': 'application/json',
      ...(key === undefined ? {} : { 'x-api-key': key }),
      ...headers,
    },
    payload: typeof body === 'string' ? body : JSON.stringify(body),
  });

/** The same call by itself. */
export function sendSingle(
  { app }: Rig,
  key: string,
  { path, params = {}, idempotencyKey, sandboxOutcome }: BatchedCall,
): Promise<LightMyRequestResponse> {
  const headers = {
    'x-api-key': key,
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    ...(sandboxOutcome === undefined ? {} : { 'x-sandbox-outcome': sandboxOutcome }),
  };
  const url = `/api/v1${path}`;
  if (path !== echo.path) {
    const query = new URLSearchParams(Object.entries(params).map(([name, value]) => [name, String(value)]));
    return app.inject({ url: `${url}?${query}`, headers });
  }
  const json = { ...headers, 'content-type': 'application/json' };
  return app.inject({ method: 'POST', url, headers: json, payload: JSON.stringify(params) });
}

/** What figures of the metrics have grown by meanwhile. */
export async function growthOf(
  { metrics }: Rig,
  names: readonly string[],
  work: () => Promise<unknown>,
): Promise<readonly number[]> {
  const read = async () => {
    const lines = (await metrics()).split('\n');
    return names.map((name) =>
      Number(lines.find((line) => line.startsWith(`${name} `))?.slice(name.length) ?? 0),
    );
  };
  const before = await read();
  await work();
  return (await read()).map((figure, place) => figure - (before[place] ?? Number.NaN));
}
