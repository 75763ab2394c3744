// What the school lists of the three nations have in common: where a school is, and that an edition replaces the one
// before as a whole, unless it is older or lacks most of it.

import { refuseOlder } from '../../ingest/dating.ts';
import { loadedBefore } from '../../ingest/losses.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { Into, Loaded, RecognisedFile, SampleCut } from '../../ingest/source.ts';
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
import { extentOfList } from '../../tables/whole.ts';
import { formatDay } from '../../uk/calendar.ts';
import { gridToLatLong, type LatLong } from '../../uk/grid.ts';
import { parsePostcode } from '../../uk/postcode.ts';

/** Great Britain with its islands. A point outside is a typing error. */
const isInBritain = ({ latitudeDegrees, longitudeDegrees }: LatLong) =>
  latitudeDegrees > 49.8 && latitudeDegrees < 61 && longitudeDegrees > -8.7 && longitudeDegrees < 1.9;

export type Located = { readonly point: LatLong; readonly placing: Placing };

/** Of the schools of a list. A few lie in postcodes that ended since; more mean that postcodes are missing. */
const mostUnplacedShare = 0.05;

/** Finds where a school is, from what its list says. */
export class SchoolPlaces {
  readonly #postcodes: Postcodes | undefined;
  /** Of a list that was cut out: the places of postcodes that are not loaded. */
  readonly #known: SampleCut['postcodes'];
  /** Which postcodes are loaded. */
  readonly #loaded: string;
  #unplaced = 0;
  #firstUnplaced = '';

  constructor({ base, cut }: Into) {
    this.#known = cut?.postcodes;
    const dataset = base?.findDataset('postcodes');
    this.#postcodes = base === undefined || dataset === undefined ? undefined : openPostcodes(base);
    this.#loaded =
      dataset === undefined
        ? 'no postcodes are loaded'
        : dataset.extent === 'sample'
          ? 'only the bundled sample of postcodes is loaded'
          : `only ${formatCount(dataset.rows)} postcodes of ${dataset.source} are loaded`;
  }

  /** Throws FileRefused where too many schools lie in postcodes that are not loaded: around them, the answer to how many
   *  schools there are would be 0. */
  refuseUnplaced(placed: number, files: readonly RecognisedFile[]): void {
    const all = placed + this.#unplaced;
    if (this.#unplaced <= all * mostUnplacedShare) return;
    throw new FileRefused(
      files.map(({ file }) => file.name).join(', '),
      `has ${formatCount(all)} schools, and ${formatCount(this.#unplaced)} of them cannot be placed: it gives no coordinates for them, and their postcodes (such as ${this.#firstUnplaced}) are not known, because ${this.#loaded}. Load the postcodes of the whole country first, or in the same run: the ONS Postcode Directory (ONSPD)`,
    );
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
    if (postcode === undefined) return text === '' ? 'no postcode' : 'its postcode is not valid';
    const point = this.#postcodes?.find(postcode)?.point ?? this.#known?.get(text);
    if (point !== null && point !== undefined) return { point, placing: 'postcode' };
    if (this.#unplaced === 0) this.#firstUnplaced = text;
    this.#unplaced += 1;
    return this.#postcodes === undefined
      ? 'no postcodes are loaded'
      : 'the postcode has no location, or is not among those loaded';
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

type Listed = { readonly schools: readonly PlacedSchool[]; readonly places: SchoolPlaces };

/** Writes the part. Throws IngestRefused. */
export function writeSchools(
  nation: SchoolNation,
  { schools, places }: Listed,
  { list, edition, asOf }: SchoolEdition,
  files: readonly RecognisedFile[],
  into: Into,
): Loaded {
  const { base, tally } = into;
  places.refuseUnplaced(schools.length, files);
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
  const there = new Set(schools.map(({ number }) => number));
  for (const { number, name } of before) {
    if (!there.has(number)) tally.revise('school that is no longer in the list', `${number} ${name}`);
  }
  tally.kept += schools.length;
  into.writePart(schoolLists[nation], encodeSchools(nation, schools, list));
  return {
    edition,
    asOf: formatDay(asOf),
    rows: schools.length,
    extent: extentOfList(
      schoolLists[nation],
      schools.map(({ point }) => point),
    ),
    nextEditionExpected: null,
    coverage: { [nation]: `${formatCount(schools.length)} schools that teach primary or secondary ages` },
  };
}
