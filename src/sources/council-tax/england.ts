// The tables of MHCLG (once DLUHC): local authority level data, Table 9 with all bands, Band D since 1993.

import { bands } from '../../uk/council-tax-bands.ts';
import {
  checkComplete,
  type Figure,
  findHeader,
  matchCodes,
  newestYear,
  penceIn,
  placeOf,
  refuseTable,
  type Table,
  textAt,
  textsAbove,
  yearsIn,
} from './figures.ts';

const englishBands = bands.slice(0, 8);
const areaPrefix = '17. Average (Band D';

const isCode = (text: string) => /^ONS code$/i.test(text);
const isEcode = (text: string) => /^(E[- ]?code|code)$/i.test(text);
const isAuthority = (text: string) => /^(authority|local authority)$/i.test(text);

type Keys = { readonly codeAt: number; readonly eCodeAt: number; readonly nameAt: number };

function findKeys(table: Table, header: readonly string[]): Keys {
  const keys = {
    codeAt: header.findIndex(isCode),
    eCodeAt: header.findIndex(isEcode),
    nameAt: header.findIndex(isAuthority),
  };
  if (keys.codeAt === -1 && keys.eCodeAt === -1) {
    throw refuseTable(table, 'has neither a column "ONS Code" nor "E-code"');
  }
  return keys;
}

/** Rows below the header that belong to a billing authority of today. */
function* authorityRows(
  table: Table,
  headerRow: number,
  keys: Keys,
): Generator<{ row: number; code: string }> {
  const at = (row: number, column: number) => (column === -1 ? '' : textAt(table, row, column));
  for (let row = headerRow + 1; row <= table.sheet.lastRow; row += 1) {
    const code = at(row, keys.codeAt);
    const eCode = at(row, keys.eCodeAt);
    if (code === '' && eCode === '') continue;
    table.tally.read += 1;
    const match = matchCodes(table, { code, eCode, name: at(row, keys.nameAt), place: placeOf(table, row) });
    if (match !== undefined) yield { row, code: match.code };
  }
}

/** Line 17: what the whole area pays, with county, police, fire and parishes; line 8 is the council's own part only. */
export function readLocalAuthorityLevel(table: Table): readonly Figure[] {
  const header = findHeader(table, `"${areaPrefix}…"`, (texts) =>
    texts.some((text) => text.startsWith(areaPrefix)),
  );
  const keys = findKeys(table, header.texts);
  const amountAt = header.texts.findIndex((text) => text.startsWith(areaPrefix));
  const above = textsAbove(table, header.row);
  const taxYear = newestYear(above) ?? newestYear(header.texts);
  if (taxYear === undefined) throw refuseTable(table, 'does not say in its title which years it covers');
  const figures: Figure[] = [];
  for (const { row, code } of authorityRows(table, header.row, keys)) {
    const bandD = penceIn(table, row, amountAt, areaPrefix);
    const place = placeOf(table, row);
    if (bandD === undefined) table.tally.reject('no figure published', place);
    else figures.push({ code, taxYear, pence: [undefined, undefined, undefined, bandD], place });
  }
  checkComplete(table, 'England', taxYear, figures);
  return figures;
}

/** Table 9: area council tax for two adults, every band. */
export function readAllBands(table: Table): readonly Figure[] {
  const names = englishBands.map((band) => `Band ${band}`);
  const header = findHeader(table, `the columns ${names.join(', ')}`, (texts) =>
    names.every((name) => texts.includes(name)),
  );
  const keys = findKeys(table, header.texts);
  const taxYear = newestYear(textsAbove(table, header.row));
  if (taxYear === undefined) throw refuseTable(table, 'does not say in its title which year it covers');
  const columns = names.map((name) => ({ name, at: header.texts.indexOf(name) }));
  const figures: Figure[] = [];
  for (const { row, code } of authorityRows(table, header.row, keys)) {
    const place = placeOf(table, row);
    const pence = columns.map(({ name, at }) => penceIn(table, row, at, name));
    if (pence.includes(undefined)) table.tally.reject('no figure published', place);
    else figures.push({ code, taxYear, pence, place });
  }
  checkComplete(table, 'England', taxYear, figures);
  return figures;
}

/** The live table of area band D: a column per year, "1993 to 1994" on; abolished councils stand among the others. */
export function readBandDSince1993(table: Table): readonly Figure[] {
  const yearOf = (text: string) => (/^\d{4} to \d{4}/.test(text) ? yearsIn(text)[0] : undefined);
  const header = findHeader(
    table,
    'a column per year ("2025 to 2026") and "ONS Code"',
    (texts) => texts.some(isCode) && texts.some((text) => yearOf(text) !== undefined),
  );
  const keys = findKeys(table, header.texts);
  const columns = header.texts.flatMap((text, at) => {
    const taxYear = yearOf(text);
    return taxYear === undefined ? [] : [{ text, at, taxYear }];
  });
  const figures: Figure[] = [];
  for (const { row, code } of authorityRows(table, header.row, keys)) {
    const place = placeOf(table, row);
    for (const { text, at, taxYear } of columns) {
      const bandD = penceIn(table, row, at, text);
      // A council has no figures for the years before it was founded. The table is not at fault.
      if (bandD === undefined) continue;
      figures.push({ code, taxYear, pence: [undefined, undefined, undefined, bandD], place });
    }
  }
  for (const taxYear of columns.map((column) => column.taxYear)) {
    const inYear = figures.filter((figure) => figure.taxYear === taxYear);
    if (new Set(inYear.map(({ code }) => code)).size !== inYear.length) {
      throw refuseTable(table, `has an authority twice in ${taxYear}`);
    }
  }
  checkComplete(table, 'England', Math.max(...columns.map(({ taxYear }) => taxYear)), figures);
  return figures;
}
