// The questions that every engine is asked, and the plain form in which answers are compared.

import { areaSoldPrices } from '../../src/endpoints/area-sold-prices.ts';
import { firstRows } from '../../src/ingest/read/csv.ts';
import type { Release } from '../../src/release/reader.ts';
import { monthsBefore } from '../../src/uk/calendar.ts';
import { lastDay } from './generate.ts';

export const today = lastDay;

export type Query = {
  readonly name: string;
  readonly area: string;
  readonly postcode?: string;
  readonly months: number;
  readonly street?: string;
  readonly type?: string;
  readonly minPrice?: number;
  readonly maxPrice?: number;
  readonly offset: number;
  readonly limit: number;
  /** Shapes that only ours are timed on. */
  readonly newBuild?: 'true';
  readonly category?: 'A' | 'B';
  readonly outcode?: string | undefined;
  readonly sector?: string | undefined;
  readonly sort?: 'date' | 'price';
  readonly order?: 'asc' | 'desc';
  readonly include?: string;
};

export const fromDayOf = ({ months }: Query): number => monthsBefore(today, months);

/** The largest area of the generator, one of middle size, and a postcode of the latter. */
export function queriesFor(postcode: string, largestRows: number): readonly Query[] {
  const page = { offset: 0, limit: 100 };
  return [
    { name: 'typical area, 24 months', area: 'GU', months: 24, ...page },
    { name: 'largest area, 360 months', area: 'B', months: 360, ...page },
    {
      name: 'street + type + price, largest area, 360 months',
      area: 'B',
      months: 360,
      street: 'CHURCH',
      type: 'T',
      minPrice: 100_000,
      maxPrice: 250_000,
      ...page,
    },
    {
      name: 'common word of streets, largest area, 360 months',
      area: 'B',
      months: 360,
      street: 'ROAD',
      ...page,
    },
    {
      name: 'price range, largest area, 360 months',
      area: 'B',
      months: 360,
      minPrice: 150_000,
      maxPrice: 400_000,
      ...page,
    },
    { name: 'one postcode, 360 months', area: 'GU', postcode, months: 360, ...page },
    {
      name: 'deep offset, largest area, 360 months',
      area: 'B',
      months: 360,
      offset: Math.floor(largestRows * 0.45),
      limit: 100,
    },
  ];
}

export type Answer = {
  readonly total: number;
  readonly median: number;
  readonly min: number;
  readonly max: number;
  /** "D count average", in order. */
  readonly types: readonly string[];
  /** "date price postcode street", in the order of the page. */
  readonly page: readonly string[];
};

const average = (sum: number, count: number) => Math.round((sum / count) * 100) / 100;
export const typeLine = (type: string, count: number, sum: number): string =>
  `${type} ${count} ${average(sum, count)}`;
export const pageLine = (date: string, price: number, postcode: string, street: string): string =>
  `${date} ${price} ${postcode} ${street}`;

export function paramsOf(query: Query): URLSearchParams {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (name !== 'name' && value !== undefined) params.set(name, String(value));
  }
  return params;
}

export function ask(release: Release, query: Query): string {
  const prepared = areaSoldPrices.prepare(paramsOf(query));
  if (prepared.kind === 'refused') throw new Error(prepared.message);
  const outcome = prepared.run({ release, today });
  if (outcome instanceof Promise || outcome.kind !== 'answered') throw new Error('no answer');
  return outcome.json;
}

export function answerOf(json: string): Answer {
  const { totalResults, summary, properties } = JSON.parse(json);
  type Totals = Record<string, { count: number; avgPrice: number }>;
  type Sale = { date: string; price: number; postcode: string; street: string };
  return {
    total: totalResults,
    median: summary.medianPrice,
    min: summary.priceRange.min,
    max: summary.priceRange.max,
    types: Object.entries(summary.byPropertyType as Totals)
      .map(([type, { count, avgPrice }]) => `${type} ${count} ${avgPrice}`)
      .sort(),
    page: (properties as Sale[]).map(({ date, price, postcode, street }) =>
      pageLine(date, price, postcode, street),
    ),
  };
}

/** Rows of a CSV file as arrays of text. */
export const rowsOf = (bytes: Uint8Array): readonly string[][] =>
  firstRows(bytes, Number.POSITIVE_INFINITY, 'utf-8');
