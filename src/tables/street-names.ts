// Streets by a part of their name: all names of an area in one text, so that a search is one run over memory.

import type { Strings } from '../release/part.ts';

export class StreetNames {
  readonly #text: string;
  /** Where each name begins in the text. */
  readonly #starts: Uint32Array;

  constructor(names: Strings) {
    const starts = new Uint32Array(names.length);
    const upper: string[] = [];
    let at = 0;
    for (let index = 0; index < names.length; index++) {
      const name = names.at(index).toUpperCase();
      starts[index] = at;
      at += name.length + 1;
      upper.push(name);
    }
    this.#text = `${upper.join('\n')}\n`;
    this.#starts = starts;
  }

  /** The numbers of the names that contain the text, in any case, rising. Every character means itself. */
  containing(text: string): readonly number[] {
    const wanted = text.toUpperCase();
    const found: number[] = [];
    if (wanted === '' || wanted.includes('\n')) return found;
    for (let at = this.#text.indexOf(wanted); at !== -1; ) {
      const index = this.#indexAt(at);
      found.push(index);
      const next = this.#starts[index + 1];
      if (next === undefined) break;
      at = this.#text.indexOf(wanted, next);
    }
    return found;
  }

  #indexAt(position: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.#starts[middle] ?? 0) <= position) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** One byte a name: 1 where it contains the texts, which are the same names for all of them. */
export type CommonText = { readonly texts: readonly string[]; readonly has: Uint8Array };

/** All texts, however short, whose streets together have at least so many sales; those of the same streets together. */
export function commonTexts(
  names: readonly string[],
  salesOf: Uint32Array,
  leastSales: number,
): readonly CommonText[] {
  const upper = names.map((name) => name.toUpperCase());
  const byStreets = new Map<string, { texts: string[]; has: Uint8Array }>();
  // Of all names one behind the other: whether the text of the last length that begins at a letter is common.
  const isCommon = new Uint8Array(upper.reduce((sum, { length }) => sum + length, 0)).fill(1);
  // A text can be common only if it is so without its first and without its last letter.
  for (let length = 1; ; length++) {
    const { found, foundAt } = textsOf(upper, length, isCommon, salesOf);
    const common = found.filter(({ sales }) => sales >= leastSales);
    if (common.length === 0) return [...byStreets.values()];
    for (const { text, streets } of common) {
      const key = streets.join();
      const known = byStreets.get(key);
      if (known !== undefined) {
        known.texts.push(text);
        continue;
      }
      const has = new Uint8Array(names.length);
      for (const street of streets) has[street] = 1;
      byStreets.set(key, { texts: [text], has });
    }
    const isEnough = Uint8Array.from(found, ({ sales }) => (sales >= leastSales ? 1 : 0));
    for (let at = 0; at < foundAt.length; at++) {
      const place = foundAt[at] ?? -1;
      isCommon[at] = place === -1 ? 0 : (isEnough[place] ?? 0);
    }
  }
}

/** A text, its place among those found, the streets that contain it, and their sales. */
type TextStreets = {
  readonly text: string;
  readonly place: number;
  readonly streets: number[];
  sales: number;
};

/** The texts of that length that may be common; and per letter of all names which of them begins there, or -1. */
function textsOf(
  names: readonly string[],
  length: number,
  isCommon: Uint8Array,
  salesOf: Uint32Array,
): { found: readonly TextStreets[]; foundAt: Int32Array } {
  const ownOf = new Map<string, TextStreets>();
  const found: TextStreets[] = [];
  const foundAt = new Int32Array(isCommon.length).fill(-1);
  let start = 0;
  for (const [street, name] of names.entries()) {
    for (let at = 0; at + length <= name.length; at++) {
      const isPossible = isCommon[start + at] === 1 && (length === 1 || isCommon[start + at + 1] === 1);
      if (!isPossible) continue;
      const text = name.slice(at, at + length);
      let own = ownOf.get(text);
      if (own === undefined) {
        own = { text, place: found.length, streets: [], sales: 0 };
        ownOf.set(text, own);
        found.push(own);
      }
      foundAt[start + at] = own.place;
      if (own.streets.at(-1) === street) continue;
      own.streets.push(street);
      own.sales += salesOf[street] ?? 0;
    }
    start += name.length;
  }
  return { found, foundAt };
}
