// What whoever opens /docs in a browser is promised: one click on any form shows an answer, a key of one's own brings the
// real examples, and it goes nowhere but into the header of the call.

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { endpoints } from '../../src/endpoints/index.ts';
import { openPage } from '../browser.ts';
import { browser, testWith } from '../requirements.ts';
import { bundledHome, type Running, startDomesday } from '../rig.ts';

type Sent = { path: string; line: string; told: string };

/** Clicks "Send" on each of these forms whose values are filled in, one after the other, and tells what each then shows. */
const sendAll = (paths: readonly string[]) => `(async () => {
  const sent = [];
  for (const form of document.querySelectorAll('form.try')) {
    if (!${JSON.stringify(paths)}.includes(form.dataset.path)) continue;
    const values = [...form.querySelectorAll('[name]')].map(({ value }) => value);
    if (values.length > 0 && values.every((value) => value === '')) continue;
    const line = form.querySelector('.outcome-line');
    const shown = new Promise((resolve) => {
      new MutationObserver((_, observer) => {
        if (!/ ms/.test(line.textContent)) return;
        observer.disconnect();
        setTimeout(resolve);
      }).observe(line, { childList: true, subtree: true });
    });
    form.querySelector('button[type=submit]').click();
    await shown;
    sent.push({ path: form.dataset.path, line: line.textContent, told: form.querySelector('.reply pre').textContent });
  }
  return sent;
})()`;

const allPaths = endpoints.map(({ path }) => `/api/v1${path}`);

async function sendEvery(page: Page, paths: readonly string[] = allPaths): Promise<Sent[]> {
  const sent = await page.evaluate(sendAll(paths));
  assert.ok(Array.isArray(sent));
  return sent;
}

async function withDocs(
  executable: string,
  look: (page: Page, running: Running) => Promise<void>,
  at = '/docs',
) {
  const { home, remove } = await bundledHome();
  const running = await startDomesday(home);
  try {
    const { page, close } = await openPage(executable, `${running.url}${at}`);
    try {
      await look(page, running);
    } finally {
      await close();
    }
  } finally {
    await running.stop();
    remove();
  }
}

testWith(
  browser,
  'one click on each form of /docs shows an answer, without a key of one’s own',
  async (executable) => {
    // As many as the public key answers in a minute; a start forgets the count.
    const inAMinute = 10;
    for (let first = 0; first < allPaths.length; first += inAMinute) {
      const paths = allPaths.slice(first, first + inAMinute);
      await withDocs(executable, async (page) => {
        const sent = await sendEvery(page, paths);
        assert.deepEqual(
          sent.map(({ path }) => path),
          paths,
        );
        for (const { path, line, told } of sent) {
          assert.match(line, /^200 OK · \d+ ms$/, `${path} ${told}`);
          assert.equal(JSON.parse(told).success, true);
        }
      });
    }
  },
);

testWith(
  browser,
  'a live key brings the real examples, and is neither in the address nor in a curl line',
  (executable) =>
    withDocs(executable, async (page, running) => {
      const key = /dd_live_\w+/.exec(running.output())?.[0] ?? assert.fail('no demo key was printed');
      await page.evaluate(`(() => {
      const choice = document.querySelector('#key-choice');
      choice.value = 'own';
      choice.dispatchEvent(new Event('change'));
      const input = document.querySelector('#key');
      input.value = ${JSON.stringify(key)};
      input.dispatchEvent(new Event('input'));
    })()`);
      const sent = await sendEvery(page);
      assert.equal(sent.length, endpoints.length - 2, 'no list of homes is bundled');
      for (const { path, line, told } of sent) {
        assert.match(line, /^200 OK/, `${path} ${told}`);
        const isFree = endpoints.some(
          (endpoint) => `/api/v1${endpoint.path}` === path && endpoint.credits === 0,
        );
        assert.equal(JSON.parse(told).billing?.mode, isFree ? undefined : 'prepaid');
      }
      const kept = await page.evaluate(
        `[location.href, document.documentElement.outerHTML, JSON.stringify(localStorage), document.cookie].join()`,
      );
      assert.ok(!String(kept).includes(key));
      assert.equal(await page.evaluate(`document.querySelector('#key').type`), 'password');
    }),
);

testWith(browser, 'calls in the page of an error go to the address that the page came from', (executable) =>
  withDocs(
    executable,
    async (page, running) => {
      const call = await page.evaluate(`document.querySelector('.curl code').textContent`);
      assert.ok(String(call).includes(`'${running.url}/api/v1/`), String(call));
    },
    '/docs/errors/VOA_ERROR',
  ),
);
