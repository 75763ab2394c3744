// What was refused and why, counted by hour for the operator. Each service writes its own counts as they stand, so
// that one that may have been written can be written again.

import { readNumber, readText } from '../storage/rows.ts';
import type { Sql, Value } from '../storage/sql.ts';
import { hourMs } from '../time.ts';

type Refused = {
  /** null where no key was known. */
  readonly accountId: string | null;
  readonly path: string;
  readonly status: number;
  readonly code: string;
};

export type RefusalCount = Refused & { readonly calls: number; readonly lastHourMs: number };

type Count = Refused & { readonly hourMs: number; calls: number; written: number };

const keptHours = 25;
/** Different ones that wait to be written. */
const countsMost = 5_000;
const rowsMost = 200;

export class RefusalCounts {
  readonly #counterId: string;
  readonly #counts = new Map<string, Count>();

  constructor(counterId: string) {
    this.#counterId = counterId;
  }

  count(refused: Refused, atMs: number): 'counted' | 'no room' {
    const { accountId, path, status, code } = refused;
    const hour = Math.floor(atMs / hourMs) * hourMs;
    const name = `${hour} ${accountId ?? ''} ${path} ${status} ${code}`;
    const known = this.#counts.get(name);
    if (known !== undefined) {
      known.calls += 1;
      return 'counted';
    }
    if (this.#counts.size >= countsMost) return 'no room';
    this.#counts.set(name, { accountId, path, status, code, hourMs: hour, calls: 1, written: 0 });
    return 'counted';
  }

  async write(sql: Sql, nowMs: number): Promise<void> {
    const grown = [...this.#counts].filter(([, { calls, written }]) => calls > written);
    for (let start = 0; start < grown.length; start += rowsMost) {
      const part = grown.slice(start, start + rowsMost).map(([, count]) => ({ count, calls: count.calls }));
      await this.#writeRows(sql, part);
      for (const { count, calls } of part) count.written = calls;
    }
    // Of an hour that is over nothing more is counted; a clock that was set back begins where it left.
    for (const [name, count] of this.#counts) {
      if (count.calls === count.written && count.hourMs < nowMs - 2 * hourMs) this.#counts.delete(name);
    }
  }

  async #writeRows(
    sql: Sql,
    part: readonly { readonly count: Count; readonly calls: number }[],
  ): Promise<void> {
    await sql.all(
      `INSERT INTO refusals (hour_ms, counter_id, account_id, path, status, code, calls)
       VALUES ${part.map(() => '(?, ?, ?, ?, ?, ?, ?)').join(', ')}
       ON CONFLICT (hour_ms, counter_id, account_id, path, status, code) DO UPDATE SET calls = excluded.calls`,
      part.flatMap(({ count, calls }): readonly Value[] => [
        count.hourMs,
        this.#counterId,
        count.accountId ?? '',
        count.path,
        count.status,
        count.code,
        calls,
      ]),
    );
  }
}

/** Of the last 24 hours and the hour that they began in, most calls first. */
export async function refusalsOfDay(sql: Sql, nowMs: number): Promise<readonly RefusalCount[]> {
  const rows = await sql.all(
    `SELECT account_id, path, status, code, SUM(calls) AS calls, MAX(hour_ms) AS last_hour_ms FROM refusals
     WHERE hour_ms > ? GROUP BY account_id, path, status, code
     ORDER BY calls DESC, account_id, path, status, code LIMIT 1000`,
    [nowMs - keptHours * hourMs],
  );
  return rows.map((row) => {
    const account = readText(row, 'account_id');
    return {
      accountId: account === '' ? null : account,
      path: readText(row, 'path'),
      status: readNumber(row, 'status'),
      code: readText(row, 'code'),
      calls: readNumber(row, 'calls'),
      lastHourMs: readNumber(row, 'last_hour_ms'),
    };
  });
}

export async function forgetOldRefusals(sql: Sql, nowMs: number): Promise<void> {
  await sql.all('DELETE FROM refusals WHERE hour_ms <= ?', [nowMs - keptHours * hourMs]);
}
