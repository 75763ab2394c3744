// The sales of one postcode area, opened: what each row says, and which rows a filter finds. Rows are numbered
// newest first, so a lookback is a range of rows.

import { readCodes } from '../../columns/codes.ts';
import { Kept } from '../../columns/kept.ts';
import { outOfRange } from '../../columns/out-of-range.ts';
import type { Part, Strings } from '../../release/part.ts';
import { unpackPostcode } from '../../uk/postcode.ts';
import {
  classMask,
  type Estate,
  estateShift,
  estates,
  isNewClass,
  type PropertyType,
  propertyTypes,
  typeIndexOf,
} from './kinds.ts';
import { SaleMonths } from './months.ts';
import { placeFields } from './rows.ts';
import { SalePlaces } from './runs.ts';
import { SaleSets } from './sets.ts';
import { StreetNames } from './street-names.ts';

/** The part of an address that sales of one street share. Empty texts are parts that the register leaves out. */
export type Place = {
  readonly street: string;
  readonly locality: string;
  readonly town: string;
  readonly district: string;
  readonly county: string;
};

/** Per area: those of some pages. */
const postcodesKept = 4096;

export class SalesSegment {
  readonly length: number;
  readonly days: Uint16Array;
  readonly flags: Uint8Array;
  readonly postcodes: Uint16Array | Uint32Array;
  readonly places: Uint16Array | Uint32Array;
  readonly months: SaleMonths;
  readonly salePlaces: SalePlaces;
  readonly sets: SaleSets;
  readonly #paonCodes: Uint16Array | Uint32Array;
  readonly #saonCodes: Uint16Array | Uint32Array;
  readonly #paons: Strings;
  readonly #saons: Strings;
  readonly #postcodeTexts: Kept<string>;
  /** By its number in `places`. */
  readonly placeNumbered: (place: number) => Place;
  readonly #openStreets: () => StreetNames;
  #streets: StreetNames | undefined;

  constructor(part: Part) {
    this.days = part.u16('day');
    this.length = this.days.length;
    this.flags = part.u8('flags');
    this.postcodes = readCodes(part, 'postcode');
    this.places = readCodes(part, 'place');
    this.months = new SaleMonths(part);
    this.salePlaces = new SalePlaces(part);
    this.sets = new SaleSets(part, this.months);
    this.#paonCodes = readCodes(part, 'paon');
    this.#saonCodes = readCodes(part, 'saon');
    const streets = part.strings('streets');
    const names = part.strings('names');
    const words = part.u32('places');
    this.#paons = part.strings('paons');
    this.#saons = part.strings('saons');
    const packed = part.u32('postcodes');
    this.#postcodeTexts = new Kept(postcodesKept, (code) =>
      code === packed.length ? '' : unpackPostcode(packed[code] ?? outOfRange()),
    );
    const word = (place: number, field: number) => words[place * placeFields + field] ?? outOfRange();
    this.placeNumbered = (place) => ({
      street: streets.at(word(place, 0)),
      locality: names.at(word(place, 1)),
      town: names.at(word(place, 2)),
      district: names.at(word(place, 3)),
      county: names.at(word(place, 4)),
    });
    this.#openStreets = () => new StreetNames(streets);
  }

  price(row: number): number {
    return this.months.priceOfRow(row);
  }
  paon(row: number): string {
    return this.#paons.at(this.#paonCodes[row] ?? outOfRange());
  }
  saon(row: number): string {
    return this.#saons.at(this.#saonCodes[row] ?? outOfRange());
  }
  /** Empty where the register has none. */
  postcode(row: number): string {
    return this.#postcodeTexts.at(this.postcodes[row] ?? outOfRange());
  }
  place(row: number): Place {
    return this.placeNumbered(this.places[row] ?? outOfRange());
  }
  propertyType(row: number): PropertyType {
    return propertyTypes[typeIndexOf((this.flags[row] ?? outOfRange()) & classMask)] ?? 'O';
  }
  isNew(row: number): boolean {
    return isNewClass((this.flags[row] ?? outOfRange()) & classMask);
  }
  estate(row: number): Estate {
    return estates[(this.flags[row] ?? outOfRange()) >>> estateShift] ?? 'U';
  }

  /** The first row of that day or an earlier one. */
  firstRowBy(day: number): number {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.days[middle] ?? outOfRange()) > day) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  get streets(): StreetNames {
    this.#streets ??= this.#openStreets();
    return this.#streets;
  }
}
