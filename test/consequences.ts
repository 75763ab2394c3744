// A request in a test says what it must answer and what must have happened: entries of the journal, lines of the log, figures.
// Whatever it does not name must not have happened.

import assert from 'node:assert/strict';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import type { Rig } from './rig.ts';

export type Consequences = {
  readonly status: number;
  /** Of a refusal. */
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** New entries of the account, oldest first. */
  readonly journal?: readonly {
    readonly kind: string;
    readonly credits: number;
    readonly endpoint: string;
  }[];
  /** What is logged, each line by these members. */
  readonly log: readonly Readonly<Record<string, unknown>>[];
  /** By how much which counters grew. */
  readonly figures: Readonly<Record<string, number>>;
};

/** Sends it, and compares everything that came of it. Without an account there is no journal to look at. */
export async function assertCall(
  rig: Rig,
  accountId: string | undefined,
  request: InjectOptions,
  expected: Consequences,
): Promise<LightMyRequestResponse> {
  const before = { counters: await countersOf(rig), journal: await journalOf(rig, accountId) };
  rig.logLines.length = 0;
  const reply = await rig.app.inject(request);
  const logged = rig.logLines.map((line): Record<string, unknown> => JSON.parse(line));
  const counters = await countersOf(rig);

  assert.equal(reply.statusCode, expected.status, reply.body);
  if (expected.code !== undefined) assert.equal(reply.json().error.code, expected.code);
  for (const [name, value] of Object.entries(expected.headers ?? {}))
    assert.equal(reply.headers[name], value, name);
  const journal = (await journalOf(rig, accountId)).slice(before.journal.length);
  assert.deepEqual(
    journal.map(({ kind, credits, endpoint }) => ({ kind, credits, endpoint })),
    expected.journal ?? [],
    'journal',
  );
  assert.equal(logged.length, expected.log.length, `log: ${JSON.stringify(logged)}`);
  for (const [at, line] of expected.log.entries()) assert.partialDeepStrictEqual(logged[at], line);
  const grown = [...counters].flatMap(([name, value]) => {
    const growth = value - (before.counters.get(name) ?? 0);
    return growth === 0 ? [] : [[name, growth]];
  });
  assert.deepEqual(Object.fromEntries(grown), expected.figures, 'figures');
  return reply;
}

const journalOf = async (rig: Rig, accountId: string | undefined) =>
  accountId === undefined ? [] : (await rig.accounts.journalOf(accountId)).toReversed();

/** Of the service, without those of reading them. */
async function countersOf(rig: Rig): Promise<ReadonlyMap<string, number>> {
  const lines = (await rig.metrics()).matchAll(/^domesday_(\w+_total(?:\{[^}]*\})?) (\S+)$/gm);
  const own = 'requests_total{endpoint="other",status="200"}';
  return new Map(
    [...lines].map(([, name = '', value]) => [name, Number(value)] as const).filter(([name]) => name !== own),
  );
}
