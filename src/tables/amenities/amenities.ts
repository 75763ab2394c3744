// Shops, surgeries, parks and the like from a map: an index of points for each kind, the nodes of parks' outlines, and
// the cells that the map covers. src/tables/amenities/amenities-builder.ts writes the columns.

import { outOfRange } from '../../columns/out-of-range.ts';
import { type Circle, eachOf, PointBands } from '../../columns/point-bands.ts';
import type { Part } from '../../release/part.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';
import type { LatLong } from '../../uk/grid.ts';
import { type CoverageCells, openCells } from './coverage-cells.ts';

export const amenitiesPart = 'amenities';
/** What only a later load asks for: which object of the map each point is, and which extracts were read. */
export const amenityOriginsPart = 'amenity-origins';

/** What has one point each. Parks have outlines instead. Only ever add at the end. */
export const pointKinds = [
  'supermarket',
  'convenience-store',
  'restaurant',
  'cafe',
  'takeaway',
  'pub-or-bar',
  'gp',
  'pharmacy',
  'dentist',
  'hospital',
  'playground',
  'gym',
  'library',
  'post-office',
  'bank',
  'cycle-hire',
] as const;
export type PointKind = (typeof pointKinds)[number];
export type AmenityKind = PointKind | 'park';

/** Name of a kind's column in the part they share. */
export const amenityColumn = (kind: AmenityKind, name: string): string => `${kind} ${name}`;

const always = () => true;
/** Tried first: in a city thousands of nodes lie within the half kilometre that the index begins with. */
const firstReachesMetres = [50, 200];

type Outlines = {
  /** Nodes of all outlines. */
  readonly nodes: PointBands;
  /** Number of the park that each node belongs to. */
  readonly parkOf: Uint32Array;
  /** Number of the search that last met the park; they begin anew after 2³². */
  readonly metIn: Uint32Array;
};

export class Amenities {
  readonly #cells: CoverageCells;
  readonly #points: ReadonlyMap<PointKind, PointBands>;
  readonly #cycleHire: { readonly latitude: Int32Array; readonly longitude: Int32Array };
  readonly #parks: Outlines;
  #search = 0;

  constructor(part: Part) {
    this.#cells = openCells(part, 'coverage');
    this.#points = new Map(pointKinds.map((kind) => [kind, openIndex(part, kind)]));
    this.#cycleHire = {
      latitude: part.i32(amenityColumn('cycle-hire', 'latitude')),
      longitude: part.i32(amenityColumn('cycle-hire', 'longitude')),
    };
    this.#parks = {
      nodes: openIndex(part, 'park'),
      parkOf: part.u32(amenityColumn('park', 'park')),
      metIn: new Uint32Array(part.u32(amenityColumn('park', 'count'))[0] ?? outOfRange()),
    };
  }

  /** Whether the map covers the place and, with a radius, all that lies within it. Where it does not, counts say
   *  nothing. */
  covers(from: LatLong, radiusMetres = 0): boolean {
    return this.#cells.covers(from, radiusMetres);
  }

  /** Parks count by the node of their outline that is nearest. */
  countWithin(kind: AmenityKind, circle: Circle): number {
    if (kind === 'park') return this.#countParks(circle);
    const runs = this.#points.get(kind)?.within(circle) ?? [];
    let count = 0;
    for (let run = 0; run < runs.length; run += 2)
      count += (runs[run + 1] ?? outOfRange()) - (runs[run] ?? outOfRange());
    return count;
  }

  /** Undefined where none is that near. */
  findNearestMetres(kind: AmenityKind, from: LatLong, withinMetres: number): number | undefined {
    const index = kind === 'park' ? this.#parks.nodes : this.#points.get(kind);
    for (const reach of firstReachesMetres) {
      const near = index?.nearest(from, Math.min(reach, withinMetres), always);
      if (near !== undefined) return near.metres;
    }
    return index?.nearest(from, withinMetres, always)?.metres;
  }

  /** Stations for hiring bicycles; shops that hire them out are not among them. */
  cycleHireWithin(circle: Circle): readonly LatLong[] {
    const { latitude, longitude } = this.#cycleHire;
    const runs = this.#points.get('cycle-hire')?.within(circle) ?? new Uint32Array();
    return Array.from(eachOf(runs), (point) => ({
      latitudeDegrees: (latitude[point] ?? outOfRange()) / 1e6,
      longitudeDegrees: (longitude[point] ?? outOfRange()) / 1e6,
    }));
  }

  #countParks(circle: Circle): number {
    const { nodes, parkOf, metIn } = this.#parks;
    this.#search = (this.#search + 1) % 2 ** 32;
    let count = 0;
    const runs = nodes.within(circle);
    for (let run = 0; run < runs.length; run += 2) {
      for (let node = runs[run] ?? outOfRange(); node < (runs[run + 1] ?? outOfRange()); node += 1) {
        const park = parkOf[node] ?? outOfRange();
        if (metIn[park] === this.#search) continue;
        metIn[park] = this.#search;
        count += 1;
      }
    }
    return count;
  }
}

const openIndex = (part: Part, kind: AmenityKind): PointBands =>
  new PointBands(
    part.i32(amenityColumn(kind, 'latitude')),
    part.i32(amenityColumn(kind, 'longitude')),
    part.i32(amenityColumn(kind, 'first-band'))[0] ?? outOfRange(),
    part.u32(amenityColumn(kind, 'band-starts')),
  );

/** Throws ReleaseDamaged when the release has no such table; ask `findDataset('amenities')` first. */
export const openAmenities: (release: Release) => Amenities = oncePerRelease(
  (release) => new Amenities(release.part(amenitiesPart)),
);
