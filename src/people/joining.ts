// Becoming a person here, and coming back without the password. Whoever asks for an address learns nothing of it: the answer
// and the work are the same, and what is to be said goes to that address by mail.

import type { Sql } from '../storage/sql.ts';
import { hourMs, minuteMs } from '../time.ts';
import { join } from './accounts/join.ts';
import { recordOfPerson } from './audit.ts';
import { type Email, parseEmail } from './email.ts';
import type { Ground } from './ground.ts';
import { addAsk, dropAsks, findByToken, takeByToken } from './mail/asks.ts';
import type { Outbox } from './mail/outbox.ts';
import { done, refuse, refuseForNow } from './outcome.ts';
import type { Joining, Outcome, Refusal, SignUpPolicy, Visitor } from './people.ts';
import { findCredentials } from './person-view.ts';
import { complaintAbout, type Passwords } from './proof/passwords.ts';
import { newId } from './proof/secrets.ts';
import type { Rule, Throttle } from './proof/throttle.ts';
import { endEverything, rememberDevice } from './sessions.ts';

/** Asks of one host for mails to anybody. */
const askRule: Rule = { free: 20, firstWaitMs: minuteMs, waitMostMs: hourMs, forgetOneEveryMs: 3 * minuteMs };

const badAddress = refuse('INVALID', 'Type an e-mail address such as ann@example.com.', { field: 'email' });
const overLink = refuse('INVALID', 'This link has expired or was used before; ask for a new one.', {
  field: 'token',
});
const overInvite = refuse(
  'NOT_ALLOWED',
  'This invitation has expired, was used before, or is for another address; ask the person who invited you for a new one.',
  { field: 'invite' },
);

export class Entrance implements Joining {
  readonly signUpPolicy: SignUpPolicy;
  readonly #ground: Ground;
  readonly #passwords: Passwords;
  readonly #throttle: Throttle;
  readonly #outbox: Outbox;

  constructor(
    ground: Ground,
    parts: {
      readonly signUp: SignUpPolicy;
      readonly passwords: Passwords;
      readonly throttle: Throttle;
      readonly outbox: Outbox;
    },
  ) {
    this.#ground = ground;
    this.signUpPolicy = parts.signUp;
    this.#passwords = parts.passwords;
    this.#throttle = parts.throttle;
    this.#outbox = parts.outbox;
  }

  get mail(): Joining['mail'] {
    return this.#outbox.manner;
  }

  async signUp(wish: Parameters<Joining['signUp']>[0], visitor: Visitor): ReturnType<Joining['signUp']> {
    if (this.signUpPolicy === 'closed') {
      return refuse('NOT_ALLOWED', 'Nobody can sign up here at present; ask the operator of this service.');
    }
    if (this.signUpPolicy === 'invited' && !('invite' in wish)) {
      return refuse('NOT_ALLOWED', 'You need an invitation to sign up; follow the link in it.');
    }
    const email = parseEmail(wish.email);
    if (email === undefined) return badAddress;
    const outcome = await ('invite' in wish
      ? this.#joinByInvite(email, wish, visitor)
      : this.#askToConfirm(email, visitor));
    this.#outbox.sendSoon();
    return outcome;
  }

  /** No password yet: whoever types an address here may be anybody, and must not choose the password of its owner. */
  async #askToConfirm(email: Email, visitor: Visitor): ReturnType<Joining['signUp']> {
    const tooMany = await this.#countAsk(visitor);
    if (tooMany !== undefined) return tooMany;
    await this.#ground.database.transaction(async (sql) => {
      const person = await findCredentials(sql, { emailKey: email.key });
      const purpose = person === undefined ? 'confirm' : 'account exists';
      await addAsk(sql, { purpose, email }, this.#ground.now());
    });
    return { kind: 'done', next: 'confirm' };
  }

  /** The link went to the address, which is thereby confirmed. */
  async #joinByInvite(
    email: Email,
    { password, invite }: { readonly password: string; readonly invite: string },
    visitor: Visitor,
  ): ReturnType<Joining['signUp']> {
    const complaint = complaintAbout(password, email, 'password') ?? (await this.#countAsk(visitor));
    if (complaint !== undefined) return complaint;
    // Also for an address that has an account: it takes as long.
    const passwordHash = await this.#passwords.hash(password);
    if (typeof passwordHash !== 'string') return passwordHash;
    return this.#ground.database.transaction(async (sql) => {
      const atMs = this.#ground.now();
      const ask = await findByToken(sql, 'invite', invite, atMs);
      if (ask === undefined || ask.emailKey !== email.key) return overInvite;
      if ((await findCredentials(sql, { emailKey: email.key })) === undefined) {
        const personId = await addPerson(
          sql,
          { email: email.typed, emailKey: email.key, passwordHash },
          visitor,
          atMs,
        );
        await takeByToken(sql, 'invite', invite, atMs);
        await join(sql, { kind: 'person', personId, address: visitor.address }, ask.account, atMs);
      }
      return { kind: 'done', next: 'sign in' };
    });
  }

  async confirm(
    { token, password }: { readonly token: string; readonly password: string },
    visitor: Visitor,
  ): ReturnType<Joining['confirm']> {
    const { database, now } = this.#ground;
    const passwordHash = await this.#hashForLink('confirm', token, password);
    if (typeof passwordHash !== 'string') return passwordHash;
    return database.transaction(async (sql) => {
      const atMs = now();
      const ask = await takeByToken(sql, 'confirm', token, atMs);
      if (ask === undefined) return overLink;
      const { email, emailKey } = ask;
      if ((await findCredentials(sql, { emailKey })) !== undefined) return overLink;
      await addPerson(sql, { email, emailKey, passwordHash }, visitor, atMs);
      return { kind: 'done', email };
    });
  }

  async askReset(text: string, visitor: Visitor): Promise<Outcome> {
    const { database, now } = this.#ground;
    const email = parseEmail(text);
    if (email === undefined) return badAddress;
    const tooMany = await this.#countAsk(visitor);
    if (tooMany !== undefined) return tooMany;
    await database.transaction(async (sql) => {
      const person = await findCredentials(sql, { emailKey: email.key });
      const wish =
        person === undefined
          ? { purpose: 'no account' as const }
          : { purpose: 'reset' as const, personId: person.personId };
      await addAsk(sql, { email, ...wish }, now());
    });
    this.#outbox.sendSoon();
    return done;
  }

  async reset(
    { token, password }: { readonly token: string; readonly password: string },
    visitor: Visitor,
  ): ReturnType<Joining['reset']> {
    const { database, now } = this.#ground;
    const passwordHash = await this.#hashForLink('reset', token, password);
    if (typeof passwordHash !== 'string') return passwordHash;
    return database.transaction(async (sql) => {
      const atMs = now();
      const taken = await takeByToken(sql, 'reset', token, atMs);
      if (taken === undefined || taken.personId === null) return overLink;
      const { personId } = taken;
      const rows = await sql.all(
        'UPDATE people SET password_hash = ? WHERE person_id = ? RETURNING person_id',
        [passwordHash, personId],
      );
      if (rows.length === 0) return overLink;
      await dropAsks(sql, "purpose = 'reset' AND person_id = ?", [personId]);
      await endEverything(sql, personId);
      await recordOfPerson(
        sql,
        { kind: 'person', personId, address: visitor.address },
        'password.reset',
        atMs,
      );
      return { kind: 'done', ...(await rememberDevice(sql, personId, visitor, atMs)) };
    });
  }

  /** A password that is not taken leaves the link as it was. */
  async #hashForLink(
    purpose: 'confirm' | 'reset',
    token: string,
    password: string,
  ): Promise<string | Refusal> {
    const { database, now } = this.#ground;
    const ask = await findByToken(database, purpose, token, now());
    if (ask === undefined) return overLink;
    const complaint = complaintAbout(password, { typed: ask.email, key: ask.emailKey }, 'password');
    return complaint ?? this.#passwords.hash(password);
  }

  async #countAsk(visitor: Visitor): Promise<Refusal | undefined> {
    const { waitMs } = await this.#throttle.begin(
      [{ of: `asks ${visitor.host}`, rule: askRule }],
      this.#ground.now(),
    );
    return waitMs > 0 ? refuseForNow(waitMs) : undefined;
  }
}

async function addPerson(
  sql: Sql,
  {
    email,
    emailKey,
    passwordHash,
  }: { readonly email: string; readonly emailKey: string; readonly passwordHash: string },
  visitor: Visitor,
  atMs: number,
): Promise<string> {
  const personId = newId('per');
  await sql.all(
    `INSERT INTO people (person_id, email, email_key, password_hash, standing, created_ms) VALUES (?, ?, ?, ?, 'customer', ?)`,
    [personId, email, emailKey, passwordHash, atMs],
  );
  await dropAsks(sql, "purpose = 'confirm' AND email_key = ?", [emailKey]);
  await recordOfPerson(sql, { kind: 'person', personId, address: visitor.address }, 'person.confirmed', atMs);
  return personId;
}
