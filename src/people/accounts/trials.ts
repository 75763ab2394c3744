// One trial for each mailbox, for ever, whatever tag its address has: what is kept of it is a keyed hash, which stays when the person is erased.

import { readTextOrNull } from '../../storage/rows.ts';
import type { Sql } from '../../storage/sql.ts';
import { minuteMs } from '../../time.ts';
import { mailboxOf } from '../email.ts';
import type { Ground } from '../ground.ts';
import { notFound, refuse } from '../outcome.ts';
import type { Actor, Trials } from '../people.ts';
import { findCredentials } from '../person-view.ts';
import { keyedHash } from '../proof/secrets.ts';
import { join } from './join.ts';

/** After that whoever began to open one is taken for dead, and it may be begun again. */
const openingMostMs = minuteMs;

export class KeptTrials implements Trials {
  readonly #ground: Ground;

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  async stateOf(personId: string): ReturnType<Trials['stateOf']> {
    const { database } = this.#ground;
    const place = await placeOf(database, personId);
    const [row] =
      place === undefined
        ? []
        : await database.all('SELECT account_id FROM people_trials WHERE address_hash = ?', [place]);
    return row !== undefined && readTextOrNull(row, 'account_id') !== null ? 'used' : 'available';
  }

  async open(
    actor: Extract<Actor, { kind: 'person' }>,
    makeAccount: () => Promise<string>,
  ): ReturnType<Trials['open']> {
    const { database, now } = this.#ground;
    const place = await placeOf(database, actor.personId);
    if (place === undefined) return notFound('person');
    const begunMs = now();
    const begun = await database.all(
      `INSERT INTO people_trials (address_hash, begun_ms, account_id) VALUES (?, ?, NULL)
        ON CONFLICT (address_hash) DO UPDATE SET begun_ms = excluded.begun_ms
        WHERE people_trials.account_id IS NULL AND (people_trials.begun_ms < ? OR people_trials.begun_ms > ?) RETURNING address_hash`,
      [place, begunMs, begunMs - openingMostMs, begunMs + openingMostMs],
    );
    if (begun.length === 0) {
      return refuse(
        'CONFLICT',
        'You have already had your trial; an operator can open more accounts for you.',
      );
    }
    const accountId = await this.#made(makeAccount, place, begunMs);
    await database.transaction(async (sql) => {
      await sql.all('UPDATE people_trials SET account_id = ? WHERE address_hash = ?', [accountId, place]);
      await join(sql, actor, { accountId, role: 'owner' }, now());
    });
    return { kind: 'done', accountId };
  }

  async #made(makeAccount: () => Promise<string>, place: string, begunMs: number): Promise<string> {
    try {
      return await makeAccount();
    } catch (error) {
      await this.#ground.database.all(
        'DELETE FROM people_trials WHERE address_hash = ? AND begun_ms = ? AND account_id IS NULL',
        [place, begunMs],
      );
      throw error;
    }
  }
}

async function placeOf(sql: Sql, personId: string): Promise<string | undefined> {
  const person = await findCredentials(sql, { personId });
  return person === undefined ? undefined : keyedHash(sql, `trial ${mailboxOf(person.emailKey)}`);
}
