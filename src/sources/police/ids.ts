// Crime ids (64 hexadecimal digits) as keys of tens of millions: the first 64 bits in open addressing. Two of 20
// million ids would share them once in some hundred thousand loads.

import { outOfRange } from '../../columns/out-of-range.ts';

const empty = 0;

export class CrimeIds {
  #size = 0;
  #high: Uint32Array;
  #low: Uint32Array;
  /** 0 is free, so that values begin with 1. */
  #value: Uint16Array;

  constructor(capacity = 1 << 12) {
    this.#high = new Uint32Array(capacity);
    this.#low = new Uint32Array(capacity);
    this.#value = new Uint16Array(capacity);
  }

  get size(): number {
    return this.#size;
  }

  /** 0 where it is not there. `at` is where the id's 32 bytes begin. */
  get(id: Buffer, at: number): number {
    return this.#value[this.#slotOf(id.readUInt32LE(at), id.readUInt32LE(at + 4))] ?? empty;
  }

  /** From 1 to 65,535. */
  set(id: Buffer, at: number, value: number): void {
    if (3 * this.#size > 2 * this.#value.length) this.#grow();
    this.#put(id.readUInt32LE(at), id.readUInt32LE(at + 4), value);
  }

  clear(): void {
    this.#value.fill(empty);
    this.#size = 0;
  }

  #put(high: number, low: number, value: number): void {
    const slot = this.#slotOf(high, low);
    if (this.#value[slot] === empty) this.#size += 1;
    this.#high[slot] = high;
    this.#low[slot] = low;
    this.#value[slot] = value;
  }

  #slotOf(high: number, low: number): number {
    const mask = this.#value.length - 1;
    let slot = (Math.imul(high, 0x9e3779b1) ^ low) & mask;
    while (this.#value[slot] !== empty && (this.#high[slot] !== high || this.#low[slot] !== low)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #grow(): void {
    const [high, low, value] = [this.#high, this.#low, this.#value];
    const capacity = 2 * value.length;
    this.#high = new Uint32Array(capacity);
    this.#low = new Uint32Array(capacity);
    this.#value = new Uint16Array(capacity);
    this.#size = 0;
    for (let slot = 0; slot < value.length; slot += 1) {
      if (value[slot] !== empty)
        this.#put(high[slot] ?? outOfRange(), low[slot] ?? outOfRange(), value[slot] ?? outOfRange());
    }
  }
}

/** Writes the 32 bytes of 64 hexadecimal digits; `malformed` leaves rubbish behind that is to be cleared. */
export function writeId(
  from: Uint8Array,
  start: number,
  end: number,
  to: Uint8Array,
  at: number,
): 'written' | 'malformed' {
  if (end - start !== 64) return 'malformed';
  for (let index = 0; index < 32; index += 1) {
    const high = digits[from[start + 2 * index] ?? outOfRange()] ?? 255;
    const low = digits[from[start + 2 * index + 1] ?? outOfRange()] ?? 255;
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
