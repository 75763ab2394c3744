// Some datasets are loaded piece by piece: lists of councils, areas of stops, regions of the map. A piece that comes cut off
// is refused, however small it is beside the others.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { noProgress } from '../../src/ingest/progress.ts';
import { IngestRefused } from '../../src/ingest/refusal.ts';
import { runIngest } from '../../src/ingest/run.ts';
import { derivations } from '../../src/sources/derivations.ts';
import { sources } from '../../src/sources/index.ts';
import { node, nodesFile } from '../sources/transport/desk.ts';
import { openTestHome, type TestHome } from './home.ts';

let home: TestHome;
let made: number;
beforeEach(() => {
  home = openTestHome();
  made = 0;
});
afterEach(() => home.remove());

async function load(paths: readonly string[], onLoss: 'refuse' | 'accept' = 'refuse') {
  made += 1;
  const report = await runIngest({
    paths,
    sources,
    derivations,
    store: home.store,
    base: home.store.currentId() === undefined ? undefined : home.store.openCurrent(),
    id: `run-${made}`,
    kind: 'loaded',
    atMs: Date.UTC(2026, 10, 15, 12, made),
    onLoss,
    progress: noProgress,
  });
  if (report.outcome === 'made') home.store.point(report.release.id);
  return report;
}

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

const area = (code: string, stops: number) =>
  numbers(stops).map((at) =>
    node({
      ATCOCode: `${code}0${String(at).padStart(6, '0')}`,
      CommonName: 'A stop',
      StopType: 'BCT',
      Longitude: '-0.089',
      Latitude: '51.5134',
    }),
  );

const list = (homes: number) =>
  `ADDR,POSTCODE,BAND\n${numbers(homes)
    .map((at) => `"${at} PEAR TREE STREET",AB1 1AA,F\n`)
    .join('')}`;

/** What is loaded, a cut piece of it, and one from which some rows are gone as in any new edition. */
const cases = {
  'area 068': {
    whole: () => [home.put('stops.csv', nodesFile(...area('068', 50), ...area('490', 1_000)))],
    part: (rows: number) => home.put('halton.csv', nodesFile(...area('068', rows))),
    rows: 1_050,
  },
  'the list of leeds': {
    whole: () => [
      home.put('leeds-2026-09-01.csv', list(50)),
      home.put('york-2026-09-01.csv', list(1_000).replaceAll('PEAR', 'PLUM')),
    ],
    part: (rows: number) => home.put('leeds-2026-10-01.csv', list(rows)),
    rows: 1_050,
  },
} as const;

for (const [name, { whole, part, rows }] of Object.entries(cases)) {
  test(`${name}: cut off it is refused beside much else, and loaded with --replace`, async () => {
    await load(whole());
    const dataset = home.store.openCurrent().datasets[0]?.name ?? assert.fail();
    await assert.rejects(load([part(10)]), (error: unknown) => {
      assert.ok(error instanceof IngestRefused);
      assert.ok(error.message.includes(`these would be lost: 40 of 50 rows of ${name}.`), error.message);
      return true;
    });
    await load([part(45)]);
    assert.equal(home.store.openCurrent().findDataset(dataset)?.rows, rows - 5);
    const { sources: reports } = await load([part(10)], 'accept');
    assert.deepEqual(reports[0]?.lost, [`35 of 45 rows of ${name}`]);
  });
}
