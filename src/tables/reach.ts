// Only where a table is a bundled sample: the points around which it has everything. Beyond them a count says nothing,
// so that whoever counts asks first.

import { type Circle, encodePoints, PointBands } from '../columns/point-bands.ts';
import { outOfRange } from '../out-of-range.ts';
import { exactly, u32 } from '../release/column.ts';
import type { Columns } from '../release/part.ts';
import type { Release } from '../release/reader.ts';
import { type Origin, table } from '../release/table.ts';
import { distanceMetres, type LatLong } from '../uk/grid.ts';
import { byBand, pointColumns } from './point-columns.ts';

const reachColumns = {
  ...pointColumns('point'),
  'reach-metres': u32(exactly(1), 'one value: as far as this'),
};

/** `of` is the part that has everything around the points. */
export const reachTable = (part: string, of: string, origin: Origin) =>
  table({
    part,
    origin,
    about: `Only with the bundled sample: points around which \`${of}\` has everything.`,
    order: byBand,
    columns: reachColumns,
  });

type MicroPoint = { readonly latitudeMicro: number; readonly longitudeMicro: number };

/** Around each of the points everything is there, as far as `metres`. */
export type ReachPoints = { readonly points: readonly MicroPoint[]; readonly metres: number };

export const isNear = (
  { latitudeDegrees, longitudeDegrees }: LatLong,
  { points, metres }: ReachPoints,
): boolean =>
  points.some(
    ({ latitudeMicro, longitudeMicro }) =>
      distanceMetres(latitudeMicro / 1e6, longitudeMicro / 1e6, latitudeDegrees, longitudeDegrees) <= metres,
  );

export function encodeReach(made: ReturnType<typeof reachTable>, { points, metres }: ReachPoints): Columns {
  const { columns } = encodePoints(
    Int32Array.from(points, ({ latitudeMicro }) => latitudeMicro),
    Int32Array.from(points, ({ longitudeMicro }) => longitudeMicro),
  );
  return made.encode({ ...columns, 'reach-metres': Uint32Array.of(metres) });
}

/** Two editions of postcodes may place a postcode up to two metres apart. */
const samePlaceMetres = 5;

/** Tells whether everything in a circle is there. Without the part it is, wherever. */
export function openReach(
  release: Release,
  made: ReturnType<typeof reachTable>,
): (circle: Circle) => boolean {
  if (!made.isIn(release)) return () => true;
  const columns = made.open(release);
  const [metres = outOfRange()] = columns['reach-metres'];
  const points = new PointBands(columns);
  return ({ radiusMetres, ...place }) => {
    const spare = Math.max(metres - radiusMetres, 0) + samePlaceMetres;
    return metres >= radiusMetres && points.nearest(place, spare, () => true) !== undefined;
  };
}
