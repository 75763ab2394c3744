// Who belongs to which account, with which role. An account that has an owner keeps one.

import { readNumber, readText, readTextOrNull, readWord } from '../../storage/rows.ts';
import type { Sql } from '../../storage/sql.ts';
import { dayMs, hourMs } from '../../time.ts';
import { record } from '../audit.ts';
import { parseEmail } from '../email.ts';
import type { Ground } from '../ground.ts';
import { inTime, isInTime } from '../in-time.ts';
import { addAsk, dropAsks, findByToken, mailsPerHour, takeByToken } from '../mail/asks.ts';
import type { Outbox } from '../mail/outbox.ts';
import { done, notFound, refuse } from '../outcome.ts';
import {
  type Actor,
  type Members,
  type Membership,
  type Outcome,
  type Refusal,
  type Role,
  roles,
} from '../people.ts';
import { findCredentials, isPersonLike, likeOf } from '../person-view.ts';
import { join } from './join.ts';

const invitesPerDay = 50;
/** Values that one question may have. */
const valuesMost = 500;

const lastOwner = refuse(
  'CONFLICT',
  'An account needs at least one owner; make somebody else an owner first.',
);

export class KeptMembers implements Members {
  readonly #ground: Ground;
  readonly #outbox: Outbox;

  constructor(ground: Ground, outbox: Outbox) {
    this.#ground = ground;
    this.#outbox = outbox;
  }

  async of(personId: string): Promise<readonly Membership[]> {
    const rows = await this.#ground.database.all(
      'SELECT account_id, role FROM people_members WHERE person_id = ? ORDER BY since_ms, account_id',
      [personId],
    );
    return rows.map((row) => ({
      accountId: readText(row, 'account_id'),
      role: readWord(row, 'role', roles),
    }));
  }

  roleIn(personId: string, accountId: string): Promise<Role | undefined> {
    return findRole(this.#ground.database, personId, accountId);
  }

  async list(accountId: string): ReturnType<Members['list']> {
    const { database, now } = this.#ground;
    const members = await database.all(
      `SELECT m.person_id, p.email, p.name, m.role, m.since_ms FROM people_members m JOIN people p ON p.person_id = m.person_id
        WHERE m.account_id = ? ORDER BY m.since_ms, m.person_id`,
      [accountId],
    );
    const invites = await database.all(
      `SELECT ask_id, email, role, created_ms, expires_ms FROM people_asks a
        WHERE account_id = ? AND purpose = 'invite' AND ${isInTime('a')} ORDER BY created_ms, ask_id`,
      [accountId, ...inTime(now())],
    );
    return {
      members: members.map((row) => ({
        personId: readText(row, 'person_id'),
        email: readText(row, 'email'),
        name: readTextOrNull(row, 'name'),
        role: readWord(row, 'role', roles),
        sinceMs: readNumber(row, 'since_ms'),
      })),
      invites: invites.map((row) => ({
        inviteId: readText(row, 'ask_id'),
        email: readText(row, 'email'),
        role: readWord(row, 'role', roles),
        sentAtMs: readNumber(row, 'created_ms'),
        expiresAtMs: readNumber(row, 'expires_ms'),
      })),
    };
  }

  async accountsOf(search: string): Promise<readonly string[]> {
    const like = likeOf(search);
    const rows = await this.#ground.database.all(
      `SELECT DISTINCT m.account_id FROM people_members m JOIN people p ON p.person_id = m.person_id WHERE ${isPersonLike}`,
      [like, like, like],
    );
    return rows.map((row) => readText(row, 'account_id'));
  }

  async owners(accountIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const owners = new Map<string, string[]>(accountIds.map((accountId) => [accountId, []]));
    for (let at = 0; at < accountIds.length; at += valuesMost) {
      const some = accountIds.slice(at, at + valuesMost);
      const rows = await this.#ground.database.all(
        `SELECT m.account_id, p.email FROM people_members m JOIN people p ON p.person_id = m.person_id
          WHERE m.role = 'owner' AND m.account_id IN (${some.map(() => '?').join(', ')}) ORDER BY m.since_ms, m.person_id`,
        some,
      );
      for (const row of rows) owners.get(readText(row, 'account_id'))?.push(readText(row, 'email'));
    }
    return owners;
  }

  ownedAlone(personId: string): Promise<readonly string[]> {
    return findOwnedAlone(this.#ground.database, personId);
  }

  changeRole(actor: Actor, accountId: string, personId: string, role: Role): Promise<Outcome> {
    return this.#ground.database.transaction(async (sql) => {
      const before = await findRole(sql, personId, accountId);
      if (before === undefined) return notFound('member');
      if (before === role) return done;
      if (before === 'owner' && !(await hasOtherOwner(sql, personId, accountId))) return lastOwner;
      await sql.all('UPDATE people_members SET role = ? WHERE account_id = ? AND person_id = ?', [
        role,
        accountId,
        personId,
      ]);
      if (before === 'owner') await dropInvitesBy(sql, personId, accountId);
      const event = {
        accountId,
        what: 'member.role-changed',
        subject: { personId },
        detail: `${before} → ${role}`,
      };
      await record(sql, actor, event, this.#ground.now());
      return done;
    });
  }

  remove(actor: Actor, accountId: string, personId: string): Promise<Outcome> {
    return this.#ground.database.transaction(async (sql) => {
      const role = await findRole(sql, personId, accountId);
      if (role === undefined) return notFound('member');
      if (role === 'owner' && !(await hasOtherOwner(sql, personId, accountId))) return lastOwner;
      await sql.all('DELETE FROM people_members WHERE account_id = ? AND person_id = ?', [
        accountId,
        personId,
      ]);
      await dropInvitesBy(sql, personId, accountId);
      const what = actor.kind === 'person' && actor.personId === personId ? 'member.left' : 'member.removed';
      await record(sql, actor, { accountId, what, subject: { personId }, detail: role }, this.#ground.now());
      return done;
    });
  }

  async invite(actor: Actor, { email: text, account }: Parameters<Members['invite']>[1]): Promise<Outcome> {
    const { database, now } = this.#ground;
    const email = parseEmail(text);
    if (email === undefined)
      return refuse('INVALID', 'Type an e-mail address such as ann@example.com.', { field: 'email' });
    const accountId = account?.accountId ?? null;
    const outcome = await database.transaction(async (sql) => {
      const atMs = now();
      if (accountId !== null) {
        const person = await findCredentials(sql, { emailKey: email.key });
        if (person !== undefined && (await findRole(sql, person.personId, accountId)) !== undefined) {
          return refuse('CONFLICT', 'This person already belongs to the account.', { field: 'email' });
        }
        const invited = await countInvites(sql, accountId, email.key, atMs);
        if (invited.ofDay >= invitesPerDay) return tooManyInvites(dayMs);
        if (invited.toAddressOfHour >= mailsPerHour) return tooManyInvites(hourMs);
        // Where somebody is invited again, the new invitation counts.
        await dropAsks(sql, "purpose = 'invite' AND account_id = ? AND email_key = ?", [
          accountId,
          email.key,
        ]);
      }
      const inviter = actor.kind === 'person' ? { personId: actor.personId } : {};
      const wish = { purpose: 'invite', email, account: account ?? null, ...inviter } as const;
      if ((await addAsk(sql, wish, atMs)) === 'enough') return tooManyInvites(hourMs);
      const detail = account === undefined ? undefined : account.role;
      await record(
        sql,
        actor,
        { accountId, what: 'member.invited', subject: { invited: email }, detail },
        atMs,
      );
      return done;
    });
    this.#outbox.sendSoon();
    return outcome;
  }

  withdrawInvite(actor: Actor, accountId: string, inviteId: string): Promise<Outcome> {
    return this.#ground.database.transaction(async (sql) => {
      const where = "purpose = 'invite' AND account_id = ? AND ask_id = ?";
      const [row] = await sql.all(`SELECT email FROM people_asks WHERE ${where}`, [accountId, inviteId]);
      if (row === undefined) return notFound('invitation');
      await dropAsks(sql, where, [accountId, inviteId]);
      const invited = parseEmail(readText(row, 'email'));
      const subject = invited === undefined ? inviteId : { invited };
      await record(sql, actor, { accountId, what: 'member.invite-withdrawn', subject }, this.#ground.now());
      return done;
    });
  }

  dropInvites(accountId: string): Promise<void> {
    return this.#ground.database.transaction((sql) =>
      dropAsks(sql, "purpose = 'invite' AND account_id = ?", [accountId]),
    );
  }

  acceptInvite(
    actor: Extract<Actor, { kind: 'person' }>,
    token: string,
  ): ReturnType<Members['acceptInvite']> {
    const { database, now } = this.#ground;
    return database.transaction(async (sql) => {
      const atMs = now();
      const person = await findCredentials(sql, { personId: actor.personId });
      const ask = await findByToken(sql, 'invite', token, atMs);
      if (ask === undefined || person === undefined) {
        return refuse('INVALID', 'This invitation has expired or was used before; ask for a new one.', {
          field: 'token',
        });
      }
      if (ask.emailKey !== person.emailKey) {
        return refuse(
          'NOT_ALLOWED',
          'This invitation is for another address; sign in with the address it was sent to.',
        );
      }
      await takeByToken(sql, 'invite', token, atMs);
      await join(sql, actor, ask.account, atMs);
      return { kind: 'done', accountId: ask.account?.accountId ?? null };
    });
  }
}

const tooManyInvites = (retryAfterMs: number): Refusal =>
  refuse('TOO_MANY', 'You have sent too many invitations; try again later.', {
    retryAfterSeconds: retryAfterMs / 1000,
  });

async function findRole(sql: Sql, personId: string, accountId: string): Promise<Role | undefined> {
  const [row] = await sql.all('SELECT role FROM people_members WHERE account_id = ? AND person_id = ?', [
    accountId,
    personId,
  ]);
  return row === undefined ? undefined : readWord(row, 'role', roles);
}

async function hasOtherOwner(sql: Sql, personId: string, accountId: string): Promise<boolean> {
  const rows = await sql.all(
    "SELECT person_id FROM people_members WHERE account_id = ? AND role = 'owner' AND person_id <> ? LIMIT 1",
    [accountId, personId],
  );
  return rows.length === 1;
}

export async function findOwnedAlone(sql: Sql, personId: string): Promise<readonly string[]> {
  const rows = await sql.all(
    `SELECT m.account_id FROM people_members m WHERE m.person_id = ? AND m.role = 'owner' AND NOT EXISTS
      (SELECT 1 FROM people_members o WHERE o.account_id = m.account_id AND o.role = 'owner' AND o.person_id <> m.person_id)
      ORDER BY m.account_id`,
    [personId],
  );
  return rows.map((row) => readText(row, 'account_id'));
}

/** Whoever is no owner any more lets nobody in. */
async function dropInvitesBy(sql: Sql, personId: string, accountId: string): Promise<void> {
  await dropAsks(sql, "purpose = 'invite' AND person_id = ? AND account_id = ?", [personId, accountId]);
}

/** By the audit log, as an invitation that was withdrawn or sent again has left no other trace. */
async function countInvites(
  sql: Sql,
  accountId: string,
  emailKey: string,
  atMs: number,
): Promise<{ readonly ofDay: number; readonly toAddressOfHour: number }> {
  const rows = await sql.all(
    "SELECT subject_email, at_ms FROM people_audit WHERE account_id = ? AND what = 'member.invited' AND at_ms > ? AND at_ms < ?",
    [accountId, atMs - dayMs, atMs + dayMs],
  );
  const toAddress = rows.filter(
    (row) =>
      readTextOrNull(row, 'subject_email') === emailKey && Math.abs(readNumber(row, 'at_ms') - atMs) < hourMs,
  );
  return { ofDay: rows.length, toAddressOfHour: toAddress.length };
}
