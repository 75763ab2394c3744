// What every part of this room stands on.

import type { Database } from '../storage/sql.ts';

export type Ground = {
  readonly database: Database;
  readonly now: () => number;
};
