// The place that a home follows, as the settings name it.

import type { KeyObject } from 'node:crypto';
import type { Settings } from '../../config.ts';
import { openPlace, type Place } from '../../depot/place.ts';
import { readPublicKeys } from '../../depot/signature.ts';
import { readReplicaState } from '../../depot/state.ts';
import { openHome } from '../../release/store.ts';
import { layouts } from '../../tables/index.ts';
import { CommandRefused, type Io } from '../command.ts';
import { version } from '../version.ts';

/** Throws CommandRefused or DepotFault. */
export function openReplicaPlace(
  { releasesUrl, releasePublicKey }: Pick<Settings, 'releasesUrl' | 'releasePublicKey'>,
  io: Pick<Io, 'env' | 'now'>,
): { readonly place: Place; readonly keys: readonly KeyObject[] } {
  if (releasesUrl === undefined)
    throw new CommandRefused(
      'Say where releases are published: set DOMESDAY_RELEASES_URL, or name it with --from.',
    );
  const keys = releasePublicKey === undefined ? [] : readPublicKeys(releasePublicKey);
  if (keys === undefined)
    throw new CommandRefused(
      'DOMESDAY_RELEASE_PUBLIC_KEY is not a public key; set it to what `domesday releases keygen` printed, ed25519:….',
    );
  const place = openPlace(releasesUrl, {
    env: io.env,
    userAgent: `Domesday/${version} (replica)`,
    proof: keys.length === 0 ? 'none' : 'signatures',
    clock: io,
  });
  return { place, keys };
}

/** The folder of a bundled sample that is current and was not fetched. */
export function sampleToServe(home: string): string | undefined {
  const { releases } = openHome(home, layouts);
  const current = releases.list().find(({ isCurrent }) => isCurrent);
  const isSample = current?.kind === 'usable' && current.manifest.kind === 'sample';
  if (!isSample || readReplicaState(home).fetched.includes(current.id)) return undefined;
  return releases.folder;
}
