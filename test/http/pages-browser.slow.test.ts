// What pages of other origins can do with each kind of key, in a real browser, against the real service: the browser decides by
// its own rules what a page may read. The page that docs/browsers.md shows is one of them.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { Page } from 'playwright-core';
import { openLedger } from '../../src/ledger/open.ts';
import { publicKey } from '../../src/ledger/public-sandbox.ts';
import { type OpenedPage, openPage } from '../browser.ts';
import { browser, testWith } from '../requirements.ts';
import { bundledHome, startDomesday } from '../rig.ts';

/** Serves one page at every path; `localhost` and `127.0.0.1` are two origins of it. */
async function servePage(html: () => string): Promise<{ server: Server; port: number }> {
  const server = createServer((_, reply) => {
    reply.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    reply.end(html());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return { server, port: address.port };
}

type World = {
  readonly service: string;
  readonly live: string;
  readonly publishable: string;
  /** The one that the publishable key is bound to, and another one. */
  readonly bound: string;
  readonly other: string;
  readonly visit: (origin: string) => Promise<Page>;
  /** Ends the service, so that nothing waits to be written; tells the calls that the account's live windows have this month. */
  readonly end: () => Promise<number | undefined>;
};

async function withWorld(
  executable: string,
  html: (world: World) => string,
  look: (world: World) => Promise<void>,
) {
  const { home, remove } = await bundledHome();
  const running = await startDomesday(home);
  const beside = await openLedger({ home, ifMissing: 'refuse' });
  let page = '';
  const pages = await servePage(() => page);
  const opened: OpenedPage[] = [];
  try {
    const atMs = Date.now();
    const { accounts } = beside;
    const { accountId } = await accounts.createAccount({ name: 'site', plan: 'premium', atMs });
    const { key: live } = await accounts.createKey({ accountId, kind: 'live', atMs });
    const [bound, other] = [`http://localhost:${pages.port}`, `http://127.0.0.1:${pages.port}`];
    const binding = { origins: [bound], endpoints: ['/bank-rates'] };
    const { key: publishable } = await accounts.createKey({ accountId, kind: 'publishable', binding, atMs });
    const world: World = {
      service: running.url,
      live,
      publishable,
      bound,
      other,
      visit: async (origin) => {
        const visited = await openPage(executable, `${origin}/`);
        opened.push(visited);
        return visited.page;
      },
      end: async () => {
        await running.stop();
        return (await accounts.windowsOf(accountId, 'live', Date.now()))[2]?.used;
      },
    };
    page = html(world);
    await look(world);
  } finally {
    for (const visited of opened) await visited.close();
    pages.server.close();
    await beside.ledger.close();
    await running.stop();
    remove();
  }
}

/** What the page gets to read of a call; `nothing` where the browser keeps the reply from it. */
async function reads(
  page: Page,
  url: string,
  key: string,
  more: Record<string, string> = {},
): Promise<unknown> {
  const headers = JSON.stringify({ 'X-API-Key': key, ...more });
  return page.evaluate(`fetch(${JSON.stringify(url)}, { headers: ${headers} }).then(
    async (reply) => {
      const { success, error } = await reply.json();
      const seen = ['x-credits-charged', 'x-ratelimit-limit', 'etag', 'x-request-id'].every((name) => reply.headers.has(name));
      return [reply.status, success ? 'an answer' : error.code, success && seen];
    },
    () => 'nothing',
  )`);
}

testWith(
  browser,
  'a test key works in a page of any origin, a publishable one in its own, a live one in none',
  (executable) =>
    withWorld(
      executable,
      () => '<!doctype html><title>any page</title>',
      async ({ service, live, publishable, bound, other, visit, end }) => {
        const url = `${service}/api/v1/bank-rates?limit=1`;
        const [own, foreign] = [await visit(bound), await visit(other)];
        for (const page of [own, foreign]) {
          assert.deepEqual(await reads(page, url, publicKey), [200, 'an answer', true]);
          assert.equal(await reads(page, url, live), 'nothing');
          const wrong = `dd_test_${'x'.repeat(31)}`;
          assert.deepEqual(await reads(page, url, wrong), [401, 'AUTHENTICATION_REQUIRED', false]);
        }
        assert.deepEqual(await reads(own, url, publishable), [200, 'an answer', true]);
        assert.deepEqual(
          await reads(own, `${service}/api/v1/bank-rates?limit=2`, publishable, {
            'X-Request-Id': 'a',
            'Idempotency-Key': 'b',
          }),
          [200, 'an answer', true],
        );
        assert.deepEqual(await reads(own, `${service}/api/v1/bank-rates?limit=x`, publishable), [
          400,
          'INVALID_LIMIT',
          false,
        ]);
        assert.deepEqual(await reads(own, `${service}/api/v1/council-tax/lookup`, publishable), [
          403,
          'KEY_NOT_ALLOWED',
          false,
        ]);
        assert.equal(await reads(foreign, url, publishable), 'nothing');
        const free = `fetch('${service}/api/v1/datasets').then((reply) => reply.status)`;
        assert.equal(await foreign.evaluate(free), 200);
        // A page without an origin of its own sends `null`.
        const framed = `new Promise((resolve) => {
          addEventListener('message', ({ data }) => resolve(data), { once: true });
          const frame = document.createElement('iframe');
          frame.sandbox = 'allow-scripts';
          frame.srcdoc = \`<script>fetch('${url}', { headers: { 'X-API-Key': '${publishable}' } }).then(
            () => parent.postMessage('an answer', '*'), () => parent.postMessage('nothing', '*'))</script>\`;
          document.body.append(frame);
        })`;
        assert.equal(await own.evaluate(framed), 'nothing');
        // Two with the live key and six with the publishable one; their preflights are none.
        assert.equal(await end(), 8);
      },
    ),
);

testWith(browser, 'the page that docs/browsers.md shows works where its key is bound to', (executable) => {
  const guide = readFileSync(new URL('../../docs/browsers.md', import.meta.url), 'utf8');
  const shown = /```html\n(.*?)```/s.exec(guide)?.[1] ?? assert.fail('the guide shows no page');
  assert.ok(shown.includes("'http://127.0.0.1:8080'") && shown.includes("'dd_pub_…'"));
  return withWorld(
    executable,
    ({ service, publishable }) =>
      shown.replace('http://127.0.0.1:8080', service).replace('dd_pub_…', publishable),
    async ({ bound, other, visit }) => {
      const told = (page: Page) =>
        page.evaluate(`new Promise((resolve) => {
          const output = document.querySelector('output');
          const look = () => output.value.endsWith('…') ? setTimeout(look, 10) : resolve(output.value);
          look();
        })`);
      assert.match(String(await told(await visit(bound))), /^\d+(\.\d+)? % since \d{4}-\d{2}-\d{2}$/);
      assert.match(String(await told(await visit(other))), /did not let this page read/);
    },
  );
});
