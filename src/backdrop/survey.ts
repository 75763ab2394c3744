// What the backdrop needs of a whole release: where its postcodes lie, and how many every ward and authority has with their middle.
// It goes through every postcode once, in short turns, so that calls are answered meanwhile.

import { setImmediate } from 'node:timers/promises';
import { defined } from '../out-of-range.ts';
import type { Release } from '../release/reader.ts';
import { findPlaceNames, type PlaceNames } from '../tables/postcodes/place-names.ts';
import { openPostcodes, type Postcodes } from '../tables/postcodes/postcodes.ts';
import { type TileAddress, worldOf } from './tile-address.ts';

type Name = {
  readonly kind: 'authority' | 'ward';
  readonly name: string;
  readonly postcodes: number;
  /** Mean of its postcodes, in the square of the world. */
  readonly x: number;
  readonly y: number;
};

// Where people live in a tile, as the cells of a grid that have postcodes in use, each with how many.

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
const mostCount = 65_535;

/** `counts` has a number for every cell. */
function gridOfCounts(side: number, counts: Uint16Array): Grid {
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
function gridOfSorted(side: number, cells: Uint32Array): Grid {
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

export type Survey = {
  readonly names: readonly Name[];
  /** Undefined where nobody lives. */
  readonly gridOf: (tile: TileAddress) => Promise<Grid | undefined>;
};

/** About two milliseconds each. */
const rowsATurn = 20_000;
const placesATurn = 1_000;

// Where every postcode in use lies, as the cell of the finest grid, kept by town: a tile of a region or of the country is made of the
// towns in it. So a tile looks at its own postcodes alone, and projects none of them.

/** A tile of many towns is made in so many. */
const turns = 8;

const townTiles = 2 ** 12;
const townSide = 1_024;
/** A region has as many towns along one side. */
const townsARegion = 8;
const regionSide = 512;
/** Cells of a town's grid along one side of a cell of the region's. */
const cellsARegionCell = (townSide * townsARegion) / regionSide;

const townsACountry = 64;
const countrySide = 256;
/** Cells of the country's grid along one side of a town. */
const countryCellsATown = countrySide / townsACountry;
const cellsACountryCell = townSide / countryCellsATown;

class Town {
  /** Row by row, how many postcodes each cell of the country's grid has here. */
  readonly country = new Uint32Array(countryCellsATown ** 2);
  /** Grows by doubling. */
  #cells = new Uint32Array(16);
  #length = 0;

  add(column: number, row: number): void {
    if (this.#length === this.#cells.length) {
      const larger = new Uint32Array(2 * this.#length);
      larger.set(this.#cells);
      this.#cells = larger;
    }
    this.#cells[this.#length] = row * townSide + column;
    this.#length += 1;
    const at =
      Math.floor(row / cellsACountryCell) * countryCellsATown + Math.floor(column / cellsACountryCell);
    this.country[at] = defined(this.country[at]) + 1;
  }

  cells(): Uint32Array {
    return this.#cells.subarray(0, this.#length);
  }
}

export class PostcodeCells {
  readonly #towns = new Map<number, Town>();
  /** Neighbours mostly come one after the other. */
  #last = { number: -1, town: new Town() };

  /** Of a place in the square of the world. */
  add(x: number, y: number): void {
    const column = Math.floor(x * townTiles * townSide);
    const row = Math.floor(y * townTiles * townSide);
    const number = Math.floor(row / townSide) * townTiles + Math.floor(column / townSide);
    if (number !== this.#last.number) {
      const town = this.#towns.get(number) ?? new Town();
      this.#towns.set(number, town);
      this.#last = { number, town };
    }
    this.#last.town.add(column % townSide, row % townSide);
  }

  /** Undefined where nobody lives. */
  async gridOf({ z, x, y }: TileAddress): Promise<Grid | undefined> {
    if (z === 12) {
      const cells = this.#towns.get(y * townTiles + x)?.cells();
      return cells && gridOfSorted(townSide, cells.slice().sort());
    }
    return z === 9
      ? this.#gather(x, y, townsARegion, regionSide, addToRegion)
      : this.#gather(x, y, townsACountry, countrySide, addToCountry);
  }

  /** Of a tile with so many towns along one side: London has 300,000 postcodes, so that others have their turn meanwhile. */
  async #gather(
    x: number,
    y: number,
    towns: number,
    side: number,
    addTown: AddTown,
  ): Promise<Grid | undefined> {
    let counts: Uint16Array | undefined;
    for (let down = 0; down < towns; down += 1) {
      if (down % (towns / turns) === 0) await setImmediate();
      for (let right = 0; right < towns; right += 1) {
        const town = this.#towns.get((towns * y + down) * townTiles + towns * x + right);
        if (town === undefined) continue;
        counts ??= new Uint16Array(side ** 2);
        addTown(counts, town, right, down);
      }
    }
    return counts && gridOfCounts(side, counts);
  }
}

type AddTown = (counts: Uint16Array, town: Town, right: number, down: number) => void;

const addToRegion: AddTown = (counts, town, right, down) => {
  const first = ((down * townSide) / cellsARegionCell) * regionSide + (right * townSide) / cellsARegionCell;
  const cells = town.cells();
  for (let index = 0; index < cells.length; index += 1) {
    const cell = defined(cells[index]);
    const row = Math.floor(cell / townSide / cellsARegionCell);
    const at = first + row * regionSide + Math.floor((cell % townSide) / cellsARegionCell);
    counts[at] = Math.min(mostCount, defined(counts[at]) + 1);
  }
};

const addToCountry: AddTown = (counts, town, right, down) => {
  for (let cell = 0; cell < countryCellsATown ** 2; cell += 1) {
    const row = down * countryCellsATown + Math.floor(cell / countryCellsATown);
    const at = row * countrySide + right * countryCellsATown + (cell % countryCellsATown);
    counts[at] = Math.min(mostCount, defined(town.country[cell]));
  }
};

export async function surveyOf(release: Release): Promise<Survey> {
  if (release.findDataset('postcodes') === undefined) return { names: [], gridOf: async () => undefined };
  const postcodes = openPostcodes(release);
  const places = new Places();
  const cells = new PostcodeCells();
  for (let from = 0; from < postcodes.size; from += rowsATurn) {
    postcodes.eachInUse(
      (place, latitudeMicro, longitudeMicro, row) => {
        const { x, y } = worldOf(latitudeMicro / 1e6, longitudeMicro / 1e6);
        places.add(place, x, y, row);
        cells.add(x, y);
      },
      from,
      Math.min(from + rowsATurn, postcodes.size),
    );
    await setImmediate();
  }
  const names = findPlaceNames(release);
  return {
    names: names === undefined ? [] : await nameAreas(places, postcodes, names),
    gridOf: (tile) => cells.gridOf(tile),
  };
}

/** Sums over what postcodes have in common, in columns: there are some hundred thousand. */
class Places {
  #counts = new Uint32Array(1_024);
  #xs = new Float64Array(1_024);
  #ys = new Float64Array(1_024);
  /** A row of each, to find out what it is. */
  #rows = new Uint32Array(1_024);

  add(place: number, x: number, y: number, row: number): void {
    if (place >= this.#counts.length) this.#grow(place);
    this.#counts[place] = defined(this.#counts[place]) + 1;
    this.#xs[place] = defined(this.#xs[place]) + x;
    this.#ys[place] = defined(this.#ys[place]) + y;
    this.#rows[place] = row;
  }

  get size(): number {
    return this.#counts.length;
  }

  /** `count` is 0 where no postcode in use is of it. */
  at(place: number): {
    readonly count: number;
    readonly x: number;
    readonly y: number;
    readonly row: number;
  } {
    return {
      count: defined(this.#counts[place]),
      x: defined(this.#xs[place]),
      y: defined(this.#ys[place]),
      row: defined(this.#rows[place]),
    };
  }

  #grow(place: number): void {
    const size = 2 ** Math.ceil(Math.log2(place + 1));
    const [counts, xs, ys, rows] = [this.#counts, this.#xs, this.#ys, this.#rows];
    this.#counts = new Uint32Array(size);
    this.#xs = new Float64Array(size);
    this.#ys = new Float64Array(size);
    this.#rows = new Uint32Array(size);
    this.#counts.set(counts);
    this.#xs.set(xs);
    this.#ys.set(ys);
    this.#rows.set(rows);
  }
}

async function nameAreas(places: Places, postcodes: Postcodes, names: PlaceNames): Promise<readonly Name[]> {
  const sums = new Map<string, { kind: Name['kind']; count: number; x: number; y: number }>();
  for (let place = 0; place < places.size; place += 1) {
    if (place % placesATurn === 0) await setImmediate();
    const { count, x, y, row } = places.at(place);
    if (count === 0) continue;
    const { authorityCode, wardCode } = postcodes.at(row);
    const add = (kind: Name['kind'], code: string | null) => {
      if (code === null) return;
      const sum = sums.get(code) ?? { kind, count: 0, x: 0, y: 0 };
      sums.set(code, sum);
      sum.count += count;
      sum.x += x;
      sum.y += y;
    };
    add('authority', authorityCode);
    add('ward', wardCode);
  }
  return [...sums]
    .flatMap(([code, { kind, count, x, y }]) => {
      const name = names.find(code);
      return name === undefined ? [] : [{ kind, name, postcodes: count, x: x / count, y: y / count }];
    })
    .sort((a, b) => b.postcodes - a.postcodes || (a.name < b.name ? -1 : 1));
}
