// Lines of a list that have no commas: where street, locality and town begin, learnt from the lines around. What is not
// sure is left together, so that it must be typed in full.

import { type Token, tokenise } from './tokens.ts';
import { isPlace, isThing, unitWordKind } from './unit-words.ts';
import {
  isDirection,
  isHouseEnd,
  isHouseName,
  isStreetEnd,
  isStreetName,
  isStreetWord,
  isTypeWord,
  qualifiesName,
} from './words.ts';

/**
 * What lines are known to end with: a place (`NEWPORT`, `MAINDEE NEWPORT`), or a street with its place, which has numbers
 * in other lines (`MERE ROAD NEWPORT`).
 */
export type Endings = ReadonlyMap<string, 'place' | 'street'>;

const longestEnding = 6;
/** Streets that must share an ending which might be a building: Bishops Castle is a town, Rose Castle may be a house. */
const streetsForDoubtful = 3;

/** Of all lines around; what so many end with is their town. */
const townShare = 0.5;

export const textOf = (tokens: readonly Token[]) => tokens.map(({ text }) => text).join(' ');

/** West Linton may be a village, or Linton the village after Mill Road West. */
type Directions = 'with the street' | 'with the place';

/** No name begins with the kind of a street or house, but for St Albans, Church Street and the like. */
function mayBegin(list: readonly Token[], at: number, directions: Directions = 'with the street'): boolean {
  const text = list[at]?.text ?? '';
  const next = list[at + 1]?.text;
  if (!isTypeWord(text)) return true;
  if (next === undefined) return false;
  if (isDirection(text)) return directions === 'with the place' && !isTypeWord(next);
  return text === 'ST' || (isStreetEnd(next) && !isStreetEnd(text));
}

/** Where a street ends and something that is no part of its name follows, up to the end; −1 where that is not sure. */
function afterStreet(list: readonly Token[], directions: Directions = 'with the street'): number {
  const last = list.findLastIndex(({ text }, at) => at > 0 && isStreetEnd(text));
  const before = list[last - 1];
  if (before === undefined || before.isNumber || last + 1 === list.length) return -1;
  if (!mayBegin(list, last + 1, directions)) return -1;
  return list.slice(last + 1).some(({ isNumber }) => isNumber) ? -1 : last + 1;
}

/** A name that might be a building or a part of one. */
export function isDoubtful(name: readonly string[]): boolean {
  return isHouseName(name) || isThing(name) || isPlace(name.at(-1) ?? '');
}

/** What stands before an ending in the lines that have it. */
type Before = {
  lines: number;
  isNumbered: boolean;
  readonly words: Set<string>;
  readonly kinds: Set<string>;
  readonly streets: Set<string>;
};

function noteEndings(list: readonly Token[], seen: Map<string, Before>): void {
  const street = afterStreet(list);
  const lastNumber = list.findLastIndex(({ isNumber, text }) => isNumber || /^[A-NP-XZ]$/.test(text));
  for (let at = Math.max(1, lastNumber + 1, list.length - longestEnding); at < list.length; at += 1) {
    if (!mayBegin(list, at, 'with the place')) continue;
    const ending = textOf(list.slice(at));
    const before = seen.get(ending) ?? {
      lines: 0,
      isNumbered: false,
      words: new Set(),
      kinds: new Set(),
      streets: new Set(),
    };
    seen.set(ending, before);
    const word = list[at - 1]?.text ?? '';
    before.lines += 1;
    if (at === lastNumber + 1) before.isNumbered = true;
    else if (isTypeWord(word)) before.kinds.add(word);
    before.words.add(word);
    if (at === street) before.streets.add(textOf(list.slice(at - 2, at)));
  }
}

/** From lines of one neighbourhood. */
export function learnEndings(lines: Iterable<string>): Endings {
  const seen = new Map<string, Before>();
  let read = 0;
  for (const line of lines) {
    const { list } = tokenise(line, undefined);
    if (list.length === 0 || list.at(-1)?.segment !== list[0]?.segment) continue;
    noteEndings(list, seen);
    read += 1;
  }
  const endings = new Map<string, 'place' | 'street'>();
  for (const [ending, { lines: count, isNumbered, words, kinds, streets }] of seen) {
    const least = isDoubtful(ending.split(' ')) ? streetsForDoubtful : 1;
    const [first = '', ...others] = ending.split(' ');
    // Where Linton stands without West in other lines, it is West of the street.
    const isOfStreet = isDirection(first) && seen.get(others.join(' '))?.words.size !== 1;
    if (isOfStreet) continue;
    if (isNumbered) endings.set(ending, 'street');
    else if (isTypeWord(first) && first !== 'ST') {
      if (kinds.size > 1) endings.set(ending, 'street');
    } else if (
      kinds.size > 1 ||
      streets.size >= least ||
      (words.size > 1 && count >= townShare * read && count > 3)
    ) {
      endings.set(ending, 'place');
    }
  }
  return endings;
}

const isNamed = (list: readonly Token[]) =>
  !list.some(({ isNumber, text }) => isNumber || unitWordKind(text) !== undefined);

/** Lines that must share an ending for it to tell by itself. */
const leastSharing = 3;

/**
 * What all lines of a postcode end with after a kind of street is their place, where nothing else is known: Market Hill,
 * Barton. And what a line is as a whole, the name of a house and its place, is so in others: The Granary, Rookery Farm.
 */
export function endingsOfAll(lines: readonly string[], known: Endings): Endings {
  const lists = lines.map((line) => tokenise(line, undefined).list);
  const found = new Map<string, 'place' | 'street'>();
  for (const list of lists) {
    const [first = []] = Map.groupBy(cutLine(list, known), ({ segment }) => segment).values();
    const isWhole = first.length > 1 && first.length < list.length && isNamed(list);
    if (isWhole && isHouseName(first.map(({ text }) => text))) found.set(textOf(list), 'street');
  }
  const [shortest = []] = lists.toSorted((a, b) => a.length - b.length);
  let shared = 0;
  const isShared = (back: number) =>
    lists.every((list) => list.at(-back)?.text === shortest.at(-back)?.text && !list.at(-back)?.isNumber);
  while (shared < shortest.length && isShared(shared + 1)) shared += 1;
  const end = shortest.slice(shortest.length - shared);
  const kind = end.findLastIndex(({ text }, at) => at > 0 && isStreetWord(text));
  const place = end.slice(kind + 1).map(({ text }) => text);
  const isKnown = place.some((_, at) => known.has(place.slice(at).join(' ')));
  const isOther = place.some((word) => isTypeWord(word) || isThing([word]) || isPlace(word));
  if (lists.length >= leastSharing && kind > 0 && place.length > 0 && !isKnown && !isOther)
    found.set(place.join(' '), 'place');
  return found;
}

/** A known ending begins there: a place after any name, a street after the kind of a house. */
function isCut(list: readonly Token[], at: number, endings: Endings): boolean {
  const before = list[at - 1];
  if (before === undefined || before.isNumber || before.text.length === 1 || before.text === 'THE')
    return false;
  if (unitWordKind(before.text) !== undefined) return false;
  const kind = endings.get(textOf(list.slice(at)));
  if (kind !== 'street' || isTypeWord(before.text)) return kind !== undefined;
  // A line without numbers begins with the name of a house: "Windrush Church Street".
  return isNamed(list) && !qualifiesName(before.text);
}

/** "Heron Court | Mere Road": where the name of a house of two words ends before a street that begins by `last`. */
function afterHouse(list: readonly Token[], last: number): number {
  for (let at = last; at > 1; at -= 1) {
    const [word, first] = [list[at - 1], list[at - 2]];
    if (word === undefined || word.isNumber || first === undefined || first.isNumber) return -1;
    const isHouse = isHouseEnd(word.text) && first.text.length > 1 && unitWordKind(first.text) === undefined;
    if (isHouse && mayBegin(list, at)) return at;
  }
  return -1;
}

/** Gives street, locality and town parts of their own in a line without commas, as far as they are known. */
export function cutLine(list: readonly Token[], endings: Endings): readonly Token[] {
  const first = list[0]?.segment ?? 0;
  if (list.length === 0 || list.at(-1)?.segment !== first) return list;
  // One house of a name is not on two streets, as Low Street and Low Street North, so either will do.
  const street = afterStreet(list, isNamed(list) ? 'with the place' : 'with the street');
  const isSure = street !== -1 && !isDoubtful(list.slice(street).map(({ text }) => text));
  const least = Math.max(1, list.length - longestEnding, list.findLastIndex(({ isNumber }) => isNumber) + 1);
  const place = list.findIndex((_, at) => at >= least && isCut(list, at, endings));
  const isOfStreet = place > 2 && isStreetName(list.slice(place - 2, place).map(({ text }) => text));
  const end = street === -1 && isOfStreet ? place : street;
  const house = end === -1 ? -1 : afterHouse(list, end - 2);
  let segment = first;
  return list.map((token, at) => {
    if ((isSure && at === street) || at === house || (at >= least && isCut(list, at, endings))) segment += 1;
    return segment === first ? token : { ...token, segment };
  });
}
