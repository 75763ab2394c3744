// Parks of a tile. The release keeps the nodes of their outlines without the order they were drawn in, so that a park is
// shown as the hull of its nodes: a rubber band around them.

import type { Circle } from '../columns/point-bands.ts';
import { defined } from '../out-of-range.ts';
import type { Release } from '../release/reader.ts';
import { type Amenities, openAmenities } from '../tables/amenities/amenities.ts';
import { latitudeAt, longitudeAt, type TileAddress, worldOf } from './tile-address.ts';

export type Park = {
  readonly name: string | null;
  /** x and y in turn, in thousandths of the tile's side from its north-western corner; beyond its edges where the park is. */
  readonly outline: readonly number[];
};

type Point = { readonly x: number; readonly y: number };

const units = 1_000;
const mostParks = 48;
/** Some of them lie beside the tile. */
const mostOutlines = 160;
const mostCorners = 16;
/** Smaller ones are not seen. */
const leastArea = 12;
/** How far beyond the tile nodes are looked for, as a share of its side: a park that crosses the edge has the same hull in both
 *  tiles. */
const margin = 0.15;

export function parksOf(release: Release, { z, x, y }: TileAddress): readonly Park[] {
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
