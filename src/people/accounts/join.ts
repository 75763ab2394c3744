// How somebody comes to belong to an account, whichever way led there.

import type { Sql } from '../../storage/sql.ts';
import { record } from '../audit.ts';
import type { Actor, Role } from '../people.ts';

/** Whoever belongs to it already stays as they are: an invitation takes nothing away. */
export async function join(
  sql: Sql,
  actor: Extract<Actor, { kind: 'person' }>,
  account: { readonly accountId: string; readonly role: Role } | null,
  atMs: number,
): Promise<void> {
  if (account === null) return;
  const { accountId, role } = account;
  const { personId } = actor;
  const rows = await sql.all(
    `INSERT INTO people_members (account_id, person_id, role, since_ms) VALUES (?, ?, ?, ?)
      ON CONFLICT (account_id, person_id) DO NOTHING RETURNING person_id`,
    [accountId, personId, role, atMs],
  );
  if (rows.length === 1)
    await record(sql, actor, { accountId, what: 'member.joined', subject: { personId }, detail: role }, atMs);
}
