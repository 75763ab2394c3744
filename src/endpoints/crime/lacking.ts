// What the loaded crime lacks of an answer, for X-Data-Coverage: months of the force responsible, and the crimes of other
// forces whose ground the circle touches.

import type { Circle } from '../../columns/point-bands.ts';
import type { Context } from '../../contract/endpoint.ts';
import { shareOfUsual } from '../../tables/crime/coverage.ts';
import { type Crimes, openCrimes } from '../../tables/crime/crimes.ts';
import { openForceGround } from '../../tables/crime/force-ground.ts';
import { findCrimeSample } from '../../tables/crime/sample.ts';
import { formatMonth } from '../../uk/calendar.ts';
import { northernIrelandForce, transportPolice } from '../../uk/police.ts';

type Asked = {
  readonly force: string;
  readonly circle: Circle;
  /** The period, both included. */
  readonly oldest: number;
  readonly newest: number;
  /** Months of the period that are in the answer. */
  readonly covered: ReadonlySet<number>;
};

/** Where names of areas are needed: the codes of today's forces are known. */
export const forceByName = 'where a new police force is known only by its name';

const monthsNamedMost = 3;

/** Nothing where nothing is known to be lacking. */
export function whatIsLacking(
  release: Context['release'],
  { force, circle, oldest, newest, covered }: Asked,
): readonly string[] {
  const crimes = openCrimes(release);
  const period = Array.from({ length: newest - oldest + 1 }, (_, at) => oldest + at);
  const own = gapsOf(crimes, force, period);
  return [
    ...(own.absent.length === 0
      ? []
      : [`no usable data of ${force} is loaded for ${nameMonths(own.absent, period)}`]),
    ...own.partial,
    ...lackingOfOthers(release, crimes, force, circle, [...covered]),
  ];
}

function lackingOfOthers(
  release: Context['release'],
  crimes: Crimes,
  force: string,
  circle: Circle,
  months: readonly number[],
): readonly string[] {
  const missing = findCrimeSample(release)?.missingAround(force) ?? [];
  // The sample's own postcodes tell little of who is near.
  if (missing.length > 0)
    return [`the sample does not have crimes in the circle that ${missing.join(' and ')} reported`];
  const isShort = (other: string) => {
    if (other === force) return false;
    const { absent, partial } = gapsOf(crimes, other, months);
    return absent.length + partial.length > 0;
  };
  const others = openForceGround(release)
    .within(circle, isShort)
    .map((other) => {
      const { absent, partial } = gapsOf(crimes, other, months);
      const which = absent.length === months.length ? '' : ` for ${nameMonths(absent, months)}`;
      const what = [
        ...(absent.length === 0 ? [] : [`whose data is not loaded in usable form${which}`]),
        ...partial.map((told) => `where ${told}`),
      ];
      return `the circle also reaches into the area of ${other}, ${what.join(', and ')}`;
    });
  return [...others, ...lackingOnRailways(crimes, force, months)];
}

/** On railways crime follows the passengers, so that only a month without any is known to be missing. */
function lackingOnRailways(crimes: Crimes, force: string, months: readonly number[]): readonly string[] {
  const absent = months.filter((month) => crimes.coverageOf(transportPolice, month).kind === 'absent');
  if (absent.length === 0 || force === northernIrelandForce) return [];
  const which = absent.length === months.length ? '' : ` for ${nameMonths(absent, months)}`;
  return [`no data of ${transportPolice}, whose crimes lie on railways in every area, is loaded${which}`];
}

function gapsOf(crimes: Crimes, force: string, months: readonly number[]) {
  const judged = months.map((item) => ({ item, coverage: crimes.coverageOf(force, item) }));
  return {
    absent: judged.flatMap(({ item, coverage: { kind } }) =>
      kind === 'absent' || kind === 'collapsed' ? [item] : [],
    ),
    partial: judged.flatMap(({ item, coverage }) =>
      coverage.kind === 'partial'
        ? [`${formatMonth(item)} has ${shareOfUsual(coverage)} of crimes of ${force}`]
        : [],
    ),
  };
}

const nameMonths = (some: readonly number[], all: readonly number[]) =>
  some.length > monthsNamedMost ? `${some.length} of ${all.length} months` : some.map(formatMonth).join(', ');
