// Streets by a part of their name. Names are listed by every three letters that stand side by side in them, so that only those
// that have the rarest three of a text are read; for a shorter text all are.

import { outOfRange } from '../../columns/out-of-range.ts';
import type { Strings } from '../../release/part.ts';

/** Lists of names, each for several threes of letters. */
const lists = 4096;

export class StreetNames {
  /** All names, each with a line break behind it. */
  readonly #text: string;
  /** Where each name begins in the text, and the end. */
  readonly #starts: Uint32Array;
  /** The numbers of names, list by list, each list rising; and where each list begins. */
  readonly #listed: Uint32Array;
  readonly #listStarts: Uint32Array;

  constructor(names: Strings) {
    const starts = new Uint32Array(names.length + 1);
    const upper: string[] = [];
    let at = 0;
    for (let index = 0; index < names.length; index++) {
      const name = names.at(index).toUpperCase();
      starts[index] = at;
      at += name.length + 1;
      upper.push(`${name}\n`);
    }
    starts[names.length] = at;
    this.#text = upper.join('');
    this.#starts = starts;
    const listStarts = new Uint32Array(lists + 1);
    this.#eachThree((list) => {
      listStarts[list + 1] = (listStarts[list + 1] ?? outOfRange()) + 1;
    });
    for (let list = 0; list < lists; list++) {
      listStarts[list + 1] = (listStarts[list + 1] ?? outOfRange()) + (listStarts[list] ?? outOfRange());
    }
    this.#listStarts = listStarts;
    this.#listed = new Uint32Array(listStarts[lists] ?? outOfRange());
    const next = listStarts.slice();
    this.#eachThree((list, name) => {
      const place = next[list] ?? outOfRange();
      this.#listed[place] = name;
      next[list] = place + 1;
    });
  }

  #eachThree(visit: (list: number, name: number) => void): void {
    const text = this.#text;
    for (let name = 0; name + 1 < this.#starts.length; name++) {
      const last = (this.#starts[name + 1] ?? outOfRange()) - 3;
      for (let at = this.#starts[name] ?? outOfRange(); at < last; at++) visit(listOf(text, at), name);
    }
  }

  /** The numbers of the names that contain the text, in any case, rising. Every character means itself. */
  containing(text: string): readonly number[] {
    const wanted = text.toUpperCase();
    if (wanted === '' || wanted.includes('\n')) return [];
    return wanted.length < 3 ? this.#scan(wanted) : this.#look(wanted);
  }

  #scan(wanted: string): readonly number[] {
    const found: number[] = [];
    let name = 0;
    for (let at = this.#text.indexOf(wanted); at !== -1; ) {
      while ((this.#starts[name + 1] ?? outOfRange()) <= at) name++;
      found.push(name);
      at = this.#text.indexOf(wanted, this.#starts[name + 1]);
    }
    return found;
  }

  #look(wanted: string): readonly number[] {
    const found: number[] = [];
    for (const name of this.#candidates(wanted)) {
      const own = this.#text.slice(this.#starts[name], this.#starts[name + 1]);
      if (own.includes(wanted) && found.at(-1) !== name) found.push(name);
    }
    return found;
  }

  /** Rising; one may come several times. */
  #candidates(wanted: string): Uint32Array {
    let shortest = this.#list(listOf(wanted, 0));
    for (let at = 1; at + 3 <= wanted.length; at++) {
      const own = this.#list(listOf(wanted, at));
      if (own.length < shortest.length) shortest = own;
    }
    return shortest;
  }

  #list(list: number): Uint32Array {
    return this.#listed.subarray(this.#listStarts[list], this.#listStarts[list + 1]);
  }
}

/** The list for the three letters at a place of a text. */
const listOf = (text: string, at: number): number =>
  (text.charCodeAt(at) * 961 + text.charCodeAt(at + 1) * 31 + text.charCodeAt(at + 2)) & (lists - 1);

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
      const text = foundAt[at] ?? outOfRange();
      isCommon[at] = text === -1 ? 0 : (isEnough[text] ?? outOfRange());
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
      own.sales += salesOf[street] ?? outOfRange();
    }
    start += name.length;
  }
  return { found, foundAt };
}
