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

  /** One byte a name: 1 where it contains the text, in any case. Every character means itself. */
  containing(text: string): Uint8Array {
    const wanted = text.toUpperCase();
    const found = new Uint8Array(this.#starts.length);
    if (wanted === '' || wanted.includes('\n')) return found;
    for (let at = this.#text.indexOf(wanted); at !== -1; ) {
      const index = this.#indexAt(at);
      found[index] = 1;
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
  const isKnown = new Set<string>(['']);
  // A text can be common only if it is so without its first and without its last letter.
  for (let length = 1; ; length++) {
    const streets = streetsByText(upper, length, isKnown);
    let common = 0;
    for (const [text, own] of streets) {
      if (own.reduce((sum, street) => sum + (salesOf[street] ?? 0), 0) < leastSales) continue;
      common += 1;
      isKnown.add(text);
      const key = own.join();
      const known = byStreets.get(key);
      if (known !== undefined) {
        known.texts.push(text);
        continue;
      }
      const has = new Uint8Array(names.length);
      for (const street of own) has[street] = 1;
      byStreets.set(key, { texts: [text], has });
    }
    if (common === 0) return [...byStreets.values()];
  }
}

/** The streets that contain each text of that length, if what is left of it at either end is known. */
function streetsByText(
  names: readonly string[],
  length: number,
  isKnown: ReadonlySet<string>,
): ReadonlyMap<string, number[]> {
  const streets = new Map<string, number[]>();
  for (const [street, name] of names.entries()) {
    for (let at = 0; at + length <= name.length; at++) {
      if (!isKnown.has(name.slice(at, at + length - 1))) continue;
      if (!isKnown.has(name.slice(at + 1, at + length))) continue;
      const text = name.slice(at, at + length);
      const own = streets.get(text);
      if (own === undefined) streets.set(text, [street]);
      else if (own.at(-1) !== street) own.push(street);
    }
  }
  return streets;
}
