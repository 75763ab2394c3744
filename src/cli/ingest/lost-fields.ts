// What a load takes away, field by field: the bundled sample says more than some official files do.

import { findLost, type Lost, whatItFills } from '../../contract/missing-datasets.ts';
import { endpoints } from '../../endpoints/index.ts';
import type { IngestReport } from '../../ingest/run.ts';
import type { Release } from '../../release/reader.ts';
import { howToLoad } from '../publications.ts';

type LostFields = Lost & { /** What brings them back. */ readonly advice: string | null };

/** Fields that answers had from the release before, and have nowhere any more. */
export const lostFields = (before: Release, made: Release): readonly LostFields[] =>
  findLost(endpoints, before, made).map((lost) => ({
    ...lost,
    advice: howToLoad({ dataset: lost.name, publication: lost.publication, file: lost.file }) ?? null,
  }));

/** Lines for the report. */
export function tellLostFields(
  { release, gaveWay }: IngestReport,
  lost: readonly LostFields[],
): readonly string[] {
  const gone = lost.map(({ name, what, fills, advice }) => {
    const has = release.findDataset(name);
    const why =
      what === undefined || has === undefined
        ? `${name} is not loaded`
        : `the loaded ${has.source} has no ${what}`;
    return `Null after this load, because ${why}: ${fills.join('; ')}.${advice === null ? '' : ` ${advice}`}`;
  });
  const given = gaveWay.map((name) => {
    const { fills } = whatItFills(endpoints, name);
    return `Where the sample of ${name} was, answers now lack this unless these files have it: ${fills.join('; ')}.`;
  });
  return [...gone, ...given];
}
