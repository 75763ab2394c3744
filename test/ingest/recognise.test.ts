// Files are recognised by what they contain.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { makeZip } from '../../scripts/make-zip.ts';
import { findFiles } from '../../src/ingest/files.ts';
import { recogniseFiles } from '../../src/ingest/recognise.ts';
import { openSources } from '../../src/ingest/source.ts';
import { sources } from '../../src/sources/index.ts';

const table = '"Date Changed","Rate"\n"18 Dec 25","3.75"\n"07 Aug 25","4.00"';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'domesday-files-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const put = (name: string, content: string | Uint8Array): string => {
  const place = path.join(folder, name);
  mkdirSync(path.dirname(place), { recursive: true });
  writeFileSync(place, content);
  return place;
};

/** What was recognised, with the temporary folder taken out of the names. */
async function recognise(...paths: readonly string[]) {
  const found = await findFiles(paths);
  try {
    const { groups, skipped } = recogniseFiles(found, await openSources(sources));
    const short = (name: string) => name.replaceAll(`${folder}/`, '');
    return {
      files: groups.flatMap(({ files }) => files.map(({ file, layout }) => `${short(file.name)}: ${layout}`)),
      skipped: skipped.map(short),
    };
  } finally {
    found.close();
  }
}

test('a file is recognised whatever its name', async () => {
  assert.deepEqual(await recognise(put('photo.jpg', table)), {
    files: ['photo.jpg: table of changes'],
    skipped: [],
  });
});

test('compressed, in an archive, in a folder: recognised all the same', async () => {
  put('in/a.gz', gzipSync(table));
  put('in/b.zip', makeZip({ 'Data/rates.csv': table, 'Documents/guide.txt': 'How to read this' }));
  put('in/deeper/c.csv', table);
  put('in/readme.txt', 'Notes');
  put('in/.hidden', 'x');
  assert.deepEqual(await recognise(path.join(folder, 'in')), {
    files: [
      'in/a.gz: table of changes',
      'in/b.zip > Data/rates.csv: table of changes',
      'in/deeper/c.csv: table of changes',
    ],
    skipped: ['in/b.zip > Documents/guide.txt', 'in/readme.txt'],
  });
});

test('the content of a compressed file and of an archive entry is read whole', async () => {
  const gz = put('a.gz', gzipSync(table));
  const zip = put('b.zip', makeZip({ 'rates.csv': table }));
  const found = await findFiles([gz, zip]);
  for (const { holdings } of found.given) {
    const file = holdings[0]?.files[0];
    assert.ok(file?.form === 'text');
    assert.equal(Buffer.concat(await Array.fromAsync(file.open())).toString(), table);
  }
  found.close();
});

test('a named file that nobody knows stops the run, in a few lines that say what is known and where to read more', async () => {
  const stranger = put('b.csv', 'name,age\nAda,36\n');
  await assert.rejects(recognise(put('a.csv', table), stranger), (error: Error) => {
    assert.ok(error.message.includes(`${stranger}: its first line is "name,age"`));
    assert.match(error.message, /\nKnown are files of: Bank Rate.* `domesday ingest --help`\n/);
    assert.equal(error.message.split('\n').at(-1), 'Nothing was loaded: a file was not recognised.');
    assert.equal(error.message.split('\n').length, 4);
    return true;
  });
});

test('of many strangers the first few are named', async () => {
  for (let at = 10; at < 40; at += 1) put(`in/${at}.txt`, 'x');
  await assert.rejects(recognise(path.join(folder, 'in')), (error: Error) => {
    assert.match(error.message, /\n {2}and 25 more\n/);
    assert.equal(error.message.split('\n').at(-1), 'Nothing was loaded: 30 files were not recognised.');
    assert.equal(error.message.split('\n').length, 9);
    return true;
  });
});

test('a folder in which nothing is known is refused whole', async () => {
  put('in/a.txt', 'x');
  put('in/b.zip', makeZip({ 'c.csv': 'y' }));
  await assert.rejects(
    recognise(path.join(folder, 'in')),
    /an archive with c\.csv[\s\S]*2 files were not recognised/,
  );
});

test('what can be seen of an unknown file is said', async () => {
  const cases: readonly (readonly [string, string | Uint8Array, RegExp])[] = [
    ['a', '', /the file is empty/],
    ['b', Buffer.from(`\ufeff${table}`, 'utf16le'), /in UTF-16; save it as CSV in UTF-8/],
    ['c', Buffer.of(1, 2, 0, 3), /binary and of an unknown kind/],
  ];
  for (const [name, content, expected] of cases)
    await assert.rejects(recognise(put(name, content)), expected);
});

test('a web page saved as data is refused by name, even beside good files', async () => {
  put('in/a.csv', table);
  put('in/b.csv', '<!DOCTYPE html>\n<html><head><title>Error</title></head><body>…</body></html>');
  await assert.rejects(recognise(path.join(folder, 'in')), /b\.csv: is a web page titled "Error", not data/);
});

test('documentation that is a web page is passed over', async () => {
  put('in/a.csv', table);
  put('in/guide.html', '<html><title>Guide</title></html>');
  assert.deepEqual((await recognise(path.join(folder, 'in'))).skipped, ['in/guide.html']);
});

test('an empty download is refused, even beside good files', async () => {
  put('in/a.csv', table);
  put('in/b.csv', '');
  await assert.rejects(recognise(path.join(folder, 'in')), /b\.csv: is empty/);
});

test('cut-off archives and workbooks are refused by name', async () => {
  const zip = makeZip({ 'rates.csv': table });
  await assert.rejects(
    recognise(put('a.zip', zip.subarray(0, -10))),
    /a\.zip: cannot be read as a zip archive/,
  );
  await assert.rejects(
    recognise(put('b.gz', gzipSync(table).subarray(0, 30))),
    /b\.gz: cannot be read to its end/,
  );
  const xls = Buffer.concat([Buffer.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1), Buffer.alloc(600)]);
  await assert.rejects(recognise(put('c.xls', xls)), /c\.xls: cannot be read as a workbook/);
});

test('a path that is not there is named, and one that cannot be read is not called absent', async () => {
  await assert.rejects(recognise(path.join(folder, 'nowhere')), /nowhere: there is no such file or folder/);
  const circle = path.join(folder, 'circle');
  symlinkSync(circle, circle);
  await assert.rejects(recognise(circle), /circle: cannot be read \(ELOOP\)/);
  mkdirSync(path.join(folder, 'empty'));
  await assert.rejects(recognise(path.join(folder, 'empty')), /empty: the folder holds no files/);
});
