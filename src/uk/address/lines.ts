// Lines of a list that have no commas: where street, locality and town begin, learnt from the lines around. What is not
// sure is left together, so that it must be typed in full.

import { type Token, tokenise } from './tokens.ts';
import { isPlace, isThing, unitWordKind } from './unit-words.ts';
import { isDirection, isHouseEnd, isHouseName, isStreetEnd, isTypeWord } from './words.ts';

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

/** No name begins with the kind of a street or house, but for St Albans, Church Street and the like. */
function mayBegin(list: readonly Token[], at: number): boolean {
  const text = list[at]?.text ?? '';
  const next = list[at + 1]?.text;
  if (!isTypeWord(text)) return true;
  if (next === undefined || isDirection(text)) return false;
  return text === 'ST' || (isStreetEnd(next) && !isStreetEnd(text));
}

/** Where a street ends and something that is no part of its name follows, up to the end; −1 where that is not sure. */
function afterStreet(list: readonly Token[]): number {
  const last = list.findLastIndex(({ text }, at) => at > 0 && isStreetEnd(text));
  const before = list[last - 1];
  if (before === undefined || before.isNumber || last + 1 === list.length || !mayBegin(list, last + 1))
    return -1;
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
  const lastNumber = list.findLastIndex(({ isNumber, text }) => isNumber || text.length === 1);
  for (let at = Math.max(1, lastNumber + 1, list.length - longestEnding); at < list.length; at += 1) {
    if (!mayBegin(list, at)) continue;
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
    if (isNumbered) endings.set(ending, 'street');
    else if (isTypeWord(ending.split(' ', 1)[0] ?? '') && !ending.startsWith('ST ')) {
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

/** A known ending begins there: a place after any name, a street after the kind of a house. */
function isCut(list: readonly Token[], at: number, endings: Endings): boolean {
  const before = list[at - 1];
  if (before === undefined || before.isNumber || before.text.length === 1 || before.text === 'THE')
    return false;
  if (unitWordKind(before.text) !== undefined) return false;
  const kind = endings.get(textOf(list.slice(at)));
  return kind === 'place' || (kind === 'street' && isTypeWord(before.text));
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
  const street = afterStreet(list);
  const isSure = street !== -1 && !isDoubtful(list.slice(street).map(({ text }) => text));
  const least = Math.max(1, list.length - longestEnding, list.findLastIndex(({ isNumber }) => isNumber) + 1);
  const house = street === -1 ? -1 : afterHouse(list, street - 2);
  let segment = first;
  return list.map((token, at) => {
    if ((isSure && at === street) || at === house || (at >= least && isCut(list, at, endings))) segment += 1;
    return segment === first ? token : { ...token, segment };
  });
}
