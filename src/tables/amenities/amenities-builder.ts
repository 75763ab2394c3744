// Lays out what src/tables/amenities/amenities.ts reads. An object of the map counts once however many extracts have it, and what
// a release had before can be read back, so that a load can build on it.

import { outOfRange } from '../../columns/out-of-range.ts';
import { encodePoints } from '../../columns/point-bands.ts';
import type { Columns, Part } from '../../release/part.ts';
import type { Release } from '../../release/reader.ts';
import type { LatLong } from '../../uk/grid.ts';
import {
  type AmenityKind,
  amenitiesPart,
  amenityColumn,
  amenityOriginsPart,
  type PointKind,
  pointKinds,
} from './amenities.ts';
import { CoverageCells, encodeCells, inside, openCells, outside } from './coverage-cells.ts';

export type MapExtract = {
  /** Which part of the world: the same for every edition of an extract. */
  readonly region: string;
  /** Milliseconds since 1970. */
  readonly asOfMs: number;
  readonly cells: CoverageCells;
};

/** What one extract has of one kind; `object` tells it from every other object of the map. */
export type MappedPoint = {
  readonly kind: PointKind;
  readonly object: number;
  readonly latitudeMicro: number;
  readonly longitudeMicro: number;
};

export type MappedPark = {
  readonly kind: 'park';
  readonly object: number;
  /** Latitude and longitude of each node, in millionths of a degree. */
  readonly outline: Int32Array;
};

export type Mapped = MappedPoint | MappedPark;

type Kept<T> = { readonly extract: number; readonly mapped: T };

export class AmenitiesBuilder {
  readonly #extracts: MapExtract[] = [];
  readonly #points = new Map<PointKind, Map<number, Kept<MappedPoint>>>(
    pointKinds.map((kind) => [kind, new Map()]),
  );
  readonly #parks = new Map<number, Kept<MappedPark>>();

  /** Takes extracts newest first: what a newer one has of an object stands, and well inside its area it alone. */
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

  /** Objects, each once for every kind it is of. */
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
    const table: Record<string, Columns[string]> = {
      ...encodeCells('coverage', joinCells(this.#extracts.map(({ cells }) => cells))),
    };
    const origins: Record<string, Columns[string]> = {
      regions: this.#extracts.map(({ region }) => region),
      'as-of': Float64Array.from(this.#extracts, ({ asOfMs }) => asOfMs),
    };
    for (const [number, { cells }] of this.#extracts.entries())
      Object.assign(origins, encodeCells(String(number), cells));
    for (const [kind, points] of this.#points) encodeKind(kind, [...points.values()], table, origins);
    encodeParks([...this.#parks.values()], table, origins);
    return { [amenitiesPart]: table, [amenityOriginsPart]: origins };
  }
}

/** Nearer to its edge an extract may lack what lies across. */
const insideMetres = 1_000;

const placeOf = (mapped: Mapped): LatLong => {
  const [latitude = 0, longitude = 0] =
    mapped.kind === 'park' ? mapped.outline : [mapped.latitudeMicro, mapped.longitudeMicro];
  return { latitudeDegrees: latitude / 1e6, longitudeDegrees: longitude / 1e6 };
};

function putFirst<T extends Mapped>(
  known: Map<number, Kept<T>> | undefined,
  mapped: T,
  extract: number,
): void {
  if (known?.has(mapped.object) === false) known.set(mapped.object, { extract, mapped });
}

type Put = Record<string, Columns[string]>;

function encodeKind(kind: PointKind, points: readonly Kept<MappedPoint>[], table: Put, origins: Put): void {
  const { order, columns } = encodePoints(
    Int32Array.from(points, ({ mapped }) => mapped.latitudeMicro),
    Int32Array.from(points, ({ mapped }) => mapped.longitudeMicro),
  );
  for (const [name, values] of Object.entries(columns)) table[amenityColumn(kind, name)] = values;
  origins[amenityColumn(kind, 'object')] = Float64Array.from(order, (at) => points[at]?.mapped.object ?? 0);
  origins[amenityColumn(kind, 'extract')] = Uint16Array.from(order, (at) => points[at]?.extract ?? 0);
}

function encodeParks(parks: readonly Kept<MappedPark>[], table: Put, origins: Put): void {
  const count = parks.reduce((sum, { mapped }) => sum + mapped.outline.length / 2, 0);
  const latitude = new Int32Array(count);
  const longitude = new Int32Array(count);
  const parkOf = new Uint32Array(count);
  let node = 0;
  for (const [park, { mapped }] of parks.entries()) {
    for (let at = 0; at < mapped.outline.length; at += 2) {
      latitude[node] = mapped.outline[at] ?? outOfRange();
      longitude[node] = mapped.outline[at + 1] ?? outOfRange();
      parkOf[node] = park;
      node += 1;
    }
  }
  const { order, columns } = encodePoints(latitude, longitude);
  for (const [name, values] of Object.entries(columns)) table[amenityColumn('park', name)] = values;
  table[amenityColumn('park', 'park')] = Uint32Array.from(order, (at) => parkOf[at] ?? outOfRange());
  table[amenityColumn('park', 'count')] = Uint32Array.of(parks.length);
  origins[amenityColumn('park', 'object')] = Float64Array.from(parks, ({ mapped }) => mapped.object);
  origins[amenityColumn('park', 'extract')] = Uint16Array.from(parks, ({ extract }) => extract);
}

/** What a release has, extract by extract, for another builder. */
export function* readBack(
  release: Release,
): Generator<{ readonly extract: MapExtract; readonly found: readonly Mapped[] }> {
  const table = release.part(amenitiesPart);
  const origins = release.readPart(amenityOriginsPart);
  const regions = origins.strings('regions');
  const found: Mapped[][] = Array.from({ length: regions.length }, () => []);
  for (const kind of pointKinds) readKind(kind, table, origins, found);
  readParks(table, origins, found);
  for (const [number, mapped] of found.entries()) {
    const asOfMs = origins.f64('as-of')[number] ?? outOfRange();
    const extract = { region: regions.at(number), asOfMs, cells: openCells(origins, String(number)) };
    yield { extract, found: mapped };
  }
}

const originsOf = (kind: AmenityKind, origins: Part) => ({
  objects: origins.f64(amenityColumn(kind, 'object')),
  extracts: origins.u16(amenityColumn(kind, 'extract')),
});

function readKind(kind: PointKind, table: Part, origins: Part, found: readonly Mapped[][]): void {
  const { objects, extracts } = originsOf(kind, origins);
  const latitude = table.i32(amenityColumn(kind, 'latitude'));
  const longitude = table.i32(amenityColumn(kind, 'longitude'));
  for (const [point, object] of objects.entries()) {
    const place = {
      latitudeMicro: latitude[point] ?? outOfRange(),
      longitudeMicro: longitude[point] ?? outOfRange(),
    };
    found[extracts[point] ?? outOfRange()]?.push({ kind, object, ...place });
  }
}

function readParks(table: Part, origins: Part, found: readonly Mapped[][]): void {
  const { objects, extracts } = originsOf('park', origins);
  const latitude = table.i32(amenityColumn('park', 'latitude'));
  const longitude = table.i32(amenityColumn('park', 'longitude'));
  const outlines: number[][] = Array.from(objects, () => []);
  for (const [node, park] of table.u32(amenityColumn('park', 'park')).entries())
    outlines[park]?.push(latitude[node] ?? outOfRange(), longitude[node] ?? outOfRange());
  for (const [park, object] of objects.entries()) {
    const outline = Int32Array.from(outlines[park] ?? []);
    found[extracts[park] ?? outOfRange()]?.push({ kind: 'park', object, outline });
  }
}

/** Cells of several maps as one: what any has inside is inside. */
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
      const kind = cells[at] ?? outside;
      if (kind === outside) continue;
      const row = window.firstRow + Math.floor(at / window.columns) - firstRow;
      const to = row * columns + window.firstColumn + (at % window.columns) - firstColumn;
      if (joined[to] !== inside) joined[to] = kind;
    }
  }
  return new CoverageCells({ firstRow, firstColumn, rows, columns }, joined);
}
