// People are listed, renamed, made operators and erased. On every engine.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { clearOut } from '../../src/people/upkeep.ts';
import { dayMs } from '../../src/time.ts';
import { as, type Engine, House, password, refusedAs, told, visitor } from './house.ts';

export function erasingContract(engine: Engine): void {
  describe(`people, over ${engine.name}`, () => {
    let house: House;
    let ann: string;
    beforeEach(async () => {
      house = await House.open({ engine });
      ann = await house.join('Ann@Example.com');
    });
    afterEach(() => house.close());

    it('an erased person leaves no name, address or mail anywhere; what they did stays', async () => {
      const { people } = house;
      const bob = await house.join('bob@example.com');
      told(await people.trials.open(as(ann), async () => 'acc_1'));
      const account = { accountId: 'acc_1', name: 'Acme', role: 'owner' } as const;
      told(await people.members.invite(as(ann), { email: 'bob@example.com', account }));
      told(await people.members.acceptInvite(as(bob), await house.token('bob@example.com', 'invite')));
      const seen = visitor({ address: '198.51.100.77', host: '198.51.100.77' });
      const busy = { kind: 'person', personId: bob, address: seen.address } as const;
      told(await people.persons.rename(busy, bob, 'Robert the Bold'));
      await people.audit.write(busy, { accountId: 'acc_1', what: 'key.made', subject: 'key_1' });
      const question = {
        accountId: 'acc_1',
        accountName: 'Acme',
        from: 'trial',
        to: 'basic',
        note: null,
      } as const;
      told(await people.planRequests.ask(busy, question));
      told(
        await people.members.invite(as(ann), {
          email: 'bob@example.com',
          account: { ...account, accountId: 'acc_2' },
        }),
      );
      const { token } = await house.signIn('bob@example.com', { visitor: seen });
      told(await people.joining.askReset('Bob@example.com', seen));

      told(await people.persons.erase(busy, bob, { ownerless: 'refused' }));
      const dump = (await house.dump()).toLowerCase();
      for (const trace of ['bob@example', 'robert', '198.51.100.77'])
        assert.equal(dump.includes(trace), false, trace);
      assert.equal(await house.isSignedIn(token), false);
      assert.deepEqual(await people.mail.links('bob@example.com'), []);
      const lines = (await people.audit.page('acc_1', { limit: 20 })).lines.map(({ who, what, subject }) => [
        who,
        what,
        subject,
      ]);
      assert.deepEqual(lines, [
        ['erased person', 'person.erased', 'erased person'],
        ['erased person', 'plan.asked', 'basic'],
        ['erased person', 'key.made', 'key_1'],
        ['erased person', 'member.joined', 'erased person'],
        ['Ann@Example.com', 'member.invited', 'erased person'],
        ['Ann@Example.com', 'member.joined', 'Ann@Example.com'],
      ]);
      assert.equal((await people.planRequests.of('acc_1'))[0]?.askedBy, 'erased person');
      // The address is free again.
      assert.notEqual(await house.join('bob@example.com'), bob);
    });

    it('the only owner is not erased by mistake, and is on purpose', async () => {
      const { persons, members, trials } = house.people;
      told(await trials.open(as(ann), async () => 'acc_1'));
      assert.deepEqual(await members.ownedAlone(ann), ['acc_1']);
      assert.equal(refusedAs(await persons.erase(as(ann), ann, { ownerless: 'refused' })), 'CONFLICT');
      assert.ok((await persons.find(ann)) !== undefined);
      told(await persons.erase({ kind: 'command' }, ann, { ownerless: 'accepted' }));
      assert.equal(await persons.find(ann), undefined);
      assert.equal(
        refusedAs(await persons.erase({ kind: 'command' }, ann, { ownerless: 'accepted' })),
        'NOT_FOUND',
      );
    });

    it('an address that never became a person is struck as well', async () => {
      const { persons, members } = house.people;
      const account = { accountId: 'acc_1', name: 'Acme', role: 'reader' } as const;
      told(await members.invite(as(ann), { email: 'Cat@example.com', account }));
      assert.equal(refusedAs(await persons.eraseAddress('dog@example.com')), 'NOT_FOUND');
      assert.equal(refusedAs(await persons.eraseAddress('ann@example.com')), 'NOT_FOUND');
      told(await persons.eraseAddress('cat@example.com'));
      assert.equal((await house.dump()).toLowerCase().includes('cat@'), false);
    });

    it('people are found by part of address or name, letter by letter; the unconfirmed too', async () => {
      const { persons, joining } = house.people;
      told(await persons.rename(as(ann), ann, '  Ann 100% Smith_ '));
      told(await joining.signUp({ email: 'new@example.com' }, visitor()));
      const find = async (search: string) =>
        (await persons.list({ search, limit: 10 })).people.map(({ email }) => email);
      assert.deepEqual(await find('aNN@ex'), ['Ann@Example.com']);
      assert.deepEqual(await find('100% sm'), ['Ann@Example.com']);
      assert.deepEqual(await find('_ith'), []);
      assert.deepEqual(await find('%'), ['Ann@Example.com']);
      const { people, total } = await persons.list({ limit: 10 });
      assert.deepEqual(
        people.map(({ email, confirmed }) => [email, confirmed]),
        [
          ['new@example.com', 'not yet'],
          ['Ann@Example.com', 'yes'],
        ],
      );
      assert.equal(total, 2);
    });

    it('a name is one line of text, whatever it says', async () => {
      const { persons } = house.people;
      const script = '<script>alert(1)</script>';
      told(await persons.rename(as(ann), ann, script));
      assert.equal((await persons.find(ann))?.name, script);
      for (const bad of ['two\nlines', 'x'.repeat(101), 'a\u2028b']) {
        assert.equal(refusedAs(await persons.rename(as(ann), ann, bad)), 'INVALID');
      }
      told(await persons.rename(as(ann), ann, null));
      assert.equal((await persons.find(ann))?.name, null);
    });

    it('an operator is one from the next request on, and no more after', async () => {
      const { token } = await house.signIn('ann@example.com');
      const standing = async () => (await house.people.sessions.find(token, visitor()))?.person.standing;
      assert.equal(await standing(), 'customer');
      told(await house.people.persons.setStanding(ann, 'operator'));
      assert.equal(await standing(), 'operator');
      told(await house.people.persons.setStanding(ann, 'customer'));
      assert.equal(await standing(), 'customer');
    });

    it('what has expired is removed, and nothing else', async () => {
      const { token } = await house.signIn('ann@example.com');
      const account = { accountId: 'acc_1', name: 'Acme', role: 'reader' } as const;
      told(await house.people.members.invite(as(ann), { email: 'cat@example.com', account }));
      told(await house.people.joining.askReset('ann@example.com', visitor()));
      const invite = await house.token('cat@example.com', 'invite');
      await house.token('ann@example.com', 'reset');
      const kept = async (table: string) =>
        (await house.database.all(`SELECT * FROM people_${table}`)).length;
      house.nowMs += 2 * dayMs;
      await clearOut(house.database, house.nowMs);
      assert.ok(await house.isSignedIn(token));
      assert.deepEqual([await kept('asks'), await kept('ask_tokens'), await kept('throttle')], [1, 1, 0]);
      told(await house.people.joining.signUp({ email: 'cat@example.com', password, invite }, visitor()));
      house.nowMs += 14 * dayMs;
      await clearOut(house.database, house.nowMs);
      assert.deepEqual([await kept('sessions'), await kept('asks'), await kept('devices')], [0, 0, 1]);
      await house.signIn('ann@example.com');
    });
  });
}
