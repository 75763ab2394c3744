// What /account and /account/usage promise, through HTTP, whichever engine the ledger has.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { LightMyRequestResponse } from 'fastify';
import { dayMs } from '../../src/time.ts';
import { noonMs, openRig, type Rig, type RigWish } from '../rig.ts';

const noLimits = { minute: null, day: null, month: null };
const dimensions = ['day', 'endpoint', 'key', 'status'] as const;
type Dimension = (typeof dimensions)[number];

/** One call, as its reply told it. */
type Made = Readonly<Record<Dimension, string | number>> & { readonly credits: number };

const dayAt = (atMs: number) => new Date(atMs).toISOString().slice(0, 10);

const anyCall = fc.record({
  key: fc.constantFrom('live', 'second', 'test'),
  days: fc.integer({ min: 0, max: 5 }),
  url: fc.constantFrom(
    '/bank-rates?limit=1',
    '/bank-rates?limit=0',
    '/bank-rates?startDate=1700-01-01&endDate=1700-01-02',
    '/council-tax/property-candidates?postcode=nonsense',
    '/no/such/path',
    '/account',
    '/account/usage?limit=x',
  ),
  etag: fc.constantFrom(undefined, '*'),
});

/** Where a reply says that the next page is. */
export function nextOf({ headers }: LightMyRequestResponse): string | undefined {
  return /^<([^>]+)>; rel="next"$/.exec(String(headers.link ?? ''))?.[1];
}

export function accountSuite(
  name: string,
  open: () => Promise<RigWish & { remove?: () => Promise<void> }>,
): void {
  describe(`${name}: the account endpoints`, () => {
    let rig: Rig;
    let remove: (() => Promise<void>) | undefined;
    before(async () => {
      const { remove: own, ...wish } = await open();
      remove = own;
      rig = await openRig(wish);
      await rig.accounts.openPublicSandbox(noonMs);
    });
    after(async () => {
      await rig.close();
      await remove?.();
    });

    async function allRows(query: string, key: string, made: Made[], keyId: string) {
      const rows: Record<string, unknown>[] = [];
      let total: unknown;
      for (let url: string | undefined = `/api/v1/account/usage?${query}`; url !== undefined; ) {
        const reply: LightMyRequestResponse = await rig.get(url, key);
        assert.equal(reply.statusCode, 200, reply.body);
        const { data } = reply.json();
        // Each page is a call too, which the pages after it tell: the sums of the first one are compared.
        total ??= { ...data.total, rows: data.totalResults };
        rows.push(...data.rows);
        made.push({
          day: dayAt(rig.clock.nowMs),
          endpoint: '/account/usage',
          key: keyId,
          status: 200,
          credits: 0,
        });
        url = nextOf(reply);
      }
      return { rows, total };
    }

    it('sums by any grouping are what was called, whatever was called', async () => {
      const { accountId, key: live, keyId } = await rig.customer({ limits: noLimits });
      const atMs = rig.clock.nowMs;
      const second = await rig.accounts.createKey({ accountId, kind: 'live', atMs });
      const test = await rig.accounts.createKey({ accountId, kind: 'test', atMs });
      const other = await rig.customer();
      await rig.get('/api/v1/bank-rates?limit=1', other.key);
      const keys = { live: { key: live, keyId }, second, test };
      const made: Made[] = [];
      const groupings = fc.subarray([...dimensions], { minLength: 1 });
      const days = fc.tuple(fc.integer({ min: -1, max: 6 }), fc.integer({ min: 0, max: 7 }));
      await fc.assert(
        fc.asyncProperty(
          fc.array(anyCall, { maxLength: 4 }),
          groupings,
          days,
          async (calls, by, [first, length]) => {
            for (const { key, days: later, url, etag } of calls) {
              rig.clock.nowMs = noonMs + later * dayMs + 3_600_000;
              const asked = etag === undefined ? {} : { 'if-none-match': etag };
              const { statusCode, headers } = await rig.get(`/api/v1${url}`, keys[key].key, asked);
              const path = url.split('?')[0] ?? '';
              made.push({
                day: dayAt(rig.clock.nowMs),
                endpoint: path === '/no/such/path' ? 'other' : path,
                key: keys[key].keyId,
                status: statusCode,
                credits: Number(headers['x-credits-charged']),
              });
            }
            rig.clock.nowMs = noonMs + 6 * dayMs;
            const [from, to] = [dayAt(noonMs + first * dayMs), dayAt(noonMs + (first + length) * dayMs)];
            const told = made.filter(({ day }) => day >= from && day <= to);
            const nameOf = (row: Partial<Record<Dimension, unknown>>) =>
              by.map((each) => row[each]).join(' ');
            const query = `from=${from}&to=${to}&by=${by}&limit=1000`;
            const { rows, total } = await allRows(query, live, made, keyId);
            const groups = Map.groupBy(told, nameOf);
            assert.deepEqual(total, {
              calls: told.length,
              credits: told.reduce((sum, { credits }) => sum + credits, 0),
              rows: groups.size,
            });
            assert.deepEqual(
              new Map(rows.map((row) => [nameOf(row), [row.calls, row.credits]])),
              new Map(
                [...groups].map(([group, members]) => [
                  group,
                  [members.length, members.reduce((sum, { credits }) => sum + credits, 0)],
                ]),
              ),
            );
            for (const row of rows) assert.deepEqual(Object.keys(row), [...by, 'calls', 'credits']);
          },
        ),
        { numRuns: 25 },
      );
      assert.ok(made.length > 30, `only ${made.length} calls`);
      rig.clock.nowMs = noonMs;
    });

    it('pages, followed by their links, have every row once and in order; CSV has the same', async () => {
      const { accountId, key } = await rig.customer({ limits: noLimits });
      for (let call = 0; call < 7; call++) {
        const made = await rig.accounts.createKey({ accountId, kind: 'live', atMs: noonMs });
        for (const url of ['/bank-rates?limit=1', '/bank-rates?limit=0', '/nothing']) {
          await rig.get(`/api/v1${url}`, made.key);
        }
      }
      const days = 'from=2026-11-15&to=2026-11-15';
      const whole = (
        await rig.get(`/api/v1/account/usage?${days}&by=key,endpoint,status&limit=1000`, key)
      ).json();
      assert.equal(whole.data.totalResults, 21);
      for (const limit of [1, 5, 20, 21]) {
        const query = `${days}&by=key,endpoint,status&limit=${limit}`;
        const rows: { endpoint: string }[] = [];
        for (let url: string | undefined = `/api/v1/account/usage?${query}`; url !== undefined; ) {
          const reply: LightMyRequestResponse = await rig.get(url, key);
          const { data } = reply.json();
          assert.equal(data.returned, data.rows.length);
          rows.push(...data.rows);
          url = nextOf(reply);
        }
        // The pages that were asked for before are calls of their own.
        assert.deepEqual(
          rows.filter(({ endpoint }) => endpoint !== '/account/usage'),
          whole.data.rows,
          String(limit),
        );
      }
      const table = await rig.get(`/api/v1/account/usage?${days}&by=endpoint,key,status`, key, {
        accept: 'text/csv',
      });
      assert.match(String(table.headers['content-type']), /^text\/csv/);
      const lines = table.body.trim().split('\r\n');
      assert.equal(lines[0], 'day,endpoint,key,status,calls,credits');
      assert.deepEqual(
        lines.slice(1).filter((line) => !line.startsWith(',/account')),
        whole.data.rows.map((row: Record<Dimension | 'calls' | 'credits', string>) =>
          ['', row.endpoint, row.key, row.status, row.calls, row.credits].join(),
        ),
      );
    });

    it('/account tells allowance, lasting credits and their sum, plan, limits, windows and the key', async () => {
      const { accountId, key, keyId } = await rig.customer({ plan: 'basic', credits: 50 });
      await rig.accounts.grantCredits(accountId, { credits: 7, atMs: noonMs });
      await rig.get('/api/v1/bank-rates?limit=1', key);
      await rig.get('/api/v1/bank-rates?limit=0', key);
      const { headers, ...reply } = await rig.get('/api/v1/account', key);
      assert.equal(reply.statusCode, 200, reply.body);
      const { data, billing } = reply.json();
      assert.deepEqual(data, {
        accountId,
        plan: 'basic',
        mode: 'prepaid',
        credits: {
          total: 56,
          allowance: 49,
          lasting: 7,
          perMonth: 50,
          refreshAt: '2026-12-15T12:00:10.000Z',
        },
        limits: { minute: 10, day: 500, month: 5000 },
        windows: {
          minute: { used: 3, limit: 10, resetsAt: '2026-11-15T12:01:00.000Z' },
          day: { used: 3, limit: 500, resetsAt: '2026-11-16T00:00:00.000Z' },
          month: { used: 3, limit: 5000, resetsAt: '2026-12-01T00:00:00.000Z' },
        },
        key: { id: keyId, kind: 'live', lastFour: key.slice(-4), expiresAt: null },
      });
      assert.equal(billing, undefined);
      assert.deepEqual([headers['x-credits-charged'], headers['x-credits-remaining']], ['0', '56']);
      assert.equal(headers['x-ratelimit-remaining'], '7');
      assert.equal((await rig.accounts.findAccount(accountId, noonMs))?.balance, 56);
    });

    it('a test key sees the real credits, the limits of the plan, and the windows of test keys', async () => {
      const { accountId, key: live } = await rig.customer({ plan: 'standard', credits: 9 });
      await rig.get('/api/v1/bank-rates?limit=1', live);
      const expiresAtMs = noonMs + dayMs;
      const { key, keyId } = await rig.accounts.createKey({
        accountId,
        kind: 'test',
        expiresAtMs,
        atMs: noonMs,
      });
      const { data } = (await rig.get('/api/v1/account', key)).json();
      assert.deepEqual([data.mode, data.credits.total, data.limits.minute], ['sandbox', 8, 30]);
      assert.deepEqual([data.windows.minute.used, data.windows.minute.limit], [1, 10]);
      assert.deepEqual(data.key, {
        id: keyId,
        kind: 'test',
        lastFour: key.slice(-4),
        expiresAt: '2026-11-16T12:00:10.000Z',
      });
    });

    it('both answer on an empty balance, and what has no limit or refresh is null', async () => {
      const { key } = await rig.customer({ plan: 'trial', credits: 0, limits: noLimits });
      const { data } = (await rig.get('/api/v1/account', key)).json();
      assert.deepEqual([data.credits.total, data.credits.refreshAt], [0, null]);
      assert.deepEqual(data.limits, noLimits);
      assert.deepEqual([data.windows.day.used, data.windows.day.limit], [1, null]);
      assert.equal((await rig.get('/api/v1/account/usage', key)).statusCode, 200);
    });

    it('a call past the limit is refused here too, and counted', async () => {
      const { key, accountId } = await rig.customer({ limits: { ...noLimits, minute: 2 } });
      const statuses: number[] = [];
      for (let call = 0; call < 3; call++) statuses.push((await rig.get('/api/v1/account', key)).statusCode);
      assert.deepEqual(statuses, [200, 200, 429]);
      const [minute] = await rig.accounts.windowsOf(accountId, 'live', noonMs);
      assert.equal(minute?.used, 3);
    });
  });
}
