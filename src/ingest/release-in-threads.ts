// The base release in the threads of a source. Each thread opens it by itself. Damage that a thread finds is thrown as
// ReleaseDamaged where its result is awaited.

import type { Layouts, Manifest } from '../release/manifest.ts';
import { Release, ReleaseDamaged, readShared } from '../release/reader.ts';

/** What a thread needs to open the release. */
export type HandedRelease = {
  readonly dir: string;
  readonly beneath: string | undefined;
  readonly manifest: Manifest;
  readonly layouts: Layouts;
};

export const handOver = ({ dir, beneath, manifest, layouts }: Release): HandedRelease => ({
  dir,
  beneath,
  manifest,
  layouts,
});

export const openHanded = ({ dir, beneath, manifest, layouts }: HandedRelease): Release =>
  new Release(dir, manifest, layouts, readShared, beneath);

export type Outcome<T> =
  | { readonly kind: 'done'; readonly value: T }
  | {
      readonly kind: 'damaged';
      readonly releaseId: string;
      readonly part: string | undefined;
      readonly problem: string;
    };

/** The thread's side. */
export function outcomeOf<T>(work: () => T): Outcome<T> {
  try {
    return { kind: 'done', value: work() };
  } catch (error) {
    if (!(error instanceof ReleaseDamaged)) throw error;
    const { releaseId, part, problem } = error;
    return { kind: 'damaged', releaseId, part, problem };
  }
}

/** The side that waits. Throws ReleaseDamaged. */
export function resultOf<T>(outcome: Outcome<T>): T {
  if (outcome.kind === 'done') return outcome.value;
  throw new ReleaseDamaged(outcome.releaseId, outcome.part, outcome.problem);
}
