// Reads the phrase that names a dwelling within a building: "Flat 2B", "First Floor Flat", "Rear of".

import type { Token } from './tokens.ts';
import { isBeside, isBlockWord, isPlace, isSurePlace, type UnitWord, unitWordKind } from './unit-words.ts';
import { countingNumber, isTypeWord } from './words.ts';

export type Unit = {
  /** `FLAT` for flat, apartment and unit; else the word itself. */
  readonly kind: string;
  /** `3`, `A`, `2B`; empty where the phrase has none. */
  readonly id: string;
  /** Floor and position, sorted: `FIRST FRONT`. */
  readonly place: string;
};

type UnitPhrase = {
  readonly unit: Unit;
  /** Index of the first token after it. */
  readonly end: number;
  /** Its identifier is a number that may be that of the house: "Flat 12 High Street". */
  readonly endsWithNumber: boolean;
};

const isLetter = (text: string) => /^[A-Z]$/.test(text);
/** Welsh "y" and Irish "O" begin names. */
const beginsName = (letter: string) => letter === 'Y' || letter === 'O';

/** "2 B" is 2B, but "2 Y Bryn" is not. */
export function letterAfter(list: readonly Token[], at: number): string {
  const number = list[at];
  const letter = list[at + 1];
  if (number === undefined || letter?.segment !== number.segment || !isLetter(letter.text)) return '';
  if (!/^\d+$/.test(number.text)) return '';
  const next = list[at + 2];
  const isNameNext = next !== undefined && next.segment === letter.segment && !next.isNumber;
  // "Flat 7 B Block"
  if (isNameNext && isBlockWord(next.text)) return '';
  return isNameNext && beginsName(letter.text) ? '' : letter.text;
}

class PhraseReader {
  readonly #list: readonly Token[];
  readonly #segment: number;
  at: number;
  kind = '';
  id = '';
  hasFloor = false;
  hasUnitWord = false;
  endsWithNumber = false;
  readonly places: string[] = [];

  constructor(list: readonly Token[], at: number) {
    this.#list = list;
    this.at = at;
    this.#segment = list[at]?.segment ?? -1;
  }

  /** The token at an index, where it is of the phrase's own segment. */
  peek(at: number): Token | undefined {
    const token = this.#list[at];
    return token?.segment === this.#segment ? token : undefined;
  }

  read(): void {
    if (this.peek(this.at)?.text === 'THE') this.at += 1;
    for (;;) {
      const token = this.peek(this.at);
      if (token === undefined || token.isNumber) return;
      if (!this.#take(token.text)) return;
    }
  }

  #take(text: string): boolean {
    if (text === 'FLOOR' || text === 'LEVEL' || (text === 'FL' && this.places.length > 0)) {
      if (this.places.length === 0 && !this.hasUnitWord) return false;
      this.hasFloor = true;
      this.at += 1;
      return true;
    }
    const word = unitWordKind(text === 'FL' ? 'FLAT' : text);
    if (word !== undefined) return this.#takeUnitWord(text === 'FL' ? 'FLAT' : text, word);
    if (isPlace(text)) return this.#takePlace(text);
    const isFiller =
      (text === 'AND' && this.places.length > 0 && isPlace(this.peek(this.at + 1)?.text ?? '')) ||
      (text === 'OF' && this.places.includes('REAR')) ||
      ((text === 'AT' || text === 'IN') && (this.hasUnitWord || this.hasFloor || this.places.length > 0));
    // "Rear of 12" stands behind it; the rear flat is in it.
    if (isFiller && text === 'OF') this.places.push(text);
    if (isFiller) this.at += 1;
    return isFiller;
  }

  #takeUnitWord(text: string, word: UnitWord): boolean {
    let at = this.at + 1;
    if (/^(?:NO|NUMBER|NUM)$/.test(this.peek(at)?.text ?? '')) at += 1;
    const id = this.#identifier(at);
    // "Flat 3 Room 2": the second is a phrase of its own.
    if (id !== undefined && this.id !== '') return false;
    if (id === undefined) {
      const next = this.peek(this.at + 1);
      if (word === 'plural' || (text === 'FL' && this.places.length === 0)) return false;
      // "Studio House", "Flat Lane": a name.
      if (next !== undefined && this.places.length === 0 && isTypeWord(next.text) && !isPlace(next.text))
        return false;
    } else {
      this.id = id.id;
      at = id.end;
      this.endsWithNumber = this.peek(id.end - 1)?.isNumber === true;
    }
    const kind = word === 'special' ? text : 'FLAT';
    if (this.kind === '' || this.kind === 'FLAT')
      this.kind = kind === 'FLAT' && this.kind !== '' ? this.kind : kind;
    this.hasUnitWord = true;
    this.at = id === undefined ? this.at + 1 : at;
    return true;
  }

  #identifier(at: number): { readonly id: string; readonly end: number } | undefined {
    const token = this.peek(at);
    if (token === undefined) return undefined;
    if (token.isNumber) {
      const letter = letterAfter(this.#list, at);
      if (letter !== '') return { id: `${token.text}${letter}`, end: at + 2 };
      // "Flat 2, B"
      const lone = this.#list[at + 1];
      const after = this.#list[at + 2];
      const isLone =
        lone !== undefined &&
        lone.segment !== token.segment &&
        isLetter(lone.text) &&
        after?.segment !== lone.segment;
      return isLone && /^\d+$/.test(token.text)
        ? { id: `${token.text}${lone.text}`, end: at + 2 }
        : { id: token.text, end: at + 1 };
    }
    if (isLetter(token.text)) {
      const next = this.peek(at + 1);
      const isName = beginsName(token.text) && next !== undefined && !next.isNumber;
      return isName ? undefined : { id: token.text, end: at + 1 };
    }
    const counted = countingNumber(token.text);
    return counted === undefined ? undefined : { id: counted, end: at + 1 };
  }

  /** Most words of position are words of street names too, so what follows decides. */
  #takePlace(text: string): boolean {
    let after = this.at + 1;
    while (isPlace(this.peek(after)?.text ?? '') || this.peek(after)?.text === 'AND') after += 1;
    const next = this.peek(after);
    const belongs =
      next?.text === 'FLOOR' ||
      next?.text === 'FL' ||
      ['flat', 'special'].includes(unitWordKind(next?.text ?? '') ?? '');
    const isEnd = next === undefined || next.isNumber;
    const isWithin = this.hasUnitWord || this.hasFloor || this.places.length > 0;
    const isSure = isSurePlace(text) && !isTypeWord(this.peek(this.at + 1)?.text ?? '');
    if (!isSure && !belongs && !(isWithin && isEnd) && !(text === 'ABOVE' && this.hasUnitWord)) return false;
    this.places.push(text);
    this.at += 1;
    if (text === 'ABOVE') {
      if (this.peek(this.at)?.text === 'THE' && this.peek(this.at + 1)?.text === 'SHOP') this.at += 1;
      if (this.peek(this.at)?.text === 'SHOP') this.at += 1;
    }
    return true;
  }
}

const mayBegin = (text: string) =>
  text === 'THE' || text === 'FL' || isPlace(text) || isBeside(text) || unitWordKind(text) !== undefined;

export function readUnit(list: readonly Token[], at: number): UnitPhrase | undefined {
  if (!mayBegin(list[at]?.text ?? '')) return undefined;
  const beside = readBeside(list, at);
  if (beside !== undefined) return beside;
  const reader = new PhraseReader(list, at);
  reader.read();
  const isSure = reader.places.some(isSurePlace);
  const { places, hasUnitWord, hasFloor } = reader;
  if (places.includes('REAR') && !places.includes('OF') && !hasUnitWord && !hasFloor) places.push('OF');
  if (!reader.hasUnitWord && !isSure && !(reader.hasFloor && reader.places.length > 0)) return undefined;
  return {
    unit: {
      kind: reader.kind || 'FLAT',

      id: reader.id,
      place: reader.places.toSorted().join(' '),
    },
    end: reader.at,
    endsWithNumber: reader.endsWithNumber,
  };
}

const besideWords = new Set(['TO', 'AT', 'OF', 'THE', 'REAR']);
const landWords = new Set([
  ...besideWords,
  'LYING',
  'BEING',
  'ON',
  'SIDE',
  'NORTH',
  'SOUTH',
  'EAST',
  'WEST',
  'AND',
]);

/** "Land adjacent to 12", "Land lying to the north of 12": not number 12. */
function readBeside(list: readonly Token[], at: number): UnitPhrase | undefined {
  const first = list[at];
  if (first === undefined || !isBeside(first.text)) return undefined;
  let end = at + 1;
  const isLink = first.text === 'LAND' ? landWords : besideWords;
  while (list[end]?.segment === first.segment && isLink.has(list[end]?.text ?? '')) end += 1;
  while (list[end]?.segment === first.segment && isBeside(list[end]?.text ?? '')) end += 1;
  while (list[end]?.segment === first.segment && /^(?:TO|AT|OF)$/.test(list[end]?.text ?? '')) end += 1;
  const isAlone =
    list[at - 1]?.segment !== first.segment && end < list.length && list[end]?.segment !== first.segment;
  if (end === at + 1 && list[end]?.isNumber !== true && !isAlone) return undefined;
  const place = list
    .slice(at, end)
    .map(({ text }) => text)
    .sort()
    .join(' ');
  return { unit: { kind: 'BESIDE', id: '', place }, end, endsWithNumber: false };
}
