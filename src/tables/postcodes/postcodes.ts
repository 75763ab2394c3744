// Every postcode, live and terminated: where it lies and in which authority, ward, LSOA, … . A look-up is one bit of
// a bitmap per outward code, the count of the bits before it (the row), and a few typed arrays at that row.

import { outOfRange } from '../../columns/out-of-range.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';
import type { LatLong } from '../../uk/grid.ts';
import {
  type Postcode,
  packedLimit,
  packedPerOutcode,
  packPostcode,
  packPostcodeText,
  parsePostcode,
  unpackPostcode,
} from '../../uk/postcode.ts';

export const postcodesPart = 'postcodes';

/** A row holds the place in this list plus one; 0 is unknown. Only ever add at the end. */
export const nations = [
  'England',
  'Wales',
  'Scotland',
  'Northern Ireland',
  'Channel Islands',
  'Isle of Man',
] as const;
export type Nation = (typeof nations)[number];

export const usages = ['small', 'large'] as const;
export type Usage = (typeof usages)[number];
// An index of −1 would cost more than all the rest of a look-up.
const usageByNumber = [null, ...usages];

/** What many postcodes have in common, so that it is kept once. */
export type Place = {
  readonly nation: Nation | null;
  /** Of today: a recoded authority has its current code (src/uk/authority-codes.ts). */
  readonly authorityCode: string | null;
  readonly wardCode: string | null;
  readonly countyCode: string | null;
  readonly regionCode: string | null;
  /** LSOA of England and Wales, data zone of Scotland and Northern Ireland. */
  readonly lsoaCode: string | null;
  readonly msoaCode: string | null;
  readonly policeForceCode: string | null;
};

export const placeCodes = [
  'authorityCode',
  'wardCode',
  'countyCode',
  'regionCode',
  'lsoaCode',
  'msoaCode',
  'policeForceCode',
] as const satisfies readonly (keyof Place)[];

export type PostcodeRow = Place & {
  /** `SW1A 1AA` */
  readonly postcode: string;
  readonly point: LatLong | null;
  /** `YYYY-MM`; null while in use. */
  readonly terminated: string | null;
  /** A large user is one address with much post. */
  readonly usage: Usage | null;
};

/** Bits for the 4,000 postcodes that one outward code can have, as 32-bit words. */
export const wordsPerOutcode = packedPerOutcode / 32;
/** A row: place, latitude, longitude (millionths of a degree), month of termination + usage × 2¹⁶. */
export const rowFields = 4;
/** Latitude of a row without a point. */
export const noPoint = -(2 ** 31);
const microDegrees = 1e6;
export const usageShift = 16;
const monthMask = 2 ** usageShift - 1;

/** Columns as the part has them; src/tables/postcodes/postcodes-builder.ts writes them. */
export type PostcodeColumns = {
  readonly outcodes: Uint32Array;
  /** Two numbers a word: its bits, and the rows before it. */
  readonly units: Uint32Array;
  /** `rowFields` numbers a postcode, side by side, as a look-up mostly waits for memory. */
  readonly rows: Int32Array;
  readonly places: PlaceList;
};

export type PlaceList = {
  readonly length: number;
  at(index: number): Place;
  /** All of them at once. */
  list(): readonly Place[];
};

/** What a table holds at all, for telling two editions apart. */
export type PostcodeSurvey = {
  /** Area → number of postcodes. */
  readonly areas: ReadonlyMap<string, number>;
  readonly nations: ReadonlyMap<Nation, number>;
  readonly terminated: number;
  /** The codes that at least one postcode has. */
  readonly codes: readonly (typeof placeCodes)[number][];
};

export class Postcodes {
  readonly size: number;
  readonly #columns: PostcodeColumns;
  /** Outward code → its page plus one; 0 for none. */
  readonly #pages: Uint16Array;
  /** Decoded when first asked for: a start has no time for all of them. */
  readonly #places: (Place | undefined)[];
  readonly #months: (string | undefined)[] = [];
  #areas: ReadonlyMap<string, readonly number[]> | undefined;

  constructor(columns: PostcodeColumns) {
    this.#columns = columns;
    this.size = columns.rows.length / rowFields;
    this.#pages = new Uint16Array(packedLimit / packedPerOutcode);
    for (const [page, outcode] of columns.outcodes.entries()) this.#pages[outcode] = page + 1;
    this.#places = new Array(columns.places.length);
  }

  find(postcode: Postcode): PostcodeRow | undefined {
    const row = this.#rowOf(packPostcode(postcode));
    return row < 0 ? undefined : this.#describe(postcode.text, row);
  }

  /** As packPostcode gives it. */
  has(packed: number): boolean {
    return this.#rowOf(packed) >= 0;
  }

  /** `SW`, …: those with at least one postcode, in the order of the alphabet. */
  areas(): readonly string[] {
    return [...this.#pagesByArea().keys()];
  }

  /** In the order of the alphabet. */
  *inArea(area: string): Generator<PostcodeRow> {
    for (const page of this.#pagesByArea().get(area) ?? []) yield* this.#inPage(page);
  }

  /** In the order of the alphabet. */
  *inOutcode(outcode: string): Generator<PostcodeRow> {
    const first = packPostcodeText(`${outcode} 0AA`);
    const page =
      first === undefined ? 0 : (this.#pages[Math.floor(first / packedPerOutcode)] ?? outOfRange());
    if (page > 0) yield* this.#inPage(page - 1);
  }

  /** All of them, packed, ascending. */
  *packedNumbers(): Generator<number> {
    for (let page = 0; page < this.#columns.outcodes.length; page += 1) yield* this.#packedInPage(page);
  }

  /** What postcodes have in common, each once. */
  places(): readonly Place[] {
    return this.#columns.places.list();
  }

  survey(): PostcodeSurvey {
    const { rows, places } = this.#columns;
    const areas = [...this.#pagesByArea()].map(([area, pages]): [string, number] => {
      return [area, this.#firstRow((pages.at(-1) ?? 0) + 1) - this.#firstRow(pages[0] ?? outOfRange())];
    });
    const rowsOfPlace = new Uint32Array(places.length);
    let terminated = 0;
    for (let at = 0; at < rows.length; at += rowFields) {
      const index = rows[at] ?? outOfRange();
      rowsOfPlace[index] = (rowsOfPlace[index] ?? outOfRange()) + 1;
      if (((rows[at + 3] ?? outOfRange()) & monthMask) !== 0) terminated += 1;
    }
    const rowsOfNation = new Map<Nation, number>();
    const codes = new Set<(typeof placeCodes)[number]>();
    for (const [index, count] of rowsOfPlace.entries()) {
      const found = places.at(index);
      if (found.nation !== null)
        rowsOfNation.set(found.nation, (rowsOfNation.get(found.nation) ?? 0) + count);
      for (const name of placeCodes) if (found[name] !== null) codes.add(name);
    }
    return {
      areas: new Map(areas),
      nations: rowsOfNation,
      terminated,
      codes: [...codes],
    };
  }

  /** The row of a postcode, or −1. */
  #rowOf(packed: number): number {
    const outcode = Math.floor(packed / packedPerOutcode);
    const page = this.#pages[outcode] ?? outOfRange();
    if (page === 0) return -1;
    const unit = packed - outcode * packedPerOutcode;
    const word = 2 * ((page - 1) * wordsPerOutcode + (unit >>> 5));
    const { units } = this.#columns;
    const bits = units[word] ?? outOfRange();
    const bit = 1 << (unit & 31);
    if ((bits & bit) === 0) return -1;
    return (units[word + 1] ?? outOfRange()) + countBits(bits & (bit - 1));
  }

  #describe(postcode: string, row: number): PostcodeRow {
    const { rows } = this.#columns;
    const at = rowFields * row;
    const place = this.#place(rows[at] ?? outOfRange());
    const latitude = rows[at + 1] ?? noPoint;
    const rest = rows[at + 3] ?? outOfRange();
    return {
      postcode,
      nation: place.nation,
      point:
        latitude === noPoint
          ? null
          : {
              latitudeDegrees: latitude / microDegrees,
              longitudeDegrees: (rows[at + 2] ?? outOfRange()) / microDegrees,
            },
      authorityCode: place.authorityCode,
      wardCode: place.wardCode,
      countyCode: place.countyCode,
      regionCode: place.regionCode,
      lsoaCode: place.lsoaCode,
      msoaCode: place.msoaCode,
      policeForceCode: place.policeForceCode,
      terminated: this.#monthOf(rest & monthMask),
      usage: usageByNumber[rest >>> usageShift] ?? null,
    };
  }

  #place(index: number): Place {
    const known = this.#places[index];
    if (known !== undefined) return known;
    const place = this.#columns.places.at(index);
    this.#places[index] = place;
    return place;
  }

  #monthOf(month: number): string | null {
    if (month === 0) return null;
    const known = this.#months[month];
    if (known !== undefined) return known;
    const text = formatMonth(month);
    this.#months[month] = text;
    return text;
  }

  /** Of a page; the number of all rows past the last. */
  #firstRow(page: number): number {
    return this.#columns.units[2 * page * wordsPerOutcode + 1] ?? this.size;
  }

  *#inPage(page: number): Generator<PostcodeRow> {
    let row = this.#firstRow(page);
    for (const packed of this.#packedInPage(page)) yield this.#describe(unpackPostcode(packed), row++);
  }

  *#packedInPage(page: number): Generator<number> {
    const first = (this.#columns.outcodes[page] ?? outOfRange()) * packedPerOutcode;
    for (let word = 0; word < wordsPerOutcode; word += 1) {
      let bits = this.#columns.units[2 * (page * wordsPerOutcode + word)] ?? outOfRange();
      while (bits !== 0) {
        yield first + 32 * word + 31 - Math.clz32(bits & -bits);
        bits &= bits - 1;
      }
    }
  }

  #pagesByArea(): ReadonlyMap<string, readonly number[]> {
    if (this.#areas !== undefined) return this.#areas;
    const areas = new Map<string, number[]>();
    for (const [page, outcode] of this.#columns.outcodes.entries()) {
      const area = parsePostcode(unpackPostcode(outcode * packedPerOutcode))?.area ?? '';
      const pages = areas.get(area);
      if (pages === undefined) areas.set(area, [page]);
      else pages.push(page);
    }
    this.#areas = areas;
    return areas;
  }
}

/** `codeAt` is asked by the place in `placeCodes`. */
export const describePlace = (nation: number, codeAt: (column: number) => string | null): Place => ({
  nation: nations[nation - 1] ?? null,
  authorityCode: codeAt(0),
  wardCode: codeAt(1),
  countyCode: codeAt(2),
  regionCode: codeAt(3),
  lsoaCode: codeAt(4),
  msoaCode: codeAt(5),
  policeForceCode: codeAt(6),
});

/** Months count from the year 0, so that 0 is free to mean none. */
export const monthNumber = (year: number, month: number): number => 12 * year + month - 1;
const formatMonth = (month: number) =>
  `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`;

/** How many bits are set. */
export function countBits(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Throws ReleaseDamaged when the release has no such table; ask `findDataset('postcodes')` first. */
export const openPostcodes: (release: Release) => Postcodes = oncePerRelease((release) => {
  const part = release.part(postcodesPart);
  const codes = part.strings('codes');
  const nation = part.u8('place-nation');
  const columns = placeCodes.map((name) => part.u32(`place-${columnOf(name)}`));
  const read = (index: number, textOf: (code: number) => string | null) =>
    describePlace(nation[index] ?? outOfRange(), (column) => {
      const code = columns[column]?.[index] ?? outOfRange();
      return code === 0 ? null : textOf(code - 1);
    });
  return new Postcodes({
    outcodes: part.u32('outcodes'),
    units: part.u32('units'),
    rows: part.i32('rows'),
    places: {
      length: nation.length,
      at: (index) => read(index, (code) => codes.at(code)),
      list: () => {
        const texts = codes.list();
        return Array.from(nation, (_, index) => read(index, (code) => texts[code] ?? null));
      },
    },
  });
});

/** `policeForceCode` → `police-force`, the column's name after `place-`. */
export const columnOf = (name: (typeof placeCodes)[number]): string =>
  name.replace(/Code$/, '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
