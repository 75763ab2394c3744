// An account that was closed: it can be read and left, and takes nothing more.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Browser, expectStatus, openHouse, password } from './house.ts';

test('a closed account takes no key, setting, invitation, role or plan, and lets nobody in who was invited', async () => {
  await using house = await openHouse();
  const owner = await house.person('owner@example.com');
  const accountId = await house.account(owner);
  const at = (path: string) => `/portal/accounts/${accountId}${path}`;
  const reader = await house.join(owner, accountId, 'reader@example.com', 'reader');
  const { personId } = (await reader.get('/portal/me')).json().person;
  const { keyId } = (await owner.post(at('/keys'), { kind: 'live' })).json();
  const late = await house.person('late@example.com');
  expectStatus(200, await owner.post(at('/invites'), { email: 'late@example.com', role: 'owner' }));
  const token = await house.token('late@example.com', 'invite');
  expectStatus(200, await owner.ask('DELETE', at(''), { password }));

  expectStatus(400, await late.post('/portal/invites/accept', { token }));
  type Try = readonly ['POST' | 'PATCH', string, object];
  const tries: readonly Try[] = [
    ['PATCH', '', { parameters: 'kept' }],
    ['POST', '/invites', { email: 'more@example.com', role: 'reader' }],
    ['PATCH', `/members/${personId}`, { role: 'owner' }],
    ['POST', '/plan', { plan: 'standard' }],
    ['POST', '/keys', { kind: 'live' }],
    ['PATCH', `/keys/${keyId}`, { name: 'still mine' }],
    ['POST', '/web-key', {}],
  ];
  for (const [method, path, body] of tries) {
    const reply = await owner.ask(method, at(path), body);
    expectStatus(409, reply);
    assert.match(reply.json().error.message, /closed/);
  }
  await canBeReadAndLeft(reader, personId, at);
});

async function canBeReadAndLeft(
  reader: Browser,
  personId: string,
  at: (path: string) => string,
): Promise<void> {
  for (const path of ['', '/keys', '/members']) expectStatus(200, await reader.get(at(path)));
  expectStatus(200, await reader.ask('DELETE', at(`/members/${personId}`)));
  expectStatus(404, await reader.get(at('')));
}
