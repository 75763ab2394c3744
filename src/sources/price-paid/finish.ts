// One area from its records to its parts: the work of one finisher (finishers.ts).

import { type Rejects, Tally } from '../../ingest/tally.ts';
import { defined } from '../../out-of-range.ts';
import { hasSales, readSaleIds, readSales } from '../../tables/sales/decode.ts';
import { encodeSaleParts, type SaleParts } from '../../tables/sales/encode.ts';
import { noSales } from '../../tables/sales/rows.ts';
import { idWordsOf, mergeArea, type Release, recordsOf } from './area.ts';
import type { IdTable } from './ids.ts';
import type { Spilled } from './spill.ts';

export type AreaJob = {
  readonly area: string;
  /** The area's number in the table of ids. */
  readonly number: number;
  /** Undefined where the files say nothing of it. */
  readonly spilled: Spilled | undefined;
};

/** What every job needs: the release before, if it is built on, and where the sales of the files belong now. */
export type AreaInputs = { readonly release: Release | undefined; readonly whereabouts: IdTable };

export type FinishedArea =
  | { readonly kind: 'kept' }
  | { readonly kind: 'empty'; readonly revised: readonly Rejects[] }
  | {
      readonly kind: 'changed';
      readonly rows: number;
      readonly newestDay: number;
      readonly parts: SaleParts;
      readonly revised: readonly Rejects[];
    };

export function finishArea(
  { area, number, spilled }: AreaJob,
  { release, whereabouts }: AreaInputs,
): FinishedArea {
  const before = release !== undefined && hasSales(release, area) ? release : undefined;
  if (spilled === undefined && whereabouts.size === 0) return { kind: 'kept' };
  const ids = before === undefined ? noSales.rows.ids : readSaleIds(before, area);
  if (spilled === undefined && !hasLost(ids, number, whereabouts)) return { kind: 'kept' };
  const known = before === undefined ? noSales : readSales(before, area, ids);
  const tally = new Tally();
  const merged = mergeArea(known, recordsOf(spilled), whereabouts, number, tally);
  if (merged.kind === 'same') return before === undefined ? { kind: 'empty', revised: [] } : { kind: 'kept' };
  const { rows, words } = merged;
  const revised = tally.revisions;
  if (rows.days.length === 0) return { kind: 'empty', revised };
  const parts = encodeSaleParts(rows, words);
  return { kind: 'changed', rows: rows.days.length, newestDay: defined(rows.days[0]), parts, revised };
}

/** Whether the files move a sale of this area elsewhere, or delete it. */
function hasLost(ids: Uint8Array, number: number, whereabouts: IdTable): boolean {
  const words = idWordsOf({ ids });
  return whereabouts.rowsKnown(words).some((row) => whereabouts.find(words, 4 * row) !== number);
}
