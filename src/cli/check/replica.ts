// What `domesday check` says of a replica: what it has taken, and whether it still follows.

import type { Settings } from '../../config.ts';
import { DepotFault } from '../../depot/fault.ts';
import { isReplica, type ReplicaState, readReplicaState } from '../../depot/state.ts';
import { type Finding, ok } from './finding.ts';

const subject = 'replica';

/** Nothing where the home follows no published releases. */
export function replicaFindings({ home, releasesUrl }: Pick<Settings, 'home' | 'releasesUrl'>): Finding[] {
  if (releasesUrl === undefined && !isReplica(home)) return [];
  try {
    return findingsOf(readReplicaState(home));
  } catch (error) {
    if (!(error instanceof DepotFault)) throw error;
    return [{ level: 'problem', subject, finding: error.message, advice: '`domesday releases fetch`' }];
  }
}

function findingsOf({ taken, failing }: ReplicaState): Finding[] {
  const has =
    taken === undefined
      ? 'It has fetched no release yet.'
      : `It has ${taken.release}, published on ${taken.publishedAt.slice(0, 10)} (sequence ${taken.sequence}).`;
  if (failing !== undefined) {
    const finding = `${has} Since ${failing.since.slice(0, 16).replace('T', ' ')} it follows nothing: ${failing.why}`;
    const advice = 'Put that right; `domesday releases fetch` tries at once.';
    return [{ level: taken === undefined ? 'problem' : 'warning', subject, finding, advice }];
  }
  if (taken !== undefined) return [ok(subject, has)];
  return [{ level: 'warning', subject, finding: has, advice: '`domesday releases fetch`' }];
}
