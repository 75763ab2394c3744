// A person in a real browser against the real service: signing up, confirming, signing in with a second factor, a forgotten
// password, sessions that end, and being erased.

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { codeAt, fromBase32 } from '../../src/people/proof/totp.ts';
import { test } from '../browser.ts';
import { serviceOfFile } from './service.ts';
import { type Look, visit } from './visit.ts';

const service = serviceOfFile();
const password = 'a quiet meadow at noon';
const desk = { width: 1280, colours: 'light' } as const;

const newcomer = (look: Look) => visit(service().browser, service().running.url, look);
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const sees = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

async function signUp(page: Page, email: string): Promise<void> {
  await page.goto('/account/sign-up');
  await page.getByLabel('E-mail address').fill(email);
  await press(page, 'Sign up');
  await sees(page, 'Confirm your address');
  await page.goto(await service().link(email, 'confirm'));
  await page.getByLabel('Password', { exact: true }).fill(password);
  await press(page, 'Confirm');
  await sees(page, 'Your address is confirmed');
}

async function signIn(page: Page, email: string, secret = password): Promise<void> {
  await page.goto('/account/sign-in');
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(secret);
  await press(page, 'Sign in');
}

const isSignedIn = (page: Page, email: string) => page.getByRole('link', { name: email }).waitFor();

test('whoever signs up confirms the address by a link, and signs in', async () => {
  const email = 'ada@example.com';
  const { page, faults } = await newcomer(desk);
  await signUp(page, email);
  assert.doesNotMatch(page.url(), /#/, 'the token does not stay in the address');
  await signIn(page, email);
  await isSignedIn(page, email);
  await page.waitForURL('**/account/start');
  assert.deepEqual(faults, []);
});

test('whoever has to sign in comes back to where they were', async () => {
  const email = 'grace@example.com';
  const { page } = await newcomer(desk);
  await signUp(page, email);
  await page.goto('/account/person');
  await page.waitForURL('**/account/sign-in');
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await press(page, 'Sign in');
  await page.waitForURL('**/account/person');
  await sees(page, 'Your settings');
});

test('a second factor is set up from its secret and asked for at the next sign-in', async () => {
  const email = 'alan@example.com';
  const { page, faults } = await newcomer(desk);
  await signUp(page, email);
  await signIn(page, email);
  await isSignedIn(page, email);
  await page.goto('/account/person');
  await press(page, 'Set it up');
  await page.getByLabel('Your password').fill(password);
  await press(page, 'Go on');
  const secret = fromBase32((await page.locator('.secret code').innerText()).replaceAll(/\s/g, ''));
  const codeNow = (stepsOn: number) => codeAt(secret, Math.floor(Date.now() / 30_000) + stepsOn);
  await page.getByLabel('Six digits').fill(codeNow(0));
  await press(page, 'Switch it on');
  await page.locator('.recovery code').first().waitFor();
  const recovery = await page.locator('.recovery code').allInnerTexts();
  assert.equal(recovery.length, 10);
  await press(page, 'I have saved them');
  await sees(page, '10 recovery codes left');
  await press(page, 'Sign out');
  await page.getByRole('link', { name: 'Sign in' }).first().waitFor();
  await signIn(page, email);
  await page.getByLabel('Code from your authenticator app').fill('000000');
  await press(page, 'Sign in');
  await page.getByRole('alert').or(page.locator('.field-error')).first().waitFor();
  await page.getByLabel('Code from your authenticator app').fill(recovery[0] ?? '');
  await press(page, 'Sign in');
  await isSignedIn(page, email);
  assert.deepEqual(faults, []);
});

test('a forgotten password is reset by a link, and ends every session there was', async () => {
  const email = 'mary@example.com';
  const first = await newcomer(desk);
  await signUp(first.page, email);
  await signIn(first.page, email);
  await isSignedIn(first.page, email);
  const { page } = await newcomer(desk);
  await page.goto('/account/reset');
  await page.getByLabel('E-mail address').fill(email);
  await press(page, 'Make the link');
  await sees(page, 'Your request has been received');
  await page.goto(await service().link(email, 'reset'));
  await page.getByLabel('New password').fill('another meadow, at dusk');
  await press(page, 'Change the password');
  await sees(page, 'Your password has changed');
  await first.page.goto('/account/person');
  await first.page.waitForURL('**/account/sign-in');
  await signIn(page, email, 'another meadow, at dusk');
  await isSignedIn(page, email);
});

test('sessions are listed by device and can be ended; an erased person is gone', async () => {
  const email = 'edith@example.com';
  const { page } = await newcomer(desk);
  await signUp(page, email);
  await signIn(page, email);
  await isSignedIn(page, email);
  const other = await newcomer({ width: 360, colours: 'dark' });
  await signIn(other.page, email);
  await other.page.waitForURL('**/account/start');
  await page.goto('/account/person');
  const rows = page.getByRole('row').filter({ hasText: 'on Linux' });
  await rows.nth(1).waitFor();
  await press(page, 'End all others');
  await rows.nth(1).waitFor({ state: 'detached' });
  await other.page.goto('/account/person');
  await other.page.waitForURL('**/account/sign-in');
  await press(page, 'Erase me');
  await page.getByLabel('Your password').fill(password);
  await press(page, 'Erase me for good');
  await page.waitForURL((url) => url.pathname === '/');
  await signIn(page, email);
  await page.getByRole('alert').first().waitFor();
});
