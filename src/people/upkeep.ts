// What is over is removed once an hour: expired sessions, devices, links, counts and
// what was held for a while. Nothing depends on it but the room it takes.

import type { Sql } from '../storage/sql.ts';
import { dropAsks } from './mail/asks.ts';
import { forgottenAfterMs } from './proof/throttle.ts';

export async function clearOut(sql: Sql, atMs: number): Promise<void> {
  await sql.all('DELETE FROM people_sessions WHERE expires_ms <= ?', [atMs]);
  await sql.all('DELETE FROM people_devices WHERE expires_ms <= ?', [atMs]);
  await sql.all('DELETE FROM people_page_keys WHERE expires_ms <= ?', [atMs]);
  await sql.all('DELETE FROM people_watching WHERE until_ms <= ?', [atMs]);
  await sql.all('DELETE FROM people_throttle WHERE last_ms < ?', [atMs - forgottenAfterMs]);
  await dropAsks(sql, 'expires_ms <= ?', [atMs]);
}
