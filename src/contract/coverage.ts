// What a reply says of the data behind it that lacks something: the text of X-Data-Coverage.

import type { DatasetName } from '../datasets.ts';
import type { Release } from '../release/reader.ts';

/** Words with commas between them, then why, after a semicolon. Where there is nothing, that it is a sample adds nothing.
 *  Undefined where nothing is lacking. */
export function coverageOf(
  release: Release,
  sampled: readonly DatasetName[],
  shortage: string | undefined,
): string | undefined {
  if (shortage?.startsWith('none')) return shortage;
  const isSample = sampled.some((name) => release.findDataset(name)?.extent === 'sample');
  const told = shortage ?? partOf(release, sampled);
  if (!isSample) return told;
  return told === undefined ? 'sample' : `sample, ${told}`;
}

/** Which sales are missing cannot be told of a place, so every answer says what is there. Answers from other datasets that
 *  are loaded in part tell of their own place whether something is missing. */
function partOf(release: Release, cited: readonly DatasetName[]): string | undefined {
  if (!cited.includes('price-paid')) return undefined;
  const sales = release.findDataset('price-paid');
  if (sales?.extent !== 'partial') return undefined;
  return `partial; loaded: ${Object.values(sales.coverage)[0]}`;
}
