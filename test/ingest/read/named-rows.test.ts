// Columns found by their titles: what a header may look like, and what becomes of rows that do not fit it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TextFile } from '../../../src/ingest/files.ts';
import { noProgress } from '../../../src/ingest/progress.ts';
import {
  columnsOf,
  hasTitles,
  type RowFormat,
  readNamedCells,
  readNamedRows,
} from '../../../src/ingest/read/named-rows.ts';
import { FileRefused } from '../../../src/ingest/refusal.ts';
import { Tally } from '../../../src/ingest/tally.ts';

function textFile(content: string | Buffer): TextFile {
  const bytes = Buffer.from(content);
  return {
    form: 'text',
    weight: 0,
    name: '/given/a.csv',
    bytes: bytes.length,
    head: bytes,
    open: async function* () {
      yield bytes;
    },
  };
}

const wanted = { required: ['Stop ID', 'name'], optional: ['note'] } as const;

async function read(content: string | Buffer, format: RowFormat) {
  const tally = new Tally();
  const file = textFile(content);
  const rows: string[] = [];
  const find = columnsOf(file, wanted, format);
  const count = await readNamedRows(file, format, find, { progress: noProgress, tally }, (row, at) => {
    rows.push([at['Stop ID'], at.name, at.note].map((place) => row.text(place)).join('|'));
  });
  return { rows, count, tally };
}

test('titles are found in any order, whatever their case, spaces and signs; an optional one may be missing', async () => {
  const { rows, count, tally } = await read('x,NAME,stop_id\n1,Quay,7\n2,Pier,8\n', { width: 'exact' });
  assert.deepEqual(rows, ['7|Quay|', '8|Pier|']);
  assert.deepEqual([count, tally.read], [2, 2]);
  assert.ok(hasTitles(textFile('\ufeffStop-Id,(Name)\n'), ...wanted.required));
  assert.ok(!hasTitles(textFile('Stop-Id,Names\n'), ...wanted.required));
});

test('a column that is missing or twice there refuses the file, with the line and what there is', async () => {
  await assert.rejects(
    read('name,other\n', { width: 'exact' }),
    /a\.csv: line 1 lacks a required column: "Stop ID"\. .* Its columns are name, other/,
  );
  await assert.rejects(
    read('name,stopid,Name\n', { width: 'exact' }),
    /line 1 has the column "name" twice; expected one/,
  );
});

test('lines of title stand above the header, as many as the format says', async () => {
  const titled = 'All stops\nas at 1 May\nname,stop id\nQuay,7\n';
  assert.deepEqual((await read(titled, { width: 'exact', headerWithin: 3 })).rows, ['7|Quay|']);
  await assert.rejects(
    read(titled, { width: 'exact', headerWithin: 2 }),
    (error) => error instanceof FileRefused && /has no header in its first 2 lines/.test(error.message),
  );
  await assert.rejects(read('', { width: 'exact' }), /has no header/);
});

test('a row of another width refuses the file, is counted, or is read, as the format says', async () => {
  const short = 'name,stop id\nQuay\nPier,8\n';
  const long = 'name,stop id\nQuay,7,more\nPier,8\n';
  const refused = /line 2 has [13] fields; expected 2, as in the header\. Is the file cut off\?/;
  for (const text of [short, long]) await assert.rejects(read(text, { width: 'exact' }), refused);
  await assert.rejects(read(short, { width: 'least' }), refused);
  assert.deepEqual((await read(long, { width: 'least' })).rows, ['7|Quay|', '8|Pier|']);
  assert.deepEqual((await read(short, { width: 'any' })).rows, ['|Quay|', '8|Pier|']);
  const counted = await read(short, { width: 'counted' });
  assert.deepEqual([counted.rows, counted.count], [['8|Pier|'], 2]);
  assert.deepEqual(counted.tally.rejects, [
    { reason: 'another number of fields than the header', count: 1, places: ['a.csv:2'] },
  ]);
  await assert.rejects(
    read('name,stop id\nPier,8\nQuay', { width: 'counted' }),
    /line 3, the last, does not have the 2 fields of the header; the file is cut off/,
  );
});

test('each field of either encoding is read as what it is', async () => {
  const bytes = Buffer.concat([
    Buffer.from('name,stop id\nSt John’s,"a ""é"""\n'),
    Buffer.from('St John\x92s,\xe9\n', 'latin1'),
  ]);
  const { rows } = await read(bytes, { width: 'exact', encoding: 'either' });
  assert.deepEqual(rows, ['a "é"|St John’s|', 'é|St John’s|']);
});

test('cells are trimmed, and one can refuse its file with line, title and what was expected', async () => {
  const into = { progress: noProgress, tally: new Tally() };
  const seen: string[] = [];
  const file = textFile('name , stop id\n Quay ,7\n');
  await readNamedCells(file, { width: 'exact' }, wanted, into, ({ cell, place, refuse }) => {
    seen.push(cell('name'), cell('note'), place, refuse('Stop ID', 'a letter').message);
  });
  assert.deepEqual(seen, [
    'Quay',
    '',
    'a.csv:2',
    '/given/a.csv: line 2 has "7" as Stop ID; expected a letter',
  ]);
  await assert.rejects(
    readNamedCells(textFile('name,stop id\n'), { width: 'exact' }, wanted, into, () => {}),
    /has no rows below its header/,
  );
});
