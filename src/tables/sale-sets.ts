// Sets of sales that are asked for often and have many members: all of an area, and those of streets whose name has a
// common text in it ("ROAD", or one letter). A set is a row of bits over the slots (sale-months.ts), with a grid of
// running sums over time and price; so neither has to look at the sales.

import type { Columns, Part } from '../release/part.ts';
import { maskWithin } from './bits.ts';
import type { MonthOrder, SaleMonths } from './sale-months.ts';
import { classCount, classMask, placeFields, type SaleWords } from './sales-part.ts';
import type { TypeTotals } from './selection.ts';
import { commonTexts } from './street-names.ts';

export type SetSizes = {
  /** Gathering fewer sales than this from their runs costs little more than asking a set. */
  readonly leastMembers: number;
  /** Sums are kept about every so many rows. */
  readonly rowsPerCut: number;
  /** Prices are cut into bands of so many sales, */
  readonly salesPerBand: number;
  /** and sums are kept for every so many bands. */
  readonly bandsPerSum: number;
};

export const usualSizes: SetSizes = {
  leastMembers: 65_536,
  rowsPerCut: 65_536,
  salesPerBand: 4096,
  bandsPerSum: 8,
};

/** The months before which sums are kept: a first one, then after so many rows, and the end. */
function cutsOf(monthStarts: Uint32Array, rowsPerCut: number): Uint32Array {
  const cuts = [0];
  let rows = 0;
  for (let month = 1; month + 1 < monthStarts.length; month++) {
    if ((monthStarts[month] ?? 0) - rows < rowsPerCut) continue;
    cuts.push(month);
    rows = monthStarts[month] ?? 0;
  }
  if (monthStarts.length > 1) cuts.push(monthStarts.length - 1);
  return Uint32Array.from(cuts);
}

export type SetInput = {
  readonly flags: Uint8Array;
  readonly prices: Uint32Array;
  /** The lowest price of each band. */
  readonly edges: Uint32Array;
  readonly order: MonthOrder;
  readonly places: Uint32Array;
  readonly words: SaleWords;
  readonly sizes: SetSizes;
};

export function encodeSaleSets(input: SetInput): Columns {
  const { order, places, words, sizes } = input;
  const { leastMembers } = sizes;
  const streets = new Uint32Array(order.rows.length);
  const sales = new Uint32Array(words.streets.length);
  for (let place = 0; place < streets.length; place++) {
    const street = words.places[(places[order.rows[place] ?? 0] ?? 0) * placeFields] ?? 0;
    streets[place] = street;
    sales[street] = (sales[street] ?? 0) + 1;
  }
  const common = streets.length >= leastMembers ? commonTexts(words.streets, sales, leastMembers) : [];
  const grid = createGrid(input);
  const width = order.wordStarts.at(-1) ?? 0;
  // All sales are the first set.
  const everyStreet = new Uint8Array(words.streets.length).fill(1);
  const sets = [everyStreet, ...common.map(({ has }) => has)];
  const bits = new Uint32Array(sets.length * width);
  const sums = new Float64Array(sets.length * grid.cells);
  const counts = new Uint32Array(sums.length);
  for (let first = 0; first < sets.length; first += setsAtOnce) {
    const setsOf = setsOfStreets(sets.slice(first, first + setsAtOnce));
    const cells = first * grid.cells;
    grid.fill(streets, setsOf, bits.subarray(first * width), sums.subarray(cells), counts.subarray(cells));
  }
  for (let first = 0; first < sums.length; first += grid.cells) {
    grid.sumUp(sums.subarray(first, first + grid.cells));
    grid.sumUp(counts.subarray(first, first + grid.cells));
  }
  const texts = common.flatMap(({ texts }, set) => texts.map((text) => ({ text, set })));
  return {
    'sum-months': cutsOf(order.starts, sizes.rowsPerCut),
    'sum-bands': Uint32Array.of(sizes.bandsPerSum),
    'set-texts': texts.map(({ text }) => text),
    'set-of-text': Uint16Array.from(texts, ({ set }) => set),
    // Those of all sales are told by the months.
    'set-bits': bits.subarray(width),
    'set-sums': sums,
    'set-counts': counts,
  };
}

const setsAtOnce = 32;

/** Per street a bit for each of those sets that has it. */
function setsOfStreets(sets: readonly Uint8Array[]): Uint32Array {
  const bits = new Uint32Array(sets[0]?.length ?? 0);
  for (const [set, has] of sets.entries()) {
    for (let street = 0; street < bits.length; street++) {
      bits[street] = (bits[street] ?? 0) | ((has[street] ?? 0) << set);
    }
  }
  return bits;
}

type Grid = {
  readonly cells: number;
  /** For up to 32 sets, one after another: the bits of the sales whose street is in the set; and per cut but the first,
   *  per sum of bands, per class: what the set's sales cost together that are between this cut and the one before and in
   *  these bands, and how many. All sets in one run, each sale looking only at those it is in. */
  readonly fill: (
    streets: Uint32Array,
    setsOf: Uint32Array,
    bits: Uint32Array,
    sums: Float64Array,
    counts: Uint32Array,
  ) => void;
  /** From the cells of one set to those of all months before each cut and all bands that are not dearer. */
  readonly sumUp: (own: Float64Array | Uint32Array) => void;
};

const sumsOf = (bands: number, bandsPerSum: number) => Math.ceil(bands / bandsPerSum);

function createGrid({ flags, prices, edges, order, sizes }: SetInput): Grid {
  const { starts, wordStarts, rows } = order;
  const cuts = cutsOf(starts, sizes.rowsPerCut);
  const width = sumsOf(edges.length, sizes.bandsPerSum) * classCount;
  const cellOf = new Uint32Array(rows.length);
  const priceOf = new Uint32Array(rows.length);
  let cut = 0;
  for (let month = 0; month + 1 < starts.length; month++) {
    while ((cuts[cut + 1] ?? 0) <= month) cut++;
    let band = 0;
    for (let place = starts[month] ?? 0; place < (starts[month + 1] ?? 0); place++) {
      const row = rows[place] ?? 0;
      const price = prices[row] ?? 0;
      while ((edges[band + 1] ?? Number.POSITIVE_INFINITY) <= price) band++;
      priceOf[place] = price;
      const sum = Math.floor(band / sizes.bandsPerSum);
      cellOf[place] = cut * width + sum * classCount + ((flags[row] ?? 0) & classMask);
    }
  }
  const cells = Math.max(0, cuts.length - 1) * width;
  const words = wordStarts.at(-1) ?? 0;
  return {
    cells,
    fill: (streets, setsOf, bits, sums, counts) => {
      const own = new Uint32Array(setsAtOnce);
      const sets = Math.min(setsAtOnce, bits.length / Math.max(1, words));
      for (let month = 0; month + 1 < starts.length; month++) {
        const end = starts[month + 1] ?? 0;
        let word = wordStarts[month] ?? 0;
        for (let from = starts[month] ?? 0; from < end; from += 32) {
          own.fill(0);
          const to = Math.min(from + 32, end);
          for (let place = from; place < to; place++) {
            const price = priceOf[place] ?? 0;
            for (let rest = setsOf[streets[place] ?? 0] ?? 0; rest !== 0; rest &= rest - 1) {
              const set = 31 - Math.clz32(rest & -rest);
              own[set] = (own[set] ?? 0) | (1 << (place - from));
              const cell = set * cells + (cellOf[place] ?? 0);
              sums[cell] = (sums[cell] ?? 0) + price;
              counts[cell] = (counts[cell] ?? 0) + 1;
            }
          }
          for (let set = 0; set < sets; set++) bits[set * words + word] = own[set] ?? 0;
          word += 1;
        }
      }
    },
    sumUp: (own) => {
      for (let at = classCount; at < own.length; at++) {
        if (at % width >= classCount) own[at] = (own[at] ?? 0) + (own[at - classCount] ?? 0);
      }
      for (let at = width; at < own.length; at++) own[at] = (own[at] ?? 0) + (own[at - width] ?? 0);
    },
  };
}

/** One set of sales. */
export type SaleSet = {
  /** A bit a slot. */
  readonly bits: Uint32Array;
  readonly sums: SetSums;
};

/** How many sales of a class there are in the months before a cut that are cheaper than an edge for which sums are kept,
 *  and what they cost together. */
export type SetSums = (cut: number, edge: number, saleClass: number) => TypeTotals;

export class SaleSets {
  /** The months before which sums are kept. */
  readonly cuts: Uint32Array;
  /** Sums are kept for every so many edges of bands, and for the one above every price. */
  readonly bandsPerSum: number;
  readonly #sumsPerCut: number;
  readonly #width: number;
  readonly #everything: Uint32Array;
  readonly #bits: Uint32Array;
  readonly #sums: Float64Array;
  readonly #counts: Uint32Array;
  readonly #setOfText: ReadonlyMap<string, number>;

  constructor(part: Part, { starts, wordStarts, words, edges }: SaleMonths) {
    this.cuts = part.u32('sum-months');
    this.bandsPerSum = part.u32('sum-bands')[0] ?? 1;
    this.#sumsPerCut = sumsOf(edges.length, this.bandsPerSum);
    this.#width = words;
    this.#bits = part.u32('set-bits');
    this.#sums = part.f64('set-sums');
    this.#counts = part.u32('set-counts');
    const texts = part.strings('set-texts').list();
    const setOfText = part.u16('set-of-text');
    this.#setOfText = new Map(texts.map((text, index) => [text, setOfText[index] ?? 0]));
    this.#everything = new Uint32Array(words).fill(-1);
    for (let month = 0; month + 1 < starts.length; month++) {
      const last = (wordStarts[month + 1] ?? 0) - 1;
      const rest = ((starts[month + 1] ?? 0) - (starts[month] ?? 0)) & 31;
      if (rest !== 0) this.#everything[last] = maskWithin(0, 0, rest);
    }
  }

  get everything(): SaleSet {
    return { bits: this.#everything, sums: this.#sumsFrom(0) };
  }

  /** The sales of streets with this text in their name; undefined where they are few. */
  find(text: string): SaleSet | undefined {
    const index = this.#setOfText.get(text.toUpperCase());
    if (index === undefined) return undefined;
    return {
      bits: this.#bits.subarray(index * this.#width, (index + 1) * this.#width),
      sums: this.#sumsFrom(index + 1),
    };
  }

  #sumsFrom(index: number): SetSums {
    const first = index * (this.cuts.length - 1) * this.#sumsPerCut;
    return (cut, edge, saleClass) => {
      if (cut === 0 || edge === 0) return { count: 0, sumPounds: 0 };
      const sums = Math.ceil(edge / this.bandsPerSum);
      const at = (first + (cut - 1) * this.#sumsPerCut + sums - 1) * classCount + saleClass;
      return { count: this.#counts[at] ?? 0, sumPounds: this.#sums[at] ?? 0 };
    };
  }
}
