// Sales by where they are: in the order of postcode, then place, so that a postcode, a sector or an outcode is one run of
// them, and a street a few short runs.

import type { Columns, Part } from '../release/part.ts';
import {
  classMask,
  lowerBound,
  narrow,
  placeFields,
  postingsOf,
  readCodes,
  type SaleWords,
} from './sales-part.ts';

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
  /** How many codes of a postcode there are, the one for none included. */
  readonly postcodeLimit: number;
  readonly words: SaleWords;
};

export function encodeSalePlaces(input: PlaceInput): Columns {
  const { slots, postcodes, places, postcodeLimit, words } = input;
  if ((slots.at(-1) ?? 0) >= slotLimit) throw new RangeError(`An area holds at most ${slotLimit} sales.`);
  const placeLimit = words.places.length / placeFields;
  const byPlace = postingsOf(places, placeLimit).rows;
  const ofPlaces = new Uint32Array(slots.length);
  for (let at = 0, { length } = slots; at < length; at++) ofPlaces[at] = postcodes[byPlace[at] ?? 0] ?? 0;
  const byPostcode = postingsOf(ofPlaces, postcodeLimit).rows;
  const keys = new Uint32Array(slots.length);
  const prices = new Uint32Array(slots.length);
  const runStarts: number[] = [];
  const runPlaces: number[] = [];
  const runsOfPostcode = new Uint32Array(postcodeLimit + 1);
  let [lastPostcode, lastPlace] = [-1, -1];
  for (let at = 0, { length } = slots; at < length; at++) {
    const sale = byPlace[byPostcode[at] ?? 0] ?? 0;
    keys[at] = keyOf(slots[sale] ?? 0, (input.flags[sale] ?? 0) & classMask);
    prices[at] = input.prices[sale] ?? 0;
    const [postcode = 0, place = 0] = [postcodes[sale], places[sale]];
    if (postcode === lastPostcode && place === lastPlace) continue;
    [lastPostcode, lastPlace] = [postcode, place];
    runStarts.push(at);
    runPlaces.push(place);
    runsOfPostcode[postcode + 1] = (runsOfPostcode[postcode + 1] ?? 0) + 1;
  }
  runStarts.push(slots.length);
  for (let code = 0; code < postcodeLimit; code++) {
    runsOfPostcode[code + 1] = (runsOfPostcode[code + 1] ?? 0) + (runsOfPostcode[code] ?? 0);
  }
  const placeRuns = postingsOf(Uint32Array.from(runPlaces), placeLimit);
  return {
    'sale-keys': keys,
    // Beside each other in memory, so that a run is read in one go.
    'sale-prices': prices,
    'run-start': Uint32Array.from(runStarts),
    'postcode-runs': runsOfPostcode,
    'place-start': placeRuns.starts,
    'place-runs': narrow(placeRuns.rows, runPlaces.length),
  };
}

/** Start and end of runs of `keys`, in turn. */
export type Runs = Uint32Array;

export class SalePlaces {
  /** By postcode and place; those of one postcode and place ascend. */
  readonly keys: Uint32Array;
  /** Of the same sales. */
  readonly prices: Uint32Array;
  readonly #runStarts: Uint32Array;
  readonly #postcodeRuns: Uint32Array;
  readonly #placeStarts: Uint32Array;
  readonly #placeRuns: Uint16Array | Uint32Array;
  /** The first place of each street; those of a street stand side by side. */
  readonly #streetStarts: Uint32Array;
  readonly #postcodes: Uint32Array;

  constructor(part: Part) {
    this.keys = part.u32('sale-keys');
    this.prices = part.u32('sale-prices');
    this.#runStarts = part.u32('run-start');
    this.#postcodeRuns = part.u32('postcode-runs');
    this.#placeStarts = part.u32('place-start');
    this.#placeRuns = readCodes(part, 'place-runs');
    this.#streetStarts = part.u32('street-start');
    this.#postcodes = part.u32('postcodes');
  }

  /** The sales of the packed postcodes from one to another, the latter excluded. */
  runsOfPostcodes(from: number, to: number): Runs {
    const { first, after } = this.#runsBetween(from, to);
    return Uint32Array.of(this.#runStarts[first] ?? 0, this.#runStarts[after] ?? 0);
  }

  #runsBetween(from: number, to: number): { readonly first: number; readonly after: number } {
    const [start, end] = [lowerBound(this.#postcodes, from), lowerBound(this.#postcodes, to)];
    return { first: this.#postcodeRuns[start] ?? 0, after: this.#postcodeRuns[end] ?? 0 };
  }

  /** The sales of some streets, of those postcodes if there are such. */
  runsOfStreets(
    streets: readonly number[],
    postcodes: { readonly from: number; readonly to: number } | undefined,
  ): Runs {
    const { first, after } =
      postcodes === undefined
        ? { first: 0, after: this.#runStarts.length }
        : this.#runsBetween(postcodes.from, postcodes.to);
    const placeRunsFrom = (street: number) => this.#placeStarts[this.#streetStarts[street] ?? 0] ?? 0;
    let most = 0;
    for (const street of streets) most += placeRunsFrom(street + 1) - placeRunsFrom(street);
    const runs = new Uint32Array(2 * most);
    let at = 0;
    for (const street of streets) {
      const end = placeRunsFrom(street + 1);
      for (let next = placeRunsFrom(street); next < end; next++) {
        const run = this.#placeRuns[next] ?? 0;
        if (run < first || run >= after) continue;
        runs[at++] = this.#runStarts[run] ?? 0;
        runs[at++] = this.#runStarts[run + 1] ?? 0;
      }
    }
    return runs.subarray(0, at);
  }
}
