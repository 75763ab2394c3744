// What /area/sold-prices/trend costs at its dearest: 360 months of an area as large as the largest of England and Wales,
// against sorting the prices of each month, after checking that both answer alike. Parameters to finished JSON, without HTTP
// and ledger. node sold-prices/trend.ts [sales of the area = 1100000] [folder]; what is in the folder is used again.

import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { noServices } from '../../src/contract/live.ts';
import { areaSoldPricesTrend } from '../../src/endpoints/area-sold-prices-trend.ts';
import { noProgress } from '../../src/ingest/progress.ts';
import { runIngest } from '../../src/ingest/run.ts';
import { outOfRange } from '../../src/out-of-range.ts';
import { ReleaseStore } from '../../src/release/store.ts';
import { sourcesNamed } from '../../src/sources/index.ts';
import { layouts } from '../../src/tables/index.ts';
import { openSales } from '../../src/tables/sales/sales.ts';
import { formatDay, monthsBefore } from '../../src/uk/calendar.ts';
import { allLines, createWorld, writeLines } from './generate.ts';
import { today } from './queries.ts';
import { time } from './shapes.ts';

const rows = Number(process.argv[2] ?? 1_100_000);
const kept = process.argv[3];
const folder = kept ?? mkdtempSync(path.join(tmpdir(), 'domesday-trend-'));
mkdirSync(folder, { recursive: true });
const store = new ReleaseStore(path.join(folder, 'releases'), layouts);
if (!store.has('made')) {
  const csv = path.join(folder, 'pp.csv');
  if (!existsSync(csv)) writeLines(csv, allLines(createWorld(rows, 1, ['B']), rows));
  await runIngest({
    paths: [csv],
    sources: sourcesNamed('price-paid'),
    derivations: [],
    store,
    base: undefined,
    id: 'made',
    kind: 'loaded',
    atMs: Date.now(),
    progress: noProgress,
  });
}
const release = store.open('made');
const segment = openSales(release).find('B') ?? outOfRange();

type Month = {
  month: string;
  count: number;
  lowerQuartile: number;
  medianPrice: number;
  upperQuartile: number;
};
type Wish = Readonly<Record<string, string>>;

function ask(wish: Wish): string {
  const prepared = areaSoldPricesTrend.prepare(new URLSearchParams({ area: 'B', months: '360', ...wish }));
  if (prepared.kind === 'refused') throw new Error(prepared.message);
  const outcome = prepared.run({ release, today, live: noServices });
  if (outcome instanceof Promise || outcome.kind !== 'answered') throw new Error('no answer');
  return outcome.json;
}

/** The months that have sales, by looking at each sale and sorting. */
function sortMonths({
  type,
  minPrice = '0',
  maxPrice = '9e9',
  street = '',
  outcode = '',
}: Wish): readonly Month[] {
  const byMonth = new Map<string, number[]>();
  const from = monthsBefore(today, 360);
  for (let row = 0; row < segment.length; row += 1) {
    const day = segment.days[row] ?? 0;
    const price = segment.price(row);
    if (day < from || day > today || price < Number(minPrice) || price > Number(maxPrice)) continue;
    if (type !== undefined && segment.propertyType(row) !== type) continue;
    if (street !== '' && !segment.place(row).street.toUpperCase().includes(street)) continue;
    if (outcode !== '' && !segment.postcode(row).startsWith(`${outcode} `)) continue;
    const month = formatDay(day).slice(0, 7);
    const own = byMonth.get(month);
    if (own === undefined) byMonth.set(month, [price]);
    else own.push(price);
  }
  return [...byMonth].map(([month, unsorted]) => {
    const prices = unsorted.sort((a, b) => a - b);
    const at = (quarters: number) => {
      const place = (prices.length - 1) * quarters;
      const [low = 0, high = 0] = [prices[Math.floor(place / 4)], prices[Math.ceil(place / 4)]];
      return low + ((high - low) * (place % 4)) / 4;
    };
    return { month, count: prices.length, lowerQuartile: at(1), medianPrice: at(2), upperQuartile: at(3) };
  });
}

const wishes: readonly Wish[] = [
  {},
  { type: 'T' },
  { minPrice: '150000', maxPrice: '400000' },
  { street: 'ROAD' },
  { street: 'CHURCH' },
  { street: 'E' },
  { outcode: 'B1' },
  { street: 'E', type: 'T', minPrice: '150000', maxPrice: '400000' },
];
for (const wish of wishes) time(100, () => Buffer.from(ask(wish)));
console.log(`node ${process.version}, ${segment.length} sales, load average ${loadavg()[0]?.toFixed(1)}`);
for (const wish of wishes) {
  const { months, totalResults }: { months: Month[]; totalResults: number } = JSON.parse(ask(wish));
  const plain = sortMonths(wish).toSorted((a, b) => (a.month < b.month ? -1 : 1));
  if (
    !isDeepStrictEqual(
      months.filter(({ count }) => count > 0),
      plain,
    )
  )
    throw new Error('another answer');
  const own = time(300, () => Buffer.from(ask(wish)));
  const naive = time(3, () => JSON.stringify(sortMonths(wish)));
  const name =
    Object.entries(wish)
      .map(([key, value]) => `${key}=${value}`)
      .join(' ') || 'all';
  console.log(
    `${name.padEnd(50)} ${String(totalResults).padStart(9)} sales  p50 ${own.p50.toFixed(3)} ms  p99 ${own.p99.toFixed(3)} ms  sorting ${naive.p50.toFixed(0)} ms  ÷ ${(naive.p50 / own.p50).toFixed(0)}`,
  );
}
if (kept === undefined) rmSync(folder, { recursive: true, force: true });
