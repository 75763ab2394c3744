// Median income by local authority: HM Revenue & Customs' personal incomes, and the survey of earnings of ONS. Both
// are kept; a newer year takes the place of an older one of the same publication. Only medians, never means.

import path from 'node:path';
import type { WorkbookFile } from '../../ingest/files.ts';
import { loadedBefore } from '../../ingest/losses.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { DatasetFacts, Into, Loaded, Loader, RecognisedFile } from '../../ingest/source.ts';
import { formatCount } from '../../ingest/tally.ts';
import {
  encodeIncome,
  type IncomePublication,
  type IncomeRow,
  incomePart,
  incomePublications,
  readIncome,
} from '../../tables/census/income.ts';
import { currentAuthorityCode } from '../../uk/authority-codes.ts';
import { formatTaxYear } from '../../uk/tax-year.ts';
import { findIncomeSheet, type IncomeSheet, incomeSheets, readMedians } from './income-sheets.ts';

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

export const income: Loader = {
  facts: {
    ...describeIncomePublishers(['personal-incomes', 'earnings']),
    licence: 'Open Government Licence v3.0',
    coverage: { 'United Kingdom': 'local authorities for which a median is published' },
  },
  publications: [
    {
      name: 'incomes-hmrc',
      title: 'Personal incomes by borough and district (table 3.14)',
      page: 'https://www.gov.uk/government/statistics/income-and-tax-by-borough-and-district-or-unitary-authority-2010-to-2011',
      find: {
        kind: 'govuk',
        // The page of the first edition is the one that every later edition was put on.
        path: '/government/statistics/income-and-tax-by-borough-and-district-or-unitary-authority-2010-to-2011',
        files: [{ fileName: /\.(?:ods|xlsx)$/i }],
      },
      hosts: ['www.gov.uk', 'assets.publishing.service.gov.uk'],
      rhythm: { text: 'yearly, in March', lateAfterDays: 460, askEveryDays: 0 },
      typicalBytes: 200_000,
      mostBytes: 50_000_000,
      loading: { seconds: 2, memoryBytes: 150_000_000, diskBytes: 1_000_000 },
      gives: 'medianIncome of /area/statistics',
      set: 'essential',
      holds: 'everything',
      readWith: 'nothing else',
    },
    {
      name: 'incomes-ons',
      title: 'Annual Survey of Hours and Earnings, table 8',
      page: 'https://www.ons.gov.uk/employmentandlabourmarket/peopleinwork/earningsandworkinghours/datasets/placeofresidencebylocalauthorityashetable8',
      find: {
        kind: 'links',
        page: 'https://www.ons.gov.uk/employmentandlabourmarket/peopleinwork/earningsandworkinghours/datasets/placeofresidencebylocalauthorityashetable8',
        follow: [/\/file\?uri=.*table8(?:\/|%2F)(?<newest>20\d\d(?:provisional|revised)?).*\.zip$/i],
      },
      hosts: ['www.ons.gov.uk'],
      rhythm: { text: 'yearly, in October or November', lateAfterDays: 460, askEveryDays: 0 },
      typicalBytes: 8_000_000,
      mostBytes: 100_000_000,
      loading: { seconds: 4, memoryBytes: 250_000_000, diskBytes: 1_000_000 },
      gives: 'medianIncome of /area/statistics where HM Revenue & Customs publish none',
      set: 'essential',
      holds: 'everything',
      readWith: 'nothing else',
    },
  ],
  layouts: incomeSheets.map(({ description }) => description),
  recognise: (file) => (file.form === 'workbook' ? findIncomeSheet(file)?.publication : undefined),
  load,
};

/** Whose incomes are loaded. */
function describeIncomePublishers(
  loaded: readonly IncomePublication[],
): Pick<DatasetFacts, 'publisher' | 'publisherShort' | 'attribution'> {
  const own = loaded.map((publication) => incomePublishers[publication]);
  return {
    publisher: own.map(({ publisher }) => publisher).join('; '),
    publisherShort: own.map(({ publisherShort }) => publisherShort).join(', '),
    attribution: own.map(({ attribution }) => attribution).join(' '),
  };
}

/** The United Kingdom has 361 local authorities; of the smallest no median is published. */
const fewestOfWhole = 340;

type Rows = Map<string, IncomeRow>;
const keyOf = (row: Pick<IncomeRow, 'authorityCode' | 'publication'>) =>
  `${row.authorityCode} ${row.publication}`;

async function load(files: readonly RecognisedFile[], into: Into): Promise<Loaded> {
  const rows: Rows = new Map();
  const before = loadedBefore(into.base, 'income');
  if (before !== undefined) for (const row of readIncome(before)) rows.set(keyOf(row), row);
  for (const { file } of files) {
    const layout = file.form === 'workbook' ? findIncomeSheet(file) : undefined;
    if (file.form === 'workbook' && layout !== undefined) await takeWorkbook(file, layout, rows, into);
  }
  const all = [...rows.values()];
  into.writePart(incomePart, encodeIncome(all));
  const editions = editionsOf(all);
  const oldest = Math.min(...editions.map(({ taxYear }) => taxYear));
  const authorities = new Set(all.map(({ authorityCode }) => authorityCode)).size;
  return {
    // "Personal incomes 2022-23; Hours and earnings 2024-25"
    edition: editions.map(({ name, taxYear }) => `${name} ${formatTaxYear(taxYear)}`).join('; '),
    asOf: `${oldest + 1}-04-05`,
    rows: all.length,
    extent: authorities >= fewestOfWhole ? 'complete' : 'partial',
    nextEditionExpected: 'yearly',
    coverage: {
      'United Kingdom': `medians of ${formatCount(authorities)} local authorities`,
    },
    ...describeIncomePublishers(editions.map(({ id }) => id)),
  };
}

async function takeWorkbook(file: WorkbookFile, layout: IncomeSheet, rows: Rows, into: Into): Promise<void> {
  const { tally } = into;
  into.progress({ phase: `Reading ${file.name}`, done: 0, total: undefined });
  const { taxYear, figures } = await readMedians(file, layout);
  const given = new Set<string>();
  let published = 0;
  for (const { code, pounds, place } of figures) {
    tally.read += 1;
    const row = { authorityCode: currentAuthorityCode(code), publication: layout.publication, taxYear };
    const key = keyOf(row);
    const problem = problemOf(code, pounds) ?? compareWith(rows.get(key), given, row);
    if (isAuthority(code) && pounds !== undefined) published += 1;
    if (pounds === undefined || problem !== undefined) {
      tally.reject(problem ?? 'no median published', `${path.basename(file.name)}: ${place}`);
      continue;
    }
    given.add(key);
    const before = rows.get(key);
    if (before !== undefined && before.taxYear === taxYear && before.medianPounds !== pounds) {
      tally.revise(
        'known median replaced by another of the same year',
        `${path.basename(file.name)}: ${place}`,
      );
    }
    rows.set(key, { ...row, medianPounds: pounds });
    tally.kept += 1;
  }
  if (published > 0) return;
  throw new FileRefused(
    file.name,
    `holds no median of a local authority; expected codes like E06000001 in ${layout.description}`,
  );
}

const isAuthority = (code: string) => /^(E0[6-9]|W06|S12|N09)\d{6}$/.test(code);

function problemOf(code: string, pounds: number | undefined): string | undefined {
  if (!isAuthority(code)) return 'region, county or country';
  return pounds === undefined ? 'no median published' : undefined;
}

/** `given` has the keys of the rows of this file. */
function compareWith(
  known: IncomeRow | undefined,
  given: ReadonlySet<string>,
  { taxYear }: Pick<IncomeRow, 'taxYear'>,
): string | undefined {
  if (known === undefined) return undefined;
  if (given.has(keyOf(known))) return 'duplicate authority';
  return taxYear < known.taxYear ? 'older than the loaded median' : undefined;
}

/** Of each publication that is loaded, its newest year. */
const editionsOf = (rows: readonly IncomeRow[]) =>
  incomePublications.flatMap(({ id, name }) => {
    const years = rows.filter(({ publication }) => publication === id).map(({ taxYear }) => taxYear);
    return years.length === 0 ? [] : [{ id, name, taxYear: Math.max(...years) }];
  });
