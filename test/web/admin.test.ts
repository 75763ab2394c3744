// What an operator does from the pages, in a real browser against the real service, and what the customer sees of it.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import type { Page } from 'playwright-core';
import { test } from '../browser.ts';
import { runDomesday } from '../rig.ts';
import { serviceOfFile } from './service.ts';
import { askAs, password, signUpAs, signUpAsOperator, toldTo } from './signed-in.ts';
import { lookOver } from './visit.ts';

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const sees = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();
const follow = (page: Page, name: string | RegExp) =>
  page.getByRole('navigation', { name: 'Operator' }).getByRole('link', { name }).click();

// Where an update finds nothing to fetch.
const mirror = mkdtempSync(path.join(tmpdir(), 'domesday-mirror-'));
after(() => rmSync(mirror, { recursive: true }));
const started = serviceOfFile({ DOMESDAY_UPDATE_FROM: mirror });

test('an operator runs the business from the pages', async (context) => {
  const it = (name: string, run: () => Promise<void>) => context.test(name, run);
  const service = started();
  const customer = await signUpAs(service, 'ann@example.com');
  const operator = await signUpAsOperator(service, 'olive@example.com');
  const { accountId } = await toldTo(customer.page, 'POST /portal/accounts', { takes: { name: 'Acme' } });
  const inAccount = { in: { accountId } };
  const { key } = await toldTo(customer.page, 'POST /portal/accounts/:accountId/keys', {
    ...inAccount,
    takes: { kind: 'live' },
  });
  const call = async () => {
    const response = await fetch(`${service.running.url}/api/v1/bank-rates?limit=1`, {
      headers: { 'x-api-key': key },
    });
    return { status: response.status, body: await response.text() };
  };
  const toAccount = async () => {
    await operator.page.goto('/admin');
    await operator.page.getByRole('link', { name: 'Acme', exact: true }).click();
    await operator.page.getByRole('heading', { name: 'Acme', level: 1 }).waitFor();
  };

  await it('a customer who comes to /admin is told whom it is for, and gets none of its data', async () => {
    const { page } = customer;
    await page.goto('/admin');
    await sees(page, 'For operators only');
    await sees(page, 'npx domesday people operator ann@example.com');
    assert.equal(await page.getByRole('navigation', { name: 'Operator' }).count(), 0);
    for (const route of [
      'GET /portal/admin/accounts',
      'GET /portal/admin/plan-requests',
      'GET /portal/admin/people',
      'GET /portal/admin/data',
      'GET /portal/admin/health',
      'GET /portal/admin/refusals',
    ] as const) {
      const { status, text } = await askAs(page, route);
      assert.equal(status, 403, route);
      assert.match(text, /"NOT_ALLOWED"/, route);
    }
    await lookOver(customer, 'the page for whoever is no operator');
  });

  await it('a plan change that the operator approves is the customer’s plan, with the answer', async () => {
    await toldTo(customer.page, 'POST /portal/accounts/:accountId/plan', {
      ...inAccount,
      takes: { plan: 'standard', note: 'We go live in December.' },
    });
    const { page } = operator;
    await page.goto('/admin');
    await follow(page, /^Plan requests\s*1$/);
    await sees(page, 'We go live in December.');
    await press(page, 'Approve the request of Acme');
    await page.getByLabel('Answer to the customer (optional)').fill('Welcome aboard.');
    await press(page, 'Approve');
    await sees(page, 'Acme is on Standard now.');
    await sees(page, 'No open requests');
    await customer.page.goto(`/account/${accountId}/plan`);
    await sees(customer.page, 'Welcome aboard.');
    const { account } = await toldTo(customer.page, 'GET /portal/accounts/:accountId', inAccount);
    assert.equal(account.plan, 'standard');
  });

  await it('the overview has today’s calls, credits left, the last backup and the sample; data is loaded with what the update says', async () => {
    const { page } = operator;
    const before = await toldTo(page, 'GET /portal/admin/overview', {});
    assert.equal((await call()).status, 200);
    const { days, lowest, backup, data } = await toldTo(page, 'GET /portal/admin/overview', {});
    assert.equal((days.at(-1)?.calls ?? 0) - (before.days.at(-1)?.calls ?? 0), 1);
    assert.equal(days.length, 30);
    assert.deepEqual(
      lowest.map(({ name, balance }) => [name, balance < 30_000]),
      [
        ['Acme', true],
        ['demo', false],
      ],
    );
    assert.equal(backup.lastAtMs, null);
    assert.ok(data.sample.includes('postcodes'));
    await page.goto('/admin/overview');
    await sees(page, /Still the bundled sample: 11 of 14 datasets/);
    await page.getByRole('group', { name: /^Calls a day/ }).waitFor();
    await lookOver(operator, 'the overview');
    const copy = path.join(service.home, 'backup.sqlite');
    assert.equal((await runDomesday(['backup', copy, '--home', service.home])).code, 0);
    await page.reload();
    await sees(page, 'no charge is missing in it');

    await follow(page, 'Data');
    await press(page, 'Update now');
    await page.getByRole('dialog').getByRole('button', { name: 'Update now' }).click();
    await sees(page, 'The update ended; the data stays as it was.');
    assert.equal((await call()).status, 200);
    await lookOver(operator, 'the data after an update that found nothing');
  });

  await it('an operator makes another one with a password, and nobody does without', async () => {
    const { page } = operator;
    const later = await signUpAs(service, 'otto@example.com');
    await page.goto('/admin/people');
    await press(page, 'Make operator: otto@example.com');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Your password', { exact: true }).fill('not the password');
    await dialog.getByRole('button', { name: 'Make operator' }).click();
    await dialog.getByText('The password is wrong; try again.').first().waitFor();
    assert.equal((await askAs(later.page, 'GET /portal/admin/health')).status, 403);
    await dialog.getByLabel('Your password', { exact: true }).fill(password);
    await dialog.getByRole('button', { name: 'Make operator' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal((await askAs(later.page, 'GET /portal/admin/health')).status, 200);
  });

  await it('a suspended account is refused from the next call on, until it is resumed', async () => {
    const { page } = operator;
    assert.equal((await call()).status, 200);
    await toAccount();
    await press(page, 'Suspend the account');
    await page.getByLabel('Reason').fill('The invoice of October is open.');
    await press(page, 'Suspend it');
    await sees(page, 'The account is suspended: its keys are refused.');
    const refused = await call();
    assert.equal(refused.status, 403);
    assert.match(refused.body, /"ACCOUNT_SUSPENDED"/);
    await customer.page.goto(`/account/${accountId}`);
    await sees(customer.page, 'The invoice of October is open.');
    await page.goto('/admin');
    await page.getByRole('row', { name: /Acme/ }).getByText('suspended').waitFor();
    await toAccount();
    await press(page, 'Resume the account');
    await press(page, 'Resume it');
    await sees(page, 'The account is resumed: its keys work again.');
    assert.equal((await call()).status, 200);
  });

  await it('a correction moves the balance, and its reason stands in the statement', async () => {
    const { page } = operator;
    const balance = async () =>
      (await toldTo(customer.page, 'GET /portal/accounts/:accountId', inAccount)).account.balance;
    const before = await balance();
    await toAccount();
    await press(page, 'Correct the credits');
    await page.getByLabel('Credits', { exact: true }).fill('500');
    await page.getByLabel('Reason').fill('For the outage of Monday.');
    await press(page, 'Give credits');
    await sees(page, /^500 credits given\./);
    assert.equal(await balance(), before + 500);
    await press(page, 'Correct the credits');
    await page.getByLabel('Take credits back').check();
    await page.getByLabel('Credits', { exact: true }).fill('20');
    await page.getByLabel('Reason').fill('Counted twice.');
    await press(page, 'Take credits back');
    await sees(page, /^20 credits taken back\./);
    assert.equal(await balance(), before + 480);
    await customer.page.goto(`/account/${accountId}/statement`);
    await sees(customer.page, 'For the outage of Monday.');
    await sees(customer.page, 'Counted twice.');
  });

  await it('what is refused stands among the refused calls, with its account and why', async () => {
    const { page } = operator;
    await page.goto('/admin/refusals');
    const row = page.getByRole('row', { name: /Acme/ });
    await row.getByText('ACCOUNT_SUSPENDED').waitFor();
    await page.getByLabel('Show only').fill('no such code');
    await sees(page, 'Nothing found');
  });

  await it('by keyboard alone: a dialog opens, keeps the focus, closes by Escape, and gives it back', async () => {
    const { page } = operator;
    await toAccount();
    const opener = page.getByRole('button', { name: 'Change the plan' });
    await opener.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Change the plan' });
    await dialog.waitFor();
    for (let at = 0; at < 12; at += 1) {
      await page.keyboard.press('Tab');
      const isOutside: boolean = await page.evaluate(
        "document.activeElement !== document.body && document.activeElement.closest('dialog') === null",
      );
      assert.equal(isOutside, false, `after ${at + 1} steps`);
    }
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await page.locator(':focus').textContent(), 'Change the plan');
  });

  await it('an operator sees as the customer sees, and can neither change nor spend', async () => {
    const { page } = operator;
    await toAccount();
    await page.getByRole('link', { name: 'View as the customer' }).click();
    await sees(page, 'Seen as operator');
    const asked = [
      await askAs(page, 'POST /portal/accounts/:accountId/web-key', inAccount),
      await askAs(page, 'POST /portal/accounts/:accountId/keys', { ...inAccount, takes: { kind: 'live' } }),
    ];
    assert.deepEqual(
      asked.map(({ status }) => status),
      [403, 403],
    );
  });

  await it('an account that the operator opens is its owner’s once the invitation is accepted', async () => {
    const { page } = operator;
    await page.goto('/admin');
    await press(page, 'Open an account');
    await page.getByLabel('Name', { exact: true }).fill('<b>Bigco</b>');
    await page.getByLabel('Plan').selectOption('Enterprise');
    await page.getByLabel('Credits a month').fill('2000000');
    await page.getByLabel('Owner’s e-mail address').fill('bob@example.com');
    await press(page, 'Open it');
    await page.getByRole('heading', { name: '<b>Bigco</b>', level: 1 }).waitFor();
    await page
      .getByRole('row', { name: /bob@example\.com/ })
      .getByText('invited', { exact: true })
      .waitFor();
    const bob = await signUpAs(service, 'bob@example.com');
    await bob.page.goto(await service.link('bob@example.com', 'invite'));
    await press(bob.page, 'Join the account');
    await bob.page.waitForURL(/\/account\/acc_/);
    const { accounts } = await toldTo(bob.page, 'GET /portal/accounts');
    assert.deepEqual(
      accounts.map(({ name, plan, role }) => [name, plan, role]),
      [['<b>Bigco</b>', 'enterprise', 'owner']],
    );
    await page.goto('/admin/people');
    await page
      .getByRole('row', { name: /bob@example\.com/ })
      .getByText('confirmed', { exact: true })
      .waitFor();
    await page
      .getByRole('row', { name: /bob@example\.com/ })
      .getByRole('link', { name: '<b>Bigco</b>' })
      .waitFor();
  });

  await it('totals say that what an operator took from an allowance is off it', async () => {
    const { page } = operator;
    const allowanceAdded = async () => {
      await page.goto('/admin/totals');
      const cell = page.getByRole('row', { name: /Acme/ }).locator('[data-title="Allowance added"]');
      return Number((await cell.innerText()).replaceAll(',', ''));
    };
    const before = await allowanceAdded();
    const { account } = await toldTo(customer.page, 'GET /portal/accounts/:accountId', inAccount);
    await toAccount();
    await press(page, 'Correct the credits');
    await page.getByLabel('Take credits back').check();
    await page.getByLabel('Credits', { exact: true }).fill(String(account.lasting + 50));
    await page.getByLabel('Reason').fill('Given in error.');
    await press(page, 'Take credits back');
    await sees(page, /credits taken back\./);
    assert.equal(await allowanceAdded(), before - 50);
    await sees(page, 'by plans, less corrections');
    await sees(page, 'by operators, less corrections');
  });

  await it('data, health and the totals of the month are told by the real service', async () => {
    const { page } = operator;
    await page.goto('/admin/data');
    await sees(page, 'served');
    await follow(page, 'Health');
    await sees(page, 'Ready: calls are answered');
    await follow(page, 'Month totals');
    await page.getByRole('row', { name: /Acme/ }).waitFor();
    const file = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Save as CSV' }).click();
    assert.match((await file).suggestedFilename(), /^totals-\d{4}-\d{2}\.csv$/);
  });

  assert.deepEqual([...customer.faults, ...operator.faults], []);
});
