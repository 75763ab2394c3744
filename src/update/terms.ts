// Terms that somebody has to accept before what they are about is used.

import type { LeavesOut, Listed, Terms } from '../ingest/publication.ts';

export const isAccepted = ({ name }: Terms, accepted: ReadonlySet<string>): boolean =>
  accepted.has(name) || accepted.has('all');

/** Terms of what was asked for that nobody has accepted. */
export type WaitingTerms = Terms & { readonly told: 'before' | 'not yet' };

/** `shown`: names of terms that were told in full. */
export function waitingTerms(
  publications: readonly Listed[],
  accepted: ReadonlySet<string>,
  shown: readonly string[],
): readonly WaitingTerms[] {
  const waiting = termsOf(publications).filter((each) => !isAccepted(each, accepted));
  return [...new Map(waiting.map((each) => [each.name, each])).values()].map((each) => ({
    ...each,
    told: shown.includes(each.name) ? 'before' : 'not yet',
  }));
}

export const leftOutOf = (
  publications: readonly Listed[],
  accepted: ReadonlySet<string>,
): ReadonlySet<LeavesOut> =>
  new Set(termsOf(publications).flatMap((each) => (isAccepted(each, accepted) ? [] : [each.leavesOut])));

const termsOf = (publications: readonly Listed[]): readonly Terms[] =>
  publications.flatMap(({ terms }) => terms ?? []);
