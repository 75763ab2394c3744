// Which of thousands of points is meant by a pointer: they are sorted into squares, so that only those around it are looked at.

import type { Point } from './drawing.ts';

const side = 24;

/** The index of the nearest point that is at most `reach` away; of several, the first. */
export function nearestAmong(points: readonly Point[]): (place: Point, reach: number) => number | undefined {
  const squares = new Map<string, number[]>();
  for (const [at, [x, y]] of points.entries()) {
    const name = nameOf(Math.floor(x / side), Math.floor(y / side));
    const square = squares.get(name);
    if (square === undefined) squares.set(name, [at]);
    else square.push(at);
  }
  return ([x, y], reach) => {
    let nearest: { readonly at: number; readonly distance: number } | undefined;
    const [column, row] = [Math.floor(x / side), Math.floor(y / side)];
    const rings = Math.ceil(reach / side);
    for (let ring = 0; ring <= rings; ring += 1) {
      // Whatever lies in this ring is at least so far away.
      if (nearest !== undefined && nearest.distance < (ring - 1) * side) break;
      for (const name of ringAround(column, row, ring)) {
        for (const at of squares.get(name) ?? []) {
          const [left = 0, top = 0] = points[at] ?? [];
          const distance = Math.hypot(left - x, top - y);
          if (distance > reach) continue;
          const isNearer =
            nearest === undefined ||
            distance < nearest.distance ||
            (distance === nearest.distance && at < nearest.at);
          if (isNearer) nearest = { at, distance };
        }
      }
    }
    return nearest?.at;
  };
}

const nameOf = (column: number, row: number): string => `${column} ${row}`;

function ringAround(column: number, row: number, ring: number): readonly string[] {
  if (ring === 0) return [nameOf(column, row)];
  const names: string[] = [];
  for (let step = -ring; step < ring; step += 1) {
    names.push(
      nameOf(column + step, row - ring),
      nameOf(column + ring, row + step),
      nameOf(column - step, row + ring),
      nameOf(column - ring, row - step),
    );
  }
  return names;
}
