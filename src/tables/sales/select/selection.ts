// What can be asked of the sales that a filter finds. Two ways of finding them answer alike: a row of bits over all sales,
// and a copy of those of some streets and postcodes.

import type { WantedKinds } from '../kinds.ts';
import type { Totals } from '../sets.ts';

/** Ties stand newest first, and by transaction id on one day; in the rising order of dates all is reversed. */
export type SaleOrder = { readonly by: 'date' | 'price'; readonly direction: 'rising' | 'falling' };

export type Selection = {
  readonly total: number;
  /** In the order of `propertyTypes`. */
  readonly totals: () => readonly Totals[];
  /** The price that has `rank` others before it in rising order. */
  readonly priceAt: (rank: number) => number;
  readonly page: (offset: number, limit: number, order: SaleOrder) => Uint32Array;
  /** Calendar months that have sales, oldest first. */
  readonly months: () => readonly MonthFigures[];
  /** The same months. */
  readonly monthQuartiles: () => readonly MonthQuartiles[];
};

export type Figures = { readonly count: number; readonly medianPounds: number };

export type MonthFigures = {
  /** In months since the year 0. */
  readonly month: number;
  readonly all: Figures;
  /** In the order of `propertyTypes`; undefined where the month has no such sale. */
  readonly byType: readonly (Figures | undefined)[];
};

export type MonthQuartiles = {
  /** In months since the year 0. */
  readonly month: number;
  readonly count: number;
  readonly lowerPounds: number;
  readonly medianPounds: number;
  readonly upperPounds: number;
};

/** Rows from `start` to before `end`; prices in pounds, both included. */
export type SaleRange = {
  readonly start: number;
  readonly end: number;
  readonly kinds: WantedKinds;
  readonly minPrice: number;
  readonly maxPrice: number;
};
