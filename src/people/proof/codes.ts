// The second factor at the moment of its use: a code of the authenticator app, or one of ten recovery codes, each once.

import { randomBytes } from 'node:crypto';
import type { Sql } from '../../storage/sql.ts';
import { hashToken } from './secrets.ts';
import { base32, findStep, fromBase32, secretLength, stepsAheadMost } from './totp.ts';

const recoveryCodes = 10;
/** 80 bits, in base 32. */
const recoveryBytes = 10;

type Factor = { readonly secret: string; readonly lastStep: number | null };

export const newSecret = (): string => base32(randomBytes(secretLength));

/** Uses the code up where it is right. */
export async function useCode(
  sql: Sql,
  personId: string,
  { secret, lastStep }: Factor,
  code: string,
  atMs: number,
): Promise<'right' | 'wrong'> {
  const typed = code.replace(/[\s-]/g, '');
  const step = findStep(fromBase32(secret), typed, { atMs, lastStep });
  if (step !== undefined) {
    const rows = await sql.all(
      `UPDATE people SET totp_step = ? WHERE person_id = ? AND (totp_step IS NULL OR totp_step < ? OR totp_step > ?)
        RETURNING person_id`,
      [step, personId, step, step + stepsAheadMost],
    );
    return rows.length === 1 ? 'right' : 'wrong';
  }
  const rows = await sql.all(
    'DELETE FROM people_recovery_codes WHERE person_id = ? AND code_hash = ? RETURNING person_id',
    [personId, hashToken(typed.toUpperCase())],
  );
  return rows.length === 1 ? 'right' : 'wrong';
}

/** Ten new ones in the place of all before, such as ABCD-EFGH-IJKL-MNOP. */
export async function replaceRecoveryCodes(sql: Sql, personId: string): Promise<readonly string[]> {
  await sql.all('DELETE FROM people_recovery_codes WHERE person_id = ?', [personId]);
  const codes = Array.from({ length: recoveryCodes }, () => base32(randomBytes(recoveryBytes)));
  for (const code of codes) {
    await sql.all('INSERT INTO people_recovery_codes (person_id, code_hash) VALUES (?, ?)', [
      personId,
      hashToken(code),
    ]);
  }
  return codes.map((code) => code.replace(/(.{4})(?=.)/g, '$1-'));
}
