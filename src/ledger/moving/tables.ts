// What both engines keep under the same names, and how the two are compared once one was copied into the other.

import type { DatabaseSync } from 'node:sqlite';
import type { Row } from '../../storage/rows.ts';
import { peopleColumns } from '../../storage/tables.ts';
import type { Ask } from '../postgres/database.ts';

/** Rows copied at once. */
export const portionRows = 5_000;

/** Columns that are the same in both, each with its type in the database; `identity` has one row. */
export const plainTables = {
  endpoints: { number: 'bigint', path: 'text' },
  windows: {
    account: 'bigint',
    mode: 'text',
    minute_start: 'bigint',
    minute_count: 'bigint',
    day_start: 'bigint',
    day_count: 'bigint',
    month_start: 'bigint',
    month_count: 'bigint',
  },
  periods: { account: 'bigint', ends_at: 'bigint', allowance_given: 'bigint' },
  usage: {
    account: 'bigint',
    hour: 'bigint',
    key: 'bigint',
    endpoint: 'bigint',
    status: 'integer',
    calls: 'bigint',
    credits: 'bigint',
  },
  closings: {
    seq: 'bigint',
    account: 'bigint',
    at: 'bigint',
    credits: 'bigint',
    lasting: 'bigint',
    balance_after: 'bigint',
    lasting_after: 'bigint',
    note: 'text',
    hash: 'text',
    entries: 'bigint',
    first_at: 'bigint',
    closing_hash: 'text',
  },
} as const;

export const keyColumns = {
  number: 'bigint',
  id: 'text',
  account: 'bigint',
  name: 'text',
  kind: 'text',
  hash: 'text',
  last_four: 'text',
  origins: 'text',
  paths: 'text',
  addresses: 'text',
  created_at: 'bigint',
  expires_at: 'bigint',
  revoked_at: 'bigint',
  replaced_by: 'bigint',
} as const;

export const accountColumns = {
  number: 'bigint',
  id: 'text',
  name: 'text',
  plan: 'text',
  own_allowance: 'bigint',
  own_minute_limit: 'bigint',
  own_day_limit: 'bigint',
  own_month_limit: 'bigint',
  balance: 'bigint',
  lasting: 'bigint',
  newest_entry: 'bigint',
  newest_hash: 'text',
  anchor_at: 'bigint',
  period_ends_at: 'bigint',
  allowance_given: 'bigint',
  created_at: 'bigint',
  closed_at: 'bigint',
  suspended_at: 'bigint',
  suspended_because: 'text',
} as const;

export const journalColumns = {
  seq: 'bigint',
  previous: 'bigint',
  account: 'bigint',
  at: 'bigint',
  kind: 'smallint',
  credits: 'bigint',
  lasting: 'bigint',
  balance_after: 'bigint',
  lasting_after: 'bigint',
  charge_id: 'text',
  request_id: 'text',
  key: 'bigint',
  endpoint: 'bigint',
  note: 'text',
  hash: 'text',
} as const;

export const repeatColumns = {
  entry: 'bigint',
  account: 'bigint',
  key: 'text',
  call: 'text',
  at: 'bigint',
} as const;

export type Columns = Readonly<Record<string, 'bigint' | 'integer' | 'smallint' | 'text'>>;

export const namesOfColumns = (columns: Columns): string => Object.keys(columns).join(', ');

/** Times by the second: sums of milliseconds would be more than SQLite can count. */
const sums: readonly (readonly [table: string, columns: readonly string[]])[] = [
  [
    'accounts',
    [
      'balance',
      'lasting',
      'allowance_given',
      'newest_entry',
      'created_at / 1000',
      'suspended_at / 1000',
      'length(suspended_because)',
    ],
  ],
  [
    'keys',
    [
      'account',
      'created_at / 1000',
      'replaced_by',
      'revoked_at / 1000',
      'expires_at / 1000',
      'length(origins)',
      'length(paths)',
      'length(addresses)',
    ],
  ],
  ['endpoints', ['number']],
  ['windows', ['minute_count', 'day_count', 'month_count', 'minute_start / 1000']],
  ['periods', ['ends_at / 1000', 'allowance_given']],
  ['repeats', ['entry', 'at / 1000']],
  ['usage', ['calls', 'credits', 'hour / 1000', 'key']],
  ['closings', ['entries', 'seq', 'first_at / 1000']],
  ['journal', ['credits', 'lasting', 'balance_after', 'at / 1000', 'kind', 'previous', 'key', 'endpoint']],
  ...Object.entries(peopleColumns).map(
    ([table, columns]) =>
      [
        table,
        Object.entries(columns).map(([name, type]) =>
          type === 'text' ? `length(${name})` : `${name} / 1000`,
        ),
      ] as const,
  ),
];

/** How many rows each table has. */
export type RowCounts = Readonly<Record<string, number>>;

/** How many rows each table has at both ends, or the first count or sum that they do not share. Within a transaction. */
export async function compareEnds(db: DatabaseSync, ask: Ask): Promise<RowCounts | string> {
  const counts: Record<string, number> = {};
  for (const [table, columns] of sums) {
    const figures = ['count(*)', ...columns.map((column) => `coalesce(sum(${column}), 0)`)].map(
      (what, index) => `CAST(${what} AS text) AS "${columns[index - 1] ?? 'rows'}"`,
    );
    const text = `SELECT ${figures.join(', ')} FROM`;
    const inFile: Row | undefined = db.prepare(`${text} ${table}`).get();
    const [there] = await ask(`${text} domesday.${table}`);
    const name = Object.keys({ ...inFile, ...there }).find((each) => inFile?.[each] !== there?.[each]);
    if (name !== undefined)
      return `${table}, ${name} (${String(inFile?.[name])} in the file, ${String(there?.[name])} in the database)`;
    counts[table] = Number(inFile?.rows);
  }
  return counts;
}
