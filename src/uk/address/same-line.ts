// Whether a text is what a line of the list says, where one of the two has no commas.

import type { Address } from './address.ts';
import { isDoubtful, textOf } from './lines.ts';
import { isSameWord } from './names.ts';
import type { Token } from './tokens.ts';
import { letterAfter } from './unit.ts';
import { isOnlyThing, isPlace, isThing, unitWordKind } from './unit-words.ts';
import {
  isAncillary,
  isHouseName,
  isNowhere,
  isNumberedStreet,
  isPosition,
  isStreetEnd,
  isStreetName,
  isTypeWord,
  mayTell,
  qualifiesName,
} from './words.ts';

const sameUnit = (text: string) => (unitWordKind(text) === 'flat' ? 'FLAT' : text);
/** `ST` is Street or Saint. Initials are not spelled out: Flat E is not the east flat. */
export function isSameToken(a: Token | undefined, b: Token | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  const [one, two] = [sameUnit(a.text), sameUnit(b.text)];
  return one === two || (one.length > 1 && two.length > 1 && isSameWord(one, two));
}

/** "No 12" is 12. */
export const withoutSigns = (tokens: readonly Token[]) =>
  tokens.filter(({ text }, at) => !(/^(?:NO|NUMBER|NUM)$/.test(text) && tokens[at + 1]?.isNumber));

/** Names and nothing else, no flat or floor or number, make up the end of an address. */
function endsInNames({ chunks }: Address, rest: readonly Token[]): boolean {
  const text = textOf(rest);
  let names = '';
  for (const { words } of chunks.toReversed()) {
    if (names.length >= text.length) break;
    names = names === '' ? words.join(' ') : `${words.join(' ')} ${names}`;
  }
  return text === '' || names === text || names.endsWith(` ${text}`);
}

/** The last parts of a line from a token on, where they are names of places only. */
function placesFrom(candidate: Address, start: number): readonly (readonly string[])[] | undefined {
  const { tokens } = candidate;
  const rest = tokens.slice(start);
  const isApart = rest.length === 0 || rest[0]?.segment !== tokens[start - 1]?.segment;
  if (!isApart || !endsInNames(candidate, rest)) return undefined;
  const parts = [...Map.groupBy(rest, ({ segment }) => segment).values()];
  const names = parts.map((part) => part.map(({ text }) => text));
  return names.every((name) => !isHouseName(name) && !isOnlyThing(name)) ? names : undefined;
}

/** How the input goes on after all that numbers and names the home: with known places, and others. */
function readPlaces(
  tokens: readonly Token[],
  start: number,
  known: readonly (readonly string[])[],
): readonly (readonly string[])[] | undefined {
  const extras: string[][] = [];
  const knownAt = (at: number) =>
    known.find((name) => name.every((word, index) => tokens[at + index]?.text === word))?.length ?? 0;
  for (let at = start; at < tokens.length; ) {
    const length = knownAt(at) || (isNowhere([tokens[at]?.text ?? '']) ? 1 : 0);
    if (length > 0) {
      at += length;
      continue;
    }
    const from = at;
    const segment = tokens[from]?.segment;
    while (at < tokens.length && tokens[at]?.segment === segment && knownAt(at) === 0) at += 1;
    const part = tokens.slice(from, at);
    const name = part.map(({ text }) => text);
    const isApart =
      tokens[from - 1]?.segment !== segment || (isStreetEnd(tokens[from - 1]?.text ?? '') && from === start);
    const isPlaceName = !isTypeWord(name[0] ?? '') && !isDoubtful(name) && !isStreetName(name);
    const comma = tokens[from - 1]?.segment === segment ? 'none' : 'before';
    if (isPosition(name, comma)) return undefined;
    if (!isApart || !isPlaceName || part.some(({ isNumber, text }) => isNumber || text.length === 1))
      return undefined;
    extras.push(name);
  }
  return extras;
}

/** "Heron Court, Flat 3, Mere Road" in the order of lists, which have the flat first. */
function unitFirst(tokens: readonly Token[]): readonly Token[] {
  if (tokens.at(-1)?.segment === tokens[0]?.segment) return flatFirst(tokens);
  const parts = [...Map.groupBy(tokens, ({ segment }) => segment).values()];
  const isUnit = ([word, id, more]: readonly Token[]) =>
    more === undefined &&
    unitWordKind(word?.text ?? '') !== undefined &&
    (id?.isNumber || id?.text.length === 1);
  const at = parts.findIndex(isUnit);
  return at < 1 ? tokens : [...(parts[at] ?? []), ...parts.toSpliced(at, 1).flat()];
}

/** "South View Flat 7 Iris Lane". What stands before the flat is its building only where the line has those words after it. */
function flatFirst(tokens: readonly Token[]): readonly Token[] {
  const at = tokens.findIndex(
    ({ text }, index) => unitWordKind(text) === 'flat' && tokens[index + 1]?.isNumber,
  );
  const building = tokens.slice(0, at).map(({ text }) => text);
  const isOfFlat = building.every((word) => qualifiesName(word) || isThing([word]) || isPlace(word));
  return at < 1 || isOfFlat || isThing(building) || tokens[at - 1]?.isNumber
    ? tokens
    : [...tokens.slice(at, at + 2), ...tokens.slice(0, at), ...tokens.slice(at + 2)];
}

const partsOf = (tokens: readonly Token[]) => [...Map.groupBy(tokens, ({ segment }) => segment).values()];
const isSameRun = (a: readonly Token[], b: readonly Token[]) =>
  a.length === b.length && a.every((token, at) => isSameToken(token, b[at]));

/** "2 A" is 2A. */
const withLetters = (tokens: readonly Token[]) =>
  tokens.flatMap((token, at) => {
    if (at > 0 && letterAfter(tokens, at - 1) === token.text) return [];
    return [token.isNumber ? { ...token, text: `${token.text}${letterAfter(tokens, at)}` } : token];
  });

/**
 * Parts of the line in whatever order: "Stonegate, Heron Court, Flat 1". A number alone may be of the part before it or after
 * it, and Home Farm, Barn may be Home Farm Barn.
 */
export function hasSameParts(input: Address, candidate: Address): boolean {
  const theirs = partsOf(candidate.tokens);
  return partsOf(withLetters(withoutSigns(input.tokens))).every((part) => {
    const name = part.map(({ text }) => text);
    const isAlone = (part.length === 1 && part[0]?.isNumber) || (isAncillary(name) && part.length < 3);
    return !isAlone && (isNowhere(name) || theirs.some((other) => isSameRun(part, other)));
  });
}

/** "11, Windmill, Terrace": a comma where the line has a name, and not beside a number, where many write one more. */
const cutsName = (mine: readonly Token[], theirs: readonly Token[]) =>
  mine.some((token, at) => {
    const [before, other, otherBefore] = [mine[at - 1], theirs[at], theirs[at - 1]];
    if (before === undefined || before.segment === token.segment) return false;
    return !before.isNumber && !token.isNumber && other?.segment === otherBefore?.segment;
  });

/**
 * Where one side has no commas: the same words in the same order up to locality and town. Returns the places that only
 * the input has.
 */
export function sameLine(input: Address, candidate: Address): readonly (readonly string[])[] | undefined {
  const mine = withoutSigns(input.tokens);
  const isCutWithin = input.hasCommas && candidate.hasCommas && cutsName(mine, candidate.tokens);
  if (isCutWithin) return undefined;
  const reordered = unitFirst(mine);
  const found = sameOrder(input, mine, candidate);
  return found === undefined && reordered !== mine ? sameOrder(input, reordered, candidate) : found;
}

/** As where the parts are compared (`isElsewhere`): a street of the line is not said, or other words stand before one that is. */
function skipsStreet(
  { chunks, numbers, hasCommas }: Address,
  places: readonly (readonly string[])[],
  rest: readonly Token[],
  extras: readonly unknown[],
): boolean {
  const name = chunks[numbers.at(-1)?.after ?? -1]?.words ?? [];
  const isOnStreet = isNumberedStreet(name, hasCommas ? 'with' : 'without');
  const isSaid = (place: readonly string[]) => ` ${textOf(rest)} `.includes(` ${place.join(' ')} `);
  const isTown = (at: number) => isOnStreet || at === places.length - 1;
  if (extras.length > 0) return places.some((place, at) => !isTown(at) || isStreetName(place));
  return places.some(
    (place, at) =>
      isSaid(place) &&
      (isStreetName(place) || !isTown(at)) &&
      places.slice(0, at).some((name) => !isSaid(name) && mayTell(name, place)),
  );
}

export function sameOrder(
  input: Address,
  mine: readonly Token[],
  candidate: Address,
): readonly (readonly string[])[] | undefined {
  const theirs = candidate.tokens;
  let same = 0;
  while (isSameToken(mine[same], theirs[same])) same += 1;
  if (same === theirs.length && same === mine.length) return [];
  const name = candidate.chunks[0]?.words.join(' ') ?? '';
  let fewest: readonly (readonly string[])[] | undefined;
  for (let head = same; head > 0; head -= 1) {
    const places = placesFrom(candidate, head);
    if (places === undefined) continue;
    // The name of street or building stands before them.
    if (name === '' || !textOf(theirs.slice(0, head)).includes(name)) break;
    const rest = mine.slice(head);
    const comma = candidate.hasCommas ? 'before' : 'none';
    if (places.some((place) => isPosition(place, comma) && !textOf(rest).includes(place.join(' ')))) continue;
    const extras = endsInNames(input, rest) ? readPlaces(mine, head, places) : undefined;
    // Of a house known by its name, what follows the name is the street: another name there is another home.
    const street = places[0]?.join(' ') ?? '';
    if (extras?.length && candidate.numbers.length === 0 && !textOf(rest).startsWith(street)) continue;
    if (extras !== undefined && skipsStreet(candidate, places, rest, extras)) continue;
    if (extras !== undefined && (fewest === undefined || extras.length < fewest.length)) fewest = extras;
    if (fewest?.length === 0) break;
  }
  return fewest;
}
