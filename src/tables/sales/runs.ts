// The order by whereabouts: outcode, then place, then postcode, then slot. Sales of one place and one postcode stand side
// by side in it and are a *run*. An outcode is a stretch of runs, a street one stretch in each outcode where it lies, and a
// postcode or a sector a few runs.

import { arrange, narrow, postingsOf } from '../../columns/codes.ts';
import { lowerBound } from '../../columns/sorted.ts';
import { defined, outOfRange } from '../../out-of-range.ts';
import { andOneMore, codes, into, intoOrAfter, starts, times, u32 } from '../../release/column.ts';
import type { Values, Views } from '../../release/table.ts';
import { packedPerOutcode } from '../../uk/postcode.ts';
import { classMask } from './kinds.ts';
import { placeFields, type SaleWords } from './rows.ts';

export const runColumns = {
  'sale-keys': u32(
    'sale',
    'keys, 32 × slot + class, in the order by outcode, then place, then postcode, then slot; sales without a postcode last',
  ),
  'sale-prices': u32('sale', 'pounds, in the order of `sale-keys`'),
  'run-start': starts('run', 'sale'),
  'run-postcode': codes('run', 'its postcode, in `postcodes`', intoOrAfter('postcode')),
  'outcode-postcode': u32('outcode', 'its first postcode, in `postcodes`', into('postcode')),
  'outcode-runs': u32(
    times(andOneMore('outcode or none')),
    'first run of each outcode, then of the sales without a postcode, then the end',
    { kind: 'starts', rows: 'run' },
  ),
  'place-start': starts('place', 'run'),
  'place-runs': codes(
    'run',
    'runs by place: those of place *c* from `place-start[c]` to the next',
    into('run'),
  ),
};

/** A sale's slot and class in one number, so that a run has two columns to be read and not three. Keys are in the order of
 *  slots and have 31 bits at most. */
const classBits = 5;
const slotLimit = 2 ** (31 - classBits);
export const keyOf = (slot: number, saleClass: number): number => (slot << classBits) | saleClass;
export const slotOfKey = (key: number): number => key >>> classBits;
export const classOfKey = (key: number): number => key & classMask;

/** Of each sale, by position in the order by month and price. */
type RunInput = {
  readonly slots: Uint32Array;
  readonly prices: Uint32Array;
  readonly flags: Uint8Array;
  /** Codes; the one after the last of `packed` stands for none. */
  readonly postcodes: Uint32Array;
  readonly places: Uint32Array;
  /** The packed postcode of each code. */
  readonly packed: Uint32Array;
  readonly words: SaleWords;
};

export function encodeRuns(input: RunInput): Values<typeof runColumns> {
  const { slots, postcodes, places, packed, words } = input;
  const lastSlot = slots.at(-1);
  if (lastSlot !== undefined && lastSlot >= slotLimit)
    throw new RangeError(`An area holds at most ${slotLimit} sales.`);
  const placeLimit = words.places.length / placeFields;
  const { firstCodes, outcodeOf } = outcodesOf(packed);
  const outcodes = arrange(outcodeOf, postcodes);
  const byPostcode = postingsOf(postcodes, packed.length + 1).rows;
  const byPlace = stableBy(byPostcode, places, placeLimit);
  const order = stableBy(byPlace, outcodes, firstCodes.length + 1);
  const keys = new Uint32Array(slots.length);
  const prices = new Uint32Array(slots.length);
  const runStarts: number[] = [];
  const runPlaces: number[] = [];
  const runPostcodes: number[] = [];
  const outcodeRuns = new Uint32Array(firstCodes.length + 2);
  let [lastPostcode, lastPlace] = [-1, -1];
  for (let at = 0, { length } = slots; at < length; at++) {
    const sale = defined(order[at]);
    keys[at] = keyOf(defined(slots[sale]), defined(input.flags[sale]) & classMask);
    prices[at] = defined(input.prices[sale]);
    const postcode = defined(postcodes[sale]);
    const place = defined(places[sale]);
    if (postcode === lastPostcode && place === lastPlace) continue;
    [lastPostcode, lastPlace] = [postcode, place];
    runStarts.push(at);
    runPlaces.push(place);
    runPostcodes.push(postcode);
    const next = defined(outcodeOf[postcode]) + 1;
    outcodeRuns[next] = runStarts.length;
  }
  runStarts.push(slots.length);
  // Every postcode is that of a sale, so no outcode is without runs. Sales without a postcode there may be none.
  const last = outcodeRuns.length - 1;
  outcodeRuns[last] = Math.max(defined(outcodeRuns[last]), defined(outcodeRuns[last - 1]));
  const placeRuns = postingsOf(Uint32Array.from(runPlaces), placeLimit);
  return {
    'sale-keys': keys,
    // Beside each other in the part, so that a run is read in one go.
    'sale-prices': prices,
    'run-start': Uint32Array.from(runStarts),
    'run-postcode': narrow(Uint32Array.from(runPostcodes), packed.length + 1),
    'outcode-postcode': firstCodes,
    'outcode-runs': outcodeRuns,
    'place-start': placeRuns.starts,
    'place-runs': narrow(placeRuns.rows, runPlaces.length),
  };
}

/** The first postcode of each outcode, and the outcode of each postcode, both as codes. The outcode of the code for none
 *  is the one after the last. */
function outcodesOf(packed: Uint32Array): { firstCodes: Uint32Array; outcodeOf: Uint32Array } {
  const firstCodes: number[] = [];
  const outcodeOf = new Uint32Array(packed.length + 1);
  let last = -1;
  for (const [code, postcode] of packed.entries()) {
    const outcode = Math.floor(postcode / packedPerOutcode);
    if (outcode !== last) firstCodes.push(code);
    last = outcode;
    outcodeOf[code] = firstCodes.length - 1;
  }
  outcodeOf[packed.length] = firstCodes.length;
  return { firstCodes: Uint32Array.from(firstCodes), outcodeOf };
}

/** Sorts sales by one of their codes; those of one code keep their order. */
function stableBy(sales: Uint32Array, codes: Uint32Array, limit: number): Uint32Array {
  return arrange(sales, postingsOf(arrange(codes, sales), limit).rows);
}

/** Parts of the order by whereabouts: the start and the end of each in turn. Runs that follow each other are one span. */
export type Spans = Uint32Array;

/** How many sales they have together. */
export function lengthOf(spans: Spans): number {
  let length = 0;
  for (let span = 0, end = spans.length; span < end; span += 2)
    length += defined(spans[span + 1]) - defined(spans[span]);
  return length;
}

export class SaleRuns {
  /** In the order by whereabouts; those of one run ascend. */
  readonly keys: Uint32Array;
  /** In the order of `keys`. */
  readonly prices: Uint32Array;
  readonly #runStarts: Uint32Array;
  readonly #runPostcodes: Uint16Array | Uint32Array;
  readonly #outcodePostcodes: Uint32Array;
  readonly #outcodeRuns: Uint32Array;
  readonly #placeStarts: Uint32Array;
  readonly #placeRuns: Uint16Array | Uint32Array;
  /** The first place of each street, and the end. */
  readonly #streetStarts: Uint32Array;
  /** Packed, in order. */
  readonly #postcodes: Uint32Array;

  constructor(
    views: Views<typeof runColumns> & {
      readonly 'street-start': Uint32Array;
      readonly postcodes: Uint32Array;
    },
  ) {
    this.keys = views['sale-keys'];
    this.prices = views['sale-prices'];
    this.#runStarts = views['run-start'];
    this.#runPostcodes = views['run-postcode'];
    this.#outcodePostcodes = views['outcode-postcode'];
    this.#outcodeRuns = views['outcode-runs'];
    if (this.#outcodeRuns.length !== this.#outcodePostcodes.length + 2) outOfRange();
    this.#placeStarts = views['place-start'];
    this.#placeRuns = views['place-runs'];
    this.#streetStarts = views['street-start'];
    this.#postcodes = views.postcodes;
  }

  /** The sales of the packed postcodes from one to before another. */
  spansOfPostcodes(from: number, to: number): Spans {
    const { start, end } = this.#codesBetween(from, to);
    if (start === end) return new Uint32Array(0);
    const first = defined(this.#outcodeRuns[this.#outcodeOf(start)]);
    const after = defined(this.#outcodeRuns[this.#outcodeOf(end - 1) + 1]);
    const found = new SpanList(this.#runStarts);
    const postcodes = this.#runPostcodes;
    for (let run = first; run < after; run++) {
      const postcode = defined(postcodes[run]);
      if (postcode >= start && postcode < end) found.add(run);
    }
    return found.spans;
  }

  #codesBetween(from: number, to: number): { readonly start: number; readonly end: number } {
    const start = lowerBound(this.#postcodes, from);
    return { start, end: Math.max(start, lowerBound(this.#postcodes, to)) };
  }

  /** The outcode of a postcode, both as codes. */
  #outcodeOf(code: number): number {
    return lowerBound(this.#outcodePostcodes, code + 1) - 1;
  }

  /** The sales of some streets; only of those postcodes where such are given. */
  spansOfStreets(
    streets: readonly number[],
    postcodes: { readonly from: number; readonly to: number } | undefined,
  ): Spans {
    const { start, end } =
      postcodes === undefined
        ? { start: 0, end: this.#postcodes.length + 1 }
        : this.#codesBetween(postcodes.from, postcodes.to);
    const placeRunsFrom = (street: number) => defined(this.#placeStarts[defined(this.#streetStarts[street])]);
    const found = new SpanList(this.#runStarts);
    for (const street of streets) {
      const after = placeRunsFrom(street + 1);
      for (let next = placeRunsFrom(street); next < after; next++) {
        const run = defined(this.#placeRuns[next]);
        const postcode = defined(this.#runPostcodes[run]);
        if (postcode >= start && postcode < end) found.add(run);
      }
    }
    return found.spans;
  }
}

class SpanList {
  readonly #runStarts: Uint32Array;
  readonly #found: number[] = [];

  constructor(runStarts: Uint32Array) {
    this.#runStarts = runStarts;
  }

  add(run: number): void {
    const start = defined(this.#runStarts[run]);
    const end = defined(this.#runStarts[run + 1]);
    const last = this.#found.length - 1;
    if (last > 0 && this.#found[last] === start) this.#found[last] = end;
    else this.#found.push(start, end);
  }

  get spans(): Spans {
    return new Uint32Array(this.#found);
  }
}
