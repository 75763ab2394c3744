// Who may ask what: every route of the pages' interface, asked by everybody there is.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { LightMyRequestResponse } from 'fastify';
import type { Role } from '../../src/people/people.ts';
import type { routes as known } from '../../src/portal/routes.ts';
import { askedBy, type Browser, type House, inAccount, openHouse } from './house.ts';

type AnyRoute = (typeof known)[number]['name'];

/** Who gets through: everybody; whoever is signed in; these roles of the account, and whether an operator who looks; operators. */
type Expected =
  | 'anybody'
  | 'person'
  | 'operator'
  | { readonly roles: readonly Role[]; readonly operator: 'sees' | 'does not' };

const all: readonly Role[] = ['owner', 'developer', 'billing', 'reader'];
const looks: Expected = { roles: all, operator: 'sees' };
const ownersLook: Expected = { roles: ['owner'], operator: 'sees' };
const owners: Expected = { roles: ['owner'], operator: 'does not' };
const builders: Expected = { roles: ['owner', 'developer'], operator: 'does not' };
const payers: Expected = { roles: ['owner', 'billing'], operator: 'does not' };

/** Written down apart from the list of the service, so that a change there has to be made twice. */
const expected: { readonly [R in AnyRoute]: Expected } = {
  'GET /portal/me': 'anybody',
  'GET /portal/plans': 'anybody',
  'POST /portal/sign-up': 'anybody',
  'POST /portal/confirm': 'anybody',
  'POST /portal/sign-in': 'anybody',
  'POST /portal/sign-out': 'anybody',
  'POST /portal/reset-request': 'anybody',
  'POST /portal/reset': 'anybody',
  'POST /portal/explore/key': 'anybody',
  'GET /portal/sessions': 'person',
  'DELETE /portal/sessions/:sessionId': 'person',
  'DELETE /portal/sessions': 'person',
  'POST /portal/password': 'person',
  'PATCH /portal/person': 'person',
  'DELETE /portal/person': 'person',
  'POST /portal/totp/begin': 'person',
  'POST /portal/totp/confirm': 'person',
  'DELETE /portal/totp': 'person',
  'POST /portal/invites/accept': 'person',
  'GET /portal/accounts': 'person',
  'POST /portal/accounts': 'person',
  'GET /portal/accounts/:accountId': looks,
  'PATCH /portal/accounts/:accountId': owners,
  'DELETE /portal/accounts/:accountId': owners,
  'GET /portal/accounts/:accountId/keys': looks,
  'POST /portal/accounts/:accountId/keys': builders,
  'PATCH /portal/accounts/:accountId/keys/:keyId': builders,
  'POST /portal/accounts/:accountId/keys/:keyId/revoke': builders,
  'POST /portal/accounts/:accountId/keys/:keyId/rotate': builders,
  'POST /portal/accounts/:accountId/web-key': builders,
  'GET /portal/accounts/:accountId/usage': looks,
  'GET /portal/accounts/:accountId/usage.csv': looks,
  'GET /portal/accounts/:accountId/requests': looks,
  'GET /portal/accounts/:accountId/requests.csv': looks,
  'GET /portal/accounts/:accountId/live': looks,
  'GET /portal/accounts/:accountId/statement': looks,
  'GET /portal/accounts/:accountId/statement.csv': looks,
  'GET /portal/accounts/:accountId/plans': looks,
  'POST /portal/accounts/:accountId/plan': payers,
  'DELETE /portal/accounts/:accountId/plan': payers,
  'GET /portal/accounts/:accountId/members': looks,
  'POST /portal/accounts/:accountId/invites': owners,
  'DELETE /portal/accounts/:accountId/invites/:inviteId': owners,
  'PATCH /portal/accounts/:accountId/members/:personId': owners,
  'DELETE /portal/accounts/:accountId/members/:personId': { roles: all, operator: 'does not' },
  'GET /portal/accounts/:accountId/audit': ownersLook,
  'GET /portal/accounts/:accountId/audit.csv': ownersLook,
  'GET /portal/accounts/:accountId/export.json': ownersLook,
  'GET /portal/admin/accounts': 'operator',
  'GET /portal/admin/accounts.csv': 'operator',
  'POST /portal/admin/accounts': 'operator',
  'POST /portal/admin/accounts/:accountId/credits': 'operator',
  'POST /portal/admin/accounts/:accountId/plan': 'operator',
  'POST /portal/admin/accounts/:accountId/name': 'operator',
  'POST /portal/admin/accounts/:accountId/suspend': 'operator',
  'POST /portal/admin/accounts/:accountId/resume': 'operator',
  'GET /portal/admin/plan-requests': 'operator',
  'POST /portal/admin/plan-requests/:planRequestId': 'operator',
  'GET /portal/admin/people': 'operator',
  'GET /portal/admin/audit': 'operator',
  'POST /portal/admin/invites': 'operator',
  'GET /portal/admin/overview': 'operator',
  'POST /portal/admin/people/:personId/operator': 'operator',
  'POST /portal/admin/data/update': 'operator',
  'GET /portal/admin/data': 'operator',
  'GET /portal/admin/health': 'operator',
  'GET /portal/admin/refusals': 'operator',
  'GET /portal/admin/totals': 'operator',
  'GET /portal/admin/totals.csv': 'operator',
};

/** Of those that need one. */
const queries: Readonly<Record<string, string>> = {
  usage: '?from=2026-11-01&to=2026-11-15&by=day,endpoint',
  'usage.csv': '?from=2026-11-01&to=2026-11-15&by=day,endpoint',
  statement: '?month=2026-11',
  'statement.csv': '?month=2026-11',
  totals: '?month=2026-11',
  'totals.csv': '?month=2026-11',
};

const routes = Object.entries(expected).map(([route, who]) => ({ route, who, ...askedBy(route) }));

let house: House;
let accountId: string;
let asking: ReadonlyMap<Role | 'nobody' | 'stranger' | 'operator', Browser>;

before(async () => {
  house = await openHouse();
  const owner = await house.person('owner@example.com');
  accountId = await house.account(owner);
  const stranger = await house.person('stranger@example.com');
  await house.account(stranger, 'Other');
  asking = new Map([
    ['nobody', house.browser()],
    ['stranger', stranger],
    ['owner', owner],
    ['developer', await house.join(owner, accountId, 'developer@example.com', 'developer')],
    ['billing', await house.join(owner, accountId, 'billing@example.com', 'billing')],
    ['reader', await house.join(owner, accountId, 'reader@example.com', 'reader')],
    ['operator', await house.operator('operator@example.com')],
  ]);
});

after(() => house.close());

function statusFor(who: Expected, asker: string): 401 | 403 | 404 | 'through' {
  if (who === 'anybody') return 'through';
  if (asker === 'nobody') return 401;
  if (who === 'person') return 'through';
  if (who === 'operator') return asker === 'operator' ? 'through' : 403;
  if (asker === 'operator') return who.operator === 'sees' ? 'through' : 403;
  if (asker === 'stranger') return 404;
  return who.roles.some((role) => role === asker) ? 'through' : 403;
}

/** What is written is never right, so that nothing changes: whoever gets through is told what is wrong with it. */
const wrongBody = { 'no such member': true };

for (const { route, method, path, who } of routes) {
  test(`${route}: for whom it is, and for nobody else`, async () => {
    for (const [asker, browser] of asking) {
      const url = inAccount(path, accountId);
      const query = method === 'GET' ? (queries[path.split('/').at(-1) ?? ''] ?? '') : '';
      // Events would never end.
      const isLive = path.endsWith('/live');
      const reply = isLive
        ? await browser.ask('HEAD', url)
        : await browser.ask(method, `${url}${query}`, wrongBody);
      const status = statusFor(who, asker);
      const through = method === 'GET' ? 200 : 400;
      assert.equal(reply.statusCode, status === 'through' ? through : status, `${asker}: ${reply.body}`);
      assert.equal(reply.headers['cache-control'], 'no-store');
      assert.ok(reply.headers['x-request-id']);
    }
  });
}

test('every account, key, member and invitation of others is not there, in the words for what does not exist', async () => {
  const stranger = asking.get('stranger');
  const owner = asking.get('owner');
  assert.ok(stranger && owner);
  const { keyId } = (await owner.post(`/portal/accounts/${accountId}/keys`, { kind: 'live' })).json();
  const { members } = (await owner.get(`/portal/accounts/${accountId}/members`)).json();
  await owner.post(`/portal/accounts/${accountId}/invites`, { email: 'later@example.com', role: 'reader' });
  const { invites } = (await owner.get(`/portal/accounts/${accountId}/members`)).json();
  const { accounts } = (await stranger.get('/portal/accounts')).json();
  const own = accounts[0].accountId;
  const ownerSession = (await owner.get('/portal/sessions')).json().sessions[0].sessionId;
  const tries: readonly (readonly ['GET' | 'POST' | 'PATCH' | 'DELETE', string, string, unknown?])[] = [
    ['GET', `/portal/accounts/${accountId}`, '/portal/accounts/acc_nobodys'],
    ['POST', `/portal/accounts/${own}/keys/${keyId}/revoke`, `/portal/accounts/${own}/keys/key_none/revoke`],
    [
      'POST',
      `/portal/accounts/${own}/keys/${keyId}/rotate`,
      `/portal/accounts/${own}/keys/key_none/rotate`,
      { overlapHours: 1 },
    ],
    [
      'PATCH',
      `/portal/accounts/${own}/keys/${keyId}`,
      `/portal/accounts/${own}/keys/key_none`,
      { name: 'mine' },
    ],
    [
      'PATCH',
      `/portal/accounts/${own}/members/${members[0].personId}`,
      `/portal/accounts/${own}/members/per_none`,
      { role: 'reader' },
    ],
    [
      'DELETE',
      `/portal/accounts/${own}/members/${members[0].personId}`,
      `/portal/accounts/${own}/members/per_none`,
    ],
    [
      'DELETE',
      `/portal/accounts/${own}/invites/${invites[0].inviteId}`,
      `/portal/accounts/${own}/invites/inv_none`,
    ],
    ['DELETE', `/portal/sessions/${ownerSession}`, '/portal/sessions/ses_none'],
  ];
  for (const [method, theirs, nobodys, body] of tries) {
    const one: LightMyRequestResponse = await stranger.ask(method, theirs, body);
    const other: LightMyRequestResponse = await stranger.ask(method, nobodys, body);
    assert.equal(one.statusCode, 404, `${method} ${theirs}: ${one.body}`);
    assert.deepEqual(one.json(), other.json());
  }
  const keys = (await owner.get(`/portal/accounts/${accountId}/keys`)).json().keys;
  assert.equal(keys.find((key: { keyId: string }) => key.keyId === keyId).state, 'works');
  assert.equal((await owner.get('/portal/me')).json().person.email, 'owner@example.com');
});

test('an operator sees an account as its customer does, and can neither change nor spend there', async () => {
  const operator = asking.get('operator');
  assert.ok(operator);
  const seen = (await operator.get(`/portal/accounts/${accountId}`)).json();
  assert.equal(seen.role, 'operator');
  for (const path of ['web-key', 'keys', 'plan', 'invites']) {
    const reply = await operator.post(`/portal/accounts/${accountId}/${path}`, {});
    assert.equal(reply.statusCode, 403, reply.body);
  }
});

test('an operator who belongs to an account with a role too few sees there what operators see, and no more', async () => {
  const owner = asking.get('owner');
  assert.ok(owner);
  const both = await house.join(owner, accountId, 'both@example.com', 'reader');
  const at = (path: string) => `/portal/accounts/${accountId}${path}`;
  assert.equal((await both.get(at('/audit'))).statusCode, 403);
  const person = await house.people.persons.findByEmail('both@example.com');
  await house.people.persons.setStanding(person?.personId ?? '', 'operator');
  assert.equal((await both.get(at('/audit'))).statusCode, 200);
  assert.equal((await both.get(at(''))).json().role, 'reader');
  assert.equal((await both.post(at('/keys'), { kind: 'live' })).statusCode, 403);
});

test('an unknown path is 404, another method 405 with those there are, and HEAD is GET without its body', async () => {
  const browser = house.browser();
  const nothing = await browser.get('/portal/no-such-thing');
  assert.equal(nothing.statusCode, 404);
  assert.equal(nothing.json().error.code, 'NOT_FOUND');
  for (const method of ['PUT', 'DELETE', 'OPTIONS'] as const) {
    const other = await browser.ask(method, '/portal/me');
    assert.equal(other.statusCode, 405);
    assert.equal(other.headers.allow, 'GET, HEAD');
    assert.equal(other.json().error.code, 'OTHER_METHOD');
  }
  const head = await browser.ask('HEAD', '/portal/me');
  assert.equal(head.statusCode, 200);
  assert.equal(head.headers['content-length'], (await browser.get('/portal/me')).headers['content-length']);
});
