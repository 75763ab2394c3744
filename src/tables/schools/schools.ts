// Schools that teach primary or secondary ages, from the list of each nation. Those of England are joined with Ofsted's
// ratings when a release is opened.

import { type Circle, encodePoints, PointBands } from '../../columns/point-bands.ts';
import type { DatasetName } from '../../datasets.ts';
import { defined } from '../../out-of-range.ts';
import { exactly, into, oneOf, strings, u8, u16, u32 } from '../../release/column.ts';
import type { Columns, Strings } from '../../release/part.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';
import { table, type Views } from '../../release/table.ts';
import type { LatLong } from '../../uk/grid.ts';
import type { Rating, Tier } from '../../uk/ofsted.ts';
import { byBand, pointColumns } from '../point-columns.ts';
import { openReach, reachTable } from '../reach.ts';
import { InspectionRows } from './inspections.ts';

/** The nations whose list can be loaded, and the dataset, which is the part too. */
export const schoolLists = {
  England: 'schools-england',
  Wales: 'schools-wales',
  Scotland: 'schools-scotland',
} as const;
export type SchoolNation = keyof typeof schoolLists;
export const schoolNations: readonly SchoolNation[] = ['England', 'Wales', 'Scotland'];

/** How its point was found. Only ever add at the end: parts hold the place in this list. */
const placings = ['grid reference', 'postcode', 'coordinates'] as const;
export type Placing = (typeof placings)[number];

export type SchoolFacts = {
  /** URN in England, school number in Wales, SEED code in Scotland. */
  readonly number: number;
  readonly name: string;
  /** In the words of the list. */
  readonly phase: string;
  readonly teachesPrimary: boolean;
  readonly teachesSecondary: boolean;
};

export type PlacedSchool = SchoolFacts & { readonly point: LatLong; readonly placing: Placing };

/** What can be told of a school without making its texts: a circle in a city has hundreds of schools, an answer names
 *  five. */
export type NearbySchool = Pick<SchoolFacts, 'number' | 'teachesPrimary' | 'teachesSecondary'> & {
  readonly nation: SchoolNation;
  /** Place in its list. */
  readonly index: number;
  readonly metres: number;
  /** 0 where it is unrated, or Ofsted's list is not loaded or does not have it. */
  readonly tier: Tier;
  readonly isOutstanding: boolean;
};

export type School = SchoolFacts & {
  readonly point: LatLong;
  /** Null where Ofsted's list is not loaded, or does not have it. */
  readonly rating: Rating | null;
};

const primary = 1;
const secondary = 2;

const schoolColumns = {
  ...pointColumns('school'),
  number: u32('school', 'URN in England, school number in Wales, SEED code in Scotland'),
  name: strings('school', 'name'),
  phase: u16('school', 'in the words of the list', into('phase')),
  phases: strings('phase', 'each phase once'),
  teaches: u8('school', 'sum of 1 (primary ages) and 2 (secondary ages)'),
  placing: u8('school', 'how its point was found', oneOf(placings)),
  list: strings(exactly(1), 'one value: the publication'),
};

/** The part of a dataset has its name. */
export const schoolsTable = (nation: SchoolNation) =>
  table({
    part: schoolLists[nation],
    origin: { dataset: schoolLists[nation], layout: 1 },
    about: "Schools that teach primary or secondary ages, from the nation's list.",
    order: byBand,
    columns: schoolColumns,
  });

export const welshSchoolReachTable = reachTable(
  'schools-wales-reach',
  schoolLists.Wales,
  schoolsTable('Wales').origin,
);

/** `list` names the publication, where a nation has several. */
export function encodeSchools(nation: SchoolNation, schools: readonly PlacedSchool[], list: string): Columns {
  const micro = (degrees: number) => Math.round(degrees * 1e6);
  const { order, columns } = encodePoints(
    Int32Array.from(schools, ({ point }) => micro(point.latitudeDegrees)),
    Int32Array.from(schools, ({ point }) => micro(point.longitudeDegrees)),
  );
  const ordered = Array.from(order, (index) => defined(schools[index]));
  const phases = [...new Set(ordered.map(({ phase }) => phase))];
  return schoolsTable(nation).encode({
    ...columns,
    number: Uint32Array.from(ordered, (school) => school.number),
    name: ordered.map(({ name }) => name),
    phase: Uint16Array.from(ordered, ({ phase }) => phases.indexOf(phase)),
    phases,
    teaches: Uint8Array.from(
      ordered,
      ({ teachesPrimary, teachesSecondary }) =>
        (teachesPrimary ? primary : 0) + (teachesSecondary ? secondary : 0),
    ),
    placing: Uint8Array.from(ordered, ({ placing }) => placings.indexOf(placing)),
    list: [list],
  });
}

/** One nation's list. */
class SchoolList {
  readonly size: number;
  /** As it was given to encodeSchools. */
  readonly publication: string;
  readonly #bands: PointBands;
  readonly #numbers: Uint32Array;
  readonly #names: Strings;
  readonly #phases: Uint16Array;
  readonly #phaseNames: readonly string[];
  readonly #teaches: Uint8Array;
  readonly #placings: Uint8Array;

  constructor(columns: Views<typeof schoolColumns>) {
    this.#bands = new PointBands(columns);
    this.#numbers = columns.number;
    this.#names = columns.name;
    this.#phases = columns.phase;
    this.#phaseNames = columns.phases.list();
    this.#teaches = columns.teaches;
    this.#placings = columns.placing;
    this.size = this.#numbers.length;
    this.publication = columns.list.at(0);
  }

  numberAt(point: number): number {
    return defined(this.#numbers[point]);
  }

  teachesPrimary(point: number): boolean {
    return (defined(this.#teaches[point]) & primary) !== 0;
  }

  teachesSecondary(point: number): boolean {
    return (defined(this.#teaches[point]) & secondary) !== 0;
  }

  factsAt(point: number): SchoolFacts {
    return {
      number: this.numberAt(point),
      name: this.#names.at(point),
      phase: defined(this.#phaseNames[defined(this.#phases[point])]),
      teachesPrimary: this.teachesPrimary(point),
      teachesSecondary: this.teachesSecondary(point),
    };
  }

  /** Calls back for every school in the circle. */
  eachWithin(circle: Circle, visit: (point: number, metres: number) => void): void {
    const found = this.#bands.within(circle);
    for (let at = 0; at < found.length; at += 2) {
      const end = defined(found[at + 1]);
      for (let point = defined(found[at]); point < end; point += 1) {
        visit(point, this.#bands.distanceMetres(circle, point));
      }
    }
  }

  placeOf(point: number): LatLong {
    return this.#bands.placeOf(point);
  }

  /** As they were given to encodeSchools, in the order of the index. */
  *all(): Generator<PlacedSchool> {
    for (let point = 0; point < this.size; point += 1) {
      yield {
        ...this.factsAt(point),
        point: this.placeOf(point),
        placing: defined(placings[defined(this.#placings[point])]),
      };
    }
  }
}

type JoinedList = {
  readonly nation: SchoolNation;
  readonly list: SchoolList;
  /** Per point the row among the inspections, or −1. */
  readonly inspections: Int32Array;
};

class Schools {
  /** Whether Ofsted's ratings are loaded. */
  readonly hasRatings: boolean;
  readonly #lists: readonly JoinedList[];
  readonly #ratings: InspectionRows | undefined;
  readonly #reachesInWales: (circle: Circle) => boolean;

  constructor(release: Release) {
    const isLoaded = (dataset: DatasetName) => release.findDataset(dataset) !== undefined;
    this.hasRatings = isLoaded('ofsted');
    const ratings = this.hasRatings ? new InspectionRows(release) : undefined;
    this.#ratings = ratings;
    this.#reachesInWales = openReach(release, welshSchoolReachTable);
    this.#lists = schoolNations
      .filter((nation) => isLoaded(schoolLists[nation]))
      .map((nation) => {
        const list = new SchoolList(schoolsTable(nation).open(release));
        const inspections = new Int32Array(list.size).fill(-1);
        // Numbers of other nations may look like a URN.
        if (nation === 'England' && ratings !== undefined) {
          for (let point = 0; point < list.size; point += 1)
            inspections[point] = ratings.rowOf(list.numberAt(point));
        }
        return { nation, list, inspections };
      });
  }

  /** The nation whose own list is loaded and has every school of the circle. Undefined where there is none. */
  findList(nation: string | null, circle: Circle): SchoolNation | undefined {
    const found = this.#lists.find((joined) => joined.nation === nation)?.nation;
    return found === 'Wales' && !this.#reachesInWales(circle) ? undefined : found;
  }

  /** Every school of every loaded list within the circle, in no order. */
  within(circle: Circle): readonly NearbySchool[] {
    const found: NearbySchool[] = [];
    const ratings = this.#ratings;
    for (const { nation, list, inspections } of this.#lists) {
      list.eachWithin(circle, (index, metres) => {
        const row = defined(inspections[index]);
        const isRated = ratings !== undefined && row >= 0;
        found.push({
          nation,
          index,
          number: list.numberAt(index),
          metres,
          teachesPrimary: list.teachesPrimary(index),
          teachesSecondary: list.teachesSecondary(index),
          tier: isRated ? ratings.tierAt(row) : 0,
          isOutstanding: isRated && ratings.isOutstandingAt(row),
        });
      });
    }
    return found;
  }

  /** What `within` found, in full. */
  describe({ nation, index }: NearbySchool): School {
    const joined = this.#lists.find((one) => one.nation === nation);
    if (joined === undefined) throw new RangeError(`No schools of ${nation} are loaded.`);
    const row = defined(joined.inspections[index]);
    return {
      ...joined.list.factsAt(index),
      point: joined.list.placeOf(index),
      rating: (row < 0 ? undefined : this.#ratings?.at(row)) ?? null,
    };
  }

  /** The nation's list as it was loaded; empty where it is not. */
  allOf(nation: SchoolNation): readonly PlacedSchool[] {
    return [...(this.#listOf(nation)?.all() ?? [])];
  }

  /** What the nation's list was called when it was loaded. */
  publicationOf(nation: SchoolNation): string | undefined {
    return this.#listOf(nation)?.publication;
  }

  #listOf(nation: SchoolNation): SchoolList | undefined {
    return this.#lists.find((joined) => joined.nation === nation)?.list;
  }
}

/** A release without any list covers no nation. */
export const openSchools: (release: Release) => Schools = oncePerRelease((release) => new Schools(release));
