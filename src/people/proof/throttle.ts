// How guessing is slowed down. Every try is counted before it is judged, so that many at once gain nothing; one that was right
// is taken back. Counts lie in the database, shared by all replicas, under keyed hashes: no address can be read from them.

import { readNumber } from '../../storage/rows.ts';
import type { Database, Sql } from '../../storage/sql.ts';
import { dayMs } from '../../time.ts';
import { keyedHash } from './secrets.ts';

/** So many tries are free; each after them makes the next wait, twice as long each time. */
export type Rule = {
  readonly free: number;
  readonly firstWaitMs: number;
  readonly waitMostMs: number;
  /** One failure is forgotten for each such time without a try, so that slips of an office never add up. */
  readonly forgetOneEveryMs: number;
};

export type Count = { readonly of: string; readonly rule: Rule };

/** A count is forgotten whole when nothing was tried for so long. */
export const forgottenAfterMs = dayMs;

function waitAfter(failures: number, { free, firstWaitMs, waitMostMs }: Rule): number {
  if (failures <= free) return 0;
  return Math.min(firstWaitMs * 2 ** Math.min(failures - free - 1, 30), waitMostMs);
}

type Kept = { readonly failures: number; readonly openMs: number };
const none: Kept = { failures: 0, openMs: 0 };

export class Throttle {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Counts a try against each of these, or tells how long to wait; a try that is refused is not counted. */
  async begin(counts: readonly Count[], atMs: number): Promise<{ readonly waitMs: number }> {
    return this.#database.transaction(async (sql) => {
      const found: { readonly place: string; readonly rule: Rule; readonly kept: Kept }[] = [];
      for (const { of, rule } of counts) {
        const place = await keyedHash(sql, of);
        found.push({ place, rule, kept: await find(sql, place, rule, atMs) });
      }
      // Never longer than the rule has it, whatever another machine's clock says.
      const waitMs = Math.max(
        0,
        ...found.map(({ kept, rule }) => Math.min(kept.openMs - atMs, rule.waitMostMs)),
      );
      if (waitMs > 0) return { waitMs };
      for (const { place, rule, kept } of found) {
        const failures = kept.failures + 1;
        await sql.all(
          `INSERT INTO people_throttle (place, failures, last_ms, open_ms) VALUES (?, ?, ?, ?)
            ON CONFLICT (place) DO UPDATE SET failures = excluded.failures, last_ms = excluded.last_ms, open_ms = excluded.open_ms`,
          [place, failures, atMs, atMs + waitAfter(failures, rule)],
        );
      }
      return { waitMs: 0 };
    });
  }

  /** The try was right: it counts nowhere. `forget` is begun anew, `keep` keeps what failed before. */
  async takeBack(
    sql: Sql,
    counts: { readonly forget: readonly Count[]; readonly keep: readonly Count[] },
    atMs: number,
  ): Promise<void> {
    for (const { of } of counts.forget) {
      await sql.all('DELETE FROM people_throttle WHERE place = ?', [await keyedHash(sql, of)]);
    }
    for (const { of } of counts.keep) {
      await sql.all(
        'UPDATE people_throttle SET failures = failures - 1, open_ms = ? WHERE place = ? AND failures > 0',
        [atMs, await keyedHash(sql, of)],
      );
    }
  }
}

async function find(sql: Sql, place: string, rule: Rule, atMs: number): Promise<Kept> {
  const [row] = await sql.all('SELECT failures, last_ms, open_ms FROM people_throttle WHERE place = ?', [
    place,
  ]);
  const quietMs = row === undefined ? forgottenAfterMs : atMs - readNumber(row, 'last_ms');
  // Further ahead than any wait, it was counted under a clock that was wrong.
  if (row === undefined || quietMs >= forgottenAfterMs || quietMs < -rule.waitMostMs) return none;
  const failures = readNumber(row, 'failures');
  const forgotten = Math.floor(Math.max(0, quietMs) / rule.forgetOneEveryMs);
  return {
    failures: Math.max(0, failures - forgotten),
    openMs: failures > rule.free ? readNumber(row, 'open_ms') : 0,
  };
}
