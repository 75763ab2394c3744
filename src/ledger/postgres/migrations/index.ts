// Every migration, oldest first. A new ledger runs through all of them, so that there is one way to each table.

import { ledger } from './0001-ledger.ts';
import { hotRows } from './0002-hot-rows.ts';
import { usageByDay } from './0003-usage-by-day.ts';
import { suspensions } from './0004-suspensions.ts';
import { shorterCharges } from './0005-shorter-charges.ts';
import { idsInABatch } from './0006-ids-in-a-batch.ts';
import { presumedCharges } from './0007-presumed-charges.ts';
import { recallsByKey } from './0008-recalls-by-key.ts';
import { locksInOneOrder } from './0009-locks-in-one-order.ts';
import type { Migration } from './migration.ts';

export const migrations: readonly Migration[] = [
  ledger,
  hotRows,
  usageByDay,
  suspensions,
  shorterCharges,
  idsInABatch,
  presumedCharges,
  recallsByKey,
  locksInOneOrder,
];
