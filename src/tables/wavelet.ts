// A wavelet matrix: a sequence of small numbers kept as bit planes, which tells the k-th lowest of any stretches
// of the sequence, and how many are below a bound, in a few dozen steps, without looking at the numbers.
// Claude, Navarro, Ordóñez: "The wavelet matrix" (2015).

import { popcount } from './bits.ts';

/** As it is kept in a part; `bits` and `ranks` are the planes one after another, the highest bit first. */
export type WaveletColumns = {
  readonly bits: Uint32Array;
  /** Ones of the plane before each block of 128 positions. */
  readonly ranks: Uint32Array;
  /** Zeros of each plane; as many as there are planes. */
  readonly zeros: Uint32Array;
};

const wordsPerBlock = 4;
const blocksOf = (length: number) => (length >>> 7) + 1;

/** `limit` is above every number of the sequence. */
export function encodeWavelet(sequence: Uint32Array, limit: number): WaveletColumns {
  const planes = Math.max(1, 32 - Math.clz32(limit - 1));
  const blocks = blocksOf(sequence.length);
  const words = blocks * wordsPerBlock;
  const bits = new Uint32Array(planes * words);
  const ranks = new Uint32Array(planes * blocks);
  const zeros = new Uint32Array(planes);
  let current = Uint32Array.from(sequence);
  let next = new Uint32Array(sequence.length);
  const ones = new Uint32Array(sequence.length);
  for (let plane = 0; plane < planes; plane++) {
    const shift = planes - 1 - plane;
    let zeroCount = 0;
    let oneCount = 0;
    for (let at = 0; at < current.length; at++) {
      if ((at & 127) === 0) ranks[plane * blocks + (at >>> 7)] = oneCount;
      const value = current[at] ?? 0;
      if (((value >>> shift) & 1) === 1) {
        const word = plane * words + (at >>> 5);
        bits[word] = (bits[word] ?? 0) | (1 << (at & 31));
        ones[oneCount++] = value;
      } else next[zeroCount++] = value;
    }
    if ((current.length & 127) === 0) ranks[plane * blocks + (current.length >>> 7)] = oneCount;
    next.set(ones.subarray(0, oneCount), zeroCount);
    zeros[plane] = zeroCount;
    [current, next] = [next, current];
  }
  return { bits, ranks, zeros };
}

/** Stretches of a sequence: start and end (exclusive) of each, in turn. */
export type Stretches = Uint32Array;

export class Wavelet {
  readonly #bits: Uint32Array;
  readonly #ranks: Uint32Array;
  readonly #zeros: Uint32Array;
  readonly #blocks: number;

  constructor({ bits, ranks, zeros }: WaveletColumns) {
    this.#bits = bits;
    this.#ranks = ranks;
    this.#zeros = zeros;
    this.#blocks = ranks.length / zeros.length;
  }

  /** The number with exactly `rank` others before it when the stretches are put in order; 0 is the lowest. */
  lowest(stretches: Stretches, rank: number): number {
    const ends = stretches.slice();
    const moved = new Uint32Array(ends.length);
    let wanted = rank;
    let value = 0;
    for (let plane = 0; plane < this.#zeros.length; plane++) {
      const zeros = this.#onesBefore(plane, ends, moved);
      if (wanted < zeros) {
        for (let at = 0; at < ends.length; at++) ends[at] = (ends[at] ?? 0) - (moved[at] ?? 0);
        value *= 2;
      } else {
        wanted -= zeros;
        const offset = this.#zeros[plane] ?? 0;
        for (let at = 0; at < ends.length; at++) ends[at] = offset + (moved[at] ?? 0);
        value = 2 * value + 1;
      }
    }
    return value;
  }

  /** How many numbers of the stretches are lower than `bound`. */
  countBelow(stretches: Stretches, bound: number): number {
    const planes = this.#zeros.length;
    if (bound >= 2 ** planes) {
      let all = 0;
      for (let at = 0; at < stretches.length; at += 2) all += (stretches[at + 1] ?? 0) - (stretches[at] ?? 0);
      return all;
    }
    const ends = stretches.slice();
    const moved = new Uint32Array(ends.length);
    let count = 0;
    for (let plane = 0; plane < planes; plane++) {
      const zeros = this.#onesBefore(plane, ends, moved);
      if (((bound >>> (planes - 1 - plane)) & 1) === 1) {
        count += zeros;
        const offset = this.#zeros[plane] ?? 0;
        for (let at = 0; at < ends.length; at++) ends[at] = offset + (moved[at] ?? 0);
      } else {
        for (let at = 0; at < ends.length; at++) ends[at] = (ends[at] ?? 0) - (moved[at] ?? 0);
      }
    }
    return count;
  }

  /** Fills `moved` with the ones before each end, and returns how many zeros the stretches hold. */
  #onesBefore(plane: number, ends: Stretches, moved: Uint32Array): number {
    const bits = this.#bits;
    const firstBlock = plane * this.#blocks;
    let zeros = 0;
    for (let at = 0; at < ends.length; at++) {
      const position = ends[at] ?? 0;
      const block = firstBlock + (position >>> 7);
      let ones = this.#ranks[block] ?? 0;
      const last = firstBlock * wordsPerBlock + (position >>> 5);
      for (let word = block * wordsPerBlock; word < last; word++) ones += popcount(bits[word] ?? 0);
      const rest = position & 31;
      if (rest !== 0) ones += popcount((bits[last] ?? 0) & ((1 << rest) - 1));
      moved[at] = ones;
      zeros += (at & 1) === 0 ? ones - position : position - ones;
    }
    return zeros;
  }
}
