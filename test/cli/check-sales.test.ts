// `domesday check` and the months of the sold prices: a month that is missing is told.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { sourcesNamed } from '../../src/sources/index.ts';
import { pricePaidOf } from '../../src/sources/price-paid/price-paid.ts';
import { runDomesday } from '../rig.ts';
import { bulkCsv, type Fields, openSalesHome, row, type SalesHome } from '../sources/price-paid/files.ts';

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

type Finding = { level: string; subject: string; finding: string; advice: string };

/** What check warns of, about the sales, beyond their age. */
async function warnings(): Promise<readonly Finding[]> {
  const { out } = await runDomesday(['check', '--json', '--home', home.folder]);
  const { findings }: { findings: Finding[] } = JSON.parse(out);
  return findings.filter(
    ({ level, subject, finding }) => level !== 'ok' && subject === 'price-paid' && /changes of/.test(finding),
  );
}

test('a month of changes that is missing is told until it is loaded', async () => {
  await load('pp-complete.csv', complete);
  assert.deepEqual(await warnings(), []);
  await load('2026-08.csv', [row(2, { status: 'C', price: '8' })]);
  const [missing, ...others] = await warnings();
  assert.match(missing?.finding ?? '', /^The changes of 2026-07 are not loaded, but later ones are/);
  assert.match(
    missing?.advice ?? '',
    /^Load that file of changes, or the complete file \(pp-complete\.csv\) with `npx domesday update price-paid-complete/,
  );
  assert.deepEqual(others, []);
  await load('2026-07.csv', [row(2, { status: 'C', price: '7' })]);
  assert.deepEqual(await warnings(), []);
});
