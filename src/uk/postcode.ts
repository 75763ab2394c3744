// Reads postcodes as people type them and packs each into one number that sorts as its text does, so that a
// table of millions of postcodes is an array of integers.

export type Postcode = {
  readonly kind: 'postcode';
  /** `SW1A 1AA` */
  readonly text: string;
  /** `SW1A` */
  readonly outcode: string;
  /** `1AA` */
  readonly incode: string;
  /** `SW`; `GIR` for the one postcode that has no area letters of its own. */
  readonly area: string;
  /** `SW1`: the outcode without the letter that splits some London districts. */
  readonly district: string;
  /** `SW1A 1` */
  readonly sector: string;
  /** Its number: parsing has found it, so that no look-up reads the text again. */
  readonly packed: number;
};

// A symbol is 0 for none, 1–10 for a digit, 11–36 for a letter: six bits, in the order of the characters.
const symbols = ' 0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const symbolBits = 6;
const symbolMask = 63;
const firstLetter = 11;
const longest = 7;
const inwardLength = 3;

// Royal Mail's rules of which letter may stand where.
const firstLetters = 'ABCDEFGHIJKLMNOPRSTUWYZ';
// I stands second in GIR alone, Z in ZZ alone, the area that is never allocated and holds our made-up town.
const secondLetters = 'ABCDEFGHIKLMNOPQRSTUVWXYZ';
// M, N, R, V, X and Y are no longer given out here, but W1M to W1Y were in use until 2000 and are in the sales.
const thirdLetters = 'ABCDEFGHJKMNPRSTUVWXY';
const fourthLetters = 'ABEHMNPRVWXY';
const inwardLetters = 'ABDEFGHJLNPQRSTUWXYZ';

const firstRank = ranksOf(firstLetters);
const secondRank = ranksOf(secondLetters);
const thirdRank = ranksOf(thirdLetters);
const fourthRank = ranksOf(fourthLetters);
const inwardRank = ranksOf(inwardLetters);

const letterI = symbols.indexOf('I');
const letterZ = symbols.indexOf('Z');

// Every position may also be empty, which sorts first; a district's second place may hold a digit too.
const secondPlaces = 1 + secondLetters.length;
const districtEnds = 1 + 10 + thirdLetters.length;
const districtPlaces = 10 * districtEnds;

const girOutward = [...'GIR'].reduce((sum, letter) => (sum << symbolBits) | symbols.indexOf(letter), 0);
// GI is no area otherwise, so its first place is free for GIR and keeps it in the order of the text.
const girOutcode =
  (firstLetters.indexOf('G') * secondPlaces + 1 + secondLetters.indexOf('I')) * districtPlaces;

/** Consecutive numbers of one sector, of one outcode, and the first number past all postcodes. A number is
 *  `outcode × 4,000 + sector digit × 400 + unit`, with 191,360 places for outcodes, about 3,000 of them used. */
export const packedPerSector = inwardLetters.length * inwardLetters.length;
export const packedPerOutcode = 10 * packedPerSector;
/** Postcodes of one area (of GIR too) give the same whole number when divided by this. */
export const packedPerArea = districtPlaces * packedPerOutcode;
export const packedLimit = firstLetters.length * secondPlaces * districtPlaces * packedPerOutcode;

/** Upper and lower case are one, and white space counts for nothing, wherever it stands. */
export function parsePostcode(text: string): Postcode | undefined {
  const packed = packPostcodeText(text);
  if (packed === undefined) return undefined;
  return describe(packed, composeOutcode(packed), composeIncode(packed));
}

/** An area's letters: its form only, not whether the Royal Mail ever gave it out. */
export function parseArea(text: string): string | undefined {
  let area = '';
  for (let at = 0; at < text.length; at++) {
    const symbol = symbolAt(text, at);
    if (symbol === 0) continue;
    if (symbol < firstLetter || area.length === 2) return undefined;
    area += symbols.charAt(symbol);
  }
  return area === '' ? undefined : area;
}

/** Packed postcodes of an outcode or sector: from the first that could be in it to the first after it. */
export type PackedRange = { readonly from: number; readonly to: number };

/** `SW1A`, in any case and spacing; undefined where no postcode could begin so, and for `PO3 0`, which is a sector. */
export function parseOutcode(
  text: string,
): { readonly text: string; readonly packed: PackedRange } | undefined {
  const first = parsePostcode(`${text}0AA`);
  if (first === undefined || first.outcode === 'GIR' || isSpacedSector(text)) return undefined;
  const from = packPostcode(first);
  return { text: first.outcode, packed: { from, to: from + packedPerOutcode } };
}

/** An outcode, white space, one digit. */
function isSpacedSector(text: string): boolean {
  const [, outcode] = /^(.*\S)\s+\d\s*$/s.exec(text) ?? [];
  return outcode !== undefined && parsePostcode(`${outcode}0AA`) !== undefined;
}

/** `SW1A 1`, in any case. Without its space it is read only where it cannot be an outcode: `SW1A1`, not `PO30`. */
export function parseSector(
  text: string,
): { readonly text: string; readonly packed: PackedRange } | undefined {
  const first = parsePostcode(`${text}AA`);
  if (first === undefined || first.outcode === 'GIR' || parseOutcode(text) !== undefined) return undefined;
  const from = packPostcode(first);
  return { text: first.sector, packed: { from, to: from + packedPerSector } };
}

/** A whole number from 0 to `packedLimit` − 1 (765,440,000, under 2³⁰), in the order of `text`. */
export function packPostcode(postcode: Postcode): number {
  return postcode.packed;
}

/** `packPostcode` of `parsePostcode` in one step that makes no strings: for loading tens of millions of rows. */
export function packPostcodeText(text: string): number | undefined {
  // The last four symbols stand in `tail`, those before in `head`: all seven would not fit 32 bits.
  let head = 0;
  let tail = 0;
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const symbol = symbolAt(text, at);
    if (symbol === 0) continue;
    if (symbol < 0 || length === longest) return undefined;
    head = (head << symbolBits) | (tail >>> (3 * symbolBits));
    tail = ((tail << symbolBits) | symbol) & 0xffffff;
    length++;
  }
  const outcode = rankOutward((head << symbolBits) | (tail >>> (3 * symbolBits)), length - inwardLength);
  const inward = rankInward(tail);
  if (outcode < 0 || inward < 0) return undefined;
  // 0AA, which ranks 0, is all that was ever given out under GIR.
  if (outcode === girOutcode && inward !== 0) return undefined;
  return outcode * packedPerOutcode + inward;
}

/** The halves that were asked for, by their ranks: putting letters together and checking them takes six times as long. */
const outcodeTexts = new Map<number, string>();
const incodeTexts = new Map<number, string>();

export function unpackPostcode(packed: number): string {
  const outcode = Math.floor(packed / packedPerOutcode);
  const inward = packed - outcode * packedPerOutcode;
  const first = outcodeTexts.get(outcode);
  const second = incodeTexts.get(inward);
  if (first !== undefined && second !== undefined && outcode !== girOutcode) return `${first} ${second}`;
  const text = `${composeOutcode(packed)} ${composeIncode(packed)}`;
  // Some numbers belong to no postcode (a letter where none may stand); meeting one means a damaged table.
  if (packPostcodeText(text) !== packed) throw new RangeError(`No postcode packs to ${packed}`);
  outcodeTexts.set(outcode, composeOutcode(packed));
  incodeTexts.set(inward, composeIncode(packed));
  return text;
}

function describe(packed: number, outcode: string, incode: string): Postcode {
  const areaLength = outcode.charCodeAt(1) < 65 ? 1 : outcode === 'GIR' ? 3 : 2;
  const endsInLetter = outcode.length > areaLength && outcode.charCodeAt(outcode.length - 1) >= 65;
  return {
    kind: 'postcode',
    text: `${outcode} ${incode}`,
    outcode,
    incode,
    area: outcode.slice(0, areaLength),
    district: endsInLetter ? outcode.slice(0, -1) : outcode,
    sector: `${outcode} ${incode.charAt(0)}`,
    packed,
  };
}

/** The place of an outward code of `length` symbols among all that could be, or −1. */
function rankOutward(outward: number, length: number): number {
  if (length < 2 || length > 4) return -1;
  if (outward === girOutward) return girOutcode;
  const aligned = outward << ((4 - length) * symbolBits);
  const first = aligned >>> (3 * symbolBits);
  const second = (aligned >>> (2 * symbolBits)) & symbolMask;
  const third = (aligned >>> symbolBits) & symbolMask;
  if (second < firstLetter) {
    // One area letter: A9, A99 or A9A.
    if (length === 4) return -1;
    return placeOutcode(rankOf(firstRank, first), 0, second, rankDistrictEnd(second, third, thirdRank));
  }
  const secondPlace = rankOf(secondRank, second);
  if (secondPlace < 0 || second === letterI || (second === letterZ && first !== letterZ)) return -1;
  const end = rankDistrictEnd(third, aligned & symbolMask, fourthRank);
  return placeOutcode(rankOf(firstRank, first), 1 + secondPlace, third, end);
}

function placeOutcode(first: number, second: number, digit: number, end: number): number {
  if (first < 0 || digit < 1 || digit >= firstLetter || end < 0) return -1;
  return (first * secondPlaces + second) * districtPlaces + (digit - 1) * districtEnds + end;
}

/** What follows a district's first digit: nothing, a digit or a letter. */
function rankDistrictEnd(digit: number, end: number, letters: Int8Array): number {
  if (end === 0) return 0;
  // A district is never written with a leading zero.
  if (end < firstLetter) return digit === 1 ? -1 : end;
  return rankOf(letters, end) < 0 ? -1 : firstLetter + rankOf(thirdRank, end);
}

function rankInward(symbolsOfInward: number): number {
  const digit = (symbolsOfInward >>> (2 * symbolBits)) & symbolMask;
  const first = rankOf(inwardRank, (symbolsOfInward >>> symbolBits) & symbolMask);
  const second = rankOf(inwardRank, symbolsOfInward & symbolMask);
  if (digit < 1 || digit >= firstLetter || first < 0 || second < 0) return -1;
  return (digit - 1) * packedPerSector + first * inwardLetters.length + second;
}

function composeOutcode(packed: number): string {
  const outcode = Math.floor(packed / packedPerOutcode);
  if (outcode === girOutcode) return 'GIR';
  const area = Math.floor(outcode / districtPlaces);
  const district = outcode % districtPlaces;
  const first = firstLetters.charAt(Math.floor(area / secondPlaces));
  const second = secondLetters.charAt((area % secondPlaces) - 1);
  const digit = Math.floor(district / districtEnds);
  const end = district % districtEnds;
  if (end === 0) return `${first}${second}${digit}`;
  return `${first}${second}${digit}${end < firstLetter ? end - 1 : thirdLetters.charAt(end - firstLetter)}`;
}

function composeIncode(packed: number): string {
  const inward = packed % packedPerOutcode;
  const unit = inward % packedPerSector;
  const first = inwardLetters.charAt(Math.floor(unit / inwardLetters.length));
  const second = inwardLetters.charAt(unit % inwardLetters.length);
  return `${Math.floor(inward / packedPerSector)}${first}${second}`;
}

/** The symbol at a place of a text, 0 for white space, −1 for anything else. */
function symbolAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code >= 97 && code <= 122) return code - 97 + firstLetter;
  if (code >= 65 && code <= 90) return code - 65 + firstLetter;
  if (code >= 48 && code <= 57) return code - 48 + 1;
  if (code === 32) return 0;
  return /\s/.test(text.charAt(at)) ? 0 : -1;
}

function ranksOf(letters: string): Int8Array {
  const ranks = new Int8Array(symbolMask + 1).fill(-1);
  for (let rank = 0; rank < letters.length; rank++) ranks[symbols.indexOf(letters.charAt(rank))] = rank;
  return ranks;
}

function rankOf(ranks: Int8Array, symbol: number): number {
  return ranks[symbol] ?? -1;
}
