// What is worked out of the answers: how prices changed within a year, and words for what the register writes in letters.

import type { Answers } from '../../api/answers.ts';
import type { ApiAnswer } from '../../api/call.ts';
import { dayText } from '../../formats.ts';
import { type Silence, silenceOf } from '../silence.ts';

export type Trend = Answers['/area/sold-prices/trend'];
export type Sales = Answers['/area/sold-prices'];
export type Sale = Sales['properties'][number];

export const typeNames = {
  D: 'Detached',
  S: 'Semi-detached',
  T: 'Terraced',
  F: 'Flat',
  O: 'Other',
} as const satisfies Record<Sale['propertyType'], string>;

export const types = ['D', 'S', 'T', 'F', 'O'] as const;

/** What it means that no sale is listed; undefined where some are. */
export const silenceOfSales = ({
  told: { totalResults },
  coverage,
}: Pick<ApiAnswer<'/area/sold-prices'>, 'coverage'> & {
  readonly told: Pick<Sales, 'totalResults'>;
}): Silence | undefined => (totalResults > 0 ? undefined : silenceOf(coverage));

/** "19 Nov 2024 to 22 May 2026": as far as the register speaks of the days that were asked for. */
export function spanWords({
  told: { from, to },
  asOf,
}: Pick<ApiAnswer<'/area/sold-prices/trend'>, 'asOf'> & {
  readonly told: Pick<Trend, 'from' | 'to'>;
}): string {
  const isKnownToItsEnd = asOf === null || asOf < from || asOf > to;
  return `${dayText(from)} to ${dayText(isKnownToItsEnd ? to : asOf)}`;
}

type Priced = Pick<Sale, 'date' | 'price'>;

/** Every sale that a trend counts; undefined where the list has only a part of them. */
export const allSalesOf = (
  trend: Trend | undefined,
  sales: Sales | undefined,
): readonly Priced[] | undefined =>
  sales !== undefined && sales.returned === trend?.totalResults ? sales.properties : undefined;

type Typical = { readonly pounds: number; readonly sales: number };

export type Change =
  | { readonly kind: 'known'; readonly share: number; readonly now: Typical; readonly before: Typical }
  /** `compared`: sales now and a year before, where there are too few. */
  | { readonly kind: 'unknown'; readonly why: string; readonly compared?: readonly [number, number] };

export const comparedMonths = 6;
/** In each half year. With fewer, which homes happened to be sold moves their median by more than prices change in most years:
 *  prices of a district differ by about half, so that the median of 20 sales is off by an eighth, and that of 7 by a fifth. */
const fewestSales = 20;

/** The latest six months that the register speaks of against the same six a year before: by the median of their sales, or, where
 *  `sales` is undefined, by the mean of the months' medians, each as often as it has sales. */
export function changeOf(
  { from, months }: Pick<Trend, 'from' | 'months'>,
  sales: readonly Priced[] | undefined,
): Change {
  const end = months.findLastIndex(({ count }) => count !== null) + 1;
  if (end === 0) return { kind: 'unknown', why: 'no month is known' };
  // Of the first month only the days from `from` on are counted.
  const whole = from.endsWith('-01') ? end : end - 1;
  if (whole < 12 + comparedMonths)
    return { kind: 'unknown', why: `it takes ${12 + comparedMonths} whole months that are known` };
  const typical = (of: Trend['months']): Typical => ({
    pounds: sales === undefined ? meanOfMedians(of) : medianIn(of, sales),
    sales: of.reduce((sum, { count }) => sum + (count ?? 0), 0),
  });
  const now = typical(months.slice(end - comparedMonths, end));
  const before = typical(months.slice(end - comparedMonths - 12, end - 12));
  if (now.sales < fewestSales || before.sales < fewestSales)
    return {
      kind: 'unknown',
      why: `too few sales to tell: ${now.sales} in the last ${comparedMonths} known months against ${before.sales} a year before, and it takes ${fewestSales} in each`,
      compared: [now.sales, before.sales],
    };
  return { kind: 'known', share: now.pounds / before.pounds - 1, now, before };
}

function medianIn(months: Trend['months'], sales: readonly Priced[]): number {
  const names = new Set(months.map(({ month }) => month));
  return medianOf(sales.filter(({ date }) => names.has(date.slice(0, 7))));
}

function medianOf(sales: readonly Priced[]): number {
  const prices = sales.map(({ price }) => price).sort((a, b) => a - b);
  const middle = (prices.length - 1) / 2;
  return ((prices[Math.floor(middle)] ?? Number.NaN) + (prices[Math.ceil(middle)] ?? Number.NaN)) / 2;
}

type YearPrice = {
  readonly year: number;
  readonly count: number;
  /** Null in a year without sales. */
  readonly medianPrice: number | null;
};

/** Every year from the first of these sales to the last, with the median of its own. */
export function yearPricesOf(sales: readonly Priced[]): readonly YearPrice[] {
  const years = Map.groupBy(sales, ({ date }) => Number(date.slice(0, 4)));
  const first = Math.min(...years.keys());
  return Array.from({ length: sales.length === 0 ? 0 : Math.max(...years.keys()) - first + 1 }, (_, at) => {
    const own = years.get(first + at) ?? [];
    return {
      year: first + at,
      count: own.length,
      medianPrice: own.length === 0 ? null : medianOf(own),
    };
  });
}

function meanOfMedians(months: Trend['months']): number {
  let sales = 0;
  let sum = 0;
  for (const { count, medianPrice } of months) {
    if (count === null || medianPrice === null) continue;
    sales += count;
    sum += count * medianPrice;
  }
  return sum / sales;
}

/** Why a month has no price. `coverage` is that of the answer: a sample lacks sales of any month. */
export function whyNoPrice(
  { count }: Pick<Trend['months'][number], 'count'>,
  coverage: string | null,
): string {
  if (count === null) return 'not loaded or not registered yet';
  return silenceOf(coverage).kind === 'none' ? 'no sales' : 'no sale is loaded';
}

/** Of the gaps in a line. */
export const gapMeaning = (span: 'month' | 'year', coverage: string | null): string =>
  silenceOf(coverage).kind === 'none'
    ? `A gap is a ${span} without sales.`
    : `A gap is a ${span} of which no sale is loaded.`;

/** "12 HIGH STREET, RYDE, PO33 2RX" → "12 High Street, Ryde, PO33 2RX". */
export function addressText({ address, postcode }: Pick<Sale, 'address' | 'postcode'>): string {
  const isLast = postcode !== '' && address.endsWith(postcode);
  const before = isLast ? address.slice(0, -postcode.length) : address;
  const words = before
    .toLowerCase()
    .replaceAll(/(?<![\p{L}\p{N}'’])\p{L}/gu, (letter) => letter.toUpperCase());
  // "12a" is written large.
  return words.replaceAll(/\d+\p{L}\b/gu, (number) => number.toUpperCase()) + (isLast ? postcode : '');
}
