// Whose keys of pages are: each was made in a session, by a role in an account, and is to end with either. The ledger ends it;
// what is kept here says when.

import type { Accounts } from '../../ledger/ledger.ts';
import { readText } from '../../storage/rows.ts';
import type { Ground } from '../ground.ts';
import { inTime, isInTime } from '../in-time.ts';
import type { PageKey, PageKeys } from '../people.ts';

export class KeptPageKeys implements PageKeys {
  readonly #ground: Ground;

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  async note(
    { keyId, accountId }: PageKey,
    of: { readonly personId: string; readonly sessionId: string; readonly expiresAtMs: number },
  ): Promise<void> {
    // The ledger gives the id of a key that has ended to the next one.
    await this.#ground.database.all(
      `INSERT INTO people_page_keys (key_id, account_id, person_id, session_id, expires_ms) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (key_id) DO UPDATE SET account_id = excluded.account_id, person_id = excluded.person_id,
          session_id = excluded.session_id, expires_ms = excluded.expires_ms`,
      [keyId, accountId, of.personId, of.sessionId, of.expiresAtMs],
    );
  }

  async endOrphans(end: (key: PageKey) => Promise<void>): Promise<void> {
    const { database, now } = this.#ground;
    const rows = await database.all(
      `SELECT k.key_id, k.account_id, k.session_id FROM people_page_keys k WHERE k.expires_ms > ? AND (
        NOT EXISTS (SELECT 1 FROM people_sessions s WHERE s.session_id = k.session_id AND ${isInTime('s')})
        OR NOT EXISTS (SELECT 1 FROM people_members m WHERE m.account_id = k.account_id AND m.person_id = k.person_id
          AND m.role IN ('owner', 'developer')))`,
      [now(), ...inTime(now())],
    );
    for (const row of rows) {
      const keyId = readText(row, 'key_id');
      await end({ keyId, accountId: readText(row, 'account_id') });
      // Not where the id is another's meanwhile.
      await database.all('DELETE FROM people_page_keys WHERE key_id = ? AND session_id = ?', [
        keyId,
        readText(row, 'session_id'),
      ]);
    }
  }
}

export async function revokePageKey(
  accounts: Pick<Accounts, 'findKey' | 'revokeKey'>,
  { accountId, keyId }: PageKey,
  atMs: number,
): Promise<void> {
  const key = await accounts.findKey(accountId, keyId);
  if (key?.revokedAtMs === null) await accounts.revokeKey(keyId, atMs);
}
