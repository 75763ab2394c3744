// Usage of some days, added up by some words: all of it, however many answers that takes.

import type { UsageRowView } from '../../../src/portal/views.ts';
import { type Answer, ask } from '../../ask.ts';
import { type Asked, useAnswer } from '../../use-ask.ts';

const route = 'GET /portal/accounts/:accountId/usage';

type UsageQuestion = {
  readonly accountId: string;
  readonly days: readonly string[];
  /** Words with commas between them. */
  readonly by: string;
};

export function useUsage(question: UsageQuestion): Asked<typeof route> {
  return useAnswer<typeof route>(JSON.stringify(question), (signal) => askAll(question, signal));
}

async function askAll(
  { accountId, days, by }: UsageQuestion,
  signal: AbortSignal | undefined,
): Promise<Answer<typeof route>> {
  const takes = { from: days[0] ?? '', to: days.at(-1) ?? '', by };
  let rows: readonly UsageRowView[] = [];
  let offset = '0';
  for (;;) {
    const answer = await ask(route, { in: { accountId }, takes: { ...takes, offset } }, signal);
    if (answer.kind === 'refused') return answer;
    rows = [...rows, ...answer.told.rows];
    if (answer.told.next === null) return { ...answer, told: { ...answer.told, rows } };
    offset = String(answer.told.next);
  }
}
