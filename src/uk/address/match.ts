// Finds the one address of a postcode that a text means, or says why there is none. Never the wrong flat: where
// two fit equally well, or a part differs, nothing is matched.

import { type Address, judgeAddress, type NumberItem, parseLine, withoutOwnCommas } from './address.ts';
import { type Comparison, compareAddresses, nearerOf } from './compare.ts';
import { type Endings, endingsOfAll, learnEndings } from './lines.ts';
import { type Difference, readingsOf } from './readings.ts';
import { hasSameParts } from './same-line.ts';
import { type Tokens, tokenise } from './tokens.ts';
import { toldByList } from './told-by-list.ts';

export type UnmatchedReason =
  | Difference
  | 'no addresses in the postcode'
  | 'two fit equally well'
  | 'too many alike'
  | 'too long';

type AddressMatch =
  | {
      readonly kind: 'matched';
      /** Of the candidate. */
      readonly index: number;
      /** 1 is the same text; each difference that was let pass lowers it. */
      readonly score: number;
      /** How far the second best lies behind; 1 where there is none. */
      readonly gap: number;
      readonly reason: string;
    }
  | {
      readonly kind: 'unmatched';
      readonly reason: UnmatchedReason;
      /** Indexes of candidates, the likeliest first, at most 10. */
      readonly suggestions: readonly number[];
    }
  | { readonly kind: 'flat-only' }
  | { readonly kind: 'organisation' };

const mostSuggestions = 10;
/** A postcode has a hundred addresses at most. A text without a number is compared with all of them, at some 0.1 ms each, and
 *  nobody pays for a refusal. */
const mostCompared = 250;
/** Of so many at most, what each tells about the others is asked. */
const mostAsked = 300;
/** Smaller than any difference that is let pass, but for a town. */
const leastGap = 0.03;
/** Where several fit, only the one that says the same wins, but for a town. */
const leastOfSeveral = 0.99;

type Same = Extract<Comparison, { kind: 'same' }>;
type Fit = { readonly index: number; readonly result: Same };

/**
 * `candidates` are all addresses known in the postcode, and `endings` what lines without commas are known to end with
 * around there (`learnEndings`).
 */
export function matchAddress(
  text: string,
  postcode: string,
  candidates: readonly string[],
  endings: Endings = new Map(),
): AddressMatch {
  const judged = judgeAddress(text, postcode);
  if (judged.kind !== 'address') return judged;
  const input = judged.parsed;
  const unmatched = (reason: UnmatchedReason): AddressMatch => ({
    kind: 'unmatched',
    reason,
    suggestions: suggest(input, postcode, candidates),
  });
  if (candidates.length === 0) return unmatched('no addresses in the postcode');
  if (input.isTooLong) return unmatched('too long');
  if (input.postcode !== undefined && input.postcode !== postcode) return unmatched('another postcode');
  const own = withOwn(endings, postcode, candidates);
  const { fits, nearest, isCutShort } = findFits(input, postcode, candidates, own);
  if (isCutShort) return unmatched('too many alike');
  const found = fits.length > 0 ? fits : byTheList(input, postcode, candidates, own);
  const told = withoutOtherWord(found, input, candidates);
  if (told.length < found.length && told.length === 0) return unmatched('another unit');
  const known = told.length < 2 || isPerfectTwice(told) ? told : withoutStrangers(told, postcode, candidates);
  const [best, second] = known;
  if (best === undefined) return unmatched(nearest ?? 'another street or building');
  const gap = second === undefined ? 1 : Math.round((best.result.score - second.result.score) * 100) / 100;
  if (gap < leastGap || (second !== undefined && best.result.score < leastOfSeveral))
    return unmatched('two fit equally well');
  if (input.hasCommas && !isByWords(input, best.index, candidates, (line) => parseLine(line, postcode, own)))
    return unmatched('another street or building');
  if (withoutStrangers([best], postcode, candidates).length === 0)
    return unmatched('another street or building');
  if (
    best.result.allowances.includes('building name on one side only') &&
    !isOnlyOne(best.index, candidates, (line) => parseLine(line, postcode, own))
  )
    return unmatched('unit on one side only');
  const { score, allowances } = best.result;
  return {
    kind: 'matched',
    index: best.index,
    score,
    gap,
    reason: allowances.length === 0 ? 'the same parts' : allowances.join(', '),
  };
}

/** Where all have commas, those tell enough. */
function byTheList(
  input: Address,
  postcode: string,
  candidates: readonly string[],
  endings: Endings,
): readonly Fit[] {
  const isCut =
    input.hasCommas && candidates.every((line) => line.replace(`, ${postcode}`, '').includes(','));
  if (isCut || candidates.length > mostAsked) return [];
  return toldByList(
    input,
    candidates.map((line) => parseLine(line, postcode, endings)),
  );
}

/** A comma may be misplaced. What a text is found to be must be so by its words alone, or by parts that are all the line's. */
function isByWords(
  input: Address,
  index: number,
  candidates: readonly string[],
  parse: (line: string) => Address,
): boolean {
  const line = parse(candidates[index] ?? '');
  const words = withoutOwnCommas(input);
  if (hasSameParts(input, line) || compareAddresses(words, line).kind === 'same') return true;
  return (
    candidates.length <= mostAsked &&
    toldByList(words, candidates.map(parse)).some((fit) => fit.index === index)
  );
}

/**
 * A name that one side lacks is the name of the house where the list has nothing else of that number. Among several
 * homes of one number it is one of them.
 */
function isOnlyOne(index: number, candidates: readonly string[], parse: (line: string) => Address): boolean {
  const line = candidates[index] ?? '';
  const found = parse(line);
  if (found.units.length > 0 || found.numbers.length > 1) return true;
  return !candidates.some((other) => {
    if (other === line || !found.numbers.some(({ value }) => other.includes(value.split('-', 1)[0] ?? '')))
      return false;
    const { chunks, numbers } = parse(other);
    return numbers.some((number) => found.numbers.some((mine) => isSameHouse(found, mine, chunks, number)));
  });
}

/** The same number of the same street. */
function isSameHouse(
  found: Address,
  mine: NumberItem,
  chunks: Address['chunks'],
  theirs: NumberItem,
): boolean {
  const street = found.chunks[mine.after]?.words.join(' ') ?? '';
  const other = chunks[theirs.after]?.words.join(' ') ?? '';
  const isSameStreet =
    street !== '' && other !== '' && (street.startsWith(other) || other.startsWith(street));
  return mine.value === theirs.value && isSameStreet;
}

const flatWord = /\b(?:FLAT|APARTMENT|APT)\b/i;
const unitWord = /\bUNIT\b/i;

/** A list that has both flats and units means two things by them. */
function withoutOtherWord(
  fits: readonly Fit[],
  { tokens }: Address,
  candidates: readonly string[],
): readonly Fit[] {
  const isUnit = tokens.some(({ text }) => text === 'UNIT');
  const own = fits.filter(({ index }) => unitWord.test(candidates[index] ?? '') === isUnit);
  if (own.length === fits.length) return fits;
  const hasBoth =
    candidates.some((line) => unitWord.test(line)) && candidates.some((line) => flatWord.test(line));
  return hasBoth ? own : fits;
}

/** So many, evenly from all of them, are enough to learn from. */
const linesRead = 40;

/** What the lines of the postcode itself show counts for more. */
function withOwn(endings: Endings, postcode: string, candidates: readonly string[]): Endings {
  const ending = `, ${postcode}`;
  const step = Math.ceil(candidates.length / linesRead);
  const lines = candidates
    .filter((_, index) => index % step === 0)
    .map((line) => (line.endsWith(ending) ? line.slice(0, -ending.length) : line))
    .filter((line) => !line.includes(','));
  if (lines.length === 0) return endings;
  const learnt = new Map([...endings, ...learnEndings(lines)]);
  return new Map([...endingsOfAll(lines, learnt), ...learnt]);
}

const isPerfectTwice = (fits: readonly Fit[]) => fits[1]?.result.score === 1;

/** All that fit, the best first, and how the nearest of the others differs. */
function findFits(
  input: Address,
  postcode: string,
  candidates: readonly string[],
  endings: Endings,
): { readonly fits: readonly Fit[]; readonly nearest: Difference | undefined; readonly isCutShort: boolean } {
  const numbers = numbersOf(input);
  const readings = readingsOf(input);
  const compared = new Map<string, Comparison>();
  const fits: Fit[] = [];
  let nearest: Difference | undefined;
  let perfect = 0;
  for (const [index, candidate] of candidates.entries()) {
    const barrier = numbersDiffer(candidate, postcode, numbers);
    if (barrier !== undefined) {
      nearest = nearest === undefined ? barrier : nearerOf(nearest, barrier);
      continue;
    }
    if (compared.size >= mostCompared) return { fits, nearest, isCutShort: true };
    const result =
      compared.get(candidate) ?? compareAddresses(input, parseLine(candidate, postcode, endings), readings);
    compared.set(candidate, result);
    if (result.kind === 'different') {
      nearest = nearest === undefined ? result.difference : nearerOf(nearest, result.difference);
      continue;
    }
    fits.push({ index, result });
    if (result.score === 1) perfect += 1;
    // Two that are the same to the letter: no other can be better.
    if (perfect > 1) break;
  }
  fits.sort((a, b) => b.result.score - a.result.score);
  return { fits, nearest, isCutShort: false };
}

/** Runs of digits in everything that numbers the home. */
function numbersOf({ numbers, units, blocks }: Address): ReadonlySet<string> {
  const values = [...numbers.map(({ value }) => value), ...units.map(({ id }) => id), blocks];
  return new Set(values.flatMap((value) => value.match(/\d+/g) ?? []));
}

/**
 * Passes over most candidates unread: a number may be missing on one side, but never one here and another there.
 */
function numbersDiffer(
  candidate: string,
  postcode: string,
  numbers: ReadonlySet<string>,
): Difference | undefined {
  if (numbers.size === 0) return undefined;
  const end = candidate.endsWith(postcode) ? candidate.length - postcode.length : candidate.length;
  let theirs = 0;
  let shared = 0;
  for (let at = 0; at < end; at += 1) {
    let code = candidate.charCodeAt(at);
    if (code > 127) return undefined;
    if (code < 48 || code > 57) continue;
    const start = at;
    while (at < end && code >= 48 && code <= 57) {
      at += 1;
      code = candidate.charCodeAt(at);
    }
    theirs += 1;
    if (numbers.has(withoutZeros(candidate.slice(start, at)))) shared += 1;
    else if (isAfterFlat(candidate, start)) return 'another unit';
  }
  return shared >= numbers.size || shared === theirs ? undefined : 'another number';
}

const withoutZeros = (digits: string) =>
  digits.charCodeAt(0) === 48 ? digits.replace(/^0+(?=\d)/, '') : digits;

/** "Flat 7" where 7 is nowhere in the input. */
const isAfterFlat = (candidate: string, at: number) =>
  candidate.startsWith('FLAT ', at - 5) || candidate.startsWith('APARTMENT ', at - 10);

/** Leaves out fits that lack a name of the input which another candidate has, or take that for a slip. */
function withoutStrangers(
  fits: readonly Fit[],
  postcode: string,
  candidates: readonly string[],
): readonly Fit[] {
  const names = new Set(fits.flatMap(({ result }) => result.unexplained.map((words) => words.join(' '))));
  const slips = new Set(fits.flatMap(({ result: { slip } }) => (slip === undefined ? [] : [slip])));
  if (names.size + slips.size === 0) return fits;
  const elsewhere = { names: new Set<string>(), slips: new Set<string>() };
  const words = [...new Set([...names, ...slips].map((name) => name.split(' ', 1)[0] ?? ''))];
  for (const candidate of candidates) {
    const upper = candidate.toUpperCase();
    if (!words.some((word) => upper.includes(word))) continue;
    const { list } = tokenise(candidate, postcode);
    const parts = segmentsOf(list);
    // Without commas, the name may stand anywhere.
    const has = (name: string) =>
      parts.length > 1 ? parts.includes(name) : ` ${parts[0] ?? ''} `.includes(` ${name} `);
    for (const name of names) if (has(name)) elsewhere.names.add(name);
    for (const { text } of list) if (slips.has(text)) elsewhere.slips.add(text);
  }
  // Without commas a town is not always told from the locality before it: the line's own end is its own.
  const isOwnEnd = (index: number, name: string) => {
    const [line = '', ...more] = segmentsOf(tokenise(candidates[index] ?? '', postcode).list);
    return more.length === 0 && line.endsWith(` ${name}`);
  };
  return fits.filter(
    ({ index, result: { unexplained, slip } }) =>
      !unexplained.some((name) => elsewhere.names.has(name.join(' ')) && !isOwnEnd(index, name.join(' '))) &&
      !(slip !== undefined && elsewhere.slips.has(slip)),
  );
}

function segmentsOf(tokens: Tokens['list']): readonly string[] {
  const names: string[] = [];
  let name = '';
  for (const [at, { text, segment }] of tokens.entries()) {
    const isNew = tokens[at - 1]?.segment !== segment;
    if (isNew && name !== '') names.push(name);
    name = isNew ? text : `${name} ${text}`;
  }
  return name === '' ? names : [...names, name];
}

type Wanted = { readonly word: string; readonly weight: number };

/** By the words and numbers in common; of equally likely ones that with the nearest number, then the shorter. */
function suggest(input: Address, postcode: string, candidates: readonly string[]): readonly number[] {
  const wanted = [...new Set(input.plain.split(' '))]
    .filter((word) => /\w/.test(word))
    .slice(0, 24)
    .map((word) => ({ word, weight: /\d/.test(word) ? 1.5 : 1 }));
  const number = firstNumber(input.plain);
  // Only the best few are kept at any time, the best first.
  const best: { readonly index: number; readonly likeness: number }[] = [];
  for (const [index, candidate] of candidates.entries()) {
    const end = candidate.endsWith(postcode) ? candidate.length - postcode.length : candidate.length;
    const common = commonWeight(candidate, Math.min(end, 500), wanted);
    const distance = Math.min(Math.abs(firstNumber(candidate) - number), 9_999);
    const likeness =
      common + (common > 0 && isInRange(candidate, number) ? 1 : 0) - distance / 1e5 - end / 1e7;
    if (common === 0 || likeness <= (best[mostSuggestions - 1]?.likeness ?? 0)) continue;
    let at = best.length;
    while (at > 0 && likeness > (best[at - 1]?.likeness ?? 0)) at -= 1;
    best.splice(at, 0, { index, likeness });
    if (best.length > mostSuggestions) best.pop();
  }
  return best.map(({ index }) => index);
}

/** "28-32 Waldeck Street", asked for number 30. */
function isInRange(candidate: string, number: number): boolean {
  const [, start, last] = /(?<![\dA-Z])(\d{1,4})[A-Z]? ?- ?(\d{1,4})/.exec(candidate) ?? [];
  return start !== undefined && Number(start) <= number && number <= Number(last);
}

function firstNumber(text: string): number {
  let at = 0;
  while (at < text.length && !isDigit(text.charCodeAt(at))) at += 1;
  let value = 0;
  for (; at < text.length && isDigit(text.charCodeAt(at)) && value < 1e6; at += 1) {
    value = 10 * value + text.charCodeAt(at) - 48;
  }
  return value;
}

function commonWeight(candidate: string, end: number, wanted: readonly Wanted[]): number {
  const upper = candidate.toUpperCase();
  let sum = 0;
  for (const { word, weight } of wanted) {
    for (let at = upper.indexOf(word); at !== -1 && at < end; at = upper.indexOf(word, at + 1)) {
      if (isWordPart(upper.charCodeAt(at - 1)) || isWordPart(upper.charCodeAt(at + word.length))) continue;
      sum += weight;
      break;
    }
  }
  return sum;
}

const isDigit = (code: number) => code >= 48 && code <= 57;
const isWordPart = (code: number) => isDigit(code) || (code >= 65 && code <= 90);
