// Which part of the history of Bank Rate is shown.

import type { Answers } from '../../api/answers.ts';

export type RateHistory = Answers['/bank-rates'];

export const spans = [
  { value: 'all', label: 'Since 1975' },
  { value: '30', label: 'Last 30 years' },
  { value: '10', label: 'Last 10 years' },
  { value: '5', label: 'Last 5 years' },
] as const;

type Span = (typeof spans)[number]['value'];

/** Milliseconds since 1970. */
export type Range = readonly [fromMs: number, toMs: number];

export function spanOf({ rateChanges }: RateHistory, span: Span, nowMs: number): Range {
  if (span === 'all') {
    const first = rateChanges.at(-1)?.date;
    return [first === undefined ? nowMs : Date.parse(`${first}T00:00:00Z`), nowMs];
  }
  const from = new Date(nowMs);
  from.setUTCFullYear(from.getUTCFullYear() - Number(span));
  return [from.getTime(), nowMs];
}

/** Oldest first: the rate that was in force when the span began, and every change since. */
export function stepsIn({ rateChanges }: RateHistory, fromMs: number): RateHistory['rateChanges'] {
  const risen = rateChanges.toReversed();
  const first = risen.findLastIndex(({ date }) => Date.parse(`${date}T00:00:00Z`) <= fromMs);
  return risen.slice(Math.max(0, first));
}
