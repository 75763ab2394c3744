// Where people live in a tile, as the cells of a grid that have postcodes in use, each with how many.

import { outOfRange } from '../columns/out-of-range.ts';
import type { PostcodesNear } from '../tables/postcodes/near.ts';
import { latitudeAt, longitudeAt, type TileAddress } from './tile-address.ts';

/** `counts` has a number for every cell, row after row from the north; `filled` are the cells that have any, rising. */
export type Grid = { readonly side: number; readonly counts: Uint16Array; readonly filled: Uint32Array };

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
  const found: number[] = [];
  near.eachWithin(bounds, (latitude, longitude) => {
    // Rows are nearly as high as each other: a guess is at most a few off, and needs no logarithm.
    let row = Math.min(side - 1, Math.floor((north - latitude) / perRow));
    while (latitude > (edges[row] ?? outOfRange())) row -= 1;
    while (latitude <= (edges[row + 1] ?? outOfRange())) row += 1;
    const at = row * side + Math.min(side - 1, Math.floor((longitude - west) / perColumn));
    const count = counts[at] ?? outOfRange();
    if (count === 0) found.push(at);
    if (count < mostCount) counts[at] = count + 1;
  });
  // Few are sorted sooner than a million cells are looked through.
  const filled = found.length < counts.length / 32 ? Uint32Array.from(found).sort() : filledIn(counts);
  return { side, counts, filled };
}

export function filledIn(counts: Uint16Array): Uint32Array {
  const filled: number[] = [];
  for (let cell = 0; cell < counts.length; cell += 1) if (counts[cell] !== 0) filled.push(cell);
  return Uint32Array.from(filled);
}

/** On the finest grid that is not too long to send. */
export const writeCells = (grid: Grid): WrittenCells =>
  charactersOf(grid) <= mostCharacters ? writeAll(grid) : writeCells(coarser(grid));

/** Of the steps with a comma each, and of the digits. */
function charactersOf({ filled }: Grid): number {
  let characters = 0;
  let before = 0;
  for (const cell of filled) {
    const step = cell - before;
    before = cell;
    characters += step < 10 ? 3 : step < 100 ? 4 : step < 1_000 ? 5 : step < 10_000 ? 6 : 9;
  }
  return characters;
}

function writeAll({ side, counts, filled }: Grid): WrittenCells {
  const cells: number[] = [];
  let digits = '';
  let before = 0;
  for (const cell of filled) {
    cells.push(cell - before);
    before = cell;
    digits += Math.min(counts[cell] ?? outOfRange(), highestDigit).toString(36);
  }
  return { grid: side, cells, counts: digits };
}

/** Four cells become one. */
function coarser({ side, counts, filled }: Grid): Grid {
  const half = side / 2;
  const sums = new Uint16Array(half * half);
  for (const cell of filled) {
    const at = Math.floor(cell / side / 2) * half + Math.floor((cell % side) / 2);
    sums[at] = Math.min(mostCount, (sums[at] ?? outOfRange()) + (counts[cell] ?? outOfRange()));
  }
  return { side: half, counts: sums, filled: filledIn(sums) };
}
