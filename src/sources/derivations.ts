// Every part that is derived from several datasets, one entry each. `version` stands beside the part's columns. It is
// raised when the same data would give another part. The code of a rule is imported when it is needed.

import type { Derivation } from '../ingest/derivation.ts';
import { crimeAreasPart } from '../tables/crime/areas.ts';
import { forceCategoriesPart } from '../tables/crime/force-categories.ts';
import { crimeRatesPart } from '../tables/crime/rates.ts';
import { crimeGroundPart, crimesTable } from '../tables/crime/tables.ts';
import { completionsPart } from '../tables/postcodes/completions.ts';
import { postcodesPart } from '../tables/postcodes/postcodes-table.ts';

export const derivations: readonly Derivation[] = [
  {
    ...crimeRatesPart,
    from: ['census-england-wales', 'crime', 'place-names', 'postcodes'],
    needs: [crimeAreasPart, postcodesPart],
    derive: async (release) => (await import('../tables/crime/rates.ts')).deriveCrimeRates(release),
  },
  {
    ...crimeGroundPart,
    from: ['place-names', 'postcodes'],
    // Only answers about crime ask for it.
    needs: [crimesTable.part, postcodesPart],
    derive: async (release) => (await import('../tables/crime/force-ground.ts')).deriveForceGround(release),
  },
  {
    ...forceCategoriesPart,
    from: ['crime'],
    needs: [crimesTable.part],
    derive: async (release) =>
      (await import('../tables/crime/force-categories.ts')).deriveForceCategories(release),
  },
  {
    ...completionsPart,
    from: ['authorities', 'place-names', 'postcodes'],
    needs: [postcodesPart],
    derive: async (release) =>
      (await import('../tables/postcodes/completions.ts')).deriveCompletions(release),
  },
];
