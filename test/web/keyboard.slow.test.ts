// Pages by keyboard alone: where the focus is after every step, since whoever cannot see the page has nothing else to go by.

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { test } from '../browser.ts';
import { refused } from './answers.ts';
import { serviceOfFile } from './service.ts';
import { show } from './show.ts';
import { type State, signedIn, signedOut } from './state.ts';
import { until, type Visit, visit } from './visit.ts';

const service = serviceOfFile();

const signIn: State = { name: 'sign-in', path: '/account/sign-in', answers: signedOut, shows: 'Forgotten' };

async function opened(state: State): Promise<Visit> {
  const visited = await visit(service().browser, service().running.url, { width: 1280, colours: 'light' });
  await show(visited, state);
  return visited;
}

/** The words of what has the focus; of a field, its label. */
const focusedWords = `(() => {
  const element = document.activeElement;
  return element.labels?.[0]?.textContent ?? element.getAttribute('aria-label') ?? element.textContent;
})()`;
const focused = (page: Page): Promise<string> => page.evaluate(focusedWords);
/** A heading has it once the page is drawn. */
const willBeFocused = (page: Page, words: string): Promise<void> =>
  until(page, `${focusedWords} === ${JSON.stringify(words)}`);

/** Presses the tab key until that has the focus. */
async function tabTo(page: Page, words: string): Promise<void> {
  const passed: string[] = [];
  while (passed.length < 40) {
    await page.keyboard.press('Tab');
    const now = await focused(page);
    if (now === words) return;
    passed.push(now);
  }
  assert.fail(`"${words}" is not reached: ${passed.join(' → ')}`);
}

test('the first stop of every page leads past the bar', async () => {
  const { page, close } = await opened(signIn);
  await page.keyboard.press('Tab');
  assert.equal(await focused(page), 'Skip to the content');
  await page.keyboard.press('Enter');
  await tabTo(page, 'E-mail address');
  await close();
});

test('a form is filled in and sent, and what is refused gets the focus', async () => {
  const answers = { ...signedOut, 'POST /portal/sign-up': refused(400, 'INVALID', 'Too short.', 'password') };
  const { page, close } = await opened({
    name: 'sign-up-by-invitation',
    path: '/account/sign-up#a-token',
    answers,
    shows: 'At least 12 characters',
  });
  await tabTo(page, 'E-mail address');
  await page.keyboard.type('ada@example.com');
  await tabTo(page, 'Password');
  await page.keyboard.type('short');
  await page.keyboard.press('Enter');
  await page.getByText('Too short.').waitFor();
  assert.equal(await focused(page), 'Password');
  const field = page.getByLabel('Password', { exact: true });
  assert.equal(await field.getAttribute('aria-invalid'), 'true');
  const described = (await field.getAttribute('aria-describedby')) ?? '';
  const told = await Promise.all(described.split(' ').map((id) => page.locator(`[id="${id}"]`).innerText()));
  assert.match(told.join(' '), /At least 12 characters.* Too short\./);
  await close();
});

test('a link to another page leads to its heading, and its title is the window’s', async () => {
  const { page, close } = await opened(signIn);
  await tabTo(page, 'Forgotten your password?');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Reset your password' }).waitFor();
  await willBeFocused(page, 'Reset your password');
  assert.equal(await page.title(), 'Reset your password · Domesday');
  await page.goBack();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await willBeFocused(page, 'Sign in');
  await close();
});

test('a dialog keeps the focus, closes by Escape, and gives it back to what opened it', async () => {
  const { page, close } = await opened({
    name: 'settings',
    path: '/account/person',
    answers: { ...signedIn, 'GET /portal/sessions': { sessions: [] } },
    shows: 'Second factor',
  });
  await tabTo(page, 'Set it up');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Set up a second factor' }).waitFor();
  const isWithin = `document.querySelector('dialog').contains(document.activeElement)`;
  for (let step = 0; step < 8; step += 1) {
    // Between its end and its beginning the browser's own buttons have their turn.
    if ((await page.evaluate('document.activeElement === document.body')) === false)
      assert.equal(await page.evaluate(isWithin), true);
    await page.keyboard.press('Tab');
  }
  // In the very moment: whoever types on would otherwise type to nobody.
  await page.evaluate(`(() => {
    const watch = new MutationObserver(() => {
      if (document.querySelector('dialog') !== null) return;
      watch.disconnect();
      document.body.dataset.focusThen = document.activeElement.textContent;
    });
    watch.observe(document.body, { childList: true, subtree: true });
  })()`);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.equal(await page.locator('body').getAttribute('data-focus-then'), 'Set it up');
  assert.equal(await focused(page), 'Set it up');
  await close();
});
