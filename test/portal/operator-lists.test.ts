// What the operator's lists promise: every account on one page of them and in the file, and old data told from data that is merely not new.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { publicKey } from '../../src/ledger/public-sandbox.ts';
import type { AuditLine } from '../../src/people/people.ts';
import type { AdminAccountRow, DatasetAge, MonthTotalRow, StatementLine } from '../../src/portal/views.ts';
import { type Browser, expectStatus, type House, openHouse, password } from './house.ts';

let house: House;

before(async () => {
  house = await openHouse();
});
after(() => house.close());

test('page after page, every account is told once, whatever is searched for', async () => {
  const operator = await house.operator('pages@example.com');
  const { accounts } = house.rig;
  for (let at = 0; at < 120; at += 1) {
    await accounts.createAccount({
      name: `Account ${at}`,
      plan: at % 2 === 0 ? 'basic' : 'trial',
      atMs: house.rig.clock.nowMs,
    });
  }
  for (const [q, count] of [
    ['', 120],
    ['basic', 60],
    ['account 11', 11],
  ] as const) {
    const seen = await listed(operator, q);
    assert.equal(new Set(seen).size, count, q);
    assert.equal(seen.length, count, q);
    const file = await operator.get(`/portal/admin/accounts.csv?q=${encodeURIComponent(q)}`);
    const lines = file.body.trimEnd().split('\r\n');
    assert.equal(
      lines[0],
      'account,name,plan,state,credits,lasting_credits,last_call_hour,calls_today,errors_today,owners,opened_at',
    );
    assert.deepEqual(
      lines.slice(1).map((line) => line.split(',')[0]),
      seen,
      q,
    );
  }
  const strange = await operator.get('/portal/admin/accounts?after=acc_none');
  assert.deepEqual([strange.statusCode, strange.json().error.code], [400, 'INVALID']);
});

test('people are listed with their accounts, by name', async () => {
  const operator = await house.operator('lists@example.com');
  const owner = await house.person('has.one@example.com');
  const accountId = await house.account(owner);
  const { people } = (await operator.get('/portal/admin/people?q=has.one')).json();
  assert.deepEqual(
    people.map(({ email, accounts }: Record<string, unknown>) => [email, accounts]),
    [['has.one@example.com', [{ accountId, name: 'Acme' }]]],
  );
});

async function listed(operator: Browser, q: string): Promise<readonly string[]> {
  const seen: string[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const query: string = new URLSearchParams(after === '' ? { q } : { q, after }).toString();
    const reply = await operator.get(`/portal/admin/accounts?${query}`);
    const told: { accounts: AdminAccountRow[]; after: string | null } = reply.json();
    assert.ok(told.accounts.length === 50 || told.after === null);
    seen.push(...told.accounts.map(({ accountId }) => accountId));
    ({ after } = told);
  }
  return seen;
}

test('an account is found by whoever belongs to it, however many people the search finds', async () => {
  const operator = await house.operator('seeker@example.net');
  const owner = await house.person('first@many.example.org');
  const accountId = await house.account(owner, 'Of the oldest person');
  // More than a list of people has.
  await signUpMany(210);
  assert.deepEqual(await listed(operator, 'MANY.example.org'), [accountId]);
  const [, line = ''] = (await operator.get('/portal/admin/accounts.csv?q=many.example.org')).body.split(
    '\r\n',
  );
  assert.match(line, new RegExp(`^${accountId},Of the oldest person,trial,open,100,`));
  assert.match(line, /,first@many\.example\.org,20\d\d-/);
});

test('totals of a month are those of the statements, of the accounts in the list that did something', async () => {
  await using then = await openHouse();
  const { rig } = then;
  const month = new Date(rig.clock.nowMs).toISOString().slice(0, 7);
  const operator = await then.operator('totals@example.com');
  const owner = await then.person('of-totals@example.com');
  const trial = await then.account(owner, 'On trial');
  const credits = `/portal/admin/accounts/${trial}/credits`;
  expectStatus(200, await operator.post(credits, { credits: 250, reason: 'goodwill' }));
  expectStatus(200, await operator.post(credits, { credits: -300, reason: 'too much' }));
  await rig.customer({ plan: 'basic', credits: 0 });
  await rig.accounts.openPublicSandbox(rig.clock.nowMs);
  assert.equal((await rig.get('/api/v1/bank-rates?limit=1', publicKey)).statusCode, 200);
  const { rows }: { rows: MonthTotalRow[] } = (
    await operator.get(`/portal/admin/totals?month=${month}`)
  ).json();
  assert.deepEqual(
    rows.map(({ accountId }) => accountId),
    [trial],
  );
  const { movements } = (await owner.get(`/portal/accounts/${trial}/statement?month=${month}`)).json();
  const added = movements.reduce((sum: number, line: StatementLine) => sum + line.credits, 0);
  const [row] = rows;
  assert.deepEqual([row?.allowanceAdded, row?.lastingAdded, added], [50, 0, 50]);
  const file = (await operator.get(`/portal/admin/totals.csv?month=${month}`)).body.split('\r\n');
  assert.equal(file[0], 'account,name,plan,calls,credits,allowance_added,lasting_added');
  assert.equal(file[1], `${trial},On trial,trial,0,0,50,0`);
});

/** Each from an address of its own: nobody signs up so many. */
async function signUpMany(count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const host = `192.0.2.${at}`;
    const visitor = { address: host, host, userAgent: undefined, deviceToken: undefined };
    const { kind } = await house.people.joining.signUp({ email: `later${at}@many.example.org` }, visitor);
    assert.equal(kind, 'done');
  }
}

test('what concerns no account is in a log of its own, and what concerns one is not', async () => {
  const operator = await house.operator('log@example.com');
  const person = await house.person('alone@example.com');
  await person.ask('PATCH', '/portal/person', { name: 'Alone' });
  await operator.post('/portal/admin/invites', { email: 'later@example.com' });
  const owner = await house.person('with-account@example.com');
  await house.account(owner, 'With a log');
  await owner.post('/portal/password', { current: password, next: 'another meadow, at dusk' });
  const told: { lines: AuditLine[]; before: string | null } = (
    await operator.get('/portal/admin/audit')
  ).json();
  const seen = told.lines.map(({ what, subject, who }) => `${what} ${subject} by ${who}`);
  for (const expected of [
    'person.standing-changed log@example.com by operator (command)',
    'person.confirmed alone@example.com by alone@example.com',
    'person.renamed alone@example.com by alone@example.com',
    'member.invited later@example.com by log@example.com',
  ]) {
    assert.ok(seen.includes(expected), `${expected} is not in ${seen.join('; ')}`);
  }
  assert.ok(!seen.some((line) => line.startsWith('password.changed')), seen.join('; '));
});

test('data is old 200 days after its date; never what comes with the program alone', async () => {
  const agesAt = async (atMs: number): Promise<ReadonlyMap<string, DatasetAge>> => {
    await using then = await openHouse();
    then.rig.clock.nowMs = atMs;
    const operator = await then.operator('operator@example.com');
    const { datasets }: { datasets: DatasetAge[] } = (await operator.get('/portal/admin/data')).json();
    return new Map(datasets.map((each) => [each.dataset, each]));
  };
  const asOf = (await agesAt(house.rig.clock.nowMs)).get('crime')?.asOf ?? assert.fail('crime has no date');
  const daysAfter = (days: number) => Date.parse(asOf) + days * 86_400_000;
  assert.equal((await agesAt(daysAfter(200))).get('crime')?.age, 'current');
  assert.equal((await agesAt(daysAfter(201))).get('crime')?.age, 'old');
  const atLast = await agesAt(Date.UTC(2090, 0));
  const current = [...atLast.values()].filter(({ age }) => age === 'current').map(({ dataset }) => dataset);
  assert.deepEqual(current, ['authorities']);
});
