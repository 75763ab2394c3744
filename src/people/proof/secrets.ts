// Random tokens and the hashes that are kept of them: whoever reads the database can use none.

import { createHmac, hash, randomBytes } from 'node:crypto';
import { readText } from '../../storage/rows.ts';
import type { Sql } from '../../storage/sql.ts';

/** 256 bits, as a cookie or the end of a link. */
export const newToken = (): string => randomBytes(32).toString('base64url');

/** A plain SHA-256 is enough: 256 random bits cannot be guessed. */
export const hashToken = (token: string): string => hash('sha256', token, 'base64url');

/** An id that is no secret. */
export const newId = (prefix: 'per' | 'ses' | 'ask' | 'req' | 'wat'): string =>
  `${prefix}_${randomBytes(12).toString('hex')}`;

/** Hashes of addresses are keyed, since addresses can be guessed. The key is made once for all replicas. */
export async function keyedHash(sql: Sql, text: string): Promise<string> {
  const [kept] = await sql.all("SELECT value FROM people_secrets WHERE name = 'addresses'");
  if (kept === undefined) {
    await sql.all(
      "INSERT INTO people_secrets (name, value) VALUES ('addresses', ?) ON CONFLICT (name) DO NOTHING",
      [newToken()],
    );
    return keyedHash(sql, text);
  }
  return createHmac('sha256', readText(kept, 'value')).update(text).digest('base64url');
}
