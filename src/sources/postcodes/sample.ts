// The bundled sample of postcodes (data/sample/postcodes.csv), in a layout of this project: a few hundred rows of
// Code-Point Open with latitude, longitude and LSOA worked out. Any official edition takes its place.

import type { InputFile, TextFile } from '../../ingest/files.ts';
import type { CsvRow } from '../../ingest/read/csv.ts';
import {
  columnsOf,
  type Places,
  placeOf,
  type RowFormat,
  readNamedRows,
} from '../../ingest/read/named-rows.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { Into, Loaded, Loader, RecognisedFile } from '../../ingest/source.ts';
import { PostcodesBuilder } from '../../tables/postcodes/postcodes-builder.ts';
import { nations } from '../../tables/postcodes/postcodes-table.ts';
import { packPostcodeText } from '../../uk/postcode.ts';
import { findNote, hasHeader, parseNote } from '../bundled-note.ts';
import { attribution, codePointOpen } from './code-point-open.ts';
import { anyCode, CodeReader } from './codes.ts';
import { notAPostcode, writeEdition } from './edition.ts';

const columns = {
  required: ['postcode', 'latitude', 'longitude', 'country', 'districtCode', 'wardCode', 'lsoa21Code'],
} as const;
const header = columns.required.join();
const format: RowFormat = { width: 'any' };
const subject = 'sample-postcodes';

export const postcodeSample: Loader = {
  facts: {
    ...codePointOpen.facts,
    coverage: { England: 'a few hundred postcodes', Wales: 'a few postcodes', Scotland: 'a few postcodes' },
  },
  layouts: [
    `CSV with the columns ${header} (this project)`,
    `JSON with "describes": "${subject}" (this project)`,
  ],
  recognise: (file: InputFile) => {
    if (file.form !== 'text') return undefined;
    if (parseNote(file, subject) !== undefined) return 'note on the sample';
    return hasHeader(file, header) ? 'sample' : undefined;
  },
  headerAlone: () => 'refused',
  load,
};

async function load(files: readonly RecognisedFile[], into: Into): Promise<Loaded> {
  const { edition, asOf } = findNote(files, subject);
  const builder = new PostcodesBuilder();
  for (const { file, layout } of files) {
    if (layout === 'sample' && file.form === 'text') await readSample(file, builder, into);
  }
  const form = 'bundled sample';
  return writeEdition(builder, { edition, asOf, form, attribution, nextEditionExpected: null }, files, into);
}

async function readSample(file: TextFile, builder: PostcodesBuilder, into: Into): Promise<void> {
  const { tally } = into;
  const codes = new CodeReader(builder);
  await readNamedRows(file, format, columnsOf(file, columns, format), into, (row, at) => {
    const packed = packPostcodeText(row.text(at.postcode));
    if (packed === undefined) tally.reject(notAPostcode, placeOf(file, row));
    else if (addRow(row, at, packed, file.name, builder, codes) === 'already there') {
      tally.reject('duplicate postcode', placeOf(file, row));
    }
  });
}

function addRow(
  row: CsvRow,
  at: Places<typeof columns>,
  packed: number,
  file: string,
  builder: PostcodesBuilder,
  codes: CodeReader,
) {
  const nation = nations.find((name) => name === row.text(at.country));
  const [latitude, longitude] = [Number(row.text(at.latitude)), Number(row.text(at.longitude))];
  if (nation === undefined || !(latitude > 49 && latitude < 61.5) || !(longitude > -9 && longitude < 2.5)) {
    throw new FileRefused(
      file,
      `line ${row.line} is ${JSON.stringify(row.texts().join())}; expected latitude, longitude and nation`,
    );
  }
  const code = (place: number, name: string) => codes.read(row, { at: place, name, pattern: anyCode }, file);
  const [district, ward] = [code(at.districtCode, 'district'), code(at.wardCode, 'ward')];
  const place = builder.place(nation, [district, ward, 0, 0, code(at.lsoa21Code, 'LSOA'), 0, 0]);
  return builder.add({
    packed,
    place,
    latitude: Math.round(latitude * 1e6),
    longitude: Math.round(longitude * 1e6),
    easting: 0,
    northing: 0,
    terminated: 0,
    usage: null,
  });
}
