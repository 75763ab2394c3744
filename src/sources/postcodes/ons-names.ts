// "Names and codes" of the Office for National Statistics: files with a column of codes and one of names (WD25CD,
// WD25NM), as they lie in the Documents of the postcode directory and on the Open Geography Portal. Look-ups from one
// kind of area to another (WD26CD, WD26NM, LAD26CD, LAD26NM) hold several such pairs. The code list that comes with
// Code-Point Open names the wards and districts that its postcodes lie in. What they say is added to
// what is known: places that went away keep their names.

import type { Dating } from '../../ingest/dating.ts';
import type { InputFile, TextFile, WorkbookFile } from '../../ingest/files.ts';
import {
  headerOf,
  placeOf,
  type RowFormat,
  readNamedRows,
  wrongWidth,
} from '../../ingest/read/named-rows.ts';
import { type Sheet, tidy } from '../../ingest/read/workbook.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { Into, Loaded, Loader, RecognisedFile } from '../../ingest/source.ts';
import { formatCount } from '../../ingest/tally.ts';
import { defined } from '../../out-of-range.ts';
import {
  encodePlaceNames,
  openPlaceNames,
  parsePlaceCode,
  placeNamesPart,
} from '../../tables/postcodes/place-names.ts';
import { dayOf, formatDay, parseMonthName } from '../../uk/calendar.ts';
import { joinKey } from '../../uk/place-name.ts';

/** Authorities, wards, counties, regions, countries, small areas and police forces: what an answer can name. */
const kinds = ['lad', 'laua', 'wd', 'cty', 'rgn', 'gor', 'ctry', 'lsoa', 'dz', 'sdz', 'msoa', 'pfa'];

type Layout = 'names and codes' | 'code list';

// The code list of Ordnance Survey (Doc/Codelist.xlsx in the archive of Code-Point Open): a sheet for each kind of area,
// names in the first column and codes in the second, without titles. Names come as Ordnance Survey writes them on maps
// ("Cambridge District (B)"); what says the kind is cut off, so that a place has the name that people use.

/** The sheet that lists the kinds; each has a sheet of its own. */
const kindsSheet = 'AREA_CODES';

const ward = [/ (Ward|ED)( \(DET\))?$/];
const district = [/ District( \(B\))?$/];

/** By kind, what is not part of a name. */
const additions: ReadonlyMap<string, readonly RegExp[]> = new Map([
  ['CTY', [/ County$/]],
  ['DIS', district],
  ['DIW', ward],
  ['LBO', [/ London Boro$/, /^City and County of the /]],
  ['LBW', ward],
  ['MTD', district],
  ['MTW', ward],
  // Of Wales both names: "Caerdydd - Cardiff", "Bro Morgannwg - the Vale of Glamorgan".
  ['UTA', [/ \(B\)$/, /^.* - (the )?/]],
  ['UTE', ward],
  ['UTW', ward],
]);

const codeListLayout = `workbook with the sheet ${kindsSheet} and one for each kind of area (${[...additions.keys()].join(', ')}): Codelist.xlsx of Code-Point Open`;

const isCodeList = (file: InputFile): file is WorkbookFile =>
  file.form === 'workbook' &&
  file.sheetNames.includes(kindsSheet) &&
  file.sheetNames.some((name) => additions.has(name));

type Row = { readonly code: string; readonly name: string /** "Codelist.xlsx DIS:3" */; readonly at: string };

/** The list, and the day it is of (YYYY-MM-DD). Throws FileRefused where a kind has no sheet. */
async function readCodeList(
  file: WorkbookFile,
  { dating }: Into,
): Promise<{ readonly rows: readonly Row[]; readonly asOf: string }> {
  const kinds = rowsOf(await file.openSheet(kindsSheet)).map(([kind = '']) => kind);
  const strange = kinds.filter((kind) => !additions.has(kind));
  if (strange.length > 0) {
    const expected = `kinds of areas (${[...additions.keys()].join(', ')})`;
    throw new FileRefused(file.name, `sheet ${kindsSheet} lists ${strange.join(', ')}; expected ${expected}`);
  }
  const rows: Row[] = [];
  for (const kind of kinds) {
    for (const [index, [name = '', code = '']] of rowsOf(await file.openSheet(kind)).entries()) {
      rows.push({ code, name: withoutAdditions(kind, name), at: `${file.name} ${kind}:${index + 1}` });
    }
  }
  return { rows, asOf: formatDay(dayOfCodeList(file, dating)) };
}

/** What stands above its tables and in its name tells it, and no row. Throws FileRefused where nothing does. */
const dayOfCodeList = (file: WorkbookFile, dating: Dating): number =>
  dating.past(statedDay(file)) ?? dating.dayOf(file);

/** As its head tells: reading one that is not says what it lacks. */
const isWholeCodeList = (file: WorkbookFile): boolean =>
  file
    .head(kindsSheet)
    .every(([kind = '']) => additions.has(tidy(kind)) && file.sheetNames.includes(tidy(kind)));

const withoutAdditions = (kind: string, name: string) =>
  (additions.get(kind) ?? []).reduce((left, addition) => left.replace(addition, ''), name);

function rowsOf(sheet: Sheet): readonly (readonly string[])[] {
  const textAt = (row: number, column: number) => {
    const cell = sheet.cell(row, column);
    return cell?.kind === 'text' ? tidy(cell.value) : '';
  };
  return Array.from({ length: sheet.lastRow + 1 }, (_, row) => [textAt(row, 0), textAt(row, 1)]);
}

/** "This CodeList is taken from Oct 25 Boundary Line" stands on a sheet of its own. */
function statedDay(file: WorkbookFile): number | undefined {
  for (const sheet of file.sheetNames) {
    for (const text of file.head(sheet).flat()) {
      const [, word = '', year = ''] = /taken from ([A-Z][a-z]{2})[a-z]* (?:20)?(\d\d)\b/.exec(text) ?? [];
      const month = parseMonthName(word);
      if (month !== undefined) return dayOf(2000 + Number(year), month, 1);
    }
  }
  return undefined;
}

export const onsNames: Loader = {
  facts: {
    publisher: 'Office for National Statistics, Ordnance Survey',
    publisherShort: 'ONS, Ordnance Survey',
    licence: 'Open Government Licence v3.0',
    attribution:
      'Source: Office for National Statistics licensed under the Open Government Licence v.3.0. Contains OS data © Crown copyright and database right.',
    coverage: { 'United Kingdom': 'the loaded kinds of areas' },
  },
  layouts: [
    'CSV or tab-separated text with columns like WD25CD, WD25NM (wards); LAD25…, CTY…, RGN…, CTRY…, PFA…, LSOA21…, MSOA21…, DZ…, SDZ… likewise',
    codeListLayout,
  ],
  bundledSample: 'kept',
  recognise,
  // One of the many lists beside a postcode directory may be empty.
  headerAlone: () => 'passed over',
  judge: (files, { dating }) => {
    for (const { file } of files) if (isCodeList(file) && isWholeCodeList(file)) dayOfCodeList(file, dating);
    return { read: files, passedOver: [] };
  },
  load,
};

function recognise(file: InputFile): Layout | undefined {
  if (isCodeList(file)) return 'code list';
  if (file.form !== 'text') return undefined;
  return findPairs(lowered(headerOf(file, delimiterOf(file)))).length > 0 ? 'names and codes' : undefined;
}

/** A tab in the first line means that the columns are separated by tabs. */
const delimiterOf = (file: TextFile) =>
  (file.head.toString('latin1').split('\n', 1)[0] ?? '').includes('\t') ? '\t' : ',';

const lowered = (titles: readonly string[]) => titles.map((title) => title.toLowerCase());

type Pair = { readonly codeAt: number; readonly nameAt: number; readonly year: number };

function findPairs(header: readonly string[]): readonly Pair[] {
  return header.flatMap((cell, codeAt) => {
    const [, kind = '', digits = ''] = /^([a-z]+)(\d{2}|\d{4})cd$/.exec(cell) ?? [];
    const nameAt = header.indexOf(`${kind}${digits}nm`);
    if (!kinds.includes(kind) || nameAt < 0) return [];
    return [{ codeAt, nameAt, year: 2000 + Number(digits.slice(-2)) }];
  });
}

async function load(files: readonly RecognisedFile[], into: Into): Promise<Loaded> {
  const { base, tally } = into;
  const known = base?.findDataset('place-names');
  const names = new Map<number, string>();
  if (base !== undefined && known !== undefined) {
    for (const [code, name] of openPlaceNames(base).entries()) names.set(defined(parsePlaceCode(code)), name);
  }
  const before = new Map(names);
  const readings: Reading[] = [];
  for (const { file } of files) {
    if (isCodeList(file)) readings.push(await readListed(file, into));
    else if (file.form === 'text') readings.push(await readNames(file, into));
  }
  // What is written last stays, so the newest comes last, and what ONS says after what a map says.
  const rank = ({ spelling, asOf }: Reading) => `${spelling === 'own' ? 1 : 0} ${asOf}`;
  readings.sort((a, b) => (rank(a) === rank(b) ? 0 : rank(a) < rank(b) ? -1 : 1));
  const given = new Map(
    readings.flatMap(({ names: found, ...reading }) =>
      [...found].map(([code, name]) => [code, { name, ...reading }]),
    ),
  );
  // The release does not tell the day of each name, only the newest.
  const newest = known === undefined || known.extent === 'sample' ? '' : known.asOf;
  for (const [code, { name, asOf, spelling }] of given) {
    const old = before.get(code);
    // "City of Bristol" and "St. Ives" on a map are "Bristol, City of" and "St Ives".
    if (old !== undefined && spelling === 'of a map' && joinKey(old) === joinKey(name)) continue;
    const isOther = old !== undefined && old !== name;
    if (isOther && asOf < newest)
      tally.reject('older name that differs from the one that is loaded', `${old} ← ${name}`);
    else names.set(code, name);
    if (isOther && asOf >= newest) tally.revise('another name for the same code', `${old} → ${name}`);
  }
  if (given.size === 0) {
    const places = files.map(({ file }) => file.name).join(', ');
    throw new FileRefused(places, 'holds no names; expected a code like E05000001 and a name in each line');
  }
  tally.kept = given.size;
  into.writePart(placeNamesPart, encodePlaceNames(names));
  const days = [...readings.map((reading) => reading.asOf), ...(known === undefined ? [] : [known.asOf])];
  const asOf = defined(days.sort().at(-1));
  return {
    edition: `names to ${asOf.slice(0, 4)}`,
    asOf,
    rows: names.size,
    // Nobody publishes all names in one place.
    extent: 'partial',
    nextEditionExpected: null,
    coverage: countByNation(names),
  };
}

type Reading = {
  readonly names: ReadonlyMap<number, string>;
  /** YYYY-MM-DD */
  readonly asOf: string;
  /** A map writes the same name in another way, which is no change of it. */
  readonly spelling: 'own' | 'of a map';
};

async function readListed(file: WorkbookFile, into: Into): Promise<Reading> {
  const names = new Map<number, string>();
  const { rows, asOf } = await readCodeList(file, into);
  for (const { code, name, at } of rows) {
    into.tally.read += 1;
    const problem = takeName(names, code, name);
    if (problem !== undefined) into.tally.reject(problem, at);
  }
  return { names, asOf, spelling: 'of a map' };
}

/** The portal's files are UTF-8, those in Documents partly of Windows. */
async function readNames(file: TextFile, into: Into): Promise<Reading> {
  const names = new Map<number, string>();
  let asOf = '';
  // Rows may have fewer fields than the header, where the last columns are empty.
  const format: RowFormat = { width: 'any', encoding: 'either', delimiter: delimiterOf(file) };
  const find = (titles: readonly string[]) => {
    const pairs = findPairs(lowered(titles));
    asOf = findAsOf(file, pairs);
    const needed = Math.min(...pairs.map(({ codeAt, nameAt }) => 1 + Math.max(codeAt, nameAt)));
    return { pairs, needed, fields: titles.length };
  };
  await readNamedRows(file, format, find, into, (row, { pairs, needed, fields }) => {
    if (row.length < needed) throw wrongWidth(file, row, fields);
    for (const { codeAt, nameAt } of pairs) {
      const problem = takeName(names, row.text(codeAt).trim(), row.text(nameAt).trim());
      if (problem !== undefined) into.tally.reject(problem, placeOf(file, row));
    }
  });
  return { names, asOf, spelling: 'own' };
}

function takeName(names: Map<number, string>, code: string, name: string): string | undefined {
  // Tables exported from workbooks end with empty lines.
  if (code === '' && name === '') return undefined;
  const number = parsePlaceCode(code);
  if (number === undefined) return 'no code with a letter and eight digits';
  if (number % 1_000_000 === 999_999) return 'pseudo code';
  if (name === '') return 'no name';
  names.set(number, name);
  return undefined;
}

/** "… as at 05_25.csv" has the month; else the columns have the year. */
function findAsOf(file: TextFile, pairs: readonly Pair[]): string {
  const [, month = '', year = ''] = /as at (0[1-9]|1[0-2])_(\d\d)\b/i.exec(file.name) ?? [];
  if (month !== '') return `20${year}-${month}-01`;
  return `${Math.max(...pairs.map((pair) => pair.year))}-01-01`;
}

const nationsByLetter: ReadonlyMap<string, string> = new Map([
  ['E', 'England'],
  ['W', 'Wales'],
  ['S', 'Scotland'],
  ['N', 'Northern Ireland'],
]);

function countByNation(names: ReadonlyMap<number, string>): Record<string, string> {
  const counts = new Map<string, number>();
  for (const code of names.keys()) {
    const letter = String.fromCharCode(65 + Math.floor(code / 1e8));
    const nation = nationsByLetter.get(letter);
    if (nation !== undefined) counts.set(nation, (counts.get(nation) ?? 0) + 1);
  }
  return Object.fromEntries([...counts].map(([nation, count]) => [nation, `${formatCount(count)} names`]));
}
