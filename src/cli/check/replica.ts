// What `domesday check` says of a replica: what it has taken, and whether it still follows.

import type { Settings } from '../../config.ts';
import { DepotFault } from '../../depot/fault.ts';
import { isReplica, type ReplicaState, readReplicaState } from '../../depot/state.ts';
import { type Finding, ok } from './finding.ts';

const subject = 'replica';

type Following = Pick<Settings, 'home' | 'releasesUrl'>;

const follows = ({ home, releasesUrl }: Following): boolean => releasesUrl !== undefined || isReplica(home);

/** Findings about its data, with what can be done about them on a replica, which loads nothing itself. */
export const adviseReplica = (settings: Following, findings: readonly Finding[]): readonly Finding[] =>
  follows(settings) ? findings.map((finding) => ({ ...finding, ...adviceFor(finding) })) : findings;

function adviceFor({ level, subject: about, advice = '' }: Finding): Pick<Finding, 'advice'> {
  if (level === 'problem' && about === 'release')
    return { advice: 'Restart the service; it fetches the newest published release.' };
  return /`domesday (?:update|ingest)\b/.test(advice)
    ? { advice: 'Load it where releases are published, and publish again. `check` there says which file.' }
    : {};
}

/** Nothing where the home follows no published releases. */
export function replicaFindings(settings: Following): Finding[] {
  if (!follows(settings)) return [];
  try {
    return findingsOf(readReplicaState(settings.home));
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
    const finding = `${has} Since ${failing.since.slice(0, 16).replace('T', ' ')} it cannot follow: ${failing.why}`;
    const advice = 'Fix that. `domesday releases fetch` tries again at once.';
    return [{ level: taken === undefined ? 'problem' : 'warning', subject, finding, advice }];
  }
  if (taken !== undefined) return [ok(subject, has)];
  return [{ level: 'warning', subject, finding: has, advice: '`domesday releases fetch`' }];
}
