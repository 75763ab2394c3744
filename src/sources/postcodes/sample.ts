// The bundled sample of postcodes (data/sample/postcodes.csv), in a layout of this project: a few hundred rows of
// Code-Point Open with latitude, longitude and LSOA worked out. Any official edition takes its place.

import path from 'node:path';
import type { InputFile, TextFile } from '../../ingest/files.ts';
import { type CsvRow, firstRows, readCsv } from '../../ingest/read/csv.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { Into, Loaded, Loader, RecognisedFile } from '../../ingest/source.ts';
import { nations } from '../../tables/postcodes/postcodes.ts';
import { PostcodesBuilder } from '../../tables/postcodes/postcodes-builder.ts';
import { packPostcodeText } from '../../uk/postcode.ts';
import { findNote, parseNote } from '../bundled-note.ts';
import { attribution, codePointOpen } from './code-point-open.ts';
import { anyCode, CodeReader } from './codes.ts';
import { notAPostcode, writeEdition } from './edition.ts';

const header = 'postcode,latitude,longitude,country,districtCode,wardCode,lsoa21Code';
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
    return firstRows(file.head, 1, 'cp1252')[0]?.join() === header ? 'sample' : undefined;
  },
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

async function readSample(file: TextFile, builder: PostcodesBuilder, { tally }: Into): Promise<void> {
  const codes = new CodeReader(builder);
  let isHeader = true;
  await readCsv(file.open(), { file: file.name, encoding: 'utf-8' }, (row) => {
    if (isHeader) {
      isHeader = false;
      return;
    }
    tally.read += 1;
    const place = `${path.basename(file.name)}:${row.line}`;
    const packed = packPostcodeText(row.text(0));
    if (packed === undefined) tally.reject(notAPostcode, place);
    else if (addRow(row, packed, file.name, builder, codes) === 'already there') {
      tally.reject('postcode given before', place);
    }
  });
}

function addRow(row: CsvRow, packed: number, file: string, builder: PostcodesBuilder, codes: CodeReader) {
  const nation = nations.find((name) => name === row.text(3));
  const [latitude, longitude] = [Number(row.text(1)), Number(row.text(2))];
  if (nation === undefined || !(latitude > 49 && latitude < 61.5) || !(longitude > -9 && longitude < 2.5)) {
    throw new FileRefused(
      file,
      `line ${row.line} is ${JSON.stringify(row.texts().join())}; expected latitude, longitude and nation`,
    );
  }
  const code = (at: number, name: string) => codes.read(row, { at, name, pattern: anyCode }, file);
  const place = builder.place(nation, [code(4, 'district'), code(5, 'ward'), 0, 0, code(6, 'LSOA'), 0, 0]);
  return builder.add({
    packed,
    place,
    latitude: Math.round(latitude * 1e6),
    longitude: Math.round(longitude * 1e6),
    terminated: 0,
    usage: null,
  });
}
