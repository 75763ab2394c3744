// Counts the incidents of a load by LSOA, month and group, as areas.ts reads them. An incident lies in the LSOA that its
// point was last published with, so that codes of the 2011 census become those of 2021 where the point tells.

import { outOfRange } from '../../columns/out-of-range.ts';
import type { Columns } from '../../release/part.ts';
import { crimeGroupOf, crimeGroups } from '../../uk/police.ts';
import { parsePlaceCode } from '../postcodes/place-names.ts';
import { crimeAreasTable } from './areas.ts';
import type { CrimeWords, MonthRows } from './month-rows.ts';

type PlacedRows = {
  readonly months: readonly number[];
  readonly month: (month: number) => MonthRows;
  /** Number of the LSOA plus one; 0 for none. */
  readonly lsoaOfPoint: Uint32Array;
  /** Per force and month. */
  readonly coverage: { readonly rows: Uint32Array; readonly kinds: Uint8Array };
};

export function encodeCrimeAreas(given: PlacedRows, words: CrimeWords): Columns {
  const { months, coverage } = given;
  const { codes, areaOfPoint } = numberAreas(given.lsoaOfPoint, words.lsoas);
  const groups = Uint8Array.from(words.categories, (slug) => crimeGroups.indexOf(crimeGroupOf(slug)));
  const national = words.forces.indexOf(words.nationalForce);
  const counts = new Uint32Array(months.length * codes.length * crimeGroups.length);
  const unplaced = coverage.rows.slice();
  const areaForce = new Uint8Array(codes.length);
  const votes = new Uint32Array(codes.length);
  for (const [column, month] of months.entries()) {
    const { size, point, category, force } = given.month(month);
    for (let row = 0; row < size; row += 1) {
      const area = (areaOfPoint[point[row] ?? outOfRange()] ?? outOfRange()) - 1;
      if (area < 0) continue;
      const cell =
        (column * codes.length + area) * crimeGroups.length +
        (groups[category[row] ?? outOfRange()] ?? outOfRange());
      counts[cell] = (counts[cell] ?? outOfRange()) + 1;
      const own = force[row] ?? outOfRange();
      const published = own * months.length + column;
      unplaced[published] = (unplaced[published] ?? outOfRange()) - 1;
      // A majority vote in one pass, as for points.
      if (own === national) continue;
      if (votes[area] === 0) areaForce[area] = own + 1;
      votes[area] = (votes[area] ?? outOfRange()) + (areaForce[area] === own + 1 ? 1 : -1);
    }
  }
  return crimeAreasTable.encode({
    code: codes,
    'area-force': areaForce,
    counts,
    months: Uint16Array.from(months),
    forces: words.forces,
    coverage: coverage.kinds,
    rows: coverage.rows,
    unplaced,
  });
}

/** Areas in the order of their codes; per point the number of its area plus one. */
function numberAreas(lsoaOfPoint: Uint32Array, lsoas: readonly string[]) {
  const isUsed = new Uint8Array(lsoas.length + 1);
  for (const lsoa of lsoaOfPoint) isUsed[lsoa] = 1;
  const codeOf = lsoas.map((code, at) => (isUsed[at + 1] === 1 ? parsePlaceCode(code.trim()) : undefined));
  const codes = Float64Array.from(new Set(codeOf.filter((code) => code !== undefined))).sort();
  const areaOfCode = new Map(Array.from(codes, (code, area) => [code, area + 1]));
  const areaOfLsoa = Uint32Array.from([undefined, ...codeOf], (code) => areaOfCode.get(code ?? -1) ?? 0);
  return { codes, areaOfPoint: lsoaOfPoint.map((lsoa) => areaOfLsoa[lsoa] ?? outOfRange()) };
}
