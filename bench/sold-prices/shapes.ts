// Every shape of question, and what its answer costs against writing its own page of JSON. Ours alone; run.ts has the
// comparison with other engines.

import { SalePage, salePage } from '../../src/endpoints/sale-page.ts';
import type { Release } from '../../src/release/reader.ts';
import { openSales } from '../../src/tables/sales.ts';
import { select } from '../../src/tables/sales-selection.ts';
import { ask, fromDayOf, type Query, today } from './queries.ts';

/** All over the largest area; the words are common, less common and rare, whole and cut. */
export function shapesFor(largestRows: number): readonly Query[] {
  const all = { area: 'B', months: 360, offset: 0, limit: 100 };
  const prices = { minPrice: 150_000, maxPrice: 400_000 };
  const shapes: readonly Omit<Query, 'name' | 'area' | 'months' | 'limit' | 'offset'>[] = [
    {},
    { type: 'T' },
    { newBuild: 'true' },
    { category: 'B' },
    prices,
    { type: 'T', ...prices },
    { minPrice: 2_000_000 },
    { maxPrice: 20_000 },
    { outcode: 'B1' },
    { sector: 'B1 1' },
    { sort: 'price' },
    { sort: 'price', order: 'asc', ...prices },
    { order: 'asc' },
    { include: 'quartiles' },
    { include: 'trend' },
    ...['ROAD', 'OAD', 'STREET', 'CHURCH', 'PARK', 'HIGH STREET', 'GREEN WOOD', 'A', 'E', 'Z', 'TH'].flatMap(
      (street) => [
        { street },
        { street, type: 'T' },
        { street, ...prices },
        { street, type: 'T', ...prices },
      ],
    ),
    { street: 'ROAD', sort: 'price' },
    { street: 'ROAD', order: 'asc' },
    { street: 'ROAD', outcode: 'B1' },
    { street: 'ROAD', include: 'quartiles' },
    { street: 'ROAD', include: 'trend' },
  ];
  const named = shapes.map((shape) => ({ ...all, ...shape, name: nameOf(shape) }));
  const deep = named
    .filter(({ name }) => /^(all|street=ROAD|type=T|street=ROAD.*|minPrice=150000.*)$/.test(name))
    .filter(({ include, sort, outcode }) => (include ?? sort ?? outcode) === undefined)
    .map((query) => ({ ...query, name: `${query.name}, deep`, offset: Math.floor(largestRows / 8) }));
  const shorter = [24, 60, 120, 180, 240].map((months) => ({
    ...all,
    name: `street=ROAD, ${months} months`,
    street: 'ROAD',
    months,
  }));
  return [...named, ...deep, ...shorter];
}

const nameOf = (shape: Readonly<Record<string, unknown>>): string =>
  Object.entries(shape)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ') || 'all';

export function time(repeats: number, work: () => unknown): { readonly p50: number; readonly p99: number } {
  const times: number[] = [];
  for (let index = 0; index < repeats; index++) {
    const startMs = performance.now();
    work();
    times.push(performance.now() - startMs);
  }
  times.sort((a, b) => a - b);
  return { p50: times[repeats >> 1] ?? 0, p99: times[Math.floor(repeats * 0.99)] ?? 0 };
}

/** What it costs to write as many sales as the query's page has, and its trend, with nothing looked up. */
export function writingMs(release: Release, query: Query): number {
  const segment = openSales(release).find(query.area);
  if (segment === undefined) return Number.NaN;
  const { returned, trend } = JSON.parse(ask(release, query));
  const found = select(segment, {
    fromDay: fromDayOf(query),
    toDay: today,
    classes: 2 ** 20 - 1,
    minPrice: 0,
    maxPrice: 2 ** 32,
    postcodes: undefined,
    street: undefined,
  }).page(query.offset, returned, { by: 'date', direction: 'falling' });
  const page = new SalePage(segment, found);
  return time(200, () =>
    Buffer.from(salePage.write(page) + (trend === undefined ? '' : JSON.stringify(trend))),
  ).p50;
}

export function measureShapes(release: Release, largestRows: number, say: (line: string) => void): void {
  say(`${'shape (largest area, 360 months)'.padEnd(52)}   p50 ms   p99 ms  page ms   × page    sales`);
  for (const query of shapesFor(largestRows)) {
    time(20, () => Buffer.from(ask(release, query)));
    const own = time(100, () => Buffer.from(ask(release, query)));
    const writing = writingMs(release, query);
    const { totalResults } = JSON.parse(ask(release, query));
    const cells = [
      own.p50.toFixed(3),
      own.p99.toFixed(3),
      writing.toFixed(3),
      (own.p50 / writing).toFixed(1),
    ];
    say(
      `${query.name.padEnd(52)} ${[...cells, String(totalResults)].map((cell) => cell.padStart(8)).join(' ')}`,
    );
  }
}
