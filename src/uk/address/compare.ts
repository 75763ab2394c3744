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
import { sameLine } from './same-line.ts';
import { isOnlyThing, isThing } from './unit-words.ts';
import {
  hasHouseName,
  isAncillary,
  isBlockName,
  isHouseName,
  isNowhere,
  isPosition,
  isRow,
  isSingleHouse,
  isStreetEnd,
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
    // "Flat 32 The Mews" may be the flat at 32 The Mews, never at 32 of another name.
    const isOfUnit = a === input.unitAsNumber || b === candidate.unitAsNumber;
    if (!isBothTyped || isOfUnit || identity.pairs.length > 1 || !alignment.placeAnywhere(index, core)) {
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

/**
 * "41 Valerie Court" is Flat 41 only of that building, so the name that such a number is written with must be on both
 * sides; and where no number of a house stands beside it, be that of a block: "3 High Street" is no flat.
 */
function placeUntypedUnit(alignment: Alignment, mine: Reading, theirs: Reading): boolean {
  const { input, candidate } = alignment;
  const [a, b] = [mine.unit?.item, theirs.unit?.item];
  if (a !== undefined && b !== undefined) {
    if (a.grip === 'none' || b.grip === 'none') return mine.numbers.length === theirs.numbers.length;
    const isBlock = isBlockName(candidate.chunks[chunksOf(b, 'strict')[0] ?? -1]?.words ?? []);
    const isNumbered = mine.numbers.length === theirs.numbers.length;
    return (isBlock || isNumbered) && alignment.placeNumbered(a, b, 'strict');
  }
  if (a !== undefined) {
    if (a.grip === 'none' && mine.numbers.length > 0) {
      // "Zorb, 18A, 49 Mere Road" may be Zorb 18A.
      const chunk = input.chunks[a.before];
      return (
        chunk === undefined || candidate.chunks.some((_, index) => alignment.placeBefore(index, chunk, core))
      );
    }
    return chunksOf(a, 'strict').some((side) => {
      const chunk = input.chunks[side];
      const isBefore = side === a.before;
      if (chunk === undefined) return false;
      return candidate.chunks.some(({ words }, index) => {
        const isNumbered = mine.numbers.length > 0 || theirs.numbers.some(({ after }) => after > index);
        if (isNumbered && !isBefore ? isRow(words) : !isBlockName(words)) return false;
        return isBefore
          ? alignment.placeBefore(index, chunk, core)
          : alignment.placeAt(index, chunk.from, core);
      });
    });
  }
  if (b === undefined || (b.grip === 'none' && theirs.numbers.length > 0)) return true;
  return chunksOf(b, 'strict').some((index) => {
    const words = candidate.chunks[index]?.words ?? [];
    const isNumbered = theirs.numbers.length > 0;
    if (isBlockName(words)) return alignment.placeAnywhere(index, core) || isNumbered;
    return isNumbered && !isRow(words) && alignment.placeAnywhere(index, core);
  });
}

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
  // "Room 23 Bryn Awel", where the other side has a room without a number
  if (item === input.unitAsNumber || item === candidate.unitAsNumber) return 'number on one side only';
  // "Store Room 4": a word of the unit is no name of a building.
  if (candidate.chunks[0]?.isBound && item.value === mine.unit?.id) return 'number on one side only';
  // "The Cottage" may be that of any number.
  const own = candidate.chunks[0]?.words ?? [];
  if (mine.unit === undefined && (isAncillary(own) || isThing(own))) return 'number on one side only';
  // "Quillet 40 Fairview Quarry Lane" may be Quillet 40 of Fairview.
  const isUncut = !(lone === 'input' ? input : candidate).hasCommas;
  if (mine.unit === undefined && isUncut && !isHouseName(own)) return 'number on one side only';
  // A number written with the building's own name is a flat in it.
  if (lone === 'candidate') {
    const isAfterStreet = item.before > 0 && isStreetName(candidate.chunks[item.before]?.words ?? []);
    const isApart = item.grip === 'before' ? isAfterStreet : mine.unit !== undefined;
    const isOfStreet = item.after > 0 && (item.grip === 'after' || isApart);
    const isOfHouse = hasHouseName(candidate.chunks[item.after]?.words ?? []);
    return isOfStreet && !isOfHouse ? undefined : 'number on one side only';
  }
  const beside = item.grip === 'before' ? input.chunks[item.before] : input.chunks[item.after];
  const isOfBuilding = beside === undefined || (name[0] >= beside.from && name[0] < beside.to);
  if (item.grip === 'before' && !isStreetName(beside?.words ?? [])) return 'number on one side only';
  if (isOfBuilding || (item.grip === 'none' && mine.unit === undefined)) return 'number on one side only';
  const numbered = placed.findIndex((run) => run?.[0] === beside.from);
  if (isHouseName(candidate.chunks[numbered]?.words ?? [])) return 'number on one side only';
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
  readonly isBound: boolean;
};

function leftoversOf({ input, taken }: Alignment): readonly Leftover[] {
  const found: Leftover[] = [];
  for (const { from, to, isBound } of input.chunks) {
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
        isBound,
      });
    }
  }
  return found;
}

/** "Bolton, Bolton": a part of the candidate, said once more. */
function isRepeated({ start, words, follows, leads }: Leftover, { input, candidate }: Alignment): boolean {
  const text = words.join(' ');
  const isTwice = input.words.slice(Math.max(0, start - words.length), start).join(' ') === text;
  return (
    (isTwice || follows !== 'core') &&
    !leads &&
    candidate.chunks.some((chunk) => chunk.words.join(' ') === text)
  );
}

/** "12 High Street Back" is not number 12, in either direction. */
function hasPosition({ candidate, placed }: Alignment, leftovers: readonly Leftover[]): boolean {
  return (
    leftovers.some(({ words, follows }) => isPosition(words, follows === 'core' ? 'none' : 'before')) ||
    candidate.chunks.some(
      ({ words }, index) =>
        placed[index] === undefined &&
        isPosition(words, candidate.hasCommas || index === 0 ? 'before' : 'none'),
    )
  );
}

type Unsaid = { readonly words: readonly string[]; readonly index: number };
type Extra = { readonly words: readonly string[]; readonly start: number };

/**
 * "4 Fairview, Bridge Street" is not 4 Fairview, Queens Gate, Bridge Street, nor 4 Fairview in another street. Between the
 * numbered name and a street, both say the same; after a name that is no street, both say the same but for the last, the town.
 */
function isElsewhere(
  { candidate, placed }: Alignment,
  numbered: number,
  unsaid: readonly Unsaid[],
  extra: readonly Extra[],
): boolean {
  const wordsAt = (index: number) => candidate.chunks[index]?.words ?? [];
  const isOnStreet = isStreetName(wordsAt(numbered));
  const isTown = (index: number) =>
    (isOnStreet || index === candidate.chunks.length - 1) && !hasStreet(wordsAt(index));
  const left = unsaid.filter(({ index }) => index > numbered);
  const more = extra.filter(({ start }) => start > (placed[numbered]?.[0] ?? -1));
  const isOther = more.some(({ words }) => hasStreet(words));
  if (more.length > 0 && left.some(({ index }) => isOther || !isTown(index))) return true;
  return placed.some(
    (run, index) =>
      run !== undefined &&
      index > numbered &&
      !isTown(index) &&
      (left.some((chunk) => chunk.index < index) || more.some(({ start }) => start < run[0])),
  );
}

/** The same of a house known by its name alone. What follows the name is the street: another name there is another street. */
function isNamesake(
  { candidate, placed: [name, street] }: Alignment,
  unsaid: readonly Unsaid[],
  extra: readonly Extra[],
): boolean {
  const isAfterName = candidate.chunks.length > 2 && street === undefined;
  const isBetween = extra.some(({ start }) => name && street && start > name[0] && start < street[0]);
  return isBetween || (extra.length > 0 && (isAfterName || unsaid.some(({ words }) => hasStreet(words))));
}

const hasStreet = (words: readonly string[]) =>
  isStreetName(words) || words.some((word, at) => at > 0 && isStreetEnd(word));

/** What one side says and the other does not: a town, the name of a numbered house, or another home. */
function weighLeftovers(
  alignment: Alignment,
  numbered: ReadonlySet<number>,
  { pairs, hasTypedUnit }: Identity & { readonly hasTypedUnit: boolean },
  allowances: Allowance[],
): Comparison {
  const { candidate, placed } = alignment;
  const lastNumbered = Math.max(-1, ...numbered, ...candidate.numbers.map(({ after }) => after));
  const unsaid = candidate.chunks.flatMap(({ words }, index) =>
    placed[index] === undefined ? [{ words, index, isFront: index < lastNumbered || index === 0 }] : [],
  );
  const leftovers = leftoversOf(alignment).filter((leftover) => !isRepeated(leftover, alignment));
  if (
    leftovers.some(({ isBound }) => isBound) ||
    candidate.chunks.some(({ isBound }, at) => isBound && placed[at] === undefined)
  )
    return different('another unit');
  const firstCore = alignment.taken.findIndex(
    (mark, at) => mark === core && !alignment.input.chunks.some(({ to, isBound }) => isBound && at < to),
  );
  const extra = leftovers
    .filter(({ words }) => !isNowhere(words))
    .map((leftover) => ({
      ...leftover,
      isFront: leftover.start < Math.max(firstCore, placed[lastNumbered]?.[0] ?? -1),
    }));
  for (const { start, words, follows, leads } of leftovers) {
    const [next = ''] = words;
    const isWhole =
      isTypeWord(alignment.input.words[start - 1] ?? '') && !isTypeWord(next) && !(next in initials);
    // A street without a kind may be the tail of a house that has no number: Rosebush, and Rosebush East.
    const isOfStreet = follows === 'core' || (follows === 'tail' && pairs.length === 0 && isTypeWord(next));
    if (leads || (isOfStreet && !isWhole && !isNowhere(words)))
      return different('another street or building');
  }
  if ([...extra, ...unsaid].some(({ words }) => isOnlyThing(words)) || hasPosition(alignment, leftovers))
    return different('unit on one side only');
  const isBuilding = ({ words, isFront }: { words: readonly string[]; isFront: boolean }) =>
    isFront || isHouseName(words);
  const myBuildings = extra.filter(isBuilding);
  const theirBuildings = unsaid.filter(isBuilding);
  if (myBuildings.length > 0 || theirBuildings.length > 0) {
    if (pairs.length === 0) return different('words that are not in the address');
    if (myBuildings.length > 0 && theirBuildings.length > 0) return different('another street or building');
    // "Hayloft, Mill House, 7 High Street" is another home than Mill House.
    const isNamed = candidate.chunks.some(
      ({ words }, index) =>
        placed[index] !== undefined && index !== lastNumbered && (index < lastNumbered || isHouseName(words)),
    );
    if (isNamed) return different('words that are not in the address');
    const buildings = [...myBuildings, ...theirBuildings];
    if (buildings.some(({ words }) => isAncillary(words) || isThing(words)))
      return different('unit on one side only');
    // "White Cottages, 2, Stonegate" may be 2 White Cottages.
    const isUnclear = pairs.some(([a, b]) => {
      const { grip, isBetween } = myBuildings.length > 0 ? a : b;
      return grip === 'none' || isBetween;
    });
    if (isUnclear && !hasTypedUnit && !buildings.every(({ words }) => isSingleHouse(words))) {
      return different('number on one side only');
    }
    allowances.push('building name on one side only');
  }
  // With the number beside another name, nothing else may differ.
  if (allowances.includes('number beside another name') && extra.length + theirBuildings.length > 0) {
    return different('another street or building');
  }
  const isOther =
    pairs.length > 0
      ? isElsewhere(alignment, lastNumbered, unsaid, extra)
      : isNamesake(alignment, unsaid, extra);
  if (isOther) return different('another street or building');
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

/** `readings` are those of the input. */
export function compareAddresses(
  input: Address,
  candidate: Address,
  readings: readonly Reading[] = readingsOf(input),
): Comparison {
  const extras = input.plain === candidate.plain ? [] : sameLine(input, candidate);
  if (extras !== undefined) {
    const allowances: readonly Allowance[] = extras.length === 0 ? [] : ['town or locality differs'];
    const score = 1 - allowances.length * costs['town or locality differs'];
    return { kind: 'same', score, allowances, unexplained: extras, slip: undefined };
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
