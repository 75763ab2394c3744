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
  if (!isSample) return shortage;
  return shortage === undefined ? 'sample' : `sample, ${shortage}`;
}
