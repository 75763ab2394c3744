// A release with a dataset that another version of the program laid out: only that dataset is unusable, everyone says
// why, and what cannot be read is never lost.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { IngestRefused } from '../../src/ingest/refusal.ts';
import { openSources } from '../../src/ingest/source.ts';
import { checksumOf, encodePart } from '../../src/release/part.ts';
import { openRelease, type Release } from '../../src/release/reader.ts';
import { openHome, type ReleaseStore } from '../../src/release/store.ts';
import { sources, sourcesNamed } from '../../src/sources/index.ts';
import { pricePaidOf } from '../../src/sources/price-paid/price-paid.ts';
import { layouts } from '../../src/tables/index.ts';
import { fixture } from '../ingest/home.ts';
import { writeManifest } from '../release/sealed-manifest.ts';
import { bundledHome, openRig, runDomesday, startDomesday } from '../rig.ts';
import { bulkCsv, liveAfter, openSalesHome, row, type SalesHome } from '../sources/price-paid/files.ts';

const layoutOf = (dataset: string) => layouts.get(dataset) ?? assert.fail(dataset);

type Entry = { name: string; layout: number; laidOutBy?: string };
type OnDisk = { datasets: Entry[]; parts: Record<string, { bytes: number; crc32: number }> };

/** Changes the manifest on disk and opens the release anew. */
function rewrite({ dir }: Release, change: (manifest: OnDisk) => void): Release {
  const file = path.join(dir, 'manifest.json');
  const manifest: OnDisk = JSON.parse(readFileSync(file, 'utf8'));
  change(manifest);
  writeManifest(dir, JSON.stringify(manifest));
  return openRelease(dir, layouts);
}

/** Puts sound parts with a column that nobody knows in their place. */
const withOtherColumns = (release: Release, names: readonly string[]): Release =>
  rewrite(release, ({ parts }) => {
    for (const name of names) {
      const part = encodePart({ wavelet: Uint32Array.of(1, 2, 3) });
      writeFileSync(path.join(release.dir, `${name}.part`), part);
      parts[name] = { bytes: part.length, crc32: checksumOf(part) };
    }
  });

const withLayout = (release: Release, dataset: string, layout: number): Release =>
  rewrite(release, ({ datasets }) => {
    const entry = datasets.find(({ name }) => name === dataset) ?? assert.fail(dataset);
    entry.layout = layout;
  });

const salesOf = ({ manifest }: Release) =>
  manifest.datasets.find(({ name }) => name === 'price-paid') ?? assert.fail('no sales');

/** As if sold prices had been laid out anew since: other columns, and the layout before this one. */
const madeEarlier = (release: Release): Release =>
  withLayout(withOtherColumns(release, salesOf(release).parts), 'price-paid', layoutOf('price-paid') - 1);
const madeLater = (release: Release): Release =>
  withLayout(release, 'price-paid', layoutOf('price-paid') + 1);

const soldPrices = '/api/v1/area/sold-prices?area=PO&months=36';

for (const [laidOutBy, made] of [
  ['earlier', madeEarlier],
  ['later', madeLater],
] as const) {
  test(`sales of ${laidOutBy === 'later' ? 'a later' : 'an earlier'} version are not served, everything else is`, async () => {
    const rig = await openRig({ live: made });
    const { key } = await rig.customer();
    const refused = await rig.get(soldPrices, key);
    const { code, dataset } = refused.json().error;
    assert.deepEqual([refused.statusCode, code, dataset], [503, 'SERVICE_UNAVAILABLE', 'price-paid']);
    assert.equal(refused.headers['x-credits-charged'], '0');
    assert.equal((await rig.get('/api/v1/bank-rates?limit=1', key)).statusCode, 200);
    const { datasets, notLoaded } = (await rig.get('/api/v1/datasets')).json().data;
    const names = datasets.map(({ name }: Entry) => name);
    assert.deepEqual([names.includes('price-paid'), names.includes('bank-rate')], [false, true]);
    const other = notLoaded.filter((entry: Entry) => entry.laidOutBy !== undefined);
    assert.deepEqual(
      other.map((entry: Entry) => [entry.name, entry.laidOutBy]),
      [['price-paid', laidOutBy]],
    );
    await rig.close();
  });
}

test('a part without a column that is needed is a damaged release, whenever it is opened, and is named', async () => {
  const asked = [
    ['sales-po', soldPrices],
    ['crimes-2023-01', '/api/v1/crime/by-postcode?postcode=EC2Y8DH'],
  ] as const;
  const parts = asked.map(([part]) => part);
  const rig = await openRig({ live: (release) => withOtherColumns(release, parts) });
  const { key } = await rig.customer();
  for (const [part, url] of asked) {
    const reply = await rig.get(url, key);
    assert.deepEqual([reply.statusCode, reply.json().error.code], [500, 'DATABASE_ERROR'], url);
    const fault = `ReleaseDamaged: Part ${part} of release`;
    assert.ok(
      rig.logLines.some((line) => line.includes(fault)),
      rig.logLines.join(''),
    );
  }
  await rig.close();
});

test('whoever raises a layout sees to it that the data can be loaded again', async () => {
  const raised = (await openSources(sources)).filter(({ dataset }) => layoutOf(dataset) > 1);
  const healed = new Set(
    raised.filter(({ wholeFiles }) => wholeFiles !== undefined).map(({ dataset }) => dataset),
  );
  assert.deepEqual(
    raised.filter(({ dataset }) => !healed.has(dataset)).map(({ name }) => name),
    [],
  );
});

/** A home with a release that an operator loaded, as `made` leaves it. */
async function loadedHome(made: (release: Release) => Release) {
  const { home, remove } = await bundledHome();
  const { code, err } = await runDomesday(['ingest', fixture('iadb-later.csv'), '--home', home]);
  assert.equal(code, 0, err);
  const store = openHome(home, layouts).releases;
  return { home, remove, store, before: made(store.openCurrent()) };
}

const october = (home: string): string => {
  const file = path.join(home, 'october.csv');
  writeFileSync(file, 'DATE,IUDBEDR\n01 Oct 2026,3.5\n');
  return file;
};

const changes = (home: string): string => {
  const file = path.join(home, 'changes.csv');
  writeFileSync(file, bulkCsv([row(1), row(2, { status: 'D' })]));
  return file;
};

const partsOf = (release: Release): readonly Buffer[] =>
  salesOf(release).parts.map((name) => readFileSync(path.join(release.dir, `${name}.part`)));

test('changes to sales of an earlier version are refused in one line, and other files are loaded beside them', async () => {
  const { home, remove, store, before } = await loadedHome(madeEarlier);
  const there = readdirSync(store.folder).sort();
  const refused = await runDomesday(['ingest', changes(home), '--home', home]);
  assert.equal(refused.code, 1);
  assert.ok(
    refused.err.endsWith(
      `The dataset price-paid of release ${before.id} has the layout of an earlier version of this program, so nothing can be added to it and nothing was loaded: give the complete file (pp-complete.csv) as well, in the same run.\n`,
    ),
    refused.err,
  );
  assert.doesNotMatch(refused.err, /^ +at /m);
  assert.deepEqual([store.currentId(), readdirSync(store.folder).sort()], [before.id, there]);

  const loaded = await runDomesday(['ingest', october(home), '--home', home]);
  assert.equal(loaded.code, 0, loaded.err);
  const next = store.openCurrent();
  assert.notEqual(next.id, before.id);
  assert.deepEqual(salesOf(next), salesOf(before));
  assert.equal(salesOf(next).layout, layoutOf('price-paid') - 1);
  assert.deepEqual(partsOf(next), partsOf(before));
  remove();
});

test('a service says at its start and at every switch, and check with advice, what another version laid out', async () => {
  const { home, remove, store, before } = await loadedHome(madeEarlier);
  const running = await startDomesday(home);
  const loaded = await runDomesday(['ingest', october(home), '--home', home]);
  assert.equal(loaded.code, 0, loaded.err);
  const next = store.openCurrent();
  running.child.kill('SIGHUP');
  while (!running.output().includes(`release ${next.id} is now served`)) {
    await once(running.child.stdout ?? assert.fail(), 'data');
  }
  assert.equal((await fetch(`${running.url}/health/ready`)).status, 200);
  await running.stop();
  const warnings = running
    .output()
    .split('\n')
    .filter((line) => line.includes('"level":"warn"'));
  assert.deepEqual(
    warnings.map((line) => JSON.parse(line).message),
    [before, next].map(
      ({ id }) =>
        `The dataset price-paid of release ${id} has the layout of an earlier version of this program and is not served; \`domesday check\` says what to do`,
    ),
  );

  const { code, out } = await runDomesday(['check', '--home', home, '--json']);
  assert.equal(code, 1);
  type Finding = { level: string; subject: string; finding: string; advice: string };
  const findings: readonly Finding[] = JSON.parse(out).findings;
  const problems = findings.filter(({ level }) => level === 'problem');
  assert.deepEqual(
    problems.map(({ subject, finding }) => [subject, finding]),
    [
      [
        'price-paid',
        'It has the layout of an earlier version of this program, which this version cannot read. Callers get 503 for: all of /area/sold-prices; all of /area/sold-prices/trend.',
      ],
    ],
  );
  assert.match(
    problems[0]?.advice ?? '',
    /^Load the complete file again with `npx domesday update price-paid --home \S+`, or with .*; files: http/,
  );
  assert.equal(findings.filter(({ subject }) => subject === 'price-paid').length, 1);
  remove();
});

test('a dataset that only a later version knows is kept by an ingest, and check tells of it', async () => {
  const { home, remove, store } = await loadedHome((release) =>
    rewrite(release, ({ datasets }) => {
      const entry = datasets.find(({ name }) => name === 'stops') ?? assert.fail();
      entry.name = 'solar-panels';
    }),
  );
  const loaded = await runDomesday(['ingest', october(home), '--home', home]);
  assert.equal(loaded.code, 0, loaded.err);
  assert.ok(store.openCurrent().manifest.datasets.some(({ name }) => name === 'solar-panels'));
  const { out } = await runDomesday(['check', '--home', home, '--json']);
  const { findings } = JSON.parse(out);
  const found = findings.find(({ subject }: { subject: string }) => subject === 'solar-panels');
  assert.equal(found?.level, 'warning');
  assert.match(
    found?.finding,
    /of a dataset that only a later version of this program knows\. The release keeps it/,
  );
  remove();
});

test('of a later version, changes are refused and check advises to use that version', async () => {
  const { home, remove, store, before } = await loadedHome(madeLater);
  const refused = await runDomesday(['ingest', changes(home), '--home', home]);
  assert.equal(refused.code, 1);
  assert.match(
    refused.err,
    /of a later version of this program, so nothing .*: use that version, or give the complete file \(pp-complete\.csv\) as well, in the same run\.\n$/,
  );
  assert.equal(store.currentId(), before.id);
  const { out } = await runDomesday(['check', '--home', home, '--json']);
  const { findings } = JSON.parse(out);
  const found = findings.find(({ subject }: { subject: string }) => subject === 'price-paid');
  assert.equal(found.level, 'problem');
  assert.match(
    found.finding,
    /^It has the layout of a later version of this program, which this version cannot read\. /,
  );
  assert.match(found.advice, /^Use that version, or load the complete file again /);
  remove();
});

let salesHome: SalesHome;
beforeEach(() => {
  salesHome = openSalesHome();
});
afterEach(() => salesHome.remove());

/** The real loader, for which three rows since January 1995 are a complete file. */
const smallRegister = sourcesNamed('price-paid').map((source) => ({
  ...source,
  open: async () => pricePaidOf({ complete: 3, month: 2 }),
}));

const namesIn = (store: ReleaseStore) => readdirSync(store.folder).sort();

test('the complete file takes the place of sales that cannot be read, alone or with changes, and nothing else does', async () => {
  const first = [row(1, { date: '1995-01-02 00:00' }), row(2, { postcode: 'M1 1AE', town: 'MANCHESTER' })];
  const complete = [...first, row(3)];
  const change = [row(3, { status: 'D', date: '2025-07-01 00:00' }), row(4, { date: '2025-07-02 00:00' })];
  const later = salesHome.put('later.csv', bulkCsv(change));
  const whole = salesHome.put('complete.csv', bulkCsv(complete));
  for (const made of [madeEarlier, madeLater]) {
    for (const [files, expected] of [
      [[whole], complete],
      [
        [later, whole],
        [...complete, ...change],
      ],
    ] as const) {
      await salesHome.ingest([whole], smallRegister);
      const before = made(salesHome.store.openCurrent());
      const there = namesIn(salesHome.store);
      const deletions = salesHome.put('deletions.csv', bulkCsv([row(3, { status: 'D' })]));
      const years = salesHome.put('1995.csv', bulkCsv(first));
      for (const few of [[later], [deletions], [years, later]]) {
        await assert.rejects(salesHome.ingest(few, smallRegister), (error) => {
          assert.ok(error instanceof IngestRefused, String(error));
          assert.match(error.message, /give the complete file \(pp-complete\.csv\) as well/);
          return true;
        });
      }
      assert.deepEqual([salesHome.store.currentId(), namesIn(salesHome.store)], [before.id, there]);
      await salesHome.ingest(files, smallRegister);
      const healed = salesHome.store.openCurrent();
      healed.verify();
      assert.deepEqual([healed.unreadable, salesOf(healed).layout], [[], layoutOf('price-paid')]);
      assert.equal(salesOf(healed).extent, 'complete');
      assert.deepEqual(salesHome.live(), liveAfter(expected));
      // From here on changes are added again.
      const next = row(9, { date: '2025-08-27 00:00' });
      await salesHome.ingest([salesHome.put('next.csv', bulkCsv([next]))], smallRegister);
      assert.deepEqual(salesHome.live(), liveAfter([...expected, next]));
    }
  }
});

test('a loader that knows of no complete files loads nothing over what it cannot read', async () => {
  const daily = [fixture('iadb-daily.csv')];
  await salesHome.ingest(daily, sources);
  const before = withLayout(salesHome.store.openCurrent(), 'bank-rate', layoutOf('bank-rate') + 1);
  await assert.rejects(salesHome.ingest(daily, sources), {
    name: 'IngestRefused',
    message: `The dataset bank-rate of release ${before.id} has the layout of a later version of this program, so nothing can be added to it and nothing was loaded: use that version, or load all its files into a new home folder (--home).`,
  });
  assert.equal(salesHome.store.currentId(), before.id);
});
