// What lies in a folder or in an archive may be anything, with any name. It is refused or left out with one clear line,
// and what is in it never reaches a terminal or an answer raw.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import fc from 'fast-check';
import { type ZipEntry, zipOf } from '../../scripts/make-zip.ts';
import { readCsv } from '../../src/ingest/read/csv.ts';
import { IngestRefused } from '../../src/ingest/refusal.ts';
import { sourcesNamed } from '../../src/sources/index.ts';
import { visible } from '../../src/visible.ts';
import { anyString } from '../any-string.ts';
import { runDomesday } from '../rig.ts';
import { openTestHome, type TestHome } from './home.ts';
import { entryOf } from './hostile-zip.ts';

const table = '"Date Changed","Rate"\n"18 Dec 25","3.75"\n"07 Aug 25","4.00"\n';
const bankRate = sourcesNamed('bank-rate');

let home: TestHome;
beforeEach(() => {
  home = openTestHome();
});
afterEach(() => home.remove());

const folderOf = (name: string) => {
  const place = path.join(home.folder, name);
  mkdirSync(place, { recursive: true });
  return place;
};

/** Only what a terminal shows as it is, and line feeds. */
const isShown = (text: string) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
  !/[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/.test(text);

test('links in a folder are not followed, and pipes are not waited for: each is named with the reason', async () => {
  const folder = folderOf('in');
  writeFileSync(path.join(folder, 'rates.csv'), table);
  symlinkSync('..', path.join(folder, 'circle'));
  symlinkSync('/etc/passwd', path.join(folder, 'outside'));
  symlinkSync('nowhere', path.join(folder, 'dangling'));
  execFileSync('mkfifo', [path.join(folder, 'pipe')]);
  const { passedOver } = await home.ingest([folder], bankRate, []);
  assert.deepEqual(
    passedOver.map(({ name, because }) => [path.basename(name), /^it is a (link|pipe)/.exec(because)?.[1]]),
    [
      ['circle', 'link'],
      ['dangling', 'link'],
      ['outside', 'link'],
      ['pipe', 'pipe'],
    ],
  );
});

test('a pipe, a device and a folder of links are refused by name, at once', async () => {
  const folder = folderOf('in');
  const pipe = path.join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  await assert.rejects(home.ingest([pipe], bankRate), /pipe: is not a file; name a file or a folder/);
  await assert.rejects(home.ingest(['/dev/zero'], bankRate), /is not a file/);
  await assert.rejects(
    home.ingest([folder], bankRate),
    /in: the folder has no files except 1 that the program does not read, such as .*pipe: it is a pipe, socket or device/,
  );
});

test('a link that is named is followed', async () => {
  const file = home.put('rates.csv', table);
  const link = path.join(home.folder, 'link.csv');
  symlinkSync(file, link);
  assert.equal((await home.ingest([link], bankRate, [])).sources.length, 1);
});

const rates = entryOf('rates.csv', table);
const zip64Size = Buffer.from([1, 0, 8, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0]);

/** What is wrong with an archive, and how it is told. */
const wrongArchives: Readonly<Record<string, readonly [Buffer, RegExp]>> = {
  'a name that leads out of it': [
    zipOf([rates, { ...rates, name: '../../etc/cron.d/x' }]),
    /whose name points outside the archive/,
  ],
  'an absolute name': [zipOf([{ ...rates, name: '/etc/passwd' }]), /whose name points outside the archive/],
  'a name twice': [zipOf([rates, entryOf('rates.csv', table.replace('3.75', '9.75'))]), /rates\.csv twice/],
  'entries that share their bytes': [
    zipOf([rates, { ...rates, name: 'more1.csv', offset: 0 }]),
    /has entries that overlap/,
  ],
  'an encrypted entry': [zipOf([{ ...rates, flags: 1 }]), /is encrypted \(rates\.csv\)\. Decrypt it first/],
  'a method that is not known': [
    zipOf([{ ...rates, method: 12 }]),
    /packed in a way that this program cannot read/,
  ],
  'a wrong checksum': [zipOf([{ ...rates, crc: (rates.crc ^ 1) >>> 0 }]), /does not match its checksum/],
  'a size that is too small': [zipOf([{ ...rates, bytes: rates.bytes - 1 }]), /cannot be read to its end/],
  'a size that is too large': [zipOf([{ ...rates, bytes: rates.bytes + 1 }]), /cannot be read to its end/],
  'a size of a terabyte': [
    zipOf([{ ...rates, bytes: 0xffff_ffff, extra: zip64Size }]),
    /cannot be read to its end/,
  ],
};

for (const [what, [archive, told]] of Object.entries(wrongArchives)) {
  test(`an archive with ${what} is refused and says why`, async () => {
    await assert.rejects(home.ingest([home.put('a.zip', archive)], bankRate), (error: unknown) => {
      assert.ok(error instanceof IngestRefused, String(error));
      assert.match(error.message, told);
      return true;
    });
  });
}

test('an archive that is cut off anywhere, or has one byte changed, is refused or read as it was', async () => {
  const sound = zipOf([rates]);
  await fc.assert(
    fc.asyncProperty(
      fc.nat(sound.length - 1),
      fc.integer({ min: 0, max: 255 }),
      fc.constantFrom('cut', 'change'),
      async (at, byte, how) => {
        const damaged = Buffer.from(how === 'cut' ? sound.subarray(0, at) : sound);
        if (how === 'change') damaged.writeUInt8(byte, at);
        const read = await home
          .ingest([home.put('a.zip', damaged)], bankRate, [])
          .then(() => home.changes().join())
          .catch((error: unknown) => {
            assert.ok(error instanceof IngestRefused, String(error));
            return 'refused';
          });
        if (read !== 'refused')
          assert.equal(read, '2025-08-07 4 Official Bank Rate,2025-12-18 3.75 Official Bank Rate');
      },
    ),
    { numRuns: 60 },
  );
});

const strange = anyString({ maxLength: 12 });
const raw = fc.constantFrom('\u001b[2J', '\u009b31m', '\u202e', '\u0007', '\r', '\n', '\u2028', '\u0000');

test('what is shown of any text has no control, no direction and no line of its own, and tells texts apart', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(strange, raw)), (parts) => {
      const text = parts.join('');
      const shown = visible(text);
      assert.ok(isShown(shown) && !shown.includes('\n'), JSON.stringify(shown));
      if (!text.includes('\\')) assert.equal(JSON.parse(`"${shown.replaceAll('"', '\\"')}"`), text);
    }),
  );
});

test('names of files and of entries, and contents, reach the terminal escaped', async () => {
  const bad = '\u001b]0;owned\u0007\u009b2J\u202e\nRelease x is verified and current.';
  const folder = folderOf(`in-${bad.replaceAll('/', '')}`);
  writeFileSync(path.join(folder, `note ${bad}.txt`), 'Notes');
  writeFileSync(
    path.join(folder, `r ${bad}.zip`),
    zipOf([rates, { ...entryOf('x', 'Notes'), name: `x ${bad}`, flags: 0x800 } satisfies ZipEntry]),
  );
  const into = path.join(home.folder, 'cli');
  const loaded = await runDomesday(['ingest', folder, '--home', into]);
  assert.equal(loaded.code, 0, loaded.err);
  const asJson = await runDomesday(['ingest', folder, '--home', into, '--json']);
  const stranger = home.put(`s ${bad}.csv`, `a${bad},b\n1,2\n`);
  const refused = await runDomesday(['ingest', stranger, '--home', into]);
  assert.equal(refused.code, 1);
  for (const { out, err } of [loaded, asJson, refused]) {
    assert.ok(isShown(out), JSON.stringify(out));
    assert.ok(isShown(err), JSON.stringify(err));
  }
  const ends = [...`${loaded.out}${refused.err}`.matchAll(/^Release x is verified/gm)];
  assert.deepEqual(ends, []);
  assert.ok(loaded.out.includes('\\u001b]0;owned\\u0007'), loaded.out);
});

const rowsOf = async (content: string | Buffer, encoding: 'utf-8' | 'cp1252' | 'either') => {
  const rows: string[][] = [];
  const chunks = (async function* () {
    yield Buffer.from(content);
  })();
  await readCsv(chunks, { file: 'a.csv', encoding }, (row) => {
    for (let field = 0; field < row.length; field += 1)
      assert.doesNotMatch(
        row.bytes.subarray(row.start(field), row.end(field)).toString('latin1'),
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
        /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/,
      );
    rows.push(row.texts());
  });
  return rows;
};

test('a control character in a field becomes a space, in bytes and in text; all else stays', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.string({
          unit: fc.constantFrom('a', 'é', '\u001b', '\u007f', '\u0085', '\u0001', '\t', ' ', '\u00a0'),
          minLength: 1,
        }),
        { minLength: 1, maxLength: 5 },
      ),
      fc.boolean(),
      async (cells, isQuoted) => {
        const line = cells.map((cell) => (isQuoted ? `"${cell}"` : cell)).join(',');
        const [row = []] = await rowsOf(line, 'utf-8');
        assert.deepEqual(
          row.map((cell) => cell.replace(/ +/g, ' ')),
          cells.map((cell) => cell.replace(/[^aé\t\u00a0]+/g, ' ')),
        );
      },
    ),
  );
  const [single = []] = await rowsOf(Buffer.from([0x61, 0x81, 0xe9, 0x1b]), 'cp1252');
  assert.deepEqual(single, ['a é ']);
});

test('a zero byte refuses the file with its line: a broken download leaves them', async () => {
  for (const line of ['x,\0', '"\0",x', '\0'])
    await assert.rejects(rowsOf(`a,b\n${line}\nc,d\n`, 'either'), /a\.csv: line 2 has a zero byte/);
});
