// A release says which files it was made of, by their hashes: so a file that is exchanged while it is read is refused.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync, renameSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { makeZip } from '../../scripts/make-zip.ts';
import type { InputFile } from '../../src/ingest/files.ts';
import type { Source } from '../../src/ingest/source.ts';
import { bankRate } from '../../src/sources/bank-rate/bank-rate.ts';
import { openTestHome, type TestHome } from './home.ts';

let home: TestHome;
beforeEach(() => {
  home = openTestHome();
});
afterEach(() => home.remove());

/** Takes every file, reads it twice, and lets the test do something between. */
const readingTwice = (between: () => void): Source => ({
  name: 'twice',
  dataset: 'stops',
  version: 1,
  title: 'twice',
  source: 'twice',
  homepage: 'https://data.example',
  open: async () => ({
    facts: bankRate.facts,
    layouts: [],
    recognise: () => 'anything',
    load: async (files, into) => {
      for (const { file } of files) await readAll(file);
      between();
      for (const { file } of files) await readAll(file);
      into.writePart('twice', { value: Uint8Array.of(1) });
      return { edition: '1', asOf: '2026-01-01', rows: 1, extent: 'complete', nextEditionExpected: null };
    },
  }),
});

async function readAll(file: InputFile): Promise<void> {
  if (file.form === 'text') await Array.fromAsync(file.open());
  else if (file.form === 'workbook') await file.openSheet(file.sheetNames[0] ?? '');
  else {
    const bytes = await file.open();
    await bytes.read(0, Math.min(file.bytes, 100));
    await bytes.close();
  }
}

const text = 'one,two\n1,2\n'.repeat(1000);
const other = text.replaceAll('2', '3');
/** As it is, and with the same size but another content. */
const forms: Readonly<Record<string, () => readonly [string, Buffer, Buffer]>> = {
  'a text': () => ['a.csv', Buffer.from(text), Buffer.from(other)],
  'a compressed text': () => ['a.csv.gz', gzipSync(text), gzipSync(other)],
  'an archive': () => ['a.zip', makeZip({ 'a.csv': text }), makeZip({ 'a.csv': other })],
  'a workbook': () => {
    const book = readFileSync(new URL('../../data/sandbox/personal-incomes.ods', import.meta.url));
    return ['a.ods', book, Buffer.from(book).fill(0, book.length - 4)];
  },
  'a binary file': () => ['a.pbf', Buffer.from(`\0${text}`), Buffer.from(`\0${other}`)],
};

const changes: Readonly<Record<string, (file: string, otherContent: Buffer) => void>> = {
  replaced: (file, content) => {
    writeFileSync(`${file}.new`, content);
    renameSync(`${file}.new`, file);
  },
  'overwritten, and its time set back': (file, content) => {
    writeFileSync(file, content);
    utimesSync(file, new Date(0), new Date(0));
  },
  'added to': (file) => appendFileSync(file, 'more'),
  'cut off': (file) => truncateSync(file, 20),
};

for (const [form, make] of Object.entries(forms)) {
  for (const [how, change] of Object.entries(changes)) {
    test(`${form} that is ${how} while it is read is refused, and the release stays as it was`, async () => {
      const [name, content, otherContent] = make();
      const file = home.put(name, content);
      const source = readingTwice(() => change(file, otherContent));
      await assert.rejects(home.ingest([file], [source], []), /changed while the program read it/);
      assert.equal(home.store.currentId(), undefined);
      assert.deepEqual(home.store.list(), []);
    });
  }

  test(`of ${form} the release has the hash of what was read`, async () => {
    const [name, content] = make();
    const { release } = await home.ingest([home.put(name, content)], [readingTwice(() => {})], []);
    assert.deepEqual(release.findDataset('stops')?.files, [
      { name, bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') },
    ]);
  });
}
