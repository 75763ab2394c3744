// Every postcode, live and terminated: where it lies and in which authority, ward, LSOA, … . A look-up is one bit of
// a bitmap per outward code, the count of the bits before it (the row), and a few typed arrays at that row.

import { lowestBit, popcount } from '../../columns/bits.ts';
import { lowerBound } from '../../columns/sorted.ts';
import { defined, outOfRange } from '../../out-of-range.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';
import type { LatLong } from '../../uk/grid.ts';
import {
  type PackedRange,
  type Postcode,
  packedLimit,
  packedPerOutcode,
  packPostcode,
  packPostcodeText,
  parsePostcode,
  unpackPostcode,
} from '../../uk/postcode.ts';
import { type Nation, nations, postcodesTable, rowFields, wordsPerOutcode } from './postcodes-table.ts';

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

/** Latitude of a row without a point. */
export const noPoint = -(2 ** 31);
const microDegrees = 1e6;
export const usageShift = 16;
const monthMask = 2 ** usageShift - 1;

/** Columns of the part, and its places decoded; postcodes-builder.ts writes them. */
export type PostcodeColumns = {
  readonly outcodes: Uint32Array;
  /** Two numbers a word: its bits, and the rows before it. */
  readonly units: Uint32Array;
  /** `rowFields` numbers a postcode, side by side, as a look-up mostly waits for memory. */
  readonly rows: Int32Array;
  readonly places: PlaceList;
};

type PlaceList = {
  readonly length: number;
  at(index: number): Place;
  /** All of them at once. */
  list(): readonly Place[];
};

/** What a table contains, for telling two editions apart. */
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
  #outcodeTexts: readonly string[] | undefined;
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

  /** The row of a postcode that is there: the parts beside this one lie in the same order. */
  rowOf(postcode: Postcode): number {
    const row = this.#rowOf(packPostcode(postcode));
    return row < 0 ? outOfRange() : row;
  }

  at(row: number): PostcodeRow {
    return this.#describe(unpackPostcode(this.#packedOf(row)), row);
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
    const page = first === undefined ? 0 : defined(this.#pages[Math.floor(first / packedPerOutcode)]);
    if (page > 0) yield* this.#inPage(page - 1);
  }

  /** All of them, packed, ascending. */
  *packedNumbers(): Generator<number> {
    for (let page = 0; page < this.#columns.outcodes.length; page += 1) yield* this.#packedInPage(page);
  }

  /** Every postcode in use that has a point, among the rows from `from` to before `to`: the index of its place in `places`,
   *  millionths of a degree, and its row. */
  eachInUse(
    visit: (place: number, latitudeMicro: number, longitudeMicro: number, row: number) => void,
    from = 0,
    to = this.size,
  ): void {
    const { rows } = this.#columns;
    for (let row = from; row < to; row += 1) {
      const at = rowFields * row;
      const latitude = defined(rows[at + 1]);
      if (latitude === noPoint || (defined(rows[at + 3]) & monthMask) !== 0) continue;
      visit(defined(rows[at]), latitude, defined(rows[at + 2]), row);
    }
  }

  /** Every outward code that has postcodes, in the order of the alphabet. */
  outcodes(): readonly string[] {
    this.#outcodeTexts ??= Array.from(this.#columns.outcodes, (outcode) => {
      const [text = outOfRange()] = unpackPostcode(outcode * packedPerOutcode).split(' ');
      return text;
    });
    return this.#outcodeTexts;
  }

  /** Rows of the outward code of that place in `outcodes`: from the first to before the last. */
  rowsOfOutcode(index: number): { readonly from: number; readonly to: number } {
    return { from: this.#firstRow(index), to: this.#firstRow(index + 1) };
  }

  /** The first postcodes in use of a range, in the order of the alphabet, at most `limit`. */
  inUseIn(range: PackedRange, limit: number): readonly PostcodeRow[] {
    const { outcodes } = this.#columns;
    const found: PostcodeRow[] = [];
    const last = lowerBound(outcodes, Math.ceil(range.to / packedPerOutcode));
    for (let page = lowerBound(outcodes, Math.floor(range.from / packedPerOutcode)); page < last; page += 1) {
      for (const packed of this.#packedInPage(page)) {
        if (packed < range.from) continue;
        if (packed >= range.to || found.length === limit) return found;
        const row = this.#describe(unpackPostcode(packed), this.#rowOf(packed));
        if (row.terminated === null) found.push(row);
      }
    }
    return found;
  }

  /** What postcodes have in common, each once. */
  places(): readonly Place[] {
    return this.#columns.places.list();
  }

  survey(): PostcodeSurvey {
    const { rows, places } = this.#columns;
    const areas = [...this.#pagesByArea()].map(([area, pages]): [string, number] => {
      const last = defined(pages.at(-1));
      return [area, this.#firstRow(last + 1) - this.#firstRow(defined(pages[0]))];
    });
    const rowsOfPlace = new Uint32Array(places.length);
    let terminated = 0;
    for (let at = 0; at < rows.length; at += rowFields) {
      const index = defined(rows[at]);
      rowsOfPlace[index] = defined(rowsOfPlace[index]) + 1;
      if ((defined(rows[at + 3]) & monthMask) !== 0) terminated += 1;
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
    const page = defined(this.#pages[outcode]);
    if (page === 0) return -1;
    const unit = packed - outcode * packedPerOutcode;
    const word = 2 * ((page - 1) * wordsPerOutcode + (unit >>> 5));
    const { units } = this.#columns;
    const bits = defined(units[word]);
    const bit = 1 << (unit & 31);
    if ((bits & bit) === 0) return -1;
    return defined(units[word + 1]) + popcount(bits & (bit - 1));
  }

  /** The postcode of a row. */
  #packedOf(row: number): number {
    const { outcodes, units } = this.#columns;
    // The last word with no more postcodes before it than the row: the ones after it begin behind the row.
    let low = 0;
    let high = units.length / 2 - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (defined(units[2 * middle + 1]) <= row) low = middle;
      else high = middle - 1;
    }
    let bits = defined(units[2 * low]);
    for (let before = defined(units[2 * low + 1]); before < row; before += 1) bits &= bits - 1;
    const page = Math.floor(low / wordsPerOutcode);
    const word = low - page * wordsPerOutcode;
    return defined(outcodes[page]) * packedPerOutcode + 32 * word + lowestBit(bits);
  }

  #describe(postcode: string, row: number): PostcodeRow {
    const { rows } = this.#columns;
    const at = rowFields * row;
    const place = this.#place(defined(rows[at]));
    const latitude = defined(rows[at + 1]);
    const rest = defined(rows[at + 3]);
    const usage = usageByNumber[rest >>> usageShift];
    return {
      postcode,
      nation: place.nation,
      point:
        latitude === noPoint
          ? null
          : {
              latitudeDegrees: latitude / microDegrees,
              longitudeDegrees: defined(rows[at + 2]) / microDegrees,
            },
      authorityCode: place.authorityCode,
      wardCode: place.wardCode,
      countyCode: place.countyCode,
      regionCode: place.regionCode,
      lsoaCode: place.lsoaCode,
      msoaCode: place.msoaCode,
      policeForceCode: place.policeForceCode,
      terminated: this.#monthOf(rest & monthMask),
      usage: usage === undefined ? outOfRange() : usage,
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

  /** Of a page; past the last page, the number of all rows. */
  #firstRow(page: number): number {
    const { outcodes, units } = this.#columns;
    if (page === outcodes.length) return this.size;
    return defined(units[2 * page * wordsPerOutcode + 1]);
  }

  *#inPage(page: number): Generator<PostcodeRow> {
    let row = this.#firstRow(page);
    for (const packed of this.#packedInPage(page)) yield this.#describe(unpackPostcode(packed), row++);
  }

  *#packedInPage(page: number): Generator<number> {
    const first = defined(this.#columns.outcodes[page]) * packedPerOutcode;
    for (let word = 0; word < wordsPerOutcode; word += 1) {
      let bits = defined(this.#columns.units[2 * (page * wordsPerOutcode + word)]);
      while (bits !== 0) {
        yield first + 32 * word + lowestBit(bits);
        bits &= bits - 1;
      }
    }
  }

  #pagesByArea(): ReadonlyMap<string, readonly number[]> {
    if (this.#areas !== undefined) return this.#areas;
    const areas = new Map<string, number[]>();
    for (const [page, outcode] of this.#columns.outcodes.entries()) {
      const area = defined(parsePostcode(unpackPostcode(outcode * packedPerOutcode))?.area);
      const pages = areas.get(area);
      if (pages === undefined) areas.set(area, [page]);
      else pages.push(page);
    }
    this.#areas = areas;
    return areas;
  }
}

/** `codeAt` gets the index in `placeCodes`. */
export const describePlace = (nation: number, codeAt: (column: number) => string | null): Place => ({
  nation: nation === 0 ? null : defined(nations[nation - 1]),
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

/** Throws ReleaseDamaged when the release has no such table; ask `findDataset('postcodes')` first. */
export const openPostcodes: (release: Release) => Postcodes = oncePerRelease((release) => {
  const columns = postcodesTable.open(release);
  const { outcodes, units, rows, codes, 'place-nation': nation } = columns;
  // In the order of `placeCodes`.
  const codeColumns = [
    columns['place-authority'],
    columns['place-ward'],
    columns['place-county'],
    columns['place-region'],
    columns['place-lsoa'],
    columns['place-msoa'],
    columns['place-police-force'],
  ];
  const read = (index: number, textOf: (code: number) => string) =>
    describePlace(defined(nation[index]), (column) => {
      const code = defined(codeColumns[column]?.[index]);
      return code === 0 ? null : textOf(code - 1);
    });
  return new Postcodes({
    outcodes,
    units,
    rows,
    places: {
      length: nation.length,
      at: (index) => read(index, (code) => codes.at(code)),
      list: () => {
        const texts = codes.list();
        return Array.from(nation, (_, index) => read(index, (code) => defined(texts[code])));
      },
    },
  });
});

// Which codes the loaded directory gives at all: Code-Point Open has no regions, for one.

type CodeName = (typeof placeCodes)[number];

/** Those that at least one postcode has. */
export const findHeldCodes: (release: Release) => ReadonlySet<CodeName> = oncePerRelease((release) => {
  const columns = postcodesTable.open(release);
  const byName: Readonly<Record<CodeName, Uint32Array>> = {
    authorityCode: columns['place-authority'],
    wardCode: columns['place-ward'],
    countyCode: columns['place-county'],
    regionCode: columns['place-region'],
    lsoaCode: columns['place-lsoa'],
    msoaCode: columns['place-msoa'],
    policeForceCode: columns['place-police-force'],
  };
  // 0 is none.
  return new Set(placeCodes.filter((name) => byName[name].some((code) => code > 0)));
});
