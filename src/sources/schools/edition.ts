// What the school lists of the three nations have in common: where a school is, and that an edition replaces the one
// before as a whole, unless it is older or lacks most of it.

import { refuseOlder } from '../../ingest/dating.ts';
import { FileRefused, IngestRefused } from '../../ingest/refusal.ts';
import type { Into, Loaded, RecognisedFile } from '../../ingest/source.ts';
import { formatCount } from '../../ingest/tally.ts';
import { openPostcodes, type Postcodes } from '../../tables/postcodes/postcodes.ts';
import {
  encodeSchools,
  openSchools,
  type PlacedSchool,
  type Placing,
  type SchoolNation,
  schoolLists,
} from '../../tables/schools/schools.ts';
import { formatDay } from '../../uk/calendar.ts';
import { gridToLatLong, type LatLong } from '../../uk/grid.ts';
import { parsePostcode } from '../../uk/postcode.ts';
import { loadedBefore } from '../sample-loader.ts';

/** Great Britain with its islands. A point outside is a typing error. */
const isInBritain = ({ latitudeDegrees, longitudeDegrees }: LatLong) =>
  latitudeDegrees > 49.8 && latitudeDegrees < 61 && longitudeDegrees > -8.7 && longitudeDegrees < 1.9;

export type Located = { readonly point: LatLong; readonly placing: Placing };

/** Finds where a school is, from what its list says. */
export class SchoolPlaces {
  readonly #postcodes: Postcodes | undefined;

  constructor(base: Into['base']) {
    const isLoaded = base?.findDataset('postcodes') !== undefined;
    this.#postcodes = isLoaded ? openPostcodes(base) : undefined;
  }

  get hasPostcodes(): boolean {
    return this.#postcodes !== undefined;
  }

  /** Metres of the national grid; blank, 0 or outside Great Britain is none. */
  ofGrid(easting: string, northing: string): Located | undefined {
    if (!/^\d{1,7}(\.\d+)?$/.test(easting) || !/^\d{1,7}(\.\d+)?$/.test(northing)) return undefined;
    const point = gridToLatLong(Number(easting), Number(northing));
    return isInBritain(point) ? { point, placing: 'grid reference' } : undefined;
  }

  ofCoordinates(latitudeDegrees: number, longitudeDegrees: number): Located | undefined {
    const point = { latitudeDegrees, longitudeDegrees };
    return isInBritain(point) ? { point, placing: 'coordinates' } : undefined;
  }

  /** The middle of the postcode, or why there is none. */
  ofPostcode(text: string): Located | string {
    const postcode = parsePostcode(text);
    if (postcode === undefined) return text === '' ? 'no postcode' : 'what stands as postcode is none';
    if (this.#postcodes === undefined) return 'no postcodes are loaded';
    const point = this.#postcodes.find(postcode)?.point;
    if (point === null || point === undefined)
      return 'the postcode has no location, or is not among those loaded';
    return { point, placing: 'postcode' };
  }
}

export type AgesTaught = { readonly teachesPrimary: boolean; readonly teachesSecondary: boolean };

/** Ages 5 to 10, and 12 to 15; neither where an age is not stated. */
export function agesTaught(low: string, high: string): AgesTaught {
  const isStated = /^\d{1,2}$/.test(low) && /^\d{1,2}$/.test(high);
  return {
    teachesPrimary: isStated && Number(low) <= 6 && Number(high) >= 10,
    teachesSecondary: isStated && Number(low) <= 12 && Number(high) >= 15,
  };
}

export type SchoolEdition = {
  /** The publication, in a word or two. */
  readonly list: string;
  readonly edition: string;
  /** Days since 1970-01-01. */
  readonly asOf: number;
};

/** Writes the part. Throws IngestRefused. */
export function writeSchools(
  nation: SchoolNation,
  schools: readonly PlacedSchool[],
  { list, edition, asOf }: SchoolEdition,
  files: readonly RecognisedFile[],
  into: Into,
): Loaded {
  const { base, tally } = into;
  if (schools.length === 0) {
    const reasons = tally.rejects.map(({ reason, count }) => `${formatCount(count)} ${reason}`).join('; ');
    throw new FileRefused(
      files.map(({ file }) => file.name).join(', '),
      `has no school to load; its rows: ${reasons === '' ? 'none' : reasons}`,
    );
  }
  refuseOlder(asOf, into);
  const loaded = loadedBefore(base, schoolLists[nation]);
  const before = loaded === undefined ? [] : openSchools(loaded).allOf(nation);
  if (2 * schools.length < before.length) {
    throw new IngestRefused(
      `Nothing was loaded: the file has ${formatCount(schools.length)} schools of ${nation}, and ${formatCount(before.length)} are loaded. Is it cut off, or a part of the list? An edition is loaded as a whole.`,
    );
  }
  const there = new Set(schools.map(({ number }) => number));
  for (const { number, name } of before) {
    if (!there.has(number)) tally.revise('school that is in the list no more', `${number} ${name}`);
  }
  tally.kept += schools.length;
  into.writePart(schoolLists[nation], encodeSchools(nation, schools, list));
  return {
    edition,
    asOf: formatDay(asOf),
    rows: schools.length,
    extent: 'complete',
    nextEditionExpected: null,
    coverage: { [nation]: `${formatCount(schools.length)} schools that teach primary or secondary ages` },
  };
}
