// The sales of one postcode area, opened: what each row says, and which rows a filter finds. Rows are numbered
// newest first, so a lookback is a range of rows.

import type { Part } from '../release/part.ts';
import { unpackPostcode } from '../uk/postcode.ts';
import { SaleSets } from './sale-sets.ts';
import {
  classCount,
  classMask,
  type Estate,
  estateShift,
  estates,
  isNewClass,
  lowerBound,
  type PropertyType,
  placeFields,
  propertyTypes,
  readCodes,
  rowsPerBlock,
  typeIndexOf,
} from './sales-part.ts';
import { StreetNames } from './street-names.ts';
import { Wavelet } from './wavelet.ts';

/** The part of an address that sales of one street share. Empty texts are parts that the register leaves out. */
export type Place = {
  readonly street: string;
  readonly locality: string;
  readonly town: string;
  readonly district: string;
  readonly county: string;
};

/** The latter is excluded. */
export type ClassRanks = { readonly saleClass: number; readonly from: number; readonly to: number };

/** Texts are made on demand; keeping every one of a country would cost more than the columns do. */
const textsKept = 4096;

class Kept<T> {
  readonly #make: (index: number) => T;
  readonly #known = new Map<number, T>();
  constructor(make: (index: number) => T) {
    this.#make = make;
  }
  at(index: number): T {
    const known = this.#known.get(index);
    if (known !== undefined) return known;
    if (this.#known.size >= textsKept) this.#known.clear();
    const made = this.#make(index);
    this.#known.set(index, made);
    return made;
  }
}

export class SalesSegment {
  readonly length: number;
  readonly days: Uint16Array;
  readonly prices: Uint32Array;
  readonly flags: Uint8Array;
  readonly postcodes: Uint16Array | Uint32Array;
  readonly places: Uint16Array | Uint32Array;
  /** The rows of the postcodes in order; of one postcode, those from `postcodeStarts[i]` to the next. */
  readonly postcodeRows: Uint32Array;
  readonly postcodeStarts: Uint32Array;
  readonly placeRows: Uint32Array;
  readonly placeStarts: Uint32Array;
  /** The first place of each street; those of a street stand side by side. */
  readonly streetStarts: Uint32Array;
  /** Price and flags of the rows in `placeRows`. */
  readonly placePrices: Uint32Array;
  readonly placeFlags: Uint8Array;
  /** The area's distinct prices in order. */
  readonly priceLevels: Uint32Array;
  readonly priceRanks: Wavelet;
  readonly sets: SaleSets;
  /** Where each class begins in the sequence of `priceRanks`, and the end of the last. */
  readonly classStarts: Uint32Array;
  readonly #distinctPostcodes: Uint32Array;
  readonly #blockCounts: Uint32Array;
  readonly #blockSums: Float64Array;
  readonly #paonCodes: Uint16Array | Uint32Array;
  readonly #saonCodes: Uint16Array | Uint32Array;
  readonly #paons: Kept<string>;
  readonly #saons: Kept<string>;
  readonly #postcodeTexts: Kept<string>;
  readonly #places: Kept<Place>;
  readonly #openStreets: () => StreetNames;
  #streets: StreetNames | undefined;

  constructor(part: Part) {
    this.days = part.u16('day');
    this.length = this.days.length;
    this.prices = part.u32('price');
    this.flags = part.u8('flags');
    this.postcodes = readCodes(part, 'postcode');
    this.places = readCodes(part, 'place');
    this.postcodeStarts = part.u32('postcode-start');
    this.postcodeRows = part.u32('postcode-rows');
    this.placeStarts = part.u32('place-start');
    this.placeRows = part.u32('place-rows');
    this.streetStarts = part.u32('street-start');
    this.placePrices = part.u32('place-prices');
    this.placeFlags = part.u8('place-flags');
    this.priceLevels = part.u32('prices');
    this.priceRanks = new Wavelet({
      bits: part.u32('price-bits'),
      ranks: part.u32('price-ranks'),
      zeros: part.u32('price-zeros'),
    });
    this.#distinctPostcodes = part.u32('postcodes');
    this.#blockCounts = part.u32('block-count');
    this.#blockSums = part.f64('block-sum');
    this.#paonCodes = readCodes(part, 'paon');
    this.#saonCodes = readCodes(part, 'saon');
    const paons = part.strings('paons');
    const saons = part.strings('saons');
    const streets = part.strings('streets');
    const names = part.strings('names');
    const words = part.u32('places');
    this.#paons = new Kept((code) => paons.at(code));
    this.#saons = new Kept((code) => saons.at(code));
    const noPostcode = this.#distinctPostcodes.length;
    this.#postcodeTexts = new Kept((code) =>
      code === noPostcode ? '' : unpackPostcode(this.#distinctPostcodes[code] ?? 0),
    );
    const word = (place: number, field: number) => words[place * placeFields + field] ?? 0;
    this.#places = new Kept((place) => ({
      street: streets.at(word(place, 0)),
      locality: names.at(word(place, 1)),
      town: names.at(word(place, 2)),
      district: names.at(word(place, 3)),
      county: names.at(word(place, 4)),
    }));
    this.#openStreets = () => new StreetNames(streets);
    const all = this.#blockCounts.subarray(-classCount);
    this.classStarts = new Uint32Array(classCount + 1);
    for (let at = 1; at <= classCount; at++) {
      this.classStarts[at] = (this.classStarts[at - 1] ?? 0) + (all[at - 1] ?? 0);
    }
    this.sets = new SaleSets(part, this.classStarts);
  }

  paon(row: number): string {
    return this.#paons.at(this.#paonCodes[row] ?? 0);
  }
  saon(row: number): string {
    return this.#saons.at(this.#saonCodes[row] ?? 0);
  }
  /** Empty where the register has none. */
  postcode(row: number): string {
    return this.#postcodeTexts.at(this.postcodes[row] ?? 0);
  }
  /** The same object for rows of one place, as long as it is in use. */
  place(row: number): Place {
    return this.#places.at(this.places[row] ?? 0);
  }
  propertyType(row: number): PropertyType {
    return propertyTypes[typeIndexOf((this.flags[row] ?? 0) & classMask)] ?? 'O';
  }
  isNew(row: number): boolean {
    return isNewClass((this.flags[row] ?? 0) & classMask);
  }
  estate(row: number): Estate {
    return estates[(this.flags[row] ?? 0) >>> estateShift] ?? 'U';
  }

  /** The first row of that day or an earlier one. */
  firstRowBy(day: number): number {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.days[middle] ?? 0) > day) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Numbers of the postcodes from one packed postcode to another, the latter excluded. */
  postcodesIn(from: number, to: number): { readonly start: number; readonly end: number } {
    return { start: lowerBound(this.#distinctPostcodes, from), end: lowerBound(this.#distinctPostcodes, to) };
  }

  get lowestPrice(): number {
    return this.priceLevels[0] ?? 0;
  }
  get highestPrice(): number {
    return this.priceLevels.at(-1) ?? 0;
  }

  priceOfRank(rank: number): number {
    return this.prices[this.sets.rankRows[rank] ?? 0] ?? 0;
  }

  /** In the order of class and price: the first from `low` to before `high`, all of one class, that is not cheaper. */
  rankOfPrice(price: number, low: number, high: number): number {
    let [first, after] = [low, high];
    while (first < after) {
      const middle = (first + after) >>> 1;
      if (this.priceOfRank(middle) < price) first = middle + 1;
      else after = middle;
    }
    return first;
  }

  /** Of each of the classes that has such sales: where they stand in that order. Both prices are included. */
  ranksOfPrices(classes: number, minPrice: number, maxPrice: number): readonly ClassRanks[] {
    const ranks: ClassRanks[] = [];
    for (let saleClass = 0; saleClass < classCount; saleClass++) {
      if (((classes >>> saleClass) & 1) === 0) continue;
      const [start = 0, end = 0] = this.classStarts.subarray(saleClass, saleClass + 2);
      const from = minPrice <= this.lowestPrice ? start : this.rankOfPrice(minPrice, start, end);
      const to = maxPrice >= this.highestPrice ? end : this.rankOfPrice(maxPrice + 1, start, end);
      if (from < to) ranks.push({ saleClass, from, to });
    }
    return ranks;
  }

  get streets(): StreetNames {
    this.#streets ??= this.#openStreets();
    return this.#streets;
  }

  /** How many sales of each class stand before the row. */
  countsBefore(row: number): Uint32Array {
    const block = Math.floor(row / rowsPerBlock);
    const counts = this.#blockCounts.slice(block * classCount, (block + 1) * classCount);
    for (let at = block * rowsPerBlock; at < row; at++) {
      const saleClass = (this.flags[at] ?? 0) & classMask;
      counts[saleClass] = (counts[saleClass] ?? 0) + 1;
    }
    return counts;
  }

  /** What the sales of each class before the row cost together. */
  sumsBefore(row: number): Float64Array {
    const block = Math.floor(row / rowsPerBlock);
    const sums = this.#blockSums.slice(block * classCount, (block + 1) * classCount);
    for (let at = block * rowsPerBlock; at < row; at++) {
      const saleClass = (this.flags[at] ?? 0) & classMask;
      sums[saleClass] = (sums[saleClass] ?? 0) + (this.prices[at] ?? 0);
    }
    return sums;
  }

  /** The last block whose rows have at most `count` sales of these classes before them. */
  blockBefore(classes: number, count: number): { readonly row: number; readonly count: number } {
    let low = 0;
    let high = this.#blockCounts.length / classCount - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#countAtBlock(middle, classes) <= count) low = middle;
      else high = middle - 1;
    }
    return { row: Math.min(low * rowsPerBlock, this.length), count: this.#countAtBlock(low, classes) };
  }

  #countAtBlock(block: number, classes: number): number {
    let count = 0;
    for (let saleClass = 0; saleClass < classCount; saleClass++) {
      if (((classes >>> saleClass) & 1) === 1)
        count += this.#blockCounts[block * classCount + saleClass] ?? 0;
    }
    return count;
  }
}
