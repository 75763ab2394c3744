// Files are judged by their heads before anything long is read: in whatever order they are named, the same ones are read,
// what is missing or would be lost is told at once, and what is loaded already is left alone.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { type PlanReport, planIngest } from '../../src/ingest/plan.ts';
import { type IngestReport, runIngest } from '../../src/ingest/run.ts';
import { derivations } from '../../src/sources/derivations.ts';
import { sources } from '../../src/sources/index.ts';
import { nomisCsv, ts001Columns } from '../sources/census/files.ts';
import { book } from '../sources/council-tax/books.ts';
import { fixturePath, fixtureText } from '../sources/postcodes/desk.ts';
import { bulkCsv, row } from '../sources/price-paid/files.ts';
import { giasCsv, sandbox, welshRow, welshTitles } from '../sources/schools/desk.ts';
import { node, nodesFile } from '../sources/transport/desk.ts';
import { openHomeWithSample, openTestHome, type TestHome } from './home.ts';

let home: TestHome;
let made: number;
beforeEach(() => {
  home = openTestHome();
  made = 0;
});
afterEach(() => home.remove());

/** As the command does it, after a dry run. `read` are the files of which reading was begun. */
async function ingest(paths: readonly string[], onLoss: 'refuse' | 'accept' = 'refuse') {
  made += 1;
  const read: string[] = [];
  const order = {
    paths,
    sources,
    base: home.store.currentId() === undefined ? undefined : home.store.openCurrent(),
    kind: 'loaded',
    atMs: Date.UTC(2026, 10, 15, 12, made),
    onLoss,
    progress: ({ phase }: { readonly phase: string }) => {
      const [, file] = /^(?:Reading|Looking through) (.+)$/.exec(phase) ?? [];
      if (file !== undefined) read.push(path.basename(file));
    },
  } as const;
  const plan = await planIngest(order);
  const run = runIngest({ ...order, derivations, store: home.store, id: `run-${made}` });
  const report = await run.catch((error: unknown) => {
    assert.ok(error instanceof Error);
    return error;
  });
  if (!(report instanceof Error))
    assert.deepEqual(fatesOf(report), plannedFates(plan), 'as the dry run said');
  if (!(report instanceof Error) && report.outcome === 'made') home.store.point(report.release.id);
  return { plan, report, read };
}

const plannedFates = ({ files }: PlanReport) => files.map(({ name, fate }) => `${fate} ${name}`).sort();
const fatesOf = ({ sources: reports, unchanged, passedOver, skipped }: IngestReport) =>
  [
    ...reports.flatMap(({ files }) => files.map(({ name }) => `read ${name}`)),
    ...unchanged.flatMap(({ files }) => files.map((name) => `unchanged ${name}`)),
    ...passedOver.map(({ name }) => `passed over ${name}`),
    ...skipped.map((name) => `skipped ${name}`),
  ].sort();

async function load(paths: readonly string[], onLoss?: 'accept'): Promise<IngestReport> {
  const { report } = await ingest(paths, onLoss);
  if (report instanceof Error) throw report;
  return report;
}

async function refused(paths: readonly string[], message: RegExp): Promise<void> {
  const before = home.store.currentId();
  const { plan, report, read } = await ingest(paths);
  assert.ok(report instanceof Error, 'it was loaded');
  assert.match(report.message, message);
  assert.match(plan.refused.map(({ reason }) => reason).join('\n'), message, 'the dry run did not say it');
  assert.deepEqual(read, [], 'nothing was read before');
  assert.equal(home.store.currentId(), before);
}

const schools = (count: number, changed: string, name: string) =>
  giasCsv(
    Array.from({ length: count }, (_, at) => ({
      URN: String(100_000 + at),
      EstablishmentName: name,
      LastChangedDate: changed,
    })),
  );
const stop = (code: string, name: string) =>
  node({
    ATCOCode: code,
    CommonName: `${name} Rail Station`,
    StopType: 'RLY',
    Latitude: '51.5',
    Longitude: '-0.1',
  });
const [directoryHeader = '', ...directoryRows] = fixtureText('ONSPD_NOV_2025_UK.csv').trimEnd().split('\n');
const directory = (rows: readonly string[]) => `${[directoryHeader, ...rows].join('\n')}\n`;

const crimesOf = (month: string) =>
  `Crime ID,Month,Reported by,Falls within,Longitude,Latitude,Location,LSOA code,LSOA name,Crime type,Last outcome category,Context\n,${month},A Police,A Police,-1.134336,52.630528,On or near X,E01032868,Leicester 041B,Drugs,,\n`;

/** Editions, parts and copies of one another, in real layouts. */
const pile = (): readonly string[] => [
  home.put('edubasealldata20260801.csv', schools(1500, '01-08-2026', 'Old')),
  home.put('edubasealldata20260901.csv', schools(1490, '01-09-2026', 'New')),
  home.put('edubasealldata20261001.csv', schools(5, '01-10-2026', 'A part')),
  home.put('ONSPD_NOV_2025_UK.csv', directory(directoryRows)),
  home.put('ONSPD_FEB_2026_UK.csv', directory(directoryRows.slice(0, 4))),
  home.put('cp/code-point-2025.csv', fixtureText('code-point-2025.csv')),
  home.put('pp-2025.csv', bulkCsv([row(1), row(2), row(3)])),
  home.put('pp-monthly.csv', bulkCsv([row(1, { price: '999', status: 'C' }), row(4)])),
  home.put('stops-2026-09-01.csv', nodesFile(stop('9100A', 'A'), stop('9100B', 'B'))),
  home.put('stops-2026-08-01.csv', nodesFile(stop('9100A', 'Was'), stop('9100C', 'C'))),
  home.put('ts001-a.csv', nomisCsv(ts001Columns, { E01000001: [7, 6, 1] })),
  home.put('ts001-b.csv', nomisCsv(ts001Columns, { E01000001: [9, 8, 1], E01000002: [5, 5, 0] })),
];

test('in whatever order files are named, the same are read, the same passed over, and the release is the same', async () => {
  const told = async (paths: readonly string[]) => {
    const { release, passedOver } = await load(paths);
    const names = passedOver.map(({ name, because }) => `${path.relative(home.folder, name)}: ${because}`);
    return {
      parts: release.manifest.parts,
      editions: release.datasets.map(({ name, edition, rows }) => [name, edition, rows]),
      passedOver: names
        .map((line) => line.replaceAll(`${home.folder}/`, '').replace(/has \d+ times/, 'has N times'))
        .sort(),
    };
  };
  const expected = await told(pile());
  assert.deepEqual(expected.passedOver, [
    'ONSPD_NOV_2025_UK.csv: ONSPD_FEB_2026_UK.csv is another edition of it, of 2026-02-01, and newer than this of 2025-11-01',
    'cp/code-point-2025.csv: Postcodes come from ONS Postcode Directory (ONSPD) in this run',
    'edubasealldata20260801.csv: edubasealldata20260901.csv is another edition of it, of 2026-09-01, and newer than this of 2026-08-01',
    'edubasealldata20261001.csv: a part only: edubasealldata20260901.csv has N times as much',
    'stops-2026-08-01.csv: stops-2026-09-01.csv is another edition of it, of 2026-09-01, and newer than this of 2026-08-01',
    'ts001-a.csv: ts001-b.csv is another edition of it, and larger',
  ]);
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray([...pile().keys()], { minLength: 12 }), async (order) => {
      home.remove();
      home = openTestHome();
      const files = pile();
      assert.deepEqual(await told(order.map((at) => files[at] ?? assert.fail())), expected);
    }),
    { numRuns: 6 },
  );
});

test('a file that is named twice, or with the folder in which it lies, is read once', async () => {
  const zip = sandbox('bus-timetables.zip');
  const { release } = await load([zip]);
  const folder = path.dirname(home.put('all/bus-timetables.zip', readFileSync(zip)));
  const inFolder = path.join(folder, 'bus-timetables.zip');
  for (const paths of [
    [zip, zip],
    [zip, path.relative('.', zip)],
    [folder, inFolder],
    [inFolder, folder],
    [folder, folder, path.join(folder, '..', 'all')],
  ])
    assert.deepEqual((await load(paths)).release.id, release.id);
  home.put('all/readme.txt', 'A note.');
  const note = path.join(folder, 'readme.txt');
  const { skipped } = await load([inFolder, folder, inFolder]);
  assert.deepEqual(
    skipped.filter((name) => name === note),
    [note],
  );
  await refused([folder, note], /Not recognised/);
  await refused([note, folder], /Not recognised/);
});

test('a part of the richer publication does not keep the whole of another from being read', async () => {
  const whole = home.put(
    'codepo_gb_2026.1.csv',
    Array.from({ length: 3_000 }, (_, at) => {
      const letters = 'ABDEFGHJLN';
      const code = `ZZ${1 + Math.floor(at / 1_000)} ${at % 10}${letters[Math.floor(at / 10) % 10]}${letters[Math.floor(at / 100) % 10]}`;
      return `"${code}",10,590100,480100,"E92000001","","","","E06000001","E05000001"\n`;
    }).join(''),
  );
  const part = home.put('ONSPD_FEB_2026_UK.csv', directory(directoryRows));
  for (const paths of [
    [whole, part],
    [part, whole],
  ]) {
    const { release, passedOver } = await load(paths);
    assert.equal(release.findDataset('postcodes')?.rows, 3_000);
    assert.deepEqual(passedOver, [
      { name: part, because: 'a part only: Postcodes come from OS Code-Point Open in this run' },
    ]);
  }
});

test('what needs a companion is refused before anything is read, whatever long files lie beside it', async () => {
  const sales = home.put('pp-2025.csv', bulkCsv([row(1)]));
  const outputAreas = home.put('ts001-oa.csv', nomisCsv(ts001Columns, { E00000001: [7, 6, 1] }));
  await refused([sales, outputAreas], /ts001-oa\.csv: has output areas, which need the look-up to LSOAs/);
  const changes = home.put('monthly.csv', bulkCsv([row(1), row(2, { status: 'D' })]));
  const rates = sandbox('../facts/bank-rate.csv');
  await refused([rates, changes], /monthly\.csv: has the changes of a month, but nothing is loaded/);
  await load([sales]);
  assert.equal((await load([changes])).outcome, 'made');
  const directions = home.put(
    'aadf.csv',
    'count_point_id,year,estimation_method,all_motor_vehicles,direction_of_travel\n1,2024,Counted,5,N\n',
  );
  await refused([sales, directions], /has flows by direction/);
});

test('what takes something away from loaded data is refused before it is read, and loaded with --replace', async () => {
  await load([fixturePath('ONSPD_NOV_2025_UK.csv')]);
  const poorer = home.put('codepo_gb_2026.1.csv', fixtureText('code-point-2025.csv'));
  await refused(
    [poorer],
    /these would be lost: regions; LSOAs; MSOAs; police force areas; 1 terminated postcodes\.\n.*\n.*--replace\.$/,
  );
  const { sources: reports } = await load([poorer], 'accept');
  assert.match(reports[0]?.lost.join() ?? '', /LSOAs/);
  await load([home.put('all.csv', schools(200, '01-08-2026', 'All'))]);
  const part = home.put('part.csv', schools(20, '01-09-2026', 'Part'));
  await refused([part], /these would be lost: about 1\d\d of 200 rows, by the size of what was given/);
  const less = home.put('less.csv', schools(155, '03-09-2026', 'Less'));
  const { report } = await ingest([less]);
  assert.match(
    String(report),
    /lost: 45 of 200 rows, where at most 2\.2% may go from 2026-08-01 to 2026-09-03\./,
  );
  const few = home.put('few.csv', schools(20, '04-09-2026', 'Few'));
  assert.deepEqual((await load([few], 'accept')).sources[0]?.rows, 20);
});

test('an older edition of another directory is refused before it is read, and loaded with --replace', async () => {
  const everyCode = fixtureText('NSPL_AUG_2026_UK.csv');
  await load([home.put('NSPL_AUG_2026_UK.csv', everyCode)]);
  const older = fixturePath('ONSPD_NOV_2025_UK.csv');
  await refused(
    [older],
    /lost: what changed from 2025-11-01 to 2026-08-01\.\nLoad a newer edition of ONS Postcode Directory \(ONSPD\)\.\n.*--replace\.$/,
  );
  const { sources: reports } = await load([older], 'accept');
  assert.deepEqual(
    reports[0]?.lost.filter((one) => one.startsWith('what changed')),
    ['what changed from 2025-11-01 to 2026-08-01'],
  );
  assert.equal(home.store.openCurrent().findDataset('postcodes')?.edition, 'November 2025');
});

test('what does not say its day, or one to come, or an older one, is refused before anything long is read', async () => {
  const sales = home.put('pp-2025.csv', bulkCsv([row(1)]));
  const undated = /does not state its day/;
  await refused([sales, home.put('welsh.ods', book({ Maintained: [welshTitles] }))], undated);
  await refused([sales, fixturePath('code-point-2025.csv')], undated);
  const crimes = home.put('2027-01-a-street.csv', crimesOf('2027-01'));
  await refused([sales, crimes], /2027-01, which is in the future/);
  const school = welshRow(9992001, 'Ysgol Gynradd Zedborth', 'Primary', 'Infants & Juniors', 'ZZ3 1AA');
  const list = book({ Maintained: [welshTitles, school] });
  await load([sandbox('postcodes.csv'), home.put('list-2026-04-01.ods', list)]);
  await refused(
    [sales, home.put('list-2025-04-01.ods', list)],
    /is of 2025-04-01, and .* of 2026-04-01 is loaded/,
  );
});

test('how well a file is packed says nothing of how much it holds', async () => {
  const old = home.put('edubasealldata20260801.csv', schools(1500, '01-08-2026', 'Old'));
  const packed = (name: string, text: string) => home.put(name, gzipSync(text));
  const fresh = packed('edubasealldata20260901.csv.gz', schools(1500, '01-09-2026', 'New'));
  const part = packed('edubasealldata20261001.csv.gz', schools(100, '01-10-2026', 'Part'));
  assert.deepEqual(
    (await load([old, fresh, part])).passedOver.map(({ name }) => name).sort(),
    [old, part].sort(),
  );
  const next = packed('edubasealldata20260902.csv.gz', schools(1500, '02-09-2026', 'Next'));
  assert.equal((await load([next])).outcome, 'made');
  await refused([part], /these would be lost: about 1,\d\d\d of 1,500 rows/);
});

test('the bundled sample is nothing to lose', async () => {
  home.remove();
  home = await openHomeWithSample();
  assert.equal(home.store.openCurrent().findDataset('postcodes')?.extent, 'sample');
  const official = home.put('codepo_gb_2026.1.csv', fixtureText('code-point-2025.csv'));
  assert.equal((await load([official])).outcome, 'made');
});

test('the same files again are not read and make no release; under other names they are read, and make none', async () => {
  const first = home.put('pp-2025.csv', bulkCsv([row(1), row(2)]));
  const second = home.put('pp-2026.csv', bulkCsv([row(3)]));
  const all = home.put('edubasealldata20260901.csv', schools(30, '01-09-2026', 'New'));
  await load([first, all]);
  const { release } = await load([second]);
  for (const paths of [[second], [all], [all, second], [second, all]]) {
    const { report, read } = await ingest(paths);
    assert.ok(!(report instanceof Error));
    assert.deepEqual([report.outcome, report.release.id, read], ['nothing new', release.id, []]);
    assert.equal(report.unchanged.length, paths.length);
  }
  // What was applied before the last files, and a copy.
  for (const paths of [[first], [home.put('copy.csv', bulkCsv([row(3)]))]]) {
    const report = await load(paths);
    assert.deepEqual([report.outcome, report.sources[0]?.outcome], ['nothing new', 'unchanged']);
  }
  assert.equal(home.store.currentId(), release.id);
});

test("councils' lists, loaded in any order and again, are one and the same", async () => {
  const list = (name: string, street: string) =>
    home.put(`${name}-2026-10-01.csv`, `ADDR,POSTCODE,BAND\n1 ${street} STREET,AB1 1AA,F\n`);
  const [leeds, york] = [list('leeds', 'PEAR'), list('york', 'PLUM')];
  await load([york]);
  const { release } = await load([leeds]);
  for (const paths of [[york], [leeds], [york, leeds]])
    assert.equal((await load(paths)).release.id, release.id);
  home.remove();
  home = openTestHome();
  await load([list('leeds', 'PEAR')]);
  const other = await load([list('york', 'PLUM')]);
  assert.deepEqual(other.release.manifest.parts, release.manifest.parts);
  assert.equal(other.release.findDataset('valuations')?.edition, 'lists of leeds, york');
});

test('a copy whose name does not tell the edition makes no release', async () => {
  const { release } = await load([fixturePath('ONSPD_NOV_2025_UK.csv')]);
  const report = await load([home.put('postcodes.csv', fixtureText('ONSPD_NOV_2025_UK.csv'))]);
  assert.deepEqual([report.outcome, report.release.id], ['nothing new', release.id]);
  assert.equal(home.store.openCurrent().findDataset('postcodes')?.edition, 'November 2025');
});

test('beside a new file, what is loaded already stays as it was loaded', async () => {
  const rates = sandbox('../facts/bank-rate.csv');
  await load([rates, sandbox('../facts/bank-rate.json')]);
  const before = home.store.openCurrent().findDataset('bank-rate');
  await load([rates, home.put('pp-2025.csv', bulkCsv([row(1)]))]);
  assert.deepEqual(home.store.openCurrent().findDataset('bank-rate'), before);
});

test('the same files again mend a part that was damaged on the disk', async () => {
  const { release } = await load([sandbox('ofsted.csv')]);
  const [part = assert.fail()] = release.findDataset('ofsted')?.parts ?? [];
  writeFileSync(path.join(release.dir, `${part}.part`), 'junk');
  const mended = await load([sandbox('ofsted.csv')]);
  assert.equal(mended.outcome, 'made');
  mended.release.verify();
});

test('schools are placed anew by new postcodes, though their own file is the same', async () => {
  const list = home.put('edubasealldata20260901.csv', schools(30, '01-09-2026', 'New'));
  await load([list]);
  await load([sandbox('postcodes.csv')]);
  const { report, read } = await ingest([list]);
  assert.ok(!(report instanceof Error));
  assert.ok(read.includes(path.basename(list)));
});

test('rejects are those of the run, not of what was loaded before', async () => {
  const unplaced = (number: number) => row(number, { postcode: '', town: 'NOWHERE' });
  await load([home.put('pp-2024.csv', bulkCsv([row(1), unplaced(2), unplaced(3)]))]);
  const rejects = () => home.store.openCurrent().findDataset('price-paid')?.rejects;
  assert.deepEqual(rejects(), { 'no postcode, and its town does not decide the area': 2 });
  await load([home.put('pp-2025.csv', bulkCsv([row(4), unplaced(5)]))]);
  assert.deepEqual(rejects(), { 'no postcode, and its town does not decide the area': 1 });
});

test('a part of a publication is never called complete', async () => {
  const files = [
    ...['bikepoint.json', 'gias.csv', 'ofsted.csv', 'naptan.csv', 'bus-timetables.zip', 'traffic.csv'],
    ...['postcodes.csv', 'map.osm.pbf', 'personal-incomes.ods', 'census2021-ts001-lsoa.csv'],
    ...['scotland-oa22-dz22-iz22.csv', 'scotland-uv103.csv', 'billing-authorities.csv', 'authorities.json'],
    ...['council-tax.csv', 'council-tax.json'],
  ];
  const { release } = await load(files.map(sandbox));
  const whole = release.datasets.filter(({ extent }) => extent === 'complete').map(({ name }) => name);
  assert.deepEqual(
    whole.filter((name) => name !== 'authorities' && name !== 'council-tax'),
    [],
  );
  assert.ok(release.datasets.length > 12);
});
