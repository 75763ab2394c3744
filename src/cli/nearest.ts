// How the command says which known word somebody may have meant.

import { nearestTo } from '../nearest.ts';

/** " Did you mean …?", or nothing where no word is near enough. */
export function didYouMean(typed: string, words: readonly string[]): string {
  const nearest = nearestTo(typed, words);
  return nearest === undefined ? '' : ` Did you mean ${nearest}?`;
}
