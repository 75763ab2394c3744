// Parks of a tile. The release keeps the nodes of their outlines without the order they were drawn in, so that a park is
// shown as the hull of its nodes: a rubber band around them.

import { outOfRange } from '../columns/out-of-range.ts';
import type { Circle } from '../columns/point-bands.ts';
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
  const nodesOf = new Map([...largestIn(amenities, circle)].map((park): [number, Point[]] => [park, []]));
  amenities.eachParkNode(circle, (park, node) => {
    const nodes = nodesOf.get(park);
    if (nodes === undefined) return;
    const world = worldOf(node.latitudeDegrees, node.longitudeDegrees);
    nodes.push({
      x: Math.round((world.x * tiles - x) * units),
      y: Math.round((world.y * tiles - y) * units),
    });
  });
  return [...nodesOf]
    .map(([index, nodes]) => ({ index, hull: fewerCorners(hullOf(nodes)) }))
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
function largestIn(amenities: Amenities, circle: Circle): ReadonlySet<number> {
  type Extent = { south: number; north: number; west: number; east: number };
  const extents = new Map<number, Extent>();
  amenities.eachParkNode(circle, (park, { latitudeDegrees, longitudeDegrees }) => {
    const extent = extents.get(park);
    if (extent === undefined) {
      extents.set(park, {
        south: latitudeDegrees,
        north: latitudeDegrees,
        west: longitudeDegrees,
        east: longitudeDegrees,
      });
      return;
    }
    if (latitudeDegrees < extent.south) extent.south = latitudeDegrees;
    if (latitudeDegrees > extent.north) extent.north = latitudeDegrees;
    if (longitudeDegrees < extent.west) extent.west = longitudeDegrees;
    if (longitudeDegrees > extent.east) extent.east = longitudeDegrees;
  });
  const sized = Array.from(extents, ([park, { south, north, west, east }]) => ({
    park,
    size: (north - south) * (east - west),
  }));
  sized.sort((a, b) => b.size - a.size || a.park - b.park);
  return new Set(sized.slice(0, mostOutlines).map(({ park }) => park));
}

const touchesTile = (hull: readonly Point[]): boolean =>
  hull.some(({ x }) => x >= 0) &&
  hull.some(({ x }) => x < units) &&
  hull.some(({ y }) => y >= 0) &&
  hull.some(({ y }) => y < units);

const turn = (a: Point, b: Point, c: Point): number => (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);

/** Andrew's monotone chain. */
function hullOf(nodes: readonly Point[]): readonly Point[] {
  const sorted = nodes.toSorted((a, b) => a.x - b.x || a.y - b.y);
  const half = (points: readonly Point[]) => {
    const chain: Point[] = [];
    for (const point of points) {
      for (;;) {
        const [before, last] = [chain.at(-2), chain.at(-1)];
        if (before === undefined || last === undefined || turn(before, last, point) > 0) break;
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
    for (const [at, corner] of corners.entries()) {
      const before = corners.at(at - 1) ?? outOfRange();
      const after = corners[(at + 1) % corners.length] ?? outOfRange();
      const size = Math.abs(turn(before, corner, after));
      if (size < leastTurn) [least, leastTurn] = [at, size];
    }
    corners.splice(least, 1);
  }
  return corners;
}

function areaOf(hull: readonly Point[]): number {
  let double = 0;
  for (const [at, corner] of hull.entries()) {
    const after = hull[(at + 1) % hull.length] ?? outOfRange();
    double += corner.x * after.y - after.x * corner.y;
  }
  return Math.abs(double) / 2;
}
