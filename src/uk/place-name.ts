// Names of places as people and publishers write them, brought to one form: for search and for joining tables.

/**
 * Case, accents, hyphens, commas and apostrophes do not matter; `&` is "and", `St.` and `Saint` are "st". Anything
 * else (`%`, `_`, `*`, `.`) means itself.
 */
export function foldName(text: string): string {
  return foldLetters(text)
    .replace(/[\s,\u002d\u2010-\u2015]+/g, ' ')
    .trim()
    .replace(/(?<![^ ])(?:saint|st\.?)(?![^ ])/g, 'st');
}

const foldLetters = (text: string) =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/['’‘`]/g, '')
    .replaceAll('&', ' and ');

/** For a text that is still being typed: the words alone, with one space between them. Saint is not St, as nobody knows
 *  what half a word will be. */
export const foldWords = (text: string): string =>
  foldLetters(text)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

const fillers = new Set(
  'the of and city county borough council islands island isle upon in ua royal london'.split(' '),
);

/** What is left of a name without the words that publishers add or leave out. */
export function joinKey(text: string): string {
  return foldName(text)
    .split(' ')
    .filter((word) => !fillers.has(word))
    .join(' ');
}
