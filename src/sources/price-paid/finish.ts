// One area from its records to its parts: nothing but this is done in the threads of price-paid-threads.ts.

import { outOfRange } from '../../columns/out-of-range.ts';
import { type Rejects, Tally } from '../../ingest/tally.ts';
import { encodeSaleParts, type SaleParts } from '../../tables/sales/encode.ts';
import { salesPart } from '../../tables/sales/sales.ts';
import { idWordsOf, mergeArea, noSales, type Release, readIds, readKnown, recordsOf } from './area.ts';
import type { IdTable } from './ids.ts';
import type { Spilled } from './spill.ts';

export type AreaJob = {
  readonly area: string;
  /** As the table of ids has it. */
  readonly number: number;
  /** Undefined where the files say nothing of it. */
  readonly spilled: Spilled | undefined;
};

/** What every job needs: the release before, if it is to be built on, and where the sales of the files belong now. */
export type AreaGround = { readonly release: Release | undefined; readonly whereabouts: IdTable };

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
  { release, whereabouts }: AreaGround,
): FinishedArea {
  const before = release?.has(salesPart(area)) === true ? release : undefined;
  if (spilled === undefined && whereabouts.size === 0) return { kind: 'kept' };
  const ids = before === undefined ? noSales.rows.ids : readIds(before, area);
  if (spilled === undefined && !hasLost(ids, number, whereabouts)) return { kind: 'kept' };
  const known = before === undefined ? noSales : readKnown(before, area, ids);
  const tally = new Tally();
  const merged = mergeArea(known, recordsOf(spilled), whereabouts, number, tally);
  if (merged.kind === 'same') return before === undefined ? { kind: 'empty', revised: [] } : { kind: 'kept' };
  const { rows, words } = merged;
  const revised = tally.revisions;
  if (rows.days.length === 0) return { kind: 'empty', revised };
  const parts = encodeSaleParts(rows, words);
  return { kind: 'changed', rows: rows.days.length, newestDay: rows.days[0] ?? outOfRange(), parts, revised };
}

/** Whether the files put a sale of this area elsewhere, or delete it. */
function hasLost(ids: Uint8Array, number: number, whereabouts: IdTable): boolean {
  const words = idWordsOf({ ids });
  return whereabouts.rowsKnown(words).some((row) => whereabouts.find(words, 4 * row) !== number);
}
