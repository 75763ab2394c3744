// A file that has its header and no rows is recognised, and refused before anything is read. It never takes away what is
// loaded. For every source whose files have a header.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { makeZip } from '../../scripts/make-zip.ts';
import { planIngest } from '../../src/ingest/plan.ts';
import { noProgress } from '../../src/ingest/progress.ts';
import { sources } from '../../src/sources/index.ts';
import { openCrimes } from '../../src/tables/crime/crimes.ts';
import { nisraCsv } from '../sources/census/files.ts';
import { statsWales } from '../sources/council-tax/books.ts';
import { bulkCsv, exportCsv, exportHeader, row } from '../sources/price-paid/files.ts';
import { sandbox } from '../sources/schools/desk.ts';
import { gtfsFiles, gtfsZip } from '../sources/transport/desk.ts';
import { openTestHome, type TestHome } from './home.ts';

const read = (name: string) => readFileSync(path.join(import.meta.dirname, '../..', name));
const linesOf = (name: string, count = 1) =>
  read(name).toString('utf8').split('\n').slice(0, count).join('\n');

const street =
  'Crime ID,Month,Reported by,Falls within,Longitude,Latitude,Location,LSOA code,LSOA name,Crime type,Last outcome category,Context';
const timetable = {
  stops: { '9990ZB0001': [51.5, -0.1] },
  routes: [{ id: 'R1', name: '1', calls: ['9990ZB0001'] }],
} as const;

/** By source, the headers of its files as its fixtures have them, down to the last line above the first row. */
const headers: Readonly<Record<string, readonly string[]>> = {
  'bank-rate': [
    ...['web-table', 'iadb-daily', 'page-copy'].map((name) => linesOf(`test/fixtures/bank-rate/${name}.csv`)),
    linesOf('data/facts/bank-rate.csv'),
  ],
  onspd: [
    linesOf('test/fixtures/postcodes/ONSPD_NOV_2025_UK.csv'),
    linesOf('test/fixtures/postcodes/onspd-old-names.csv'),
  ],
  nspl: [linesOf('test/fixtures/postcodes/NSPL_AUG_2026_UK.csv')],
  authorities: [
    linesOf('data/sandbox/billing-authorities.csv'),
    linesOf('data/facts/abolished-authorities.csv'),
  ],
  'council-tax': [
    linesOf('data/sandbox/council-tax.csv'),
    statsWales
      .slice(0, 10)
      .map((cells) => cells.map((cell) => (cell === null ? '' : `"${cell}"`)).join())
      .join('\n'),
  ],
  'price-paid': [exportHeader],
  police: [
    street,
    'Crime ID,Month,Reported by,Falls within,Longitude,Latitude,Location,LSOA code,LSOA name,Outcome type',
  ],
  gias: [linesOf('data/sandbox/gias.csv'), `Establishments\n${linesOf('data/sandbox/gias.csv')}`],
  ofsted: [linesOf('data/sandbox/ofsted.csv')],
  'census-england-wales': [
    ...['001', '006', '007a', '017', '041', '066'].map((table) =>
      linesOf(`data/sandbox/census2021-ts${table}-lsoa.csv`),
    ),
    'OA21CD,LSOA21CD,LSOA21NM',
  ],
  'census-scotland': [
    linesOf('data/sandbox/scotland-oa22-dz22-iz22.csv'),
    ...['uv101b', 'uv103', 'uv406', 'uv601'].map((table) => headerOfScotland(`scotland-${table}.csv`)),
  ],
  'census-northern-ireland': ['Age', 'Household Size', 'Economic Activity'].map((name) => nisraCsv(name, [])),
  naptan: [
    linesOf('data/sandbox/naptan.csv'),
    'AtcoCode,TiplocCode,CrsCode,StationName,StationNameLang,GridType,Easting,Northing,CreationDateTime,ModificationDateTime,RevisionNumber,Modification',
  ],
  aadf: [linesOf('data/sandbox/traffic.csv')],
  'ons-names': ['ward-names.csv', 'region-names.txt'].map((name) => linesOf(`data/sandbox/${name}`)),
  'valuation-list': [linesOf('data/sandbox/valuation-list.csv'), 'UPRN,GRIDGB1E,GRIDGB1N,PCDS'],
};

/** Workbooks, archives, the map and JSON; rows without a header. */
const without: readonly string[] = [
  ...['code-point-open', 'schools-wales', 'schools-scotland', 'openstreetmap', 'income', 'bikepoint'],
  // Below: an archive of several tables.
  'bods',
];

/** Titles, notes and the header itself stand above the first output area. */
function headerOfScotland(name: string): string {
  const lines = read(`data/sandbox/${name}`).toString('utf8').split('\n');
  return lines
    .slice(
      0,
      lines.findIndex((line) => line.startsWith('S00')),
    )
    .join('\n');
}

/** The same header as other programs write it. */
const forms: Readonly<Record<string, (header: string) => string | Uint8Array>> = {
  'header.csv': (header) => `${header}\n`,
  'cut.csv': (header) => header,
  'windows.csv': (header) => `${header.replaceAll('\n', '\r\n')}\r\n\r\n \r\n`,
  'packed.csv.gz': (header) => gzipSync(`${header}\n`),
};

let home: TestHome;
before(async () => {
  home = openTestHome();
  const files = [
    ...['gias.csv', 'ofsted.csv', 'naptan.csv', 'bus-timetables.zip', 'traffic.csv', 'postcodes.csv'],
    ...['census2021-ts001-lsoa.csv', 'scotland-oa22-dz22-iz22.csv', 'scotland-uv103.csv'],
    ...['billing-authorities.csv', 'authorities.json', 'council-tax.csv', 'council-tax.json'],
    ...['police.zip', 'price-paid.csv', 'ward-names.csv', 'valuation-list.csv', '../facts/bank-rate.csv'],
  ];
  await home.ingest(files.map(sandbox));
});
after(() => home.remove());

/** As `ingest --dry-run` does it. */
const plan = (paths: readonly string[]) =>
  planIngest({
    paths,
    sources,
    base: home.store.openCurrent(),
    kind: 'loaded',
    atMs: Date.UTC(2026, 10, 15, 13),
    progress: noProgress,
  });

async function refused(file: string, source: string): Promise<void> {
  const current = home.store.currentId();
  const told = `${file}: has a header and no rows.`;
  await assert.rejects(home.ingest([file]), (error: Error) => {
    assert.ok(error.message.startsWith(told), error.message);
    return true;
  });
  const [first] = (await plan([file])).refused;
  assert.deepEqual([first?.source, first?.reason.slice(0, told.length)], [source, told]);
  assert.equal(home.store.currentId(), current);
}

test('every source is among those with a header or those without', () => {
  assert.deepEqual([...Object.keys(headers), ...without].sort(), sources.map(({ name }) => name).sort());
});

for (const [source, own] of Object.entries(headers)) {
  test(`${source}: a header alone is refused, and what is loaded stays`, async () => {
    for (const [at, header] of own.entries()) {
      for (const [name, form] of Object.entries(forms))
        await refused(home.put(`${source}-${at}/${name}`, form(header)), source);
    }
  });
}

test('a timetable is refused where a table that it needs ends with its header', async () => {
  for (const table of ['agency', 'routes', 'trips', 'stops', 'stop_times']) {
    const files = gtfsFiles(timetable);
    const header = files[`${table}.txt`]?.split('\n', 1)[0] ?? assert.fail(table);
    const zip = home.put(`${table}.zip`, makeZip({ ...files, [`${table}.txt`]: `${header}\n` }));
    const [first] = (await plan([zip])).refused;
    assert.ok(
      first?.reason.startsWith(`${zip} > ${table}.txt: has a header and no rows.`),
      String(first?.reason),
    );
  }
  // Its days may all stand in the other table of days.
  assert.deepEqual((await plan([home.put('whole.zip', gtfsZip(timetable))])).refused, []);
});

test('a force without crimes in a month is passed over, and what is loaded of it stays', async (t) => {
  const own = openTestHome();
  t.after(() => own.remove());
  const crimes = (month: string) =>
    `${street}\n,${month},A Police,A Police,-1.134336,52.630528,On or near X,E01032868,Leicester 041B,Drugs,,\n`;
  await own.ingest([own.put('2024-01/2024-01-a-street.csv', crimes('2024-01'))]);
  const empty = own.put('later/2024-01/2024-01-a-street.csv', `${street}\n`);
  own.put('later/2024-02/2024-02-a-street.csv', crimes('2024-02'));
  const { passedOver } = await own.ingest([path.join(own.folder, 'later')]);
  assert.deepEqual(passedOver, [{ name: empty, because: 'it has a header and no rows' }]);
  assert.equal(openCrimes(own.store.openCurrent()).months.length, 2);
});

test('one row is enough, also where no header stands above it or it stands behind the header', async (t) => {
  const own = openTestHome();
  t.after(() => own.remove());
  const files = {
    'bulk.csv': bulkCsv([row(1)]),
    'export.csv': exportCsv([row(2)]),
    'glued.csv': exportCsv([row(3)], ''),
    'rates.csv': 'Date Changed,Rate\n18-Dec-25,3.75',
  };
  await own.ingest(Object.entries(files).map(([name, text]) => own.put(name, text)));
  const release = own.store.openCurrent();
  assert.deepEqual([release.findDataset('price-paid')?.rows, release.findDataset('bank-rate')?.rows], [3, 1]);
});
