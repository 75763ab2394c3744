// /crime/by-postcode from the live service of the police, for places whose force is not loaded.

import { type Refusal, refuse } from '../../contract/refusal.ts';
import { defined, outOfRange } from '../../out-of-range.ts';
import type { CategoryCount } from '../../tables/crime/crimes.ts';
import { formatMonth } from '../../uk/calendar.ts';
import { distanceMetres } from '../../uk/grid.ts';
import { silentForce } from '../../uk/police.ts';
import type { LiveCrime, LiveResult, PoliceApi } from '../../upstream/police.ts';
import {
  type Answer,
  describeCategories,
  describeOutcome,
  noData,
  nothingFrom,
  type Place,
  type RawCrime,
  type Wish,
} from './answer.ts';
import { withoutComparison } from './comparison.ts';
import { countCells, pageOfPoints } from './points.ts';

type LiveRefusal = Refusal<'NO_CRIME_DATA' | 'POLICE_API_ERROR' | 'SERVICE_UNAVAILABLE'>;

export async function answerFromApi(
  api: PoliceApi,
  place: Place,
  wish: Wish,
  knownForce: string | undefined,
): Promise<Answer | LiveRefusal> {
  const [months, located] = await Promise.all([
    api.findMonths(),
    knownForce === undefined ? api.findForce(place.at) : { kind: 'answered' as const, value: knownForce },
  ]);
  if (months.kind !== 'answered') return refusalOf(months);
  if (located.kind !== 'answered') return refusalOf(located);
  const force = located.value;
  if (force === undefined)
    return noData('force-unknown', 'No police force publishes crime for this place; ask for one nearby.');
  const wanted = months.value.slice(-wish.months);
  const [oldest, newest] = [defined(wanted[0]), defined(wanted.at(-1))];
  // What other forces report in its area would look like its own.
  if (force === silentForce) return nothingFrom(force, formatMonth(oldest), formatMonth(newest));
  const results = await Promise.all(
    wanted.map(async (month) => ({
      month,
      result: await api.crimesNear(
        place.at,
        wish.radius,
        formatMonth(month),
        month === newest ? 'newest' : 'settled',
      ),
    })),
  );
  const found: (readonly [number, readonly LiveCrime[]])[] = [];
  for (const { month, result } of results) {
    if (result.kind !== 'answered') return refusalOf(result);
    // A month without a crime and one that was not published look the same here, so that neither is shown as 0.
    const crimes = result.value.filter((crime) => isWithin(place, crime, wish.radius));
    if (result.value.length > 0) found.push([month, crimes]);
  }
  return found.length === 0
    ? nothingFrom(force, formatMonth(oldest), formatMonth(newest))
    : compose(place, wish, force, wanted, found);
}

function compose(
  place: Place,
  wish: Wish,
  force: string,
  wanted: readonly number[],
  found: readonly (readonly [number, readonly LiveCrime[]])[],
): Answer {
  const chosen = found.map(
    ([month, crimes]) =>
      [
        month,
        crimes.filter(({ category }) => wish.category === undefined || wish.category === category),
      ] as const,
  );
  const [reference, latest] = chosen.at(-1) ?? [0, []];
  const referenceMonth = formatMonth(reference);
  return {
    locationName: place.name,
    postcode: place.row.postcode,
    latitude: place.at.latitudeDegrees,
    longitude: place.at.longitudeDegrees,
    policeForce: force,
    referenceMonth,
    monthsRequested: wish.months,
    monthlyTotals: Object.fromEntries(chosen.map(([month, crimes]) => [formatMonth(month), crimes.length])),
    crimeCategories: describeCategories(countCategories(latest)),
    totalCrimes: chosen.reduce((sum, [, crimes]) => sum + crimes.length, 0),
    ...(wish.includeRaw ? { rawCrimes: latest.map((crime) => describeCrime(crime, referenceMonth)) } : {}),
    ...(wish.points
      ? { ...describePoints(chosen, wish), monthCoverage: describeMonths(wanted, chosen) }
      : {}),
    ...(wish.compare ? { comparison: compareNothing(force, chosen) } : {}),
  };
}

function describeMonths(
  wanted: readonly number[],
  found: readonly (readonly [number, unknown])[],
): NonNullable<Answer['monthCoverage']> {
  const given = new Set(found.map(([month]) => month));
  return Object.fromEntries(
    wanted.map((month) => [formatMonth(month), given.has(month) ? 'published' : 'missing']),
  );
}

function compareNothing(force: string, chosen: readonly (readonly [number, readonly LiveCrime[]])[]) {
  const all = countCategories(chosen.flatMap(([, crimes]) => crimes));
  const byCategory = Object.fromEntries(all.map(({ category, count }) => [category, count]));
  return withoutComparison(
    force,
    chosen.map(([month]) => formatMonth(month)),
    byCategory,
  );
}

const isWithin = ({ at }: Place, crime: LiveCrime, radiusMetres: number) =>
  distanceMetres(at.latitudeDegrees, at.longitudeDegrees, crime.latitudeDegrees, crime.longitudeDegrees) <=
  radiusMetres;

function refusalOf(result: Exclude<LiveResult<unknown>, { readonly kind: 'answered' }>): LiveRefusal {
  if (result.kind === 'failed') return refuse('POLICE_API_ERROR');
  if (result.kind === 'too much') {
    return refuse(
      'POLICE_API_ERROR',
      'The police data service gives at most 10,000 crimes of a month at once; send a smaller radius.',
    );
  }
  const message = 'The police data service does not answer at the moment; try again after Retry-After.';
  return refuse('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: result.retrySeconds });
}

function countCategories(crimes: readonly LiveCrime[]): readonly CategoryCount[] {
  return [...Map.groupBy(crimes, ({ category }) => category)].map(([category, group]) => {
    const outcomes = new Map<string, number>();
    for (const { outcome } of group) {
      if (outcome !== null) outcomes.set(outcome.label, (outcomes.get(outcome.label) ?? 0) + 1);
    }
    return { category, count: group.length, outcomes: [...outcomes] };
  });
}

const describeCrime = (crime: LiveCrime, month: string): RawCrime => ({
  month,
  category: crime.category,
  latitude: crime.latitudeDegrees,
  longitude: crime.longitudeDegrees,
  location: crime.location,
  context: crime.context,
  persistent_id: crime.id,
  location_subtype: crime.locationSubtype,
  ...describeOutcome(crime.outcome),
});

function describePoints(
  months: readonly (readonly [number, readonly LiveCrime[]])[],
  wish: Wish,
): Required<Pick<Answer, 'points' | 'pointsTotal'>> {
  const all = months.flatMap(([month, crimes]) => crimes.map((crime) => ({ month, crime })));
  const places = Map.groupBy(
    all,
    ({ crime }) => `${crime.latitudeDegrees} ${crime.longitudeDegrees} ${crime.location}`,
  );
  const found = Array.from(places, ([place, crimes]) => {
    const [{ crime: at } = outOfRange()] = crimes;
    return { place, at, count: crimes.length, crimes };
  });
  const page = pageOfPoints(found, (a, b) => (a.place < b.place ? -1 : 1), wish);
  return {
    pointsTotal: found.length,
    points: page.map(({ at, count, crimes }) => ({
      latitude: at.latitudeDegrees,
      longitude: at.longitudeDegrees,
      location: at.location,
      count,
      byMonth: countCells(crimes.map(({ month, crime: { category } }) => ({ month, category }))),
    })),
  };
}
