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
  isNumberedStreet,
  isPosition,
  isRow,
  isSingleHouse,
  isStreetEnd,
  isStreetName,
  isTypeWord,
  mayTell,
  qualifiesName,
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
    return different('another street or building');
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
  // "Crescent Flat 3, Heron Court"
  const first = candidate.chunks[0]?.isOfUnit && placed.length > 1 ? 1 : 0;
  const name = placed[first];
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
    const isAfterStreet = item.before > first && isStreetName(candidate.chunks[item.before]?.words ?? []);
    const isApart = item.grip === 'before' ? isAfterStreet : mine.unit !== undefined;
    const isOfStreet = item.after > first && (item.grip === 'after' || isApart);
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
  readonly leads: 'core' | 'tail' | 'nothing';
  readonly isBound: boolean;
};

function leftoversOf({ input, taken }: Alignment): readonly Leftover[] {
  const found: Leftover[] = [];
  for (const { from, to, isBound } of input.chunks) {
    for (let at = from; at < to; at += 1) {
      if (taken[at] !== free) continue;
      const start = at;
      while (at < to && taken[at] === free) at += 1;
      const nameAt = (word: number) =>
        taken[word] === core ? 'core' : taken[word] === tail ? 'tail' : 'nothing';
      found.push({
        start,
        words: input.words.slice(start, at),
        follows: start > from ? nameAt(start - 1) : 'nothing',
        leads: at < to ? nameAt(at) : 'nothing',
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
    leads !== 'core' &&
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
  { input, candidate, placed }: Alignment,
  lastNumbered: number,
  unsaid: readonly Unsaid[],
  extra: readonly Extra[],
): boolean {
  const wordsAt = (index: number) => candidate.chunks[index]?.words ?? [];
  const isOnStreet = isNumberedStreet(wordsAt(lastNumbered), candidate.hasCommas ? 'with' : 'without');
  const numbered = Math.max(0, lastNumbered);
  const isTown = (index: number) =>
    (isOnStreet || index === candidate.chunks.length - 1) && !hasStreet(wordsAt(index));
  // "Ford Road East Cowick" is not Ford Road East, East Cowick: one word is not said for two.
  const ends = [
    ...extra.map(({ start, words }) => start + words.length),
    ...input.chunks.map(({ to }) => to),
  ];
  const isHalf = unsaid.some(
    ({ words }) =>
      words.length > 1 &&
      ends.some(
        (end) => input.words.slice(Math.max(0, end - words.length), end).join(' ') === words.join(' '),
      ),
  );
  const left = unsaid.filter(({ index }) => index > numbered);
  const more = extra.filter(({ start }) => start > (placed[numbered]?.[0] ?? -1));
  const isOther = more.some(({ words }) => hasStreet(words));
  if (isHalf || (more.length > 0 && left.some(({ index }) => isOther || !isTown(index)))) return true;
  return placed.some(
    (run, index) =>
      run !== undefined &&
      index > numbered &&
      !isTown(index) &&
      (left.some((chunk) => chunk.index < index && mayTell(chunk.words, wordsAt(index))) ||
        more.some(({ start }) => start < run[0])),
  );
}

/** Of a house known by its name alone, what follows the name is the street, or with it the line's end that is not cut off. */
const isNamesake = (
  { candidate, placed: [name, street] }: Alignment,
  unsaid: readonly Unsaid[],
  extra: readonly Extra[],
): boolean =>
  candidate.chunks.length > 1 &&
  extra.some(({ start, words }) =>
    street === undefined
      ? !unsaid.some((other) => ` ${other.words.join(' ')}`.endsWith(` ${words.join(' ')}`))
      : name && start > name[0] && start < street[0],
  );

const hasStreet = (words: readonly string[]) =>
  isStreetName(words) || words.some((word, at) => (at > 0 || words.length === 1) && isStreetEnd(word));

/** The name of a building that one side lacks is that of the house with the number, where nothing else may be meant. */
function lacksBuilding(
  { candidate, placed }: Alignment,
  lastNumbered: number,
  { pairs, hasTypedUnit }: Pick<Identity, 'pairs'> & { readonly hasTypedUnit: boolean },
  { mine, theirs }: { readonly mine: readonly Extra[]; readonly theirs: readonly Unsaid[] },
  extra: readonly Extra[],
): Difference | undefined {
  if (pairs.length === 0) return 'words that are not in the address';
  if (mine.length > 0 && theirs.length > 0) return 'another street or building';
  // "Hayloft, Mill House, 7 High Street" is another home than Mill House.
  const isNamed = candidate.chunks.some(
    ({ words }, index) =>
      placed[index] !== undefined && index !== lastNumbered && (index < lastNumbered || isHouseName(words)),
  );
  // "8 The Lodge, High Street" has its name.
  const isNumbered = candidate.chunks.some(({ words }, index) =>
    index === lastNumbered ? isHouseName(words) : index > lastNumbered && hasStreet(words),
  );
  const isApart = mine.some(({ start, words }) => start + words.length !== placed[lastNumbered]?.[0]);
  const hasMore = theirs.length > 0 && theirs.length + extra.length > 1;
  if (isNamed || isNumbered || isApart || hasMore) return 'words that are not in the address';
  const buildings = [...mine, ...theirs];
  if (buildings.some(({ words }) => isAncillary(words) || isThing(words))) return 'unit on one side only';
  // "White Cottages, 2, Stonegate" may be 2 White Cottages.
  const isUnclear = pairs.some(([a, b]) => {
    const { grip, isBetween } = mine.length > 0 ? a : b;
    return grip === 'none' || isBetween;
  });
  const isSingle = buildings.every(({ words }) => isSingleHouse(words));
  return isUnclear && !hasTypedUnit && !isSingle ? 'number on one side only' : undefined;
}

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
    // A street without a kind may be a tail: Rosebush, and Rosebush East.
    const isOfStreet = follows === 'core' || (follows === 'tail' && isTypeWord(next));
    // "Old Quayside" before a town is not Quayside.
    const isOfPlace =
      leads === 'tail' && words.every(qualifiesName) && start + words.length !== placed.at(-1)?.[0];
    if (leads === 'core' || isOfPlace || (isOfStreet && !isWhole && !isNowhere(words)))
      return different('another street or building');
  }
  if ([...extra, ...unsaid].some(({ words }) => isOnlyThing(words)) || hasPosition(alignment, leftovers))
    return different('unit on one side only');
  const isBuilding = ({ words, isFront }: { words: readonly string[]; isFront: boolean }) =>
    isFront || isHouseName(words);
  const buildings = { mine: extra.filter(isBuilding), theirs: unsaid.filter(isBuilding) };
  if (buildings.mine.length + buildings.theirs.length > 0) {
    const fault = lacksBuilding(alignment, lastNumbered, { pairs, hasTypedUnit }, buildings, extra);
    if (fault !== undefined) return different(fault);
    allowances.push('building name on one side only');
  }
  if (
    isElsewhere(alignment, lastNumbered, unsaid, extra) ||
    (pairs.length === 0 && isNamesake(alignment, unsaid, extra))
  )
    return different('another street or building');
  if (alignment.slip !== undefined) allowances.push('one slip');
  if (extra.length > buildings.mine.length) allowances.push('town or locality differs');
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
