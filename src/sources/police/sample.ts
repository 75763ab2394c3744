// The bundled sample of crime (data/sample/crimes.csv.gz), in a layout of this project: one row a point of the police,
// with all its incidents in one cell. Of a force that it has around some places only, a row without a place has the
// numbers of its other crimes, and sample-areas.ts what else is known of it. Any official file takes the place of all.

import type { InputFile, TextFile } from '../../ingest/files.ts';
import { columnsOf, placeOf, type RowFormat, readNamedRows } from '../../ingest/read/named-rows.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { Into, Loaded, Loader, RecognisedFile } from '../../ingest/source.ts';
import { idBytes } from '../../tables/crime/tables.ts';
import { parseMonth } from '../../uk/calendar.ts';
import { transportPolice } from '../../uk/police.ts';
import { findNote, hasHeader, type Note, noteLayout, parseNote } from '../bundled-note.ts';
import { parseDegrees } from '../gb-point.ts';
import { reachOf, refuseOverLoaded } from '../sample-loader.ts';
import { writeId } from './ids.ts';
import { policeFacts, writeCrimes } from './police.ts';
import { PoliceRows } from './rows.ts';
import { areaColumns, writeSampleAreas } from './sample-areas.ts';

const columns = ['force', 'latitude', 'longitude', 'location', 'lsoa21Code', 'incidents'] as const;
const wanted = { required: columns } as const;
const format: RowFormat = { width: 'exact' };
/** As it is written: names of places may end with a space. */
type Cells = {
  readonly text: (title: (typeof columns)[number]) => string;
  readonly place: string;
  readonly refuse: (problem: string) => FileRefused;
};
const subject = 'sample-crimes';

const headers: Readonly<Record<string, string>> = {
  sample: columns.join(),
  areas: areaColumns.join(),
};

export const policeSample: Loader = {
  facts: {
    ...policeFacts,
    coverage: {
      England: 'City of London Police; 3 km around PO33 2RX in Ryde and LE15 6QU in Oakham',
      Wales: '3 km around NP10 8WA in Newport',
    },
  },
  layouts: [
    `CSV with the columns ${columns.join()}, and beside it one with ${areaColumns.join()} (this project)`,
    `JSON with "describes": "${subject}" (this project)`,
  ],
  recognise: (file: InputFile) => {
    if (file.form !== 'text') return undefined;
    if (parseNote(file, subject) !== undefined) return noteLayout;
    return Object.keys(headers).find((layout) => hasHeader(file, headers[layout] ?? ''));
  },
  headerAlone: () => 'refused',
  load,
};

async function load(files: readonly RecognisedFile[], into: Into): Promise<Loaded> {
  refuseOverLoaded(into);
  const note = findNote(files, subject);
  const rows = new PoliceRows(into);
  const lists = listsOf(note);
  const texts = (wanted: string) =>
    files.flatMap(({ file, layout }) => (layout === wanted && file.form === 'text' ? [file] : []));
  for (const file of texts('sample')) await readSample(file, lists, rows, into);
  rows.report(transportPolice);
  const loaded = writeCrimes(rows, into);
  const [areas] = texts('areas');
  if (areas !== undefined) await writeSampleAreas(areas, reachOf(note), rows, into);
  const { edition, asOf } = note;
  return {
    ...loaded,
    edition,
    asOf,
    extent: 'sample',
    coverage: policeSample.facts.coverage,
  };
}

/** What the digits of an incident mean. */
type Lists = {
  readonly firstMonth: number;
  readonly categories: readonly string[];
  readonly outcomes: readonly string[];
};

/** Throws FileRefused. */
function listsOf({ name, fields }: Note): Lists {
  const { firstMonth, categories, outcomes } = fields;
  const month = typeof firstMonth === 'string' ? parseMonth(firstMonth) : undefined;
  if (month === undefined || !isTexts(categories) || !isTexts(outcomes))
    throw new FileRefused(name, 'lacks "firstMonth" like 2023-01, "categories" or "outcomes"');
  return { firstMonth: month, categories, outcomes };
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((text) => typeof text === 'string');

async function readSample(file: TextFile, lists: Lists, rows: PoliceRows, into: Into): Promise<void> {
  const numbers: Numbers = {
    firstMonth: lists.firstMonth,
    categories: lists.categories.map((slug) => rows.categories.list.number(slug)),
    outcomes: lists.outcomes.map((label) => 1 + rows.outcomes.list.number(label)),
  };
  await readNamedRows(file, format, columnsOf(file, wanted, format), into, (row, at) => {
    const cells: Cells = {
      text: (title) => row.text(at[title]),
      place: placeOf(file, row),
      refuse: (problem) => new FileRefused(file.name, `line ${row.line} ${problem}`),
    };
    // A row stands for all rows of the archive at its point.
    into.tally.read -= 1;
    const point = pointOf(cells, lists, rows);
    const force = rows.forces.list.number(cells.text('force'));
    for (const word of cells.text('incidents').split(' ')) {
      if (!takeWord(word, point, force, numbers, rows, into, cells.place))
        throw cells.refuse(`has the incident ${JSON.stringify(word)}; expected words like 03a2`);
    }
  });
}

/** What the digits of an incident are in the table. */
type Numbers = {
  readonly firstMonth: number;
  readonly categories: readonly number[];
  readonly outcomes: readonly number[];
};

/**
 * Month, category and outcome as one digit of base 36 each, - for none, then the count where it is not 1, or an id after a
 * colon. Whether it is one. A start reads tens of thousands of them.
 */
function takeWord(
  word: string,
  point: number | undefined,
  force: number,
  { firstMonth, categories, outcomes }: Numbers,
  { builder }: PoliceRows,
  { tally }: Into,
  place: string,
): boolean {
  const month = firstMonth + digitAt(word, 0);
  const hasId = word.charAt(idFrom - 1) === ':';
  const count = word.length === 3 || hasId ? 1 : Number(word.slice(3));
  const outcome = word.charAt(2) === '-' ? 0 : outcomes[digitAt(word, 2)];
  if (!(month >= firstMonth) || !(count >= 1) || outcome === undefined) return false;
  builder.countPublished(month, force, count);
  if (word.charAt(1) === '-') {
    tally.read += 1;
    tally.kept += 1;
    return true;
  }
  const category = categories[digitAt(word, 1)];
  if (category === undefined) return false;
  tally.read += count;
  if (point === undefined) {
    for (let copy = 0; copy < count; copy += 1) tally.reject('no point', place);
    return true;
  }
  tally.kept += count;
  const made = builder.month(month);
  for (let copy = 0; copy < count; copy += 1) {
    const incident = made.add(point, category, outcome, 0, force);
    if (!hasId) continue;
    const id = Buffer.from(word);
    if (writeId(id, idFrom, id.length, made.id, incident * idBytes) === 'malformed') return false;
  }
  return true;
}

const idFrom = 4;
/** NaN where it is no digit. */
const digitAt = (word: string, at: number) => Number.parseInt(word.charAt(at), 36);

/** Undefined where the police gave none. */
function pointOf(
  { text, refuse }: Cells,
  { firstMonth }: Lists,
  { builder, names, lsoas }: PoliceRows,
): number | undefined {
  if (text('latitude') === '') return undefined;
  const place = parseDegrees(text('latitude'), text('longitude'));
  if (place === undefined) throw refuse('has a place that is not in Great Britain');
  const lsoa = text('lsoa21Code');
  const { point } = builder.point({
    ...place,
    name: names.codeOfText(text('location')),
    lsoa: lsoa === '' ? 0 : 1 + lsoas.codeOfText(lsoa),
    // The sample has settled on one for all months.
    month: firstMonth,
  });
  return point;
}
