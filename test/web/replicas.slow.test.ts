// The pages with two services on one PostgreSQL behind HAProxy and TLS: whichever of them is asked, it is one session.

import assert from 'node:assert/strict';
import { startBrowser } from '../browser.ts';
import { Fleet } from '../replicas/fleet.ts';
import { both, browser, fleetTools, testWith } from '../requirements.ts';
import { askAs, toldTo } from './signed-in.ts';
import { visit } from './visit.ts';

const origin = 'https://data.example.com';
const email = 'ann@example.com';
const password = 'a quiet meadow at noon';

testWith(
  both(browser, fleetTools()),
  'one session is good with every replica, and ends with all of them',
  async ([executable, tools], context) => {
    await using fleet = await Fleet.open(tools, 2, { DOMESDAY_PUBLIC_URL: origin, DOMESDAY_SIGNUP: 'open' });
    await fleet.allUp();
    const started = await startBrowser(executable, [
      `--host-resolver-rules=MAP data.example.com:443 127.0.0.1:${fleet.proxy.tlsPort}`,
      '--ignore-certificate-errors',
    ]);
    context.after(started.close);
    const { page, faults } = await visit(started.browser, origin, { width: 1280, colours: 'light' });
    const askOften = async (times: number) => {
      const before = await fleet.callsToEach();
      const asked = await Promise.all(
        Array.from({ length: times }, () => askAs(page, 'GET /portal/sessions')),
      );
      const after = await fleet.callsToEach();
      assert.ok(
        after.every((calls, at) => calls > (before[at] ?? 0)),
        `every replica was asked: ${before} then ${after}`,
      );
      return new Set(asked.map(({ status }) => status));
    };

    await page.goto('/account/sign-up');
    await page.getByLabel('E-mail address').fill(email);
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByText('Confirm your address').first().waitFor();
    const [token] = /(?<=\/account\/confirm#)\S+/.exec(await fleet.run('people', 'link', email)) ?? [];
    await toldTo(page, 'POST /portal/confirm', {
      takes: { token: token ?? assert.fail('no link'), password },
    });
    await page.goto('/account/sign-in');
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();

    const cookies = await page.context().cookies();
    const session = cookies.find(({ name }) => name === '__Host-domesday');
    assert.deepEqual([session?.secure, session?.httpOnly, session?.sameSite], [true, true, 'Lax']);
    assert.deepEqual(await askOften(40), new Set([200]));

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    await page.context().addCookies(cookies);
    assert.deepEqual(await askOften(40), new Set([401]), 'a session that was ended, with every replica');
    assert.deepEqual(faults, []);
  },
);
