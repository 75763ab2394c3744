// Whatever is sent to the pages' interface, it is answered: never a fault, and never a key in the log.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { routes as known } from '../../src/portal/routes.ts';
import { anyString } from '../any-string.ts';
import { askedBy, type Browser, expectStatus, type House, openHouse, password } from './house.ts';

let house: House;
let accountId: string;
let askers: readonly Browser[];

before(async () => {
  house = await openHouse();
  const owner = await house.person('owner@example.com');
  accountId = await house.account(owner);
  askers = [house.browser(), owner, await house.operator('operator@example.com')];
});

after(() => house.close());

const routes = known.map(({ name, takes }) => {
  const members = Object.keys(takes);
  return { route: name, members: members.length === 0 ? ['no'] : members, ...askedBy(name) };
});

/** Names that routes know, so that some of what is sent gets far. */
const names = [
  'email',
  'password',
  'code',
  'token',
  'invite',
  'name',
  'current',
  'next',
  'kind',
  'expiresAtMs',
  'origins',
  'endpoints',
  'addresses',
  'overlapHours',
  'plan',
  'note',
  'role',
  'parameters',
  'credits',
  'reason',
  'decision',
  'answer',
  'owner',
  'creditsPerMonth',
  'from',
  'to',
  'by',
  'month',
  'before',
  'q',
  'offset',
  '__proto__',
  'constructor',
];

const odd = fc.oneof(
  fc.constantFrom(
    'someone@example.com',
    // Never the right one: whoever is erased could ask no more.
    'a loud meadow at noon',
    'live',
    'publishable',
    'premium',
    'enterprise',
    'owner',
    'kept',
    'approve',
    'decline',
    '2026-11',
    '2026-02-30',
    '2026-11-15',
    'day,status',
    '/bank-rates',
    'https://www.example.com',
    '10.0.0.0/8',
    '::/0',
    '\u0000',
    '\ud800',
    '\u202e',
    "'; DROP TABLE people; --",
    '%00',
    '',
    ' ',
  ),
  fc.constantFrom<unknown>(0, -1, 1, 0.5, 1e15, 1e16, 1e308, -0, 8.64e15, 8.64e15 + 1, null, true, [], {}),
  anyString({ maxLength: 300 }),
  fc.array(fc.string({ maxLength: 30 }), { maxLength: 60 }),
  fc.jsonValue(),
);

/** Of the members that the route knows most are there, so that what is sent gets far. */
const bodyOf = (members: readonly string[]) =>
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.dictionary(fc.constantFrom(...members), odd, { minKeys: members.length > 0 ? 1 : 0 }),
    },
    { weight: 1, arbitrary: fc.dictionary(fc.constantFrom(...names), odd, { maxKeys: 5 }) },
    { weight: 1, arbitrary: fc.jsonValue() },
  );

const textOf = (members: readonly string[]) =>
  fc.oneof(
    { weight: 8, arbitrary: bodyOf(members).map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: anyString({ maxLength: 200 }) },
    { weight: 1, arbitrary: noObjects },
  );

const noObjects = fc.constantFrom(
  '{',
  '[]',
  'null',
  '{"a":1,"a":2}',
  '[[[[[[',
  '"\\ud800"',
  '{"name":1e999}',
);

const id = fc.oneof(
  fc.constantFrom('acc_none', '..', '.', '%2e%2e', '%00', '%ff', 'a'.repeat(300), "x'--", 'café', ''),
  fc.string({ maxLength: 40 }).map((text) => encodeURIComponent(text)),
);

/** A lone half of a sign cannot stand in an address. */
const queryOf = (members: readonly string[]) =>
  fc
    .array(
      fc.tuple(
        fc.constantFrom(...members, 'from'),
        fc.oneof(
          fc.string({ unit: 'grapheme', maxLength: 40 }),
          fc.constantFrom(
            '2026-11',
            '2026-11-01',
            '2026-11-15',
            '\u0000',
            'day,endpoint,key,status',
            '99999',
          ),
        ),
      ),
      { maxLength: 4 },
    )
    .map((pairs) => new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString());

/** What was sent may have signed somebody out, or been too many tries. */
async function signInAgain(): Promise<void> {
  house.rig.clock.nowMs += 600_000;
  for (const [at, email] of ['owner@example.com', 'operator@example.com'].entries()) {
    const browser = askers[at + 1];
    if ((await browser?.get('/portal/me'))?.json().person === null) await browser?.signIn(email);
  }
}

for (const { route, members, method, path } of routes.filter(({ path: each }) => !each.endsWith('/live'))) {
  test(`${route} answers whatever is sent, and never with a fault`, async () => {
    await signInAgain();
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...askers),
        fc.boolean(),
        fc.array(id, { minLength: 2, maxLength: 2 }),
        textOf(members),
        queryOf(members),
        async (browser, isOwn, [one = '', other = ''], text, search) => {
          const url = path.replace(':accountId', isOwn ? accountId : one).replace(/:\w+/, other);
          const reply = await browser.ask(method, `${url}?${search}`, text);
          assert.ok(
            reply.statusCode < 500,
            `${reply.statusCode} ${reply.body}\n${house.rig.logLines.at(-2)}`,
          );
        },
      ),
      { numRuns: 60 },
    );
  });
}

test('no key, token or password is in the log, wherever somebody writes it', async () => {
  const owner = await house.person('log@example.com');
  const own = await house.account(owner, 'Log');
  const secrets: string[] = [password];
  for (const kind of ['live', 'test', 'publishable']) {
    const origins = kind === 'publishable' ? { origins: ['https://www.example.com'] } : {};
    secrets.push((await owner.post(`/portal/accounts/${own}/keys`, { kind, ...origins })).json().key);
  }
  secrets.push((await owner.post(`/portal/accounts/${own}/web-key`)).json().key);
  secrets.push(owner.cookies.get('domesday') ?? '', owner.cookies.get('domesday-device') ?? '');
  await owner.post('/portal/reset-request', { email: 'log@example.com' });
  secrets.push(await house.token('log@example.com', 'reset'));
  assert.ok(secrets.every((secret) => secret.length > 10));
  for (const secret of secrets) {
    const written = encodeURIComponent(secret);
    await owner.get(`/portal/${written}`);
    await owner.get(`/portal/accounts/${written}`);
    await owner.get(`/portal/accounts/${own}/usage?from=${written}&to=${written}&by=${written}`);
    await owner.post(`/portal/accounts/${own}/keys/${written}/revoke`);
    await owner.post('/portal/confirm', { token: secret, password: secret });
    await owner.post('/portal/sign-in', { email: 'log@example.com', password: secret });
    await owner.post('/portal/confirm', { [secret]: secret });
    await owner.post('/portal/confirm', `{"token": ${secret}`);
    await owner.get('/portal/me', { 'user-agent': secret });
    if (secret.startsWith('dd_')) await owner.get('/portal/me', { 'x-request-id': secret });
  }
  const log = house.rig.logLines.join('\n');
  assert.ok(log.includes('/portal/me'));
  for (const secret of secrets) assert.ok(!log.includes(secret), `the log has ${secret.slice(0, 9)}…`);
});

test('a change whose audit line fails is told as a fault, and stands', async () => {
  await using broken = await openHouse({
    people: (real) => ({
      ...real,
      audit: {
        ...real.audit,
        page: (...args) => real.audit.page(...args),
        all: (...args) => real.audit.all(...args),
        write: () => Promise.reject(new Error('no room for a line')),
      },
    }),
  });
  const owner = await broken.person('owner@example.com');
  const own = await broken.account(owner);
  const reply = await owner.post(`/portal/accounts/${own}/keys`, { kind: 'live' });
  assert.equal(reply.statusCode, 500);
  assert.match(reply.json().error.message, /The change was made/);
  assert.doesNotMatch(reply.body, /dd_live_/);
  const { keys } = (await owner.get(`/portal/accounts/${own}/keys`)).json();
  assert.equal(keys.length, 1);
  assert.match(broken.rig.logLines.join('\n'), /audit log lacks: key\.created/);
});

test('a setting lets customers change their plan at once, but to what has to be agreed', async () => {
  await using service = await openHouse({ env: { DOMESDAY_PLAN_CHANGES: 'self-service' } });
  const owner = await service.person('owner@example.com');
  const own = await service.account(owner);
  const changed = await owner.post(`/portal/accounts/${own}/plan`, { plan: 'basic' });
  assert.deepEqual(changed.json(), { state: 'changed' });
  assert.equal((await owner.get(`/portal/accounts/${own}`)).json().account.plan, 'basic');
  for (const [plan, balance] of [
    ['premium', 100_000],
    ['basic', 5_000],
  ] as const) {
    expectStatus(200, await owner.post(`/portal/accounts/${own}/plan`, { plan }));
    assert.equal((await owner.get(`/portal/accounts/${own}`)).json().account.balance, balance, plan);
  }
  const asked = await owner.post(`/portal/accounts/${own}/plan`, { plan: 'enterprise' });
  assert.deepEqual(asked.json(), { state: 'waiting' });
  expectStatus(400, await owner.post(`/portal/accounts/${own}/plan`, { plan: 'trial' }));
});
