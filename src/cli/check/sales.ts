// What `domesday check` finds about the months of the sold prices: those that are missing.

import type { Release } from '../../release/reader.ts';
import { changesKnown } from '../../tables/sales/changes.ts';
import { formatMonth } from '../../uk/calendar.ts';
import type { Finding } from './finding.ts';

export function salesFindings(release: Release): readonly Finding[] {
  const missing = changesKnown(release)?.missing ?? [];
  if (missing.length === 0) return [];
  const months = missing.map(formatMonth).join(', ');
  return [
    {
      level: 'warning',
      subject: 'price-paid',
      finding: `The changes of ${months} are not loaded, but later ones are. Sales and corrections of that time are missing.`,
      advice:
        'Load that file of changes, or the complete file (pp-complete.csv) with `domesday update price-paid-complete`',
    },
  ];
}
