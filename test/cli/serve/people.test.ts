// People beside a running service: links lead to it, and mails that waited for it go out.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SmtpServer } from '../../people/smtp-server.ts';
import { bundledHome, runDomesday, startDomesday } from '../../rig.ts';

test('links that a command prints lead to the service beside it, whatever port it was given', async (context) => {
  const { home, remove } = await bundledHome();
  const running = await startDomesday(home);
  context.after(async () => {
    await running.stop();
    remove();
  });
  const told = await runDomesday(['people', 'invite', 'ann@example.com'], { DOMESDAY_HOME: home });
  assert.equal(told.code, 0, told.err);
  const link = /http\S+/.exec(told.out)?.[0] ?? '';
  assert.equal(new URL(link).origin, running.url);
  assert.equal((await fetch(link)).status, 200);
});

test('slow: mails that waited go out after the start, though nobody opens a page', async (context) => {
  const { home, remove } = await bundledHome();
  const smtp = await SmtpServer.open();
  // Without a mail server: what is to be sent waits.
  const told = await runDomesday(['people', 'invite', 'ann@example.com'], { DOMESDAY_HOME: home });
  assert.equal(told.code, 0, told.err);
  const running = await startDomesday(home, { SMTP_URL: smtp.url });
  context.after(async () => {
    await running.stop();
    await smtp.close();
    remove();
  });
  const [mail] = await smtp.received(1);
  assert.match(mail?.to ?? '', /<ann@example\.com>/);
  assert.equal((await running.stop()).code, 0);
});
