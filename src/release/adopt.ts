// Takes a release into a home that was made in another one: the same files in the same layout, all of them read before it
// appears under its name.

import path from 'node:path';
import { Building, linkOrCopy } from './building.ts';
import { syncFolder } from './durable.ts';
import type { Manifest } from './manifest.ts';
import { manifestName, openRelease, partFileName, type Release, ReleaseDamaged, sealName } from './reader.ts';
import type { ReleaseStore } from './store.ts';

/** The names of all files of a release. */
export const fileNamesOf = ({ parts }: Pick<Manifest, 'parts'>): readonly string[] => [
  manifestName,
  sealName,
  ...Object.keys(parts).map(partFileName),
];

/**
 * `files` are by their names in the release; they stay where they are. `consent` may still throw, when the release is known
 * to be whole. Throws ReleaseDamaged; the home is then as it was. A damaged release of the same id is replaced. It is not
 * made current.
 */
export function adoptRelease(
  store: ReleaseStore,
  id: string,
  files: ReadonlyMap<string, string>,
  consent: (release: Release) => void,
): Release {
  const building = new Building(store.folder);
  try {
    for (const [name, file] of files) linkOrCopy(file, path.join(building.dir, name));
    syncFolder(building.dir);
    const made = openRelease(building.dir, store.layouts);
    if (made.id !== id) throw new ReleaseDamaged(id, undefined, `its manifest belongs to ${made.id}`);
    const names = fileNamesOf(made.manifest);
    if (names.length !== files.size || names.some((name) => !files.has(name)))
      throw new ReleaseDamaged(id, undefined, 'its files are not those of its manifest');
    made.verify();
    consent(made);
    store.remove(id);
    return openRelease(building.appearAs(id), store.layouts);
  } finally {
    building.abandon();
  }
}
