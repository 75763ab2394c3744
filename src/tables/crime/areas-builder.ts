// Counts the incidents of a load by LSOA, month and group, as areas.ts reads them. An incident lies in the LSOA that its
// place was last published with, so that codes of the 2011 census become those of 2021 where the place tells. Where it does
// not (one row in thousands), the row stays in its area of 2011: the nearest place would be wrong for one in seven.

import { defined } from '../../out-of-range.ts';
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
  /** Rows read per force and month. */
  readonly published: Uint32Array;
};

export function encodeCrimeAreas(given: PlacedRows, words: CrimeWords): Columns {
  const { months, published: rows } = given;
  const { codes, areaOfPoint } = numberAreas(given.lsoaOfPoint, words.lsoas);
  const groups = Uint8Array.from(words.categories, (slug) => crimeGroups.indexOf(crimeGroupOf(slug)));
  const counts = new Uint32Array(months.length * codes.length * crimeGroups.length);
  const unplaced = rows.slice();
  for (const [column, month] of months.entries()) {
    const { size, point, category, force } = given.month(month);
    for (let row = 0; row < size; row += 1) {
      const area = defined(areaOfPoint[defined(point[row])]) - 1;
      if (area < 0) continue;
      const cell =
        (column * codes.length + area) * crimeGroups.length + defined(groups[defined(category[row])]);
      counts[cell] = defined(counts[cell]) + 1;
      const published = defined(force[row]) * months.length + column;
      unplaced[published] = defined(unplaced[published]) - 1;
    }
  }
  return crimeAreasTable.encode({
    code: codes,
    counts,
    months: Uint16Array.from(months),
    forces: words.forces,
    rows,
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
  return { codes, areaOfPoint: lsoaOfPoint.map((lsoa) => defined(areaOfLsoa[lsoa])) };
}
