// What people belong to: members and their roles, invitations, trials, requests for a plan. On every engine.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import { done, refuse } from '../../src/people/outcome.ts';
import { type Outcome, type Role, roles } from '../../src/people/people.ts';
import { minuteMs } from '../../src/time.ts';
import { as, type Engine, House, refusedAs, told, visitor } from './house.ts';

const account = { accountId: 'acc_1', name: 'Acme' };

export function accountsContract(engine: Engine): void {
  describe(`accounts, over ${engine.name}`, () => {
    let house: House;
    let ann: string;
    let bob: string;
    beforeEach(async () => {
      house = await House.open({ engine });
      ann = await house.join('ann@example.com');
      bob = await house.join('bob@example.com');
      told(await house.people.trials.open(as(ann), async () => account.accountId));
    });
    afterEach(() => house.close());

    const add = async (personId: string, email: string, role: Role) => {
      told(await house.people.members.invite(as(ann), { email, account: { ...account, role } }));
      told(await house.people.members.acceptInvite(as(personId), await house.token(email, 'invite')));
    };

    it('in any order of joining, leaving and changing roles, an account keeps an owner', async () => {
      const people = [ann, bob, await house.join('cat@example.com')];
      const model = new Map<string, Role>([[ann, 'owner']]);
      const step = fc.record({
        who: fc.constantFrom(...people),
        what: fc.constantFrom<Role | 'leave'>('leave', ...roles),
      });
      const { members } = house.people;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
          for (const { who, what } of steps) {
            const others = [...model].filter(([id, role]) => id !== who && role === 'owner').length;
            const isLast = model.get(who) === 'owner' && others === 0 && what !== 'owner';
            const outcome =
              what === 'leave'
                ? await members.remove(as(who), account.accountId, who)
                : await members.changeRole(as(ann), account.accountId, who, what);
            if (!model.has(who)) assert.equal(refusedAs(outcome), 'NOT_FOUND');
            else if (isLast) assert.equal(refusedAs(outcome), 'CONFLICT');
            else {
              told(outcome);
              if (what === 'leave') model.delete(who);
              else model.set(who, what);
            }
          }
          const { members: list } = await members.list(account.accountId);
          assert.deepEqual(new Map(list.map(({ personId, role }) => [personId, role])), model);
          // Those who left are brought back for the next run.
          house.nowMs += 90 * minuteMs;
          for (const id of people.filter((each) => !model.has(each))) {
            const email = (await house.people.persons.find(id))?.email ?? '';
            const role = 'developer';
            told(await members.invite({ kind: 'command' }, { email, account: { ...account, role } }));
            told(await members.acceptInvite(as(id), await house.token(email, 'invite')));
            model.set(id, role);
          }
        }),
        { numRuns: 12 },
      );
    });

    it('one trial for a mailbox, whatever tag its address has, and whichever comes first', async () => {
      const { trials } = house.people;
      for (const email of ['ann+second@example.com', 'ANN+@Example.com', 'ann+a+b@example.com']) {
        const again = await house.join(email);
        assert.equal(await trials.stateOf(again), 'used', email);
        assert.equal(refusedAs(await trials.open(as(again), async () => 'acc_2')), 'CONFLICT', email);
      }
      const tagged = await house.join('cat+first@example.com');
      told(await trials.open(as(tagged), async () => 'acc_3'));
      assert.equal(await trials.stateOf(await house.join('cat@example.com')), 'used');
      // A plus that begins an address, or stands in a domain, is no tag.
      for (const email of ['+dan@example.com', 'dan@ex-ample.com'])
        assert.equal(await trials.stateOf(await house.join(email)), 'available', email);
    });

    it('a person watches with six pages over all threads and machines; what ends or dies makes room', async () => {
      const threads = [house.people, house.replica(), house.replica()];
      const enter = async (personId: string) =>
        (
          await Promise.all(
            threads.flatMap((each) => Array.from({ length: 5 }, () => each.watching.enter(personId))),
          )
        ).filter((place) => place !== undefined);
      const places = await enter(ann);
      assert.equal(places.length, 6);
      assert.equal((await enter(bob)).length, 6, 'others have places of their own');
      await house.people.watching.leave(places[0] ?? '');
      assert.equal((await enter(ann)).length, 1);
      // One thread goes on, the others are dead.
      house.nowMs += minuteMs - 1;
      await house.people.watching.stay(places[1] ?? '');
      house.nowMs += 1;
      assert.equal((await enter(ann)).length, 5);
    });

    it('two owners who leave at once leave one of them behind', async () => {
      await add(bob, 'bob@example.com', 'owner');
      const outcomes = await Promise.all(
        [ann, bob].map((who) => house.people.members.remove(as(who), account.accountId, who)),
      );
      assert.deepEqual(outcomes.map(({ kind }) => kind).sort(), ['done', 'refused']);
      assert.equal((await house.people.members.list(account.accountId)).members.length, 1);
    });

    it('an invitation is for its address and account; withdrawn or repeated, the one before is over', async () => {
      const { members } = house.people;
      const wish = { email: 'bob@example.com', account: { ...account, role: 'billing' } } as const;
      told(await members.invite(as(ann), wish));
      const first = await house.token('bob@example.com', 'invite');
      assert.equal(refusedAs(await members.acceptInvite(as(ann), first)), 'NOT_ALLOWED');
      told(await members.invite(as(ann), wish));
      assert.equal(refusedAs(await members.acceptInvite(as(bob), first)), 'INVALID');
      const { invites } = await members.list(account.accountId);
      assert.deepEqual(
        invites.map(({ email, role }) => [email, role]),
        [['bob@example.com', 'billing']],
      );
      const second = await house.token('bob@example.com', 'invite');
      const inviteId = invites[0]?.inviteId ?? '';
      assert.equal(refusedAs(await members.withdrawInvite(as(ann), 'acc_other', inviteId)), 'NOT_FOUND');
      told(await members.withdrawInvite(as(ann), account.accountId, inviteId));
      assert.equal(refusedAs(await members.acceptInvite(as(bob), second)), 'INVALID');
      await add(bob, 'bob@example.com', 'billing');
      assert.equal(await members.roleIn(bob, account.accountId), 'billing');
      assert.equal(refusedAs(await members.invite(as(ann), wish)), 'CONFLICT');
      assert.deepEqual(
        await members.owners([account.accountId, 'acc_2']),
        new Map([
          [account.accountId, ['ann@example.com']],
          ['acc_2', []],
        ]),
      );
    });

    it('an invitation ends with the power of the owner who sent it, and another owner’s stays', async () => {
      const { members, persons } = house.people;
      const ends: Readonly<Record<string, (cat: string) => Promise<unknown>>> = {
        removed: (cat) => members.remove(as(ann), account.accountId, cat),
        demoted: (cat) => members.changeRole(as(ann), account.accountId, cat, 'developer'),
        erased: (cat) => persons.erase(as(cat), cat, { ownerless: 'refused' }),
      };
      const role = 'owner';
      for (const [how, end] of Object.entries(ends)) {
        const cat = await house.join(`${how}@example.com`);
        await add(cat, `${how}@example.com`, 'owner');
        const [kept, gone] = [`kept-${how}@example.com`, `gone-${how}@example.com`];
        told(await members.invite(as(ann), { email: kept, account: { ...account, role } }));
        told(await members.invite(as(cat), { email: gone, account: { ...account, role } }));
        await end(cat);
        assert.equal((await house.links(kept, 'invite')).length, 1, how);
        assert.deepEqual(await house.links(gone, 'invite'), [], how);
      }
    });

    it('one address is invited by an account five times an hour at most, also where each ends the one before', async () => {
      const { members } = house.people;
      const wish = { email: 'cat@example.com', account: { ...account, role: 'reader' } } as const;
      for (let at = 0; at < 5; at += 1) {
        told(await members.invite(as(ann), wish));
        const [invite] = (await members.list(account.accountId)).invites;
        if (at % 2 === 0)
          told(await members.withdrawInvite(as(ann), account.accountId, invite?.inviteId ?? ''));
      }
      told(await members.invite(as(ann), { ...wish, email: 'dog@example.com' }));
      assert.equal(refusedAs(await members.invite(as(ann), wish)), 'TOO_MANY');
      house.nowMs += 61 * minuteMs;
      told(await members.invite(as(ann), wish));
    });

    it('one trial for each address: also of many clicks at once, and after the person was erased', async () => {
      const { trials, persons } = house.people;
      assert.equal(await trials.stateOf(bob), 'available');
      let made = 0;
      const open = (personId: string) => trials.open(as(personId), async () => `acc_bob${++made}`);
      const outcomes = await Promise.all(Array.from({ length: 5 }, () => open(bob)));
      assert.deepEqual([made, outcomes.filter(({ kind }) => kind === 'done').length], [1, 1]);
      assert.equal(await trials.stateOf(bob), 'used');
      told(await persons.erase(as(bob), bob, { ownerless: 'accepted' }));
      const again = await house.join('BOB@example.com');
      assert.equal(await trials.stateOf(again), 'used');
      assert.equal(refusedAs(await open(again)), 'CONFLICT');
      assert.equal((await house.dump()).toLowerCase().includes('trial bob'), false);
    });

    it('a trial that could not be opened is still to be had', async () => {
      const { trials, members } = house.people;
      const outage = new Error('the ledger is away');
      await assert.rejects(
        trials.open(as(bob), () => Promise.reject(outage)),
        outage,
      );
      assert.equal(await trials.stateOf(bob), 'available');
      told(await trials.open(as(bob), async () => 'acc_2'));
      assert.deepEqual(await members.of(bob), [{ accountId: 'acc_2', role: 'owner' }]);
    });

    it('a plan is asked for once at a time, withdrawn, and decided once', async () => {
      const { planRequests } = house.people;
      const question = {
        accountId: 'acc_1',
        accountName: 'Acme',
        from: 'trial',
        to: 'basic',
        note: 'please',
      } as const;
      told(await planRequests.ask(as(ann), question));
      assert.equal(refusedAs(await planRequests.ask(as(ann), question)), 'CONFLICT');
      assert.equal(refusedAs(await planRequests.withdraw(as(ann), 'acc_2')), 'NOT_FOUND');
      told(await planRequests.withdraw(as(ann), 'acc_1'));
      house.nowMs += 1;
      told(await planRequests.ask(as(ann), question));
      const [waiting] = await planRequests.waiting();
      assert.ok(waiting !== undefined);
      let changes = 0;
      const approve = (carryOut: () => Promise<Outcome>) =>
        planRequests.decide(as(bob), waiting.planRequestId, { kind: 'approved', answer: 'yes', carryOut });
      const outage = new Error('the ledger is away');
      await assert.rejects(
        approve(() => Promise.reject(outage)),
        outage,
      );
      assert.equal((await planRequests.find(waiting.planRequestId))?.state, 'waiting');
      const change = async () => {
        changes += 1;
        return done;
      };
      const objection = refuse('CONFLICT', 'The plan is another by now.');
      assert.deepEqual(await approve(async () => objection), objection);
      assert.equal((await planRequests.find(waiting.planRequestId))?.state, 'waiting');
      const decline = planRequests.decide(as(bob), waiting.planRequestId, { kind: 'declined', answer: 'no' });
      const outcomes = await Promise.all([approve(change), decline, approve(change)]);
      assert.equal(outcomes.filter(({ kind }) => kind === 'done').length, 1);
      const decided = await planRequests.find(waiting.planRequestId);
      assert.equal(changes, decided?.state === 'approved' ? 1 : 0);
      assert.equal(decided?.askedBy, 'ann@example.com');
      assert.deepEqual(await planRequests.waiting(), []);
      assert.deepEqual(
        (await planRequests.of('acc_1')).map(({ state }) => state === 'withdrawn'),
        [false, true],
      );
    });

    it('every change is in the audit log of its account, in pages and whole, and of no other', async () => {
      const { members, audit, planRequests } = house.people;
      await add(bob, 'bob@example.com', 'reader');
      told(await members.changeRole(as(ann), 'acc_1', bob, 'developer'));
      await audit.write(as(ann), {
        accountId: 'acc_1',
        what: 'key.revoked',
        subject: 'key_1',
        detail: 'lost',
      });
      await audit.write(
        { kind: 'command' },
        { accountId: 'acc_2', what: 'account.closed', subject: 'acc_2' },
      );
      told(
        await planRequests.ask(as(ann), {
          accountId: 'acc_1',
          accountName: 'Acme',
          from: 'trial',
          to: 'basic',
          note: null,
        }),
      );
      told(await members.remove(as(bob), 'acc_1', bob));
      const whole = (await Array.fromAsync(audit.all('acc_1'))).flat();
      assert.deepEqual(
        whole.map(({ who, what, subject, detail }) => [who, what, subject, detail]),
        [
          ['ann@example.com', 'member.joined', 'ann@example.com', 'owner'],
          ['ann@example.com', 'member.invited', 'bob@example.com', 'reader'],
          ['bob@example.com', 'member.joined', 'bob@example.com', 'reader'],
          ['ann@example.com', 'member.role-changed', 'bob@example.com', 'reader → developer'],
          ['ann@example.com', 'key.revoked', 'key_1', 'lost'],
          ['ann@example.com', 'plan.asked', 'basic', 'from trial'],
          ['bob@example.com', 'member.left', 'bob@example.com', 'developer'],
        ],
      );
      const paged = [];
      let before: string | undefined;
      do {
        const page = await audit.page('acc_1', { before, limit: 3 });
        paged.push(...page.lines);
        before = page.before ?? undefined;
      } while (before !== undefined);
      assert.deepEqual(paged.reverse(), whole);
      const [command] = (await audit.page('acc_2', { limit: 5 })).lines;
      assert.deepEqual([command?.who, command?.address], ['operator (command)', null]);
    });

    it('what a person does with their own sign-in stands in the log of every account they belong to', async () => {
      await add(bob, 'bob@example.com', 'reader');
      const wish = { current: 'violet harbour lantern 9', next: 'another good password' };
      told(await house.people.persons.changePassword(bob, wish, visitor()));
      const [line] = (await house.people.audit.page('acc_1', { limit: 1 })).lines;
      assert.deepEqual(
        [line?.who, line?.what, line?.address],
        ['bob@example.com', 'password.changed', '203.0.113.7'],
      );
    });
  });
}
