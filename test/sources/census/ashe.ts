// Table 8 of the Annual Survey of Hours and Earnings, for a handful of authorities.

import type { Row } from '../council-tax/books.ts';

/** Sheet and header as in the workbook of ONS; "Median" stands on row 5 below parts of other names. */
export const ashe = (year: number, median: number, name = 'Table 8.7a'): Record<string, readonly Row[]> => {
  const title = (who: string) =>
    `${name}   Annual pay - Gross (£) - For ${who} employee jobsa: United Kingdom, ${year}`;
  const rows = (who: string, factor: number): readonly Row[] => [
    [title(who)],
    [],
    [null, null, 'Number', null, 'Annual', null, 'Annual', 'Percentiles'],
    [null, null, 'of jobsb', null, 'percentage', null, 'percentage'],
    ['Description', 'Code', '(thousand)', 'Median', 'change', 'Mean', 'change', 10, 20],
    ['United Kingdom', 'K02000001', 25_000, 31_000 * factor, 5, 38_000, 5.1, 11_000, 17_000],
    ['    Hartlepool UA / E06000001', 'E06000001', 32, median * factor, 4.2, 30_500, 4.4, 9_000, 'x'],
    ['    City of London', 'E09000001', 'x', 'x', null, 'x', null, 'x', 'x'],
    ['    Westminster', 'E09000033', 90, 47_300.5 * factor, -1, 77_000, 2, 'x', 'x'],
    ['a Employees on adult rates who have been in the same job for more than a year.'],
  ];
  return { All: rows('all', 1), Male: rows('male', 1.2), Female: rows('female', 0.8), CV: [['Key']] };
};
