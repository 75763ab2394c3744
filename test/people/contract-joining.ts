// Becoming a person, and coming back without the password: what holds on every engine.

import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { afterEach, beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import type { Database, Sql } from '../../src/storage/sql.ts';
import { dayMs, hourMs, minuteMs } from '../../src/time.ts';
import { as, type Engine, House, password, refusedAs, told, visitor } from './house.ts';

const lifetimes = { confirm: dayMs, reset: hourMs, invite: 7 * dayMs };

export function joiningContract(engine: Engine): void {
  describe(`joining, over ${engine.name}`, () => {
    let house: House;
    beforeEach(async () => {
      house = await House.open({ engine });
    });
    afterEach(() => house.close());

    it('an address is kept as typed and compared in lower case', async () => {
      await house.join('Ann.Smith@Example.com');
      const { token } = await house.signIn('ANN.smith@example.COM');
      const signedIn = await house.people.sessions.find(token, visitor());
      assert.equal(signedIn?.person.email, 'Ann.Smith@Example.com');
      await house.people.joining.signUp({ email: 'ann.smith@example.com' }, visitor());
      assert.equal((await house.links('ANN.SMITH@example.com', 'account exists')).length, 1);
    });

    it('nobody can sign in before the address is confirmed', async () => {
      told(await house.people.joining.signUp({ email: 'ann@example.com' }, visitor()));
      const wish = { email: 'ann@example.com', password };
      assert.equal(refusedAs(await house.people.signingIn.signIn(wish, visitor())), 'WRONG_CREDENTIALS');
    });

    it('whoever reads the mail chooses the password, however many signed the address up before', async () => {
      const { joining, signingIn } = house.people;
      for (let at = 0; at < 5; at += 1) {
        told(await joining.signUp({ email: 'ann@example.com' }, visitor({ host: `stranger ${at}` })));
      }
      told(await joining.signUp({ email: 'ann@example.com' }, visitor()));
      const links = await house.links('ann@example.com', 'confirm');
      const [first = '', ...others] = links.map((link) => link.slice(link.indexOf('#') + 1));
      const bad = await joining.confirm({ token: first, password: 'password1234' }, visitor());
      assert.equal(refusedAs(bad), 'INVALID');
      told(await joining.confirm({ token: first, password }, visitor()));
      await house.signIn('ann@example.com');
      // Nobody else's password was ever kept, and no other link changes the one that was chosen.
      const theirs = { email: 'ann@example.com', password: 'the other one chose this' };
      for (const token of others) {
        const late = await joining.confirm({ token, password: theirs.password }, visitor());
        assert.equal(refusedAs(late), 'INVALID');
      }
      assert.equal(refusedAs(await signingIn.signIn(theirs, visitor())), 'WRONG_CREDENTIALS');
      await house.signIn('ann@example.com');
    });

    it('a known and an unknown address get the same answer, for the same hashes and the same questions', async () => {
      await house.join('known@example.com');
      await house.join('bob@example.com');
      const { deviceToken: ofBob } = await house.signIn('bob@example.com');
      const { database, asked } = noting(house.database);
      const { joining, signingIn } = house.replica({ database });
      const wrong = 'some other password';
      for (const ask of [
        (email: string) => joining.signUp({ email }, visitor()),
        (email: string) => joining.askReset(email, visitor()),
        (email: string) => signingIn.signIn({ email, password: wrong }, visitor()),
        // A cookie that somebody made up.
        (email: string) =>
          signingIn.signIn({ email, password: wrong }, visitor({ deviceToken: 'A'.repeat(43) })),
        (email: string) => signingIn.signIn({ email, password: wrong }, visitor({ deviceToken: ofBob })),
      ]) {
        const known = await work(house, asked, () => ask('known@example.com'));
        const unknown = await work(house, asked, () => ask('nobody@example.com'));
        assert.deepEqual(known, unknown);
      }
      // It is the address itself that is told, by mail.
      assert.equal((await house.links('known@example.com', 'reset')).length, 1);
      assert.equal((await house.links('known@example.com', 'account exists')).length, 1);
      assert.equal((await house.links('nobody@example.com', 'no account')).length, 1);
    });

    it('one address is sent five mails of a kind an hour at most, and whoever asks is told the same', async () => {
      const answers = [];
      for (let at = 0; at < 8; at += 1) {
        answers.push(await house.people.joining.askReset('ann@example.com', visitor({ host: `host ${at}` })));
      }
      assert.deepEqual(new Set(answers.map(({ kind }) => kind)), new Set(['done']));
      assert.equal((await house.links('ann@example.com', 'no account')).length, 5);
      house.nowMs += hourMs;
      await house.people.joining.askReset('ann@example.com', visitor());
      assert.equal((await house.links('ann@example.com', 'no account')).length, 6);
    });

    it('mails that others ask for leave room for those that the owner of the address needs', async () => {
      const { joining, members } = house.people;
      await house.join('bob@example.com');
      for (let at = 0; at < 8; at += 1) {
        const stranger = visitor({ host: `host ${at}` });
        told(await joining.signUp({ email: 'bob@example.com' }, stranger));
        await members.invite({ kind: 'command' }, { email: 'bob@example.com' });
      }
      told(await joining.askReset('bob@example.com', visitor()));
      const token = await house.token('bob@example.com', 'reset');
      told(await joining.reset({ token, password: 'a whole new password' }, visitor()));
      // Nor do other mails keep a sign-up away.
      for (let at = 0; at < 8; at += 1) {
        told(await joining.askReset('cat@example.com', visitor({ host: `host ${at}` })));
        await members.invite({ kind: 'command' }, { email: 'cat@example.com' });
      }
      await house.join('cat@example.com');
    });

    it('one host that asks for mails to many is told to wait, and how long', async () => {
      const ask = (at: number) => house.people.joining.askReset(`a${at}@example.com`, visitor());
      for (let at = 0; at < 21; at += 1) told(await ask(at));
      const refused = await ask(22);
      assert.equal(refusedAs(refused), 'TOO_MANY');
      assert.ok('retryAfterSeconds' in refused && refused.retryAfterSeconds === 60);
      told(await house.people.joining.askReset('a@example.com', visitor({ host: 'another' })));
      house.nowMs += minuteMs;
      told(await ask(23));
    });

    it('a link works once, for its purpose, in its time', async () => {
      const owner = await house.join('owner@example.com');
      const purposes = ['confirm', 'reset', 'invite'] as const;
      let number = 0;
      const follow = {
        confirm: (token: string) => house.people.joining.confirm({ token, password }, visitor()),
        reset: (token: string) =>
          house.people.joining.reset({ token, password: `${password} again` }, visitor()),
        invite: (token: string) => house.people.members.acceptInvite(as(owner), token),
      };
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...purposes),
          fc.array(
            fc.record({
              other: fc.option(fc.constantFrom(...purposes), { freq: 1 }),
              afterMs: fc.oneof(fc.constantFrom(0, 1, minuteMs, hourMs, dayMs), fc.nat({ max: 8 * dayMs })),
            }),
            { minLength: 1, maxLength: 4 },
          ),
          async (purpose, uses) => {
            number += 1;
            house.nowMs += 8 * dayMs;
            const email = purpose === 'invite' ? 'owner@example.com' : `p${number}@example.com`;
            if (purpose === 'reset') await house.join(email);
            if (purpose === 'confirm') told(await house.people.joining.signUp({ email }, visitor()));
            if (purpose === 'reset') told(await house.people.joining.askReset(email, visitor()));
            if (purpose === 'invite') told(await house.people.members.invite({ kind: 'command' }, { email }));
            const token = await house.token(email, purpose);
            const madeMs = house.nowMs;
            let isLeft = true;
            for (const { other, afterMs } of uses) {
              house.nowMs += afterMs;
              const way = other ?? purpose;
              const isInTime = house.nowMs - madeMs < lifetimes[purpose];
              const expected: boolean = isLeft && way === purpose && isInTime;
              const outcome = await follow[way](token);
              assert.equal(outcome.kind, expected ? 'done' : 'refused');
              if (expected) isLeft = false;
            }
          },
        ),
        { numRuns: 25 },
      );
    });

    it('of many who follow one link at once, one gets in', async () => {
      told(await house.people.joining.signUp({ email: 'ann@example.com' }, visitor()));
      const tokens = [
        await house.token('ann@example.com', 'confirm'),
        await house.token('ann@example.com', 'confirm'),
      ];
      const outcomes = await Promise.all(
        Array.from({ length: 6 }, (_, at) =>
          house.people.joining.confirm({ token: tokens[at % 2] ?? '', password }, visitor()),
        ),
      );
      assert.deepEqual(outcomes.map(({ kind }) => kind).sort(), ['done', ...Array(5).fill('refused')]);
    });

    it('a reset ends every session, leaves the second factor, and needs a good password', async () => {
      const ann = await house.join('ann@example.com');
      const { token } = await house.signIn('ann@example.com');
      told(await house.people.joining.askReset('ann@example.com', visitor()));
      const link = await house.token('ann@example.com', 'reset');
      const bad = await house.people.joining.reset({ token: link, password: 'password1234' }, visitor());
      assert.equal(refusedAs(bad), 'INVALID');
      assert.ok(await house.isSignedIn(token));
      told(await house.people.joining.reset({ token: link, password: 'a whole new password' }, visitor()));
      assert.equal(await house.isSignedIn(token), false);
      const old = await house.people.signingIn.signIn({ email: 'ann@example.com', password }, visitor());
      assert.equal(refusedAs(old), 'WRONG_CREDENTIALS');
      await house.signIn('ann@example.com', { password: 'a whole new password' });
      assert.equal((await house.people.persons.find(ann))?.secondFactor, 'none');
    });

    it('closed lets nobody in, invited lets in who holds an invitation for that very address', async () => {
      const closed = house.replica({ signUp: 'closed' }).joining;
      const invited = house.replica({ signUp: 'invited' }).joining;
      const wish = { email: 'ann@example.com', password };
      assert.equal(refusedAs(await closed.signUp({ email: wish.email }, visitor())), 'NOT_ALLOWED');
      assert.equal(refusedAs(await invited.signUp({ email: wish.email }, visitor())), 'NOT_ALLOWED');
      assert.equal(refusedAs(await invited.signUp({ ...wish, invite: 'made up' }, visitor())), 'NOT_ALLOWED');
      told(await house.people.members.invite({ kind: 'command' }, { email: 'Ann@example.com' }));
      const invite = await house.token('ann@example.com', 'invite');
      const other = { email: 'bob@example.com', password, invite };
      assert.equal(refusedAs(await invited.signUp(other, visitor())), 'NOT_ALLOWED');
      assert.equal(refusedAs(await closed.signUp({ ...wish, invite }, visitor())), 'NOT_ALLOWED');
      assert.equal(told(await invited.signUp({ ...wish, invite }, visitor())).next, 'sign in');
      await house.signIn('ann@example.com');
      // For whoever has an account it changes nothing.
      const again = { email: 'ann@example.com', password: 'not the password at all', invite };
      assert.equal(refusedAs(await invited.signUp(again, visitor())), 'NOT_ALLOWED');
    });

    it('an invitation to an account makes a person who belongs to it, without a second mail', async () => {
      const account = { accountId: 'acc_1', name: 'Acme', role: 'developer' } as const;
      told(await house.people.members.invite({ kind: 'command' }, { email: 'ann@example.com', account }));
      const invite = await house.token('ann@example.com', 'invite');
      told(await house.people.joining.signUp({ email: 'ann@example.com', password, invite }, visitor()));
      const ann = await house.people.persons.findByEmail('ann@example.com');
      assert.deepEqual(await house.people.members.of(ann?.personId ?? ''), [
        { accountId: 'acc_1', role: 'developer' },
      ]);
      assert.deepEqual((await house.people.members.list('acc_1')).invites, []);
    });
  });
}

/** The same database, and what is asked of them. */
function noting(kept: Database): { readonly database: Database; readonly asked: string[] } {
  const asked: string[] = [];
  const note = (sql: Sql): Sql => ({
    all: (text, values) => {
      asked.push(text);
      return sql.all(text, values);
    },
  });
  const transaction: Database['transaction'] = (inside) => kept.transaction((sql) => inside(note(sql)));
  return { asked, database: { ...note(kept), transaction } };
}

/** What was answered, how many passwords were hashed and which questions asked for it, and what was written. */
async function work(house: House, asked: string[], ask: () => Promise<unknown>) {
  let hashes = 0;
  const hook = createHook({
    init: (_, type) => {
      if (type === 'ARGON2REQUEST') hashes += 1;
    },
  }).enable();
  const before = await counts(house);
  asked.length = 0;
  const answer = await ask();
  hook.disable();
  const after = await counts(house);
  return { answer, hashes, asked: [...asked], rows: after.map((count, at) => count - (before[at] ?? 0)) };
}

async function counts(house: House): Promise<readonly number[]> {
  const tables = ['people', 'people_asks', 'people_sessions', 'people_devices', 'people_audit'];
  return Promise.all(
    tables.map(async (table) =>
      Number((await house.database.all(`SELECT COUNT(*) AS rows_kept FROM ${table}`))[0]?.rows_kept),
    ),
  );
}
