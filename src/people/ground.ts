// What every part of this room stands on.

import type { Records } from '../records/records.ts';

export type Ground = {
  readonly records: Records;
  readonly now: () => number;
};
