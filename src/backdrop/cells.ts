// Where people live in a tile, as the cells of a grid that have postcodes in use, each with how many.

import { outOfRange } from '../columns/out-of-range.ts';
import type { PostcodesNear } from '../tables/postcodes/near.ts';
import { latitudeAt, longitudeAt, type TileAddress } from './tile-address.ts';

/** `counts` has a number for every cell, row after row from the north. */
export type Grid = { readonly side: number; readonly counts: Uint16Array };

export type WrittenCells = {
  /** Cells along one side of the tile. */
  readonly grid: number;
  /** Each cell that has postcodes (its row times `grid`, plus its column), as the distance from the one before. */
  readonly cells: readonly number[];
  /** A digit (to base 36) for each: how many postcodes, `z` for 35 and more. */
  readonly counts: string;
};

const highestDigit = 35;
/** So that a tile stays below its bound with everything else that is in it. */
const mostCharacters = 45_000;
const mostCount = 65_535;

export function countCells(near: PostcodesNear, { z, x, y }: TileAddress, side: number): Grid {
  const tiles = 2 ** z;
  const counts = new Uint16Array(side * side);
  const west = longitudeAt(x / tiles) * 1e6;
  const perColumn = (longitudeAt((x + 1) / tiles) * 1e6 - west) / side;
  const edges = Float64Array.from(
    { length: side + 1 },
    (_, row) => latitudeAt((y + row / side) / tiles) * 1e6,
  );
  const north = edges[0] ?? outOfRange();
  const perRow = (north - (edges[side] ?? outOfRange())) / side;
  const bounds = {
    north: Math.floor(north),
    south: Math.floor(edges[side] ?? outOfRange()) + 1,
    west: Math.ceil(west),
    east: Math.ceil(west + perColumn * side) - 1,
  };
  near.eachWithin(bounds, (latitude, longitude) => {
    // Rows are nearly as high as each other: a guess is at most a few off, and needs no logarithm.
    let row = Math.min(side - 1, Math.floor((north - latitude) / perRow));
    while (latitude > (edges[row] ?? outOfRange())) row -= 1;
    while (latitude <= (edges[row + 1] ?? outOfRange())) row += 1;
    const at = row * side + Math.min(side - 1, Math.floor((longitude - west) / perColumn));
    const count = counts[at] ?? outOfRange();
    if (count < mostCount) counts[at] = count + 1;
  });
  return { side, counts };
}

/** On the finest grid that is not too long to send. */
export function writeCells(grid: Grid): WrittenCells {
  const written = writeAll(grid);
  const characters = written.cells.reduce((sum, step) => sum + String(step).length + 2, 0);
  return characters <= mostCharacters ? written : writeCells(coarser(grid));
}

function writeAll({ side, counts }: Grid): WrittenCells {
  const cells: number[] = [];
  let digits = '';
  let before = 0;
  // By index: most cells are empty, and there are a million.
  for (let cell = 0; cell < counts.length; cell += 1) {
    const count = counts[cell] ?? outOfRange();
    if (count === 0) continue;
    cells.push(cell - before);
    before = cell;
    digits += Math.min(count, highestDigit).toString(36);
  }
  return { grid: side, cells, counts: digits };
}

/** Four cells become one. */
function coarser({ side, counts }: Grid): Grid {
  const half = side / 2;
  const sums = new Uint16Array(half * half);
  for (let cell = 0; cell < counts.length; cell += 1) {
    const count = counts[cell] ?? outOfRange();
    if (count === 0) continue;
    const at = Math.floor(cell / side / 2) * half + Math.floor((cell % side) / 2);
    sums[at] = Math.min(mostCount, (sums[at] ?? outOfRange()) + count);
  }
  return { side: half, counts: sums };
}
