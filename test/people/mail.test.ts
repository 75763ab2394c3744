// Mails through a real SMTP server, also one that misbehaves or is away.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { dayMs, hourMs, minuteMs } from '../../src/time.ts';
import { House, password, told, visitor } from './house.ts';
import { type Manner, SmtpServer } from './smtp-server.ts';

describe('mail', () => {
  let smtp: SmtpServer;
  let house: House;
  beforeEach(async () => {
    smtp = await SmtpServer.open();
    house = await House.open({ smtpUrl: smtp.url, mailStepMs: 200 });
  });
  afterEach(async () => {
    await house.close();
    await smtp.close();
  });

  /** Quoted-printable and line breaks undone. */
  const plain = (data: string) =>
    data
      .replace(/=\n/g, '')
      .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

  it('a sign-up is confirmed by the link that came by mail, and by nothing in the log', async () => {
    told(await house.people.joining.signUp({ email: 'ann@example.com' }, visitor()));
    const [mail] = await smtp.received(1);
    assert.match(mail?.to ?? '', /<ann@example\.com>/);
    assert.match(mail?.from ?? '', /<no-reply@data\.example\.com>/);
    const text = plain(mail?.data ?? '');
    assert.match(text, /^Subject: Confirm your address$/m);
    assert.match(text, /^Content-Type: text\/plain/m);
    const [, token = ''] = /https:\/\/data\.example\.com\/account\/confirm#([\w-]{43})$/m.exec(text) ?? [];
    told(await house.people.joining.confirm({ token, password }, visitor()));
    await house.signIn('ann@example.com');
    assert.equal(await house.people.mail.sendDue(), 0);
    assert.deepEqual(house.told, []);
  });

  it('each purpose has its own words, and a known address is told of its account', async () => {
    const { joining, members } = house.people;
    told(await joining.signUp({ email: 'ann@example.com' }, visitor()));
    await smtp.received(1);
    told(
      await joining.confirm({ token: await house.token('ann@example.com', 'confirm'), password }, visitor()),
    );
    told(await joining.signUp({ email: 'ann@example.com' }, visitor()));
    told(await joining.askReset('ann@example.com', visitor()));
    told(await joining.askReset('nobody@example.com', visitor()));
    const name = 'Acme\r\nBcc: x@example.com https://evil.example/ www.evil.example';
    told(
      await members.invite(
        { kind: 'command' },
        {
          email: 'bob@example.com',
          account: { accountId: 'acc_1', name, role: 'reader' },
        },
      ),
    );
    const mails = (await smtp.received(5)).map(({ to, data }) => [to, plain(data)] as const);
    const subjects = mails.map(([, data]) => /^Subject: (.*)$/m.exec(data)?.[1]);
    assert.deepEqual(subjects.sort(), [
      'An invitation to an account',
      'Choose a new password',
      'Confirm your address',
      'There is no account for this address',
      'You have an account already',
    ]);
    const [, invitation = ''] = mails.find(([to]) => to.includes('bob')) ?? [];
    assert.doesNotMatch(invitation, /^Bcc/m);
    assert.doesNotMatch(invitation, /evil\.example|https:\/\/evil/);
    assert.deepEqual(
      new Set(mails.flatMap(([, data]) => data.match(/https?:\/\/[\w.]+/g) ?? [])),
      new Set(['https://data.example.com']),
    );
  });

  for (const manner of ['busy', 'hangs', 'cuts', 'garbles'] as const satisfies readonly Manner[]) {
    it(`a server that ${manner} gets the mail later, ever more seldom, and no address is in the log`, async () => {
      smtp.manner = manner;
      told(await house.people.joining.askReset('ann@example.com', visitor()));
      assert.equal(await house.people.mail.sendDue(), 1);
      const tries = smtp.connections;
      assert.equal(tries, 1);
      house.nowMs += 2 * minuteMs - 1;
      await house.people.mail.sendDue();
      assert.equal(smtp.connections, tries);
      house.nowMs += 1;
      await house.people.mail.sendDue();
      assert.equal(smtp.connections, tries + 1);
      smtp.manner = 'takes';
      house.nowMs += 4 * minuteMs;
      assert.equal(await house.people.mail.sendDue(), 0);
      assert.equal(smtp.mails.length, 1);
      // Once when it begins, once when it is over.
      assert.deepEqual(
        house.told.map(({ level }) => level),
        ['warn', 'info'],
      );
      const log = house.told.map(({ message }) => message).join('\n');
      assert.match(log, /each is tried again/);
      assert.doesNotMatch(log, /@|#/);
    });
  }

  it('a mail that the server refuses for good is told once and given up', async () => {
    smtp.manner = 'refuses';
    told(await house.people.joining.askReset('ann@example.com', visitor()));
    assert.equal(await house.people.mail.sendDue(), 0);
    assert.deepEqual(
      house.told.map(({ message }) => message),
      ['a mail (no account) was refused by the mail server: EENVELOPE 550'],
    );
  });

  it('a server that is away delays nobody, and what has expired is not sent any more', async () => {
    const { url } = smtp;
    await smtp.close();
    told(await house.people.joining.signUp({ email: 'ann@example.com' }, visitor()));
    assert.equal(await house.people.mail.sendDue(), 1);
    house.nowMs += dayMs;
    assert.equal(await house.people.mail.sendDue(), 0);
    smtp = await SmtpServer.open();
    assert.notEqual(smtp.url, url);
    const other = house.replica({ smtpUrl: smtp.url });
    await other.mail.sendDue();
    assert.equal(smtp.mails.length, 0);
  });

  it('a mail that one replica could not send is sent by another, once', async () => {
    smtp.manner = 'busy';
    told(await house.people.joining.askReset('ann@example.com', visitor()));
    await house.people.mail.sendDue();
    smtp.manner = 'takes';
    house.nowMs += hourMs;
    const replicas = [house.people, house.replica(), house.replica(), house.replica()];
    await Promise.all(replicas.map(({ mail }) => mail.sendDue()));
    assert.equal(smtp.mails.length, 1);
  });

  it('mails go to the address that its owner confirmed, however whoever asks spells it', async () => {
    const { joining, members } = house.people;
    await house.join('Ann@example.com');
    await smtp.received(1);
    told(await joining.askReset('aNN@EXAMPLE.com', visitor()));
    told(await joining.signUp({ email: 'ANN@example.com' }, visitor()));
    const account = { accountId: 'acc_1', name: 'Acme', role: 'reader' } as const;
    told(await members.invite({ kind: 'command' }, { email: 'ann@Example.com', account }));
    assert.deepEqual(
      (await smtp.received(4)).slice(1).map(({ to, data }) => [to, /^To: (.*)$/m.exec(data)?.[1]]),
      Array(3).fill(['RCPT TO:<Ann@example.com>', 'Ann@example.com']),
    );
    // Whoever invites is told no more than they typed.
    assert.equal((await members.list('acc_1')).invites[0]?.email, 'ann@Example.com');
  });

  it('nothing is sent in the clear to another machine, whoever strips its offer of TLS, unless the operator says so', async () => {
    // Not the address of loopback, though it leads there.
    const elsewhere = smtp.url.replace('127.0.0.1', '0.0.0.0').replace('smtp://', 'smtp://user:secret@');
    const careful = house.replica({ smtpUrl: elsewhere });
    told(await careful.joining.askReset('ann@example.com', visitor()));
    assert.equal(await careful.mail.sendDue(), 1);
    assert.equal(smtp.mails.length, 0);
    assert.equal(
      smtp.heard.some((line) => /^(?:AUTH|MAIL|RCPT)/i.test(line)),
      false,
    );
    assert.match(house.told[0]?.message ?? '', /offers no encryption; use smtps:.*\?ignoreTLS=true/);
    house.nowMs += 2 * minuteMs;
    const allowed = house.replica({ smtpUrl: `${smtp.url.replace('127.0.0.1', '0.0.0.0')}?ignoreTLS=true` });
    assert.equal(await allowed.mail.sendDue(), 0);
    assert.equal(smtp.mails.length, 1);
  });

  it('a mail that could not be sent while the clock was ahead is tried again once it is right', async () => {
    smtp.manner = 'busy';
    const account = { accountId: 'acc_1', name: 'Acme', role: 'reader' } as const;
    told(await house.people.members.invite({ kind: 'command' }, { email: 'ann@example.com', account }));
    house.nowMs += 3 * dayMs;
    await house.people.mail.sendDue();
    house.nowMs -= 3 * dayMs;
    smtp.manner = 'takes';
    assert.equal(await house.people.mail.sendDue(), 0);
    assert.equal(smtp.mails.length, 1);
  });

  it('a service that stops waits for no mail server', async () => {
    const stopping = house.replica({ mailStepMs: 60_000 });
    smtp.manner = 'hangs';
    told(await stopping.joining.askReset('ann@example.com', visitor()));
    await smtp.connected(1);
    await stopping.close();
    smtp.manner = 'takes';
    house.nowMs += hourMs - 1;
    assert.equal(await house.people.mail.sendDue(), 0);
    assert.equal(smtp.mails.length, 1);
  });

  it('every link that was sent for one ask works, until one of them is followed', async () => {
    told(await house.people.joining.signUp({ email: 'ann@example.com' }, visitor()));
    const [mail] = await smtp.received(1);
    const [, sent = ''] = /confirm#([\w-]{43})/.exec(plain(mail?.data ?? '')) ?? [];
    const printed = await house.token('ann@example.com', 'confirm');
    assert.notEqual(sent, printed);
    told(await house.people.joining.confirm({ token: sent, password }, visitor()));
    assert.equal(
      (await house.people.joining.confirm({ token: printed, password }, visitor())).kind,
      'refused',
    );
  });
});
