// The bundled sample of crime (data/sample/crimes.csv.gz), in a layout of this project: rows of the police archive
// counted over equal month, point, category and outcome, and single incidents with their id. Any official file takes
// its place.

import path from 'node:path';
import type { InputFile, TextFile } from '../../ingest/files.ts';
import { type CsvRow, firstRows, readCsv } from '../../ingest/read/csv.ts';
import { FileRefused, IngestRefused } from '../../ingest/refusal.ts';
import type { Into, Loaded, Loader, RecognisedFile } from '../../ingest/source.ts';
import { idBytes } from '../../tables/crime/tables.ts';
import { parseMonth } from '../../uk/calendar.ts';
import { transportPolice } from '../../uk/police.ts';
import { findNote, parseNote } from '../bundled-note.ts';
import { writeId } from './ids.ts';
import { policeFacts, writeCrimes } from './police.ts';
import { PoliceRows, parseMicro } from './rows.ts';

const header = 'month,force,latitude,longitude,location,lsoa21Code,category,outcome,count,persistentId';
const subject = 'sample-crimes';

export const policeSample: Loader = {
  facts: {
    ...policeFacts,
    coverage: { England: 'City of London Police only, 24 months; other forces are not in the sample' },
  },
  layouts: [
    `CSV with the columns ${header} (this project)`,
    `JSON with "describes": "${subject}" (this project)`,
  ],
  recognise: (file: InputFile) => {
    if (file.form !== 'text') return undefined;
    if (parseNote(file, subject) !== undefined) return 'note on the sample';
    return firstRows(file.head, 1, 'cp1252')[0]?.join() === header ? 'sample' : undefined;
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
  const rows = new PoliceRows(into.tally, into.progress);
  for (const { file, layout } of files) {
    if (layout === 'sample' && file.form === 'text') await readSample(file, rows, into);
  }
  rows.report(transportPolice);
  const loaded = writeCrimes(rows, into);
  return {
    ...loaded,
    edition,
    asOf,
    extent: into.kind === 'sandbox' ? 'fictional' : 'sample',
    coverage: policeSample.facts.coverage,
  };
}

async function readSample(file: TextFile, rows: PoliceRows, { tally }: Into): Promise<void> {
  let isHeader = true;
  await readCsv(file.open(), { file: file.name, encoding: 'utf-8' }, (row) => {
    if (isHeader) {
      isHeader = false;
      return;
    }
    const month = parseMonth(row.text(0));
    const count = Number(row.text(8));
    if (month === undefined || !Number.isInteger(count) || count < 1) {
      throw new FileRefused(file.name, `line ${row.line} lacks month or count; expected ${header}`);
    }
    tally.read += count;
    takeRow(row, { month, count, place: `${path.basename(file.name)}:${row.line}` }, rows, tally);
  });
}

type Counted = { readonly month: number; readonly count: number; readonly place: string };

function takeRow(
  row: CsvRow,
  { month, count, place }: Counted,
  rows: PoliceRows,
  tally: Into['tally'],
): void {
  const { builder } = rows;
  const force = rows.forces.read(row, 1);
  builder.countPublished(month, force, count);
  const latitudeMicro = parseMicro(row.bytes, row.start(2), row.end(2));
  const longitudeMicro = parseMicro(row.bytes, row.start(3), row.end(3));
  if (latitudeMicro === undefined || longitudeMicro === undefined) {
    for (let copy = 0; copy < count; copy += 1) tally.reject('no point', place);
    return;
  }
  const { point } = builder.point({
    latitudeMicro,
    longitudeMicro,
    name: rows.names.number(row.bytes, row.start(4), row.end(4)),
    lsoa: row.text(5) === '' ? 0 : 1 + rows.lsoas.numberOf(row.text(5)),
  });
  const category = rows.categories.list.number(row.text(6));
  const outcome = row.text(7) === '' ? 0 : 1 + rows.outcomes.read(row, 7);
  const made = builder.month(month);
  for (let copy = 0; copy < count; copy += 1) {
    const at = made.add(point, category, outcome, 0, force);
    if (row.start(9) < row.end(9)) writeId(row.bytes, row.start(9), row.end(9), made.id, at * idBytes);
  }
  tally.kept += count;
}
