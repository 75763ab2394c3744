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
