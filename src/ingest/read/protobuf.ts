// Protocol buffers without generated classes: the fields of a message are read in place. Such files have hundreds of
// millions of numbers, so nothing is copied unless it is asked for.

import { defined } from '../../out-of-range.ts';

export class ProtobufFault extends Error {
  override name = 'ProtobufFault';
}

const wireVarint = 0;
const wireFixed64 = 1;
const wireBytes = 2;
const wireFixed32 = 5;
const low28 = 2 ** 28;

/** One message: `next()` goes to a field, then `field` and either `value` or `start` and `end` describe it. */
export class Fields {
  field = 0;
  /** Of a varint, as int64 has it. */
  value = 0;
  /** Of a length-delimited field; both 0 for others. */
  start = 0;
  end = 0;
  #bytes: Uint8Array = new Uint8Array();
  #at = 0;
  #last = 0;

  /** The same object can walk one message after another. */
  over(bytes: Uint8Array, start = 0, end = bytes.length): this {
    this.#bytes = bytes;
    this.#at = start;
    this.#last = end;
    return this;
  }

  /** False at the end of the message. Throws ProtobufFault. */
  next(): boolean {
    if (this.#at >= this.#last) {
      if (this.#at > this.#last) throw new ProtobufFault('a field reaches beyond its message');
      return false;
    }
    const tag = this.#varint();
    this.field = Math.floor(tag / 8);
    this.start = 0;
    this.end = 0;
    const wire = tag % 8;
    if (wire === wireVarint) this.value = this.#varint();
    else if (wire === wireBytes) {
      const length = this.#varint();
      this.start = this.#at;
      this.end = this.#at + length;
      if (length < 0 || this.end > this.#last) throw new ProtobufFault('a field reaches beyond its message');
      this.#at = this.end;
    } else if (wire === wireFixed64) this.#at += 8;
    else if (wire === wireFixed32) this.#at += 4;
    else throw new ProtobufFault(`field ${this.field} is of the unknown wire type ${wire}`);
    return true;
  }

  #varint(): number {
    const bytes = this.#bytes;
    let at = this.#at;
    let shift = 0;
    let low = 0;
    let middle = 0;
    let high = 0;
    for (;;) {
      if (at >= this.#last) throw new ProtobufFault('a number reaches beyond its message');
      const byte = defined(bytes[at]);
      at += 1;
      const bits = byte & 127;
      if (shift < 28) low |= bits << shift;
      else if (shift < 56) middle |= bits << (shift - 28);
      else high |= bits << (shift - 56);
      if (byte < 128) break;
      shift += 7;
      if (shift > 63) throw new ProtobufFault('a number is longer than 64 bits');
    }
    this.#at = at;
    // The sign of int64 is bit 63, which is bit 7 here; below it nothing is lost up to 2⁵³.
    return (high & 128) === 0
      ? low + middle * low28 + high * low28 * low28
      : -(low28 - low + (low28 - 1 - middle) * low28 + (255 - (high & 255)) * low28 * low28);
  }
}

export const unzigzag = (value: number): number => (value % 2 === 0 ? value / 2 : -(value + 1) / 2);

/** Packed sint64 deltas. Writes the running sums into `into` and returns how many there are. `into` needs room for as many
 *  numbers as there are bytes. */
export function unpackDeltas(bytes: Uint8Array, start: number, end: number, into: Float64Array): number {
  let at = start;
  let count = 0;
  let sum = 0;
  while (at < end) {
    let byte = defined(bytes[at++]);
    let low = byte & 127;
    if (byte < 128) {
      sum += (low >>> 1) ^ -(low & 1);
      into[count++] = sum;
      continue;
    }
    let shift = 7;
    do {
      if (at === end) throw new ProtobufFault('a packed number reaches beyond its field');
      byte = defined(bytes[at++]);
      low |= (byte & 127) << shift;
      shift += 7;
    } while (byte >= 128 && shift < 28);
    if (byte < 128) {
      sum += (low >>> 1) ^ -(low & 1);
      into[count++] = sum;
      continue;
    }
    let scale = low28;
    let wide = low;
    do {
      if (at >= end || scale > 2 ** 63) throw new ProtobufFault('a packed number does not end');
      byte = defined(bytes[at++]);
      wide += (byte & 127) * scale;
      scale *= 128;
    } while (byte >= 128);
    sum += unzigzag(wide);
    into[count++] = sum;
  }
  return count;
}

/** Packed uint32 or int32 that are never negative; returns how many. */
export function unpackNumbers(bytes: Uint8Array, start: number, end: number, into: Uint32Array): number {
  let at = start;
  let count = 0;
  while (at < end) {
    let byte = defined(bytes[at++]);
    let value = byte & 127;
    for (let shift = 7; byte >= 128; shift += 7) {
      if (at >= end || shift > 63) throw new ProtobufFault('a packed number does not end');
      byte = defined(bytes[at++]);
      if (shift < 32) value |= (byte & 127) << shift;
    }
    into[count++] = value;
  }
  return count;
}
