// A made-up country for the area statistics, seeded: LSOAs where the towns are, postcodes in them, and three years of
// crime. Written with the tables' own builders into a release, without the official files in between.

import { performance } from 'node:perf_hooks';
import type { DatasetName } from '../../src/datasets.ts';
import { outOfRange } from '../../src/out-of-range.ts';
import type { KnownDataset } from '../../src/release/manifest.ts';
import type { Columns } from '../../src/release/part.ts';
import { crimeAreasPart } from '../../src/tables/crime/areas.ts';
import { encodeCrimeAreas } from '../../src/tables/crime/areas-builder.ts';
import { MonthRows } from '../../src/tables/crime/month-rows.ts';
import { PostcodesBuilder } from '../../src/tables/postcodes/postcodes-builder.ts';
import { postcodesPart } from '../../src/tables/postcodes/postcodes-table.ts';
import { crimeCategories, findForceOfArea } from '../../src/uk/police.ts';
import { packedPerOutcode } from '../../src/uk/postcode.ts';
import { makeCategory, makePoint } from '../crime/made-up.ts';
import { chooseOutcodes } from '../postcodes/country.ts';

export const lsoaCount = 35_672;
const postcodeCount = 1_745_849;
const incidentsPerMonth = 555_000;
const months = 36;
const firstMonth = 12 * 2023 + 9;
/** Half of an LSOA's width and height, in millionths of a degree: some hundreds of metres. */
const reachMicro = 5_000;

export type Lsoa = {
  readonly code: string;
  readonly latitudeMicro: number;
  readonly longitudeMicro: number;
  readonly forceArea: string;
  readonly residents: number;
};

export type MadePart = { readonly dataset: DatasetName; readonly part: string; readonly columns: Columns };

export const code = (prefix: string, number: number) => `${prefix}${String(number).padStart(6, '0')}`;

/** The 43 of England and Wales. */
const forceAreas = [
  ...Array.from({ length: 39 }, (_, at) => code('E23', at + 1)),
  ...Array.from({ length: 4 }, (_, at) => code('W15', at + 1)),
];

/** Neighbours have neighbouring numbers, as in the real country. */
export function makeLsoas(random: () => number): readonly Lsoa[] {
  const places = Array.from({ length: lsoaCount }, () => makePoint(random)).sort(
    (a, b) => a.force - b.force || a.latitudeMicro - b.latitudeMicro,
  );
  return places.map(({ latitudeMicro, longitudeMicro, force }, at) => ({
    code: code('E01', at + 1),
    latitudeMicro,
    longitudeMicro,
    // Crime is made up for one force more than has an area.
    forceArea: forceAreas[force % forceAreas.length] ?? outOfRange(),
    residents: 1_000 + Math.floor(random() * 2_000),
  }));
}

export function makePostcodes(lsoas: readonly Lsoa[], random: () => number): MadePart {
  const builder = new PostcodesBuilder();
  const outcodes = chooseOutcodes(random);
  const perOutcode = postcodeCount / outcodes.length;
  const density = perOutcode / packedPerOutcode;
  let number = 0;
  for (const outcode of outcodes) {
    for (let unit = 0; unit < packedPerOutcode; unit += 1) {
      if (random() >= density) continue;
      const at = Math.min(lsoas.length - 1, Math.floor((number * lsoas.length) / postcodeCount));
      const lsoa = lsoas[at];
      if (lsoa === undefined) continue;
      const codes = [code('E06', at % 350), code('E05', at >> 2), '', code('E12', at % 9)];
      const place = builder.place(
        'England',
        [...codes, lsoa.code, code('E02', at >> 2), lsoa.forceArea].map((text) => builder.code(text)),
      );
      const packed = outcode * packedPerOutcode + unit;
      builder.add({
        packed,
        place,
        latitude: lsoa.latitudeMicro + Math.round((random() - 0.5) * 2 * reachMicro),
        longitude: lsoa.longitudeMicro + Math.round((random() - 0.5) * 3 * reachMicro),
        easting: 0,
        northing: 0,
        terminated: 0,
        usage: null,
      });
      number += 1;
    }
  }
  return { dataset: 'postcodes', part: postcodesPart, columns: builder.finish().columns };
}

/** Twenty million incidents, counted as the ingest counts them; tells how long that alone took. */
export function makeCrime(lsoas: readonly Lsoa[], random: () => number): { part: MadePart; ms: number } {
  const pointsPerLsoa = 20;
  const lsoaOfPoint = Uint32Array.from(
    { length: lsoas.length * pointsPerLsoa },
    (_, point) => 1 + Math.floor(point / pointsPerLsoa),
  );
  const forces = forceAreas.map((area) => findForceOfArea(area) ?? outOfRange());
  const forceOf = lsoas.map(({ forceArea }) => forceAreas.indexOf(forceArea));
  const monthNumbers = Array.from({ length: months }, (_, at) => firstMonth + at);
  const rows = new Uint32Array(forces.length * months);
  // Everything is drawn before the clock starts.
  const made = monthNumbers.map((_, column) => {
    const drawn = new MonthRows();
    for (let row = 0; row < incidentsPerMonth; row += 1) {
      const lsoa = Math.floor(random() ** 1.5 * lsoas.length);
      const force = forceOf[lsoa] ?? outOfRange();
      drawn.add(
        lsoa * pointsPerLsoa + Math.floor(random() * pointsPerLsoa),
        makeCategory(random),
        0,
        0,
        force,
      );
      const cell = force * months + column;
      rows[cell] = (rows[cell] ?? 0) + 1;
    }
    return drawn;
  });
  const begun = performance.now();
  const columns = encodeCrimeAreas(
    {
      months: monthNumbers,
      month: (month) => made[month - firstMonth] ?? new MonthRows(),
      lsoaOfPoint,
      published: rows,
    },
    {
      names: [],
      lsoas: lsoas.map((lsoa) => lsoa.code),
      forces,
      categories: crimeCategories.map(({ slug }) => slug),
      outcomes: [],
    },
  );
  const ms = performance.now() - begun;
  return { part: { dataset: 'crime', part: crimeAreasPart, columns }, ms };
}

export const describeDataset = (
  name: DatasetName,
  parts: readonly string[],
): Omit<KnownDataset, 'layout'> => ({
  name,
  title: name,
  source: 'made up',
  publisher: 'nobody',
  publisherShort: 'nobody',
  licence: 'none',
  attribution: 'none',
  edition: '2026',
  asOf: '2026-09-30',
  loadedAt: '2026-11-15T00:00:00Z',
  rows: 1,
  rejects: {},
  extent: 'complete',
  coverage: {},
  nextEditionExpected: null,
  files: [],
  parts,
});
