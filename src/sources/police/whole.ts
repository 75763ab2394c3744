// What the whole publication is, and what is told of a load that has less.
//
// Whole is: every month from the first loaded to the last, of every force whose files an archive of data.police.uk has.
// Those are the 43 territorial forces of England and Wales, the Police Service of Northern Ireland and British Transport
// Police; a force that stopped publishing belongs to it up to its last month. How many months it spans is not asked:
// archives have had different lengths, and the text says from when to when. Police Scotland has never published.
// A month of which only a few rows came is missing, whoever is the cause. Files of outcomes are not asked for: some forces
// have none, and the street files have each crime's last outcome. Before 2013 not all of these forces published yet: such
// months are told as missing, because nothing tells them from months that were left out.

import type { Loaded } from '../../ingest/source.ts';
import { defined, outOfRange } from '../../out-of-range.ts';
import { type Coverage, type CoverageKind, judgeForces, shareOfUsual } from '../../tables/crime/coverage.ts';
import { formatMonth } from '../../uk/calendar.ts';
import {
  lastMonthOfForce,
  northernIrelandForce,
  territorialForces,
  transportPolice,
} from '../../uk/police.ts';

/** Forces with an area of their own. */
const placedForces: readonly string[] = [...territorialForces, northernIrelandForce];

const forcesNamed = 3;
const monthsNamed = 3;

const isPublished = (force: string, month: number) =>
  formatMonth(month) <= (lastMonthOfForce.get(force) ?? '9999-12');

type CoverageRows = {
  /** As the files name them. */
  readonly forces: readonly string[];
  /** Loaded months, rising. */
  readonly months: readonly number[];
  /** Rows read, one force after the other. */
  readonly rows: Uint32Array;
};

/** Of each month between the first and the last loaded, what is there of a force. */
function coverageIn({ forces, months, rows }: CoverageRows) {
  const judged = judgeForces(months, rows);
  const first = defined(months[0]);
  const span = Array.from({ length: defined(months.at(-1)) - first + 1 }, (_, at) => first + at);
  const find = (force: string, month: number): Coverage | undefined => {
    const [row, column] = [forces.indexOf(force), months.indexOf(month)];
    return row < 0 || column < 0 ? undefined : judged[row * months.length + column];
  };
  const monthsOf = (force: string, ...kinds: readonly CoverageKind[]) =>
    span
      .filter((month) => isPublished(force, month))
      .filter((month) => kinds.includes(find(force, month)?.kind ?? 'absent'));
  return { span, find, monthsOf };
}

/** Loaded months in which British Transport Police has no rows. Its crimes lie in the areas of all other forces. */
export function monthsWithoutTransportPolice(loaded: CoverageRows): readonly number[] {
  return coverageIn(loaded)
    .monthsOf(transportPolice, 'absent')
    .filter((month) => loaded.months.includes(month));
}

/** "43 forces, 2022-01 to 2024-12; not loaded: Kent Police; not published: Greater Manchester Police after 2019-06; without
 *  Dyfed-Powys Police 2024-02; partial: Dyfed-Powys Police 2024-01 (31.1% of the usual number)". */
export function describeCoverage(loaded: CoverageRows): Pick<Loaded, 'extent' | 'coverage'> {
  const { forces } = loaded;
  const { span, find, monthsOf } = coverageIn(loaded);
  const expected = (force: string) => span.some((month) => isPublished(force, month));
  const absent = [...placedForces, transportPolice].filter(
    (force) => expected(force) && !forces.includes(force),
  );
  const placed = forces.filter((force) => force !== transportPolice);
  const gaps = forces.flatMap((force) => {
    const missing = monthsOf(force, 'absent', 'collapsed');
    if (missing.length === 0) return [];
    return `${force} ${missing.length > monthsNamed ? `${missing.length} of ${span.length} months` : missing.map(formatMonth).join(', ')}`;
  });
  // On railways crime follows the passengers, so that half of the usual may be all there was.
  const partial = placed.flatMap((force) =>
    monthsOf(force, 'partial').map(
      (month) => `${force} ${formatMonth(month)} (${shareOfUsual(defined(find(force, month)))})`,
    ),
  );
  const stopped = [...lastMonthOfForce]
    .filter(([force]) => !span.every((month) => isPublished(force, month)))
    .map(([force, last]) => `${force} after ${last}`);
  const [first = outOfRange()] = span;
  const text = [
    `${forces.length === 1 ? `${forces[0]} only` : `${forces.length} forces`}, ${formatMonth(first)} to ${formatMonth(defined(span.at(-1)))}`,
    ...(absent.length === 0 ? [] : [`not loaded: ${nameForces(absent)}`]),
    ...(stopped.length === 0 ? [] : [`not published: ${stopped.join(', ')}`]),
    ...(gaps.length === 0 ? [] : [`without ${gaps.join('; ')}`]),
    ...(partial.length === 0 ? [] : [`partial: ${partial.join('; ')}`]),
  ].join('; ');
  const isWhole = absent.length + gaps.length + partial.length === 0;
  return { extent: isWhole ? 'complete' : 'partial', coverage: { 'United Kingdom': text } };
}

/** British Transport Police by name, however many others there are: its crimes are missing everywhere. */
function nameForces(absent: readonly string[]): string {
  const placed = absent.filter((force) => force !== transportPolice);
  const named = placed.length > forcesNamed ? [`${placed.length} other forces`] : placed;
  const national = absent.includes(transportPolice)
    ? [`${transportPolice}, whose crimes lie on railways in every area`]
    : [];
  return [...named, ...national].join(', ');
}
