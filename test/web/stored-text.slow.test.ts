// Whatever text a person can store or put into an address stays text, on every page, in a real browser.

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { browser, testWith } from '../requirements.ts';
import { runDomesday } from '../rig.ts';
import { serviceOfFile } from './service.ts';
import { askAs, signUpAs, signUpAsOperator, toldTo } from './signed-in.ts';

const service = serviceOfFile();
const planted = (where: string) =>
  `${where}"'><img src=x data-planted onerror=planted=1><script>planted=1</script>{{7*7}}</b>`;

/** What a text has become of, where it is no text any more. */
const plants = (page: Page): Promise<readonly string[]> =>
  page.evaluate(`(() => {
    const elements = document.querySelectorAll('[data-planted], img[src="x"], [href^="javascript:" i], [onerror]');
    return [...elements].map((element) => element.outerHTML).concat(typeof planted === 'undefined' ? [] : ['it ran']);
  })()`);

const ofAccount = [
  '',
  'keys',
  'usage',
  'requests',
  'statement',
  'plan',
  'people',
  'audit',
  'settings',
  'try',
];
const ofOperator = ['', '/requests', '/people', '/audit', '/refusals', '/totals', '/data', '/health'];

async function assertText(page: Page, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const shown = new Set<string>();
  for (const path of paths) {
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await page.waitForLoadState('networkidle');
    assert.deepEqual(await plants(page), [], path);
    const text = await page.evaluate('document.documentElement.innerText + document.title');
    for (const [, where = ''] of String(text).matchAll(/([a-z]+)"'><img src=x data-planted/g))
      shown.add(where);
  }
  return shown;
}

testWith(
  browser,
  'whatever people store stays text on every page of theirs and of the operator',
  async () => {
    const { page } = await signUpAs(service(), 'ann@example.com');
    const { accountId } = await toldTo(page, 'POST /portal/accounts', {
      takes: { name: planted('account') },
    });
    await toldTo(page, 'PATCH /portal/person', { takes: { name: planted('person') } });
    await toldTo(page, 'PATCH /portal/accounts/:accountId', {
      in: { accountId },
      takes: { parameters: 'kept' },
    });
    const { key } = await toldTo(page, 'POST /portal/accounts/:accountId/keys', {
      in: { accountId },
      takes: { kind: 'live', name: planted('key') },
    });
    await toldTo(page, 'POST /portal/accounts/:accountId/plan', {
      in: { accountId },
      takes: { plan: 'premium', note: planted('note') },
    });
    // A price has 60 characters at most.
    const price = planted('price').slice(0, 50);
    const set = ['plans', 'set', 'premium', '--price', price, '--home', service().home];
    assert.equal((await runDomesday(set)).code, 0);
    for (const path of ['/api/v1/area/sold-prices?area=', '/api/v1/bank-rates?limit=', '/api/v1/nowhere/']) {
      await fetch(`${service().running.url}${path}${encodeURIComponent(planted('query'))}`, {
        headers: { 'x-api-key': key, 'user-agent': planted('agent') },
      });
    }
    const { page: desk } = await signUpAsOperator(service(), 'olga@example.com');
    const { requests } = await toldTo(desk, 'GET /portal/admin/plan-requests');
    const adminPages = [...ofOperator.map((path) => `/admin${path}`), `/admin/accounts/${accountId}`];
    const ofAnn = ofAccount.map((name) => `/account/${accountId}${name === '' ? '' : `/${name}`}`);
    const before = await assertText(desk, adminPages);
    await toldTo(desk, 'POST /portal/admin/plan-requests/:planRequestId', {
      in: { planRequestId: requests[0]?.planRequestId ?? '' },
      takes: { decision: 'decline', answer: planted('answer') },
    });
    await toldTo(desk, 'POST /portal/admin/accounts/:accountId/credits', {
      in: { accountId },
      takes: { credits: 5, reason: planted('credits') },
    });
    await toldTo(desk, 'POST /portal/admin/accounts/:accountId/suspend', {
      in: { accountId },
      takes: { reason: planted('suspended') },
    });
    const shown = new Set([
      ...before,
      ...(await assertText(desk, [...adminPages, ...ofAnn])),
      ...(await assertText(page, [...ofAnn, '/account/person', '/account/start'])),
    ]);
    for (const path of [`/account/${accountId}/plan`, '/', '/docs/guides/credits'])
      assert.ok((await assertText(page, [path])).has('price'), path);
    assert.deepEqual([...shown].sort(), [
      'account',
      'answer',
      'credits',
      'key',
      'note',
      'person',
      'price',
      'suspended',
    ]);
  },
);

testWith(browser, 'whatever stands in an address stays text', async () => {
  const { page } = await signUpAs(service(), 'bob@example.com');
  const text = encodeURIComponent(planted('address'));
  assert.equal((await askAs(page, 'GET /portal/me')).status, 200);
  await assertText(page, [
    ...['/explore/', '/account/', '/docs/', '/docs/errors/', '/'].map((path) => `${path}${text}`),
    ...['/explore?q=', '/docs?q=', '/docs/search?q=', '/account?account=', '/explore/PO33-2RW?show='].map(
      (path) => `${path}${text}`,
    ),
    ...['/account/confirm#', '/account/reset#', '/account/invite#', '/explore/PO33-2RW#'].map(
      (path) => `${path}${text}`,
    ),
  ]);
  // The look itself sees what is no text any more.
  await page.evaluate(`document.body.insertAdjacentHTML("beforeend", ${JSON.stringify(planted('seen'))})`);
  assert.notDeepEqual(await plants(page), []);
});
