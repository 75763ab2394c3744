// Where people live in a tile, as the cells of a grid that have postcodes in use, each with how many.

import { defined } from '../out-of-range.ts';

/** `filled` are the cells that have any, row after row from the north, rising; `counts` how many each has. */
export type Grid = { readonly side: number; readonly filled: Uint32Array; readonly counts: Uint16Array };

export type WrittenCells = {
  /** Cells along one side of the tile. */
  readonly grid: number;
  /** Each cell that has postcodes (its row times `grid`, plus its column), as the distance from the one before. */
  readonly cells: readonly number[];
  /** A digit (to base 36) for each: how many postcodes, `z` for 35 and more. */
  readonly counts: string;
};

const highestDigit = 35;
const digits = Array.from({ length: highestDigit + 1 }, (_, value) => value.toString(36));
/** So that a tile stays below its bound with everything else that is in it. */
const mostCharacters = 45_000;
export const mostCount = 65_535;

/** `counts` has a number for every cell. */
export function gridOfCounts(side: number, counts: Uint16Array): Grid {
  const filled = new Uint32Array(counts.length);
  let length = 0;
  for (let cell = 0; cell < counts.length; cell += 1) {
    if (counts[cell] === 0) continue;
    filled[length] = cell;
    length += 1;
  }
  const found = filled.slice(0, length);
  return { side, filled: found, counts: Uint16Array.from(found, (cell) => defined(counts[cell])) };
}

/** `cells` has the cell of every postcode, rising. */
export function gridOfSorted(side: number, cells: Uint32Array): Grid {
  const filled = new Uint32Array(cells.length);
  const counts = new Uint16Array(cells.length);
  let last = -1;
  for (let index = 0; index < cells.length; index += 1) {
    const cell = defined(cells[index]);
    if (last === -1 || filled[last] !== cell) {
      last += 1;
      filled[last] = cell;
    }
    counts[last] = Math.min(mostCount, defined(counts[last]) + 1);
  }
  return { side, filled: filled.subarray(0, last + 1), counts: counts.subarray(0, last + 1) };
}

/** On the finest grid that is not too long to send. */
export const writeCells = (grid: Grid): WrittenCells =>
  charactersOf(grid) <= mostCharacters ? writeAll(grid) : writeCells(coarser(grid));

/** Of the steps with a comma each, and of the digits. */
function charactersOf({ filled }: Grid): number {
  let characters = 0;
  let before = 0;
  for (let at = 0; at < filled.length; at += 1) {
    const cell = defined(filled[at]);
    const step = cell - before;
    before = cell;
    characters += step < 10 ? 3 : step < 100 ? 4 : step < 1_000 ? 5 : step < 10_000 ? 6 : 9;
  }
  return characters;
}

function writeAll({ side, counts, filled }: Grid): WrittenCells {
  const cells: number[] = [];
  let written = '';
  let before = 0;
  for (let at = 0; at < filled.length; at += 1) {
    const cell = defined(filled[at]);
    cells.push(cell - before);
    before = cell;
    written += defined(digits[Math.min(defined(counts[at]), highestDigit)]);
  }
  return { grid: side, cells, counts: written };
}

/** Four cells become one. */
function coarser({ side, counts, filled }: Grid): Grid {
  const half = side / 2;
  const sums = new Uint16Array(half * half);
  for (let at = 0; at < filled.length; at += 1) {
    const cell = defined(filled[at]);
    const into = Math.floor(cell / side / 2) * half + Math.floor((cell % side) / 2);
    sums[into] = Math.min(mostCount, defined(sums[into]) + defined(counts[at]));
  }
  return gridOfCounts(half, sums);
}
