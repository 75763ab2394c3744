// Derived parts: figures that depend on several datasets are worked out once, at the end of an ingest. A derived part is
// made again when its rule or one of its datasets has changed, and carried over otherwise. So it always agrees with the
// data of its release.

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

/** What the next ingest will make, because the release is from a program without the rule, or with another version of it. */
export const findUnderived = (derivations: readonly Derivation[], release: Release): readonly Derivation[] =>
  derivations.filter((derivation) => canBeMade(derivation, release) && !release.hasDerived(derivation));
