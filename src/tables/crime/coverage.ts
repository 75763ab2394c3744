// What a force published of a month, told from the number of its rows alone. It is judged when the data is read, so that
// months loaded earlier are held against those that came since, and by the rule of this program.

import { defined } from '../../out-of-range.ts';

/** `collapsed`: so few rows that they tell nothing. `partial`: far fewer than usual, so that a part is probably missing. */
export type CoverageKind = 'absent' | 'published' | 'partial' | 'collapsed';

export type Coverage = {
  readonly kind: CoverageKind;
  readonly rows: number;
  /** Rows of a usual month of the force around this one; 0 where it has none. */
  readonly usualRows: number;
};

/** A force's smallest real month (City of London, spring of 2020) had some 200 rows. */
const fewestRows = 50;
/** No force's month was ever real below a fifth of the usual. */
const collapsedShare = 0.2;
/** Of 151 real months of nine forces, three of Dyfed-Powys had 0.31, 0.08 and 0.04 of the usual, all others 0.71 or more. */
const partialShare = 0.5;
/** Months further off tell of other years: forces grow, and change how they record. */
const reachMonths = 12;
/** The usual is this far up among the months in order of size, so that several bad months do not become it. */
const usualQuantile = 0.75;

/** Of one force; `months` rising, `rows` of each of them. */
export function judgeMonths(months: readonly number[], rows: readonly number[]): readonly Coverage[] {
  return months.map((month, at) => {
    const around = rows
      .filter((count, other) => count > 0 && Math.abs(defined(months[other]) - month) <= reachMonths)
      .sort((a, b) => a - b);
    const usualRows = around.length === 0 ? 0 : defined(around[Math.floor(usualQuantile * around.length)]);
    const count = defined(rows[at]);
    return { kind: kindOf(count, usualRows), rows: count, usualRows };
  });
}

function kindOf(rows: number, usualRows: number): CoverageKind {
  if (rows === 0) return 'absent';
  if (rows < fewestRows || rows < collapsedShare * usualRows) return 'collapsed';
  return rows < partialShare * usualRows ? 'partial' : 'published';
}

/** Per force and month, in the order of the table: the forces one after the other. */
export function judgeForces(months: readonly number[], rows: Uint32Array): readonly Coverage[] {
  const judged: Coverage[] = [];
  for (let first = 0; first < rows.length; first += months.length) {
    judged.push(...judgeMonths(months, [...rows.subarray(first, first + months.length)]));
  }
  return judged;
}

/** "30.9% of the usual number". Rounded down, so that less than half never reads as half. */
export const shareOfUsual = ({ rows, usualRows }: Coverage): string =>
  `${Math.floor((1000 * rows) / usualRows) / 10}% of the usual number`;
