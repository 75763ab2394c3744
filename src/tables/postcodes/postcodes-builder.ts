// Collects postcodes in any order and lays them out as the columns that postcodes.ts reads. There are millions of rows,
// so that everything is numbers: each code has one, and so has each combination of codes, which is a place.

import { popcount } from '../../columns/bits.ts';
import { defined, outOfRange } from '../../out-of-range.ts';
import type { Columns } from '../../release/part.ts';
import { packedPerOutcode } from '../../uk/postcode.ts';
import { gridTable } from './grid-references.ts';
import {
  describePlace,
  type PostcodeColumns,
  Postcodes,
  type Usage,
  usageShift,
  usages,
} from './postcodes.ts';
import { type Nation, nations, postcodesTable, rowFields, wordsPerOutcode } from './postcodes-table.ts';

type NewPostcode = {
  readonly packed: number;
  /** As `place` gave it. */
  readonly place: number;
  /** Millionths of a degree; `noPoint` where it is unknown. */
  readonly latitude: number;
  readonly longitude: number;
  /** Metres on the National Grid, as published; both 0 where it gives none. */
  readonly easting: number;
  readonly northing: number;
  /** As `monthNumber` gives it; 0 for none. */
  readonly terminated: number;
  readonly usage: Usage | null;
};

const firstCapacity = 1024;
const gridFields = 2;

export class PostcodesBuilder {
  #size = 0;
  #packed = new Uint32Array(firstCapacity);
  #rows = new Int32Array(rowFields * firstCapacity);
  #grid = new Int32Array(gridFields * firstCapacity);
  readonly #pages = new Map<number, Uint32Array>();
  readonly #codes = new Map<string, number>();
  readonly #places: number[][] = [];
  readonly #placeNumbers = new Map<string, number>();
  /** Neighbours in a file mostly lie in one place. */
  #lastPlace = -1;

  get size(): number {
    return this.#size;
  }

  /** A number that stands for the code; 0 for none. */
  code(text: string): number {
    if (text === '') return 0;
    const known = this.#codes.get(text);
    if (known !== undefined) return known;
    this.#codes.set(text, this.#codes.size + 1);
    return this.#codes.size;
  }

  /** A number that stands for the combination; `codes` are numbers of `code`, in the order of `placeCodes`. */
  place(nation: Nation | null, codes: readonly number[]): number {
    const nationNumber = nation === null ? 0 : 1 + nations.indexOf(nation);
    const last = this.#places[this.#lastPlace];
    if (last !== undefined && last[0] === nationNumber && codes.every((code, at) => last[at + 1] === code)) {
      return this.#lastPlace;
    }
    const place = [nationNumber, ...codes];
    const key = place.join();
    const number = this.#placeNumbers.get(key) ?? this.#places.push(place) - 1;
    this.#placeNumbers.set(key, number);
    this.#lastPlace = number;
    return number;
  }

  /** The first row of a postcode stays. */
  add(row: NewPostcode): 'added' | 'already there' {
    if (!this.#mark(row.packed)) return 'already there';
    if (this.#size === this.#packed.length) this.#grow();
    const usage = row.usage === null ? 0 : 1 + usages.indexOf(row.usage);
    const at = rowFields * this.#size;
    this.#packed[this.#size] = row.packed;
    this.#rows[at] = row.place;
    this.#rows[at + 1] = row.latitude;
    this.#rows[at + 2] = row.longitude;
    this.#rows[at + 3] = row.terminated + (usage << usageShift);
    this.#grid[gridFields * this.#size] = row.easting;
    this.#grid[gridFields * this.#size + 1] = row.northing;
    this.#size += 1;
    return 'added';
  }

  /** The columns of both parts, and a table that reads the first. */
  finish(): { readonly columns: Columns; readonly grid: Columns; readonly table: Postcodes } {
    const outcodes = Uint32Array.from(this.#pages.keys()).sort();
    const units = this.#layOut(outcodes);
    const { rows, grid } = this.#arrange(outcodes, units);
    const places = (column: number) => this.#places.map((place) => defined(place[column]));
    const codes = (column: number) => Uint32Array.from(places(column + 1));
    const columns = postcodesTable.encode({
      outcodes,
      units,
      rows,
      'place-nation': Uint8Array.from(places(0)),
      // In the order of `placeCodes`.
      'place-authority': codes(0),
      'place-ward': codes(1),
      'place-county': codes(2),
      'place-region': codes(3),
      'place-lsoa': codes(4),
      'place-msoa': codes(5),
      'place-police-force': codes(6),
      codes: [...this.#codes.keys()],
    });
    const table = new Postcodes({ outcodes, units, rows, places: this.#readPlaces() });
    return { columns, grid: gridTable.encode({ grid }), table };
  }

  #readPlaces(): PostcodeColumns['places'] {
    const texts = [...this.#codes.keys()];
    const read = ([nation = outOfRange(), ...codes]: readonly number[]) =>
      describePlace(nation, (column) => {
        const code = defined(codes[column]);
        return code === 0 ? null : defined(texts[code - 1]);
      });
    return {
      length: this.#places.length,
      at: (index) => read(defined(this.#places[index])),
      list: () => this.#places.map(read),
    };
  }

  /** Sets the postcode's bit; false where it was set. */
  #mark(packed: number): boolean {
    const outcode = Math.floor(packed / packedPerOutcode);
    const unit = packed - outcode * packedPerOutcode;
    let page = this.#pages.get(outcode);
    if (page === undefined) {
      page = new Uint32Array(wordsPerOutcode);
      this.#pages.set(outcode, page);
    }
    const word = defined(page[unit >>> 5]);
    const bit = 1 << (unit & 31);
    if ((word & bit) !== 0) return false;
    page[unit >>> 5] = word | bit;
    return true;
  }

  /** The words of all pages in order, each with the number of bits before it. */
  #layOut(outcodes: Uint32Array): Uint32Array {
    const units = new Uint32Array(2 * wordsPerOutcode * outcodes.length);
    let at = 0;
    let before = 0;
    for (const outcode of outcodes) {
      for (const word of defined(this.#pages.get(outcode))) {
        units[at] = word;
        units[at + 1] = before;
        before += popcount(word);
        at += 2;
      }
    }
    return units;
  }

  /** The collected rows by postcode. A row's place is the number of postcodes before its own. */
  #arrange(outcodes: Uint32Array, units: Uint32Array) {
    const pageOf = new Map(Array.from(outcodes, (outcode, page) => [outcode, page]));
    const rows = new Int32Array(rowFields * this.#size);
    const grid = new Int32Array(gridFields * this.#size);
    for (let from = 0; from < this.#size; from += 1) {
      const packed = defined(this.#packed[from]);
      const outcode = Math.floor(packed / packedPerOutcode);
      const unit = packed - outcode * packedPerOutcode;
      const word = 2 * (defined(pageOf.get(outcode)) * wordsPerOutcode + (unit >>> 5));
      const to = defined(units[word + 1]) + popcount(defined(units[word]) & ((1 << (unit & 31)) - 1));
      for (let field = 0; field < rowFields; field += 1) {
        rows[rowFields * to + field] = defined(this.#rows[rowFields * from + field]);
      }
      grid[gridFields * to] = defined(this.#grid[gridFields * from]);
      grid[gridFields * to + 1] = defined(this.#grid[gridFields * from + 1]);
    }
    return { rows, grid };
  }

  #grow(): void {
    const packed = new Uint32Array(2 * this.#packed.length);
    packed.set(this.#packed);
    this.#packed = packed;
    const rows = new Int32Array(2 * this.#rows.length);
    rows.set(this.#rows);
    this.#rows = rows;
    const grid = new Int32Array(2 * this.#grid.length);
    grid.set(this.#grid);
    this.#grid = grid;
  }
}
