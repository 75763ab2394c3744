// Which postcodes in use lie nearest to one that was withdrawn: the directory names no successor, but it keeps the place.

import { distanceMetres } from '../../uk/grid.ts';
import type { Postcode } from '../../uk/postcode.ts';
import type { PostcodeRow, Postcodes } from './postcodes.ts';

type Neighbour = { readonly postcode: string; readonly distanceMetres: number };

const mostNeighbours = 3;
/** What lies farther away did not take its place. */
const farthestMetres = 1_000;

/** Nearest first; at the same distance in the order of the alphabet. Of its own outcode, else of its area: a district can be
 *  renamed as a whole, and to look through an area takes some milliseconds. */
export function nearestInUse(
  postcodes: Postcodes,
  { outcode, area }: Postcode,
  { point }: PostcodeRow,
): readonly Neighbour[] {
  if (point === null) return [];
  const nearestOf = (rows: Iterable<PostcodeRow>): readonly Neighbour[] => {
    const found: Neighbour[] = [];
    for (const row of rows) {
      if (row.terminated !== null || row.point === null) continue;
      const { latitudeDegrees, longitudeDegrees } = row.point;
      const metres = distanceMetres(
        point.latitudeDegrees,
        point.longitudeDegrees,
        latitudeDegrees,
        longitudeDegrees,
      );
      if (metres <= farthestMetres) {
        found.push({ postcode: row.postcode, distanceMetres: Math.round(metres) });
      }
    }
    return found.sort((a, b) => a.distanceMetres - b.distanceMetres).slice(0, mostNeighbours);
  };
  const own = nearestOf(postcodes.inOutcode(outcode));
  return own.length > 0 ? own : nearestOf(postcodes.inArea(area));
}
