// Statistical areas (LSOA, data zones) of postcodes: the directories of ONS have them, Code-Point Open does not, and
// whatever is counted by area needs them.

import type { Holding } from '../../contract/needs.ts';
import { postcodesTable } from '../../tables/postcodes/postcodes-table.ts';

export const statisticalAreas: Holding = {
  what: 'statistical areas (LSOA)',
  publication: 'ONS Postcode Directory (ONSPD)',
  // 0 is none.
  isIn: (release) => postcodesTable.open(release)['place-lsoa'].some((code) => code > 0),
};
