// The bundled medians of earnings by local authority (data/sample/incomes.csv): one publication of the two.

import type { NamedCells } from '../../ingest/read/named-rows.ts';
import { encodeIncome, type IncomeRow, incomePart } from '../../tables/census/income.ts';
import { currentAuthorityCode } from '../../uk/authority-codes.ts';
import { sampleLoader } from '../sample-loader.ts';
import { describeIncomePublishers, incomeFacts, isAuthority } from './facts.ts';

const columns = ['earningsAuthority', 'taxYearBegins', 'medianGrossPay'] as const;

export const incomeSample = sampleLoader({
  subject: 'sample-incomes',
  facts: {
    ...incomeFacts,
    ...describeIncomePublishers(['earnings']),
    coverage: {
      'United Kingdom': 'median gross pay of local authorities; nothing from HM Revenue & Customs',
    },
  },
  columns,
  readRow: readMedian,
  write: (medians, _note, into) => into.writePart(incomePart, encodeIncome(medians)),
});

function readMedian({ cell, refuse }: NamedCells<(typeof columns)[number]>): IncomeRow {
  const code = cell('earningsAuthority');
  if (!isAuthority(code)) throw refuse('earningsAuthority', 'the code of a local authority');
  const taxYear = Number(cell('taxYearBegins'));
  if (!Number.isInteger(taxYear) || taxYear < 1990) throw refuse('taxYearBegins', 'a year');
  const medianPounds = Number(cell('medianGrossPay'));
  if (!(medianPounds > 0)) throw refuse('medianGrossPay', 'pounds a year');
  return { authorityCode: currentAuthorityCode(code), publication: 'earnings', taxYear, medianPounds };
}
