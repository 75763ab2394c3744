// Finds the names of one address among the words of another: abbreviated, joined, with one slip, in any order.

import type { Address, Chunk, NumberItem } from './address.ts';
import { isTypeWord } from './words.ts';

export const initials: Readonly<Record<string, string>> = { N: 'NORTH', S: 'SOUTH', E: 'EAST', W: 'WEST' };

export function isSameWord(a: string, b: string): boolean {
  if (a === b) return true;
  if (a === 'ST') return b === 'STREET' || b === 'SAINT';
  if (b === 'ST') return a === 'STREET' || a === 'SAINT';
  return (a.length === 1 && initials[a] === b) || (b.length === 1 && initials[b] === a);
}

/** One letter more, less, other or swapped with its neighbour, in a long word that begins alike. */
function isSlip(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (short[0] !== long[0] || /[^A-Z]/.test(short) || /[^A-Z]/.test(long)) return false;
  if (isTypeWord(a) && isTypeWord(b)) return false;
  if (`${short}S` === long) return short.length >= 4 && !isTypeWord(short) && !isTypeWord(long);
  let at = 0;
  while (at < short.length && short[at] === long[at]) at += 1;
  const isSwapped =
    short[at] === long[at + 1] && short[at + 1] === long[at] && short.slice(at + 2) === long.slice(at + 2);
  // "Clsoe" is no other word, short as it is.
  if (isSwapped && short.length === long.length) return short.length > 4 || isTypeWord(a) || isTypeWord(b);
  if (short.length < 5 || long.length < 6 || long.length - short.length > 1) return false;
  return short.slice(short.length < long.length ? at : at + 1) === long.slice(at + 1);
}

/** Tells no two buildings apart. */
const isSilent = (word: string) => word === 'AND' || word === 'LIMITED';

type Run = { readonly end: number; readonly slip: string | undefined };

/** Where a name ends that begins at `at`; "The" is optional, and words may be written together. */
function matchRun(
  words: readonly string[],
  at: number,
  limit: number,
  name: readonly string[],
  slips: 'one' | 'none',
): Run | undefined {
  let here = at;
  let there = 0;
  let slip: string | undefined;
  if (name[0] === 'THE' && words[here] !== 'THE' && name.length > 1) there = 1;
  else if (words[here] === 'THE' && name[0] !== 'THE') here += 1;
  while (there < name.length) {
    const word = here < limit ? words[here] : undefined;
    const wanted = name[there] ?? '';
    if (word === undefined) return undefined;
    if (isSameWord(word, wanted)) {
      here += 1;
      there += 1;
      continue;
    }
    if (isSilent(word) || isSilent(wanted)) {
      if (isSilent(word)) here += 1;
      else there += 1;
      continue;
    }
    const joined = joinedLengths(words, here, limit, name, there);
    if (joined !== undefined) {
      here += joined[0];
      there += joined[1];
      continue;
    }
    if (slips === 'none' || slip !== undefined || !isSlip(word, wanted)) return undefined;
    slip = word;
    here += 1;
    there += 1;
  }
  return { end: here, slip };
}

/** "Pear Tree" and "Peartree", "Pen y Bryn" and "Penybryn": how many words of each side are the same letters. */
function joinedLengths(
  words: readonly string[],
  here: number,
  limit: number,
  name: readonly string[],
  there: number,
): readonly [number, number] | undefined {
  let left = words[here] ?? '';
  let right = name[there] ?? '';
  let [i, j] = [1, 1];
  while (left !== right) {
    if (left.length < right.length && right.startsWith(left) && here + i < limit && i < 5) {
      left += words[here + i];
      i += 1;
    } else if (right.length < left.length && left.startsWith(right) && there + j < name.length && j < 5) {
      right += name[there + j];
      j += 1;
    } else {
      return undefined;
    }
  }
  return [i, j];
}

export const free = 0;
export const core = 1;
export const tail = 2;

/** Whether a number after a name may belong to the next one: only where the flat is told apart from it. */
type Ties = 'strict' | 'loose';

/** Finds the candidate's names among the input's words. */
export class Alignment {
  readonly input: Address;
  readonly candidate: Address;
  /** Per word of the input: free, or taken by a core or a tail name. */
  readonly taken: Uint8Array;
  readonly placed: (readonly [number, number] | undefined)[];
  slip: string | undefined;

  constructor(input: Address, candidate: Address) {
    this.input = input;
    this.candidate = candidate;
    this.taken = new Uint8Array(input.words.length);
    this.placed = candidate.chunks.map(() => undefined);
  }

  #slipsLeft(mark: number): 'one' | 'none' {
    return this.slip === undefined && mark === core ? 'one' : 'none';
  }

  /** Places a name so that it begins at `at`, within one chunk of the input. */
  placeAt(index: number, at: number, mark: number): boolean {
    const chunk = this.input.chunks.find(({ from, to }) => at >= from && at < to);
    const name = this.candidate.chunks[index];
    if (chunk === undefined || name === undefined || this.placed[index] !== undefined) return false;
    const run = matchRun(this.input.words, at, chunk.to, name.words, this.#slipsLeft(mark));
    if (run === undefined || run.end === at) return false;
    for (let word = at; word < run.end; word += 1) if (this.taken[word] !== free) return false;
    this.taken.fill(mark, at, run.end);
    this.placed[index] = [at, run.end];
    this.slip ??= run.slip;
    return true;
  }

  /** Places a name at the end of a chunk of the input. */
  placeBefore(index: number, chunk: Chunk | undefined, mark: number): boolean {
    if (chunk === undefined) return false;
    for (let at = chunk.from; at < chunk.to; at += 1) {
      const name = this.candidate.chunks[index];
      if (name === undefined) return false;
      const run = matchRun(this.input.words, at, chunk.to, name.words, this.#slipsLeft(core));
      if (run?.end === chunk.to && this.placeAt(index, at, mark)) return true;
    }
    return false;
  }

  placeAnywhere(index: number, mark: number): boolean {
    for (const { from, to } of this.input.chunks) {
      for (let at = from; at < to; at += 1) {
        if (this.taken[at] === free && this.placeAt(index, at, mark)) return true;
      }
    }
    return false;
  }

  /** The name that a number of the candidate belongs to is found beside the same number of the input. */
  placeNumbered(mine: NumberItem, theirs: NumberItem, ties: Ties): boolean {
    const options = chunksOf(theirs, ties);
    for (const index of options) {
      for (const side of chunksOf(mine, ties)) {
        const chunk = this.input.chunks[side];
        if (chunk === undefined) continue;
        const isPlaced =
          side === mine.after ? this.placeAt(index, chunk.from, core) : this.placeBefore(index, chunk, core);
        if (isPlaced) return true;
      }
    }
    return false;
  }
}

/** The names a number may belong to, the likelier first. */
export function chunksOf({ before, after, grip }: NumberItem, ties: Ties): readonly number[] {
  if (grip === 'after') return [after];
  if (grip === 'before') return ties === 'loose' ? [before, after] : [before];
  return [after, before];
}
