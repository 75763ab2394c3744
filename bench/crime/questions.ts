// What is asked of the table and of every engine: what /crime/by-postcode needs to know around a place.

import type { CategoryCount, Crimes, MonthTotals } from '../../src/tables/crime/crimes.ts';
import { meanEarthRadiusMetres } from '../../src/uk/grid.ts';
import { firstMonth, london, months } from './made-up.ts';
import type { World } from './world.ts';

export const radiusMetres = 1_609.344;
export const newest = months - 1;

/** Totals of the last `months` months, and categories with outcomes of the newest one, within a mile. */
export type Question = {
  readonly latitudeDegrees: number;
  readonly longitudeDegrees: number;
  readonly months: number;
};

/** "month 12: 7", "3 with 0: 5": in no order, and only what is above 0. */
export type Answer = readonly string[];

/** What was found, in whatever form the engine has it: turned into an answer only to be compared, not while timed. */
export type Found = () => Answer;

export type Engine = {
  readonly name: string;
  readonly ask: (question: Question) => Found | Promise<Found>;
  readonly close: () => void | Promise<void>;
};

/** A file of bench/crime. `place` is a file or folder for the engine's own, kept from run to run. */
export type OpenEngines = (world: World, place: string) => Promise<readonly Engine[]>;

/** `month` is null in rows of categories, `category` in those of months. */
export type Row = {
  readonly month: unknown;
  readonly category: unknown;
  readonly outcome: unknown;
  readonly count: unknown;
};

export const answerOfRows = (rows: readonly Row[]): Answer =>
  rows
    .map(({ month, category, outcome, count }) =>
      month === null ? `${category} with ${outcome}: ${count}` : `month ${month}: ${count}`,
    )
    .sort();

const numberOf = (word: string) => Number(word.slice(word.lastIndexOf(' ') + 1));

function answerOfTable(totals: MonthTotals, categories: readonly CategoryCount[]): Answer {
  const lines = totals.months.flatMap((month, index) =>
    totals.counts[index] === 0 ? [] : [`month ${month - firstMonth}: ${totals.counts[index]}`],
  );
  for (const { category, count, outcomes } of categories) {
    let rest = count;
    for (const [label, times] of outcomes) {
      lines.push(`${numberOf(category)} with ${1 + numberOf(label)}: ${times}`);
      rest -= times;
    }
    if (rest > 0) lines.push(`${numberOf(category)} with 0: ${rest}`);
  }
  return lines.sort();
}

export function askTable(crimes: Crimes, question: Question): Found {
  const { latitudeDegrees, longitudeDegrees } = question;
  const points = crimes.within({ latitudeDegrees, longitudeDegrees, radiusMetres });
  const last = firstMonth + newest;
  const totals = crimes.totalsIn(points, last - question.months + 1, last);
  const categories = crimes.categoriesIn(points, last);
  return () => answerOfTable(totals, categories);
}

/** A little more than the circle. */
export function boxAround({ latitudeDegrees, longitudeDegrees }: Question) {
  const reach = radiusMetres / 111_000;
  const wide = reach / Math.cos(((latitudeDegrees + reach) * Math.PI) / 180);
  return {
    south: latitudeDegrees - reach,
    north: latitudeDegrees + reach,
    west: longitudeDegrees - wide,
    east: longitudeDegrees + wide,
  };
}

/** The distance in SQL, by the same formula as ours, between given names or placeholders and the point's columns. */
export const sqlDistance = (latitude: string, longitude: string) =>
  `${2 * meanEarthRadiusMetres} * asin(sqrt(power(sin(radians(latitude - ${latitude}) / 2), 2)
    + cos(radians(${latitude})) * cos(radians(latitude)) * power(sin(radians(longitude - ${longitude}) / 2), 2)))`;

export const places = {
  dense: (random: () => number) => ({
    latitudeDegrees: london.latitudeDegrees + (random() - 0.5) / 30,
    longitudeDegrees: london.longitudeDegrees + (random() - 0.5) / 20,
  }),
  rural: (random: () => number) => ({
    latitudeDegrees: 50.6 + 4.3 * random(),
    longitudeDegrees: -3.9 + 4.8 * random(),
  }),
} as const;
