// An extract that was cut to a rectangle ends exactly there. Cells are too coarse to tell: half a kilometre of them lies on
// both sides of its edge.

import { defined } from '../../out-of-range.ts';
import { i32, intoPart, u16 } from '../../release/column.ts';
import type { Values, Views } from '../../release/table.ts';
import type { LatLong } from '../../uk/grid.ts';

/** In millionths of a degree. */
export type MapBox = {
  readonly west: number;
  readonly east: number;
  readonly north: number;
  readonly south: number;
};

const metresPerMicro = 0.111_195_079_7;
const radians = Math.PI / 180;

/** Whether all that lies within the radius lies in the rectangle. */
export function holdsCircle(
  { west, east, north, south }: MapBox,
  { latitudeDegrees, longitudeDegrees }: LatLong,
  radiusMetres: number,
): boolean {
  const tall = radiusMetres / metresPerMicro;
  // Nearer to the pole a circle of so many metres is wider in degrees.
  const polewards = Math.abs(latitudeDegrees) + tall / 1e6;
  const wide = tall / Math.cos(polewards * radians);
  const latitude = latitudeDegrees * 1e6;
  const longitude = longitudeDegrees * 1e6;
  return (
    latitude - tall >= south &&
    latitude + tall <= north &&
    longitude - wide >= west &&
    longitude + wide <= east
  );
}

export const boxColumns = (originsPart: string) => ({
  extract: u16('box', 'the extract that it bounds', intoPart(originsPart, 'extract')),
  west: i32('box', 'longitude'),
  east: i32('box', 'longitude'),
  north: i32('box', 'latitude'),
  south: i32('box', 'latitude'),
});

type BoxColumns = ReturnType<typeof boxColumns>;

export const encodeBoxes = (
  boxes: readonly { readonly extract: number; readonly box: MapBox }[],
): Values<BoxColumns> => ({
  extract: Uint16Array.from(boxes, ({ extract }) => extract),
  west: Int32Array.from(boxes, ({ box }) => box.west),
  east: Int32Array.from(boxes, ({ box }) => box.east),
  north: Int32Array.from(boxes, ({ box }) => box.north),
  south: Int32Array.from(boxes, ({ box }) => box.south),
});

/** By the number of their extract. */
export function openBoxes({
  extract,
  west,
  east,
  north,
  south,
}: Views<BoxColumns>): ReadonlyMap<number, MapBox> {
  return new Map(
    Array.from(extract, (number, at) => [
      number,
      {
        west: defined(west[at]),
        east: defined(east[at]),
        north: defined(north[at]),
        south: defined(south[at]),
      },
    ]),
  );
}
