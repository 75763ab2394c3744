// A customer's way through the dashboard, in a real browser against the real service: from the sign-up to a call that a revoked
// key no longer makes, a second person, and another plan.

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { test } from '../browser.ts';
import { serviceOfFile } from './service.ts';
import { show } from './show.ts';
import { accountStates } from './states/account.ts';
import { requests } from './states/account-data.ts';
import { lookOver, type Visit, visit } from './visit.ts';

const service = serviceOfFile();
const password = 'a quiet meadow at noon';
const desk = { width: 1280, colours: 'light' } as const;
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const goTo = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Account' }).getByRole('link', { name }).click();
const call = (key: string) =>
  fetch(`${service().running.url}/api/v1/bank-rates?limit=1`, { headers: { 'x-api-key': key } });

const newcomer = (): Promise<Visit> => visit(service().browser, service().running.url, desk);

async function signUp({ page }: Visit, email: string): Promise<void> {
  await page.goto('/account/sign-up');
  await page.getByText('its operator gives you a link').waitFor();
  await page.getByLabel('E-mail address').fill(email);
  await press(page, 'Sign up');
  await page.getByText('the link that confirms').waitFor();
  // What is typed there prints the link, and nothing speaks of a mail that nobody sends.
  const command = await page.getByRole('region', { name: 'The command that prints the link' }).innerText();
  assert.equal(command.trim(), `npx domesday people link ${email}`);
  assert.doesNotMatch(await page.getByRole('main').innerText(), /we (?:have )?sen[dt]/i);
  await page.goto(await service().link(email, 'confirm'));
  assert.doesNotMatch(await page.getByRole('main').innerText(), /sent to it/);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await press(page, 'Confirm');
  await page.getByText('Your address is confirmed').waitFor();
  await page.goto('/account/sign-in');
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await press(page, 'Sign in');
}

const keyIn = async (page: Page, label: string): Promise<string> =>
  (await page.getByRole('region', { name: label, exact: true }).innerText()).trim();

test('from the sign-up to the first call, its line in usage, requests and statement, and a 401 once the key is revoked', async () => {
  const visited = await newcomer();
  const { page } = visited;
  await signUp(visited, 'ada@example.com');
  await page.getByLabel('Name of the account').fill('Analytical Engines');
  await press(page, 'Start the trial');
  await page.getByText('I have saved them').waitFor();
  const live = await keyIn(page, 'Live key');
  const test = await keyIn(page, 'Test key');
  assert.match(live, /^dd_live_/);
  assert.match(test, /^dd_test_/);

  // The command works when it is pasted.
  const command = await page.getByRole('region', { name: 'A call with curl' }).innerText();
  assert.ok(
    command.includes(live) && command.includes(`${service().running.url}/api/v1/bank-rates`),
    command,
  );
  assert.equal((await call(live)).status, 200);

  // From the page: free, then for a credit, which was said before.
  await press(page, 'Make the call for free');
  await page.getByText('nothing charged').waitFor();
  await page.getByLabel('Live: 1 credit').check();
  await press(page, 'Make the call for 1 credit');
  await page.getByText('1 credit charged, 98 credits left').waitFor();
  const stored = await page.evaluate(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
  );
  assert.doesNotMatch(String(stored), /dd_(?:web|live|test)_/, 'no key is stored by the page');

  await page.getByRole('link', { name: 'Open the dashboard' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.getByText('98 of 100 from the plan, 0 lasting').waitFor();
  assert.ok(!(await page.content()).includes(live), 'a key is told once');
  await page.getByRole('cell', { name: 'This dashboard' }).first().waitFor();
  await lookOver(visited, 'overview');

  // Live while it is watched.
  await goTo(page, 'Requests');
  await page.getByText('3 requests', { exact: true }).waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  assert.equal((await call(live)).status, 200);
  await page.getByText('4 requests', { exact: true }).waitFor();

  await goTo(page, 'Usage');
  await page.getByText('every call was answered').waitFor();
  await page.getByRole('row', { name: /First live key/ }).waitFor();
  await goTo(page, 'Statement');
  await page.getByText('3 calls, 3 credits, by day and endpoint.').waitFor();

  await goTo(page, 'Keys');
  await press(page, 'Revoke First live key');
  await press(page, 'Revoke it');
  await press(page, 'Show 1 ended key');
  assert.equal((await call(live)).status, 401);
  assert.equal((await call(test)).status, 200);

  await goTo(page, 'Audit log');
  await page.getByText('Key revoked').waitFor();
  await lookOver(visited, 'audit log');
  await visited.close();
});

test('a second person joins by an invitation, sees what the role allows, and a plan is asked for and withdrawn', async () => {
  const owner = await newcomer();
  await signUp(owner, 'grace@example.com');
  // What is typed as a name stays text.
  const name = '<img src=x onerror=alert(1)>';
  await owner.page.getByLabel('Name of the account').fill(name);
  await press(owner.page, 'Start the trial');
  await owner.page.getByText('I have saved them').waitFor();
  await owner.page.getByRole('link', { name: 'Open the dashboard' }).click();
  await goTo(owner.page, 'People');
  await press(owner.page, 'Invite somebody');
  await owner.page.getByLabel('E-mail address').fill('reader@example.com');
  await owner.page.getByLabel('Reader').check();
  await press(owner.page, 'Invite');
  await owner.page.getByText('reader@example.com is invited').waitFor();

  await goTo(owner.page, 'Plan');
  await press(owner.page, 'Choose Standard');
  await owner.page.getByLabel('Note to the operator').fill('From December on');
  await press(owner.page, 'Ask the operator');
  await owner.page.getByText('Standard is requested; the operator has not decided yet').waitFor();
  await press(owner.page, 'Withdraw');
  await press(owner.page, 'Withdraw it');
  await owner.page.getByRole('cell', { name: /^Withdrawn/ }).waitFor();
  await lookOver(owner, 'plan');

  const reader = await newcomer();
  await signUp(reader, 'reader@example.com');
  await reader.page.getByLabel('Name of the account').waitFor();
  await reader.page.goto(await service().link('reader@example.com', 'invite'));
  await press(reader.page, 'Join the account');
  await reader.page.getByRole('heading', { name: 'Overview' }).waitFor();
  await reader.page.getByText(name).first().waitFor();
  await goTo(reader.page, 'Keys');
  await reader.page.getByText('First live key').waitFor();
  assert.equal(await reader.page.getByRole('button', { name: /Make a key|Revoke/ }).count(), 0);
  assert.deepEqual(reader.faults, []);
  await reader.close();
  await owner.close();
});

const stateNamed = (name: string) => {
  const state = accountStates.find((each) => each.name === name);
  assert.ok(state, name);
  return state;
};

test('a key is made, shown and kept by keyboard alone, and nothing but that takes it out of sight', async () => {
  const visited = await newcomer();
  const { page } = visited;
  const { act: _, ...made } = stateNamed('account-keys-made');
  await show(visited, { ...made, shows: 'Make a key' });
  await page.getByRole('button', { name: 'Make a key' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Make a key');
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'Name' }).focus();
  await page.keyboard.type('From the keyboard');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Your new live key' }).waitFor();
  assert.match(String(await page.evaluate('document.activeElement.textContent')), /Your new live key/);
  await page.keyboard.press('Escape');
  await page
    .getByText(/^dd_live_/)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'I have saved it' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText(/^dd_live_4/).waitFor({ state: 'detached' });
});

test('watching goes on after it was refused and after it broke off, each request is listed once, and nothing moves while it is paused', async () => {
  const visited = await newcomer();
  const { page } = visited;
  await show(visited, stateNamed('account-overview-much'));
  const newest = { ...requests[0], requestId: 'req_of_the_stream' };
  let asked = 0;
  await page.route('**/live', (route) => {
    asked += 1;
    return asked === 1
      ? route.fulfill({ status: 429, body: '' })
      : route.fulfill({
          contentType: 'text/event-stream',
          // Ends at once, so that the browser comes again.
          body: `retry: 50\ndata: ${JSON.stringify({ balance: 5, requests: [newest] })}\n\n`,
        });
  });
  await goTo(page, 'Requests');
  await page.getByText('req_of_the_stream').waitFor();
  const before = asked;
  await page.waitForRequest('**/live');
  await page.waitForRequest('**/live');
  assert.ok(asked > before);
  assert.equal(await page.getByText('req_of_the_stream').count(), 1);
  await press(page, 'Pause');
  await page.getByText('Paused').waitFor();
  const paused = asked;
  await page.getByLabel('Request id or error code').fill('req_of_the_stream');
  await page.getByText('1 of 1,000 requests').waitFor();
  assert.ok(asked - paused <= 1, 'what was on its way may still arrive');
  await press(page, 'Resume');
  await page.waitForRequest('**/live');
});
