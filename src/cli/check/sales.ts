// What `domesday check` finds about the months of the sold prices: those that are missing, and homes whose files an
// earlier version applied in the order in which they came.

import type { Release } from '../../release/reader.ts';
import { changesKnown } from '../../tables/sales/changes.ts';
import { formatMonth } from '../../uk/calendar.ts';
import type { Finding } from './finding.ts';

export function salesFindings(release: Release): readonly Finding[] {
  const known = changesKnown(release);
  if (known === undefined) return [];
  const complete = 'the complete file (pp-complete.csv) with `domesday update price-paid-complete`';
  const warning = { level: 'warning', subject: 'price-paid' } as const;
  const findings: Finding[] = [];
  if (known.history === 'unknown') {
    findings.push({
      ...warning,
      finding:
        'An earlier version of this program applied its files in the order in which they arrived. A file that came late may have undone later corrections.',
      advice: `Load ${complete}`,
    });
  }
  if (known.missing.length > 0) {
    const months = known.missing.map(formatMonth).join(', ');
    findings.push({
      ...warning,
      finding: `The changes of ${months} are not loaded, but later ones are. Sales and corrections of that time are missing.`,
      advice: `Load that file of changes, or ${complete}`,
    });
  }
  return findings;
}
