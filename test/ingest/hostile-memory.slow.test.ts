// Files that were made to fill the memory are refused before they do. Each is loaded by a process of its own, whose peak is
// compared with that of a process that loads a small file.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { zipOf } from '../../scripts/make-zip.ts';
import {
  entryOf,
  openDocumentOf,
  repeatedEntry,
  repeatedGzip,
  sheetBegins,
  sheetEnds,
  workbookOf,
} from './hostile-zip.ts';

let folder: string;
before(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'domesday-bombs-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

function load(name: string, content: Uint8Array | string, size?: number) {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  // A hole on disk, which reads as zeros.
  if (size !== undefined) truncateSync(file, size);
  const script = path.join(import.meta.dirname, 'peak-of-ingest.ts');
  const out = execFileSync(process.execPath, [script, path.join(folder, 'releases'), file], {
    encoding: 'utf8',
  });
  const { ended, megabytes }: { ended: string; megabytes: number } = JSON.parse(out);
  return { ended, megabytes };
}

const header = '"Date Changed","Rate"\n';
const change = '"18 Dec 25","3.75"\n';
const mebibyte = 2 ** 20;
/** What reading a file may take beside what the program takes. */
const roomMegabytes = 500;

const cells = '<row><c><v>1</v></c><c><v>2</v></c><c><v>3</v></c></row>'.repeat(20_000);
const sheetOf = (times: number) =>
  workbookOf(
    repeatedEntry('xl/worksheets/sheet1.xml', {
      before: sheetBegins,
      block: cells,
      times,
      after: sheetEnds,
    }),
  );

/** What is wrong with each, and how it is told. */
const bombs: readonly (readonly [string, () => ReturnType<typeof load>, RegExp])[] = [
  [
    'a sheet of a gigabyte in a workbook of 3 MB',
    () => load('large.xlsx', sheetOf(1000)),
    /unpacks to more than 128 MB/,
  ],
  [
    'a sheet that unpacks to 400 times its size',
    () => load('dense.xlsx', sheetOf(100)),
    /unpacks to more than 100 times its size/,
  ],
  [
    'an .ods of a kilobyte whose cell stands for nine million',
    () =>
      load(
        'repeated.ods',
        openDocumentOf(
          '<table:table table:name="T"><table:table-row table:number-rows-repeated="3000"><table:table-cell table:number-columns-repeated="3000" office:value-type="float" office:value="1"><text:p>1</text:p></table:table-cell></table:table-row></table:table>',
        ),
      ),
    /has more than 2,000,000 cells/,
  ],
  [
    'a workbook with one cell in its farthest corner',
    () =>
      load(
        'far.xlsx',
        workbookOf(
          entryOf(
            'xl/worksheets/sheet1.xml',
            `${sheetBegins}<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>${sheetEnds}`,
          ),
        ),
      ),
    /reaches to row 1048576 and column 16384/,
  ],
  [
    'an archive of half a megabyte with 500 MB that begin like a workbook',
    () =>
      load(
        'nested.zip',
        zipOf([repeatedEntry('in.xlsx', { before: 'PK\x03\x04', block: '\0'.repeat(mebibyte), times: 500 })]),
      ),
    /in\.xlsx: unpacks to more than 100 times its size/,
  ],
  [
    'a .gz of a gigabyte of zeros',
    () => load('zeros.csv.gz', repeatedGzip({ before: header, block: '\0'.repeat(mebibyte), times: 1000 })),
    /line 2 begins a row of more than 1 MB/,
  ],
  [
    'a .gz that says the same row for ever',
    () => load('rows.csv.gz', repeatedGzip({ before: header, block: change.repeat(50_000), times: 200 })),
    /has more than a million rates/,
  ],
  ['a line of 2 GB', () => load('line.csv', header, 2 ** 31), /line 2 begins a row of more than 1 MB/],
  [
    'a quote that is never closed, in 64 MB',
    () => load('quote.csv', `${header}"18 Dec 25","${'x,y\n'.repeat(16 * mebibyte)}`),
    /line 2 begins a row of more than 1 MB; is a quote left open there/,
  ],
  [
    'a JSON array of 2 GB',
    () => load('places.json', '[{"placeType":"BikePoint"', 2 ** 31),
    /has more than 64 MB/,
  ],
];

test('a range that a sheet states and does not fill costs nothing', () => {
  const stated = sheetBegins.replace('<sheetData>', '<dimension ref="A1:XFD1048576"/><sheetData>');
  const content = `${stated}<row r="1"><c r="A1"><v>1</v></c></row>${sheetEnds}`;
  const { ended } = load('stated.xlsx', workbookOf(entryOf('xl/worksheets/sheet1.xml', content)));
  assert.match(ended, /has no changes since 1975/);
});

test('what was made to fill the memory is refused, and takes little', (context) => {
  const usual = load('rates.csv', header + change);
  assert.match(usual.ended, /^(loaded|FileRefused)/);
  for (const [what, run, told] of bombs) {
    const { ended, megabytes } = run();
    context.diagnostic(`${what}: ${megabytes} MB, a small file ${usual.megabytes} MB`);
    assert.match(ended, told, what);
    assert.match(ended, /^FileRefused: /, what);
    assert.ok(megabytes < usual.megabytes + roomMegabytes, `${what}: ${megabytes} MB`);
  }
});
