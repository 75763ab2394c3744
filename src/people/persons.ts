// People themselves: found, listed, renamed, given a new password, made an operator, and erased.

import { type Row, readNumber, readText } from '../storage/rows.ts';
import type { Sql } from '../storage/sql.ts';
import { findOwnedAlone } from './accounts/members.ts';
import { record, recordOfPerson, strike } from './audit.ts';
import { parseEmail } from './email.ts';
import type { Ground } from './ground.ts';
import { inTime, isInTime } from './in-time.ts';
import { dropAsks } from './mail/asks.ts';
import { done, notFound, refuse } from './outcome.ts';
import type { Actor, ListedPerson, Outcome, Persons, PersonView, Visitor } from './people.ts';
import { findCredentials, isPersonLike, likeOf, personColumns, readPerson } from './person-view.ts';
import { complaintAbout, type Passwords } from './proof/passwords.ts';
import { renewSession } from './sessions.ts';
import type { SignIn } from './signing-in.ts';

const nameMost = 100;

export class KeptPersons implements Persons {
  readonly #ground: Ground;
  readonly #passwords: Passwords;
  readonly #signIn: SignIn;

  constructor(ground: Ground, passwords: Passwords, signIn: SignIn) {
    this.#ground = ground;
    this.#passwords = passwords;
    this.#signIn = signIn;
  }

  async find(personId: string): Promise<PersonView | undefined> {
    const [row] = await this.#ground.database.all(
      `SELECT ${personColumns} FROM people p WHERE p.person_id = ?`,
      [personId],
    );
    return row === undefined ? undefined : readPerson(row);
  }

  async findByEmail(text: string): Promise<PersonView | undefined> {
    const email = parseEmail(text);
    if (email === undefined) return undefined;
    const [row] = await this.#ground.database.all(
      `SELECT ${personColumns} FROM people p WHERE p.email_key = ?`,
      [email.key],
    );
    return row === undefined ? undefined : readPerson(row);
  }

  async list({ search = '', limit }: Parameters<Persons['list']>[0]): ReturnType<Persons['list']> {
    const { database, now } = this.#ground;
    const like = likeOf(search);
    const rows = await database.all(
      `SELECT ${personColumns} FROM people p WHERE ${isPersonLike} ORDER BY p.created_ms DESC, p.person_id LIMIT ?`,
      [like, like, like, limit],
    );
    const [count] = await database.all(`SELECT COUNT(*) AS people FROM people p WHERE ${isPersonLike}`, [
      like,
      like,
      like,
    ]);
    const waiting = await database.all(
      `SELECT email_key, MAX(email) AS email, MAX(ask_id) AS ask_id, MIN(created_ms) AS created_ms FROM people_asks a
        WHERE purpose = 'confirm' AND ${isInTime('a')} AND (email_key LIKE ? ESCAPE '\\' OR LOWER(email) LIKE ? ESCAPE '\\') GROUP BY email_key ORDER BY created_ms DESC LIMIT ?`,
      [...inTime(now()), like, like, limit],
    );
    const confirmed: ListedPerson[] = [];
    for (const row of rows) confirmed.push(await listed(database, row));
    return {
      people: [...waiting.map(listedWaiting), ...confirmed].slice(0, limit),
      total: waiting.length + (count === undefined ? 0 : readNumber(count, 'people')),
    };
  }

  rename(actor: Actor, personId: string, name: string | null): Promise<Outcome> {
    const plain = name?.normalize('NFC').trim() ?? '';
    if ([...plain].length > nameMost || /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(plain)) {
      return Promise.resolve(
        refuse('INVALID', `A name is one line of at most ${nameMost} characters.`, { field: 'name' }),
      );
    }
    return this.#ground.database.transaction(async (sql) => {
      const rows = await sql.all('UPDATE people SET name = ? WHERE person_id = ? RETURNING person_id', [
        plain || null,
        personId,
      ]);
      if (rows.length === 0) return notFound('person');
      await record(
        sql,
        actor,
        { accountId: null, what: 'person.renamed', subject: { personId } },
        this.#ground.now(),
      );
      return done;
    });
  }

  async changePassword(
    personId: string,
    { current, next }: { readonly current: string; readonly next: string },
    visitor: Visitor,
  ): ReturnType<Persons['changePassword']> {
    const { database, now } = this.#ground;
    const person = await findCredentials(database, { personId });
    if (person === undefined) return notFound('person');
    const complaint = complaintAbout(next, { typed: person.email, key: person.emailKey }, 'next');
    if (complaint !== undefined) return complaint;
    const proved = await this.#signIn.provePassword(person, current);
    if (proved.kind === 'refused')
      return { ...proved, ...(proved.field === 'password' ? { field: 'current' } : {}) };
    const passwordHash = await this.#passwords.hash(next);
    if (typeof passwordHash !== 'string') return passwordHash;
    return database.transaction(async (sql) => {
      const atMs = now();
      const rows = await sql.all(
        'UPDATE people SET password_hash = ? WHERE person_id = ? AND password_hash = ? RETURNING person_id',
        [passwordHash, personId, person.passwordHash],
      );
      if (rows.length === 0)
        return refuse('CONFLICT', 'The password has changed in the meantime; sign in again.');
      await dropAsks(sql, "purpose = 'reset' AND person_id = ?", [personId]);
      await recordOfPerson(
        sql,
        { kind: 'person', personId, address: visitor.address },
        'password.changed',
        atMs,
      );
      return { kind: 'done', session: await renewSession(sql, personId, visitor, atMs) };
    });
  }

  setStanding(
    personId: string,
    standing: PersonView['standing'],
    actor: Actor = { kind: 'command' },
  ): Promise<Outcome> {
    return this.#ground.database.transaction(async (sql) => {
      const rows = await sql.all('UPDATE people SET standing = ? WHERE person_id = ? RETURNING person_id', [
        standing,
        personId,
      ]);
      if (rows.length === 0) return notFound('person');
      const event = {
        accountId: null,
        what: 'person.standing-changed',
        subject: { personId },
        detail: standing,
      };
      await record(sql, actor, event, this.#ground.now());
      return done;
    });
  }

  erase(
    actor: Actor,
    personId: string,
    { ownerless, closed = [] }: Parameters<Persons['erase']>[2],
  ): Promise<Outcome> {
    return this.#ground.database.transaction(async (sql) => {
      const person = await findCredentials(sql, { personId });
      if (person === undefined) return notFound('person');
      const left = (await findOwnedAlone(sql, personId)).filter((accountId) => !closed.includes(accountId));
      if (ownerless === 'refused' && left.length > 0) {
        return refuse(
          'CONFLICT',
          'You are the only owner of an account; close it or make somebody else an owner first.',
        );
      }
      await erasePerson(sql, actor, person, this.#ground.now());
      return done;
    });
  }

  eraseAddress(text: string): Promise<Outcome> {
    const email = parseEmail(text);
    return this.#ground.database.transaction(async (sql) => {
      if (email === undefined || (await findCredentials(sql, { emailKey: email.key })) !== undefined)
        return notFound('address');
      const asks = await sql.all('SELECT ask_id FROM people_asks WHERE email_key = ?', [email.key]);
      const lines = await sql.all('SELECT audit_id FROM people_audit WHERE subject_email = ? LIMIT 1', [
        email.key,
      ]);
      if (asks.length + lines.length === 0) return notFound('address');
      await dropAsks(sql, 'email_key = ?', [email.key]);
      await strike(sql, { personId: null, emailKey: email.key });
      return done;
    });
  }
}

async function erasePerson(
  sql: Sql,
  actor: Actor,
  { personId, emailKey }: { readonly personId: string; readonly emailKey: string },
  atMs: number,
): Promise<void> {
  const accounts = await sql.all('SELECT account_id FROM people_members WHERE person_id = ?', [personId]);
  const tables = [
    'people_members',
    'people_sessions',
    'people_devices',
    'people_watching',
    'people_recovery_codes',
    'people',
  ];
  for (const table of tables) await sql.all(`DELETE FROM ${table} WHERE person_id = ?`, [personId]);
  await dropAsks(sql, 'email_key = ? OR person_id = ?', [emailKey, personId]);
  const concerned = accounts.length === 0 ? [null] : accounts.map((row) => readText(row, 'account_id'));
  for (const accountId of concerned)
    await record(sql, actor, { accountId, what: 'person.erased', subject: { personId } }, atMs);
  // Last: the line above is of the person too.
  await strike(sql, { personId, emailKey });
}

/** In a copy from before they were erased. Tells how many it still had. */
export async function eraseAgain(sql: Sql, personIds: readonly string[], atMs: number): Promise<number> {
  let erased = 0;
  for (const personId of personIds) {
    const person = await findCredentials(sql, { personId });
    if (person === undefined) continue;
    await erasePerson(sql, { kind: 'command' }, person, atMs);
    erased += 1;
  }
  return erased;
}

async function listed(sql: Sql, row: Row): Promise<ListedPerson> {
  const person = readPerson(row);
  const accounts = await sql.all(
    'SELECT account_id FROM people_members WHERE person_id = ? ORDER BY account_id',
    [person.personId],
  );
  return { ...person, confirmed: 'yes', accounts: accounts.map((each) => readText(each, 'account_id')) };
}

function listedWaiting(row: Row): ListedPerson {
  return {
    personId: readText(row, 'ask_id'),
    email: readText(row, 'email'),
    name: null,
    standing: 'customer',
    secondFactor: 'none',
    recoveryCodesLeft: 0,
    createdAtMs: readNumber(row, 'created_ms'),
    confirmed: 'not yet',
    accounts: [],
  };
}
