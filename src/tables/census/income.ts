// Official median incomes by local authority. Two publications give such medians, of different people: what a figure
// is of stands beside it, and the first in the list below that has the authority is the one answered.

import { outOfRange } from '../../columns/out-of-range.ts';
import type { Columns } from '../../release/part.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';
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

export type IncomeRow = {
  /** Of today (src/uk/authority-codes.ts). */
  readonly authorityCode: string;
  readonly publication: IncomePublication;
  /** The year in which the tax year begins. */
  readonly taxYear: number;
  readonly medianPounds: number;
};

export type MedianIncome = {
  readonly medianPounds: number;
  readonly what: string;
  readonly source: string;
  /** "2022-23": the tax year. */
  readonly period: string;
};

/** One row per authority and publication. */
export function encodeIncome(rows: readonly IncomeRow[]): Columns {
  const ordered = rows.toSorted((a, b) => (a.authorityCode < b.authorityCode ? -1 : 1));
  return {
    authority: ordered.map(({ authorityCode }) => authorityCode),
    publication: Uint8Array.from(ordered, ({ publication }) =>
      incomePublications.findIndex(({ id }) => id === publication),
    ),
    'tax-year': Uint16Array.from(ordered, ({ taxYear }) => taxYear),
    median: Float64Array.from(ordered, ({ medianPounds }) => medianPounds),
  };
}

/** Every row of a release; none where no incomes are loaded. */
export function readIncome(release: Release): readonly IncomeRow[] {
  if (!release.has(incomePart)) return [];
  const part = release.part(incomePart);
  const codes = part.strings('authority');
  const publications = part.u8('publication');
  const taxYears = part.u16('tax-year');
  return Array.from(part.f64('median'), (medianPounds, row) => {
    const publication = incomePublications[publications[row] ?? -1]?.id;
    if (publication === undefined) throw new RangeError('Unknown publication of incomes.');
    return {
      authorityCode: codes.at(row),
      publication,
      taxYear: taxYears[row] ?? outOfRange(),
      medianPounds,
    };
  });
}

export type Incomes = { find(authorityCode: string): MedianIncome | undefined };

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
