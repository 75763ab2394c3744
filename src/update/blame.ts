// Whose fault it is that files were refused. A loader reads all files of its dataset together, whoever published them, and
// its refusal names the one at fault.

import type { Listed } from '../ingest/publication.ts';
import type { Refusal } from '../ingest/refusals.ts';
import type { Arrived } from './arrive.ts';

export type ArrivedFiles = ReadonlyMap<Listed, readonly Arrived[]>;

/** Why what arrived of a publication was not loaded. */
export function findRefusal(
  { dataset: own }: Listed,
  arrived: readonly Arrived[],
  refusals: readonly Refusal[],
): Refusal | undefined {
  const isArrived = (name: string) =>
    arrived.some(({ path }) => name === path || name.startsWith(`${path} > `));
  return refusals.find(
    ({ dataset, files }) => files.some(isArrived) && (dataset === undefined || dataset === own),
  );
}

/** Publications that were refused only because a file of another one was. */
export function findBlameless(arrived: ArrivedFiles, refusals: readonly Refusal[]): ArrivedFiles {
  const isNamedIn = ({ reason }: Refusal, files: readonly Arrived[]) =>
    files.some(({ path }) => reason.includes(path));
  return new Map(
    [...arrived].filter(([publication, files]) => {
      const refusal = findRefusal(publication, files, refusals);
      if (refusal === undefined || publication.readWith !== 'nothing else') return false;
      const others = [...arrived].filter(([{ dataset }]) => dataset === publication.dataset);
      return !isNamedIn(refusal, files) && others.some(([, theirs]) => isNamedIn(refusal, theirs));
    }),
  );
}
