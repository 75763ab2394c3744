// Rows of bits: counting those that are set, 32 at a time.

export const bitWords = (length: number): number => (length + 31) >>> 5;

export function popcount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

export const hasBit = (bits: Uint32Array, at: number): boolean =>
  (((bits[at >>> 5] ?? 0) >>> (at & 31)) & 1) === 1;

export function setBit(bits: Uint32Array, at: number): void {
  bits[at >>> 5] = (bits[at >>> 5] ?? 0) | (1 << (at & 31));
}

export function clearBit(bits: Uint32Array, at: number): void {
  bits[at >>> 5] = (bits[at >>> 5] ?? 0) & ~(1 << (at & 31));
}

/** Of word `word`, the bits that stand from `from` to before `to` in the whole row. */
export function maskWithin(word: number, from: number, to: number): number {
  const start = from - word * 32;
  const end = to - word * 32;
  const above = start <= 0 ? -1 : start >= 32 ? 0 : -1 << start;
  const below = end >= 32 ? -1 : end <= 0 ? 0 : ~(-1 << end);
  return above & below;
}

/** Distinct numbers below `limit` in rising order; from a few thousand on, much faster than comparing them. Of these,
 *  `count` after the first `offset`. */
export function sortByBits(
  numbers: Uint32Array,
  limit: number,
  offset: number = 0,
  count: number = numbers.length - offset,
): Uint32Array {
  const bits = new Uint32Array(bitWords(limit));
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at] ?? 0;
    bits[number >>> 5] = (bits[number >>> 5] ?? 0) | (1 << (number & 31));
  }
  const sorted = new Uint32Array(count);
  let passed = 0;
  let found = 0;
  for (let word = 0; found < count; word++) {
    let rest = bits[word] ?? 0;
    if (rest === 0) continue;
    const own = passed < offset ? popcount(rest) : 0;
    if (passed + own <= offset && passed < offset) {
      passed += own;
      continue;
    }
    for (; rest !== 0 && found < count; rest &= rest - 1) {
      if (passed < offset) passed += 1;
      else sorted[found++] = 32 * word + 31 - Math.clz32(rest & -rest);
    }
  }
  return sorted;
}
