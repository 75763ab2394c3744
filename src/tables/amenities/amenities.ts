// Shops, surgeries, parks and the like from a map: an index of points for each kind, the nodes of parks' outlines, and
// the cells that the map covers. amenities-builder.ts writes the columns.

import { type Circle, countOf, eachOf, PointBands } from '../../columns/point-bands.ts';
import { defined, outOfRange } from '../../out-of-range.ts';
import { counts, f64, into, intoPart, strings, u16, u32 } from '../../release/column.ts';
import type { Strings } from '../../release/part.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';
import { table } from '../../release/table.ts';
import type { LatLong } from '../../uk/grid.ts';
import { byBand, pointColumns } from '../point-columns.ts';
import { type CoverageCells, cellColumns, openCells } from './coverage-cells.ts';
import { boxColumns, holdsCircle, type MapBox, openBoxes } from './map-box.ts';

export const amenitiesPart = 'amenities';
/** What only a later load asks for: which object of the map each point is, and which extracts were read. */
export const amenityOriginsPart = 'amenity-origins';
/** Only a list of places asks for it. */
export const amenityNamesPart = 'amenity-names';
/** Only where an extract was cut to a rectangle. */
export const amenityBoxesPart = 'amenity-boxes';

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

const origin = { dataset: 'amenities', layout: 1 } as const;

export const amenityCoverageTable = table({
  part: amenitiesPart,
  prefix: 'coverage',
  origin,
  about:
    'Which places the map covers. Cells are 5,000 millionths of a degree of latitude by 8,000 of longitude, and counted from latitude and longitude 0.',
  order: 'cells in rows from south to north, each from west to east',
  columns: cellColumns,
});

const amenityPointColumns = pointColumns('point');

export const amenityPointsTable = (kind: string) =>
  table({
    part: amenitiesPart,
    prefix: kind,
    origin,
    about: `What has one point each, by kind: ${pointKinds.map((known) => `\`${known}\``).join(', ')}.`,
    order: byBand,
    columns: amenityPointColumns,
  });

export const parkNodesTable = table({
  part: amenitiesPart,
  prefix: 'park',
  origin,
  about: 'Nodes of the outlines of all parks.',
  order: byBand,
  columns: {
    ...pointColumns('node'),
    park: u32('node', 'the park that it belongs to', into('park')),
    count: counts('park'),
  },
});

const amenityNameColumns = {
  name: strings('object', 'name on the map; empty: none'),
};

export const amenityNamesTable = (kind: string) =>
  table({
    part: amenityNamesPart,
    prefix: kind,
    origin,
    about: 'Names of the points of each kind, and of each `park`.',
    order: 'as the points of the kind; parks as they are numbered',
    columns: amenityNameColumns,
  });

export const mapExtractsTable = table({
  part: amenityOriginsPart,
  origin,
  about: 'The extracts that were read.',
  order: 'newest first',
  columns: {
    regions: strings('extract', 'part of the world that it is of'),
    'as-of': f64('extract', 'milliseconds since 1970-01-01'),
  },
});

export const extractCellsTable = (extract: number | string) =>
  table({
    part: amenityOriginsPart,
    prefix: String(extract),
    origin,
    about: 'What one extract covers, as under `coverage` of `amenities`.',
    columns: cellColumns,
  });

export const amenityBoxesTable = table({
  part: amenityBoxesPart,
  origin,
  about:
    'Only with extracts that were cut to a rectangle: its edges, in millionths of a degree. Of such an extract `coverage` has the cells that lie wholly in it.',
  columns: boxColumns(amenityOriginsPart),
});

const amenityOriginColumns = {
  object: f64('object', '4 × its id in OpenStreetMap + its type (0 node, 1 way, 2 relation)'),
  extract: u16('object', 'the extract that it was read from', intoPart(amenityOriginsPart, 'extract')),
};

export const amenityOriginsTable = (kind: string) =>
  table({
    part: amenityOriginsPart,
    prefix: kind,
    origin,
    about: 'Which object of the map each point of a kind is, and each `park`.',
    order: 'as the points of the kind; parks as they are numbered',
    columns: amenityOriginColumns,
  });

const always = () => true;
/** Tried first: in a city thousands of nodes lie within the half kilometre that the index begins with. */
const firstReachesMetres = [50, 200];

type Outlines = {
  /** Nodes of all outlines. */
  readonly nodes: PointBands;
  /** Number of the park that each node belongs to. */
  readonly parkOf: Uint32Array;
  /** Number of the search that last met the park; the numbers start again after 2³². */
  readonly metIn: Uint32Array;
};

type NearAmenity = {
  readonly kind: AmenityKind;
  /** Place in the list of its kind. */
  readonly index: number;
  readonly metres: number;
  /** Of a park the nearest node of its outline. */
  readonly point: LatLong;
};

export class Amenities {
  readonly #release: Release;
  readonly #cells: CoverageCells;
  readonly #boxes: readonly MapBox[];
  readonly #points: ReadonlyMap<PointKind, PointBands>;
  readonly #parks: Outlines;
  /** Opened when the first name of a kind is asked for. */
  readonly #names = new Map<AmenityKind, Strings>();
  #search = 0;

  constructor(release: Release) {
    this.#release = release;
    this.#cells = openCells(amenityCoverageTable.open(release));
    this.#boxes = amenityBoxesTable.isIn(release)
      ? [...openBoxes(amenityBoxesTable.open(release)).values()]
      : [];
    this.#points = new Map(
      pointKinds.map((kind) => [kind, new PointBands(amenityPointsTable(kind).open(release))]),
    );
    const parks = parkNodesTable.open(release);
    const [parkCount = outOfRange()] = parks.count;
    this.#parks = { nodes: new PointBands(parks), parkOf: parks.park, metIn: new Uint32Array(parkCount) };
  }

  /** Whether the map covers the place and, with a radius, all that lies within it. Where it does not, counts say
   *  nothing. */
  covers(from: LatLong, radiusMetres = 0): boolean {
    return (
      this.#cells.covers(from, radiusMetres) ||
      this.#boxes.some((box) => holdsCircle(box, from, radiusMetres))
    );
  }

  /** A park counts where the nearest node of its outline does. */
  countWithin(kind: AmenityKind, circle: Circle): number {
    if (kind === 'park') return this.#countParks(circle);
    return countOf(this.#indexOf(kind).within(circle));
  }

  /** Undefined where none is that near. */
  findNearestMetres(kind: AmenityKind, from: LatLong, withinMetres: number): number | undefined {
    const index = kind === 'park' ? this.#parks.nodes : this.#indexOf(kind);
    for (const reach of firstReachesMetres) {
      const near = index.nearest(from, Math.min(reach, withinMetres), always);
      if (near !== undefined) return near.metres;
    }
    return index.nearest(from, withinMetres, always)?.metres;
  }

  /** Stations for hiring bicycles, without shops that hire them out. */
  cycleHireWithin(circle: Circle): readonly LatLong[] {
    const index = this.#indexOf('cycle-hire');
    return Array.from(eachOf(index.within(circle)), (point) => index.placeOf(point));
  }

  /** Those that `countWithin` counts, in the order of the index. */
  listWithin(kind: AmenityKind, circle: Circle): readonly NearAmenity[] {
    if (kind === 'park') return this.#listParks(circle);
    const points = this.#indexOf(kind);
    return Array.from(eachOf(points.within(circle)), (index) => ({
      kind,
      index,
      metres: points.distanceMetres(circle, index),
      point: points.placeOf(index),
    }));
  }

  /** Nodes of outlines in the circle: the number of the park, and millionths of a degree. */
  eachParkNode(
    circle: Circle,
    visit: (park: number, latitudeMicro: number, longitudeMicro: number) => void,
  ): void {
    const { nodes, parkOf } = this.#parks;
    nodes.eachWithin(circle, (node, latitude, longitude) =>
      visit(defined(parkOf[node]), latitude, longitude),
    );
  }

  /** Parks are numbered from 0. */
  get parkCount(): number {
    return this.#parks.metIn.length;
  }

  /** Null where the map has none. */
  nameOf({ kind, index }: Pick<NearAmenity, 'kind' | 'index'>): string | null {
    const names = this.#names.get(kind) ?? amenityNamesTable(kind).open(this.#release).name;
    this.#names.set(kind, names);
    return names.at(index) || null;
  }

  #indexOf(kind: PointKind): PointBands {
    return defined(this.#points.get(kind));
  }

  #listParks(circle: Circle): readonly NearAmenity[] {
    const { nodes, parkOf } = this.#parks;
    const nearest = new Map<number, { readonly node: number; readonly metres: number }>();
    for (const node of eachOf(nodes.within(circle))) {
      const park = defined(parkOf[node]);
      const metres = nodes.distanceMetres(circle, node);
      if (metres < (nearest.get(park)?.metres ?? Number.POSITIVE_INFINITY))
        nearest.set(park, { node, metres });
    }
    return Array.from(nearest, ([index, { node, metres }]) => ({
      kind: 'park',
      index,
      metres,
      point: nodes.placeOf(node),
    }));
  }

  #countParks(circle: Circle): number {
    const { nodes, parkOf, metIn } = this.#parks;
    this.#search = (this.#search + 1) % 2 ** 32;
    let count = 0;
    const found = nodes.within(circle);
    for (let at = 0; at < found.length; at += 2) {
      const end = defined(found[at + 1]);
      for (let node = defined(found[at]); node < end; node += 1) {
        const park = defined(parkOf[node]);
        if (metIn[park] === this.#search) continue;
        metIn[park] = this.#search;
        count += 1;
      }
    }
    return count;
  }
}

/** Throws ReleaseDamaged when the release has no such table; ask `findDataset('amenities')` first. */
export const openAmenities: (release: Release) => Amenities = oncePerRelease(
  (release) => new Amenities(release),
);
