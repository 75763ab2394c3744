// The ground of the map, drawn up from the release itself: where postcodes lie, parks, stations and names, tile by tile. It needs
// no outside service, and costs nobody a credit.

import { setImmediate } from 'node:timers/promises';
import type { Circle } from '../columns/point-bands.ts';
import { defined } from '../out-of-range.ts';
import type { Release } from '../release/reader.ts';
import { oncePerRelease } from '../release/reader.ts';
import { type Amenities, openAmenities } from '../tables/amenities/amenities.ts';
import { openStops, type StationKind } from '../tables/transport/stops.ts';
import { type Grid, type Survey, surveyOf, type WrittenCells, writeCells } from './survey.ts';
import { latitudeAt, levels, longitudeAt, type TileAddress, worldOf } from './tile-address.ts';

/** `x` and `y` are thousandths of the tile's side, from its north-western corner. */
type Placed = { readonly name: string; readonly x: number; readonly y: number };

// Parks of a tile. The release keeps the nodes of their outlines without the order they were drawn in, so that a park is
// shown as the hull of its nodes: a rubber band around them.

type Park = {
  readonly name: string | null;
  /** x and y in turn, in thousandths of the tile's side from its north-western corner; beyond its edges where the park is. */
  readonly outline: readonly number[];
};

type Point = { readonly x: number; readonly y: number };

const mostParks = 48;
/** Some of them lie beside the tile. */
const mostOutlines = 160;
const mostCorners = 16;
/** Smaller ones are not seen. */
const leastArea = 12;
/** How far beyond the tile nodes are looked for, as a share of its side: a park that crosses the edge has the same hull in both
 *  tiles. */
const margin = 0.15;

function parksOf(release: Release, { z, x, y }: TileAddress): readonly Park[] {
  if (release.findDataset('amenities') === undefined) return [];
  const amenities = openAmenities(release);
  const tiles = 2 ** z;
  const [latitudeDegrees, longitudeDegrees] = [latitudeAt((y + 0.5) / tiles), longitudeAt((x + 0.5) / tiles)];
  const metresASide = (40_075_017 / tiles) * Math.cos((latitudeAt((y + 1) / tiles) * Math.PI) / 180);
  const radiusMetres = (metresASide * (1 + 2 * margin)) / Math.SQRT2;
  const circle = { latitudeDegrees, longitudeDegrees, radiusMetres };
  const largest = largestIn(amenities, circle);
  const placeOf = new Int32Array(amenities.parkCount).fill(-1);
  for (const [place, park] of largest.entries()) placeOf[park] = place;
  const nodesOf = largest.map((): number[] => []);
  amenities.eachParkNode(circle, (park, latitude, longitude) => {
    const place = defined(placeOf[park]);
    if (place < 0) return;
    const world = worldOf(latitude / 1e6, longitude / 1e6);
    const node = packed(Math.round((world.x * tiles - x) * units), Math.round((world.y * tiles - y) * units));
    nodesOf[place]?.push(node);
  });
  return largest
    .map((index, place) => ({ index, hull: fewerCorners(hullOf(defined(nodesOf[place]))) }))
    .filter(({ hull }) => touchesTile(hull))
    .map(({ index, hull }) => ({ index, hull, area: areaOf(hull) }))
    .filter(({ area }) => area >= leastArea)
    .sort((a, b) => b.area - a.area || a.index - b.index)
    .slice(0, mostParks)
    .map(({ index, hull }) => ({
      name: amenities.nameOf({ kind: 'park', index }),
      outline: hull.flatMap((corner) => [corner.x, corner.y]),
    }));
}

/** A city has thousands of parks, and most are too small to be seen: only the outlines of the largest are looked at. */
function largestIn(amenities: Amenities, circle: Circle): readonly number[] {
  /** The place of each park in the lists below, plus one. */
  const placeOf = new Uint32Array(amenities.parkCount);
  const parks: number[] = [];
  const souths: number[] = [];
  const norths: number[] = [];
  const wests: number[] = [];
  const easts: number[] = [];
  amenities.eachParkNode(circle, (park, latitude, longitude) => {
    const place = defined(placeOf[park]) - 1;
    if (place < 0) {
      placeOf[park] = parks.push(park);
      souths.push(latitude);
      norths.push(latitude);
      wests.push(longitude);
      easts.push(longitude);
      return;
    }
    if (latitude < defined(souths[place])) souths[place] = latitude;
    if (latitude > defined(norths[place])) norths[place] = latitude;
    if (longitude < defined(wests[place])) wests[place] = longitude;
    if (longitude > defined(easts[place])) easts[place] = longitude;
  });
  const sized = parks.map((park, place) => ({
    park,
    size: (defined(norths[place]) - defined(souths[place])) * (defined(easts[place]) - defined(wests[place])),
  }));
  sized.sort((a, b) => b.size - a.size || a.park - b.park);
  return sized.slice(0, mostOutlines).map(({ park }) => park);
}

const touchesTile = (hull: readonly Point[]): boolean =>
  hull.some(({ x }) => x >= 0) &&
  hull.some(({ x }) => x < units) &&
  hull.some(({ y }) => y >= 0) &&
  hull.some(({ y }) => y < units);

const turn = (a: Point, b: Point, c: Point): number => (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);

/** A node as one number, so that numbers sort as x and then y do; both lie within half of `packedSide`. */
const packedSide = 2 ** 16;
const packed = (x: number, y: number): number => (x + packedSide / 2) * packedSide + y + packedSide / 2;

/** Andrew's monotone chain, of packed nodes. */
function hullOf(nodes: readonly number[]): readonly Point[] {
  const sorted: Point[] = [];
  let before = -1;
  for (const node of Float64Array.from(nodes).sort()) {
    if (node === before) continue;
    before = node;
    sorted.push({
      x: Math.floor(node / packedSide) - packedSide / 2,
      y: (node % packedSide) - packedSide / 2,
    });
  }
  const half = (points: readonly Point[]) => {
    const chain: Point[] = [];
    for (const point of points) {
      for (;;) {
        const [last, other] = [chain[chain.length - 1], chain[chain.length - 2]];
        if (last === undefined || other === undefined || turn(other, last, point) > 0) break;
        chain.pop();
      }
      chain.push(point);
    }
    return chain.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.toReversed())];
}

/** Leaves out the corner that is missed least until few enough are left. */
function fewerCorners(hull: readonly Point[]): readonly Point[] {
  const corners = [...hull];
  while (corners.length > mostCorners) {
    let [least, leastTurn] = [0, Number.POSITIVE_INFINITY];
    let before = defined(corners[corners.length - 1]);
    for (let at = 0; at < corners.length; at += 1) {
      const corner = defined(corners[at]);
      const after = defined(corners[at + 1] ?? corners[0]);
      const size = Math.abs(turn(before, corner, after));
      if (size < leastTurn) {
        least = at;
        leastTurn = size;
      }
      before = corner;
    }
    corners.splice(least, 1);
  }
  return corners;
}

function areaOf(hull: readonly Point[]): number {
  let double = 0;
  for (const [at, corner] of hull.entries()) {
    const after = defined(hull[(at + 1) % hull.length]);
    double += corner.x * after.y - after.x * corner.y;
  }
  return Math.abs(double) / 2;
}

type BackdropTile = WrittenCells & {
  readonly parks: readonly Park[];
  readonly stations: readonly (Placed & { readonly kind: StationKind })[];
  readonly names: readonly (Placed & {
    readonly kind: 'authority' | 'ward';
    readonly postcodes: number;
  })[];
};

type BackdropFacts = {
  readonly release: string;
  readonly levels: readonly number[];
  /** To be shown beside the map. */
  readonly attributions: readonly string[];
};

/** What it is made of. */
const datasets = ['postcodes', 'place-names', 'stops', 'amenities'] as const;
const units = 1_000;
const nobody: Grid = { side: 1, filled: new Uint32Array(0), counts: new Uint16Array(0) };
const mostStations = 60;
const mostNames = 40;
/** A tile has at most some 60 kB. */
const mostTiles = 256;

class Backdrop {
  readonly facts: BackdropFacts;
  readonly #release: Release;
  readonly #tiles = new Map<string, Promise<Buffer>>();
  /** Made when the first tile is asked for. */
  #survey: Promise<Survey> | undefined;
  /** Ends when the tile that was asked for last has been drawn. */
  #lastTurn: Promise<void> = Promise.resolve();

  constructor(release: Release) {
    this.#release = release;
    const attributions = datasets.flatMap((name) => release.findDataset(name)?.attribution ?? []);
    this.facts = { release: release.id, levels, attributions: [...new Set(attributions)] };
  }

  /** As JSON. Who asks for the same tile shares it. */
  tile(address: TileAddress): Promise<Buffer> {
    const name = `${address.z}/${address.x}/${address.y}`;
    const known = this.#tiles.get(name);
    const tile = known ?? this.#make(address);
    // The one used last is thrown away last.
    this.#tiles.delete(name);
    this.#tiles.set(name, tile);
    if (known === undefined) {
      tile.catch(() => this.#tiles.delete(name));
      for (const oldest of this.#tiles.keys()) {
        if (this.#tiles.size <= mostTiles) break;
        this.#tiles.delete(oldest);
      }
    }
    return tile;
  }

  /** One after the other, each in a turn of its own: whoever asks for many at once keeps no call of the API waiting. */
  async #make(address: TileAddress): Promise<Buffer> {
    const survey = await this.#surveyed();
    const before = this.#lastTurn;
    const { promise, resolve: end } = Promise.withResolvers<void>();
    this.#lastTurn = promise;
    await before;
    await setImmediate();
    try {
      return await this.#draw(survey, address);
    } finally {
      end();
    }
  }

  #surveyed(): Promise<Survey> {
    if (this.#survey !== undefined) return this.#survey;
    const survey = surveyOf(this.#release);
    this.#survey = survey;
    // What failed once may work the next time.
    survey.catch(() => {
      this.#survey = undefined;
    });
    return survey;
  }

  async #draw(survey: Survey, address: TileAddress): Promise<Buffer> {
    const cells = writeCells((await survey.gridOf(address)) ?? nobody);
    // Others have their turn between what takes longest.
    await setImmediate();
    const tile: BackdropTile = {
      ...cells,
      parks: address.z === 12 ? parksOf(this.#release, address) : [],
      stations: address.z === 12 ? stationsOf(this.#release, address) : [],
      names: namesOf(survey, address),
    };
    return Buffer.from(JSON.stringify(tile));
  }
}

function namesOf({ names }: Survey, { z, x, y }: TileAddress): BackdropTile['names'] {
  const kind = z === 12 ? 'ward' : 'authority';
  const tiles = 2 ** z;
  return names
    .filter((one) => one.kind === kind && Math.floor(one.x * tiles) === x && Math.floor(one.y * tiles) === y)
    .slice(0, mostNames)
    .map((one) => ({
      name: one.name,
      kind,
      postcodes: one.postcodes,
      x: Math.round((one.x * tiles - x) * units),
      y: Math.round((one.y * tiles - y) * units),
    }));
}

function stationsOf(release: Release, { z, x, y }: TileAddress): BackdropTile['stations'] {
  if (release.findDataset('stops') === undefined) return [];
  const tiles = 2 ** z;
  const latitudeDegrees = latitudeAt((y + 0.5) / tiles);
  const longitudeDegrees = longitudeAt((x + 0.5) / tiles);
  const metresASide = (40_075_017 / tiles) * Math.cos((latitudeAt((y + 1) / tiles) * Math.PI) / 180);
  const circle = { latitudeDegrees, longitudeDegrees, radiusMetres: metresASide / Math.SQRT2 };
  return openStops(release)
    .stationsWithin(circle)
    .map(({ name, kind, point }) => {
      const world = worldOf(point.latitudeDegrees, point.longitudeDegrees);
      return {
        name,
        kind,
        x: Math.floor((world.x * tiles - x) * units),
        y: Math.floor((world.y * tiles - y) * units),
      };
    })
    .filter((station) => [station.x, station.y].every((at) => at >= 0 && at < units))
    .slice(0, mostStations);
}

export const openBackdrop: (release: Release) => Backdrop = oncePerRelease(
  (release) => new Backdrop(release),
);
