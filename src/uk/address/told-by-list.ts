// What the other lines of a postcode tell about a text that fits none by itself, because it or the list has no commas. Three
// lines that differ in the number of the home alone show what its building is called and whether the street numbers it.

import type { Address } from './address.ts';
import type { Comparison } from './compare.ts';
import { costs } from './readings.ts';
import { isSameToken, sameOrder, withoutSigns } from './same-line.ts';
import type { Token } from './tokens.ts';
import { isPlace, isThing, unitWordKind } from './unit-words.ts';
import {
  isAncillary,
  isBlockName,
  isFlatsName,
  isHouseName,
  isLoneHouse,
  isRowOfHouses,
  isStreetEnd,
  isStreetName,
  isTypeWord,
  mayTell,
  qualifiesName,
} from './words.ts';

/** So many homes, told apart by their numbers alone, are a block or row whose name the list writes in one way. */
const leastHomes = 3;
/** 1 and 2 Rectory Cottages are enough. */
const leastOfRow = 2;

type Line = { readonly index: number; readonly address: Address; readonly tokens: readonly Token[] };

/** "Flat 3", or the number that a text begins with. */
type Head = { readonly isFlat: boolean; readonly id: string; readonly rest: readonly Token[] };

function headOf(tokens: readonly Token[]): Head | undefined {
  const [first, second] = tokens;
  if (first?.isNumber) return { isFlat: false, id: first.text, rest: tokens.slice(1) };
  const isFlat = unitWordKind(first?.text ?? '') === 'flat';
  const isId = second !== undefined && (second.isNumber || second.text.length === 1);
  return isFlat && isId ? { isFlat, id: second.text, rest: tokens.slice(2) } : undefined;
}

const textsOf = (tokens: readonly Token[]) => tokens.map(({ text }) => text);
const hasNumber = (tokens: readonly Token[]) => tokens.some(({ isNumber }) => isNumber);
const isSameRun = (a: readonly Token[], b: readonly Token[]) =>
  a.length === b.length && a.every((token, at) => isSameToken(token, b[at]));
const beginsWith = (tokens: readonly Token[], start: readonly Token[]) =>
  isSameRun(tokens.slice(0, start.length), start);
const endsWith = (tokens: readonly Token[], end: readonly Token[]) =>
  tokens.length >= end.length && isSameRun(tokens.slice(tokens.length - end.length), end);
const includes = (tokens: readonly Token[], run: readonly Token[]) =>
  tokens.some((_, at) => run.every((token, index) => isSameToken(tokens[at + index], token)));

/** Lines that are this one but for the number they begin with. */
function homesLike(head: Head, lines: readonly Line[], least = leastHomes): ReadonlySet<number> {
  const ids = new Set<string>();
  const homes = new Set<number>();
  for (const { index, tokens } of lines) {
    const other = headOf(tokens);
    if (other?.isFlat !== head.isFlat || !isSameRun(other.rest, head.rest)) continue;
    ids.add(other.id);
    homes.add(index);
  }
  return ids.size < least ? new Set() : homes;
}

/**
 * No other line has the name in another way, which might be another building or tell of a number behind it. The porters'
 * flat of the block may be there, but no line for the block itself.
 */
const isOnlyIn = (
  homes: ReadonlySet<number>,
  name: readonly Token[],
  rest: readonly Token[],
  lines: readonly Line[],
) =>
  lines.every(
    ({ index, tokens }) =>
      homes.has(index) || !includes(tokens, name) || (tokens.length > rest.length && endsWith(tokens, rest)),
  );

type Text = { readonly input: Address; readonly tokens: readonly Token[] };
type Places = readonly (readonly string[])[];

/**
 * "Bramble Court 41 Umber Road" is Flat 41 where the list has the flats of Bramble Court without a number of the road,
 * and "Turnstone Mansions 89 12 Allis Road" is 12 where it has them all at number 89.
 */
function blockFirst({ input, tokens }: Text, line: Line, lines: readonly Line[]): Places | undefined {
  const head = headOf(line.tokens);
  const at = tokens.findIndex(({ isNumber }) => isNumber);
  if (head === undefined || at < 1) return undefined;
  const block = tokens.slice(0, at);
  const numbers = tokens.filter(({ isNumber }) => isNumber);
  const street = tokens.slice(at + numbers.length);
  if (hasNumber(street) || street.length === 0 || (head.isFlat && !isFlatsName(textsOf(block))))
    return undefined;
  if (!beginsWith(head.rest, block)) return undefined;
  const house = head.rest.filter(({ isNumber }) => isNumber);
  const own = numbers.findIndex(({ text }) => text === head.id);
  if (own === -1 || !isSameRun(numbers.toSpliced(own, 1), house)) return undefined;
  const homes = homesLike(head, lines, isRowOfHouses(textsOf(block)) ? leastOfRow : leastHomes);
  if (!homes.has(line.index) || !isOnlyIn(homes, block, head.rest, lines)) return undefined;
  // "Bramble Court, 41 Umber Road" is the house where the road has that number.
  const numbered = [...numbers.slice(own, own + 1), ...street.slice(0, 1)];
  const isNumbered = lines.some(({ index, tokens: other }) => !homes.has(index) && includes(other, numbered));
  if (house.length === 0 && isNumbered) return undefined;
  const ordered = [...line.tokens.slice(0, head.isFlat ? 2 : 1), ...block, ...house, ...street];
  return sameOrder(input, ordered, line.address);
}

/** "Windmill Terrace 11 Oxmere": a number after its street, before a town that has no numbers. */
function numberLast({ tokens }: Text, line: Line, lines: readonly Line[]): Places | undefined {
  const at = tokens.findIndex(({ isNumber }) => isNumber);
  const [number] = tokens.slice(at, at + 1);
  const [street, place] = [tokens.slice(0, at), tokens.slice(at + 1)];
  if (number === undefined || street.length < 2 || place.length === 0 || hasNumber(place)) return undefined;
  if (!isStreetEnd(street.at(-1)?.text ?? '') || line.address.chunks.length !== 2) return undefined;
  if (!isSameRun([number, ...street, ...place], line.tokens)) return undefined;
  if (textsOf(place).some(isTypeWord) || textsOf(place).join(' ') !== line.address.chunks[1]?.words.join(' '))
    return undefined;
  const isTown =
    lines.length >= leastHomes &&
    lines.every(({ tokens: other }) => endsWith(other, place) && !other.at(-place.length - 1)?.isNumber);
  return isTown ? [] : undefined;
}

/** "Rookery Farm The Granary" */
function articleLater({ input, tokens }: Text, line: Line): Places | undefined {
  const at = tokens.findIndex(({ text }, index) => index > 1 && text === 'THE');
  if (at === -1 || hasNumber(tokens) || !isHouseName(textsOf(tokens.slice(0, at)))) return undefined;
  if (input.units.length > 0 || tokens[0]?.text === 'THE') return undefined;
  return sameOrder(input, [...tokens.slice(at), ...tokens.slice(0, at)], line.address);
}

/** A name that ends here and is not the beginning of a longer one. */
function endsName(name: readonly Token[], next: Token | undefined): boolean {
  const last = name.at(-1)?.text ?? '';
  const following = next?.text ?? '';
  return (
    last.length > 1 &&
    !qualifiesName(last) &&
    !isTypeWord(following) &&
    !isPlace(following) &&
    !isThing([following])
  );
}

/** "Flat 7 South View", where the line goes on with its street. */
function streetLeftOut({ tokens }: Text, line: Line, lines: readonly Line[]): Places | undefined {
  const [mine, theirs] = [headOf(tokens), headOf(line.tokens)];
  if (mine === undefined || theirs === undefined || mine.id !== theirs.id || hasNumber(mine.rest))
    return undefined;
  let same = 0;
  while (same < mine.rest.length && isSameToken(mine.rest[same], theirs.rest[same])) same += 1;
  const name = mine.rest.slice(0, same);
  const [left, typed] = [theirs.rest.slice(same), mine.rest.slice(same)];
  if (same === 0 || left.length === 0 || !endsName(name, left[0])) return undefined;
  if (mine.isFlat !== theirs.isFlat && !isBlockName(textsOf(name))) return undefined;
  // What was typed after the name are places that the line ends with.
  const isOwnPart = left.at(-typed.length)?.segment !== left.at(-typed.length - 1)?.segment;
  if (typed.length > 0 && !(endsWith(left, typed) && isOwnPart && typed.length < left.length))
    return undefined;
  const [street = []] = [...Map.groupBy(left, ({ segment }) => segment).values()];
  if (left[0]?.isNumber) {
    // "104 North Wing Mill Quay", where others are at 3 Wharf Lane too.
    const ending = [...name.slice(-2), ...left];
    const others = lines.filter(({ tokens: other }) => endsWith(other, ending));
    const homes = new Set(others.map(({ index }) => index));
    return name.length > 1 && homes.size >= leastHomes && isOnlyIn(homes, name.slice(-2), ending, lines)
      ? []
      : undefined;
  }
  if (!mine.isFlat && !isHouseName(textsOf(name))) return undefined;
  // One word and its kind, so that no word of the building is left among them.
  const words = textsOf(street);
  if (hasNumber(left) || !isStreetName(words) || words.length > 2 || isTypeWord(words[0] ?? ''))
    return undefined;
  const homes = homesLike(theirs, lines);
  return homes.has(line.index) && isOnlyIn(homes, name, theirs.rest, lines) ? [] : undefined;
}

/** "Ty Gwyn Heol y Bryn": a house by its name, with its street or places or a part of them. */
function nameFirst({ input, tokens }: Text, { address, tokens: line }: Line): Places | undefined {
  if (hasNumber(line) || hasNumber(tokens) || address.units.length + input.units.length > 0) return undefined;
  const name = line.filter(({ segment }) => segment === line[0]?.segment);
  if (name.length === line.length || !endsName(name, line[name.length])) return undefined;
  // The Granary may be that of another farm.
  const second = line.filter(({ segment }) => segment === line[name.length]?.segment);
  if (isAncillary(textsOf(name)) || isThing(textsOf(name)) || isHouseName(textsOf(second))) return undefined;
  if (!beginsWith(tokens, name)) return undefined;
  const [typed, rest] = [tokens.slice(name.length), line.slice(name.length)];
  let same = 0;
  while (same < typed.length && isSameToken(typed[same], rest[same])) same += 1;
  const end = rest.length - (typed.length - same);
  const isOwnPlace = rest[end]?.segment !== rest[end - 1]?.segment && endsWith(rest, typed.slice(same));
  if (same < typed.length && !(isOwnPlace && end >= same)) return undefined;
  const said = rest.filter(({ segment }) => segment === rest[end]?.segment);
  if (end > same && mayTell(textsOf(rest.slice(same, end)), textsOf(said)) && said.at(-1) !== rest.at(-1))
    return undefined;
  return same === 0 || endsName(typed.slice(0, same), rest[same]) ? [] : undefined;
}

/** "31 St Fern Street", where the list has Rowan House 31 St Fern Street and nothing else of Rowan House. */
function nameLeftOut({ tokens }: Text, { index, address, tokens: line }: Line, lines: readonly Line[]) {
  const at = line.findIndex(({ isNumber }) => isNumber);
  const [name, rest] = [line.slice(0, Math.max(0, at)), line.slice(at)];
  const isHouse =
    name.length > 1 &&
    isLoneHouse(textsOf(name)) &&
    !isAncillary(textsOf(name)) &&
    address.units.length === 0;
  if (!isHouse || !tokens[0]?.isNumber || !isSameToken(tokens[0], rest[0])) return undefined;
  if (!beginsWith(rest, tokens) || hasNumber(rest.slice(1)) || tokens.length < 3) return undefined;
  const next = rest[tokens.length];
  const isWhole = next === undefined || next.segment !== rest[tokens.length - 1]?.segment;
  // Where others have the number too, the house is one of several homes there.
  const isOnly = lines.every((other) => other.index === index || !includes(other.tokens, rest.slice(0, 2)));
  return isWhole && isOnly && isOnlyIn(new Set([index]), name, line, lines) ? [] : undefined;
}

/** The lines that the text means by what the others tell. */
export function toldByList(
  input: Address,
  candidates: readonly Address[],
): readonly { readonly index: number; readonly result: Extract<Comparison, { kind: 'same' }> }[] {
  const lines = candidates.map((address, index) => ({
    index,
    address,
    tokens: withoutSigns(address.tokens),
  }));
  const text = { input, tokens: withoutSigns(input.tokens) };
  const allowance = 'as the other lines tell';
  return lines.flatMap((line) => {
    const { hasCommas } = line.address;
    const reordered = input.hasCommas
      ? undefined
      : (blockFirst(text, line, lines) ?? numberLast(text, line, lines) ?? articleLater(text, line));
    const shorter = hasCommas
      ? undefined
      : (streetLeftOut(text, line, lines) ?? nameFirst(text, line) ?? nameLeftOut(text, line, lines));
    const places = reordered ?? shorter;
    if (places === undefined) return [];
    const score = Math.round(100 * (1 - costs[allowance])) / 100;
    return [
      {
        index: line.index,
        result: {
          kind: 'same' as const,
          score,
          allowances: [allowance] as const,
          unexplained: places,
          slip: undefined,
        },
      },
    ];
  });
}
