// The tables of the Welsh and the Scottish Government. They have names of councils and no codes.

import { defined } from '../../out-of-range.ts';
import { bands, nationOfCode } from '../../uk/council-tax-bands.ts';
import {
  checkComplete,
  type Figure,
  findHeader,
  matchName,
  newestYear,
  penceIn,
  placeOf,
  refuseTable,
  type Table,
  textAt,
  textsAbove,
  textsOf,
  yearsIn,
} from './figures.ts';

const isChange = (text: string) => /%|per ?cent|change|increase/i.test(text);

/** "Council tax levels", Table 1: the overall average band D of each council. `elsewhere`: texts of other sheets. */
export function readWelshLevels(table: Table, elsewhere: readonly string[]): readonly Figure[] {
  const header = findHeader(
    table,
    'a column for the overall band D',
    (texts) =>
      texts.filter((text) => text !== '').length > 1 && texts.some((text) => /overall|total/i.test(text)),
  );
  const above = textsAbove(table, header.row);
  const taxYear = newestYear(above) ?? newestYear(header.texts) ?? newestYear(elsewhere);
  if (taxYear === undefined)
    throw refuseTable(table, 'does not say which year it covers, and neither does another sheet');
  const overall = header.texts.flatMap((text, at) =>
    /overall|total/i.test(text) && !isChange(text) ? [{ text, at }] : [],
  );
  const ofYear = overall.filter(({ text }) => yearsIn(text).includes(taxYear));
  const [column, ...others] = ofYear.length > 0 ? ofYear : overall;
  if (column === undefined || others.length > 0) {
    const there = header.texts.filter((text) => text !== '').map((text) => `"${text}"`);
    throw refuseTable(
      table,
      `does not have exactly one column for the overall band D of the year; its columns are ${there.join(', ')}`,
    );
  }
  const figures = readNamed(table, 'Wales', header.row, taxYear, (row) => [
    undefined,
    undefined,
    undefined,
    penceIn(table, row, column.at, column.text),
  ]);
  checkComplete(table, 'Wales', taxYear, figures);
  return figures;
}

/** StatsWales, "Composition of average band D": headers in several rows, "." where a cell goes on; total at the end. */
export function readStatsWales(table: Table): readonly Figure[] {
  const isTotal = (text: string) => /^Total CT for billing authority area/i.test(text);
  const header = findHeader(table, '"Total CT for billing authority area"', (texts) => texts.some(isTotal));
  const columns = header.texts.flatMap((text, at) => (isTotal(text) ? [{ text, at }] : []));
  // The parts stand below the first of two such headers. Below the total there are only fillers.
  const totals = columns.filter(({ at }) =>
    [1, 2].every(
      (down) => /^\.?$/.test(textAt(table, header.row + down, at)) || isNumber(table, header.row + down, at),
    ),
  );
  const figures: Figure[] = [];
  const years = totals.map(({ text, at }) => {
    const taxYear = yearLeftOf(table, header.row - 1, at);
    if (taxYear === undefined) throw refuseTable(table, `has no year above "${text}" in row ${header.row}`);
    figures.push(
      ...readNamed(table, 'Wales', header.row, taxYear, (row) => [
        undefined,
        undefined,
        undefined,
        penceIn(table, row, at, text),
      ]),
    );
    return taxYear;
  });
  if (years.length === 0)
    throw refuseTable(table, 'has no total below "Total CT for billing authority area"');
  checkComplete(table, 'Wales', Math.max(...years), figures);
  return figures;
}

const isNumber = ({ sheet }: Table, row: number, column: number) =>
  sheet.cell(row, column)?.kind === 'number' ||
  /^\d+(\.\d+)?$/.test(String(sheetText(sheet.cell(row, column))));
const sheetText = (cell: ReturnType<Table['sheet']['cell']>) => (cell?.kind === 'text' ? cell.value : '');

/** A heading over several columns stands in the first of them. */
function yearLeftOf(table: Table, row: number, column: number): number | undefined {
  for (let at = column; at >= 0; at -= 1) {
    const [year] = yearsIn(textAt(table, row, at));
    if (year !== undefined) return year;
  }
  return undefined;
}

/** "Council Tax by Band": every band of each council, below a row with the ratios, which tells the columns too. */
export function readScottishBands(table: Table): readonly Figure[] {
  const [taxYear] = yearsIn(table.sheet.name);
  if (taxYear === undefined) throw refuseTable(table, 'does not say in its name which year it covers');
  const header = findHeader(table, 'the row "Ratio to Band D"', (texts) =>
    texts.some((text) => /^ratio to band d/i.test(text)),
  );
  const labelAt = header.texts.findIndex((text) => /^ratio to band d/i.test(text));
  const ratios = header.texts.slice(labelAt + 1, labelAt + 9).map(Number);
  const isAscending = ratios.every((ratio, index) => index === 0 || ratio > defined(ratios[index - 1]));
  if (ratios.length !== 8 || !isAscending || ratios[3] !== 1) {
    throw refuseTable(
      table,
      `row ${header.row + 1} has ${JSON.stringify(header.texts)}; expected the eight ratios of bands A to H, 1 for band D`,
    );
  }
  const figures = readNamed(table, 'Scotland', header.row, taxYear, (row) =>
    bands.slice(0, 8).map((band, index) => penceIn(table, row, labelAt + 1 + index, `Band ${band}`)),
  );
  checkComplete(table, 'Scotland', taxYear, figures);
  return figures;
}

/** Rows below the header; a council is told by its name, or its code where somebody has put one before it. */
function readNamed(
  table: Table,
  nation: 'Wales' | 'Scotland',
  headerRow: number,
  taxYear: number,
  readPence: (row: number) => readonly (number | undefined)[],
): readonly Figure[] {
  const figures: Figure[] = [];
  for (let row = headerRow + 1; row <= table.sheet.lastRow; row += 1) {
    const [first = '', second = ''] = textsOf(table, row);
    const name = nationOfCode(first) === nation || first === '' ? second : first;
    // Footnotes and further rows of a header have no figure beside them.
    if (name === '' || /^\d|^\.$/.test(name)) continue;
    if (!hasFigures(table, row)) continue;
    table.tally.read += 1;
    const place = placeOf(table, row);
    const match = matchName(table, nation, name, place);
    if (match === undefined) continue;
    const pence = readPence(row);
    if (pence.every((amount) => amount === undefined)) table.tally.reject('no figure published', place);
    else figures.push({ code: match.code, taxYear, pence, place });
  }
  return figures;
}

const hasFigures = (table: Table, row: number) =>
  Array.from({ length: table.sheet.lastColumn }, (_, column) => column + 1).some(
    (column) =>
      isNumber(table, row, column) ||
      /^(£?[\d,]+\.\d+( ?\[r\])?|\[[a-z]\])$/i.test(textAt(table, row, column)),
  );
