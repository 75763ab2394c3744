// Cuts the text of an address into canonical words and numbers, whatever its case, punctuation, abbreviations or
// alphabet. Nothing that could tell two homes apart is dropped: unknown letters and digits stay as they are.

import { parsePostcode } from '../postcode.ts';
import { unitWordKind } from './unit-words.ts';
import { canonicalWord, floorShorthand } from './words.ts';

export type Token = {
  /** Canonical: `ROAD`, `12A`, `7-9`, `A605`. */
  readonly text: string;
  readonly isNumber: boolean;
  /** Parts between commas, counted from 0. */
  readonly segment: number;
};

export type Tokens = {
  readonly list: readonly Token[];
  /** The full postcode at the end of the text, where it has one. */
  readonly postcode: string | undefined;
  /** Longer than any address; only its beginning was read. */
  readonly isTooLong: boolean;
};

const longestText = 2048;
const mostTokens = 96;

const ascii = /^[\x20-\x7e]*$/;
const endPostcode = /(?<=^|[\s,.;(])([A-Z]{1,2}\d[A-Z\d]?)\s*(\d[A-Z]{2})[\s.,;)]*$/;

/** `asked` is the postcode that the address is looked for in; it is no part of the address. */
export function tokenise(text: string, asked: string | undefined): Tokens {
  const whole = plainUpper(text.length > longestText ? text.slice(0, longestText) : text);
  // One letter of some alphabets is a sentence in ours.
  const upper = whole.length > longestText ? whole.slice(0, longestText) : whole;
  const [outcode = '', incode = ''] = asked?.split(' ') ?? [];
  const { rest, postcode } = cutPostcode(upper, asked, outcode, incode);
  const list = dropOutcode(refine(cut(rest)), outcode);
  const isTooLong = text.length > longestText || whole.length > longestText || list.length > mostTokens;
  return { list: list.length > mostTokens ? list.slice(0, mostTokens) : list, postcode, isTooLong };
}

function cutPostcode(
  upper: string,
  asked: string | undefined,
  outcode: string,
  incode: string,
): { readonly rest: string; readonly postcode: string | undefined } {
  let rest: string;
  let postcode: string | undefined;
  if (asked !== undefined && upper.endsWith(`, ${asked}`)) {
    // How nearly all addresses of a list end; the pattern below costs more than all the rest.
    postcode = asked;
    rest = upper.slice(0, -asked.length - 2);
  } else {
    const from = Math.max(0, upper.length - 16);
    const found = endPostcode.exec(upper.slice(from));
    postcode = found === null ? undefined : parsePostcode(`${found[1]} ${found[2]}`)?.text;
    rest = postcode === undefined || found === null ? upper : upper.slice(0, from + found.index);
  }
  if (incode !== '' && rest.includes(incode)) {
    rest = rest.replace(new RegExp(`(?<![A-Z\\d])${outcode}\\s*${incode}(?![A-Z\\d])`, 'g'), ',');
  }
  return { rest, postcode };
}

function plainUpper(text: string): string {
  if (ascii.test(text)) return text.toUpperCase();
  const marked = text
    // Before decomposition, which would make 121/2 of 12½.
    .replace(/[\u00bc-\u00be\u2150-\u215e]/g, (fraction) => `\u0192${fraction.codePointAt(0)?.toString(36)}`)
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '');
  return marked.toUpperCase();
}

const isDigit = (code: number) => code >= 48 && code <= 57;
const isAsciiLetter = (code: number) => code >= 65 && code <= 90;
const otherAlphabet = /[\p{L}\p{N}]/u;
const apostrophes = new Set(["'", '\u2019', '\u2018', '`', '\u00b4', '\u02bc', '\u2032', '\u02b9']);
const breaks = new Set([',', ';', '\n', '\r', '\t', '(', ')', '[', ']', '|', ':', '\u2028', '\u2029']);
const hyphens = new Set([
  '-',
  '/',
  '\u2010',
  '\u2011',
  '\u2012',
  '\u2013',
  '\u2014',
  '\u2212',
  '\u2044',
  '\\',
]);

type Raw = {
  text: string;
  segment: number;
  /** A hyphen or slash stood before it, with or without spaces. */
  joined: '' | '-' | '/';
};

function cut(upper: string): Raw[] {
  const raw: Raw[] = [];
  let text = '';
  let segment = 0;
  let joined: Raw['joined'] = '';
  let isSpaced = false;
  const push = () => {
    if (text === '') return;
    const before = raw.at(-1);
    if (joined !== '' && isSpaced && before?.segment === segment) {
      // "Rose Court - 12 Mill Road": between words a hyphen with spaces is a comma.
      const isRange = /\d/.test(before.text) && /^\d/.test(text);
      if (!isRange) segment += 1;
    }
    raw.push({ text, segment, joined });
    text = '';
    joined = '';
    isSpaced = false;
  };
  for (let at = 0; at < upper.length; at += 1) {
    const start = at;
    let code = upper.charCodeAt(at);
    while (isDigit(code) || isAsciiLetter(code)) {
      at += 1;
      code = upper.charCodeAt(at);
    }
    if (at > start) text += upper.slice(start, at);
    if (at >= upper.length) break;
    if (code === 32) {
      push();
      if (joined !== '') isSpaced = true;
      continue;
    }
    const mark = upper[at] ?? '';
    if (apostrophes.has(mark)) {
      // St John's = St Johns
    } else if (breaks.has(mark)) {
      push();
      joined = '';
      if (raw.at(-1)?.segment === segment) segment += 1;
    } else if (hyphens.has(mark)) {
      push();
      joined = mark === '/' || mark === '\u2044' || mark === '\\' ? '/' : '-';
      if (upper[at - 1] === ' ') isSpaced = true;
    } else if (mark === '&' || mark === '+') {
      push();
      raw.push({ text: 'AND', segment, joined: '' });
    } else if (mark === '.' && isDigit(upper.charCodeAt(at - 1)) && isDigit(upper.charCodeAt(at + 1))) {
      text += '.';
    } else if (code > 127 && otherAlphabet.test(String.fromCodePoint(upper.codePointAt(at) ?? 0))) {
      const point = String.fromCodePoint(upper.codePointAt(at) ?? 0);
      text += point;
      at += point.length - 1;
    } else {
      push();
    }
  }
  push();
  return raw;
}

const slashed: ReadonlyMap<string, readonly string[]> = new Map([
  ['G/F', ['GROUND', 'FLOOR']],
  ['F/F', ['FIRST', 'FLOOR']],
  ['T/F', ['TOP', 'FLOOR']],
  ['1/F', ['FIRST', 'FLOOR']],
  ['2/F', ['SECOND', 'FLOOR']],
  ['R/O', ['REAR', 'OF']],
  ['C/O', []],
]);

const houseNumber = /^\d+[A-Z]?$/;
const ordinal = /^\d+(?:ST|ND|RD|TH)$/;
const otherDigit = /\p{N}/u;

function hasDigit(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isDigit(code)) return true;
    if (code > 127) return otherDigit.test(text);
  }
  return false;
}

/** Joins ranges, splits what was written together, and gives each word its one spelling. */
function refine(raw: readonly Raw[]): Token[] {
  const list: Token[] = [];
  const push = (text: string, segment: number) => {
    const isNumber = hasDigit(text) && !ordinal.test(text);
    list.push({ text: isNumber ? text.replace(/^0+(?=\d)/, '') : canonicalWord(text), isNumber, segment });
  };
  // Without any number, Plc is a company and not a place.
  const isFirm = raw.at(-1)?.text === 'PLC' && !raw.some(({ text }) => hasDigit(text));
  for (let at = 0; at < raw.length; at += 1) {
    const current = raw[at];
    if (current === undefined) break;
    const { text, segment, joined } = current;
    const before = list[list.length - 1];
    const next = raw[at + 1];
    const isAfterNumber = before?.isNumber && before.segment === segment;
    if (joined !== '' && isAfterNumber) {
      const end = rangeEnd(before.text, text);
      if (end !== undefined) {
        list[list.length - 1] = { ...before, text: `${before.text}-${end}` };
        continue;
      }
    }
    if (
      (text === 'AND' || text === 'TO') &&
      isAfterNumber &&
      next !== undefined &&
      next.segment === segment
    ) {
      const range = pairOf(before.text, next.text, text);
      if (range !== undefined) {
        list[list.length - 1] = { ...before, text: range };
        at += 1;
        continue;
      }
    }
    const phrase =
      floorShorthand.get(text) ??
      (next !== undefined && next.joined === '/' ? slashed.get(`${text}/${next.text}`) : undefined);
    if (phrase !== undefined) {
      for (const word of phrase) push(word, segment);
      if (!floorShorthand.has(text)) at += 1;
      continue;
    }
    if (
      text === 'S' &&
      before !== undefined &&
      joinsPossessive(before, segment) &&
      next?.segment === segment
    ) {
      list[list.length - 1] = { ...before, text: `${before.text}S` };
      continue;
    }
    if (hasDigit(text)) for (const piece of unglue(text)) push(piece, segment);
    else if (isFirm && next === undefined) list.push({ text, isNumber: false, segment });
    else if (text === 'GR' && isFloorWord(next?.text)) push('GROUND', segment);
    else push(text, segment);
  }
  return list;
}

const isFloorWord = (text: string | undefined) => text !== undefined && canonicalWord(text) === 'FLOOR';

/** "St John s Road": an apostrophe that became a space. */
const joinsPossessive = (before: Token, segment: number) =>
  before.segment === segment &&
  !before.isNumber &&
  /^[A-Z]{3,}$/.test(before.text) &&
  !/STREET|ROAD/.test(before.text);

function rangeEnd(start: string, end: string): string | undefined {
  if (!houseNumber.test(start)) return undefined;
  if (houseNumber.test(end)) return end.replace(/^0+(?=\d)/, '');
  // 12A-C
  return /^[A-Z]$/.test(end) && /[A-Z]$/.test(start) ? `${start.slice(0, -1)}${end}` : undefined;
}

/** "12 & 14" is how some write 12-14; "3 & 9" is two houses. */
function pairOf(start: string, end: string, word: string): string | undefined {
  if (!houseNumber.test(start) || !houseNumber.test(end)) return undefined;
  const distance = Number.parseInt(end, 10) - Number.parseInt(start, 10);
  return word === 'TO' || (distance >= 0 && distance <= 2) ? `${start}-${end}` : `${start}+${end}`;
}

/** FLAT3, NO12, 12HIGH. */
function unglue(text: string): readonly string[] {
  const led = /^([A-Z]{2,})(\d.*)$/.exec(text);
  if (led !== null) {
    const [, word = '', rest = ''] = led;
    if (unitWordKind(canonicalWord(word)) !== undefined || word === 'NO' || word === 'BLOCK')
      return [word, rest];
  }
  const trailed = /^(\d+)([A-Z]{3,})$/.exec(text);
  return trailed === null ? [text] : [trailed[1] ?? '', trailed[2] ?? ''];
}

/** "London N1": the outward half of the postcode asked for; of W1F, Londoners write W1. */
function dropOutcode(list: readonly Token[], outcode: string): readonly Token[] {
  if (outcode === '') return list;
  const district = /^[A-Z]+\d+(?=[A-Z]$)/.exec(outcode)?.[0] ?? outcode;
  if (!list.some(({ text }) => text === outcode || text === district)) return list;
  return list.filter(({ text, segment }, at) => {
    if ((text !== outcode && text !== district) || at === 0) return true;
    const before = list[at - 1];
    const isLast = list[at + 1]?.segment !== segment;
    const isAfterName =
      before !== undefined &&
      !before.isNumber &&
      unitWordKind(before.text) === undefined &&
      before.text.length > 2;
    return !(isLast && isAfterName);
  });
}
