// `domesday check` and the months of the sold prices: a home whose files an earlier version applied as they came is told,
// and the complete file heals it; so is a month that is missing.

import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import type { Release } from '../../src/release/reader.ts';
import { sourcesNamed } from '../../src/sources/index.ts';
import { pricePaidOf } from '../../src/sources/price-paid/price-paid.ts';
import { changesKnown, saleChangesPart } from '../../src/tables/sales/changes.ts';
import { parseMonth } from '../../src/uk/calendar.ts';
import { writeManifest } from '../release/sealed-manifest.ts';
import { runDomesday } from '../rig.ts';
import {
  bulkCsv,
  type Fields,
  liveAfter,
  openSalesHome,
  row,
  type SalesHome,
} from '../sources/price-paid/files.ts';

let home: SalesHome;
beforeEach(() => {
  home = openSalesHome();
});
afterEach(() => home.remove());

/** The real loader, for which three rows since January 1995 are a complete file. */
const small = sourcesNamed('price-paid').map((source) => ({
  ...source,
  open: async () => pricePaidOf({ complete: 3, month: 20 }),
}));
const load = (name: string, rows: readonly Fields[]) =>
  home.ingest([home.put(name, bulkCsv(rows))], small, []);

const complete = [row(1, { date: '1995-01-05 00:00' }), row(2), row(3, { date: '2026-06-30 00:00' })];

/** Takes out what versions before this part did not write. */
function asAnEarlierVersionMadeIt({ dir }: Release): void {
  const manifest: { parts: Record<string, unknown>; datasets: { parts: string[] }[] } = JSON.parse(
    readFileSync(path.join(dir, 'manifest.json'), 'utf8'),
  );
  delete manifest.parts[saleChangesPart];
  for (const dataset of manifest.datasets) {
    dataset.parts = dataset.parts.filter((part) => part !== saleChangesPart);
  }
  writeManifest(dir, JSON.stringify(manifest));
  rmSync(path.join(dir, `${saleChangesPart}.part`));
}

type Finding = { level: string; subject: string; finding: string; advice: string };

/** What check warns of, about the sales, beyond their age. */
async function warnings(): Promise<readonly Finding[]> {
  const { out } = await runDomesday(['check', '--json', '--home', home.folder]);
  const { findings }: { findings: Finding[] } = JSON.parse(out);
  return findings.filter(
    ({ level, subject, finding }) =>
      level !== 'ok' && subject === 'price-paid' && /earlier version|changes of/.test(finding),
  );
}

test('a home that an earlier version gave several files is told until the complete file is loaded', async () => {
  await load('pp-complete.csv', complete);
  await load('2026-08.csv', [row(2, { status: 'C', price: '8' })]);
  asAnEarlierVersionMadeIt(home.store.openCurrent());
  const [first, ...others] = await warnings();
  assert.deepEqual([first?.level, others], ['warning', []]);
  assert.match(
    first?.finding ?? '',
    /^An earlier version .* applied its files in the order in which they arrived/,
  );
  assert.match(
    first?.advice ?? '',
    /^Load the complete file \(pp-complete\.csv\) with `npx domesday update price-paid-complete/,
  );
  await load('2026-09.csv', [row(4)]);
  assert.equal((await warnings()).length, 1, 'later files do not heal it');
  await load('newer.csv', [...complete, row(5, { date: '2026-09-28 00:00' })]);
  assert.deepEqual(home.live(), liveAfter([...complete, row(5, { date: '2026-09-28' })]));
  assert.deepEqual(await warnings(), []);
});

test('a home that an earlier version gave the complete file alone is sound, and its newest sale tells the month', async () => {
  await load('pp-complete.csv', complete);
  asAnEarlierVersionMadeIt(home.store.openCurrent());
  assert.deepEqual(await warnings(), []);
  const known = () => changesKnown(home.store.openCurrent());
  assert.equal(known()?.completeOf, parseMonth('2026-06'));
  await load('2026-08.csv', [row(2, { status: 'C', price: '8' })]);
  assert.deepEqual(known(), {
    history: 'known',
    completeOf: parseMonth('2026-06'),
    months: [parseMonth('2026-08')],
    missing: [parseMonth('2026-07')],
  });
  const [missing, ...others] = await warnings();
  assert.match(missing?.finding ?? '', /^The changes of 2026-07 are not loaded, but later ones are/);
  assert.match(missing?.advice ?? '', /^Load that file of changes, or the complete file/);
  assert.deepEqual(others, []);
  await load('2026-07.csv', [row(2, { status: 'C', price: '7' })]);
  assert.deepEqual(await warnings(), []);
});
