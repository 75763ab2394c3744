// `domesday ingest --dry-run` tells what an ingest would do and changes nothing; `--replace` is what gives loaded data up.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { bundledHome, runDomesday } from '../rig.ts';
import { ages as nisraAges } from '../sources/census/nisra-tables.ts';
import { book } from '../sources/council-tax/books.ts';
import { fixtureText } from '../sources/postcodes/desk.ts';
import { bulkCsv, row } from '../sources/price-paid/files.ts';
import { locationBook, locationRow } from '../sources/schools/desk.ts';

async function openDesk(t: TestContext) {
  const { home, remove } = await bundledHome();
  t.after(remove);
  const put = (name: string, content: string | Buffer) => {
    const file = path.join(home, name);
    writeFileSync(file, content, 'latin1');
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

const dataFile = (name: string) => path.join(import.meta.dirname, '../../data', name);
const dataText = (name: string) => readFileSync(dataFile(name), 'latin1');

/** A file whose publisher has given a column another name. */
const renamed = (text: string, column: string) => {
  const changed = text.replace(column, 'Something Else');
  assert.notEqual(changed, text, column);
  return changed;
};

/** No row could make a load take them. */
const refusedByTheirHeads: Readonly<Record<string, Readonly<Record<string, string | Buffer>>>> = {
  'a list of homes without a day': { 'homes.csv': 'ADDR,POSTCODE,BAND\n1 High Street,NP10 8WA,C\n' },
  'a code list without a day': {
    'codes.xlsx': book(
      { AREA_CODES: [['DIS', 'District']], DIS: [['Zedbury District', 'E07000999']] },
      'xlsx',
    ),
  },
  'a table of places of schools without a day': {
    'places.xlsx': locationBook([locationRow(5_900_001, 'Primary', 'Zedhaven Primary School', 54.21, 0.91)]),
  },
  'a list of authorities without a day': {
    'authorities.csv': dataText('facts/billing-authorities.csv'),
  },
  'a list of authorities older than the loaded one': {
    'authorities-2020-01-01.csv': dataText('facts/billing-authorities.csv'),
  },
  'abolished authorities without the list': {
    'abolished-2026-10-01.csv': dataText('facts/abolished-authorities.csv'),
  },
  'the note on Bank Rate without the rates': { 'bank-rate.json': dataText('facts/bank-rate.json') },
  'GIAS without a column': { 'gias.csv': renamed(dataText('sandbox/gias.csv'), 'StatutoryLowAge') },
  'Ofsted without a column': {
    'ofsted.csv': renamed(dataText('sandbox/ofsted.csv'), 'Safeguarding standards'),
  },
  'a postcode directory without a column': {
    'ONSPD_NOV_2025_UK.csv': renamed(fixtureText('ONSPD_NOV_2025_UK.csv'), 'doterm'),
  },
  'a table of the census without a column': {
    'ts001.csv': renamed(
      dataText('sandbox/census2021-ts001-lsoa.csv'),
      'Residence type: Lives in a household',
    ),
  },
  'a table of Northern Ireland with a column twice': {
    'ages.csv': nisraAges.replace('Data Zone Label', 'Data Zone Code'),
  },
  'flows of traffic without a column': { 'traffic.csv': renamed(dataText('sandbox/traffic.csv'), 'easting') },
  'stops without a column': { 'stops.csv': renamed(dataText('sandbox/naptan.csv'), 'Easting') },
};

for (const [what, files] of Object.entries(refusedByTheirHeads)) {
  test(`${what} is refused by a dry run with the words and the status of the run`, async (t) => {
    const { put, run } = await openDesk(t);
    const paths = Object.entries(files).map(([name, content]) => put(name, content));
    const real = await run('ingest', ...paths);
    const planned = await run('ingest', ...paths, '--dry-run');
    assert.deepEqual([real.code, planned.code], [1, 1], `${real.err}${planned.out}`);
    const refusal = real.err.trimEnd().split('\n').at(-1) ?? '';
    assert.ok(planned.out.includes(refusal), `${planned.out}${real.err}`);
  });
}

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
