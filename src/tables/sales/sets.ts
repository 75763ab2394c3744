// Sets of sales that are asked for often and have many members: all of an area, and those of streets whose name contains
// a common text ("ROAD", or one letter). A set is a row of bits over the slots (months.ts) with a grid of running sums over
// time and price, so that neither counting nor adding up has to look at the sales.

import { maskWithin } from '../../columns/bits.ts';
import { defined, outOfRange } from '../../out-of-range.ts';
import { exactly, f64, rising, strings, u16, u32 } from '../../release/column.ts';
import type { Values, Views } from '../../release/table.ts';
import { classCount, classMask } from './kinds.ts';
import type { MonthOrder, SaleMonths } from './months.ts';
import { placeFields, type SaleWords } from './rows.ts';
import { commonTexts } from './street-names.ts';

const cutMonths =
  'the cuts: months before which sums are kept, counted from the newest; the first is 0, the last the number of months';
const sumBands = 'one value: sums are kept for every so many bands, and for all of them';
const sums =
  'per cut but the first, per sum of bands, per class (20): what the sales in months before the cut and in no higher band cost together';

export const setColumns = {
  'all-sum-months': u32('cut of all', cutMonths, rising),
  'all-sum-bands': u32(exactly(1), sumBands),
  'all-sums': f64('sum of all', `of all sales; ${sums}`),
  'all-counts': u32('sum of all', 'how many sales each of `all-sums` has'),
  'set-texts': strings('text', 'capital texts that streets with 65,536 sales or more contain'),
  'set-of-text': u16('text', 'its set; texts of the same streets share one'),
  'set-bits': u32('word of a set', 'per set: a bit for each slot whose street contains the text'),
  'set-sum-months': u32('cut of sets', cutMonths, rising),
  'set-sum-bands': u32(exactly(1), sumBands),
  'set-sums': f64('sum of a set', `per set; ${sums}`),
  'set-counts': u32('sum of a set', 'how many sales each of `set-sums` has'),
};

export type SetSizes = {
  /** A text of fewer sales has no set: gathering them from their runs costs little more. */
  readonly leastMembers: number;
  /** About so many sales make a band of prices. */
  readonly salesPerBand: number;
  /** The sums of all sales lie closer, as most questions are about them. */
  readonly all: GridSizes;
  readonly common: GridSizes;
};

type GridSizes = {
  /** About so many rows lie between two cuts. */
  readonly rowsPerCut: number;
  /** So many bands make one sum. */
  readonly bandsPerSum: number;
};

export const usualSizes: SetSizes = {
  leastMembers: 65_536,
  salesPerBand: 1024,
  all: { rowsPerCut: 16_384, bandsPerSum: 4 },
  common: { rowsPerCut: 65_536, bandsPerSum: 16 },
};

/** The cuts: the first month, one after about every so many rows, and the end. */
function cutsOf(monthStarts: Uint32Array, rowsPerCut: number): Uint32Array {
  const cuts = [0];
  let rows = 0;
  for (let month = 1; month + 1 < monthStarts.length; month++) {
    if (defined(monthStarts[month]) - rows < rowsPerCut) continue;
    cuts.push(month);
    rows = defined(monthStarts[month]);
  }
  if (monthStarts.length > 1) cuts.push(monthStarts.length - 1);
  return Uint32Array.from(cuts);
}

type SetInput = {
  /** These three by row. */
  readonly flags: Uint8Array;
  readonly prices: Uint32Array;
  readonly places: Uint32Array;
  /** The lowest price of each band. */
  readonly edges: Uint32Array;
  readonly order: MonthOrder;
  readonly words: SaleWords;
  readonly sizes: SetSizes;
};

export function encodeSets(input: SetInput): Values<typeof setColumns> {
  const { order, places, words, sizes } = input;
  const { leastMembers } = sizes;
  const streets = new Uint32Array(order.rows.length);
  const sales = new Uint32Array(words.streets.length);
  for (let position = 0, { length } = streets; position < length; position++) {
    const place = defined(places[defined(order.rows[position])]);
    const street = defined(words.places[place * placeFields]);
    streets[position] = street;
    sales[street] = defined(sales[street]) + 1;
  }
  const common = streets.length >= leastMembers ? commonTexts(words.streets, sales, leastMembers) : [];
  const everyStreet = new Uint8Array(words.streets.length).fill(1);
  const all = fillGrid(createGrid(input, sizes.all), streets, [everyStreet]);
  const sets = common.map(({ has }) => has);
  const { bits, sums, counts } = fillGrid(createGrid(input, sizes.common), streets, sets);
  const texts = common.flatMap(({ texts }, set) => texts.map((text) => ({ text, set })));
  return {
    // The set of all needs no bits: the months tell which slots there are.
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

/** Bits and sums of sets, one set after another. `streets` are by position. */
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
  const [first] = sets;
  const bits = new Uint32Array(first === undefined ? 0 : first.length);
  for (const [set, has] of sets.entries()) {
    for (let street = 0; street < bits.length; street++) {
      bits[street] = defined(bits[street]) | (defined(has[street]) << set);
    }
  }
  return bits;
}

type Grid = {
  /** How many cells and how many words of bits one set has. */
  readonly cells: number;
  readonly words: number;
  /** Fills up to 32 sets, which lie one after another: the bits of the sales whose street is in the set; and per cut but
   *  the first, per sum of bands, per class, what the sales of that cell cost together and how many they are. A cell has
   *  the sales between its cut and the one before. All sets are filled together, and each sale looks only at its own. */
  readonly fill: (
    streets: Uint32Array,
    setsOf: Uint32Array,
    bits: Uint32Array,
    sums: Float64Array,
    counts: Uint32Array,
  ) => void;
  /** Turns the cells of one set into running sums: of all months before each cut and all bands that are not dearer. */
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
    while (defined(cuts[cut + 1]) <= month) cut++;
    let band = 0;
    const end = defined(starts[month + 1]);
    for (let position = defined(starts[month]); position < end; position++) {
      const row = defined(rows[position]);
      const price = defined(prices[row]);
      while ((edges[band + 1] ?? Number.POSITIVE_INFINITY) <= price) band++;
      priceOf[position] = price;
      const sum = Math.floor(band / bandsPerSum);
      cellOf[position] = cut * width + sum * classCount + (defined(flags[row]) & classMask);
    }
  }
  const cells = (cuts.length - 1) * width;
  const words = defined(wordStarts.at(-1));
  return {
    cells,
    words,
    fill: (streets, setsOf, bits, sums, counts) => {
      const own = new Uint32Array(setsAtOnce);
      const sets = Math.min(setsAtOnce, bits.length / Math.max(1, words));
      for (let month = 0; month + 1 < starts.length; month++) {
        const end = defined(starts[month + 1]);
        let word = defined(wordStarts[month]);
        for (let from = defined(starts[month]); from < end; from += 32) {
          own.fill(0);
          const to = Math.min(from + 32, end);
          for (let position = from; position < to; position++) {
            const price = defined(priceOf[position]);
            for (let rest = defined(setsOf[defined(streets[position])]); rest !== 0; rest &= rest - 1) {
              const set = 31 - Math.clz32(rest & -rest);
              own[set] = defined(own[set]) | (1 << (position - from));
              const cell = set * cells + defined(cellOf[position]);
              sums[cell] = defined(sums[cell]) + price;
              counts[cell] = defined(counts[cell]) + 1;
            }
          }
          for (let set = 0; set < sets; set++) bits[set * words + word] = defined(own[set]);
          word += 1;
        }
      }
    },
    sumUp: (own) => {
      for (let at = classCount; at < own.length; at++) {
        if (at % width >= classCount) own[at] = defined(own[at]) + defined(own[at - classCount]);
      }
      for (let at = width; at < own.length; at++) own[at] = defined(own[at]) + defined(own[at - width]);
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

/** The running sums of all sales or of all sets of a part. */
type SumViews = {
  readonly cuts: Uint32Array;
  readonly bandsPerSum: Uint32Array;
  readonly sums: Float64Array;
  readonly counts: Uint32Array;
};

/** Running sums of one set over time and prices. */
export class SetSums {
  /** The months before which sums are kept. */
  readonly cuts: Uint32Array;
  /** Sums are kept for every so many edges of bands, and for the one above every price. */
  readonly bandsPerSum: number;
  readonly #sumsPerCut: number;
  readonly #sums: Float64Array;
  readonly #counts: Uint32Array;

  /** Of one set among the `sets` that the views hold. */
  constructor({ cuts, bandsPerSum, sums, counts }: SumViews, bands: number, set: number, sets: number) {
    this.cuts = cuts;
    this.bandsPerSum = defined(bandsPerSum[0]);
    this.#sumsPerCut = sumsOf(bands, this.bandsPerSum);
    const cells = (cuts.length - 1) * this.#sumsPerCut * classCount;
    if (sums.length !== sets * cells) outOfRange();
    this.#sums = sums.subarray(set * cells, (set + 1) * cells);
    this.#counts = counts.subarray(set * cells, (set + 1) * cells);
  }

  /** The sales of a class in the months before a cut that are cheaper than an edge for which sums are kept. */
  at(cut: number, edge: number, saleClass: number): Totals {
    if (cut === 0 || edge === 0) return { count: 0, sumPounds: 0 };
    const sums = Math.ceil(edge / this.bandsPerSum);
    const at = ((cut - 1) * this.#sumsPerCut + sums - 1) * classCount + saleClass;
    return { count: defined(this.#counts[at]), sumPounds: defined(this.#sums[at]) };
  }
}

export class SaleSets {
  readonly everything: SaleSet;
  readonly #byText: ReadonlyMap<string, SaleSet>;

  constructor(views: Views<typeof setColumns>, { starts, wordStarts, words, edges }: SaleMonths) {
    const every = new Uint32Array(words).fill(-1);
    for (let month = 0; month + 1 < starts.length; month++) {
      const last = defined(wordStarts[month + 1]) - 1;
      const rest = (defined(starts[month + 1]) - defined(starts[month])) & 31;
      if (rest !== 0) every[last] = maskWithin(0, 0, rest);
    }
    const sumsOfAll = {
      cuts: views['all-sum-months'],
      bandsPerSum: views['all-sum-bands'],
      sums: views['all-sums'],
      counts: views['all-counts'],
    };
    this.everything = { bits: every, sums: new SetSums(sumsOfAll, edges.length, 0, 1) };
    const bits = views['set-bits'];
    const count = words === 0 ? 0 : bits.length / words;
    if (!Number.isInteger(count)) outOfRange();
    const sumsOfSets = {
      cuts: views['set-sum-months'],
      bandsPerSum: views['set-sum-bands'],
      sums: views['set-sums'],
      counts: views['set-counts'],
    };
    const sets = Array.from({ length: count }, (_, set) => ({
      bits: bits.subarray(set * words, (set + 1) * words),
      sums: new SetSums(sumsOfSets, edges.length, set, count),
    }));
    const setOfText = views['set-of-text'];
    const byText = new Map<string, SaleSet>();
    for (const [index, text] of views['set-texts'].list().entries()) {
      byText.set(text, defined(sets[defined(setOfText[index])]));
    }
    this.#byText = byText;
  }

  /** The sales of streets with this text in their name; undefined where they are few. */
  find(text: string): SaleSet | undefined {
    return this.#byText.get(text.toUpperCase());
  }
}
