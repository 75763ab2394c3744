// An address as its parts: the dwelling within the building, numbers with the name each belongs to, and runs of
// name words. And whether a text is an address at all.

import { cutLine, type Endings } from './lines.ts';
import { type Token, type Tokens, tokenise } from './tokens.ts';
import { letterAfter, readUnit, type Unit } from './unit.ts';
import { isBeside, isBlockWord, isPerson, isPlace, isThing, unitWordKind } from './unit-words.ts';
import {
  isAddressee,
  isDirection,
  isFirmName,
  isHouseName,
  isNowhere,
  isSingleHouse,
  isStreetWord,
  isTypeWord,
} from './words.ts';

/** A run of name words, from one comma or number to the next. */
export type Chunk = {
  /** Its words are `words[from]` to `words[to - 1]`. */
  readonly from: number;
  readonly to: number;
  readonly words: readonly string[];
  /** Written together with the unit or number after it, as in "Wardens Flat 1", and so a part of what that means. */
  readonly isBound: boolean;
  /** The same, and it is a unit. */
  readonly isOfUnit: boolean;
};

export type NumberItem = {
  /** `12`, `12A`, `7-9` */
  readonly value: string;
  /** Chunks beside it, −1 where there is none. */
  readonly before: number;
  readonly after: number;
  /** The name it is written together with: "12 Mill Road", "Mill Road 12", or ", 12,". */
  readonly grip: 'after' | 'before' | 'none';
  /** Between the name of a block and another, of either of which it may be. */
  readonly isBetween: boolean;
};

export type Address = {
  readonly words: readonly string[];
  readonly chunks: readonly Chunk[];
  readonly numbers: readonly NumberItem[];
  readonly units: readonly Unit[];
  /** "Block B", sorted. */
  readonly blocks: string;
  /** "Flat 12 High Street" may mean the flat at number 12: that number, with its place among the chunks. */
  readonly unitAsNumber: NumberItem | undefined;
  readonly tokens: readonly Token[];
  /** Canonical text without commas. */
  readonly plain: string;
  /** As written; a line without them may have been cut. */
  readonly hasCommas: boolean;
  /** A full postcode at the end of the text. */
  readonly postcode: string | undefined;
  readonly isTooLong: boolean;
};

const numberWords = new Set(['NO', 'NOS', 'NUMBER', 'NUM']);
const isLetter = (text: string) => text.length === 1 && text >= 'A' && text <= 'Z';

class Builder {
  readonly #list: readonly Token[];
  readonly words: string[] = [];
  readonly chunks: Chunk[] = [];
  readonly numbers: NumberItem[] = [];
  readonly units: Unit[] = [];
  readonly blocks: string[] = [];
  unitAsNumber: NumberItem | undefined;
  #from = 0;
  #segment = 0;

  constructor(list: readonly Token[]) {
    this.#list = list;
  }

  build(): void {
    for (let at = 0; at < this.#list.length; ) at = this.#step(at);
    this.#close();
    const last = this.chunks.length;
    for (const [at, item] of this.numbers.entries()) {
      if (item.after >= last) this.numbers[at] = { ...item, after: -1 };
    }
    if (this.unitAsNumber !== undefined && this.unitAsNumber.after >= last) this.unitAsNumber = undefined;
  }

  #peek(at: number): Token | undefined {
    const token = this.#list[at];
    return token?.segment === this.#segment ? token : undefined;
  }

  #step(at: number): number {
    const token = this.#list[at];
    if (token === undefined) return at + 1;
    if (token.segment !== this.#segment) this.#close();
    this.#segment = token.segment;
    const block = this.#readBlock(at, token);
    if (block !== undefined) {
      this.#close();
      this.blocks.push(block);
      return at + 2;
    }
    if (token.isNumber || this.#isLoneLetter(at, token)) return this.#takeNumber(at, token);
    const next = this.#peek(at + 1);
    if (next?.isNumber && numberWords.has(token.text)) return at + 1;
    if (token.text === 'AT') {
      this.#close();
      return at + 1;
    }
    // "High Street North Ground Floor Flat"
    const isOfStreet =
      isDirection(token.text) && this.words.length > this.#from && isTypeWord(this.words.at(-1) ?? '');
    const phrase = isOfStreet ? undefined : readUnit(this.#list, at);
    if (phrase === undefined) {
      const kind = isLetter(token.text) && next === undefined ? this.#unknownKind(at, at + 1) : undefined;
      if (kind === undefined) this.words.push(token.text);
      else this.#takeKind(kind, token.text);
      return at + 1;
    }
    this.#takeUnit(phrase.unit, phrase.end);
    if (phrase.endsWithNumber) this.#noteUnitAsNumber(phrase.unit.id, phrase.end);
    return phrase.end;
  }

  /** "Block B", "B Block" */
  #readBlock(at: number, token: Token): string | undefined {
    const next = this.#peek(at + 1);
    if (next === undefined) return undefined;
    // The West Wing at number 34
    if (token.text === 'WING' && isDirection(this.words.at(-1) ?? '')) return undefined;
    if (isBlockWord(token.text))
      return next.isNumber || isLetter(next.text) ? `${token.text} ${next.text}` : undefined;
    if (!isBlockWord(next.text) || this.words.length > this.#from) return undefined;
    return token.isNumber || isLetter(token.text) ? `${next.text} ${token.text}` : undefined;
  }

  #isLoneLetter(at: number, token: Token): boolean {
    if (!isLetter(token.text) || at + 1 >= this.#list.length) return false;
    return this.#list[at - 1]?.segment !== token.segment && this.#list[at + 1]?.segment !== token.segment;
  }

  #takeNumber(at: number, token: Token): number {
    const letter = token.isNumber ? letterAfter(this.#list, at) : '';
    const end = letter === '' ? at + 1 : at + 2;
    const isAfterWord = this.words.length > this.#from;
    const next = this.#peek(end);
    const kind = next === undefined ? this.#unknownKind(at, end) : undefined;
    if (kind !== undefined) {
      this.#takeKind(kind, `${token.text}${letter}`);
      return end;
    }
    const isBeforeWord =
      next !== undefined && !next.isNumber && readUnit(this.#list, end) === undefined && next.text !== 'AT';
    // "Maxwell Court 8 Harbour Road": of the court or of the road.
    const isBetween =
      isAfterWord &&
      isBeforeWord &&
      this.units.length === 0 &&
      !this.#isNumbered() &&
      isHouseName(this.words.slice(this.#from)) &&
      !isSingleHouse(this.words.slice(this.#from));
    // "Dexters Ltd 3 Mill Road"
    this.#close(isAddressee(this.words.slice(this.#from)) ? 'apart' : 'with the number');
    this.numbers.push({
      value: `${token.text}${letter}`,
      before: this.chunks.length - 1,
      after: this.chunks.length,
      grip: isBeforeWord ? 'after' : isAfterWord ? 'before' : 'none',
      isBetween,
    });
    return end;
  }

  /** "2 Turnstone Mansions" has its number. */
  #isNumbered(): boolean {
    const last = this.numbers.at(-1);
    return last?.grip === 'after' && last.after === this.chunks.length;
  }

  #takeKind(kind: string, id: string): void {
    this.words.length = this.#from;
    this.units.push({ kind, id, place: '' });
  }

  /** "Kiosk 2, Heron Court": words before a number or letter that ends their part are what it numbers, known or not. */
  #unknownKind(at: number, end: number): string | undefined {
    const own = this.words.slice(this.#from);
    const isWhole = this.#list[at - own.length - 1]?.segment !== this.#segment;
    const isFirst = this.units.length + this.numbers.length + this.chunks.length === 0;
    if (own.length === 0 || !(isFirst || isThing(own)) || !isWhole || end >= this.#list.length)
      return undefined;
    const isNamed = isTypeWord(own.at(-1) ?? '') && (own.length > 1 || isStreetWord(own[0] ?? ''));
    return isNamed && !isThing(own) ? undefined : own.join(' ');
  }

  #takeUnit(unit: Unit, end: number): void {
    const own = this.words.slice(this.#from);
    const isFirst = this.chunks.length + this.numbers.length + this.units.length === 0;
    const isPersonal = isFirst && own.length === 1 && isPerson(own[0] ?? '') && !this.#peek(end)?.isNumber;
    const isLast = this.#peek(end) === undefined || isPersonal;
    const isDescribed =
      isLast &&
      unit.kind === 'FLAT' &&
      unit.id === '' &&
      unit.place === '' &&
      own.length > 0 &&
      own.length <= 2;
    if (isDescribed && !own.some(isTypeWord)) {
      // "Caretaker's Flat"
      this.words.length = this.#from;
      this.units.push({ ...unit, place: own.join(' ') });
      return;
    }
    this.#close('with the unit');
    this.units.push(unit);
  }

  #noteUnitAsNumber(id: string, end: number): void {
    const next = this.#peek(end);
    if (next === undefined || next.isNumber) return;
    this.unitAsNumber = { value: id, before: -1, after: this.chunks.length, grip: 'after', isBetween: false };
  }

  #close(next: 'apart' | 'with the number' | 'with the unit' = 'apart'): void {
    if (this.words.length === this.#from) return;
    const words = this.words.slice(this.#from);
    const last = words.findLast((word) => !isDirection(word)) ?? '';
    const isOfUnit = next === 'with the unit';
    const isBound =
      isOfUnit || (next === 'with the number' && !isTypeWord(last)) || isLetter(words.at(-1) ?? '');
    this.chunks.push({ from: this.#from, to: this.words.length, words, isBound, isOfUnit });
    this.#from = this.words.length;
  }
}

function parseTokens({ list: written, postcode, isTooLong }: Tokens, endings: Endings | undefined): Address {
  const list = endings === undefined ? written : cutLine(written, endings);
  const builder = new Builder(list);
  builder.build();
  let plain = '';
  for (const { text } of list) plain = plain === '' ? text : `${plain} ${text}`;
  return {
    words: builder.words,
    chunks: builder.chunks,
    numbers: builder.numbers,
    units: builder.units,
    blocks: builder.blocks.sort().join('+'),
    unitAsNumber: builder.unitAsNumber,
    tokens: list,
    plain,
    hasCommas: written.at(-1)?.segment !== written[0]?.segment,
    postcode,
    isTooLong,
  };
}

/** `postcode` is the one the address lies in, which is then no part of it. */
function parseAddress(text: string, postcode?: string): Address {
  return parseTokens(tokenise(text, postcode), undefined);
}

/**
 * The same words with the one comma that British addresses need, between a name and the number after it, wherever those of
 * the text stood: whatever this is found to be does not rest on a comma that may be misplaced.
 */
export function withoutOwnCommas({ tokens, postcode, isTooLong }: Address): Address {
  let segment = 0;
  const list = tokens.map((token, at) => {
    const before = tokens[at - 1];
    if (token.isNumber && before !== undefined && !before.isNumber && endsName(before.text)) segment += 1;
    return { ...token, segment };
  });
  return { ...parseTokens({ list, postcode, isTooLong }, undefined), hasCommas: false };
}

const beforeNumbers = new Set([...numberWords, 'TO', 'OF', 'AT']);
const endsName = (word: string) =>
  !beforeNumbers.has(word) &&
  unitWordKind(word) === undefined &&
  !isPlace(word) &&
  !isBeside(word) &&
  !isBlockWord(word);

/** A line of a list, cut by the endings that lines around it have where it has no commas. */
export function parseLine(text: string, postcode: string, endings: Endings): Address {
  return parseTokens(tokenise(text, postcode), endings);
}

type Judgement =
  | { readonly kind: 'address'; readonly parsed: Address }
  /** Only a flat or a number: it could be in any building. */
  | { readonly kind: 'flat-only' }
  /** The name of a firm, with nothing that locates a home. */
  | { readonly kind: 'organisation' };

export function judgeAddress(text: string, postcode?: string): Judgement {
  const parsed = parseAddress(text, postcode);
  const names = parsed.chunks.map((chunk) => chunk.words).filter((name) => !isNowhere(name));
  if (names.length === 0) return { kind: 'flat-only' };
  const places = names.filter((name) => !isFirmName(name));
  if (places.length === names.length) return { kind: 'address', parsed };
  const isNumbered = (name: readonly string[]) =>
    parsed.numbers.some(({ after }) => parsed.chunks[after]?.words === name);
  const hasPlace = places.some((name) => name.some(isTypeWord) || isNumbered(name));
  return hasPlace ? { kind: 'address', parsed } : { kind: 'organisation' };
}
