// The code list of Ordnance Survey (Doc/Codelist.xlsx in the archive of Code-Point Open): a sheet for each kind of area,
// names in the first column and codes in the second, without titles. Names come as Ordnance Survey writes them on maps
// ("Cambridge District (B)"); what says the kind is cut off, so that a place has the name that people use.

import type { Dating } from '../../ingest/dating.ts';
import type { InputFile, WorkbookFile } from '../../ingest/files.ts';
import { type Sheet, tidy } from '../../ingest/read/workbook.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { Into } from '../../ingest/source.ts';
import { dayOf, formatDay, parseMonthName } from '../../uk/calendar.ts';

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

export const codeListLayout = `workbook with the sheet ${kindsSheet} and one for each kind of area (${[...additions.keys()].join(', ')}): Codelist.xlsx of Code-Point Open`;

export const isCodeList = (file: InputFile): file is WorkbookFile =>
  file.form === 'workbook' &&
  file.sheetNames.includes(kindsSheet) &&
  file.sheetNames.some((name) => additions.has(name));

type Row = { readonly code: string; readonly name: string /** "Codelist.xlsx DIS:3" */; readonly at: string };

/** The list, and the day it is of (YYYY-MM-DD). Throws FileRefused where a kind has no sheet. */
export async function readCodeList(
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
export const dayOfCodeList = (file: WorkbookFile, dating: Dating): number =>
  dating.past(statedDay(file)) ?? dating.dayOf(file);

/** As its head tells: reading one that is not says what it lacks. */
export const isWholeCodeList = (file: WorkbookFile): boolean =>
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
