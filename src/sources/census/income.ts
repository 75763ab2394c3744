// Median income by local authority: HM Revenue & Customs' personal incomes, and the survey of earnings of ONS. Both
// are kept; a newer year takes the place of an older one of the same publication. Only medians, never means.

import path from 'node:path';
import type { WorkbookFile } from '../../ingest/files.ts';
import { loadedBefore } from '../../ingest/losses.ts';
import type { Sheet } from '../../ingest/read/workbook.ts';
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

// The two workbooks with official medians of income by local authority. Layouts are known from programs that read
// these files (HMRC: sheet Table_3_14, header on row 5 with "Total income: Median"; ONS: sheet All, title "Table 8.7a
// Annual pay - Gross (£) …, 2025", header on row 5 with Description, Code, Median, Mean); no genuine file was at hand.
// Editions of HMRC before the tax year 2019-20 have their header in two rows and are not read.

type IncomeSheet = {
  readonly publication: IncomePublication;
  readonly description: string;
  /** The sheets of this publication; none where the workbook is another one. */
  readonly findSheets: (file: WorkbookFile) => readonly string[];
  /** Why these sheets are not the table wanted, or undefined. */
  readonly refuse: (file: WorkbookFile, sheets: readonly string[]) => string | undefined;
  readonly medianColumn: RegExp;
  readonly codeColumn: RegExp;
  /** The year in which the tax year begins, from the titles above the header. */
  readonly taxYearOf: (titles: readonly string[]) => number | undefined;
};

/** Without line breaks and marks of notes. */
const tidy = (text: string) =>
  text
    .replace(/\[note[^\]]*\]/gi, '')
    .replace(/\s+/g, ' ')
    .trim();
const headOf = (file: WorkbookFile, sheet: string) => file.head(sheet).flat().map(tidy);

const medianOfTotalIncome = /^total income: median( \(£\))?$/i;
const ofAuthorities = /borough|local authorit/i;

const personalIncomes: IncomeSheet = {
  publication: 'personal-incomes',
  description:
    'HMRC, Personal incomes, table 3.14 (income and tax by borough and district or unitary authority): a sheet with "Total income: Median"',
  findSheets: (file) =>
    file.sheetNames.filter((sheet) => headOf(file, sheet).some((text) => medianOfTotalIncome.test(text))),
  refuse: (file, sheets) => {
    const wanted = sheets.filter((sheet) => headOf(file, sheet).some((text) => ofAuthorities.test(text)));
    if (wanted.length === 1) return undefined;
    return `has ${wanted.length} sheets with "Total income: Median" by borough and district among "${sheets.join('", "')}"; expected one (table 3.14, not the tables of constituencies or counties)`;
  },
  medianColumn: medianOfTotalIncome,
  codeColumn: /^(area code|ons code|gss code|geography code|local authority code|code)$/i,
  taxYearOf: (titles) => {
    const years = titles.flatMap((text) => {
      const [, first, second] = /\b(20\d\d)\s?(?:to|-|–)\s?(?:20)?(\d\d)\b/.exec(text) ?? [];
      return first !== undefined && Number(second) === (Number(first) + 1) % 100 ? [Number(first)] : [];
    });
    return new Set(years).size === 1 ? years[0] : undefined;
  },
};

const earnings: IncomeSheet = {
  publication: 'earnings',
  description:
    'ONS, Annual Survey of Hours and Earnings, table 8.7a (annual pay, gross, by place of residence): a sheet "All" with Description, Code, Median',
  findSheets: (file) =>
    file.sheetNames.filter(
      (sheet) =>
        sheet === 'All' && headOf(file, sheet).some((text) => /^table 8\.7a annual pay - gross/i.test(text)),
    ),
  refuse: () => undefined,
  medianColumn: /^median$/i,
  codeColumn: /^code$/i,
  // The year of a table is that in which the tax year ends.
  taxYearOf: (titles) => {
    const [, year] = titles.flatMap((text) => /^table 8\.7a\b.*\b(20\d\d)\b[^\d]*$/i.exec(text) ?? []);
    return year === undefined ? undefined : Number(year) - 1;
  },
};

const incomeSheets: readonly IncomeSheet[] = [personalIncomes, earnings];

const findIncomeSheet = (file: WorkbookFile): IncomeSheet | undefined =>
  incomeSheets.find(({ findSheets }) => findSheets(file).length > 0);

type MedianFigure = {
  readonly code: string;
  /** Undefined where the publisher gives none. */
  readonly pounds: number | undefined;
  readonly place: string;
};

type MedianTable = { readonly taxYear: number; readonly figures: readonly MedianFigure[] };

/** Throws FileRefused when it is not clear which column the median is, or of which year. */
async function readMedians(file: WorkbookFile, layout: IncomeSheet): Promise<MedianTable> {
  const sheets = layout.findSheets(file);
  const refusal = layout.refuse(file, sheets);
  if (refusal !== undefined) throw new FileRefused(file.name, refusal);
  const name = sheets.find((sheet) => layout.refuse(file, [sheet]) === undefined) ?? '';
  const sheet = await file.openSheet(name);
  const where = `sheet "${name}"`;
  const header = findHeader(sheet, layout);
  if (header === undefined) {
    throw new FileRefused(
      file.name,
      `${where} has no row with one column of codes and one of medians; expected them in the header`,
    );
  }
  const titles = Array.from({ length: header.row }, (_, row) => textsOf(sheet, row)).flat();
  const taxYear = layout.taxYearOf(titles);
  if (taxYear === undefined) {
    throw new FileRefused(file.name, `${where} does not say above its header which single year it covers`);
  }
  const figures: MedianFigure[] = [];
  for (let row = header.row + 1; row <= sheet.lastRow; row += 1) {
    const code = textAt(sheet, row, header.codeAt);
    if (!/^[A-Z]\d{8}$/.test(code)) continue;
    const place = `${where} row ${row + 1}`;
    figures.push({ code, pounds: poundsAt(file.name, sheet, row, header.medianAt, place), place });
  }
  return { taxYear, figures };
}

const textAt = (sheet: Sheet, row: number, column: number) => {
  const cell = sheet.cell(row, column);
  return cell?.kind === 'text' ? tidy(cell.value) : '';
};

const textsOf = (sheet: Sheet, row: number) =>
  Array.from({ length: sheet.lastColumn + 1 }, (_, column) => textAt(sheet, row, column)).filter(
    (text) => text !== '',
  );

function findHeader(sheet: Sheet, { codeColumn, medianColumn }: IncomeSheet) {
  for (let row = 0; row <= Math.min(sheet.lastRow, 30); row += 1) {
    const columns = Array.from({ length: sheet.lastColumn + 1 }, (_, column) => textAt(sheet, row, column));
    const codes = columns.flatMap((text, at) => (codeColumn.test(text) ? [at] : []));
    const medians = columns.flatMap((text, at) => (medianColumn.test(text) ? [at] : []));
    const [codeAt] = codes;
    const [medianAt] = medians;
    if (codeAt === undefined || medianAt === undefined) continue;
    return codes.length === 1 && medians.length === 1 ? { row, codeAt, medianAt } : undefined;
  }
  return undefined;
}

/** "x", "..", "[c]" and the like stand where too few people were asked. */
const unpublished = /^(x|\.\.|:|-|#|n\/?a|\[[a-z]\])?$/i;

function poundsAt(
  file: string,
  sheet: Sheet,
  row: number,
  column: number,
  place: string,
): number | undefined {
  const cell = sheet.cell(row, column);
  const text = cell?.kind === 'text' ? tidy(cell.value) : '';
  if (cell === undefined || (cell.kind === 'text' && unpublished.test(text))) return undefined;
  const pounds = cell.kind === 'number' ? cell.value : Number(text.replace(/(?<=\d),(?=\d{3}\b)/g, ''));
  // A column of thousands of pounds, or of pounds a week, is far outside this range.
  if (cell.kind !== 'date' && pounds >= 5_000 && pounds <= 250_000) return pounds;
  throw new FileRefused(
    file,
    `${place} has ${JSON.stringify(cell.kind === 'date' ? 'a date' : (cell.value ?? ''))} as the median; expected pounds a year from 5,000 to 250,000`,
  );
}

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
