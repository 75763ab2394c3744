// The sales of one postcode area, opened: what each row says, and the indexes by which a filter finds rows (select/).

import { Memo } from '../../columns/memo.ts';
import { firstIndex } from '../../columns/sorted.ts';
import { defined } from '../../out-of-range.ts';
import type { Strings } from '../../release/part.ts';
import { unpackPostcode } from '../../uk/postcode.ts';
import { type Estate, estateOf, isNewlyBuilt, type PropertyType, propertyTypeOf } from './kinds.ts';
import { SaleMonths } from './months.ts';
import { placeFields } from './rows.ts';
import { SaleRuns } from './runs.ts';
import { SaleSets } from './sets.ts';
import { StreetNames } from './street-names.ts';
import type { SalesViews } from './table.ts';

/** The part of an address that the sales of one street share. Texts are empty where the register leaves them out. */
export type Place = {
  readonly street: string;
  readonly locality: string;
  readonly town: string;
  readonly district: string;
  readonly county: string;
};

/** Per area: those of some pages. */
const postcodesRemembered = 4096;

export class SalesSegment {
  readonly length: number;
  /** By row, as the other columns here; rows are newest first, so that a lookback is a range of them. */
  readonly days: Uint16Array;
  readonly flags: Uint8Array;
  /** Codes, for `placeNumbered`. */
  readonly places: Uint16Array | Uint32Array;
  readonly months: SaleMonths;
  readonly runs: SaleRuns;
  readonly sets: SaleSets;
  readonly #postcodes: Uint16Array | Uint32Array;
  readonly #postcodeTexts: Memo<string>;
  readonly #paonCodes: Uint16Array | Uint32Array;
  readonly #saonCodes: Uint16Array | Uint32Array;
  readonly #paons: Strings;
  readonly #saons: Strings;
  readonly placeNumbered: (place: number) => Place;
  readonly #openStreets: () => StreetNames;
  #streets: StreetNames | undefined;

  constructor(views: SalesViews) {
    const { day, flags, postcode, postcodes, place, places, paon, saon, streets, names } = views;
    this.days = day;
    this.length = day.length;
    this.flags = flags;
    this.places = place;
    this.months = new SaleMonths(views);
    this.runs = new SaleRuns(views);
    this.sets = new SaleSets(views, this.months);
    this.#paonCodes = paon;
    this.#saonCodes = saon;
    this.#paons = views.paons;
    this.#saons = views.saons;
    this.#postcodes = postcode;
    this.#postcodeTexts = new Memo(postcodesRemembered, (code) =>
      code === postcodes.length ? '' : unpackPostcode(defined(postcodes[code])),
    );
    const word = (place: number, field: number) => defined(places[place * placeFields + field]);
    this.placeNumbered = (place) => ({
      street: streets.at(word(place, 0)),
      locality: names.at(word(place, 1)),
      town: names.at(word(place, 2)),
      district: names.at(word(place, 3)),
      county: names.at(word(place, 4)),
    });
    this.#openStreets = () => new StreetNames(streets);
  }

  /** An area has sales, or it has no segment. */
  get newestDay(): number {
    return defined(this.days[0]);
  }

  price(row: number): number {
    return this.months.priceOfRow(row);
  }
  paon(row: number): string {
    return this.#paons.at(defined(this.#paonCodes[row]));
  }
  saon(row: number): string {
    return this.#saons.at(defined(this.#saonCodes[row]));
  }
  /** Empty where the register has none. */
  postcode(row: number): string {
    return this.#postcodeTexts.at(defined(this.#postcodes[row]));
  }
  place(row: number): Place {
    return this.placeNumbered(defined(this.places[row]));
  }
  propertyType(row: number): PropertyType {
    return propertyTypeOf(defined(this.flags[row]));
  }
  isNewlyBuilt(row: number): boolean {
    return isNewlyBuilt(defined(this.flags[row]));
  }
  estate(row: number): Estate {
    return estateOf(defined(this.flags[row]));
  }

  /** The first row of that day or an earlier one. */
  firstRowBy(day: number): number {
    return firstIndex(0, this.length, (row) => defined(this.days[row]) <= day);
  }

  /** Made when a street is first asked for, as many areas are never asked for one. */
  get streets(): StreetNames {
    this.#streets ??= this.#openStreets();
    return this.#streets;
  }
}
