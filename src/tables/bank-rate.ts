// Changes of the Bank of England's rate since 1975, oldest first in the columns. Rates are exact: the eighths
// and sixteenths of earlier years are not rounded.

import { firstIndex } from '../columns/sorted.ts';
import { defined } from '../out-of-range.ts';
import { f64, i32, into, rising, strings, u8 } from '../release/column.ts';
import type { Columns } from '../release/part.ts';
import { oncePerRelease, type Release } from '../release/reader.ts';
import { table } from '../release/table.ts';

export const bankRatePart = 'bank-rate';

export const bankRateTable = table({
  part: bankRatePart,
  origin: { dataset: 'bank-rate', layout: 1 },
  about: "Changes of the Bank of England's rate.",
  order: 'oldest first',
  columns: {
    day: i32('change', 'first day of the rate, in days since 1970-01-01', rising),
    rate: f64('change', 'percent a year, exact'),
    series: u8('change', 'what the rate was called at the time', into('series name')),
    'series-names': strings('series name', 'each name once'),
  },
});

/** From `day` on, until the next change. */
export type RateChange = {
  readonly day: number;
  /** Percent a year. */
  readonly rate: number;
  /** What the rate was called at the time. */
  readonly series: string;
};

/** `changes` in any order, no two of one day. */
export function encodeBankRate(changes: readonly RateChange[]): Columns {
  const ordered = [...changes].sort((a, b) => a.day - b.day);
  const names = [...new Set(ordered.map((change) => change.series))];
  return bankRateTable.encode({
    day: Int32Array.from(ordered, (change) => change.day),
    rate: Float64Array.from(ordered, (change) => change.rate),
    series: Uint8Array.from(ordered, (change) => names.indexOf(change.series)),
    'series-names': names,
  });
}

export class BankRate {
  readonly #changes: readonly RateChange[];

  /** `changes` oldest first. */
  constructor(changes: readonly RateChange[]) {
    this.#changes = changes;
  }

  get length(): number {
    return this.#changes.length;
  }

  /** Day of the first change kept; +Infinity in an empty table. */
  get firstDay(): number {
    return this.#changes[0]?.day ?? Number.POSITIVE_INFINITY;
  }

  /** Day of the newest change kept; -Infinity in an empty table. */
  get lastDay(): number {
    return this.#changes.at(-1)?.day ?? Number.NEGATIVE_INFINITY;
  }

  /** The change that set the rate of that day; undefined before the first. */
  rateInForceOn(day: number): RateChange | undefined {
    const after = this.#firstAfter(day);
    return after === 0 ? undefined : this.#changes[after - 1];
  }

  /** Changes from the one day to the other, both included, newest first, at most `limit`. */
  changesIn(from: number, to: number, limit: number = Number.POSITIVE_INFINITY): readonly RateChange[] {
    const end = this.#firstAfter(to);
    const start = Math.max(this.#firstAfter(from - 1), end - limit);
    return start < end ? this.#changes.slice(start, end).reverse() : [];
  }

  /** Index of the first change after that day. */
  #firstAfter(day: number): number {
    const changes = this.#changes;
    return firstIndex(0, changes.length, (index) => defined(changes[index]).day > day);
  }
}

/** Throws ReleaseDamaged when the release has no such table; ask `findDataset('bank-rate')` first. */
export const openBankRate: (release: Release) => BankRate = oncePerRelease((release) => {
  const { day: days, rate, series, 'series-names': names } = bankRateTable.open(release);
  // A few hundred rows: objects once, instead of one per request.
  const changes = Array.from(days, (day, index) => ({
    day,
    rate: defined(rate[index]),
    series: names.at(defined(series[index])),
  }));
  return new BankRate(changes);
});
