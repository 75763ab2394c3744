// What amounts of council tax rest on; the postcodes only say which authority is meant.

import type { DatasetName } from '../use-coverage.ts';

export const taxDatasets: readonly DatasetName[] = ['council-tax', 'authorities'];
