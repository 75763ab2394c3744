// Every part that is worked out from what several sources loaded; one entry each. `version` stands beside the part's
// columns and is raised when the same data would give another part. A rule is brought in when it is to be followed.

import type { Derivation } from '../ingest/derivation.ts';
import { crimeAreasPart } from '../tables/crime/areas.ts';
import { crimeRatesPart } from '../tables/crime/rates.ts';
import { postcodesPart } from '../tables/postcodes/postcodes.ts';

export const derivations: readonly Derivation[] = [
  {
    ...crimeRatesPart,
    from: ['census-england-wales', 'crime', 'place-names', 'postcodes'],
    needs: [crimeAreasPart, postcodesPart],
    derive: async (release) => (await import('../tables/crime/rates-builder.ts')).deriveCrimeRates(release),
  },
];
