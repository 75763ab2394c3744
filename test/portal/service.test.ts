// The pages' interface of the real service: one session, one list of requests and one way to watch, over many connections.

import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { publicKey } from '../../src/ledger/public-sandbox.ts';
import { bundledHome, runDomesday, startDomesday } from '../rig.ts';
import { damage } from '../storage/damage.ts';
import { password } from './house.ts';

const email = 'ann@example.com';

/** Each request is a connection of its own. */
function pageOf(url: string) {
  const cookies = new Map<string, string>();
  return async (method: string, path: string, body?: unknown): Promise<Response> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        connection: 'close',
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(method === 'GET' ? {} : { origin: url, 'content-type': 'application/json' }),
      },
      ...(method === 'GET' ? {} : { body: JSON.stringify(body ?? {}) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    return response;
  };
}

test('signed in once is signed in on every connection, and who watches sees the calls of all', async () => {
  const { home, remove } = await bundledHome();
  const running = await startDomesday(home, { DOMESDAY_DEMO_ACCOUNT: 'off' });
  try {
    const ask = pageOf(running.url);
    const told = async (method: string, path: string, body?: unknown) => {
      const response = await ask(method, path, body);
      assert.equal(response.status, 200, `${method} ${path}`);
      return JSON.parse(await response.text());
    };
    await told('POST', '/portal/sign-up', { email });
    const link = await runDomesday(['people', 'link', email], { DOMESDAY_HOME: home });
    const token = /#(\S+)/.exec(link.out)?.[1];
    await told('POST', '/portal/confirm', { token, password });
    await told('POST', '/portal/sign-in', { email, password });
    for (let times = 0; times < 12; times += 1) {
      const { person } = await told('GET', '/portal/me');
      assert.equal(person.email, email);
    }
    const { accountId } = await told('POST', '/portal/accounts', { name: 'Ann' });
    const { key } = await told('POST', `/portal/accounts/${accountId}/keys`, { kind: 'live' });
    const live = await ask('GET', `/portal/accounts/${accountId}/live`);
    assert.ok(live.body);
    const calls = 8;
    for (let times = 0; times < calls; times += 1) {
      const headers = { 'x-api-key': key, connection: 'close' };
      const called = await fetch(`${running.url}/api/v1/bank-rates?limit=1`, { headers });
      assert.equal(called.status, 200);
      await called.body?.cancel();
    }
    const seen = new Set<string>();
    let text = '';
    for await (const chunk of live.body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      for (const [, requestId = ''] of text.matchAll(/"requestId":"([^"]+)"/g)) seen.add(requestId);
      if (seen.size === calls) break;
    }
    const { requests } = await told('GET', `/portal/accounts/${accountId}/requests`);
    assert.deepEqual(seen, new Set(requests.map((each: { requestId: string }) => each.requestId)));
    const { account } = await told('GET', `/portal/accounts/${accountId}`);
    assert.equal(account.balance, 100 - calls);
    const pages = await Promise.all(
      Array.from({ length: 60 }, () => ask('GET', `/portal/accounts/${accountId}/live`)),
    );
    const firsts = await Promise.all(
      pages.filter(({ status }) => status === 200).map(({ body }) => body?.getReader().read()),
    );
    const watching = firsts.filter((first) => first?.done === false).length;
    assert.ok(watching <= 6 * 2, `${watching} pages of one person watch, opened all at once`);
    const refused = await fetch(`${running.url}/portal/accounts/${accountId}/live`);
    assert.equal(refused.status, 401);
  } finally {
    const { code, errors } = await running.stop();
    assert.equal(code, 0, errors);
    remove();
  }
});

test('with the tables of people damaged pages answer 503 with the reason, and calls with keys go on', async () => {
  const { home, remove } = await bundledHome();
  await (await startDomesday(home)).stop();
  damage(path.join(home, 'domesday.sqlite'), 'people');
  const running = await startDomesday(home, { DOMESDAY_METRICS_TOKEN: 'a-token-of-the-tests' });
  const page = pageOf(running.url);
  for (const [method, where, body] of [
    ['POST', '/portal/sign-in', { email, password }],
    ['POST', '/portal/sign-up', { email }],
  ] as const) {
    const reply = await page(method, where, body);
    assert.equal(reply.status, 503, where);
    assert.match(await reply.text(), /tables of people are damaged.*Calls with keys go on/);
  }
  const call = await fetch(`${running.url}/api/v1/bank-rates?limit=1`, {
    headers: { 'x-api-key': publicKey },
  });
  assert.equal(call.status, 200);
  assert.equal((await fetch(`${running.url}/health/live`)).status, 200);
  const metrics = await fetch(`${running.url}/metrics`, {
    headers: { authorization: 'Bearer a-token-of-the-tests' },
  });
  assert.match(await metrics.text(), /^domesday_people_damaged 1$/m);
  await running.stop();
  remove();
});
