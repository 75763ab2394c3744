// Calls that a newcomer can make from a page.

export type CallName = 'bank-rates' | 'council-tax' | 'area-statistics' | 'sold-prices';

type Sort = {
  readonly name: CallName;
  readonly label: string;
  readonly path: string;
  readonly takes: 'a postcode' | 'nothing';
};

/** Each costs one credit. */
export const sorts: readonly Sort[] = [
  { name: 'bank-rates', label: 'Bank Rate', path: '/api/v1/bank-rates?limit=1', takes: 'nothing' },
  { name: 'council-tax', label: 'Council tax', path: '/api/v1/council-tax/lookup', takes: 'a postcode' },
  { name: 'area-statistics', label: 'Area statistics', path: '/api/v1/area/statistics', takes: 'a postcode' },
  { name: 'sold-prices', label: 'Sold prices', path: '/api/v1/area/sold-prices', takes: 'a postcode' },
];

export const firstCall = '/api/v1/bank-rates?limit=1';

export function pathOf({ path, takes }: Sort, postcode: string): string {
  return takes === 'nothing' ? path : `${path}?${new URLSearchParams({ postcode })}`;
}
