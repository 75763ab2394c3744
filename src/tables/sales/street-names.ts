// Finds streets by a part of their name. Every three letters that stand side by side in a name lead to a list that has it,
// so that only the names in the shortest list of a text are read. For a text of one or two letters all are.

import { defined } from '../../out-of-range.ts';
import type { Strings } from '../../release/part.ts';

/** How many lists there are; each serves several threes of letters. */
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
      listStarts[list + 1] = defined(listStarts[list + 1]) + 1;
    });
    for (let list = 0; list < lists; list++) {
      listStarts[list + 1] = defined(listStarts[list + 1]) + defined(listStarts[list]);
    }
    this.#listStarts = listStarts;
    this.#listed = new Uint32Array(defined(listStarts[lists]));
    const next = listStarts.slice();
    this.#eachThree((list, name) => {
      const at = defined(next[list]);
      this.#listed[at] = name;
      next[list] = at + 1;
    });
  }

  #eachThree(visit: (list: number, name: number) => void): void {
    const text = this.#text;
    for (let name = 0; name + 1 < this.#starts.length; name++) {
      const last = defined(this.#starts[name + 1]) - 3;
      for (let at = defined(this.#starts[name]); at < last; at++) visit(listOf(text, at), name);
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
      while (defined(this.#starts[name + 1]) <= at) name++;
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

/** The list for the three letters that begin at an index of a text. */
const listOf = (text: string, at: number): number =>
  (text.charCodeAt(at) * 961 + text.charCodeAt(at + 1) * 31 + text.charCodeAt(at + 2)) & (lists - 1);

/** Texts that the same names contain. `has` is one byte a name: 1 where it contains them. */
type CommonText = { readonly texts: readonly string[]; readonly has: Uint8Array };

/** Every text, however short, whose streets have at least so many sales together. */
export function commonTexts(
  names: readonly string[],
  salesOf: Uint32Array,
  leastSales: number,
): readonly CommonText[] {
  const upper = names.map((name) => name.toUpperCase());
  const byStreets = new Map<string, { texts: string[]; has: Uint8Array }>();
  // One byte for each letter of all names: 1 where the text of the last length that begins there is common.
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
      const text = defined(foundAt[at]);
      isCommon[at] = text === -1 ? 0 : defined(isEnough[text]);
    }
  }
}

/** A text, its index among those found, the streets that contain it, and how many sales they have. */
type TextStreets = {
  readonly text: string;
  readonly index: number;
  readonly streets: number[];
  sales: number;
};

/** The texts of that length that may be common; and for each letter of all names, which of them begins there, or -1. */
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
        own = { text, index: found.length, streets: [], sales: 0 };
        ownOf.set(text, own);
        found.push(own);
      }
      foundAt[start + at] = own.index;
      if (own.streets.at(-1) === street) continue;
      own.streets.push(street);
      own.sales += defined(salesOf[street]);
    }
    start += name.length;
  }
  return { found, foundAt };
}
