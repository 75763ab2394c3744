// Watching an account: events over a real connection, for as long as the session lasts, and not longer than the service.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Browser, expectStatus, type House, openHouse } from './house.ts';

/** The service on a port of its own, as a browser's EventSource reaches it. */
async function listen(house: House): Promise<string> {
  await house.rig.app.listen({ port: 0, host: '127.0.0.1' });
  const address = house.rig.app.server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return `http://127.0.0.1:${address.port}`;
}

function watch(url: string, browser: Browser, accountId: string): Promise<Response> {
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return fetch(`${url}/portal/accounts/${accountId}/live`, { headers: { cookie } });
}

/** Each event as it comes. */
async function* eventsOf(
  response: Response,
): AsyncGenerator<{ balance: number; requests: { path: string }[] }> {
  assert.ok(response.body);
  let text = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      const event = text.slice(0, end);
      text = text.slice(end + 2);
      if (event.startsWith('data: ')) yield JSON.parse(event.slice('data: '.length));
    }
  }
}

test('whoever watches sees the balance at once, then each call with what it left', async () => {
  await using house = await openHouse();
  const owner = await house.person('owner@example.com');
  const accountId = await house.account(owner);
  const { key } = (await owner.post(`/portal/accounts/${accountId}/keys`, { kind: 'live' })).json();
  const response = await watch(await listen(house), owner, accountId);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  assert.equal(response.headers.get('cache-control'), 'no-store');
  const events = eventsOf(response);
  const first = await events.next();
  assert.deepEqual(first.value, { balance: 100, requests: [] });
  expectStatus(200, await house.rig.get('/api/v1/bank-rates?limit=1', key));
  const seen: { balance: number; paths: string[] } = { balance: 100, paths: [] };
  while (seen.balance === 100 || seen.paths.length === 0) {
    const { value, done } = await events.next();
    assert.ok(!done && value !== undefined, 'the events ended');
    seen.balance = value.balance;
    seen.paths.push(...value.requests.map(({ path }) => path));
  }
  assert.deepEqual(seen, { balance: 99, paths: ['/bank-rates'] });
  await events.return(undefined);
});

test('whoever asks for the headers alone watches nothing, and takes no place of those who do', async () => {
  await using house = await openHouse();
  const owner = await house.person('owner@example.com');
  const path = `/portal/accounts/${await house.account(owner)}/live`;
  for (let at = 0; at < 10; at += 1) {
    const head = await owner.ask('HEAD', path);
    assert.equal(head.statusCode, 200);
    assert.equal(head.headers['content-type'], 'text/event-stream; charset=utf-8');
  }
  const personId = (await owner.get('/portal/me')).json().person.personId;
  for (let at = 0; at < 6; at += 1) assert.ok(await house.people.watching.enter(personId), `place ${at}`);
  assert.equal(await house.people.watching.enter(personId), undefined);
});

test('events end with the session, and with the role', async () => {
  await using house = await openHouse();
  const owner = await house.person('owner@example.com');
  const accountId = await house.account(owner);
  const reader = await house.join(owner, accountId, 'reader@example.com', 'reader');
  const url = await listen(house);
  const streams = [await watch(url, owner, accountId), await watch(url, reader, accountId)];
  const iterators = streams.map(eventsOf);
  for (const events of iterators) assert.equal((await events.next()).done, false);
  const { members } = (await owner.get(`/portal/accounts/${accountId}/members`)).json();
  const { personId } = members.find((each: { email: string }) => each.email === 'reader@example.com');
  expectStatus(200, await owner.ask('DELETE', `/portal/accounts/${accountId}/members/${personId}`));
  expectStatus(200, await owner.post('/portal/sign-out'));
  for (const events of iterators) {
    while ((await events.next()).done !== true);
  }
});

test('a service that stops ends the events first, and does not wait for those who watch', async () => {
  const house = await openHouse();
  const owner = await house.person('owner@example.com');
  const accountId = await house.account(owner);
  const events = eventsOf(await watch(await listen(house), owner, accountId));
  assert.equal((await events.next()).done, false);
  await house.close();
  assert.equal((await events.next()).done, true);
});

test('how many pages of one person watch at once is bounded; one that closes makes room', async () => {
  await using house = await openHouse();
  const owner = await house.person('owner@example.com');
  const accountId = await house.account(owner);
  const url = await listen(house);
  const open: AsyncGenerator<unknown>[] = [];
  let refused: Response | undefined;
  while (refused === undefined) {
    const response = await watch(url, owner, accountId);
    if (response.status !== 200) {
      refused = response;
      continue;
    }
    const events = eventsOf(response);
    await events.next();
    open.push(events);
    assert.ok(open.length < 20, 'as many as anybody likes');
  }
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get('retry-after'), '30');
  for (const events of open) await events.return(undefined);
  let again = await watch(url, owner, accountId);
  // That they are gone is known when the connections are.
  while (again.status === 429) again = await watch(url, owner, accountId);
  assert.equal(again.status, 200);
  await again.body?.cancel();
});
