// Whether two addresses of one postcode are the same home. Every rule that lets a difference pass must be safe on
// its own, because the home that was meant may be missing from the list.

import type { Address } from './address.ts';
import { Alignment, chunksOf, core, free, initials, tail } from './names.ts';
import {
  type Allowance,
  compareIdentity,
  costs,
  type Difference,
  type Identity,
  type Reading,
  readingsOf,
} from './readings.ts';
import {
  isAncillary,
  isDirection,
  isHouseName,
  isNowhere,
  isOnlyStreet,
  isRowOfHouses,
  isSingleHouse,
  isStreetName,
  isTypeWord,
} from './words.ts';

export type Comparison =
  | {
      readonly kind: 'same';
      readonly score: number;
      readonly allowances: readonly Allowance[];
      /** Runs of the input's words that this candidate does not have. */
      readonly unexplained: readonly (readonly string[])[];
      /** The input's word that was taken for a slip. */
      readonly slip: string | undefined;
    }
  | { readonly kind: 'different'; readonly difference: Difference };
const different = (difference: Difference): Comparison => ({ kind: 'different', difference });
/** All names, once identity is settled. */
function compareNames(
  input: Address,
  candidate: Address,
  readings: readonly [Reading, Reading],
  identity: Identity,
): Comparison {
  const [mine, theirs] = readings;
  const alignment = new Alignment(input, candidate);
  const allowances = [...identity.allowances];
  const isInUnit = mine.unit?.isTyped === true || theirs.unit?.isTyped === true;
  for (const [a, b] of identity.pairs) {
    if (alignment.placeNumbered(a, b, isInUnit ? 'loose' : 'strict')) continue;
    const isBothTyped = mine.unit?.isTyped === true && theirs.unit?.isTyped === true;
    const [index = -1] = chunksOf(b, 'loose');
    if (!isBothTyped || identity.pairs.length > 1 || !alignment.placeAnywhere(index, core)) {
      return different('another street or building');
    }
    allowances.push('number beside another name');
  }
  const numbered = new Set(alignment.placed.flatMap((at, index) => (at === undefined ? [] : [index])));
  if (!placeUntypedUnit(alignment, mine, theirs)) return different('another unit');
  placeRest(alignment);
  if (identity.pairs.length === 0) {
    const fault = lacksName(alignment, mine, theirs, identity);
    if (fault !== undefined) return different(fault);
  }
  return weighLeftovers(alignment, numbered, { ...identity, hasTypedUnit: isInUnit }, allowances);
}

/** "41 Valerie Court" is Flat 41 only of that building, so the name must be the same on both sides. */
function placeUntypedUnit(alignment: Alignment, mine: Reading, theirs: Reading): boolean {
  const { input, candidate } = alignment;
  const a = mine.unit;
  const b = theirs.unit;
  if (a?.item !== undefined && mine.numbers.length === 0) {
    const { item } = a;
    const street = theirs.numbers.find(({ grip }) => grip === 'after')?.after;
    const possible = b?.item === undefined ? candidate.chunks.keys() : chunksOf(b.item, 'strict');
    return [...possible].some((index) => {
      const name = candidate.chunks[index]?.words ?? [];
      if (index === street || isUnitless(name)) return false;
      const [before, after] = [input.chunks[item.before], input.chunks[item.after]];
      if (item.grip !== 'before' && after !== undefined && alignment.placeAt(index, after.from, core))
        return true;
      return item.grip !== 'after' && alignment.placeBefore(index, before, core);
    });
  }
  if (b?.item !== undefined && theirs.numbers.length === 0) {
    return chunksOf(b.item, 'strict').some((index) => {
      const name = candidate.chunks[index]?.words ?? [];
      return isBlockName(name) && alignment.placeAnywhere(index, core);
    });
  }
  return true;
}

/** A street is not a building with flats. */
function isUnitless(name: readonly string[]): boolean {
  const last = name.findLast((word) => !isDirection(word));
  return last === undefined || (name.length > 1 && isOnlyStreet(last));
}

/**
 * Where the list has "3 Windmill Terrace" or "3 Rose Cottages", Flat 3 is another home; where it has "3 Heron Court",
 * the same.
 */
const isBlockName = (name: readonly string[]) =>
  !isRowOfHouses(name) && (isHouseName(name) || (name.length > 0 && !isStreetName(name)));

function placeRest(alignment: Alignment): void {
  const { chunks } = alignment.candidate;
  for (const [index, { words }] of chunks.entries()) {
    if (alignment.placed[index] !== undefined) continue;
    const isName = index === 0 || isHouseName(words) || isStreetName(words);
    alignment.placeAnywhere(index, isName ? core : tail);
  }
}

/** Without a number on both sides, the name of the house or building must be on both. */
function lacksName(
  alignment: Alignment,
  mine: Reading,
  theirs: Reading,
  { lone }: Identity,
): Difference | undefined {
  const { input, candidate, placed } = alignment;
  const name = placed[0];
  if (name === undefined || isCompound(alignment, name[0])) return 'another street or building';
  if (lone === 'none') return undefined;
  const [item] = lone === 'input' ? mine.numbers : theirs.numbers;
  if (item === undefined) return undefined;
  // A number written with the building's own name is a flat in it.
  if (lone === 'candidate') {
    const isOfStreet = item.grip === 'after' ? item.after > 0 : mine.unit !== undefined && item.after > 0;
    return isOfStreet ? undefined : 'number on one side only';
  }
  const beside = item.grip === 'before' ? input.chunks[item.before] : input.chunks[item.after];
  const isOfBuilding = beside === undefined || (name[0] >= beside.from && name[0] < beside.to);
  if (isOfBuilding || (item.grip === 'none' && mine.unit === undefined)) return 'number on one side only';
  return isStreetName(beside.words) || candidate.chunks.length > 1 ? undefined : 'number on one side only';
}

/** "Home Farm Barn" is not The Barn of Home Farm: another name, without a comma, stands right before this one. */
function isCompound({ input, candidate, placed }: Alignment, start: number): boolean {
  const isInside = input.chunks.some(({ from, to }) => from < start && start < to);
  const before = isInside ? placed.findIndex((run) => run?.[1] === start) : -1;
  return before > 0 && !isStreetName(candidate.chunks[before]?.words ?? []);
}

type Leftover = {
  readonly start: number;
  readonly words: readonly string[];
  readonly follows: 'core' | 'tail' | 'nothing';
  readonly leads: boolean;
};

function leftoversOf({ input, taken }: Alignment): readonly Leftover[] {
  const found: Leftover[] = [];
  for (const { from, to } of input.chunks) {
    for (let at = from; at < to; at += 1) {
      if (taken[at] !== free) continue;
      const start = at;
      while (at < to && taken[at] === free) at += 1;
      const before = start > from ? taken[start - 1] : free;
      found.push({
        start,
        words: input.words.slice(start, at),
        follows: before === core ? 'core' : before === tail ? 'tail' : 'nothing',
        leads: at < to && taken[at] === core,
      });
    }
  }
  return found;
}

/** "Bolton, Bolton": a part of the candidate, said once more. */
const isRepeated = ({ words, follows, leads }: Leftover, { chunks }: Address) =>
  follows === 'nothing' && !leads && chunks.some((chunk) => chunk.words.join(' ') === words.join(' '));

/** What one side says and the other does not: a town, the name of a numbered house, or another home. */
function weighLeftovers(
  alignment: Alignment,
  numbered: ReadonlySet<number>,
  { pairs, hasTypedUnit }: Identity & { readonly hasTypedUnit: boolean },
  allowances: Allowance[],
): Comparison {
  const { candidate, placed } = alignment;
  const street = Math.max(-1, ...numbered);
  const unsaid = candidate.chunks.flatMap(({ words }, index) =>
    placed[index] === undefined ? [{ words, isFront: index < street || index === 0 }] : [],
  );
  const leftovers = leftoversOf(alignment).filter((leftover) => !isRepeated(leftover, candidate));
  const firstCore = alignment.taken.indexOf(core);
  const extra = leftovers
    .filter(({ words }) => !isNowhere(words))
    .map((leftover) => ({ ...leftover, isFront: leftover.start < firstCore }));
  for (const { start, words, follows, leads } of leftovers) {
    const [next = ''] = words;
    const isWhole =
      isTypeWord(alignment.input.words[start - 1] ?? '') && !isTypeWord(next) && !(next in initials);
    if (leads || (follows === 'core' && !isWhole && !isNowhere(words)))
      return different('another street or building');
  }
  const isBuilding = ({ words, isFront }: { words: readonly string[]; isFront: boolean }) =>
    isFront || isHouseName(words);
  const myBuildings = extra.filter(isBuilding);
  const theirBuildings = unsaid.filter(isBuilding);
  if (myBuildings.length > 0 || theirBuildings.length > 0) {
    if (pairs.length === 0) return different('words that are not in the address');
    if (myBuildings.length > 0 && theirBuildings.length > 0) return different('another street or building');
    const buildings = [...myBuildings, ...theirBuildings];
    if (buildings.some(({ words }) => isAncillary(words))) return different('unit on one side only');
    // "White Cottages, 2, Stonegate" may be 2 White Cottages.
    const isUnclear = pairs.some(([a, b]) => (myBuildings.length > 0 ? a : b).grip === 'none');
    if (isUnclear && !hasTypedUnit && !buildings.every(({ words }) => isSingleHouse(words))) {
      return different('number on one side only');
    }
    allowances.push('building name on one side only');
  }
  const isStreet = ({ words }: { words: readonly string[] }) => isStreetName(words);
  if (extra.some(isStreet) && unsaid.some(isStreet)) return different('another street or building');
  if (alignment.slip !== undefined) allowances.push('one slip');
  if (extra.length > myBuildings.length) allowances.push('town or locality differs');
  const score = allowances.reduce((sum, allowance) => sum - costs[allowance], 1);
  return {
    kind: 'same',
    score: Math.round(score * 100) / 100,
    allowances,
    unexplained: extra.map(({ words }) => words),
    slip: alignment.slip,
  };
}

/** The same text but for commas, where one side has none. */
function isSameText(input: Address, candidate: Address): boolean {
  if (input.plain !== candidate.plain) return false;
  if (input.segments === 1 || candidate.segments === 1) return true;
  return input.tokens.every(({ segment }, at) => segment === candidate.tokens[at]?.segment);
}

const nearness: readonly Difference[] = [
  'another postcode',
  'another street or building',
  'words that are not in the address',
  'another number',
  'number on one side only',
  'another block',
  'unit on one side only',
  'another unit',
];

/** Without commas, the same text as far as it goes: only towns and streets of the candidate are left out. */
function isSameBeginning(input: Address, candidate: Address): boolean {
  if (input.segments > 1 || input.chunks.length === 0) return false;
  if (!candidate.plain.startsWith(`${input.plain} `)) return false;
  const rest = candidate.plain.slice(input.plain.length + 1);
  let left = '';
  for (const { words } of candidate.chunks.toReversed()) {
    if (isHouseName(words)) return false;
    left = left === '' ? words.join(' ') : `${words.join(' ')} ${left}`;
    if (left.length >= rest.length) return left === rest;
  }
  return false;
}

/** `readings` are those of the input. */
export function compareAddresses(
  input: Address,
  candidate: Address,
  readings: readonly Reading[] = readingsOf(input),
): Comparison {
  if (isSameText(input, candidate) || isSameBeginning(input, candidate)) {
    return { kind: 'same', score: 1, allowances: [], unexplained: [], slip: undefined };
  }
  if (input.blocks !== candidate.blocks) return different('another block');
  let best: Comparison | undefined;
  const theirReadings = readingsOf(candidate);
  for (const mine of readings) {
    for (const theirs of theirReadings) {
      const identity = compareIdentity(mine, theirs);
      const result =
        typeof identity === 'string'
          ? different(identity)
          : compareNames(input, candidate, [mine, theirs], identity);
      if (best === undefined || isCloser(result, best)) best = result;
    }
  }
  return best ?? different('another street or building');
}

export const nearerOf = (a: Difference, b: Difference): Difference =>
  nearness.indexOf(a) >= nearness.indexOf(b) ? a : b;

function isCloser(a: Comparison, b: Comparison): boolean {
  if (a.kind === 'same') return b.kind === 'different' || a.score > b.score;
  return (
    b.kind === 'different' &&
    b.difference !== a.difference &&
    nearerOf(a.difference, b.difference) === a.difference
  );
}
