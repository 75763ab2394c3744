// A clock that was wrong for a moment: whoever did nothing wrong gets in afterwards, nothing that was made under it outlasts its own
// lifetime by more than that lifetime, and nothing is lost.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { codeAt, fromBase32 } from '../../src/people/proof/totp.ts';
import { clearOut } from '../../src/people/upkeep.ts';
import { dayMs, hourMs, minuteMs } from '../../src/time.ts';
import { as, type Engine, House, password, refusedAs, told, visitor } from './house.ts';

const account = { accountId: 'acc_1', name: 'Acme', role: 'reader' } as const;
const wrong = 'wrong password, guessed';

export function clockContract(engine: Engine): void {
  describe(`a clock that was wrong for a moment, over ${engine.name}`, () => {
    let house: House;
    let ann: string;
    let bob: string;
    beforeEach(async () => {
      house = await House.open({ engine });
      ann = await house.join('ann@example.com');
      bob = await house.join('bob@example.com');
    });
    afterEach(() => house.close());

    async function under<T>(days: number, work: () => Promise<T>): Promise<T> {
      const rightMs = house.nowMs;
      house.nowMs += days * dayMs;
      const made = await work();
      house.nowMs = rightMs + minuteMs;
      return made;
    }

    /** A process that dies in the middle of it. */
    const dying = async (start: (die: () => Promise<never>) => Promise<unknown>) => {
      const reached = Promise.withResolvers<void>();
      void start(() => {
        reached.resolve();
        return new Promise(() => undefined);
      });
      await reached.promise;
    };

    const reset = async () => {
      told(await house.people.joining.askReset('ann@example.com', visitor()));
      const token = await house.token('ann@example.com', 'reset');
      told(await house.people.joining.reset({ token, password }, visitor()));
    };

    for (const days of [1, -1, 365, -365, 3_652, -3_652]) {
      const name = `${Math.abs(days)} days ${days > 0 ? 'ahead' : 'behind'}`;

      it(`${name}: one right sign-in and one reset keep nobody out`, async () => {
        await under(days, async () => {
          await house.signIn('ann@example.com');
          told(await house.people.joining.askReset('ann@example.com', visitor()));
        });
        for (const afterMs of [0, 30 * dayMs]) {
          house.nowMs += afterMs;
          await house.signIn('bob@example.com');
          await house.signIn('ann@example.com');
          told(await house.people.joining.signUp({ email: `cat${afterMs}@example.com` }, visitor()));
          await reset();
        }
      });

      it(`${name}: guesses meanwhile cost nobody more than the longest wait`, async () => {
        const { signingIn } = house.people;
        await under(days, async () => {
          for (let at = 0; at < 8; at += 1) {
            await signingIn.signIn({ email: 'ann@example.com', password: wrong }, visitor());
            await signingIn.proveAgain(ann, { password: wrong }, visitor());
          }
        });
        house.nowMs += 15 * minuteMs;
        await house.signIn('ann@example.com');
        told(await signingIn.proveAgain(ann, { password }, visitor()));
      });

      it(`${name}: a code of the authenticator app serves afterwards, once`, async () => {
        const { secret } = told(await house.people.secondFactor.begin(ann, password, visitor()));
        const code = () => codeAt(fromBase32(secret), Math.floor(house.nowMs / 30_000));
        told(await house.people.secondFactor.confirm(ann, code(), visitor()));
        await under(days, async () => {
          const again = { email: 'ann@example.com', password, code: code() };
          await house.people.signingIn.signIn(again, visitor());
        });
        await house.signIn('ann@example.com', { code: code() });
        const again = { email: 'ann@example.com', password, code: code() };
        assert.equal(refusedAs(await house.people.signingIn.signIn(again, visitor())), 'WRONG_CREDENTIALS');
      });

      it(`${name}: mails, invitations, places of those who watch, trials and decisions are to be had`, async () => {
        const { joining, members, watching, trials, planRequests } = house.people;
        const question = {
          accountId: 'acc_1',
          accountName: 'Acme',
          from: 'basic',
          to: 'premium',
          note: null,
        } as const;
        told(await planRequests.ask(as(ann), question));
        const [waiting] = await planRequests.waiting();
        const id = waiting?.planRequestId ?? '';
        await under(days, async () => {
          for (let at = 0; at < 6; at += 1) {
            told(await joining.askReset('ann@example.com', visitor({ host: `host ${at}` })));
            await members.invite(as(bob), { email: 'cat@example.com', account });
            await watching.enter(ann);
          }
          await dying((die) => trials.open(as(bob), die));
          await dying((die) =>
            planRequests.decide({ kind: 'command' }, id, { kind: 'approved', answer: null, carryOut: die }),
          );
        });
        house.nowMs += hourMs;
        await reset();
        told(await members.invite(as(bob), { email: 'cat@example.com', account }));
        const places = [];
        for (let at = 0; at < 6; at += 1) places.push(await watching.enter(ann));
        assert.equal(places.includes(undefined), false);
        told(await trials.open(as(bob), async () => 'acc_2'));
        told(await planRequests.decide({ kind: 'command' }, id, { kind: 'declined', answer: null }));
      });
    }

    for (const days of [365, 3_652]) {
      it(`what is made while it is ${days} days ahead is nothing once it is right again`, async () => {
        const { joining, members, persons, sessions, mail, trials, pageKeys } = house.people;
        told(await trials.open(as(ann), async () => account.accountId));
        const made = await under(days, async () => {
          told(await joining.signUp({ email: 'cat@example.com' }, visitor()));
          told(await joining.askReset('ann@example.com', visitor()));
          told(await members.invite(as(bob), { email: 'dan@example.com', account }));
          const session = await house.signIn('ann@example.com');
          const sessionId = (await sessions.find(session.token, visitor()))?.sessionId ?? '';
          await pageKeys.note(
            { accountId: account.accountId, keyId: 'key_1' },
            { personId: ann, sessionId, expiresAtMs: house.nowMs + 15 * minuteMs },
          );
          return {
            session,
            confirm: await house.token('cat@example.com', 'confirm'),
            reset: await house.token('ann@example.com', 'reset'),
            invite: await house.token('dan@example.com', 'invite'),
          };
        });
        for (const afterMs of [0, 60 * dayMs]) {
          house.nowMs += afterMs;
          await clearOut(house.database, house.nowMs);
          assert.equal(await house.isSignedIn(made.session.token), false);
          assert.deepEqual(await sessions.list(ann, ''), []);
          const outcomes = [
            await joining.confirm({ token: made.confirm, password }, visitor()),
            await joining.reset({ token: made.reset, password: 'another good password' }, visitor()),
            await members.acceptInvite(as(bob), made.invite),
          ];
          assert.deepEqual(outcomes.map(refusedAs), ['INVALID', 'INVALID', 'INVALID']);
          assert.deepEqual((await members.list(account.accountId)).invites, []);
          assert.equal((await persons.list({ limit: 10 })).total, 2);
          assert.deepEqual(await mail.links('cat@example.com'), []);
          assert.equal(await mail.sendDue(), 0);
        }
        const ended: string[] = [];
        await pageKeys.endOrphans(async ({ keyId }) => void ended.push(keyId));
        assert.deepEqual(ended, ['key_1']);
      });
    }

    for (const days of [-1, -365, -3_652]) {
      it(`upkeep while it is ${-days} days behind takes nothing away`, async () => {
        const { joining, members } = house.people;
        const session = await house.signIn('ann@example.com');
        told(await members.invite(as(bob), { email: 'dan@example.com', account }));
        told(await joining.askReset('ann@example.com', visitor()));
        const token = await house.token('ann@example.com', 'reset');
        for (let at = 0; at < 6; at += 1) {
          await house.people.signingIn.signIn({ email: 'bob@example.com', password: wrong }, visitor());
        }
        await house.token('dan@example.com', 'invite');
        const before = await house.dump();
        await under(days, async () => {
          await clearOut(house.database, house.nowMs);
          await house.isSignedIn(session.token);
        });
        assert.equal(await house.dump(), before);
        assert.ok(await house.isSignedIn(session.token));
        assert.equal((await members.list(account.accountId)).invites.length, 1);
        told(await joining.reset({ token, password }, visitor()));
      });
    }
  });
}
