// What /crime/by-postcode answers.

import type { PointSet } from '../../columns/point-bands.ts';
import { type OwnTables, writeCsv } from '../../contract/csv.ts';
import type { Context } from '../../contract/endpoint.ts';
import { refuse } from '../../contract/refusal.ts';
import {
  integer,
  list,
  nullable,
  number,
  object,
  oneOf,
  optional,
  record,
  type Shape,
  type Static,
  string,
} from '../../contract/shape.ts';
import { type CategoryCount, type Crimes, openCrimes } from '../../tables/crime/crimes.ts';
import { findForceCategories } from '../../tables/crime/force-categories.ts';
import type { PostcodeRow } from '../../tables/postcodes/postcodes.ts';
import { formatMonth } from '../../uk/calendar.ts';
import type { LatLong } from '../../uk/grid.ts';
import { crimeCategories, nameOfCategory, territorialForces, transportPolice } from '../../uk/police.ts';
import type { Postcode } from '../../uk/postcode.ts';
import { pointColumns, points, writePointsCsv } from './points.ts';

/** The radius of the police's own service. */
export const mileMetres = 1_609.344;

const month = string({ examples: ['2024-12'], description: 'Month of the crime, YYYY-MM.' });
export const slugs = crimeCategories.map(({ slug }) => slug);

const category = object(
  'CrimeCategory',
  {
    category: string({ description: 'Slug of the category, as on data.police.uk.', examples: slugs }),
    displayName: string({ description: 'Name of the category.' }),
    count: integer({ minimum: 0, description: 'Crimes in the reference month.' }),
    percentage: number({
      description: 'Share of the crimes of the reference month in percent, with one decimal.',
    }),
    outcomes: record(integer(), {
      description: 'Number of crimes by their latest outcome. Crimes without an outcome are not in it.',
    }),
  },
  { description: 'Crimes of one category in the reference month.' },
);

const rawCrime = object(
  'RawCrime',
  {
    month,
    category: string({ description: 'Slug of the category.' }),
    location: string({
      description:
        'Name of the place. To protect privacy, the police move each crime to the nearest of a fixed set of points.',
    }),
    context: string({ description: 'Remarks of the police. Often empty.' }),
    persistent_id: string({
      description:
        'Id of the crime. Empty for anti-social behaviour and for crimes of the British Transport Police. Not always unique.',
    }),
    location_subtype: string({ description: 'Kind of the place, such as a station. Often empty.' }),
    outcome_status: nullable(
      object(
        'CrimeOutcome',
        {
          category: string({ description: 'Name of the outcome.' }),
          date: string({
            description: 'Month of the outcome, YYYY-MM. For `Under investigation`, the month of the crime.',
          }),
        },
        {
          description:
            'Latest outcome. Null if no outcome is known, or if one is known but its month is not, because no file of outcomes with its month is loaded. Such an outcome is counted in `outcomes` of `crimeCategories` all the same, the CSV table has it in `outcome_category`, and X-Data-Coverage says how many crimes it concerns.',
        },
      ),
    ),
  },
  { description: 'One crime.' },
);

/** What the table alone has: the contract's raw crime has no coordinates, and no outcome without its month. */
export type RawCrime = Static<typeof rawCrime> & {
  readonly latitude: number;
  readonly longitude: number;
  readonly outcomeLabel: string | null;
};

/** `month` is empty where it is not known. */
export function describeOutcome(
  outcome: { readonly label: string; readonly month: string } | null,
): Pick<RawCrime, 'outcome_status' | 'outcomeLabel'> {
  const isDated = outcome !== null && outcome.month !== '';
  return {
    outcome_status: isDated ? { category: outcome.label, date: outcome.month } : null,
    outcomeLabel: outcome?.label ?? null,
  };
}

const rawCrimes: Shape<readonly RawCrime[]> = list(rawCrime, {
  description: 'Every crime of the reference month. Present with `includeRaw=true`.',
});

const monthStates = ['published', 'partial', 'missing'] as const;
export type MonthState = (typeof monthStates)[number];

// What a circle is held against: its police force and the nation, in the same months. The numbers of people are another in each,
// so that counts say nothing beside each other; shares of categories do, and how months differ from one another.

const placedCrimes = record(integer({ minimum: 1 }), {
  description: 'Crimes with a place, by category slug, over all of `months`. Only categories that occur.',
});

const totals = {
  total: nullable(integer({ description: 'Sum of `monthlyTotals`. Null: not known; `lacking` says why.' })),
  monthlyTotals: nullable(
    record(integer(), {
      description:
        'Every published crime by month (YYYY-MM), including those without a place. Null: not known; `lacking` says why.',
    }),
  ),
  byCategory: nullable(placedCrimes),
} as const;

const comparison = object(
  'CrimeComparison',
  {
    months: list(string(), { description: 'The months that are compared: those of `monthlyTotals`.' }),
    here: object('CrimeHere', { byCategory: placedCrimes }, { description: 'Crimes within the circle.' }),
    force: object(
      'CrimeOfForce',
      { name: string({ description: 'Name of the police force.' }), ...totals },
      { description: 'Crimes in the area of the police force.' },
    ),
    nation: object(
      'CrimeOfNation',
      {
        name: string({
          description: 'Name of the nation: England and Wales. With a test key, the fictional country.',
        }),
        forces: list(string(), {
          description: 'Police forces that published every one of the months. Only they are counted.',
        }),
        missing: list(string(), {
          description: 'The other police forces of the nation. They are not counted.',
        }),
        ...totals,
      },
      { description: 'Crimes in the nation.' },
    ),
    lacking: list(string(), {
      description: 'Why figures are null, as sentences. Empty if none is null.',
    }),
  },
  {
    description:
      'The same months for the police force and the nation. Present with `compare=true`. A circle has fewer people than a force, so compare shares and changes, not counts. The British Transport Police, Scotland and Northern Ireland are in neither.',
  },
);

type Comparison = Static<typeof comparison>;
type Totals = Pick<Comparison['force'], 'total' | 'monthlyTotals' | 'byCategory'>;

const nothing: Totals = { total: null, monthlyTotals: null, byCategory: null };

/** Below it, the forces that are loaded are no picture of a nation. */
const leastShareOfForces = 0.5;

type Asked = {
  readonly force: string;
  readonly around: PointSet;
  /** In the answer, oldest first. */
  readonly months: readonly number[];
};

export function compare(release: Context['release'], { force, around, months }: Asked): Comparison {
  const crimes = openCrimes(release);
  const categories = findForceCategories(release);
  const nation = nationIn(release, crimes, months);
  const lacking: string[] = [];
  if (categories === undefined)
    lacking.push(
      'Categories of forces are counted when data is loaded, and this data was loaded before the program did so; the next load counts them.',
    );
  else if (!categories.has(force))
    lacking.push(
      `The sample has every crime of ${force} by month, but categories only around a few places; load the archive of data.police.uk for them.`,
    );
  const isTold = nation.forces.length >= leastShareOfForces * (nation.forces.length + nation.missing.length);
  if (!isTold)
    lacking.push(
      `Of ${nation.forces.length + nation.missing.length} forces in ${nation.name}, ${nation.forces.length} are loaded with all of these months, too few to speak for it; load the archive of data.police.uk.`,
    );
  const totalsOf = (forces: readonly string[]): Totals => ({
    ...sumRows(crimes, forces, months),
    byCategory:
      categories === undefined || !forces.every((name) => categories.has(name))
        ? null
        : categories.sumOf(forces, months),
  });
  return {
    months: months.map(formatMonth),
    here: { byCategory: countHere(crimes, around, months) },
    force: { name: force, ...totalsOf([force]) },
    nation: { ...nation, ...(isTold ? totalsOf(nation.forces) : nothing) },
    lacking,
  };
}

/** Whose crimes are counted as the nation's: the same forces in every month, so that months can be held against each other. */
function nationIn(release: Context['release'], crimes: Crimes, months: readonly number[]) {
  const { name, forces: all } = nationOf(release, crimes);
  const isWhole = (force: string) =>
    months.every((month) => crimes.coverageOf(force, month).kind === 'published');
  const forces = all.filter(isWhole);
  return { name, forces, missing: all.filter((force) => !forces.includes(force)) };
}

/** What a place is compared with where all of it is loaded: every force that has an area of its own. */
export const nationOf = (release: Context['release'], { forces }: Pick<Crimes, 'forces'>) =>
  release.manifest.kind === 'sandbox'
    ? {
        name: 'The fictional country',
        forces: forces.filter((name) => name !== transportPolice).toSorted(),
      }
    : { name: 'England and Wales', forces: territorialForces };

function sumRows(crimes: Crimes, forces: readonly string[], months: readonly number[]) {
  const monthly = months.map((month): readonly [string, number] => [
    formatMonth(month),
    forces.reduce((sum, force) => sum + crimes.coverageOf(force, month).rows, 0),
  ]);
  return {
    total: monthly.reduce((sum, [, count]) => sum + count, 0),
    monthlyTotals: Object.fromEntries(monthly),
  };
}

function countHere(crimes: Crimes, around: PointSet, months: readonly number[]) {
  const sums = new Map<string, number>();
  for (const month of months)
    for (const { category, count } of crimes.categoriesIn(around, month))
      sums.set(category, (sums.get(category) ?? 0) + count);
  return Object.fromEntries(sums);
}

export const answer = object('CrimeByPostcode', {
  locationName: string({
    description:
      'Name of the ward. If it is not loaded, the name of the district, or else of the nation. Never a code.',
  }),
  postcode: string({ description: 'The postcode, in capitals with one space.' }),
  latitude: number({ description: 'Latitude of the postcode, WGS 84.' }),
  longitude: number({ description: 'Longitude of the postcode, WGS 84.' }),
  policeForce: string({ description: 'Police force responsible for the postcode.' }),
  referenceMonth: string({ description: 'Most recent month that the force published, YYYY-MM.' }),
  monthsRequested: integer({ description: 'Number of months that you asked for.' }),
  monthlyTotals: record(integer(), {
    description:
      'Number of crimes by month (YYYY-MM). A month that the force did not publish is absent, never 0.',
  }),
  crimeCategories: list(category, { description: 'Categories of the reference month, most frequent first.' }),
  totalCrimes: integer({ description: 'Sum of `monthlyTotals`.' }),
  rawCrimes: optional(rawCrimes),
  pointsTotal: optional(
    integer({
      minimum: 0,
      description: 'Number of points with a crime, on all pages. Present with `points=true`.',
    }),
  ),
  points: optional(points),
  monthCoverage: optional(
    record(oneOf(monthStates), {
      description:
        'Every month of the period, oldest first. Present with `points=true`. `partial`: fewer than half of the usual crimes of the force. `missing`: nothing usable is loaded, and `monthlyTotals` lacks the month.',
    }),
  ),
  comparison: optional(comparison),
});

export type Answer = Static<typeof answer>;

export type Wish = {
  readonly postcode: Postcode;
  readonly months: number;
  readonly includeRaw: boolean;
  readonly radius: number;
  readonly category: string | undefined;
  readonly points: boolean;
  /** Of points. */
  readonly limit: number | undefined;
  readonly offset: number | undefined;
  readonly compare: boolean;
};

export type Place = { readonly row: PostcodeRow; readonly at: LatLong; readonly name: string };

export function noData(reason: string, message: string, more: Readonly<Record<string, unknown>> = {}) {
  return refuse('NO_CRIME_DATA', message, { reason, ...more });
}

/** How far back a call may ask. */
export const monthsMost = 24;

/** What is left to a caller where no month of the force is in reach. */
export const otherForce = 'ask for a place of another force';

type Stop = { readonly period: string; readonly last: string; readonly next: string };

export function forceStopped(force: string, { period, last, next }: Stop) {
  const message = `${force} has published nothing for ${period}, as its last month is ${last}; ${next}.`;
  return noData('force-stopped', message, { policeForce: force, lastMonth: last });
}

/** In the order of the table. The contract's raw crime has neither coordinates nor an outcome without its month. */
const rawCrimeColumns = [
  'month',
  'category',
  'latitude',
  'longitude',
  'location',
  'context',
  'persistent_id',
  'location_subtype',
  'outcome_category',
  'outcome_date',
] as const;

/** The raw crimes as CSV, one a row. */
function writeRawCrimes({ rawCrimes: crimes = [] }: Answer): string {
  const rows = crimes.map((crime) => [
    crime.month,
    crime.category,
    crime.latitude,
    crime.longitude,
    crime.location,
    crime.context,
    crime.persistent_id,
    crime.location_subtype,
    crime.outcomeLabel,
    crime.outcome_status?.date ?? null,
  ]);
  return writeCsv(rawCrimeColumns, rows);
}

export const tables: OwnTables<Answer> = {
  tables: [
    {
      where: 'without `points=true`, one row for each crime of the reference month',
      columns: rawCrimeColumns,
    },
    { where: 'with `points=true`, one row for each point, month and category', columns: pointColumns },
  ],
  write: (given) => (given.points === undefined ? writeRawCrimes(given) : writePointsCsv(given.points)),
};

export function describeCategories(categories: readonly CategoryCount[]): Answer['crimeCategories'] {
  const total = categories.reduce((sum, { count }) => sum + count, 0);
  return categories
    .toSorted((a, b) => b.count - a.count || (a.category < b.category ? -1 : 1))
    .map(({ category: slug, count, outcomes }) => ({
      category: slug,
      displayName: nameOfCategory(slug),
      count,
      percentage: Math.round((1000 * count) / total) / 10,
      outcomes: Object.fromEntries(outcomes.toSorted(([, a], [, b]) => b - a)),
    }));
}
