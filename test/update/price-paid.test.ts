// Five gigabytes are fetched once, and then a month of changes at a time; all of it again only where a month was missed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bulkCsv, row } from '../sources/price-paid/files.ts';
import { type Desk, openDesk } from './desk.ts';
import { changesAddress, completeAddress } from './editions.ts';

/** Published at the end of the month after the one that it ends with. */
const published = (month: number) => new Date(Date.UTC(2026, month, 28, 6)).toUTCString();
const dayOf = (month: number) => new Date(Date.UTC(2026, month, 20)).toISOString().slice(0, 10);
const sale = (month: number) => row(100 + month, { date: `${dayOf(month)} 00:00` });

/** As the publisher stands when the sales of a month have come out. */
function publish({ publishers, clock }: Desk, month: number): void {
  const upTo = [
    row(1, { date: '1995-01-05 00:00' }),
    ...Array.from({ length: month + 1 }, (_, at) => sale(at)),
  ];
  const [lastModified, tells] = [published(month + 1), 'day' as const];
  publishers.put(completeAddress, { content: bulkCsv(upTo), tells, lastModified, is: 'file' });
  publishers.put(changesAddress, { content: bulkCsv([sale(month)]), tells, lastModified, is: 'file' });
  clock.nowMs = Date.UTC(2026, month + 1, 29, 12);
}

async function updated(desk: Desk): Promise<readonly string[]> {
  const ended = await desk.update('--accept-licences', 'price-paid-addresses');
  assert.equal(ended.status, 0, ended.out + ended.err);
  return [...new Set([...ended.err.matchAll(/^Fetching (\S+) /gm)].map(([, name]) => name ?? ''))];
}

const rows = (desk: Desk) => desk.release().findDataset('price-paid')?.rows;

test('everything once, then changes month by month; nothing within a month; everything again where a month was missed', async (context) => {
  const desk = await openDesk(context, 'price-paid');
  publish(desk, 4);
  assert.deepEqual(await updated(desk), ['price-paid-complete']);
  assert.equal(rows(desk), 6);
  assert.deepEqual(await updated(desk), []);
  for (const month of [5, 6]) {
    publish(desk, month);
    desk.publishers.forget();
    assert.deepEqual(await updated(desk), ['price-paid-changes']);
    assert.ok(!desk.publishers.asked().some(({ address }) => address === completeAddress));
    assert.equal(rows(desk), month + 2);
    const { id } = desk.release();
    assert.deepEqual(await updated(desk), []);
    assert.equal(desk.release().id, id);
  }
  publish(desk, 8);
  assert.deepEqual(await updated(desk), ['price-paid-complete']);
  assert.equal(rows(desk), 10);
  assert.deepEqual(await updated(desk), []);
  publish(desk, 9);
  assert.deepEqual(await updated(desk), ['price-paid-changes']);
  assert.equal(rows(desk), 11);
  assert.equal(desk.release().findDataset('price-paid')?.extent, 'complete');
});
