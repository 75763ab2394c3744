// Every migration, oldest first. A new ledger runs through all of them, so that there is one way to each table.

import { oneBalance } from './0001-one-balance.ts';
import { twoBalances } from './0002-two-balances.ts';
import { chain } from './0003-chain.ts';
import { repeats } from './0004-repeats.ts';
import { identity } from './0005-identity.ts';
import { usageByDay } from './0006-usage-by-day.ts';
import { bindings } from './0007-bindings.ts';
import { suspensions } from './0008-suspensions.ts';
import { daysThatAreOver } from './0009-days-that-are-over.ts';
import type { Migration } from './migration.ts';

export const migrations: readonly Migration[] = [
  oneBalance,
  twoBalances,
  chain,
  repeats,
  identity,
  usageByDay,
  bindings,
  suspensions,
  daysThatAreOver,
];
