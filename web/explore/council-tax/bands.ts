// What council tax bands mean: the value that a home had on a day of law, and what its band pays of band D. Bands are of that
// day's prices, whatever a home is worth today.
//
// England: Local Government Finance Act 1992, section 5(2). Wales: the same section as substituted by the Council Tax (Valuation
// Bands) (Wales) Order 2003 (SI 2003/3046). Scotland: section 74(2) of the Act.

import type { Answers } from '../../api/answers.ts';
import { dayText, poundsText } from '../../formats.ts';

export type CouncilTax = Answers['/council-tax/lookup'];
export type Year = NonNullable<CouncilTax['years']>[number];

export type Nation = 'England' | 'Wales' | 'Scotland';

const letters = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'] as const;
export type Letter = (typeof letters)[number];

type Bands = {
  readonly day: string;
  /** Highest value of each band but the last, in pounds. */
  readonly upTo: readonly number[];
};

const bandsOf: Readonly<Record<Nation, Bands>> = {
  England: { day: '1991-04-01', upTo: [40_000, 52_000, 68_000, 88_000, 120_000, 160_000, 320_000] },
  Wales: {
    day: '2003-04-01',
    upTo: [44_000, 65_000, 91_000, 123_000, 162_000, 223_000, 324_000, 424_000],
  },
  Scotland: { day: '1991-04-01', upTo: [27_000, 35_000, 45_000, 58_000, 80_000, 106_000, 212_000] },
};

export const valuationDay = (nation: Nation): string => dayText(bandsOf[nation].day);

/** By the first letter of the authority's ONS code. */
export function nationOf(code: string): Nation | undefined {
  switch (code.charAt(0)) {
    case 'E':
      return 'England';
    case 'W':
      return 'Wales';
    case 'S':
      return 'Scotland';
    default:
      return undefined;
  }
}

/** "£40,001 to £52,000" */
export function valueText(nation: Nation, letter: Letter): string {
  const { upTo } = bandsOf[nation];
  const at = letters.indexOf(letter);
  const [below, most] = [upTo[at - 1], upTo[at]];
  if (below === undefined) return `up to ${poundsText(most ?? 0)}`;
  return most === undefined
    ? `more than ${poundsText(below)}`
    : `${poundsText(below + 1)} to ${poundsText(most)}`;
}

type Amounts = { readonly band_d: number } & { readonly [key in `band_${Letter}`]?: number | null };

/** Undefined where there is no such band. */
export const amountOf = (amounts: Amounts, letter: Letter): number | undefined =>
  amounts[`band_${letter}`] ?? undefined;

export const bandsIn = (amounts: Amounts): readonly { readonly letter: Letter; readonly amount: number }[] =>
  letters.flatMap((letter) => {
    const amount = amountOf(amounts, letter);
    return amount === undefined ? [] : [{ letter, amount }];
  });

/** The year of the answer first; a year to come is not it. Band I stands in the list of years alone. */
export function yearsOf({ taxYear, years = [] }: CouncilTax): readonly Year[] {
  return [
    ...years.filter((year) => year.taxYear === taxYear),
    ...years.filter((year) => year.taxYear !== taxYear),
  ];
}
