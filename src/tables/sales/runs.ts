// Sales by where they are: in the order of outcode, then place, then postcode. So an outcode is one run of them, a street
// one in each outcode where it lies, and a postcode or a sector a few short runs.

import { arrange, lowerBound, narrow, postingsOf, readCodes } from '../../columns/codes.ts';
import { outOfRange } from '../../columns/out-of-range.ts';
import type { Columns, Part } from '../../release/part.ts';
import { packedPerOutcode } from '../../uk/postcode.ts';
import { classMask } from './kinds.ts';
import { placeFields, type SaleWords } from './rows.ts';

/** A sale's slot and class in one number, so that a run has two columns to be read and not three. Keys are in the order of
 *  slots, and have 31 bits at most. */
const classBits = 5;
const slotLimit = 2 ** (31 - classBits);
export const keyOf = (slot: number, saleClass: number): number => (slot << classBits) | saleClass;
export const slotOfKey = (key: number): number => key >>> classBits;
export const classOfKey = (key: number): number => key & classMask;

export type PlaceInput = {
  /** Per sale in the order of slots. */
  readonly slots: Uint32Array;
  readonly prices: Uint32Array;
  readonly flags: Uint8Array;
  readonly postcodes: Uint32Array;
  readonly places: Uint32Array;
  /** The packed postcode of each code; the code after the last is for none. */
  readonly packed: Uint32Array;
  readonly words: SaleWords;
};

export function encodeSalePlaces(input: PlaceInput): Columns {
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
    const sale = order[at] ?? outOfRange();
    keys[at] = keyOf(slots[sale] ?? outOfRange(), (input.flags[sale] ?? outOfRange()) & classMask);
    prices[at] = input.prices[sale] ?? outOfRange();
    const postcode = postcodes[sale] ?? outOfRange();
    const place = places[sale] ?? outOfRange();
    if (postcode === lastPostcode && place === lastPlace) continue;
    [lastPostcode, lastPlace] = [postcode, place];
    runStarts.push(at);
    runPlaces.push(place);
    runPostcodes.push(postcode);
    const next = (outcodeOf[postcode] ?? outOfRange()) + 1;
    outcodeRuns[next] = runStarts.length;
  }
  runStarts.push(slots.length);
  // None of an outcode can be missing: every postcode is that of a sale. Only sales without one may.
  const last = outcodeRuns.length - 1;
  outcodeRuns[last] = Math.max(outcodeRuns[last] ?? outOfRange(), outcodeRuns[last - 1] ?? outOfRange());
  const placeRuns = postingsOf(Uint32Array.from(runPlaces), placeLimit);
  return {
    'sale-keys': keys,
    // Beside each other in memory, so that a run is read in one go.
    'sale-prices': prices,
    'run-start': Uint32Array.from(runStarts),
    'run-postcode': narrow(Uint32Array.from(runPostcodes), packed.length + 1),
    'outcode-postcode': firstCodes,
    'outcode-runs': outcodeRuns,
    'place-start': placeRuns.starts,
    'place-runs': narrow(placeRuns.rows, runPlaces.length),
  };
}

/** The first code of each outcode's postcodes, and the outcode of each code; that of the code for none is after all. */
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

/** The same sales by one of their codes, those of one code in the order in which they were. */
function stableBy(sales: Uint32Array, codes: Uint32Array, limit: number): Uint32Array {
  return arrange(sales, postingsOf(arrange(codes, sales), limit).rows);
}

/** Start and end of runs of `keys`, in turn. */
export type Runs = Uint32Array;

/** How many sales they have together. */
export function lengthOf(runs: Runs): number {
  let length = 0;
  for (let run = 0, end = runs.length; run < end; run += 2)
    length += (runs[run + 1] ?? outOfRange()) - (runs[run] ?? outOfRange());
  return length;
}

export class SalePlaces {
  /** By outcode, place and postcode; those of one place and postcode ascend. */
  readonly keys: Uint32Array;
  /** Of the same sales. */
  readonly prices: Uint32Array;
  readonly #runStarts: Uint32Array;
  readonly #runPostcodes: Uint16Array | Uint32Array;
  readonly #outcodePostcodes: Uint32Array;
  readonly #outcodeRuns: Uint32Array;
  readonly #placeStarts: Uint32Array;
  readonly #placeRuns: Uint16Array | Uint32Array;
  /** The first place of each street; those of a street stand side by side. */
  readonly #streetStarts: Uint32Array;
  readonly #postcodes: Uint32Array;

  constructor(part: Part) {
    this.keys = part.u32('sale-keys');
    this.prices = part.u32('sale-prices');
    this.#runStarts = part.u32('run-start');
    this.#runPostcodes = readCodes(part, 'run-postcode');
    this.#outcodePostcodes = part.u32('outcode-postcode');
    this.#outcodeRuns = part.u32('outcode-runs');
    this.#placeStarts = part.u32('place-start');
    this.#placeRuns = readCodes(part, 'place-runs');
    this.#streetStarts = part.u32('street-start');
    this.#postcodes = part.u32('postcodes');
  }

  /** The sales of the packed postcodes from one to another, the latter excluded. */
  runsOfPostcodes(from: number, to: number): Runs {
    const { start, end } = this.#codesBetween(from, to);
    if (start === end) return new Uint32Array(0);
    const first = this.#outcodeRuns[this.#outcodeOf(start)] ?? outOfRange();
    const after = this.#outcodeRuns[this.#outcodeOf(end - 1) + 1] ?? outOfRange();
    const found = new RunList(this.#runStarts);
    const postcodes = this.#runPostcodes;
    for (let run = first; run < after; run++) {
      const postcode = postcodes[run] ?? outOfRange();
      if (postcode >= start && postcode < end) found.add(run);
    }
    return found.runs;
  }

  #codesBetween(from: number, to: number): { readonly start: number; readonly end: number } {
    const start = lowerBound(this.#postcodes, from);
    return { start, end: Math.max(start, lowerBound(this.#postcodes, to)) };
  }

  /** Of a postcode by its code. */
  #outcodeOf(code: number): number {
    return lowerBound(this.#outcodePostcodes, code + 1) - 1;
  }

  /** The sales of some streets, of those postcodes if there are such. */
  runsOfStreets(
    streets: readonly number[],
    postcodes: { readonly from: number; readonly to: number } | undefined,
  ): Runs {
    const { start, end } =
      postcodes === undefined
        ? { start: 0, end: this.#postcodes.length + 1 }
        : this.#codesBetween(postcodes.from, postcodes.to);
    const placeRunsFrom = (street: number) =>
      this.#placeStarts[this.#streetStarts[street] ?? outOfRange()] ?? outOfRange();
    const found = new RunList(this.#runStarts);
    for (const street of streets) {
      const after = placeRunsFrom(street + 1);
      for (let next = placeRunsFrom(street); next < after; next++) {
        const run = this.#placeRuns[next] ?? outOfRange();
        const postcode = this.#runPostcodes[run] ?? outOfRange();
        if (postcode >= start && postcode < end) found.add(run);
      }
    }
    return found.runs;
  }
}

/** Runs that follow each other become one. */
class RunList {
  readonly #starts: Uint32Array;
  readonly #found: number[] = [];

  constructor(starts: Uint32Array) {
    this.#starts = starts;
  }

  add(run: number): void {
    const start = this.#starts[run] ?? outOfRange();
    const end = this.#starts[run + 1] ?? outOfRange();
    const last = this.#found.length - 1;
    if (last > 0 && this.#found[last] === start) this.#found[last] = end;
    else this.#found.push(start, end);
  }

  get runs(): Runs {
    return new Uint32Array(this.#found);
  }
}
