// Sets of sales that are asked for often and have many members: all of an area, and those of streets whose name has a
// common text in it ("ROAD", or one letter). A set is a row of bits over the sales in the order of class and price, in
// which a range of prices is a range of bits, with a grid of running sums; so neither has to look at the sales.

import type { Columns, Part } from '../release/part.ts';
import { bitWords, setBit } from './bits.ts';
import { encodePricePlanes, PricePlanes } from './price-planes.ts';
import { classCount, classMask, placeFields, type SaleWords } from './sales-part.ts';
import { commonTexts } from './street-names.ts';

export type SetSizes = {
  /** Gathering fewer sales than this from the lists of their streets costs no more than asking a set. */
  readonly leastMembers: number;
  /** Dates are cut every so many rows. */
  readonly rowsPerCut: number;
  /** Prices of a class are cut every so many sales. */
  readonly salesPerBlock: number;
};

export const usualSizes: SetSizes = { leastMembers: 65_536, rowsPerCut: 32_768, salesPerBlock: 8192 };

/** Where the blocks of each class begin, the number of all at the end. */
function blockStarts(classStarts: Uint32Array, salesPerBlock: number): Uint32Array {
  const starts = new Uint32Array(classCount + 1);
  for (let saleClass = 0; saleClass < classCount; saleClass++) {
    const sales = (classStarts[saleClass + 1] ?? 0) - (classStarts[saleClass] ?? 0);
    starts[saleClass + 1] = (starts[saleClass] ?? 0) + Math.ceil(sales / salesPerBlock);
  }
  return starts;
}

export type SetInput = {
  readonly flags: Uint8Array;
  readonly prices: Uint32Array;
  /** The row of each sale in the order of class and price. */
  readonly rankRows: Uint32Array;
  readonly classStarts: Uint32Array;
  readonly places: Uint32Array;
  readonly words: SaleWords;
  readonly sizes: SetSizes;
};

export function encodeSaleSets(input: SetInput): Columns {
  const { rankRows, places, words, sizes } = input;
  const { leastMembers } = sizes;
  const rowRanks = new Uint32Array(rankRows.length);
  for (let rank = 0; rank < rankRows.length; rank++) rowRanks[rankRows[rank] ?? 0] = rank;
  const isLarge = rankRows.length >= leastMembers;
  const common = isLarge ? commonTexts(words.streets, salesByStreet(places, words), leastMembers) : [];
  const everything = { texts: [''], has: new Uint8Array(words.streets.length).fill(1) };
  const sets = isLarge ? [everything, ...common] : [];
  const streets = new Uint32Array(rankRows.length);
  for (let rank = 0; rank < rankRows.length; rank++) {
    streets[rank] = words.places[(places[rankRows[rank] ?? 0] ?? 0) * placeFields] ?? 0;
  }
  const prices = new Uint32Array(rankRows.length);
  for (let rank = 0; rank < rankRows.length; rank++) prices[rank] = input.prices[rankRows[rank] ?? 0] ?? 0;
  const grid = createGrid(input, prices);
  const width = bitWords(rankRows.length);
  const bits = new Uint32Array(sets.length * width);
  const sums = new Float64Array(sets.length * grid.cells);
  for (const [index, { has }] of sets.entries()) {
    const own = bits.subarray(index * width, (index + 1) * width);
    grid.fill(streets, has, own, sums.subarray(index * grid.cells, (index + 1) * grid.cells));
  }
  const texts = sets.flatMap(({ texts }, set) => texts.map((text) => ({ text, set })));
  return {
    'set-sizes': Uint32Array.of(sizes.rowsPerCut, sizes.salesPerBlock),
    'rank-rows': rankRows,
    'row-rank': rowRanks,
    ...encodePricePlanes(isLarge ? prices : new Uint32Array(0)),
    'cut-bits': isLarge ? cutBits(rowRanks, sizes.rowsPerCut) : new Uint32Array(0),
    'set-texts': texts.map(({ text }) => text),
    'set-of-text': Uint16Array.from(texts, ({ set }) => set),
    'set-bits': bits,
    'set-sums': sums,
  };
}

function salesByStreet(places: Uint32Array, words: SaleWords): Uint32Array {
  const sales = new Uint32Array(words.streets.length);
  for (const place of places) {
    const street = words.places[place * placeFields] ?? 0;
    sales[street] = (sales[street] ?? 0) + 1;
  }
  return sales;
}

/** Per cut, from that before the first row to that after the last: a bit for each sale whose row stands before it. */
function cutBits(rowRanks: Uint32Array, rowsPerCut: number): Uint32Array {
  const width = bitWords(rowRanks.length);
  const cuts = Math.ceil(rowRanks.length / rowsPerCut);
  const bits = new Uint32Array((cuts + 1) * width);
  for (let cut = 1; cut <= cuts; cut++) {
    const own = bits.subarray(cut * width, (cut + 1) * width);
    own.set(bits.subarray((cut - 1) * width, cut * width));
    const end = Math.min(cut * rowsPerCut, rowRanks.length);
    for (let row = (cut - 1) * rowsPerCut; row < end; row++) setBit(own, rowRanks[row] ?? 0);
  }
  return bits;
}

type Grid = {
  readonly cells: number;
  /** The bits of the sales whose street is in the set; and per cut and block what those before both cost together, one
   *  block more at the end of each cut. */
  readonly fill: (streets: Uint32Array, has: Uint8Array, bits: Uint32Array, sums: Float64Array) => void;
};

function createGrid({ flags, rankRows, classStarts, sizes }: SetInput, priceOf: Uint32Array): Grid {
  const { rowsPerCut, salesPerBlock } = sizes;
  const blocks = blockStarts(classStarts, salesPerBlock);
  const width = (blocks[classCount] ?? 0) + 1;
  const cellOf = new Uint32Array(rankRows.length);
  for (let rank = 0; rank < rankRows.length; rank++) {
    const row = rankRows[rank] ?? 0;
    const saleClass = (flags[row] ?? 0) & classMask;
    const block = Math.floor((rank - (classStarts[saleClass] ?? 0)) / salesPerBlock);
    cellOf[rank] = Math.floor(row / rowsPerCut) * width + (blocks[saleClass] ?? 0) + block + 1;
  }
  return {
    cells: Math.ceil(rankRows.length / rowsPerCut) * width,
    fill: (streets, has, bits, sums) => {
      for (let word = 0; word < bits.length; word++) {
        let own = 0;
        const end = Math.min(32 * word + 32, streets.length);
        for (let rank = 32 * word; rank < end; rank++) {
          if (has[streets[rank] ?? 0] === 0) continue;
          own |= 1 << (rank & 31);
          const cell = cellOf[rank] ?? 0;
          sums[cell] = (sums[cell] ?? 0) + (priceOf[rank] ?? 0);
        }
        bits[word] = own;
      }
      for (let at = 1; at < sums.length; at++) {
        if (at % width !== 0) sums[at] = (sums[at] ?? 0) + (sums[at - 1] ?? 0);
      }
      for (let at = width; at < sums.length; at++) sums[at] = (sums[at] ?? 0) + (sums[at - width] ?? 0);
    },
  };
}

/** One set. `cut` stands for the rows before `rowOfCut(cut)`. */
export type SaleSet = {
  readonly bits: Uint32Array;
  /** What the set's sales of a class before a block's edge and before a cut cost together. */
  readonly sumBefore: (cut: number, saleClass: number, edge: number) => number;
};

export class SaleSets {
  /** The row of each sale in the order of class, then price, then newest first; and the other way round. */
  readonly rankRows: Uint32Array;
  readonly rowRanks: Uint32Array;
  /** Where each class begins in that order, and the end of the last. */
  readonly classStarts: Uint32Array;
  readonly planes: PricePlanes;
  readonly rowsPerCut: number;
  /** There is one before the first row, numbered 0, and one after the last, which has this number. */
  readonly cuts: number;
  readonly #salesPerBlock: number;
  readonly #cutBits: Uint32Array;
  readonly #width: number;
  readonly #blocks: Uint32Array;
  readonly #setBits: Uint32Array;
  readonly #setSums: Float64Array;
  readonly #setOfText: ReadonlyMap<string, number>;

  constructor(part: Part, classStarts: Uint32Array) {
    const [rowsPerCut = 1, salesPerBlock = 1] = part.u32('set-sizes');
    this.rowsPerCut = rowsPerCut;
    this.#salesPerBlock = salesPerBlock;
    this.rankRows = part.u32('rank-rows');
    this.cuts = Math.ceil(this.rankRows.length / rowsPerCut);
    this.rowRanks = part.u32('row-rank');
    this.classStarts = classStarts;
    this.planes = new PricePlanes(part);
    this.#cutBits = part.u32('cut-bits');
    this.#width = bitWords(this.rankRows.length);
    this.#blocks = blockStarts(classStarts, this.#salesPerBlock);
    this.#setBits = part.u32('set-bits');
    this.#setSums = part.f64('set-sums');
    const texts = part.strings('set-texts');
    const setOfText = part.u16('set-of-text');
    const known = new Map<string, number>();
    for (let index = 0; index < texts.length; index++) known.set(texts.at(index), setOfText[index] ?? 0);
    this.#setOfText = known;
  }

  /** The sales of streets with this text in their name, all of them for an empty one; undefined where they are few. */
  find(text: string): SaleSet | undefined {
    const index = this.#setOfText.get(text.toUpperCase());
    if (index === undefined) return undefined;
    const width = (this.#blocks[classCount] ?? 0) + 1;
    const grid = index * this.cuts * width;
    return {
      bits: this.#setBits.subarray(index * this.#width, (index + 1) * this.#width),
      sumBefore: (cut, saleClass, edge) => {
        if (cut === 0) return 0;
        const row = grid + (cut - 1) * width + (this.#blocks[saleClass] ?? 0);
        return (this.#setSums[row + edge] ?? 0) - (this.#setSums[row] ?? 0);
      },
    };
  }

  cutNear(row: number): number {
    return row === this.rankRows.length ? this.cuts : Math.round(row / this.rowsPerCut);
  }

  rowOfCut(cut: number): number {
    return Math.min(cut * this.rowsPerCut, this.rankRows.length);
  }

  /** A bit for each sale before the cut. */
  bitsOfCut(cut: number): Uint32Array {
    return this.#cutBits.subarray(cut * this.#width, (cut + 1) * this.#width);
  }

  /** The edge of a block nearest to a rank of that class: its number, and the rank of the sale that follows it. */
  edgeNear(saleClass: number, rank: number): { readonly edge: number; readonly rank: number } {
    const size = this.#salesPerBlock;
    const start = this.classStarts[saleClass] ?? 0;
    const end = this.classStarts[saleClass + 1] ?? 0;
    const edge = rank === end ? Math.ceil((rank - start) / size) : Math.round((rank - start) / size);
    return { edge, rank: Math.min(start + edge * size, end) };
  }
}
