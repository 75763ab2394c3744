// Sets of sales that are asked for often and have many members: all of an area, and those of streets whose name has a
// common text in it ("ROAD", or one letter). A set is a row of bits over the slots (sale-months.ts), with a grid of
// running sums over time and price; so neither has to look at the sales.

import { maskWithin } from '../../columns/bits.ts';
import { outOfRange } from '../../columns/out-of-range.ts';
import type { Columns, Part } from '../../release/part.ts';
import { classCount, classMask } from './kinds.ts';
import type { MonthOrder, SaleMonths } from './months.ts';
import { placeFields, type SaleWords } from './rows.ts';
import { commonTexts } from './street-names.ts';

export type SetSizes = {
  /** Gathering fewer sales than this from their runs costs little more than asking a set. */
  readonly leastMembers: number;
  /** Prices are cut into bands of so many sales. */
  readonly salesPerBand: number;
  /** The sums of all sales, which most questions are about, lie closer than those of each common text. */
  readonly all: GridSizes;
  readonly common: GridSizes;
};

export type GridSizes = {
  /** Sums are kept about every so many rows, */
  readonly rowsPerCut: number;
  /** and for every so many bands. */
  readonly bandsPerSum: number;
};

export const usualSizes: SetSizes = {
  leastMembers: 65_536,
  salesPerBand: 1024,
  all: { rowsPerCut: 16_384, bandsPerSum: 4 },
  common: { rowsPerCut: 65_536, bandsPerSum: 16 },
};

/** The months before which sums are kept: a first one, then after so many rows, and the end. */
function cutsOf(monthStarts: Uint32Array, rowsPerCut: number): Uint32Array {
  const cuts = [0];
  let rows = 0;
  for (let month = 1; month + 1 < monthStarts.length; month++) {
    if ((monthStarts[month] ?? outOfRange()) - rows < rowsPerCut) continue;
    cuts.push(month);
    rows = monthStarts[month] ?? outOfRange();
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
  for (let place = 0, { length } = streets; place < length; place++) {
    const street =
      words.places[(places[order.rows[place] ?? outOfRange()] ?? outOfRange()) * placeFields] ?? outOfRange();
    streets[place] = street;
    sales[street] = (sales[street] ?? outOfRange()) + 1;
  }
  const common = streets.length >= leastMembers ? commonTexts(words.streets, sales, leastMembers) : [];
  const everyStreet = new Uint8Array(words.streets.length).fill(1);
  const all = fillGrid(createGrid(input, sizes.all), streets, [everyStreet]);
  const sets = common.map(({ has }) => has);
  const { bits, sums, counts } = fillGrid(createGrid(input, sizes.common), streets, sets);
  const texts = common.flatMap(({ texts }, set) => texts.map((text) => ({ text, set })));
  return {
    // Which sales are in the set of all is told by the months.
    'all-sum-months': cutsOf(order.starts, sizes.all.rowsPerCut),
    'all-sum-bands': Uint32Array.of(sizes.all.bandsPerSum),
    'all-sums': all.sums,
    'all-counts': all.counts,
    'set-texts': texts.map(({ text }) => text),
    'set-of-text': Uint16Array.from(texts, ({ set }) => set),
    'set-bits': bits,
    'set-sum-months': cutsOf(order.starts, sizes.common.rowsPerCut),
    'set-sum-bands': Uint32Array.of(sizes.common.bandsPerSum),
    'set-sums': sums,
    'set-counts': counts,
  };
}

/** Bits and sums of sets, one after another. */
function fillGrid(grid: Grid, streets: Uint32Array, sets: readonly Uint8Array[]) {
  const bits = new Uint32Array(sets.length * grid.words);
  const sums = new Float64Array(sets.length * grid.cells);
  const counts = new Uint32Array(sums.length);
  for (let first = 0; first < sets.length; first += setsAtOnce) {
    const setsOf = setsOfStreets(sets.slice(first, first + setsAtOnce));
    const cells = first * grid.cells;
    grid.fill(
      streets,
      setsOf,
      bits.subarray(first * grid.words),
      sums.subarray(cells),
      counts.subarray(cells),
    );
  }
  for (let first = 0; first < sums.length; first += grid.cells) {
    grid.sumUp(sums.subarray(first, first + grid.cells));
    grid.sumUp(counts.subarray(first, first + grid.cells));
  }
  return { bits, sums, counts };
}

const setsAtOnce = 32;

/** Per street a bit for each of those sets that has it. */
function setsOfStreets(sets: readonly Uint8Array[]): Uint32Array {
  const bits = new Uint32Array(sets[0]?.length ?? 0);
  for (const [set, has] of sets.entries()) {
    for (let street = 0; street < bits.length; street++) {
      bits[street] = (bits[street] ?? outOfRange()) | ((has[street] ?? outOfRange()) << set);
    }
  }
  return bits;
}

type Grid = {
  /** Of one set. */
  readonly cells: number;
  readonly words: number;
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

function createGrid({ flags, prices, edges, order }: SetInput, { rowsPerCut, bandsPerSum }: GridSizes): Grid {
  const { starts, wordStarts, rows } = order;
  const cuts = cutsOf(starts, rowsPerCut);
  const width = sumsOf(edges.length, bandsPerSum) * classCount;
  const cellOf = new Uint32Array(rows.length);
  const priceOf = new Uint32Array(rows.length);
  let cut = 0;
  for (let month = 0; month + 1 < starts.length; month++) {
    while ((cuts[cut + 1] ?? outOfRange()) <= month) cut++;
    let band = 0;
    for (let place = starts[month] ?? outOfRange(); place < (starts[month + 1] ?? outOfRange()); place++) {
      const row = rows[place] ?? outOfRange();
      const price = prices[row] ?? outOfRange();
      while ((edges[band + 1] ?? Number.POSITIVE_INFINITY) <= price) band++;
      priceOf[place] = price;
      const sum = Math.floor(band / bandsPerSum);
      cellOf[place] = cut * width + sum * classCount + ((flags[row] ?? outOfRange()) & classMask);
    }
  }
  const cells = Math.max(0, cuts.length - 1) * width;
  const words = wordStarts.at(-1) ?? outOfRange();
  return {
    cells,
    words,
    fill: (streets, setsOf, bits, sums, counts) => {
      const own = new Uint32Array(setsAtOnce);
      const sets = Math.min(setsAtOnce, bits.length / Math.max(1, words));
      for (let month = 0; month + 1 < starts.length; month++) {
        const end = starts[month + 1] ?? outOfRange();
        let word = wordStarts[month] ?? outOfRange();
        for (let from = starts[month] ?? outOfRange(); from < end; from += 32) {
          own.fill(0);
          const to = Math.min(from + 32, end);
          for (let place = from; place < to; place++) {
            const price = priceOf[place] ?? outOfRange();
            for (
              let rest = setsOf[streets[place] ?? outOfRange()] ?? outOfRange();
              rest !== 0;
              rest &= rest - 1
            ) {
              const set = 31 - Math.clz32(rest & -rest);
              own[set] = (own[set] ?? outOfRange()) | (1 << (place - from));
              const cell = set * cells + (cellOf[place] ?? outOfRange());
              sums[cell] = (sums[cell] ?? outOfRange()) + price;
              counts[cell] = (counts[cell] ?? outOfRange()) + 1;
            }
          }
          for (let set = 0; set < sets; set++) bits[set * words + word] = own[set] ?? outOfRange();
          word += 1;
        }
      }
    },
    sumUp: (own) => {
      for (let at = classCount; at < own.length; at++) {
        if (at % width >= classCount)
          own[at] = (own[at] ?? outOfRange()) + (own[at - classCount] ?? outOfRange());
      }
      for (let at = width; at < own.length; at++)
        own[at] = (own[at] ?? outOfRange()) + (own[at - width] ?? outOfRange());
    },
  };
}

/** One set of sales. */
export type SaleSet = {
  /** A bit a slot. */
  readonly bits: Uint32Array;
  readonly sums: SetSums;
};

/** How many sales there are, and what they cost together. */
export type Totals = { readonly count: number; readonly sumPounds: number };

/** Running sums of one set over time and prices. */
export class SetSums {
  /** The months before which sums are kept. */
  readonly cuts: Uint32Array;
  /** Sums are kept for every so many edges of bands, and for the one above every price. */
  readonly bandsPerSum: number;
  readonly #sumsPerCut: number;
  readonly #sums: Float64Array;
  readonly #counts: Uint32Array;

  /** The columns of several sets, of which this is one. */
  constructor(part: Part, kind: 'all' | 'set', bands: number, set: number) {
    this.cuts = part.u32(`${kind}-sum-months`);
    this.bandsPerSum = part.u32(`${kind}-sum-bands`)[0] ?? outOfRange();
    this.#sumsPerCut = sumsOf(bands, this.bandsPerSum);
    const cells = Math.max(0, this.cuts.length - 1) * this.#sumsPerCut * classCount;
    this.#sums = part.f64(`${kind}-sums`).subarray(set * cells, (set + 1) * cells);
    this.#counts = part.u32(`${kind}-counts`).subarray(set * cells, (set + 1) * cells);
  }

  /** How many sales of a class there are in the months before a cut that are cheaper than an edge for which sums are
   *  kept, and what they cost together. */
  at(cut: number, edge: number, saleClass: number): Totals {
    if (cut === 0 || edge === 0) return { count: 0, sumPounds: 0 };
    const sums = Math.ceil(edge / this.bandsPerSum);
    const at = ((cut - 1) * this.#sumsPerCut + sums - 1) * classCount + saleClass;
    return { count: this.#counts[at] ?? outOfRange(), sumPounds: this.#sums[at] ?? outOfRange() };
  }
}

export class SaleSets {
  readonly everything: SaleSet;
  readonly #byText: ReadonlyMap<string, SaleSet>;

  constructor(part: Part, { starts, wordStarts, words, edges }: SaleMonths) {
    const every = new Uint32Array(words).fill(-1);
    for (let month = 0; month + 1 < starts.length; month++) {
      const last = (wordStarts[month + 1] ?? outOfRange()) - 1;
      const rest = ((starts[month + 1] ?? outOfRange()) - (starts[month] ?? outOfRange())) & 31;
      if (rest !== 0) every[last] = maskWithin(0, 0, rest);
    }
    this.everything = { bits: every, sums: new SetSums(part, 'all', edges.length, 0) };
    const bits = part.u32('set-bits');
    const sets = Array.from({ length: words === 0 ? 0 : bits.length / words }, (_, set) => ({
      bits: bits.subarray(set * words, (set + 1) * words),
      sums: new SetSums(part, 'set', edges.length, set),
    }));
    const setOfText = part.u16('set-of-text');
    const byText = new Map<string, SaleSet>();
    for (const [index, text] of part.strings('set-texts').list().entries()) {
      const set = sets[setOfText[index] ?? outOfRange()];
      if (set !== undefined) byText.set(text, set);
    }
    this.#byText = byText;
  }

  /** The sales of streets with this text in their name; undefined where they are few. */
  find(text: string): SaleSet | undefined {
    return this.#byText.get(text.toUpperCase());
  }
}
