// Lays out what amenities.ts reads. An object of the map counts once however many extracts have it. What a release had
// before can be read back, so that a load can build on it.

import { encodePoints } from '../../columns/point-bands.ts';
import { defined, outOfRange } from '../../out-of-range.ts';
import type { Columns, Part } from '../../release/part.ts';
import type { Release } from '../../release/reader.ts';
import type { LatLong } from '../../uk/grid.ts';
import {
  type AmenityKind,
  amenitiesPart,
  amenityBoxesPart,
  amenityBoxesTable,
  amenityCoverageTable,
  amenityNamesPart,
  amenityNamesTable,
  amenityOriginsPart,
  amenityOriginsTable,
  amenityPointsTable,
  extractCellsTable,
  mapExtractsTable,
  type PointKind,
  parkNodesTable,
  pointKinds,
} from './amenities.ts';
import { CoverageCells, encodeCells, inside, openCells, outside } from './coverage-cells.ts';
import { encodeBoxes, type MapBox, openBoxes } from './map-box.ts';

export type MapExtract = {
  /** Which part of the world: the same for every edition of an extract. */
  readonly region: string;
  /** Milliseconds since 1970. */
  readonly asOfMs: number;
  readonly cells: CoverageCells;
  /** Its edges, where it was cut to a rectangle. */
  readonly box?: MapBox | undefined;
};

/** What one extract has of one kind; `object` tells it from every other object of the map. */
type MappedPoint = {
  readonly kind: PointKind;
  readonly object: number;
  /** Absent where it is not known. */
  readonly name?: string;
  readonly latitudeMicro: number;
  readonly longitudeMicro: number;
};

type MappedPark = {
  readonly kind: 'park';
  readonly object: number;
  readonly name?: string;
  /** Latitude and longitude of each node, in millionths of a degree. */
  readonly outline: Int32Array;
};

export type Mapped = MappedPoint | MappedPark;

type Found<T> = { readonly extract: number; readonly mapped: T };

export class AmenitiesBuilder {
  readonly #extracts: MapExtract[] = [];
  readonly #points = new Map<PointKind, Map<number, Found<MappedPoint>>>(
    pointKinds.map((kind) => [kind, new Map()]),
  );
  readonly #parks = new Map<number, Found<MappedPark>>();

  /** Takes extracts newest first. Of an object the newest extract counts; well inside its area no older one adds any. */
  add(extract: MapExtract, found: Iterable<Mapped>): void {
    const newer = this.#extracts.map(({ cells }) => cells);
    const number = this.#extracts.push(extract) - 1;
    for (const mapped of found) {
      const place = placeOf(mapped);
      if (newer.some((cells) => cells.covers(place, insideMetres))) continue;
      if (mapped.kind === 'park') putFirst(this.#parks, mapped, number);
      else putFirst(this.#points.get(mapped.kind), mapped, number);
    }
  }

  /** Number of objects; one that is of several kinds counts for each. */
  get size(): number {
    return [...this.#points.values()].reduce((sum, points) => sum + points.size, this.#parks.size);
  }

  has({ kind, object }: Mapped): boolean {
    return (kind === 'park' ? this.#parks : this.#points.get(kind))?.has(object) ?? false;
  }

  get extracts(): readonly MapExtract[] {
    return this.#extracts;
  }

  encode(): Readonly<Record<string, Columns>> {
    const kinds = [...this.#points].map(([kind, points]) => encodeKind(kind, [...points.values()]));
    const parks = [...this.#parks.values()];
    const coverage = encodeCells(joinCells(this.#extracts.map(({ cells }) => cells)));
    const extracts = {
      regions: this.#extracts.map(({ region }) => region),
      'as-of': Float64Array.from(this.#extracts, ({ asOfMs }) => asOfMs),
    };
    const boxes = this.#extracts.flatMap(({ box }, extract) => (box === undefined ? [] : [{ extract, box }]));
    return {
      ...(boxes.length === 0 ? {} : { [amenityBoxesPart]: amenityBoxesTable.encode(encodeBoxes(boxes)) }),
      [amenitiesPart]: {
        ...amenityCoverageTable.encode(coverage),
        ...joined(kinds.map(({ points }) => points)),
        ...encodeParks(parks),
      },
      [amenityNamesPart]: {
        ...joined(kinds.map(({ names }) => names)),
        ...encodeNames('park', parks),
      },
      [amenityOriginsPart]: {
        ...mapExtractsTable.encode(extracts),
        ...joined(
          this.#extracts.map(({ cells }, number) => extractCellsTable(number).encode(encodeCells(cells))),
        ),
        ...joined(kinds.map(({ origins }) => origins)),
        ...encodeOrigins('park', parks),
      },
    };
  }
}

/** Nearer to its edge than this, an extract may lack objects that cross it. */
const insideMetres = 1_000;

const joined = (columns: readonly Columns[]): Columns => Object.assign({}, ...columns);

const placeOf = (mapped: Mapped): LatLong => {
  const [latitude = outOfRange(), longitude = outOfRange()] =
    mapped.kind === 'park' ? mapped.outline : [mapped.latitudeMicro, mapped.longitudeMicro];
  return { latitudeDegrees: latitude / 1e6, longitudeDegrees: longitude / 1e6 };
};

function putFirst<T extends Mapped>(
  known: Map<number, Found<T>> | undefined,
  mapped: T,
  extract: number,
): void {
  if (known?.has(mapped.object) === false) known.set(mapped.object, { extract, mapped });
}

const encodeOrigins = (kind: string, found: readonly Found<Mapped>[]): Columns =>
  amenityOriginsTable(kind).encode({
    object: Float64Array.from(found, ({ mapped }) => mapped.object),
    extract: Uint16Array.from(found, ({ extract }) => extract),
  });

const encodeNames = (kind: AmenityKind, found: readonly Found<Mapped>[]): Columns =>
  amenityNamesTable(kind).encode({ name: found.map(({ mapped }) => mapped.name ?? '') });

function encodeKind(kind: PointKind, points: readonly Found<MappedPoint>[]) {
  const { order, columns } = encodePoints(
    Int32Array.from(points, ({ mapped }) => mapped.latitudeMicro),
    Int32Array.from(points, ({ mapped }) => mapped.longitudeMicro),
  );
  const ordered = Array.from(order, (at) => defined(points[at]));
  return {
    points: amenityPointsTable(kind).encode(columns),
    names: encodeNames(kind, ordered),
    origins: encodeOrigins(kind, ordered),
  };
}

function encodeParks(parks: readonly Found<MappedPark>[]): Columns {
  const count = parks.reduce((sum, { mapped }) => sum + mapped.outline.length / 2, 0);
  const latitude = new Int32Array(count);
  const longitude = new Int32Array(count);
  const parkOf = new Uint32Array(count);
  let node = 0;
  for (const [park, { mapped }] of parks.entries()) {
    for (let at = 0; at < mapped.outline.length; at += 2) {
      latitude[node] = defined(mapped.outline[at]);
      longitude[node] = defined(mapped.outline[at + 1]);
      parkOf[node] = park;
      node += 1;
    }
  }
  const { order, columns } = encodePoints(latitude, longitude);
  return parkNodesTable.encode({
    ...columns,
    park: Uint32Array.from(order, (at) => defined(parkOf[at])),
    count: Uint32Array.of(parks.length),
  });
}

/** When each region was last loaded. */
export function loadedRegions(release: Release): ReadonlyMap<string, number> {
  const { regions, 'as-of': asOf } = mapExtractsTable.read(release.readPart(amenityOriginsPart));
  return new Map(Array.from(asOf, (asOfMs, number): [string, number] => [regions.at(number), asOfMs]));
}

/** What a release has, extract by extract, for another builder. */
export function* readBack(
  release: Release,
): Generator<{ readonly extract: MapExtract; readonly found: readonly Mapped[] }> {
  // Not kept in memory: only a load reads them.
  const origins = release.readPart(amenityOriginsPart);
  const { regions, 'as-of': asOf } = mapExtractsTable.read(origins);
  const found = Array.from(asOf, (): Mapped[] => []);
  for (const kind of pointKinds) readKind(kind, release, origins, found);
  readParks(release, origins, found);
  const boxes = amenityBoxesTable.isIn(release) ? openBoxes(amenityBoxesTable.open(release)) : new Map();
  for (const [number, asOfMs] of asOf.entries()) {
    const cells = openCells(extractCellsTable(number).read(origins));
    const extract = { region: regions.at(number), asOfMs, cells, box: boxes.get(number) };
    yield { extract, found: defined(found[number]) };
  }
}

function readKind(kind: PointKind, release: Release, origins: Part, found: readonly Mapped[][]): void {
  const { latitude, longitude } = amenityPointsTable(kind).open(release);
  const { object: objects, extract } = amenityOriginsTable(kind).read(origins);
  const nameOf = namesIn(release, kind);
  for (const [point, object] of objects.entries()) {
    const latitudeMicro = defined(latitude[point]);
    const longitudeMicro = defined(longitude[point]);
    const own = defined(found[defined(extract[point])]);
    own.push({ kind, object, name: nameOf(point), latitudeMicro, longitudeMicro });
  }
}

function readParks(release: Release, origins: Part, found: readonly Mapped[][]): void {
  const { latitude, longitude, park: parkOf } = parkNodesTable.open(release);
  const { object: objects, extract } = amenityOriginsTable('park').read(origins);
  const nameOf = namesIn(release, 'park');
  const outlines = Array.from(objects, (): number[] => []);
  for (const [node, park] of parkOf.entries()) {
    const outline = defined(outlines[park]);
    outline.push(defined(latitude[node]), defined(longitude[node]));
  }
  for (const [park, object] of objects.entries()) {
    const outline = Int32Array.from(defined(outlines[park]));
    const own = defined(found[defined(extract[park])]);
    own.push({ kind: 'park', object, name: nameOf(park), outline });
  }
}

function namesIn(release: Release, kind: AmenityKind): (index: number) => string {
  const { name } = amenityNamesTable(kind).open(release);
  return (index) => name.at(index);
}

/** Cells of several maps as one: what is inside any of them is inside. */
function joinCells(maps: readonly CoverageCells[]): CoverageCells {
  const least = (numbers: readonly number[]) => Math.min(...numbers);
  const windows = maps.map(({ window }) => window);
  const firstRow = least(windows.map((window) => window.firstRow));
  const firstColumn = least(windows.map((window) => window.firstColumn));
  const rows = -least(windows.map((window) => -window.firstRow - window.rows)) - firstRow;
  const columns = -least(windows.map((window) => -window.firstColumn - window.columns)) - firstColumn;
  const joined = new Uint8Array(rows * columns);
  for (const { window, cells } of maps) {
    for (let at = 0; at < cells.length; at += 1) {
      const kind = defined(cells[at]);
      if (kind === outside) continue;
      const row = window.firstRow + Math.floor(at / window.columns) - firstRow;
      const to = row * columns + window.firstColumn + (at % window.columns) - firstColumn;
      if (joined[to] !== inside) joined[to] = kind;
    }
  }
  return new CoverageCells({ firstRow, firstColumn, rows, columns }, joined);
}
