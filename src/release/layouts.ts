// How the parts of each dataset are laid out: the one layout that this program writes and reads. It is raised whenever a
// reader can no longer read what was written before, so that data of another version of the program is told by its
// manifest, never by a column that is missing.

import type { DatasetName } from '../datasets.ts';

/** Every dataset that is not named here has its first one. */
const raised: ReadonlyMap<DatasetName, number> = new Map([['price-paid', 2]]);

export const firstLayout = 1;

export const layoutOf = (dataset: DatasetName): number => raised.get(dataset) ?? firstLayout;
