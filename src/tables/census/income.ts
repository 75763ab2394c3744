// Official median incomes by local authority. Two publications give such medians, of different people: each figure says
// whose it is. Where both have an authority, the first in the list below answers.

import { defined } from '../../out-of-range.ts';
import { f64, oneOf, strings, u8, u16 } from '../../release/column.ts';
import type { Columns } from '../../release/part.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';
import { table } from '../../release/table.ts';
import { currentAuthorityCode } from '../../uk/authority-codes.ts';
import { formatTaxYear } from '../../uk/tax-year.ts';

export const incomePart = 'income';

/** A row holds the place in this list. Only ever add at the end. */
export const incomePublications = [
  {
    id: 'personal-incomes',
    name: 'Personal incomes',
    what: 'median total income of taxpayers before tax',
    source:
      'Personal incomes by local authority, table 3.14 (HM Revenue & Customs, Survey of Personal Incomes)',
  },
  {
    id: 'earnings',
    name: 'Hours and earnings',
    what: 'median gross annual pay of employee jobs, by where the employee lives',
    source: 'Annual Survey of Hours and Earnings, table 8.7a (Office for National Statistics)',
  },
] as const;
export type IncomePublication = (typeof incomePublications)[number]['id'];

export const incomeTable = table({
  part: incomePart,
  origin: { dataset: 'income', layout: 1 },
  about: 'Median incomes, one row per authority and publication.',
  order: 'by code of the authority',
  columns: {
    authority: strings('median', 'code of today of the authority'),
    publication: u8('median', 'where it was published', oneOf(incomePublications.map(({ id }) => id))),
    'tax-year': u16('median', 'the year in which the tax year begins'),
    median: f64('median', 'pounds a year'),
  },
});

export type IncomeRow = {
  /** Of today (src/uk/authority-codes.ts). */
  readonly authorityCode: string;
  readonly publication: IncomePublication;
  /** The year in which the tax year begins. */
  readonly taxYear: number;
  readonly medianPounds: number;
};

type MedianIncome = {
  readonly medianPounds: number;
  readonly what: string;
  readonly source: string;
  /** "2022-23": the tax year. */
  readonly period: string;
};

/** One row per authority and publication. */
export function encodeIncome(rows: readonly IncomeRow[]): Columns {
  const ordered = rows.toSorted((a, b) => (a.authorityCode < b.authorityCode ? -1 : 1));
  return incomeTable.encode({
    authority: ordered.map(({ authorityCode }) => authorityCode),
    publication: Uint8Array.from(ordered, ({ publication }) =>
      incomePublications.findIndex(({ id }) => id === publication),
    ),
    'tax-year': Uint16Array.from(ordered, ({ taxYear }) => taxYear),
    median: Float64Array.from(ordered, ({ medianPounds }) => medianPounds),
  });
}

/** Every row of a release; none where no incomes are loaded. */
export function readIncome(release: Release): readonly IncomeRow[] {
  if (!incomeTable.isIn(release)) return [];
  const { authority, publication, 'tax-year': taxYear, median } = incomeTable.open(release);
  return Array.from(median, (medianPounds, row) => ({
    authorityCode: authority.at(row),
    publication: defined(incomePublications[defined(publication[row])]).id,
    taxYear: defined(taxYear[row]),
    medianPounds,
  }));
}

type Incomes = { find(authorityCode: string): MedianIncome | undefined };

/** Where no incomes are loaded, none is found. */
export const openIncome: (release: Release) => Incomes = oncePerRelease((release) => {
  const rows = readIncome(release);
  const byCode = new Map<string, MedianIncome>();
  for (const { id, what, source } of incomePublications) {
    for (const { authorityCode, publication, taxYear, medianPounds } of rows) {
      if (publication !== id || byCode.has(authorityCode)) continue;
      byCode.set(authorityCode, { medianPounds, what, source, period: formatTaxYear(taxYear) });
    }
  }
  return { find: (authorityCode) => byCode.get(currentAuthorityCode(authorityCode)) };
});
