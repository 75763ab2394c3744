// The bundled sample of crime (data/sample/crimes.csv.gz), in a layout of this project: rows of the police archive
// counted over equal month, point, category and outcome, and single incidents with their id. A row without category and
// place is a number of crimes of that force and month that are not in the sample: sample-areas.ts says what it has of such
// a force. Any official file takes the place of all.

import { outOfRange } from '../../columns/out-of-range.ts';
import type { InputFile, TextFile } from '../../ingest/files.ts';
import type { CsvRow } from '../../ingest/read/csv.ts';
import {
  columnsOf,
  headerOf,
  type Places,
  placeOf,
  type RowFormat,
  readNamedRows,
} from '../../ingest/read/named-rows.ts';
import { FileRefused, IngestRefused } from '../../ingest/refusal.ts';
import type { Into, Loaded, Loader, RecognisedFile } from '../../ingest/source.ts';
import { idBytes } from '../../tables/crime/tables.ts';
import { parseMonth } from '../../uk/calendar.ts';
import { transportPolice } from '../../uk/police.ts';
import { findNote, parseNote } from '../bundled-note.ts';
import { writeId } from './ids.ts';
import { policeFacts, writeCrimes } from './police.ts';
import { PoliceRows, parseMicro } from './rows.ts';
import { areaColumns, reachColumns, writeSampleAreas } from './sample-areas.ts';

const columns = {
  required: [
    'month',
    'force',
    'latitude',
    'longitude',
    'location',
    'lsoa21Code',
    'category',
    'outcome',
    'count',
    'persistentId',
  ],
} as const;
const header = columns.required.join();
const format: RowFormat = { width: 'any' };
const subject = 'sample-crimes';

const layoutByTitles: ReadonlyMap<string, 'sample' | 'areas' | 'reach'> = new Map([
  [header, 'sample'],
  [areaColumns.join(), 'areas'],
  [reachColumns.join(), 'reach'],
]);

export const policeSample: Loader = {
  facts: {
    ...policeFacts,
    coverage: { England: 'City of London Police only, 24 months; other forces are not in the sample' },
  },
  layouts: [
    `CSV with the columns ${header}, and beside it one with ${areaColumns.join()} and one with ${reachColumns.join()} (this project)`,
    `JSON with "describes": "${subject}" (this project)`,
  ],
  recognise: (file: InputFile) => {
    if (file.form !== 'text') return undefined;
    if (parseNote(file, subject) !== undefined) return 'note on the sample';
    return layoutByTitles.get(headerOf(file).join());
  },
  load,
};

async function load(files: readonly RecognisedFile[], into: Into): Promise<Loaded> {
  const before = into.base?.findDataset('crime');
  if (before !== undefined && before.extent !== 'sample') {
    throw new IngestRefused(
      `Nothing was loaded: crime of ${before.source} is loaded, and the bundled sample says less.`,
    );
  }
  const { edition, asOf } = findNote(files, subject);
  const rows = new PoliceRows(into);
  const texts = (wanted: string) =>
    files.flatMap(({ file, layout }) => (layout === wanted && file.form === 'text' ? [file] : []));
  for (const file of texts('sample')) await readSample(file, rows, into);
  rows.report(transportPolice);
  const loaded = writeCrimes(rows, into);
  const [areas, reach] = [texts('areas')[0], texts('reach')[0]];
  if (areas !== undefined && reach !== undefined) await writeSampleAreas(areas, reach, rows, into);
  else if ((areas ?? reach) !== undefined) {
    const { name } = areas ?? reach ?? outOfRange();
    throw new FileRefused(name, 'comes alone; the areas of the sample and its reach belong together');
  }
  return {
    ...loaded,
    edition,
    asOf,
    extent: 'sample',
    coverage: policeSample.facts.coverage,
  };
}

async function readSample(file: TextFile, rows: PoliceRows, into: Into): Promise<void> {
  const { tally } = into;
  await readNamedRows(file, format, columnsOf(file, columns, format), into, (row, at) => {
    const month = parseMonth(row.text(at.month));
    const count = Number(row.text(at.count));
    if (month === undefined || !Number.isInteger(count) || count < 1) {
      throw new FileRefused(file.name, `line ${row.line} lacks month or count; expected ${header}`);
    }
    if (row.text(at.category) === '') {
      rows.builder.countPublished(month, rows.forces.read(row, at.force), count);
      tally.kept += 1;
      return;
    }
    // A row stands for `count` rows of the archive.
    tally.read += count - 1;
    takeRow(row, at, { month, count, place: placeOf(file, row) }, rows, tally);
  });
}

type Counted = { readonly month: number; readonly count: number; readonly place: string };

function takeRow(
  row: CsvRow,
  at: Places<typeof columns>,
  { month, count, place }: Counted,
  rows: PoliceRows,
  tally: Into['tally'],
): void {
  const { builder } = rows;
  const force = rows.forces.read(row, at.force);
  builder.countPublished(month, force, count);
  const latitudeMicro = parseMicro(row.bytes, row.start(at.latitude), row.end(at.latitude));
  const longitudeMicro = parseMicro(row.bytes, row.start(at.longitude), row.end(at.longitude));
  if (latitudeMicro === undefined || longitudeMicro === undefined) {
    for (let copy = 0; copy < count; copy += 1) tally.reject('no point', place);
    return;
  }
  const { point } = builder.point({
    latitudeMicro,
    longitudeMicro,
    name: rows.names.codeOf(row.bytes, row.start(at.location), row.end(at.location)),
    lsoa: row.text(at.lsoa21Code) === '' ? 0 : 1 + rows.lsoas.codeOfText(row.text(at.lsoa21Code)),
    month,
  });
  const category = rows.categories.list.number(row.text(at.category));
  const outcome = row.text(at.outcome) === '' ? 0 : 1 + rows.outcomes.read(row, at.outcome);
  const made = builder.month(month);
  for (let copy = 0; copy < count; copy += 1) {
    const incident = made.add(point, category, outcome, 0, force);
    const [start, end] = [row.start(at.persistentId), row.end(at.persistentId)];
    if (start < end) writeId(row.bytes, start, end, made.id, incident * idBytes);
  }
  tally.kept += count;
}
