// What waits for somebody to follow a link: a sign-up, a reset, an invitation. Nothing but hashes of the links is kept; a link
// is made when it is sent or printed, and whichever of them is followed first ends the ask.

import {
  type Row,
  readNumber,
  readNumberOrNull,
  readText,
  readTextOrNull,
  readWord,
} from '../../storage/rows.ts';
import type { Sql } from '../../storage/sql.ts';
import { dayMs, hourMs } from '../../time.ts';
import type { Email } from '../email.ts';
import { inTime, isInTime } from '../in-time.ts';
import { type Role, roles } from '../people.ts';
import { hashToken, newId, newToken } from '../proof/secrets.ts';

/** The last two have no link: they tell an address that it has an account already, or none. */
const purposes = ['confirm', 'reset', 'invite', 'account exists', 'no account'] as const;
export type Purpose = (typeof purposes)[number];

const lifetimeMs: Readonly<Record<Purpose, number>> = {
  confirm: dayMs,
  reset: hourMs,
  invite: 7 * dayMs,
  'account exists': dayMs,
  'no account': dayMs,
};

/** Mails of one purpose that one address is sent in an hour, whoever asks for them: a flood of sign-ups leaves room for a reset. */
export const mailsPerHour = 5;

export type Ask = {
  readonly askId: string;
  readonly purpose: Purpose;
  readonly email: string;
  readonly emailKey: string;
  /** Whose password is reset, or who invited; null where that was a command. */
  readonly personId: string | null;
  readonly account: { readonly accountId: string; readonly name: string; readonly role: Role } | null;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly mailNextMs: number | null;
  readonly mailTries: number;
};

type AskWish = {
  readonly purpose: Purpose;
  readonly email: Email;
  readonly personId?: string;
  readonly account?: Ask['account'];
};

/** Where an address has been written to often enough nothing is kept, and nobody is told: the answer stays the same. */
export async function addAsk(sql: Sql, wish: AskWish, atMs: number): Promise<'added' | 'enough'> {
  const [count] = await sql.all(
    'SELECT COUNT(*) AS asks FROM people_asks WHERE email_key = ? AND purpose = ? AND created_ms > ? AND created_ms < ?',
    [wish.email.key, wish.purpose, atMs - hourMs, atMs + hourMs],
  );
  if (count === undefined || readNumber(count, 'asks') >= mailsPerHour) return 'enough';
  const { purpose, email, personId, account } = wish;
  await sql.all(
    `INSERT INTO people_asks (ask_id, purpose, email, email_key, person_id, account_id, account_name, role,
      created_ms, expires_ms, mail_next_ms, mail_tries) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)`,
    [
      newId('ask'),
      purpose,
      email.typed,
      email.key,
      personId ?? null,
      account?.accountId ?? null,
      account?.name ?? null,
      account?.role ?? null,
      atMs,
      atMs + lifetimeMs[purpose],
      atMs,
    ],
  );
  return 'added';
}

/** A new link's secret part. */
export async function mintToken(sql: Sql, askId: string): Promise<string> {
  const token = newToken();
  await sql.all('INSERT INTO people_ask_tokens (token_hash, ask_id) VALUES (?, ?)', [
    hashToken(token),
    askId,
  ]);
  return token;
}

export async function findByToken(
  sql: Sql,
  purpose: Purpose,
  token: string,
  atMs: number,
): Promise<Ask | undefined> {
  const [row] = await sql.all(
    `SELECT a.* FROM people_asks a JOIN people_ask_tokens t ON t.ask_id = a.ask_id
      WHERE t.token_hash = ? AND a.purpose = ? AND ${isInTime('a')}`,
    [hashToken(token), purpose, ...inTime(atMs)],
  );
  return row === undefined ? undefined : readAsk(row);
}

/** The link is followed: it is over for all links of the ask. */
export async function takeByToken(
  sql: Sql,
  purpose: Purpose,
  token: string,
  atMs: number,
): Promise<Ask | undefined> {
  const ask = await findByToken(sql, purpose, token, atMs);
  if (ask !== undefined) await dropAsks(sql, 'ask_id = ?', [ask.askId]);
  return ask;
}

export async function dropAsks(sql: Sql, where: string, values: readonly (string | number)[]): Promise<void> {
  await sql.all(
    `DELETE FROM people_ask_tokens WHERE ask_id IN (SELECT ask_id FROM people_asks WHERE ${where})`,
    values,
  );
  await sql.all(`DELETE FROM people_asks WHERE ${where}`, values);
}

export function readAsk(row: Row): Ask {
  const accountId = readTextOrNull(row, 'account_id');
  return {
    askId: readText(row, 'ask_id'),
    purpose: readWord(row, 'purpose', purposes),
    email: readText(row, 'email'),
    emailKey: readText(row, 'email_key'),
    personId: readTextOrNull(row, 'person_id'),
    account:
      accountId === null
        ? null
        : { accountId, name: readText(row, 'account_name'), role: readWord(row, 'role', roles) },
    createdAtMs: readNumber(row, 'created_ms'),
    expiresAtMs: readNumber(row, 'expires_ms'),
    mailNextMs: readNumberOrNull(row, 'mail_next_ms'),
    mailTries: readNumber(row, 'mail_tries'),
  };
}
