// Keys of pages that end with whoever made them, and usage that takes several answers, whichever engine ledger and records have.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { codeAt, fromBase32 } from '../../src/people/proof/totp.ts';
import { type Browser, expectStatus, type House, openHouse, password } from './house.ts';

type Opening = { readonly databaseUrl?: string; readonly remove?: () => Promise<void> };

export function endsAndPages(engine: 'embedded' | 'PostgreSQL', open: () => Promise<Opening>): void {
  describe(`${engine}: keys of pages, and much usage`, () => {
    let house: House;
    let remove: (() => Promise<void>) | undefined;
    let owner: Browser;
    let accountId: string;
    const at = (path: string) => `/portal/accounts/${accountId}${path}`;

    beforeEach(async () => {
      const { remove: own, ...wish } = await open();
      remove = own;
      house = await openHouse(wish);
      owner = await house.person('owner@example.com');
      accountId = await house.account(owner);
    });

    afterEach(async () => {
      await house.close();
      await remove?.();
    });

    test('a key of a page ends with the session or the role it was made with, however that ends', async () => {
      const ours = { host: house.host, 'sec-fetch-site': 'same-origin' };
      const statusOf = async (key: string) =>
        (await house.rig.get('/api/v1/bank-rates?limit=1', key, ours)).statusCode;
      const mine = (await owner.post(at('/web-key'))).json().key;
      const endings: Readonly<Record<string, (who: Browser, personId: string, email: string) => unknown>> = {
        'signing out': (who) => who.post('/portal/sign-out'),
        'signing in anew': (who, _, email) => who.signIn(email),
        'being ended from another device': async (_, __, email) => {
          const other = house.browser();
          await other.signIn(email);
          expectStatus(200, await other.ask('DELETE', '/portal/sessions'));
        },
        'a new password': (who) =>
          who.post('/portal/password', { current: password, next: 'another meadow, at dusk' }),
        'a password that is reset': async (who, _, email) => {
          await who.post('/portal/reset-request', { email });
          const token = await house.token(email, 'reset');
          expectStatus(200, await house.browser().post('/portal/reset', { token, password }));
        },
        'a second factor': async (who) => {
          const { secret } = (await who.post('/portal/totp/begin', { password })).json();
          const code = codeAt(fromBase32(secret), Math.floor(house.rig.clock.nowMs / 30_000));
          expectStatus(200, await who.post('/portal/totp/confirm', { code }));
        },
        'a lesser role': (_, personId) => owner.ask('PATCH', at(`/members/${personId}`), { role: 'reader' }),
        'being removed': (_, personId) => owner.ask('DELETE', at(`/members/${personId}`)),
        leaving: (who, personId) => who.ask('DELETE', at(`/members/${personId}`)),
        'being erased': (who) => who.ask('DELETE', '/portal/person', { password }),
      };
      for (const [how, end] of Object.entries(endings)) {
        house.rig.clock.nowMs += 60_000;
        const email = `${how.replaceAll(' ', '-')}@example.com`;
        const who = await house.join(owner, accountId, email, 'developer');
        const made = await who.post(at('/web-key'));
        expectStatus(200, made);
        const { key } = made.json();
        assert.equal(await statusOf(key), 200, how);
        const { personId } = (await who.get('/portal/me')).json().person;
        await end(who, personId, email);
        assert.equal(await statusOf(key), 401, how);
        assert.equal(await statusOf(mine), 200, `${how}: somebody else's goes on`);
      }
    });

    test('a year by all words is told page after page, each row once, however many there are', async () => {
      const { ledger, accounts, clock } = house.rig;
      const { keyId } = await accounts.createKey({ accountId, kind: 'live', atMs: clock.nowMs });
      const caller = { accountId, keyId, mode: 'live' } as const;
      let calls = 0;
      for (let back = 0; back < 366; back += 1) {
        for (let at = 0; at < 57; at += 1, calls += 1) {
          ledger.record({
            caller,
            endpoint: `/${at % 19}`,
            status: 400 + (at % 3),
            atMs: clock.nowMs - back * 86_400_000,
          });
        }
      }
      const seen = new Set<string>();
      let pages = 0;
      for (let next: number | null = 0; next !== null; pages += 1) {
        const query = `from=2025-11-15&to=2026-11-15&by=day,endpoint,key,status&offset=${next}`;
        const reply = await owner.get(at(`/usage?${query}`));
        expectStatus(200, reply);
        const told: { rows: object[]; next: number | null; total: { calls: number } } = reply.json();
        for (const row of told.rows) seen.add(JSON.stringify(row));
        assert.equal(told.total.calls, calls);
        ({ next } = told);
      }
      assert.deepEqual([seen.size, pages], [calls, 2]);
    });
  });
}
