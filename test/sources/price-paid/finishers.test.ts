// Threads give what the same thread would, byte for byte, and what goes wrong in one reaches whoever waits.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { ReleaseDamaged } from '../../../src/release/reader.ts';
import type { AreaInputs, AreaJob } from '../../../src/sources/price-paid/finish.ts';
import { type AreaFinisher, openFinishers } from '../../../src/sources/price-paid/finishers.ts';
import { IdTable } from '../../../src/sources/price-paid/ids.ts';
import { AreaSpill } from '../../../src/sources/price-paid/spill.ts';
import { bulkCsv, openSalesHome, row, type SalesHome } from './files.ts';

const manySales = 1_000_000;
const idWords = (number: number) => Uint32Array.of(number, 1, 2, 3);

let home: SalesHome;
let inputs: AreaInputs;
beforeEach(async () => {
  home = openSalesHome();
  const files = [row(1), row(2), row(3, { postcode: 'SO14 2AA', town: 'SOUTHAMPTON' })];
  await home.ingest([home.put('1.csv', bulkCsv(files))]);
  const whereabouts = IdTable.empty();
  for (let number = 0; number < 5000; number++) whereabouts.put(idWords(number), 0, 77);
  inputs = { release: home.store.openCurrent(), whereabouts };
});
afterEach(() => home.remove());

/** So many sales more in an area: more than 4,096 go through a file, which is read once. */
function jobOf(area: string, sales: number): AreaJob {
  const spill = new AreaSpill(area, () => home.folder);
  for (let number = 0; number < sales; number++) {
    spill.addTexts({
      day: 20_000 + (number % 7),
      pricePounds: 1000 + ((number * 37) % 500),
      flags: number % 20,
      postcode: 100_000 + (number % 3),
      paon: `${number % 40}`,
      saon: '',
      street: 'LOW ROAD',
      names: ['', 'RYDE', 'ISLE OF WIGHT', 'ISLE OF WIGHT'],
      idWords: idWords(number),
    });
  }
  return { area, number: 77, spilled: spill.close() };
}

async function using<T>(
  finishers: readonly AreaFinisher[],
  work: (first: AreaFinisher) => Promise<T>,
): Promise<T> {
  try {
    const [first] = finishers;
    assert.ok(first !== undefined);
    return await work(first);
  } finally {
    await Promise.all(finishers.map((finisher) => finisher.close()));
  }
}

test('several areas one after another come out of a thread as they do without one', async () => {
  const sizes = [
    ['PO', 5000],
    ['SO', 1],
    ['E', 300],
  ] as const;
  const finishAll = (finisher: AreaFinisher) =>
    sizes.reduce(
      async (before, [area, sales]) => [...(await before), await finisher.finish(jobOf(area, sales))],
      Promise.resolve<Awaited<ReturnType<AreaFinisher['finish']>>[]>([]),
    );
  const inThread = await using(openFinishers(inputs, 1, manySales), finishAll);
  const here = await using(openFinishers(inputs, 1, 10), finishAll);
  const plain = (finished: typeof here) =>
    finished.map((area) => {
      assert.ok(area.kind === 'changed');
      return { ...area, parts: Object.values(area.parts).map((part) => Buffer.from(part)) };
    });
  assert.deepEqual(plain(inThread), plain(here));
  assert.deepEqual(
    here.map((area) => area.kind === 'changed' && area.rows),
    [5002, 2, 300],
  );
});

test('a damaged part of the release before is told as such, by its name', async () => {
  const file = path.join(inputs.release?.dir ?? '', 'sales-po.part');
  const bytes = readFileSync(file);
  bytes[bytes.length - 9] = (bytes[bytes.length - 9] ?? 0) ^ 1;
  writeFileSync(file, bytes);
  for (const sales of [10, manySales]) {
    await using(openFinishers(inputs, 1, sales), (finisher) =>
      assert.rejects(
        finisher.finish(jobOf('PO', 1)),
        (error) => error instanceof ReleaseDamaged && error.part === 'sales-po',
      ),
    );
  }
});

test('an area whose records cannot be read rejects', async () => {
  const words = { paons: [], saons: [], streets: [], names: [], places: new Uint32Array(0) };
  const lost = { file: path.join(home.folder, 'no.records'), rest: new Uint32Array(0), words };
  for (const sales of [10, manySales]) {
    await using(openFinishers(inputs, 1, sales), (finisher) =>
      assert.rejects(finisher.finish({ area: 'PO', number: 77, spilled: lost }), /ENOENT/),
    );
  }
});
