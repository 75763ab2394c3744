// Crime ids (64 hexadecimal digits) as keys of tens of millions, by their first 64 bits. Two of 20 million ids would share
// them once in some hundred thousand loads.

import { TupleDictionary } from '../../columns/tuple-dictionary.ts';
import { defined } from '../../out-of-range.ts';

/** A number from 1 to 65,535 for each id. */
export class CrimeIds {
  readonly #ids = new TupleDictionary(2);
  readonly #key = new Uint32Array(2);
  #values = new Uint16Array(1 << 12);

  get size(): number {
    return this.#ids.length;
  }

  /** 0 where it is not there. `at` is where the id's 32 bytes begin. */
  get(id: Buffer, at: number): number {
    const code = this.#ids.find(this.#keyOf(id, at), 0);
    return code === -1 ? 0 : defined(this.#values[code]);
  }

  set(id: Buffer, at: number, value: number): void {
    const code = this.#ids.codeOf(this.#keyOf(id, at), 0);
    if (code === this.#values.length) {
      const values = new Uint16Array(2 * code);
      values.set(this.#values);
      this.#values = values;
    }
    this.#values[code] = value;
  }

  clear(): void {
    this.#ids.clear();
  }

  #keyOf(id: Buffer, at: number): Uint32Array {
    this.#key[0] = id.readUInt32LE(at);
    this.#key[1] = id.readUInt32LE(at + 4);
    return this.#key;
  }
}

/** Writes the 32 bytes of 64 hexadecimal digits; after `malformed` the caller must clear them. */
export function writeId(
  from: Uint8Array,
  start: number,
  end: number,
  to: Uint8Array,
  at: number,
): 'written' | 'malformed' {
  if (end - start !== 64) return 'malformed';
  for (let index = 0; index < 32; index += 1) {
    const high = digits[defined(from[start + 2 * index])] ?? 255;
    const low = digits[defined(from[start + 2 * index + 1])] ?? 255;
    if ((high | low) > 15) return 'malformed';
    to[at + index] = 16 * high + low;
  }
  return 'written';
}

const digits = new Uint8Array(256).fill(255);
for (const [value, digit] of [...'0123456789abcdef'].entries()) {
  digits[digit.charCodeAt(0)] = value;
  digits[digit.toUpperCase().charCodeAt(0)] = value;
}
