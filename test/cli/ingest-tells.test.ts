// What an operator is told of the data, by the report of an ingest, by `domesday check` and by GET /datasets: what is
// loaded and what is lacking, never more.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { whatItFills } from '../../src/contract/missing-datasets.ts';
import { datasetsReadBy } from '../../src/contract/needs.ts';
import { endpoints } from '../../src/endpoints/index.ts';
import { bundledHome, runDomesday, startDomesday } from '../rig.ts';
import { bulkCsv, row } from '../sources/price-paid/files.ts';

type Finding = { level: string; subject: string; finding: string; advice?: string; fields?: unknown };

const codePoint = path.join(import.meta.dirname, '../fixtures/postcodes/code-point-2025.csv');

async function openDesk(t: TestContext) {
  const { home, remove } = await bundledHome();
  t.after(remove);
  return {
    home,
    put: (name: string, content: string) => {
      const file = path.join(home, name);
      writeFileSync(file, content);
      return file;
    },
    run: (...words: readonly string[]) => runDomesday([...words, '--home', home]),
    findings: async (subject: string): Promise<readonly Finding[]> => {
      const { findings } = JSON.parse((await runDomesday(['check', '--home', home, '--json'])).out);
      return findings.filter((finding: Finding) => finding.subject === subject);
    },
  };
}

test('postcodes without statistical areas: report and doctor name every field that is null by it, and what brings it back', async (t) => {
  const desk = await openDesk(t);
  const lacks = /no statistical areas/;
  assert.ok((await desk.findings('postcodes')).every(({ finding }) => !lacks.test(finding)));
  const { out } = await desk.run('ingest', codePoint, '--edition', '2025-11', '--json');
  const [lost, ...more] = JSON.parse(out).lost;
  assert.deepEqual(more, []);
  assert.deepEqual([lost.name, lost.what], ['postcodes', 'statistical areas (LSOA)']);
  const fields = lost.fields.flatMap(({ endpoint, fields: own }: { endpoint: string; fields: string[] }) =>
    own.map((field) => `${endpoint} ${field}`),
  );
  assert.ok(fields.includes('/area/statistics demographics.population'));
  assert.ok(fields.includes('/area/statistics crime.score'));
  assert.ok(!fields.includes('/area/statistics demographics.medianIncome'));
  const advice = /^Load the ONS Postcode Directory \(ONSPD\) .*geoportal\.statistics\.gov\.uk$/;
  assert.match(lost.advice, advice);
  const found = (await desk.findings('postcodes')).find(({ finding }) => lacks.test(finding));
  assert.equal(found?.level, 'warning');
  assert.match(found?.finding ?? '', /Answers lack: crime of \/area\/statistics; population, /);
  assert.match(found?.advice ?? '', advice);
  assert.deepEqual(found?.fields, lost.fields);
});

test('the report of a load says in words what is null by it; a load that takes nothing says nothing', async (t) => {
  const desk = await openDesk(t);
  const isNull =
    /^Null after this load, because the loaded OS Code-Point Open has no statistical areas \(LSOA\): crime of \/area\/statistics; population, .* in demographics of \/area\/statistics; lsoa of \/postcodes\/lookup\. Load the ONS Postcode Directory/m;
  const first = await desk.run('ingest', codePoint, '--edition', '2025-11');
  assert.match(first.out, isNull);
  assert.match(
    first.out,
    /^Where the sample of postcodes was, answers now lack this unless these files have it: all of /m,
  );
  // The same again, and something else: nothing is lost any more.
  for (const args of [
    [codePoint, '--edition', '2025-11'],
    [desk.put('names.csv', 'LAD25CD,LAD25NM\nE09000001,City of London\n')],
  ]) {
    const { out } = await desk.run('ingest', ...args);
    assert.match(out, /is verified and current|^Nothing changed/m);
    assert.doesNotMatch(out, /Null after this load|Where the sample/);
  }
});

test('one table of a census in place of the sample: what the others gave is named, table by table', async (t) => {
  const desk = await openDesk(t);
  const table = path.join(import.meta.dirname, '../../data/sandbox/census2021-ts001-lsoa.csv');
  const { lost } = JSON.parse((await desk.run('ingest', table, '--json')).out);
  type Lost = { what: string; advice: string; fields: readonly { fields: readonly string[] }[] };
  assert.deepEqual(
    lost.map(({ what, fields }: Lost) => [what, fields.flatMap((own) => own.fields)]),
    [
      ['table TS006', ['demographics.populationDensity']],
      ['table TS007A', ['demographics.medianAge']],
      ['table TS041', ['demographics.households']],
      ['table TS017 (or TS001 with TS041)', ['demographics.averageHouseholdSize']],
    ],
  );
  assert.match(
    lost[0].advice,
    /^Load TS006 of Census 2021, .* with `domesday update census-england-wales`, or with `domesday ingest PATH…`; files: .*nomisweb/,
  );
});

test('the doctor compares the data with what all endpoints need, and names fields, endpoint and file for what is lacking', async (t) => {
  const desk = await openDesk(t);
  const { findings } = JSON.parse((await desk.run('check', '--json')).out);
  const loaded = JSON.parse((await desk.run('releases', '--json')).out).releases[0].datasets;
  for (const name of new Set(endpoints.flatMap(datasetsReadBy))) {
    const own = findings.filter(({ subject }: Finding) => subject === name);
    const extent = loaded.find((dataset: { name: string }) => dataset.name === name)?.extent;
    assert.ok(own.length > 0, name);
    if (extent !== undefined && extent !== 'sample') continue;
    const [{ level, finding, advice, fields }] = own;
    assert.notEqual(level, 'ok', name);
    assert.match(
      advice,
      /^Load .+ with (`npx domesday update [a-z-]+ --home \S+`, or with )?`npx domesday ingest PATH… --home \S+`; files: /,
      name,
    );
    const { fills, fields: filled } = whatItFills(endpoints, name);
    assert.deepEqual(fields, filled, name);
    for (const told of fills) assert.ok(finding.includes(told), `${name}: ${told}`);
  }
});

test('a part of the register of sales is no sample, and the doctor says what is loaded', async (t) => {
  const desk = await openDesk(t);
  const { out } = await desk.run('ingest', desk.put('pp-2025-part1.csv', bulkCsv([row(1)])));
  assert.match(out, /^Price Paid Data: 1 rows/);
  assert.doesNotMatch(out, /Still the bundled sample:.*Price Paid Data/);
  const [sales] = await desk.findings('price-paid');
  assert.match(
    sales?.finding ?? '',
    /^1 row as of 2025-06-27 \(partial\).*1 sales of postcode area PO, to 2025-06-27/,
  );
});

test('slow: the doctor says of every dataset what is loaded of it, and of none that it is complete', async (t) => {
  const desk = await openDesk(t);
  const { datasets } = JSON.parse((await desk.run('releases', '--json')).out).releases[0];
  assert.ok(datasets.length > 10);
  for (const { name } of datasets) {
    const [first] = await desk.findings(name);
    assert.match(
      first?.finding ?? '',
      /^[\d,]+ rows? as of [^.]*\. (England|Wales|Scotland|United Kingdom|Great Britain)[^:]*: /,
      name,
    );
    assert.doesNotMatch(first?.finding ?? '', /\(complete\)/, name);
  }
});

test('the report names the datasets whose bundled sample gave way, and prune says where the sample comes from', async (t) => {
  const desk = await openDesk(t);
  const sales = desk.put('pp-2025-part1.csv', bulkCsv([row(1)]));
  const gaveWay =
    /^The official files replaced the bundled sample of: Price Paid Data\. .*from these files alone\.$/m;
  assert.match((await desk.run('ingest', sales)).out, gaveWay);
  const names = desk.put('names.csv', 'LAD25CD,LAD25NM\nE09000001,City of London\n');
  for (const later of [sales, names]) {
    assert.doesNotMatch((await desk.run('ingest', later)).out, /gave way/, later);
  }
  const { out } = await desk.run('releases', 'prune');
  assert.match(out, /^Removed release sample-/m);
  assert.match(out, /^The bundled sample was among them\. To build it again, use a new home folder/m);
  assert.doesNotMatch((await desk.run('releases', 'prune')).out, /bundled sample/);
});

test('after a load the start, the report, the doctor and GET /datasets name the same samples, and none that was loaded', async (t) => {
  const desk = await openDesk(t);
  const { out } = await desk.run('ingest', desk.put('pp-2025-part1.csv', bulkCsv([row(1)])), '--json');
  const { stillSample } = JSON.parse(out);
  const running = await startDomesday(desk.home);
  try {
    const [, named = ''] = /^Data: release .*; still a sample: ([^;]*);/m.exec(running.output()) ?? [];
    const { data } = JSON.parse(await (await fetch(`${running.url}/api/v1/datasets`)).text());
    type Entry = { name: string; extent: string };
    const samples = data.datasets.flatMap(({ name, extent }: Entry) => (extent === 'sample' ? [name] : []));
    const findings = (await desk.findings('release')).map(({ finding }) => finding);
    const doctor = /sample: (.*) cover only a few places/.exec(findings.join('\n'))?.[1];
    assert.deepEqual(
      [named.split(', '), doctor?.split(', '), samples],
      [stillSample, stillSample, stillSample],
    );
    assert.ok(samples.length > 5 && !samples.includes('price-paid'));
  } finally {
    await running.stop();
  }
});

test('a report of many files names a few', async (t) => {
  const desk = await openDesk(t);
  const files = [1, 2, 3, 4, 5, 6, 7].map((number) =>
    desk.put(`pp-${number}.csv`, bulkCsv([row(number, { date: `2025-06-0${number} 00:00` })])),
  );
  const { out } = await desk.run('ingest', ...files);
  assert.match(out, /pp-5\.csv \(price paid\): of 2025-06, by the newest day in its rows\n {2}and 2 more\n/);
  assert.doesNotMatch(out, /pp-6\.csv \(/);
});

test('a refused ingest leaves no home folder behind, and keeps one that was there', async (t) => {
  const desk = await openDesk(t);
  const nonsense = desk.put('nonsense.csv', 'a,b\n1,2\n');
  const outer = path.join(desk.home, 'outer');
  const refused = await runDomesday(['ingest', nonsense, '--home', path.join(outer, 'inner')]);
  assert.deepEqual([refused.code, existsSync(outer)], [1, false]);
  assert.equal((await desk.run('ingest', nonsense)).code, 1);
  assert.ok(existsSync(path.join(desk.home, 'releases/current')));
});

test('a report names the first of many files that were passed over, and counts the others; with --json all are there', async (t) => {
  const desk = await openDesk(t);
  const folder = path.join(desk.home, 'archive');
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'rates.csv'), 'DATE,IUDBEDR\n21 Sep 2026,3.75\n22 Sep 2026,3.5\n');
  const names = Array.from({ length: 12 }, (_, at) => path.join(folder, `note-${at}.txt`));
  for (const name of names) writeFileSync(name, 'nothing to load\n');
  const { out } = await desk.run('ingest', folder);
  const [, told = ''] = /^Skipped.*:\n((?: {2}.*\n)+)/m.exec(out) ?? [];
  const lines = told.trimEnd().split('\n');
  assert.equal(lines.length, 6);
  assert.ok(lines.slice(0, 5).every((line) => names.includes(line.trim())));
  assert.equal(lines[5], '  and 7 more');
  writeFileSync(path.join(folder, 'rates.csv'), 'DATE,IUDBEDR\n21 Sep 2026,3.75\n23 Sep 2026,3.5\n');
  const { skipped } = JSON.parse((await desk.run('ingest', folder, '--json')).out);
  assert.deepEqual(skipped.toSorted(), names.toSorted());
});
