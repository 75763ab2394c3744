// `domesday ingest --dry-run` tells what an ingest would do and changes nothing; `--replace` is what gives loaded data up.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { bundledHome, runDomesday } from '../rig.ts';
import { fixtureText } from '../sources/postcodes/desk.ts';
import { bulkCsv, row } from '../sources/price-paid/files.ts';

async function openDesk(t: TestContext) {
  const { home, remove } = await bundledHome();
  t.after(remove);
  const put = (name: string, content: string) => {
    const file = path.join(home, name);
    writeFileSync(file, content);
    return file;
  };
  return { home, put, run: (...words: readonly string[]) => runDomesday([...words, '--home', home]) };
}

const giasFile = path.join(import.meta.dirname, '../../data/sandbox/gias.csv');

/** Every file below a folder, with its size and time. */
const contentsOf = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const { size, mtimeMs, ino } = statSync(path.join(folder, name));
      return [name, size, mtimeMs, ino];
    });

test('a dry run prints the plan of every file and dataset, and changes nothing', async (t) => {
  const { home, put, run } = await openDesk(t);
  const rates = put('later.csv', 'DATE,IUDBEDR\n01 Oct 2026,3.75\n');
  const files = [
    rates,
    put('ONSPD_NOV_2025_UK.csv', fixtureText('ONSPD_NOV_2025_UK.csv')),
    put('ONSPD_FEB_2026_UK.csv', fixtureText('ONSPD_NOV_2025_UK.csv')),
  ];
  const before = contentsOf(home);
  const { code, out } = await run('ingest', ...files, '--dry-run');
  assert.equal(code, 0, out);
  assert.deepEqual(contentsOf(home), before);
  assert.match(
    out,
    /^Bank Rate: Official Bank Rate history \(IUDBEDR\) would be read; now loaded: .* as of 2026-09-21, 258 rows \(complete\)$/m,
  );
  assert.match(out, /^Postcodes: ONS Postcode Directory \(ONSPD\) would be read; now loaded: .*\(sample\)$/m);
  assert.match(out, /^ {2}read: .*later\.csv \(daily series\)$/m);
  assert.match(out, /^ {2}read: .*ONSPD_FEB_2026_UK\.csv \(ONS Postcode Directory\), of 2026-02-01$/m);
  assert.match(out, /^ {2}passed over: .*ONSPD_NOV_2025_UK\.csv: .* newer than this of 2025-11-01$/m);
  assert.match(out, /\nNothing was changed\.\n$/);
  const plan = JSON.parse((await run('ingest', ...files, '--dry-run', '--json')).out);
  assert.deepEqual(
    plan.files.map(({ fate, name }: { fate: string; name: string }) => [fate, path.basename(name)]),
    [
      ['read', 'later.csv'],
      ['read', 'ONSPD_FEB_2026_UK.csv'],
      ['passed over', 'ONSPD_NOV_2025_UK.csv'],
    ],
  );
  assert.deepEqual(
    plan.datasets.map(
      ({ dataset, fate, now }: { dataset: string; fate: string; now: { extent: string } }) => [
        dataset,
        fate,
        now.extent,
      ],
    ),
    [
      ['bank-rate', 'read', 'complete'],
      ['postcodes', 'read', 'sample'],
    ],
  );
  assert.equal((await run('ingest', rates)).code, 0);
  const again = await run('ingest', rates, '--dry-run');
  assert.match(again.out, /^Bank Rate: nothing would change, /m);
  const { code: same, out: told } = await run('ingest', rates);
  assert.deepEqual([same, /^Bank Rate: nothing changed/.test(told)], [0, true]);
  assert.match(told, /Nothing changed\. Release \S+ stays current\.\n$/);
});

test('a dry run makes no home folder, and ends with status 1 where something would be refused', async (t) => {
  const { home, put } = await openDesk(t);
  const nowhere = path.join(home, 'new', 'home');
  const changes = put('monthly.csv', bulkCsv([row(1, { status: 'C' })]));
  const { code, out, err } = await runDomesday(['ingest', changes, '--dry-run', '--home', nowhere]);
  assert.equal(code, 1);
  assert.match(
    out,
    /^Price Paid Data: .* would be refused; nothing is loaded\n {2}.*has the changes of a month/m,
  );
  assert.match(err, /1 refused; see above/);
  assert.equal(existsSync(path.join(home, 'new')), false);
});

test('an --edition that no file needs is refused before anything is read', async (t) => {
  const { put, run } = await openDesk(t);
  const file = put('edubasealldata20260801.csv', readFileSync(giasFile, 'latin1'));
  const { code, err } = await run('ingest', file, '--edition', '2025-01-01', '--dry-run');
  assert.equal(code, 1);
  assert.match(
    err,
    /--edition is for files that do not state[\s\S]*edubasealldata20260801\.csv: 2026-08-01, by its name/,
  );
});

test('--replace loads what takes something away, and the report says what', async (t) => {
  const { put, run } = await openDesk(t);
  assert.equal(
    (await run('ingest', put('ONSPD_NOV_2025_UK.csv', fixtureText('ONSPD_NOV_2025_UK.csv')))).code,
    0,
  );
  const poorer = put('codepo_gb_2026.1.csv', fixtureText('code-point-2025.csv'));
  const refused = await run('ingest', poorer);
  assert.equal(refused.code, 1);
  assert.match(
    refused.err,
    /these would be lost: regions; LSOAs;[\s\S]*To load it anyway, add --replace\.\n$/,
  );
  const { code, out } = await run('ingest', poorer, '--replace');
  assert.equal(code, 0);
  assert.match(out, /^ {2}lost, because of --replace: LSOAs$/m);
});

test('of a folder in which nothing is known, the reason is the last line', async (t) => {
  const { put, run } = await openDesk(t);
  const files = Array.from({ length: 60 }, (_, at) => put(`strange-${at}.txt`, 'x'));
  const { code, err } = await run('ingest', ...files);
  assert.equal(code, 1);
  assert.equal(err.trimEnd().split('\n').at(-1), 'Nothing was loaded: 60 files were not recognised.');
});
