// What is true of every edition of censuses and incomes. It stands apart from the loaders, which a first start would
// otherwise import for the sake of the bundled sample.

import type { DatasetFacts } from '../../ingest/source.ts';
import type { IncomePublication } from '../../tables/census/income.ts';

export const censusEnglandWalesFacts: DatasetFacts = {
  publisher: 'Office for National Statistics',
  publisherShort: 'ONS',
  licence: 'Open Government Licence v3.0',
  attribution: 'Source: Office for National Statistics licensed under the Open Government Licence v.3.0.',
  coverage: { England: 'every LSOA of 2021', Wales: 'every LSOA of 2021' },
};

const incomePublishers = {
  'personal-incomes': {
    publisher: 'HM Revenue & Customs',
    publisherShort: 'HMRC',
    attribution: 'Contains public sector information licensed under the Open Government Licence v3.0.',
  },
  earnings: {
    publisher: 'Office for National Statistics',
    publisherShort: 'ONS',
    attribution: 'Source: Office for National Statistics licensed under the Open Government Licence v.3.0.',
  },
} as const satisfies Record<IncomePublication, Partial<DatasetFacts>>;

/** Whose incomes are loaded. */
export function describeIncomePublishers(
  loaded: readonly IncomePublication[],
): Pick<DatasetFacts, 'publisher' | 'publisherShort' | 'attribution'> {
  const own = loaded.map((publication) => incomePublishers[publication]);
  return {
    publisher: own.map(({ publisher }) => publisher).join('; '),
    publisherShort: own.map(({ publisherShort }) => publisherShort).join(', '),
    attribution: own.map(({ attribution }) => attribution).join(' '),
  };
}

export const incomeFacts: DatasetFacts = {
  ...describeIncomePublishers(['personal-incomes', 'earnings']),
  licence: 'Open Government Licence v3.0',
  coverage: { 'United Kingdom': 'local authorities for which a median is published' },
};

export const isAuthority = (code: string) => /^(E0[6-9]|W06|S12|N09)\d{6}$/.test(code);
