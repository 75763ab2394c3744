// What a circle is held against: its police force and the nation, in the same months. The numbers of people are another in each,
// so that counts say nothing beside each other; shares of categories do, and how months differ from one another.

import type { PointSet } from '../../columns/point-bands.ts';
import type { Context } from '../../contract/endpoint.ts';
import { integer, list, nullable, object, record, type Static, string } from '../../contract/shape.ts';
import { type Crimes, openCrimes } from '../../tables/crime/crimes.ts';
import { findForceCategories } from '../../tables/crime/force-categories.ts';
import { formatMonth } from '../../uk/calendar.ts';
import { territorialForces, transportPolice } from '../../uk/police.ts';

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

export const comparison = object(
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
  const isFictional = release.manifest.kind === 'sandbox';
  const all = isFictional
    ? crimes.forces.filter((name) => name !== transportPolice).toSorted()
    : territorialForces;
  const isWhole = (force: string) =>
    months.every((month) => crimes.coverageOf(force, month).kind === 'published');
  const forces = all.filter(isWhole);
  return {
    name: isFictional ? 'The fictional country' : 'England and Wales',
    forces,
    missing: all.filter((force) => !forces.includes(force)),
  };
}

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
