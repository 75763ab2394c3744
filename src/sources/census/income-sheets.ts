// The two workbooks with official medians of income by local authority. Layouts are known from programs that read
// these files (HMRC: sheet Table_3_14, header on row 5 with "Total income: Median"; ONS: sheet All, title "Table 8.7a
// Annual pay - Gross (£) …, 2025", header on row 5 with Description, Code, Median, Mean); no genuine file was at hand.
// Editions of HMRC before the tax year 2019-20 have their header in two rows and are not read.

import type { WorkbookFile } from '../../ingest/files.ts';
import type { Sheet } from '../../ingest/read/workbook.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { IncomePublication } from '../../tables/census/income.ts';

export type IncomeSheet = {
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

export const incomeSheets: readonly IncomeSheet[] = [personalIncomes, earnings];

export const findIncomeSheet = (file: WorkbookFile): IncomeSheet | undefined =>
  incomeSheets.find(({ findSheets }) => findSheets(file).length > 0);

type MedianFigure = {
  readonly code: string;
  /** Undefined where the publisher gives none. */
  readonly pounds: number | undefined;
  readonly place: string;
};

type MedianTable = { readonly taxYear: number; readonly figures: readonly MedianFigure[] };

/** Throws FileRefused when it is not clear which column the median is, or of which year. */
export async function readMedians(file: WorkbookFile, layout: IncomeSheet): Promise<MedianTable> {
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
