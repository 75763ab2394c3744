// Whether there should be something newer than a dataset by now: what `domesday check` warns of and the operator's page shows.

import { dayMs } from '../time.ts';
import type { KnownDataset } from './manifest.ts';

/** Older data than this is worth a look, whatever its publisher's rhythm. */
const staleAfterDays = 200;

type Dated = Pick<KnownDataset, 'asOf' | 'nextEditionExpected'>;

export const ageDays = ({ asOf }: Pick<Dated, 'asOf'>, atMs: number): number =>
  Math.floor((atMs - Date.parse(asOf)) / dayMs);

export const isOld = (dataset: Dated, atMs: number): boolean =>
  ageDays(dataset, atMs) > staleAfterDays && isDue(dataset, atMs);

/** Where the publisher says in which year there will be something newer, that year decides: a census is not old after one. */
function isDue({ nextEditionExpected }: Dated, atMs: number): boolean {
  const [year] = /\b20\d\d\b/.exec(nextEditionExpected ?? '') ?? [];
  return year === undefined || new Date(atMs).getUTCFullYear() >= Number(year);
}
