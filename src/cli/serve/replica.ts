// What the home remembers of the releases that it follows, as the service tells it.

import type { Settings } from '../../config.ts';
import type { Replica } from '../../contract/replica.ts';
import { DepotFault, faultKinds } from '../../depot/fault.ts';
import { readReplicaState } from '../../depot/state.ts';

/** Callers without a key ask for it. */
const readAtMostEveryMs = 1_000;

/** Tells undefined where the service follows none. */
export function openReplica(
  { home, releasesUrl }: Pick<Settings, 'home' | 'releasesUrl'>,
  now: () => number,
): () => Replica | undefined {
  if (releasesUrl === undefined) return () => undefined;
  let read = { atMs: now(), replica: readReplica(home) };
  return () => {
    const nowMs = now();
    if (Math.abs(nowMs - read.atMs) >= readAtMostEveryMs) read = { atMs: nowMs, replica: readReplica(home) };
    return read.replica;
  };
}

/** Of a failure its kind alone: the message may have paths. */
function readReplica(home: string): Replica {
  try {
    const { taken, failing } = readReplicaState(home);
    return {
      release: taken?.release ?? null,
      sequence: taken?.sequence ?? null,
      publishedAt: taken?.publishedAt ?? null,
      takenAt: taken?.takenAt ?? null,
      failingSince: failing?.since ?? null,
      failingBecause: failing === undefined ? null : faultKinds[failing.kind],
    };
  } catch (error) {
    if (!(error instanceof DepotFault)) throw error;
    return { ...unknown, failingBecause: 'its own note of what it follows cannot be read' };
  }
}

const unknown: Replica = {
  release: null,
  sequence: null,
  publishedAt: null,
  takenAt: null,
  failingSince: null,
  failingBecause: null,
};
