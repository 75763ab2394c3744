// Lists by their names: what is loaded does not depend on which of them came first, and one that is loaded again changes
// nothing.

import { defined } from '../../out-of-range.ts';
import type { ValuationRow } from '../../tables/valuations/valuations.ts';

/** `list` of each row is a place among the lists. */
export function orderByName<L extends { readonly name: string }>(
  lists: readonly L[],
  rows: readonly ValuationRow[],
): { readonly lists: readonly L[]; readonly rows: readonly ValuationRow[] } {
  const ordered = lists.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const places = lists.map((list) => ordered.indexOf(list));
  return {
    lists: ordered,
    rows: rows.map((row) => ({ ...row, list: defined(places[row.list]) })).sort((a, b) => a.list - b.list),
  };
}
