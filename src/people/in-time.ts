// What counts at a moment. What lies further in the future than it ever lasts was written under a clock that was ahead, and counts
// as not there. It stays: it may be this clock that is behind.

/** SQL: a row with `created_ms` and `expires_ms` is not over, and began no further ahead than it lasts. `inTime` has the values. */
export const isInTime = (table: string): string =>
  `(${table}.expires_ms > ? AND 2 * ${table}.created_ms - ${table}.expires_ms < ?)`;

export const inTime = (atMs: number): readonly [number, number] => [atMs, atMs];
