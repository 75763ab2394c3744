// A person as pages see one, read from a row.

import {
  type Row,
  readNumber,
  readNumberOrNull,
  readText,
  readTextOrNull,
  readWord,
} from '../storage/rows.ts';
import type { Sql } from '../storage/sql.ts';
import type { PersonView } from './people.ts';

/** Of `people p`. */
export const personColumns = `p.person_id, p.email, p.name, p.standing, p.totp_secret, p.created_ms,
  (SELECT COUNT(*) FROM people_recovery_codes c WHERE c.person_id = p.person_id) AS codes_left`;

export function readPerson(row: Row): PersonView {
  return {
    personId: readText(row, 'person_id'),
    email: readText(row, 'email'),
    name: readTextOrNull(row, 'name'),
    standing: readWord(row, 'standing', ['customer', 'operator']),
    secondFactor: readTextOrNull(row, 'totp_secret') === null ? 'none' : 'totp',
    recoveryCodesLeft: readNumber(row, 'codes_left'),
    createdAtMs: readNumber(row, 'created_ms'),
  };
}

/** That one of `people p` has something in address or name; `likeOf` it is each of the three values. */
export const isPersonLike = `(p.email_key LIKE ? ESCAPE '\\' OR LOWER(p.email) LIKE ? ESCAPE '\\' OR LOWER(COALESCE(p.name, '')) LIKE ? ESCAPE '\\')`;

export const likeOf = (search: string): string => `%${search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;

/** What a sign-in rests on; never shown. */
export type Credentials = {
  readonly personId: string;
  readonly email: string;
  readonly emailKey: string;
  readonly passwordHash: string;
  readonly totpSecret: string | null;
  readonly totpPending: string | null;
  readonly totpStep: number | null;
};

export async function findCredentials(
  sql: Sql,
  by: { readonly emailKey: string } | { readonly personId: string },
): Promise<Credentials | undefined> {
  const [column, value] = 'emailKey' in by ? ['email_key', by.emailKey] : ['person_id', by.personId];
  const [row] = await sql.all(
    `SELECT person_id, email, email_key, password_hash, totp_secret, totp_pending, totp_step FROM people WHERE ${column} = ?`,
    [value],
  );
  if (row === undefined) return undefined;
  return {
    personId: readText(row, 'person_id'),
    email: readText(row, 'email'),
    emailKey: readText(row, 'email_key'),
    passwordHash: readText(row, 'password_hash'),
    totpSecret: readTextOrNull(row, 'totp_secret'),
    totpPending: readTextOrNull(row, 'totp_pending'),
    totpStep: readNumberOrNull(row, 'totp_step'),
  };
}
