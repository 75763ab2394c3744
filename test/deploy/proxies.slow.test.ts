// What the proxies of deploy/ do to a call: whose address and which key go along, what is sent again, and what callers read
// where nobody answers.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { createServer as createSocketServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { haproxy, nginx, proxyWithTls, testWith } from '../requirements.ts';
import { bundledHome, startDomesday } from '../rig.ts';
import { type RunningProxy, startHaproxy, startNginx, type Tools } from './proxies.ts';

const key = 'dd_test_PublicSandboxKeyForAnyone26NNv4';
const postcode = '/api/v1/council-tax/lookup?postcode=ZZ1+1AA';

const proxies = [
  { what: 'nginx', tools: proxyWithTls(nginx), start: startNginx },
  { what: 'HAProxy', tools: proxyWithTls(haproxy), start: startHaproxy },
] as const;

const hostOf = (url: string) => new URL(url).host;

function portOf(server: { address: () => ReturnType<Socket['address']> | string | null }): number {
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object' && 'port' in address);
  return Number(address.port);
}

/** A replica that takes a call and dies, as by kill -9; it says that it is ready. */
async function dyingReplica(context: TestContext): Promise<{ address: string; calls: readonly string[] }> {
  const calls: string[] = [];
  const server = createSocketServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      const text = String(chunk);
      if (text.startsWith('GET /health/')) socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
      else {
        calls.push(text);
        socket.resetAndDestroy();
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => server.close());
  return { address: `127.0.0.1:${portOf(server)}`, calls };
}

/** A replica that tells what it was asked. */
async function listeningReplica(
  context: TestContext,
): Promise<{ address: string; heard: IncomingHttpHeaders[] }> {
  const heard: IncomingHttpHeaders[] = [];
  const server = createServer(({ headers, url = '' }, response) => {
    if (!url.startsWith('/health/')) heard.push(headers);
    response.end('heard');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { address: `127.0.0.1:${portOf(server)}`, heard };
}

/** Asks until the dying replica was the first to be asked. */
async function askThroughDeath(
  proxy: RunningProxy,
  calls: readonly string[],
  wish: Parameters<RunningProxy['ask']>[1],
) {
  for (;;) {
    const before = calls.length;
    const reply = await proxy.ask(postcode, wish);
    if (calls.length > before) return reply;
  }
}

const keyIn = (call: string) => /^idempotency-key: (\S+)/im.exec(call)?.[1];

for (const { what, tools, start } of proxies) {
  const check = (name: string, run: (given: Tools, context: TestContext) => Promise<void>) =>
    testWith(tools, `${what}: ${name}`, run);

  check('its own check finds no fault, and a service behind it answers over TLS', async (given, context) => {
    const { home, remove } = await bundledHome();
    const service = await startDomesday(home, { DOMESDAY_TRUST_PROXY: '1', DOMESDAY_SAMPLE: 'serve' });
    context.after(async () => {
      await service.stop();
      remove();
    });
    const proxy = await start(context, given, [hostOf(service.url)]);
    assert.equal(proxy.verdict.status, 0, proxy.verdict.text);
    // Before nginx 1.25 there is no other way to say it.
    const warnings = proxy.verdict.text
      .split('\n')
      .filter((line) => /warn/i.test(line) && !/listen \.\.\. http2/.test(line));
    assert.deepEqual(warnings, []);
    const reply = await proxy.ask(postcode, { headers: { 'x-api-key': key, 'x-request-id': 'our-own-id' } });
    assert.equal(reply.status, 200, reply.body);
    assert.equal(reply.headers['x-request-id'], 'our-own-id');
    assert.match(String(reply.headers['strict-transport-security']), /max-age=\d{8}/);
  });

  check('metrics are hidden, and a key sent in the clear is refused', async (given, context) => {
    const { address, heard } = await listeningReplica(context);
    const proxy = await start(context, given, [address]);
    assert.equal((await proxy.ask('/metrics')).status, 404);
    const clear = `http://127.0.0.1:${proxy.clearPort}`;
    const refused = await fetch(`${clear}${postcode}`, { headers: { 'x-api-key': key } });
    assert.equal(refused.status, 403);
    assert.match(await refused.text(), /"code":"HTTPS_REQUIRED"/);
    const pages = await fetch(`${clear}/docs`, { redirect: 'manual' });
    assert.equal(pages.status, 301);
    assert.match(pages.headers.get('location') ?? '', /^https:/);
    assert.deepEqual(heard, []);
  });

  check('the caller is the last of X-Forwarded-For, whatever he claims', async (given, context) => {
    const { address, heard } = await listeningReplica(context);
    const proxy = await start(context, given, [address]);
    await proxy.ask(postcode, { headers: { 'x-forwarded-for': '192.0.2.1' } });
    assert.match(String(heard[0]?.['x-forwarded-for']), /^192\.0\.2\.1, ?127\.0\.0\.1$/);
  });

  check(
    'a GET whose replica died is answered by another, under one key, the caller’s own if he sent one',
    async (given, context) => {
      const { address, heard } = await listeningReplica(context);
      const dying = await dyingReplica(context);
      const proxy = await start(context, given, [dying.address, address]);
      const own = await askThroughDeath(proxy, dying.calls, { headers: { 'idempotency-key': 'mine' } });
      assert.equal(own.status, 200);
      assert.equal(keyIn(dying.calls.at(-1) ?? ''), 'mine');
      assert.equal(heard.at(-1)?.['idempotency-key'], 'mine');
      const given1 = await askThroughDeath(proxy, dying.calls, {});
      assert.equal(given1.status, 200);
      const made = keyIn(dying.calls.at(-1) ?? '');
      assert.match(made ?? '', /^[\w-]{32,36}$/);
      assert.equal(heard.at(-1)?.['idempotency-key'], made);
      const keys = heard.map((headers) => headers['idempotency-key']).filter((each) => each !== 'mine');
      assert.equal(new Set(keys).size, keys.length, 'each call has a key of its own');
    },
  );

  check('a POST that was sent is not sent again', async (given, context) => {
    const { address, heard } = await listeningReplica(context);
    const dying = await dyingReplica(context);
    const proxy = await start(context, given, [dying.address, address]);
    const reply = await askThroughDeath(proxy, dying.calls, { method: 'POST', body: '{}' });
    assert.ok(reply.status === 502 || reply.status === 503, String(reply.status));
    const keys = heard.map((headers) => headers['idempotency-key']);
    assert.ok(!keys.includes(keyIn(dying.calls.at(-1) ?? '')));
  });

  check('where no replica answers, callers read JSON with Retry-After', async (given, context) => {
    const dying = await dyingReplica(context);
    const proxy = await start(context, given, [dying.address]);
    const reply = await proxy.ask(postcode);
    assert.ok(reply.status === 502 || reply.status === 503, String(reply.status));
    assert.equal(JSON.parse(reply.body).error.code, 'SERVICE_UNAVAILABLE');
    assert.equal(reply.headers['retry-after'], '5');
  });

  check(
    'one of two services is stopped, killed and started under calls: none fails',
    async (given, context) => {
      const { home, remove } = await bundledHome();
      const made = await bundledHome();
      const services = await Promise.all([startDomesday(home), startDomesday(made.home)]);
      context.after(async () => {
        await services[1].stop();
        remove();
        made.remove();
      });
      const proxy = await start(
        context,
        given,
        services.map(({ url }) => hostOf(url)),
      );
      const failed: unknown[] = [];
      let calls = 0;
      let isOver = false;
      const caller = async () => {
        while (!isOver) {
          const { status, body } = await proxy.ask('/api/v1/datasets');
          calls += 1;
          if (status !== 200) failed.push(body);
        }
      };
      const after = async (more: number) => {
        for (const until = calls + more; calls < until; )
          await new Promise((resolve) => setImmediate(resolve));
      };
      const callers = Promise.all([caller(), caller(), caller(), caller()]);
      let [first] = services;
      const port = { PORT: new URL(first.url).port };
      for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
        await after(50);
        await first.stop(signal);
        await after(50);
        first = await startDomesday(home, port);
      }
      await after(50);
      isOver = true;
      await callers;
      await first.stop();
      assert.deepEqual(failed, []);
    },
  );
}
