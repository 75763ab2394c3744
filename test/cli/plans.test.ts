// `domesday plans`: prices in the operator's words, seen by a running service at once, and nothing where none is set.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startBrowser } from '../browser.ts';
import { browser, testWith } from '../requirements.ts';
import { bundledHome, type Running, runDomesday, startDomesday } from '../rig.ts';

let home: string;
let remove: () => void;
let running: Running;

const plans = (...args: readonly string[]) => runDomesday(['plans', ...args, '--home', home]);
const text = async (place: string) => (await fetch(`${running.url}${place}`)).text();
const told = async () => JSON.parse(await text('/portal/plans')).plans;

before(async () => {
  ({ home, remove } = await bundledHome());
  running = await startDomesday(home, { DOMESDAY_DEMO_ACCOUNT: 'off' });
});
after(async () => {
  await running.stop();
  remove();
});

test('a price is told by pages and documents from the next request on, and no longer once it is cleared', async () => {
  assert.ok((await told()).every(({ price }: { price: unknown }) => price === null));
  assert.doesNotMatch(await text('/docs/guides/credits'), /Price|£/);
  const link = 'https://example.com/buy?plan=standard';
  assert.equal((await plans('set', 'standard', '--price', '£49 a month', '--link', link)).code, 0);
  assert.equal((await plans('set', 'Enterprise', '--price', 'from £900 | <b>ask</b>')).code, 0);
  const priced = Object.fromEntries((await told()).map((each: { plan: string }) => [each.plan, each]));
  assert.deepEqual([priced.standard.price, priced.standard.link], ['£49 a month', link]);
  assert.deepEqual([priced.basic.price, priced.basic.link], [null, null]);
  const page = await text('/docs/guides/credits');
  assert.match(page, /£49 a month/);
  assert.match(page, /from £900 \| &lt;b&gt;ask&lt;\/b&gt;/);
  assert.match(await text('/docs/guides/credits.md'), /\| Standard +\|.*£49 a month/);
  assert.match((await plans('list')).out, /^standard +30000 +£49 a month +https:/m);
  assert.equal((await plans('clear', 'enterprise')).code, 0);
  assert.doesNotMatch(await text('/docs/guides/credits'), /£900/);
});

test('what could not be shown, or would run where it is pressed, is refused', async () => {
  for (const args of [
    ['set', 'standard'],
    ['set', 'standard', '--price', ' '],
    ['set', 'standard', '--price', 'x'.repeat(61)],
    ['set', 'standard', '--price', 'two\nlines'],
    ['set', 'standrad', '--price', '£1'],
    ['set', 'standard', '--price', '£1', '--link', 'javascript:alert(1)'],
    ['set', 'standard', '--price', '£1', '--link', 'example.com'],
    ['clear'],
    ['clear', 'gold'],
  ]) {
    const { code, err } = await plans(...args);
    assert.equal(code, 2, args.join(' '));
    assert.match(err, /^[^\n]+\n$/, 'one line');
  }
  assert.match((await plans('set', 'standrad', '--price', '£1')).err, /Did you mean standard\?/);
});

testWith(
  browser,
  'the front page lists what has a price, with its link, and nothing else',
  async (executable) => {
    await plans('set', 'basic', '--price', '£19 a month', '--link', 'mailto:sales@example.com');
    const opened = await startBrowser(executable);
    const page = await opened.browser.newPage();
    await page.goto(running.url);
    const table = page.getByRole('table', { name: 'Plans and what they cost' });
    await table.getByText('£19 a month').waitFor();
    assert.equal(await table.getByText('Premium').count(), 0);
    const link = table.getByRole('link', { name: 'More about the price of Basic' });
    assert.equal(await link.getAttribute('href'), 'mailto:sales@example.com');
    await opened.close();
  },
);
