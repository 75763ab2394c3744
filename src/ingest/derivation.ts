// Parts that no file is read into: what depends on several datasets together, and is the same at every call, is worked
// out once at the end of an ingest. A derived part is made anew when one of its datasets changed or its rule did, else it
// is carried over, so that it never speaks of other data than the release holds.

import type { DatasetName } from '../datasets.ts';
import type { DerivedPart } from '../release/manifest.ts';
import type { Columns } from '../release/part.ts';
import type { Release } from '../release/reader.ts';
import type { ReleaseWriter } from '../release/writer.ts';

export type Derivation = Omit<DerivedPart, 'from'> & {
  readonly from: readonly DatasetName[];
  /** Parts without which there is nothing to make. */
  readonly needs: readonly string[];
  readonly derive: (release: Release) => Promise<Columns>;
};

const canBeMade = ({ needs }: Derivation, release: Release) => needs.every((part) => release.has(part));

/** `loaded` are the datasets of this run. */
export async function writeDerived(
  writer: ReleaseWriter,
  derivations: readonly Derivation[],
  base: Release | undefined,
  loaded: ReadonlySet<DatasetName>,
): Promise<void> {
  for (const derivation of derivations) {
    const release = writer.soFar();
    if (release === undefined || !canBeMade(derivation, release)) continue;
    const { part, version, from } = derivation;
    const isCurrent = base?.hasDerived(derivation) === true && !from.some((name) => loaded.has(name));
    if (!isCurrent) writer.writePart(part, await derivation.derive(release));
    writer.putDerived({ part, version, from });
  }
}

/** What the next ingest will make: the release is of a program that did not, or made it otherwise. */
export const findUnderived = (derivations: readonly Derivation[], release: Release): readonly Derivation[] =>
  derivations.filter((derivation) => canBeMade(derivation, release) && !release.hasDerived(derivation));
