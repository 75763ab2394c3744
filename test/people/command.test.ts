// `domesday people` as an operator types it, over a home folder of its own.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { accounts } from '../../src/cli/accounts.ts';
import { CommandRefused, WrongUsage } from '../../src/cli/command.ts';
import { keys } from '../../src/cli/keys.ts';
import { peopleWish } from '../../src/cli/people/open-people.ts';
import { people } from '../../src/cli/people/people.ts';
import { readSettings } from '../../src/config.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { openPeople } from '../../src/people/open.ts';
import type { People } from '../../src/people/people.ts';
import { Desk, textOf } from '../cli/ledger-desk.ts';
import { cheap, password, refusedAs, told, visitor } from './house.ts';

describe('domesday people', () => {
  let desk: Desk;
  beforeEach(() => {
    desk = new Desk();
  });
  afterEach(() => desk.remove());

  /** As a service beside the command. */
  const serving = async <T>(work: (served: People) => Promise<T>): Promise<T> => {
    const { ledger, database } = await openLedger({ home: desk.home });
    const served = openPeople({
      database,
      signUp: 'invited',
      publicUrl: 'http://127.0.0.1:8080',
      smtpUrl: undefined,
      mailFrom: undefined,
      now: () => desk.nowMs,
      tell: () => undefined,
      passwordCost: cheap,
    });
    try {
      return await work(served);
    } finally {
      await served.close();
      await ledger.close();
    }
  };

  const join = async (email: string) => {
    const { link } = await desk.json(people, 'invite', email);
    const invite = textOf(link).split('#')[1];
    await serving(async ({ joining }) => told(await joining.signUp({ email, password, invite }, visitor())));
  };

  it('from an empty home: invite, sign up with the link, become an operator, and be one no more', async () => {
    await join('Ann@example.com');
    assert.match(await desk.run(people, 'operator', 'ann@example.com'), /^Ann@example.com is an operator/);
    const { people: listed } = await desk.json(people, 'list');
    assert.ok(Array.isArray(listed));
    assert.deepEqual(
      [listed[0].email, listed[0].standing, listed[0].confirmed],
      ['Ann@example.com', 'operator', 'yes'],
    );
    await desk.run(people, 'operator', 'ann@example.com', '--remove');
    assert.match(await desk.run(people, 'list', '--search', 'ANN'), /Ann@example\.com +yes +customer +none/);
  });

  it('link prints what waits, each time a link that works, and says where nothing waits', async () => {
    await assert.rejects(desk.run(people, 'link', 'ann@example.com'), CommandRefused);
    await join('ann@example.com');
    await assert.rejects(desk.run(people, 'link', 'ann@example.com'), /Nothing waits for ann@example\.com/);
    await serving(async ({ joining }) => {
      told(await joining.askReset('ann@example.com', visitor()));
    });
    const printed = await desk.run(people, 'link', 'ANN@example.com');
    const [, token = ''] = /^http:\/\/127\.0\.0\.1:8080\/account\/reset#([\w-]{43})$/m.exec(printed) ?? [];
    await desk.run(people, 'link', 'ann@example.com');
    await serving(async ({ joining, signingIn }) => {
      const next = 'a whole new password';
      told(await joining.reset({ token, password: next }, visitor()));
      assert.equal(
        told(await signingIn.signIn({ email: 'ann@example.com', password: next }, visitor())).kind,
        'signed in',
      );
    });
    assert.equal(desk.told, '');
  });

  it('invites into accounts that there are, with a role that there is', async () => {
    const { accountId } = await desk.json(accounts, 'create', '--name', 'Acme', '--plan', 'trial');
    const id = textOf(accountId);
    await assert.rejects(desk.run(people, 'invite', 'ann@example.com', '--account', id), WrongUsage);
    await assert.rejects(
      desk.run(people, 'invite', 'ann@example.com', '--account', id, '--role', 'ownr'),
      /did you mean owner/i,
    );
    await assert.rejects(
      desk.run(people, 'invite', 'ann@example.com', '--account', 'acc_x', '--role', 'owner'),
      CommandRefused,
    );
    await assert.rejects(desk.run(people, 'invite', 'no address'), /"no address" is not an e-mail address/);
    await desk.run(people, 'invite', 'ann@example.com', '--account', id, '--role', 'owner');
    await serving(async ({ members, audit }) => {
      const { invites } = await members.list(id);
      assert.deepEqual(
        invites.map(({ email, role }) => [email, role]),
        [['ann@example.com', 'owner']],
      );
      const [line] = (await audit.page(id, { limit: 1 })).lines;
      assert.deepEqual(
        [line?.who, line?.what, line?.subject],
        ['operator (command)', 'member.invited', 'ann@example.com'],
      );
    });
  });

  it('an account that a command closed lets nobody in: its invitations are over, and it takes no new ones', async () => {
    const email = 'ann@example.com';
    const open = async () => {
      const { accountId } = await desk.json(accounts, 'create', '--name', 'Acme', '--plan', 'trial');
      const id = textOf(accountId);
      return {
        id,
        link: (await desk.json(people, 'invite', email, '--account', id, '--role', 'owner')).link,
      };
    };
    const [closed, other] = [await open(), await open()];
    await desk.run(accounts, 'close', closed.id);
    const signUp = ({ joining }: People, link: unknown) =>
      joining.signUp({ email, password, invite: textOf(link).split('#')[1] ?? '' }, visitor());
    await serving(async (served) => {
      assert.equal(refusedAs(await signUp(served, closed.link)), 'NOT_ALLOWED');
      told(await signUp(served, other.link));
      const { members, invites } = await served.members.list(closed.id);
      assert.deepEqual([members, invites], [[], []]);
      assert.equal((await served.members.list(other.id)).members.length, 1);
    });
    await assert.rejects(
      desk.run(people, 'invite', 'bob@example.com', '--account', closed.id, '--role', 'reader'),
      /is closed, so nobody can join it/,
    );
  });

  it('erase strikes a person and says which accounts have no owner now', async () => {
    await join('ann@example.com');
    const { accountId } = await desk.json(accounts, 'create', '--name', 'Acme', '--plan', 'trial');
    const id = textOf(accountId);
    await serving(async ({ trials, persons }) => {
      const personId = (await persons.findByEmail('ann@example.com'))?.personId ?? '';
      told(await trials.open({ kind: 'person', personId, address: '127.0.0.1' }, async () => id));
    });
    const printed = await desk.run(people, 'erase', 'ANN@example.com');
    assert.match(printed, new RegExp(`${id} now has no owner`));
    await assert.rejects(desk.run(people, 'erase', 'ann@example.com'), (error: unknown) => {
      assert.ok(error instanceof CommandRefused);
      assert.match(error.message, /address ann@example\.com is known here, so there is nothing to erase\.$/);
      return true;
    });
    assert.deepEqual(await desk.json(people, 'list'), { people: [] });
  });

  it('erase strikes an address that was only invited', async () => {
    await desk.run(people, 'invite', 'bob@example.com');
    assert.match(await desk.run(people, 'erase', 'bob@example.com'), /^Erased bob@example\.com\./);
    await assert.rejects(desk.run(people, 'erase', 'bob@example.com'), /nothing to erase/);
  });

  it('nobody becomes an operator who has not confirmed the address', async () => {
    await desk.run(people, 'invite', 'ann@example.com');
    await assert.rejects(
      desk.run(people, 'operator', 'ann@example.com'),
      /Nobody has confirmed ann@example\.com/,
    );
  });

  it('what is no address is told so, and nothing is advised for it', async () => {
    for (const command of ['operator', 'link', 'erase', 'invite']) {
      await assert.rejects(desk.run(people, command, 'not-an-email'), (error: unknown) => {
        assert.ok(error instanceof WrongUsage, command);
        assert.match(error.message, /^"not-an-email" is not an e-mail address, such as ann@example\.com\.$/);
        return true;
      });
    }
  });

  it('everybody may sign up on loopback and nobody elsewhere, unless a setting says otherwise', () => {
    const policy = (env: Record<string, string>) => peopleWish(readSettings(env, {})).signUp;
    assert.equal(policy({}), 'open');
    assert.equal(policy({ HOST: '::1' }), 'open');
    assert.equal(policy({ HOST: '0.0.0.0' }), 'closed');
    assert.equal(policy({ HOST: '0.0.0.0', DOMESDAY_SIGNUP: 'invited' }), 'invited');
    assert.equal(policy({ DOMESDAY_SIGNUP: 'closed' }), 'closed');
  });

  it('what commands change in an account stands in its audit log', async () => {
    const { accountId } = await desk.json(accounts, 'create', '--name', 'Acme', '--plan', 'trial');
    const id = textOf(accountId);
    await desk.run(accounts, 'plan', id, 'basic');
    await desk.run(accounts, 'credit', id, '25', '--note', 'sorry');
    await desk.run(accounts, 'suspend', id, '--reason', 'unpaid');
    await desk.run(accounts, 'resume', id);
    const keyId = textOf((await desk.json(keys, 'create', '--account', id)).keyId);
    await desk.run(keys, 'change', keyId, '--name', 'website');
    const next = textOf((await desk.json(keys, 'rotate', keyId)).keyId);
    await desk.run(keys, 'revoke', next);
    await assert.rejects(desk.run(accounts, 'credit', id, '-1000000'));
    await desk.run(accounts, 'close', id);
    const lines = await serving(({ audit }) => Array.fromAsync(audit.all(id)));
    assert.deepEqual(
      lines.flat().map(({ who, what, subject, detail }) => [who, what, subject, detail]),
      [
        ['account.opened', id, 'trial'],
        ['plan.changed', 'basic', 'from trial'],
        ['credits.granted', '25', 'sorry'],
        ['account.suspended', id, 'unpaid'],
        ['account.resumed', id, null],
        ['key.created', keyId, 'live'],
        ['key.changed', keyId, null],
        ['key.rotated', keyId, `replaced by ${next}`],
        ['key.revoked', next, null],
        ['account.closed', id, null],
      ].map((line) => ['operator (command)', ...line]),
    );
  });
});
