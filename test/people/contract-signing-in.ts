// Signing in, sessions and second factor: what holds on every engine.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { codeAt, fromBase32 } from '../../src/people/proof/totp.ts';
import type { Database } from '../../src/storage/sql.ts';
import { dayMs, minuteMs } from '../../src/time.ts';
import { cheap, type Engine, House, password, refusedAs, told, visitor } from './house.ts';

const email = 'ann@example.com';
const wrong = 'wrong password, guessed';

export function signingInContract(engine: Engine): void {
  describe(`signing in, over ${engine.name}`, () => {
    let house: House;
    let ann: string;
    beforeEach(async () => {
      house = await House.open({ engine });
      ann = await house.join(email);
    });
    afterEach(() => house.close());

    const guess = (over: Parameters<typeof visitor>[0] = {}, to = email) =>
      house.people.signingIn.signIn({ email: to, password: wrong }, visitor(over));

    const setFactor = async () => {
      const { secret } = told(await house.people.secondFactor.begin(ann, password, visitor()));
      const outcome = await house.people.secondFactor.confirm(ann, codeOf(secret, house.nowMs), visitor());
      house.nowMs += 30_000;
      return { secret, ...told(outcome) };
    };

    it('every sign-in makes a session of its own: one that was put into the browser stays nothing', async () => {
      const planted = 'A'.repeat(43);
      assert.equal(await house.isSignedIn(planted), false);
      const first = await house.signIn(email);
      const second = await house.signIn(email, { visitor: visitor({ deviceToken: first.deviceToken }) });
      assert.notEqual(first.token, second.token);
      assert.equal(await house.isSignedIn(planted), false);
      assert.ok((await house.isSignedIn(first.token)) && (await house.isSignedIn(second.token)));
    });

    it('nothing that signs anybody in stands in the records', async () => {
      const { secret: _, ...factor } = await setFactor();
      const session = await house.signIn(email, { code: factor.recoveryCodes[0] ?? '' });
      told(await house.people.joining.askReset(email, visitor()));
      const secrets = [
        password,
        session.token,
        session.deviceToken,
        await house.token(email, 'reset'),
        ...factor.recoveryCodes.flatMap((code) => [code, code.replaceAll('-', '')]),
      ];
      const dump = await house.dump();
      assert.deepEqual(
        secrets.filter((secret) => dump.includes(secret)),
        [],
      );
    });

    it('a session lasts 14 days from its last use, and 90 days in all', async () => {
      const { token } = await house.signIn(email);
      const beganMs = house.nowMs;
      house.nowMs += 14 * dayMs - 1;
      assert.ok(await house.isSignedIn(token));
      while (house.nowMs + 13 * dayMs < beganMs + 90 * dayMs) {
        house.nowMs += 13 * dayMs;
        assert.ok(await house.isSignedIn(token));
      }
      house.nowMs = beganMs + 90 * dayMs;
      assert.equal(await house.isSignedIn(token), false);
      const { token: idle } = await house.signIn(email);
      house.nowMs += 14 * dayMs;
      assert.equal(await house.isSignedIn(idle), false);
    });

    it('that somebody is there is written once in five minutes', async () => {
      const { token } = await house.signIn(email);
      const seen = async () => (await house.people.sessions.list(ann, ''))[0]?.lastSeenAtMs;
      const beganMs = house.nowMs;
      house.nowMs += 5 * minuteMs - 1;
      await house.people.sessions.find(token, visitor());
      assert.equal(await seen(), beganMs);
      house.nowMs += 1;
      await house.people.sessions.find(token, visitor({ address: '198.51.100.9' }));
      assert.equal(await seen(), beganMs + 5 * minuteMs);
      assert.equal((await house.people.sessions.list(ann, ''))[0]?.address, '198.51.100.9');
    });

    it('sessions are listed with their device and ended one by one, by their owner alone', async () => {
      const [one, two] = [await house.signIn(email), await house.signIn(email)];
      const bob = await house.join('bob@example.com');
      const current = (await house.people.sessions.find(one.token, visitor()))?.sessionId ?? '';
      const list = await house.people.sessions.list(ann, current);
      assert.deepEqual(list.map(({ isThisOne }) => isThisOne).sort(), [false, true]);
      assert.equal(list[0]?.device, 'Firefox on Linux');
      const other = list.find(({ isThisOne }) => !isThisOne)?.sessionId ?? '';
      assert.equal(refusedAs(await house.people.sessions.end(bob, other)), 'NOT_FOUND');
      told(await house.people.sessions.end(ann, other));
      assert.deepEqual([await house.isSignedIn(one.token), await house.isSignedIn(two.token)], [true, false]);
      await house.signIn(email);
      assert.equal(await house.people.sessions.endOthers(ann, current), 1);
      assert.equal((await house.people.sessions.list(ann, current)).length, 1);
    });

    it('a change of password ends every session, also the stolen copy of the one that asked', async () => {
      const mine = await house.signIn(email);
      const thief = await house.signIn(email, { visitor: visitor({ host: 'thief' }) });
      const wish = { current: password, next: 'another good password' };
      const { session } = told(await house.people.persons.changePassword(ann, wish, visitor()));
      assert.deepEqual(
        [
          await house.isSignedIn(mine.token),
          await house.isSignedIn(thief.token),
          await house.isSignedIn(session.token),
        ],
        [false, false, true],
      );
      await house.signIn(email, { password: wish.next });
    });

    it('a sign-in that was judged before a change of password makes no session after it', async () => {
      const gate = Promise.withResolvers<void>();
      const judged = Promise.withResolvers<void>();
      let transactions = 0;
      const slow: Database = {
        all: (text, values) => house.database.all(text, values),
        transaction: async (work) => {
          transactions += 1;
          // The first counts the try, the second makes the session.
          if (transactions === 2) {
            judged.resolve();
            await gate.promise;
          }
          return house.database.transaction(work);
        },
      };
      const late = house.replica({ database: slow }).signingIn.signIn({ email, password }, visitor());
      await judged.promise;
      const change = { current: password, next: 'another good password' };
      told(await house.people.persons.changePassword(ann, change, visitor()));
      gate.resolve();
      assert.equal(refusedAs(await late), 'WRONG_CREDENTIALS');
      assert.equal((await house.people.sessions.list(ann, '')).length, 1);
    });

    it('a password is hashed anew when hashes are made otherwise', async () => {
      const before = await house.database.all('SELECT password_hash FROM people');
      const dearer = house.replica({ passwordCost: { ...cheap, passes: 2 } });
      told(await dearer.signingIn.signIn({ email, password }, visitor()));
      const [after] = await house.database.all('SELECT password_hash FROM people');
      assert.notDeepEqual([after], before);
      assert.match(String(after?.password_hash), /^\$argon2id\$v=19\$m=8,t=2,p=1\$/);
      await house.signIn(email);
    });

    it('guessing is slowed down, whether or not anybody has the address, also when the right one comes', async () => {
      for (const to of [email, 'nobody@example.com']) {
        const host = `guesser of ${to}`;
        const outcomes = [];
        for (let at = 0; at < 8; at += 1) outcomes.push(refusedAs(await guess({ host }, to)));
        assert.deepEqual(outcomes, [...Array(6).fill('WRONG_CREDENTIALS'), 'TOO_MANY', 'TOO_MANY']);
      }
      const right = await house.people.signingIn.signIn(
        { email, password },
        visitor({ host: `guesser of ${email}` }),
      );
      assert.equal(refusedAs(right), 'TOO_MANY');
      assert.ok('retryAfterSeconds' in right && right.retryAfterSeconds === 2);
      house.nowMs += 2_000;
      await house.signIn(email, { visitor: visitor({ host: `guesser of ${email}` }) });
    });

    it('many guesses at once are no more than one after the other', async () => {
      const outcomes = await Promise.all(Array.from({ length: 12 }, () => guess()));
      const judged = outcomes.filter((outcome) => refusedAs(outcome) === 'WRONG_CREDENTIALS');
      assert.ok(judged.length <= 6, `${judged.length} were judged`);
    });

    it('one host cannot try a password on many addresses', async () => {
      const outcomes = [];
      for (let at = 0; at < 33; at += 1) outcomes.push(refusedAs(await guess({}, `p${at}@example.com`)));
      assert.deepEqual(outcomes.slice(30), ['WRONG_CREDENTIALS', 'TOO_MANY', 'TOO_MANY']);
    });

    it('a known device signs in while strangers guess from everywhere; so does whoever comes by a mailed link', async () => {
      const { deviceToken } = await house.signIn(email);
      for (let at = 0; at < 60; at += 1) {
        house.nowMs += 1;
        await guess({ host: `stranger ${at}` });
      }
      assert.equal(refusedAs(await guess({ host: 'one more' })), 'TOO_MANY');
      const known = await house.signIn(email, { visitor: visitor({ deviceToken }) });
      // Of another person it is a stranger's.
      await house.join('bob@example.com');
      for (let at = 0; at < 6; at += 1) await guess({ deviceToken: known.deviceToken }, 'bob@example.com');
      assert.equal(refusedAs(await guess({ deviceToken: known.deviceToken }, 'bob@example.com')), 'TOO_MANY');
      // A new device, by way of the mailbox.
      told(await house.people.joining.askReset(email, visitor()));
      const token = await house.token(email, 'reset');
      const reset = told(await house.people.joining.reset({ token, password }, visitor({ host: 'hotel' })));
      const away = visitor({ host: 'hotel', deviceToken: reset.deviceToken });
      await house.signIn(email, { visitor: away });
    });

    it('guessing on a known device is slowed down too', async () => {
      const { deviceToken } = await house.signIn(email);
      const outcomes = [];
      for (let at = 0; at < 12; at += 1) outcomes.push(refusedAs(await guess({ deviceToken })));
      assert.deepEqual(outcomes.slice(10), ['WRONG_CREDENTIALS', 'TOO_MANY']);
    });

    it('with a second factor there is no session without a code', async () => {
      const { secret } = await setFactor();
      const first = await house.people.signingIn.signIn({ email, password }, visitor());
      assert.equal(first.kind, 'second factor');
      assert.deepEqual((await house.people.sessions.list(ann, '')).length, 1);
      const other = await house.people.signingIn.signIn({ email, password, code: '000000' }, visitor());
      assert.equal(refusedAs(other), 'WRONG_CREDENTIALS');
      await house.signIn(email, { code: codeOf(secret, house.nowMs) });
    });

    it('a code is taken once, one step early or late, and no further off', async () => {
      const { secret } = await setFactor();
      house.nowMs += 10 * minuteMs;
      const code = codeOf(secret, house.nowMs);
      await house.signIn(email, { code });
      const again = await house.people.signingIn.signIn({ email, password, code }, visitor());
      assert.equal(refusedAs(again), 'WRONG_CREDENTIALS');
      for (const [offMs, kind] of [
        [-60_000, 'refused'],
        [-30_000, 'signed in'],
        [60_000, 'refused'],
        [30_000, 'signed in'],
      ] as const) {
        house.nowMs += 10 * minuteMs;
        const outcome = await house.people.signingIn.signIn(
          { email, password, code: codeOf(secret, house.nowMs + offMs) },
          visitor({ host: `at ${offMs}` }),
        );
        assert.equal(outcome.kind, kind, `${offMs}`);
      }
    });

    it('of many who send one code at once, one gets in', async () => {
      const { secret } = await setFactor();
      const code = codeOf(secret, house.nowMs);
      const outcomes = await Promise.all(
        Array.from({ length: 4 }, () => house.people.signingIn.signIn({ email, password, code }, visitor())),
      );
      assert.equal(outcomes.filter(({ kind }) => kind === 'signed in').length, 1);
    });

    it('of many who prove themselves by one code at once, one does', async () => {
      const { secret } = await setFactor();
      const proof = { password, code: codeOf(secret, house.nowMs) };
      const outcomes = await Promise.all(
        Array.from({ length: 4 }, () => house.people.signingIn.proveAgain(ann, proof, visitor())),
      );
      assert.equal(outcomes.filter(({ kind }) => kind === 'done').length, 1);
    });

    it('ten recovery codes serve once each, however they are typed', async () => {
      const { recoveryCodes } = await setFactor();
      assert.equal(new Set(recoveryCodes).size, 10);
      const [one = '', two = ''] = recoveryCodes;
      await house.signIn(email, { code: one });
      const again = await house.people.signingIn.signIn({ email, password, code: one }, visitor());
      assert.equal(refusedAs(again), 'WRONG_CREDENTIALS');
      await house.signIn(email, { code: two.toLowerCase().replaceAll('-', ' ') });
      assert.equal((await house.people.persons.find(ann))?.recoveryCodesLeft, 8);
    });

    it('whoever has the password cannot guess codes, from however many hosts', async () => {
      await setFactor();
      let judged = 0;
      for (let at = 0; at < 80; at += 1) {
        const code = String(at).padStart(6, '0');
        const outcome = await house.people.signingIn.signIn(
          { email, password, code },
          visitor({ host: `host ${at}` }),
        );
        if (refusedAs(outcome) === 'WRONG_CREDENTIALS') judged += 1;
      }
      assert.ok(judged <= 51, `${judged} were judged`);
    });

    it('a stolen session cannot guess the password or the code by way of other questions', async () => {
      const { secret } = await setFactor();
      const prove = (over: { readonly password?: string; readonly code?: string }) =>
        house.people.signingIn.proveAgain(ann, { password, ...over }, visitor());
      const outcomes = [];
      for (let at = 0; at < 8; at += 1) outcomes.push(refusedAs(await prove({ code: '000000' })));
      assert.deepEqual(outcomes.slice(5), ['WRONG_CREDENTIALS', 'TOO_MANY', 'TOO_MANY']);
      house.nowMs += 15 * minuteMs;
      told(await prove({ code: codeOf(secret, house.nowMs) }));
      const passwords = [];
      for (let at = 0; at < 8; at += 1) passwords.push(refusedAs(await prove({ password: wrong })));
      assert.deepEqual(passwords.slice(5), ['WRONG_CREDENTIALS', 'TOO_MANY', 'TOO_MANY']);
    });

    it('to set or take away the second factor ends every other session', async () => {
      const thief = await house.signIn(email, { visitor: visitor({ host: 'thief' }) });
      const { secret, session } = await setFactor();
      assert.deepEqual(
        [await house.isSignedIn(thief.token), await house.isSignedIn(session.token)],
        [false, true],
      );
      assert.equal(refusedAs(await house.people.secondFactor.begin(ann, password, visitor())), 'CONFLICT');
      const bare = await house.people.secondFactor.remove(ann, { password, code: '' }, visitor());
      assert.equal(refusedAs(bare), 'WRONG_CREDENTIALS');
      const proof = { password, code: codeOf(secret, house.nowMs) };
      const removed = told(await house.people.secondFactor.remove(ann, proof, visitor()));
      assert.deepEqual(
        [await house.isSignedIn(session.token), await house.isSignedIn(removed.session.token)],
        [false, true],
      );
      assert.deepEqual((await house.people.persons.find(ann))?.recoveryCodesLeft, 0);
      await house.signIn(email);
    });

    it('a second factor that was only begun asks nobody for a code', async () => {
      told(await house.people.secondFactor.begin(ann, password, visitor()));
      const refused = await house.people.secondFactor.confirm(ann, '000000', visitor());
      assert.ok(refused.kind === 'refused');
      assert.equal(refused.code, 'WRONG_CREDENTIALS');
      assert.doesNotMatch(refused.message, /recovery/, 'there is no recovery code yet');
      await house.signIn(email);
    });

    it('a reset leaves the second factor on', async () => {
      const { secret } = await setFactor();
      told(await house.people.joining.askReset(email, visitor()));
      const token = await house.token(email, 'reset');
      told(await house.people.joining.reset({ token, password: 'a whole new password' }, visitor()));
      const wish = { email, password: 'a whole new password' };
      assert.equal((await house.people.signingIn.signIn(wish, visitor())).kind, 'second factor');
      await house.signIn(email, { password: wish.password, code: codeOf(secret, house.nowMs) });
    });
  });
}

const codeOf = (secret: string, atMs: number): string =>
  codeAt(fromBase32(secret), Math.floor(atMs / 30_000));
