// Where every postcode in use lies, as the cell of the finest grid, kept by town: a tile of a region or of the country is made of the
// towns in it. So a tile looks at its own postcodes alone, and projects none of them.

import { setImmediate } from 'node:timers/promises';
import { defined } from '../out-of-range.ts';
import { type Grid, gridOfCounts, gridOfSorted, mostCount } from './cells.ts';
import type { TileAddress } from './tile-address.ts';

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
