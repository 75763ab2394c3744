// Signing in: password, then code, each try counted before it is judged. Strangers are slowed down by host, by address that is
// signed in to, and by both; a device that has signed in before has a count of its own, so that nobody can keep its owner out.

import type { Sql } from '../storage/sql.ts';
import { minuteMs } from '../time.ts';
import { type Email, parseEmail } from './email.ts';
import type { Ground } from './ground.ts';
import { done, notFound, refuse, refuseForNow } from './outcome.ts';
import type { Outcome, Refusal, SigningIn, Visitor } from './people.ts';
import { type Credentials, findCredentials } from './person-view.ts';
import { useCode } from './proof/codes.ts';
import type { Passwords } from './proof/passwords.ts';
import { hashToken } from './proof/secrets.ts';
import type { Count, Rule, Throttle } from './proof/throttle.ts';
import { beginSession, isKnownDevice } from './sessions.ts';

const waits = { firstWaitMs: 2_000, waitMostMs: 15 * minuteMs, forgetOneEveryMs: 30 * minuteMs };
/** An office may share one host. */
const hostRule: Rule = { free: 30, ...waits };
const addressRule: Rule = { free: 50, ...waits };
const addressAndHostRule: Rule = { free: 5, ...waits };
const deviceRule: Rule = { free: 10, ...waits };
const proofRule: Rule = { free: 5, ...waits };

/** `own` is begun anew by a sign-in; what others share only loses the try that was right. */
type Counts = { readonly own: readonly Count[]; readonly shared: readonly Count[] };

const wrongPassword = refuse(
  'WRONG_CREDENTIALS',
  'The address or the password is wrong, or the address is not confirmed yet; try again, or ask for a new password.',
);
const wrongCode = refuse(
  'WRONG_CREDENTIALS',
  'The code is wrong or was used before; wait for the next one, or use a recovery code.',
  { field: 'code' },
);
/** While the second factor is set up there are no recovery codes yet. */
const wrongFirstCode = refuse(
  'WRONG_CREDENTIALS',
  'The code is wrong or was used before; wait for the next one, and see that the clock of your phone is right.',
  { field: 'code' },
);

export class SignIn implements SigningIn {
  readonly #ground: Ground;
  readonly #passwords: Passwords;
  readonly #throttle: Throttle;

  constructor(ground: Ground, passwords: Passwords, throttle: Throttle) {
    this.#ground = ground;
    this.#passwords = passwords;
    this.#throttle = throttle;
  }

  async signIn(
    {
      email: text,
      password,
      code,
    }: { readonly email: string; readonly password: string; readonly code?: string | undefined },
    visitor: Visitor,
  ): ReturnType<SigningIn['signIn']> {
    const { database, now } = this.#ground;
    const email = parseEmail(text);
    if (email === undefined)
      return refuse('INVALID', 'Type the e-mail address that you signed up with.', { field: 'email' });
    const person = await findCredentials(database, { emailKey: email.key });
    const counts = await countsOf(database, email, person, visitor, now());
    const verdict = await this.#judge(password, person, counts);
    if (verdict !== undefined || person === undefined) return verdict ?? wrongPassword;
    const rehashed = this.#passwords.isOutdated(person.passwordHash)
      ? await this.#passwords.hash(password)
      : undefined;
    return database.transaction(async (sql) => {
      const atMs = now();
      // Between judging and now the password may have been changed; a session must not outlive that.
      const current = await findCredentials(sql, { personId: person.personId });
      if (current?.passwordHash !== person.passwordHash) return wrongPassword;
      if (current.totpSecret !== null && code === undefined) {
        await this.#throttle.takeBack(sql, { forget: [], keep: [...counts.own, ...counts.shared] }, atMs);
        return { kind: 'second factor' };
      }
      if ((await codeVerdict(sql, current, code, atMs)) === 'wrong') return wrongCode;
      await this.#throttle.takeBack(sql, { forget: counts.own, keep: counts.shared }, atMs);
      if (typeof rehashed === 'string') {
        await sql.all('UPDATE people SET password_hash = ? WHERE person_id = ?', [rehashed, person.personId]);
      }
      const session = await beginSession(sql, person.personId, visitor, atMs);
      return { kind: 'signed in', session, personId: person.personId };
    });
  }

  /** The password of somebody who is signed in already. */
  async provePassword(person: Credentials, password: string): Promise<Outcome> {
    const counts = proofCounts(person.personId);
    const verdict = await this.#judge(password, person, counts);
    if (verdict !== undefined)
      return verdict === wrongPassword
        ? refuse(verdict.code, 'The password is wrong; try again.', { field: 'password' })
        : verdict;
    await this.#throttle.takeBack(
      this.#ground.database,
      { forget: counts.own, keep: [] },
      this.#ground.now(),
    );
    return done;
  }

  async proveAgain(
    personId: string,
    { password, code }: { readonly password: string; readonly code?: string | undefined },
  ): Promise<Outcome> {
    const { database, now } = this.#ground;
    const person = await findCredentials(database, { personId });
    if (person === undefined) return notFound('person');
    const proved = await this.provePassword(person, password);
    if (proved.kind === 'refused' || person.totpSecret === null) return proved;
    return this.#proveCode(personId, code ?? '', async (sql) =>
      (await codeVerdict(sql, person, code ?? '', now())) === 'wrong' ? wrongCode : done,
    );
  }

  async proveFirstCode(
    personId: string,
    code: string,
    judge: (sql: Sql) => Promise<'right' | 'wrong'>,
  ): Promise<Outcome> {
    return this.#proveCode(personId, code, async (sql) =>
      (await judge(sql)) === 'wrong' ? wrongFirstCode : done,
    );
  }

  /** Six digits are soon guessed where nobody counts: each try is counted, also by whoever has the password. */
  async #proveCode(personId: string, code: string, judge: (sql: Sql) => Promise<Outcome>): Promise<Outcome> {
    if (code === '')
      return refuse('WRONG_CREDENTIALS', 'Type the code from your authenticator app.', { field: 'code' });
    const { database, now } = this.#ground;
    const count = codeCount(personId);
    const { waitMs } = await this.#throttle.begin([count], now());
    if (waitMs > 0) return refuseForNow(waitMs);
    return database.transaction(async (sql) => {
      const outcome = await judge(sql);
      if (outcome.kind === 'done') await this.#throttle.takeBack(sql, { forget: [count], keep: [] }, now());
      return outcome;
    });
  }

  /** undefined: the password is right, and the try still counted. */
  async #judge(
    password: string,
    person: Credentials | undefined,
    counts: Counts,
  ): Promise<Refusal | undefined> {
    const { database, now } = this.#ground;
    const all = [...counts.own, ...counts.shared];
    const { waitMs } = await this.#throttle.begin(all, now());
    if (waitMs > 0) return refuseForNow(waitMs);
    const verdict = await this.#passwords.verify(password, person?.passwordHash ?? null);
    if (verdict === 'right') return undefined;
    if (verdict === 'wrong') return wrongPassword;
    // Nothing was judged.
    await this.#throttle.takeBack(database, { forget: [], keep: all }, now());
    return verdict;
  }
}

const proofCounts = (personId: string): Counts => ({
  own: [{ of: `proof ${personId}`, rule: proofRule }],
  shared: [],
});
const codeCount = (personId: string): Count => ({ of: `code ${personId}`, rule: proofRule });

async function countsOf(
  sql: Sql,
  email: Email,
  person: Credentials | undefined,
  visitor: Visitor,
  atMs: number,
): Promise<Counts> {
  // Looked up for an address that is nobody's as well: otherwise the time it takes would tell.
  const isKnown = await isKnownDevice(sql, person?.personId ?? '', visitor, atMs);
  if (isKnown && visitor.deviceToken !== undefined) {
    return { own: [{ of: `device ${hashToken(visitor.deviceToken)}`, rule: deviceRule }], shared: [] };
  }
  return {
    own: [{ of: `sign-in ${email.key} from ${visitor.host}`, rule: addressAndHostRule }],
    shared: [
      { of: `sign-in ${email.key}`, rule: addressRule },
      { of: `host ${visitor.host}`, rule: hostRule },
    ],
  };
}

async function codeVerdict(
  sql: Sql,
  { personId, totpSecret, totpStep }: Credentials,
  code: string | undefined,
  atMs: number,
): Promise<'right' | 'wrong'> {
  if (totpSecret === null) return 'right';
  return useCode(sql, personId, { secret: totpSecret, lastStep: totpStep }, code ?? '', atMs);
}
