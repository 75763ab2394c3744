// What customers and operators come for, through the pages' interface: from the sign-up to a spent credit and its line in every
// list, whichever engine ledger and records have.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Browser, expectStatus, type House, openHouse } from './house.ts';

type Opening = { readonly databaseUrl?: string; readonly remove?: () => Promise<void> };

export function portalJourneys(engine: 'embedded' | 'PostgreSQL', open: () => Promise<Opening>): void {
  describe(`${engine}: the dashboard`, () => {
    let house: House;
    let remove: (() => Promise<void>) | undefined;
    let owner: Browser;
    let operator: Browser;
    let accountId: string;
    const at = (path: string) => `/portal/accounts/${accountId}${path}`;
    const admin = (path: string) => `/portal/admin/accounts/${accountId}${path}`;
    const lines = (text: string) => text.trimEnd().split('\r\n');

    before(async () => {
      const { remove: own, ...wish } = await open();
      remove = own;
      house = await openHouse(wish);
      owner = await house.person('owner@example.com');
      operator = await house.operator('operator@example.com');
      accountId = await house.account(owner);
    });

    after(async () => {
      await house.close();
      await remove?.();
    });

    async function newKey(wish: object = { kind: 'live' }): Promise<{ keyId: string; key: string }> {
      const made = await owner.post(at('/keys'), wish);
      expectStatus(200, made);
      return made.json();
    }

    const call = (key: string, path = '/bank-rates?limit=1', headers: Record<string, string> = {}) =>
      house.rig.get(`/api/v1${path}`, key, headers);

    test('one trial for each address, named by its owner', async () => {
      const { accounts, trial } = (await owner.get('/portal/accounts')).json();
      assert.deepEqual(accounts, [{ accountId, name: 'Acme', plan: 'trial', role: 'owner' }]);
      assert.equal(trial, 'used');
      const again = await owner.post('/portal/accounts', { name: 'Another' });
      assert.equal(again.statusCode, 409);
      assert.equal((await owner.get('/portal/accounts')).json().accounts.length, 1);
    });

    test('a key is told once, works at once, is in every list with what it did, and stops when it is revoked', async () => {
      const { keyId, key } = await newKey({ kind: 'live', name: 'first' });
      expectStatus(200, await call(key));
      const { keys, endpoints } = (await owner.get(at('/keys'))).json();
      const listed = keys.find((each: { keyId: string }) => each.keyId === keyId);
      assert.deepEqual([listed.name, listed.state, listed.calls, listed.unused], ['first', 'works', 1, 'no']);
      assert.ok(endpoints.includes('/bank-rates'));
      assert.ok(!JSON.stringify(keys).includes(key));
      const overview = (await owner.get(at(''))).json();
      assert.equal(overview.account.balance, 99);
      assert.equal(overview.role, 'owner');
      const usage = (
        await owner.get(at('/usage?from=2026-11-01&to=2026-11-15&by=day,endpoint,key,status'))
      ).json();
      assert.deepEqual(usage.rows, [
        { day: '2026-11-15', endpoint: '/bank-rates', keyId, status: 200, calls: 1, credits: 1 },
      ]);
      assert.deepEqual(usage.total, { calls: 1, credits: 1 });
      const { requests, latency } = (await owner.get(at('/requests'))).json();
      assert.equal(requests[0].path, '/bank-rates');
      assert.deepEqual([requests[0].keyId, requests[0].status, requests[0].credits], [keyId, 200, 1]);
      assert.equal(latency[0].path, '/bank-rates');
      const statement = (await owner.get(at('/statement?month=2026-11'))).json();
      assert.equal(statement.closingBalance, 99);
      assert.deepEqual(statement.days, [
        { day: '2026-11-15', endpoint: '/bank-rates', calls: 1, credits: 1 },
      ]);
      assert.deepEqual(statement.months, ['2026-11']);
      expectStatus(200, await owner.post(at(`/keys/${keyId}/revoke`)));
      assert.equal((await call(key)).statusCode, 401);
      const audit = (await owner.get(at('/audit'))).json().lines;
      assert.deepEqual(
        audit.slice(0, 2).map(({ what, subject, who }: Record<string, string>) => [what, subject, who]),
        [
          ['key.revoked', keyId, 'owner@example.com'],
          ['key.created', keyId, 'owner@example.com'],
        ],
      );
    });

    test('its owner and the operator rename it, and the audit log says so; nobody else may', async () => {
      const rename = (name: unknown) => owner.ask('PATCH', at(''), { name });
      expectStatus(200, await rename('  Acme Homes  '));
      assert.equal((await owner.get(at(''))).json().account.name, 'Acme Homes');
      for (const wrong of ['', 'x'.repeat(101), 'a\nb', 7])
        assert.equal((await rename(wrong)).statusCode, 400);
      const operator = await house.operator('renamer@example.com');
      expectStatus(200, await operator.post(`/portal/admin/accounts/${accountId}/name`, { name: 'Acme' }));
      const [line] = (await owner.get(at('/audit'))).json().lines;
      assert.deepEqual([line.what, line.detail], ['account.renamed', 'from Acme Homes to Acme']);
    });

    test('a key is changed and rotated, and the service honours it at the next request', async () => {
      const { keyId, key } = await newKey();
      const change = (body: object) => owner.ask('PATCH', at(`/keys/${keyId}`), body);
      expectStatus(200, await change({ name: 'bound', endpoints: ['/account'] }));
      const refused = await call(key);
      assert.equal(refused.statusCode, 403);
      assert.equal(refused.json().error.code, 'KEY_NOT_ALLOWED');
      expectStatus(200, await change({ endpoints: null, addresses: ['203.0.113.0/24'] }));
      assert.equal((await call(key)).json().error.code, 'KEY_NOT_ALLOWED');
      expectStatus(200, await change({ addresses: null }));
      expectStatus(200, await call(key));
      for (const body of [
        { endpoints: ['/no-such'] },
        { addresses: ['nonsense'] },
        { expiresAtMs: house.rig.clock.nowMs - 1 },
      ]) {
        assert.equal((await change(body)).statusCode, 400);
      }
      const rotated = await owner.post(at(`/keys/${keyId}/rotate`), { overlapHours: 1 });
      expectStatus(200, rotated);
      expectStatus(200, await call(key));
      expectStatus(200, await call(rotated.json().key));
      const { keys } = (await owner.get(at('/keys'))).json();
      const old = keys.find((each: { keyId: string }) => each.keyId === keyId);
      assert.deepEqual([old.state, old.replacedBy], ['ends', rotated.json().keyId]);
    });

    test('a key that no call used for 90 days is marked', async () => {
      const { keyId } = await newKey({ kind: 'test', name: 'idle' });
      const { clock } = house.rig;
      const nowMs = clock.nowMs;
      clock.nowMs += 91 * 86_400_000;
      await owner.signIn('owner@example.com');
      const { keys } = (await owner.get(at('/keys'))).json();
      clock.nowMs = nowMs;
      await owner.signIn('owner@example.com');
      assert.equal(keys.find((each: { keyId: string }) => each.keyId === keyId).unused, 'for 90 days');
    });

    test('how many keys that work an account has is bounded; any of them is rotated, and one that is revoked makes room', async () => {
      const person = await house.person('keys@example.com');
      const own = await house.account(person, 'Keys');
      const { accounts, clock } = house.rig;
      const wish = { accountId: own, kind: 'test', atMs: clock.nowMs } as const;
      let keyId = '';
      for (let made = 0; made < 499; made += 1) ({ keyId } = await accounts.createKey(wish));
      const url = `/portal/accounts/${own}/keys`;
      expectStatus(200, await person.post(url, { kind: 'test' }));
      expectStatus(409, await person.post(url, { kind: 'test' }));
      const rotated = await person.post(`${url}/${keyId}/rotate`, { overlapHours: 0 });
      expectStatus(200, rotated);
      expectStatus(409, await person.post(url, { kind: 'test' }));
      expectStatus(200, await person.post(`${url}/${rotated.json().keyId}/revoke`));
      expectStatus(200, await person.post(url, { kind: 'test' }));
    });

    test('a page calls with a key of its own for 15 minutes, from our origin alone, and it is in no list', async () => {
      const made = await owner.post(at('/web-key'));
      expectStatus(200, made);
      const { key, expiresAtMs } = made.json();
      assert.match(key, /^dd_web_/);
      assert.equal(expiresAtMs, house.rig.clock.nowMs + 15 * 60_000);
      const ours = { host: house.host, 'sec-fetch-site': 'same-origin' };
      expectStatus(200, await call(key, '/bank-rates?limit=1', ours));
      const foreign = { host: house.host, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
      assert.equal((await call(key, '/bank-rates?limit=1', foreign)).statusCode, 403);
      assert.equal((await call(key)).statusCode, 403);
      const { keys } = (await owner.get(at('/keys'))).json();
      assert.ok(keys.every((each: { kind: string }) => each.kind !== 'web'));
      const { clock } = house.rig;
      clock.nowMs += 15 * 60_000;
      assert.equal((await call(key, '/bank-rates?limit=1', ours)).statusCode, 401);
      clock.nowMs -= 15 * 60_000;
    });

    test('a plan is asked for, seen by the operator, approved with its answer, and then had', async () => {
      const asked = await owner.post(at('/plan'), { plan: 'standard', note: 'we grow' });
      assert.deepEqual(asked.json(), { state: 'waiting' });
      assert.equal((await owner.post(at('/plan'), { plan: 'premium' })).statusCode, 409);
      assert.equal((await owner.get(at(''))).json().planRequest.to, 'standard');
      expectStatus(200, await owner.ask('DELETE', at('/plan')));
      assert.equal((await owner.get(at(''))).json().planRequest, null);
      house.rig.clock.nowMs += 1_000;
      expectStatus(200, await owner.post(at('/plan'), { plan: 'standard' }));
      const { requests } = (await operator.get('/portal/admin/plan-requests')).json();
      assert.equal(requests.length, 1);
      const decide = () =>
        operator.post(`/portal/admin/plan-requests/${requests[0].planRequestId}`, {
          decision: 'approve',
          answer: 'welcome',
        });
      expectStatus(200, await decide());
      assert.equal((await decide()).statusCode, 409);
      const { account } = (await owner.get(at(''))).json();
      assert.equal(account.plan, 'standard');
      const { plans, requests: mine } = (await owner.get(at('/plans'))).json();
      assert.deepEqual([mine[0].state, mine[0].answer], ['approved', 'welcome']);
      assert.equal(plans.find((each: { plan: string }) => each.plan === 'basic').creditsPerMonth, 5_000);
    });

    test('enterprise has no allowance of its own: an approval without one changes nothing and the request waits on', async () => {
      expectStatus(200, await owner.post(at('/plan'), { plan: 'enterprise' }));
      const { requests } = (await operator.get('/portal/admin/plan-requests')).json();
      const url = `/portal/admin/plan-requests/${requests[0].planRequestId}`;
      assert.equal((await operator.post(url, { decision: 'approve' })).statusCode, 400);
      assert.equal((await owner.get(at(''))).json().planRequest.state, 'waiting');
      expectStatus(200, await operator.post(url, { decision: 'approve', creditsPerMonth: 250_000 }));
      const { account } = (await owner.get(at(''))).json();
      assert.deepEqual([account.plan, account.allowance], ['enterprise', 250_000]);
    });

    test('an operator corrects credits with a reason, suspends and resumes, and the owner reads all of it', async () => {
      const { key } = await newKey();
      const { balance } = (
        await operator.post(admin('/credits'), { credits: 500, reason: 'goodwill' })
      ).json();
      assert.equal((await owner.get(at(''))).json().account.balance, balance);
      assert.equal((await operator.post(admin('/credits'), { credits: -1e12, reason: 'x' })).statusCode, 400);
      assert.equal((await operator.post(admin('/credits'), { credits: 5 })).statusCode, 400);
      expectStatus(200, await operator.post(admin('/suspend'), { reason: 'unpaid' }));
      const refused = await call(key);
      assert.equal(refused.statusCode, 403);
      assert.equal(refused.json().error.code, 'ACCOUNT_SUSPENDED');
      assert.equal((await owner.get(at(''))).json().account.suspended.reason, 'unpaid');
      expectStatus(200, await operator.post(admin('/resume')));
      expectStatus(200, await call(key));
      const audit = (await owner.get(at('/audit'))).json().lines;
      const told = audit.slice(0, 4).map(({ what, detail }: Record<string, string | null>) => [what, detail]);
      assert.deepEqual(told, [
        ['account.resumed', null],
        ['account.suspended', 'unpaid'],
        ['credits.granted', 'goodwill'],
        ['key.created', 'live'],
      ]);
    });

    test('the operator finds accounts by name, id, plan and member, and sees how they are used', async () => {
      const find = async (q: string) =>
        (await operator.get(`/portal/admin/accounts?q=${encodeURIComponent(q)}`)).json();
      for (const q of ['acm', accountId, 'owner@example', '']) {
        const { accounts, after } = await find(q);
        assert.deepEqual([accounts.length, after], [q === '' ? 2 : 1, null], q);
        assert.deepEqual(accounts[0].owners, ['owner@example.com']);
        assert.ok(accounts[0].callsToday > 0);
        assert.ok(accounts[0].errorsToday > 0);
      }
      assert.deepEqual(await find('nobody has this'), { accounts: [], after: null });
    });

    test('an account that the operator opens is its owner-to-be’s by invitation', async () => {
      const opened = await operator.post('/portal/admin/accounts', {
        name: 'Given',
        plan: 'basic',
        owner: 'given@example.com',
      });
      expectStatus(200, opened);
      const given = await house.person('given@example.com');
      const token = await house.token('given@example.com', 'invite');
      const accepted = await given.post('/portal/invites/accept', { token });
      assert.deepEqual(accepted.json(), { accountId: opened.json().accountId });
      const { accounts } = (await given.get('/portal/accounts')).json();
      assert.equal(accounts[0].role, 'owner');
    });

    test('files say what the pages say: usage, statement, requests, audit, totals, and all of an account', async () => {
      const usage = await owner.get(at('/usage.csv?from=2026-11-01&to=2026-11-15&by=endpoint,status'));
      assert.equal(lines(usage.body)[0], 'endpoint,status,calls,credits');
      assert.match(
        String(usage.headers['content-disposition']),
        /^attachment; filename="usage-acc_[\w.-]+\.csv"$/,
      );
      const statement = lines((await owner.get(at('/statement.csv?month=2026-11'))).body);
      const { account } = (await owner.get(at(''))).json();
      assert.equal(statement[1]?.split(',')[4], String(account.balance));
      const sum = statement.slice(1).reduce((total, line) => total + Number(line.split(',')[3]), 0);
      assert.equal(sum, account.balance);
      const requests = (await owner.get(at('/requests'))).json().requests;
      assert.equal(lines((await owner.get(at('/requests.csv'))).body).length, requests.length + 1);
      const audit = lines((await owner.get(at('/audit.csv'))).body);
      assert.equal(audit.length - 1, (await owner.get(at('/audit'))).json().lines.length);
      const totals = lines((await operator.get('/portal/admin/totals.csv?month=2026-11')).body);
      assert.ok(totals.some((line) => line.startsWith(`${accountId},Acme,`)));
      const { rows } = (await operator.get('/portal/admin/totals?month=2026-11')).json();
      assert.equal(totals.length - 1, rows.length);
      const exported = JSON.parse((await owner.get(at('/export.json'))).body);
      assert.equal(exported.account.accountId, accountId);
      assert.equal(exported.journal.length, statement.length - 1);
      assert.equal(exported.audit.length, audit.length - 1);
      assert.equal(exported.members[0].email, 'owner@example.com');
      assert.ok(exported.keys.length > 0 && exported.usage.length > 0 && exported.requests.length > 0);
    });

    test('a month without a statement is refused, as JSON, before any of a file is written', async () => {
      const reply = await owner.get(at('/statement.csv?month=2001-01'));
      assert.equal(reply.statusCode, 400);
      assert.equal(reply.json().error.code, 'INVALID');
    });

    test('parameters are kept only where the account has them kept, and whoever ends that has none left', async () => {
      const { key } = await newKey();
      const callNow = () => {
        house.rig.clock.nowMs += 1_000;
        return call(key, '/area/statistics?postcode=NP10+8WA');
      };
      await callNow();
      const newest = async () => (await owner.get(at('/requests'))).json().requests[0];
      assert.equal((await newest()).parameters, null);
      expectStatus(200, await owner.ask('PATCH', at(''), { parameters: 'kept' }));
      assert.deepEqual((await owner.get(at(''))).json().settings, { parameters: 'kept' });
      await callNow();
      assert.match((await newest()).parameters, /NP10/);
      expectStatus(200, await owner.ask('PATCH', at(''), { parameters: 'not kept' }));
      assert.equal((await newest()).parameters, null);
    });

    test('how the service is: its data, health, and what was refused with its account', async () => {
      const { datasets, releases } = (await operator.get('/portal/admin/data')).json();
      assert.ok(datasets.length > 5);
      assert.equal(releases.length, 1);
      const health = (await operator.get('/portal/admin/health')).json();
      assert.deepEqual([health.status, health.ledger, health.because], ['ready', engine, null]);
      await call('dd_live_00000000000000000000000000000000');
      const { refusals } = (await operator.get('/portal/admin/refusals')).json();
      const suspended = refusals.find((each: { code: string }) => each.code === 'ACCOUNT_SUSPENDED');
      assert.equal(suspended.accountName, 'Acme');
      assert.ok(refusals.some((each: { accountId: string | null }) => each.accountId === null));
    });

    test('the pace of whole days tells when the credits end', async () => {
      const { clock } = house.rig;
      const nowMs = clock.nowMs;
      assert.equal((await owner.get(at(''))).json().forecast, null);
      clock.nowMs += 86_400_000;
      const { forecast, account } = (await owner.get(at(''))).json();
      clock.nowMs = nowMs;
      assert.equal(forecast.days, 1);
      const spent = (await owner.get(at('/usage?from=2026-11-15&to=2026-11-15&by='))).json().total.credits;
      assert.equal(forecast.creditsPerDay, spent);
      assert.equal(forecast.emptyAtMs, null);
      assert.ok(forecast.leftAtRefresh < account.balance);
    });

    test('members come by invitation, change roles, leave; the last owner stays', async () => {
      const billing = await house.join(owner, accountId, 'billing@example.com', 'billing');
      const { members } = (await owner.get(at('/members'))).json();
      const idOf = (email: string) =>
        members.find((each: { email: string }) => each.email === email).personId;
      const mine = idOf('owner@example.com');
      assert.equal((await owner.ask('PATCH', at(`/members/${mine}`), { role: 'reader' })).statusCode, 409);
      assert.equal((await owner.ask('DELETE', at(`/members/${mine}`))).statusCode, 409);
      assert.equal((await billing.ask('DELETE', at(`/members/${mine}`))).statusCode, 403);
      const theirs = idOf('billing@example.com');
      expectStatus(200, await owner.ask('PATCH', at(`/members/${theirs}`), { role: 'reader' }));
      assert.equal((await billing.post(at('/plan'), { plan: 'basic' })).statusCode, 403);
      expectStatus(200, await billing.ask('DELETE', at(`/members/${theirs}`)));
      assert.equal((await billing.get(at(''))).statusCode, 404);
    });

    test('a request is not approved when the plan is another by now, and waits for another answer', async () => {
      const asker = await house.person('asker@example.com');
      const own = await house.account(asker, 'Asker');
      expectStatus(200, await asker.post(`/portal/accounts/${own}/plan`, { plan: 'basic' }));
      const change = { plan: 'premium', reason: 'agreed by telephone' };
      expectStatus(200, await operator.post(`/portal/admin/accounts/${own}/plan`, change));
      const waiting = async () => (await asker.get(`/portal/accounts/${own}`)).json().planRequest;
      const { planRequestId } = await waiting();
      const decide = (decision: string) =>
        operator.post(`/portal/admin/plan-requests/${planRequestId}`, { decision });
      const refusal = await decide('approve');
      assert.equal(refusal.statusCode, 409);
      assert.match(refusal.json().error.message, /premium by now/);
      assert.equal((await asker.get(`/portal/accounts/${own}`)).json().account.plan, 'premium');
      assert.equal((await waiting()).planRequestId, planRequestId);
      expectStatus(200, await decide('decline'));
    });

    test('closing an account takes the password again, and its keys stop at once', async () => {
      const { key } = await newKey();
      const wrong = await owner.ask('DELETE', at(''), { password: 'not the right one' });
      assert.equal(wrong.statusCode, 401);
      expectStatus(200, await call(key));
      expectStatus(200, await owner.ask('DELETE', at(''), { password: 'a quiet meadow at noon' }));
      assert.equal((await call(key)).statusCode, 401);
      assert.ok((await owner.get(at(''))).json().account.closedAtMs);
    });

    test('the only owner of an open account is not erased, of a closed one is', async () => {
      const leaver = await house.person('leaver@example.com');
      const own = await house.account(leaver, 'Left');
      const proof = { password: 'a quiet meadow at noon' };
      assert.equal((await leaver.ask('DELETE', '/portal/person', proof)).statusCode, 409);
      expectStatus(200, await leaver.ask('DELETE', `/portal/accounts/${own}`, proof));
      expectStatus(200, await leaver.ask('DELETE', '/portal/person', proof));
      assert.equal(await house.people.persons.findByEmail('leaver@example.com'), undefined);
    });
  });
}
