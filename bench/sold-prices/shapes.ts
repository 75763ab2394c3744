// Every shape of question, and what its answer costs against writing its own page of JSON. Ours alone; run.ts has the
// comparison with other engines.

import { isDeepStrictEqual } from 'node:util';
import { SalePage, salePage } from '../../src/endpoints/sold-prices/page.ts';
import type { Release } from '../../src/release/reader.ts';
import { propertyTypes } from '../../src/tables/sales/kinds.ts';
import { openSales } from '../../src/tables/sales/sales.ts';
import { type SaleFilter, select } from '../../src/tables/sales/select/select.ts';
import type { SaleOrder } from '../../src/tables/sales/select/selection.ts';
import { packPostcodeText, parseOutcode, parseSector } from '../../src/uk/postcode.ts';
import { ask, fromDayOf, type Query, today } from './queries.ts';

type Shape = Omit<Query, 'name' | 'area' | 'months' | 'limit' | 'offset'>;

const prices = { minPrice: 150_000, maxPrice: 400_000 };

/** What can be asked of any choice of sales. */
const manners: readonly Shape[] = [
  {},
  { type: 'T' },
  { newBuild: 'true' },
  { category: 'A' },
  { category: 'B' },
  prices,
  { type: 'T', ...prices },
  { category: 'A', ...prices },
  { sort: 'price' },
  { sort: 'price', order: 'asc', ...prices },
  { order: 'asc' },
  { include: 'quartiles' },
  { include: 'quartiles', ...prices },
  { include: 'trend' },
  { include: 'trend', type: 'T' },
  { include: 'trend', ...prices },
];

/** Common, less common and rare texts, whole words and cut ones. */
const streets = ['OAD', 'STREET', 'PARK', 'HIGH STREET', 'GREEN WOOD', 'A', 'Z', 'TH'];

/** All over the largest area. Choices of sales that are found in different ways come in every manner, other streets in
 *  a few. `totalOf` tells how many sales a question finds, so that a far page is half-way through them. */
export function shapesFor(totalOf: (query: Query) => number): readonly Query[] {
  const all = { area: 'B', months: 360, offset: 0, limit: 100 };
  const choices: readonly Shape[] = [
    {},
    { outcode: 'B1' },
    { sector: 'B1 1' },
    { street: 'ROAD' },
    { street: 'CHURCH' },
    { street: 'E' },
    { street: 'ROAD', outcode: 'B1' },
  ];
  const shapes: readonly Shape[] = [
    ...choices.flatMap((choice) => manners.map((manner) => ({ ...choice, ...manner }))),
    { minPrice: 2_000_000 },
    { maxPrice: 20_000 },
    ...streets.flatMap((street) => [{ street }, { street, type: 'T' }, { street, ...prices }]),
  ];
  const named = shapes.map((shape) => ({ ...all, ...shape, name: nameOf(shape) }));
  const far = named
    .filter(({ include }) => include === undefined)
    .map((query) => ({ query, offset: totalOf(query) >> 1 }))
    .filter(({ offset }) => offset > 1000)
    .map(({ query, offset }) => ({ ...query, name: `${query.name}, far`, offset }));
  const shorter = [24, 60, 120, 180, 240].flatMap((months) =>
    [{ street: 'ROAD' }, { street: 'CHURCH' }, prices].map((shape) => ({
      ...all,
      ...shape,
      name: `${nameOf(shape)}, ${months} months`,
      months,
    })),
  );
  return [...named, ...far, ...shorter];
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

/** What it costs to write the query's own page, and its trend, once it is known which sales are on it. */
export function writingMs(release: Release, query: Query): number {
  const segment = openSales(release).find(query.area);
  if (segment === undefined) return Number.NaN;
  const order: SaleOrder = {
    by: query.sort ?? 'date',
    direction: query.order === 'asc' ? 'rising' : 'falling',
  };
  const found = select(segment, filterOf(query)).page(query.offset, query.limit, order);
  const page = new SalePage(segment, found);
  const { properties, trend } = JSON.parse(ask(release, query));
  if (!isDeepStrictEqual(JSON.parse(salePage.write(page)), properties)) {
    throw new Error(`the page of ${query.name} is another`);
  }
  return time(200, () =>
    Buffer.from(salePage.write(page) + (trend === undefined ? '' : JSON.stringify(trend))),
  ).p50;
}

function filterOf(query: Query): SaleFilter {
  return {
    fromDay: fromDayOf(query),
    toDay: today,
    kinds: {
      type: propertyTypes.find((type) => type === query.type),
      age: query.newBuild === undefined ? undefined : 'new',
      category: query.category,
    },
    minPrice: query.minPrice ?? 0,
    maxPrice: query.maxPrice ?? 2 ** 32 - 1,
    postcodes: packedOf(query),
    street: query.street,
  };
}

function packedOf({ postcode, sector, outcode }: Query): SaleFilter['postcodes'] {
  if (postcode !== undefined) {
    const packed = packPostcodeText(postcode);
    return packed === undefined ? undefined : { from: packed, to: packed + 1 };
  }
  if (sector !== undefined) return parseSector(sector)?.packed;
  return outcode === undefined ? undefined : parseOutcode(outcode)?.packed;
}

/** With fewer sales than this on the page there is hardly a page to compare with. */
const leastPage = 10;

export function measureShapes(release: Release, say: (line: string) => void): void {
  say(`${'shape (largest area, 360 months)'.padEnd(58)}   p50 ms   p99 ms  page ms   × page    sales`);
  const totalOf = (query: Query): number => JSON.parse(ask(release, query)).totalResults;
  const shapes = shapesFor(totalOf);
  // All of them first: a service has met every shape, and the code that V8 makes depends on what it has met.
  for (const query of shapes) time(20, () => Buffer.from(ask(release, query)));
  for (const query of shapes) {
    time(20, () => Buffer.from(ask(release, query)));
    const own = time(100, () => Buffer.from(ask(release, query)));
    const writing = writingMs(release, query);
    const { totalResults, returned } = JSON.parse(ask(release, query));
    const cells = [
      own.p50.toFixed(3),
      own.p99.toFixed(3),
      writing.toFixed(3),
      returned < leastPage ? '-' : (own.p50 / writing).toFixed(1),
    ];
    say(
      `${query.name.padEnd(58)} ${[...cells, String(totalResults)].map((cell) => cell.padStart(8)).join(' ')}`,
    );
  }
}
