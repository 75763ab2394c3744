// What the bundled sample says of forces whose incidents it holds around a few places only. `crime-sample-reach`: the
// places around which those are whole. `crime-sample-areas`: a year of every LSOA of theirs as counts, so that an area's
// figures are whole although the incidents are not, and there is something to compare with. An LSOA of such a force that
// is not listed had no crime. A force without listed LSOAs is in the sample as a whole. Official files take the place of
// all of it.

import type { Circle } from '../../columns/point-bands.ts';
import { defined } from '../../out-of-range.ts';
import { f64, into, rising, strings, times, u8, u16, u32 } from '../../release/column.ts';
import type { Columns } from '../../release/part.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';
import { table } from '../../release/table.ts';
import { crimeGroups, metropolitanPolice, transportPolice } from '../../uk/police.ts';
import { parsePlaceCode } from '../postcodes/place-names.ts';
import { openReach, reachTable } from '../reach.ts';
import { type AreaCounts, type CrimeYear, yearMonths } from './areas.ts';
import { crimeOrigin } from './tables.ts';

export const crimeSampleReachTable = reachTable('crime-sample-reach', 'crimes', crimeOrigin);

export const crimeSampleAreasTable = table({
  part: 'crime-sample-areas',
  origin: crimeOrigin,
  about:
    'Crimes of a year in every LSOA of the forces whose incidents the bundled sample has only around a few places.',
  order: 'areas by code',
  columns: {
    code: f64('area', 'of the LSOA, as a number (`place-names`)', rising),
    'area-force': u8('area', 'the force responsible', into('force')),
    counts: u32(times('area', crimeGroups.length), 'as in `crime-areas`, of the twelve months'),
    previous: u32('area', 'crimes of the twelve months before'),
    residents: u32('area', 'Census 2021; 0: none'),
    forces: strings('force', 'as the files name them'),
    'last-month': u16('force', 'of the twelve, as in `crimes`'),
    'unplaced-share': f64('force', 'of its crimes in the twelve months, those that name no LSOA'),
  },
});

type SampleArea = {
  /** As parsePlaceCode gives it. */
  readonly code: number;
  readonly force: string;
  readonly counts: AreaCounts;
  readonly previous: number;
  readonly residents: number;
};

type SampleForce = {
  readonly name: string;
  readonly lastMonth: number;
  readonly unplacedShare: number;
};

/** Of a CSV with the columns lsoa21Code, force, one for each group of crimes, previous and residents. */
export function parseSampleAreas(csv: string): readonly SampleArea[] {
  const [, ...lines] = csv.trim().split('\n');
  return lines.map((line) => {
    const [code = '', force = '', ...texts] = line.split(',');
    const [violent, burglary, vehicleCrime, antisocial, other, previous, residents] = texts.map(Number);
    return {
      code: defined(parsePlaceCode(code)),
      force,
      counts: {
        violent: defined(violent),
        burglary: defined(burglary),
        vehicleCrime: defined(vehicleCrime),
        antisocial: defined(antisocial),
        other: defined(other),
      },
      previous: defined(previous),
      residents: defined(residents),
    };
  });
}

export function encodeCrimeSampleAreas(
  areas: readonly SampleArea[],
  forces: readonly SampleForce[],
): Columns {
  const ordered = areas.toSorted((a, b) => a.code - b.code);
  const names = forces.map(({ name }) => name);
  return crimeSampleAreasTable.encode({
    code: Float64Array.from(ordered, ({ code }) => code),
    'area-force': Uint8Array.from(ordered, ({ force }) => names.indexOf(force)),
    counts: Uint32Array.from(ordered.flatMap(({ counts }) => crimeGroups.map((group) => counts[group]))),
    previous: Uint32Array.from(ordered, ({ previous }) => previous),
    residents: Uint32Array.from(ordered, ({ residents }) => residents),
    forces: names,
    'last-month': Uint16Array.from(forces, ({ lastMonth }) => lastMonth),
    'unplaced-share': Float64Array.from(forces, ({ unplacedShare }) => unplacedShare),
  });
}

export class CrimeSample {
  readonly areas: ReadonlyMap<number, SampleArea>;
  /** By the force's name. */
  readonly years: ReadonlyMap<string, CrimeYear>;
  readonly #isWithinReach: (circle: Circle) => boolean;

  constructor(release: Release) {
    const columns = crimeSampleAreasTable.open(release);
    const forces = columns.forces.list();
    const areas = Array.from(columns.code, (code, at): readonly [number, SampleArea] => {
      const count = (group: number) => defined(columns.counts[at * crimeGroups.length + group]);
      const counts = {
        violent: count(0),
        burglary: count(1),
        vehicleCrime: count(2),
        antisocial: count(3),
        other: count(4),
      };
      const force = defined(forces[defined(columns['area-force'][at])]);
      const previous = defined(columns.previous[at]);
      return [code, { code, force, counts, previous, residents: defined(columns.residents[at]) }];
    });
    this.areas = new Map(areas);
    this.years = new Map(
      forces.map((force, at) => {
        const to = defined(columns['last-month'][at]);
        const year = { from: to - yearMonths + 1, to };
        const previous = { from: year.from - yearMonths, to: year.from - 1 };
        const unplacedShare = defined(columns['unplaced-share'][at]);
        return [force, { kind: 'covered', year, unplacedShare, previous }];
      }),
    );
    this.#isWithinReach = openReach(release, crimeSampleReachTable);
  }

  /** Who else reports in the area of a force that is in the sample as a whole, and is not in it. The one such force is the
   *  City of London's, which is so small that a circle of a mile always leaves it. */
  missingAround(force: string): readonly string[] {
    return this.years.has(force) ? [] : [metropolitanPolice, transportPolice];
  }

  /** Whether the sample has every incident of the force in the circle. */
  reaches(force: string, circle: Circle): boolean {
    return !this.years.has(force) || this.#isWithinReach(circle);
  }
}

const openCrimeSample: (release: Release) => CrimeSample = oncePerRelease(
  (release) => new CrimeSample(release),
);

/** Undefined where all that is loaded of a force is whole. */
export const findCrimeSample = (release: Release): CrimeSample | undefined =>
  crimeSampleAreasTable.isIn(release) ? openCrimeSample(release) : undefined;
