// Setting a second factor up and taking it away. Either ends every other session: whoever sits in one may be the reason.

import { recordOfPerson } from '../audit.ts';
import type { Ground } from '../ground.ts';
import { notFound, refuse } from '../outcome.ts';
import type { SecondFactor, Visitor } from '../people.ts';
import { findCredentials } from '../person-view.ts';
import { renewSession } from '../sessions.ts';
import type { SignIn } from '../signing-in.ts';
import { newSecret, replaceRecoveryCodes, useCode } from './codes.ts';
import { uriOf } from './totp.ts';

const issuer = 'Domesday';

export class Authenticator implements SecondFactor {
  readonly #ground: Ground;
  readonly #signIn: SignIn;

  constructor(ground: Ground, signIn: SignIn) {
    this.#ground = ground;
    this.#signIn = signIn;
  }

  async begin(personId: string, password: string): ReturnType<SecondFactor['begin']> {
    const { database } = this.#ground;
    const person = await findCredentials(database, { personId });
    if (person === undefined) return notFound('person');
    if (person.totpSecret !== null) {
      return refuse('CONFLICT', 'You already have a second factor; remove it first to set up another.');
    }
    const proved = await this.#signIn.provePassword(person, password);
    if (proved.kind === 'refused') return proved;
    const secret = newSecret();
    await database.all('UPDATE people SET totp_pending = ? WHERE person_id = ? AND totp_secret IS NULL', [
      secret,
      personId,
    ]);
    return { kind: 'done', secret, uri: uriOf(secret, person.email, issuer) };
  }

  async confirm(personId: string, code: string, visitor: Visitor): ReturnType<SecondFactor['confirm']> {
    const { database, now } = this.#ground;
    const person = await findCredentials(database, { personId });
    const pending = person?.totpPending ?? null;
    if (person === undefined || pending === null) {
      return refuse('CONFLICT', 'There is nothing to confirm; start setting up the second factor again.');
    }
    const proved = await this.#signIn.proveFirstCode(personId, code, (sql) =>
      useCode(sql, personId, { secret: pending, lastStep: person.totpStep }, code, now()),
    );
    if (proved.kind === 'refused') return proved;
    return database.transaction(async (sql) => {
      const rows = await sql.all(
        `UPDATE people SET totp_secret = totp_pending, totp_pending = NULL
          WHERE person_id = ? AND totp_pending = ? AND totp_secret IS NULL RETURNING person_id`,
        [personId, pending],
      );
      if (rows.length === 0)
        return refuse('CONFLICT', 'The second factor has changed in the meantime; start again.');
      const recoveryCodes = await replaceRecoveryCodes(sql, personId);
      const atMs = now();
      await recordOfPerson(
        sql,
        { kind: 'person', personId, address: visitor.address },
        'second-factor.set',
        atMs,
      );
      return { kind: 'done', recoveryCodes, session: await renewSession(sql, personId, visitor, atMs) };
    });
  }

  async remove(
    personId: string,
    proof: { readonly password: string; readonly code: string },
    visitor: Visitor,
  ): ReturnType<SecondFactor['remove']> {
    const { database, now } = this.#ground;
    const person = await findCredentials(database, { personId });
    if (person === undefined || person.totpSecret === null) {
      return refuse('CONFLICT', 'No second factor is set.');
    }
    const proved = await this.#signIn.proveAgain(personId, proof);
    if (proved.kind === 'refused') return proved;
    return database.transaction(async (sql) => {
      const atMs = now();
      await sql.all('UPDATE people SET totp_secret = NULL, totp_pending = NULL WHERE person_id = ?', [
        personId,
      ]);
      await sql.all('DELETE FROM people_recovery_codes WHERE person_id = ?', [personId]);
      await recordOfPerson(
        sql,
        { kind: 'person', personId, address: visitor.address },
        'second-factor.removed',
        atMs,
      );
      return { kind: 'done', session: await renewSession(sql, personId, visitor, atMs) };
    });
  }
}
