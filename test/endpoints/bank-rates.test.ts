// GET /bank-rates on the bundled history: every parameter, error and decision.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { openRig, type Rig } from '../rig.ts';

let rig: Rig;
let key: string;
before(async () => {
  rig = await openRig();
  ({ key } = await rig.customer({ limits: { minute: null, day: null, month: null }, credits: 1_000_000 }));
});
after(() => rig.close());

const ask = async (query: string) => {
  const reply = await rig.get(`/api/v1/bank-rates${query}`, key);
  return { status: reply.statusCode, body: reply.json() };
};

type Change = { date: string; rate: number };

test('limit=1 holds the latest change, and current is the rate in force today', async () => {
  const { body } = await ask('?limit=1');
  assert.deepEqual(body.current, { rate: 3.75, effectiveFrom: '2025-12-18', label: 'Official Bank Rate' });
  assert.deepEqual(body.rateChanges, [{ date: '2025-12-18', rate: 3.75 }]);
  assert.equal('data' in body, false);
  assert.deepEqual(Object.keys(body), ['success', 'current', 'rateChanges', 'billing']);
});

test('the history is complete: 258 changes since 1975, newest first, known values exact', async () => {
  const { body } = await ask('?limit=500');
  const changes: Change[] = body.rateChanges;
  assert.equal(changes.length, 258);
  assert.deepEqual(changes.at(-1), { date: '1975-01-20', rate: 11.25 });
  assert.deepEqual(
    changes.map(({ date }) => date),
    changes
      .map(({ date }) => date)
      .toSorted()
      .reverse(),
  );
  const known: Record<string, number> = {
    '2023-08-03': 5.25,
    '2024-08-01': 5,
    '2024-11-07': 4.75,
    '2020-03-19': 0.1,
    '1981-08-25': 12.6875,
  };
  for (const [date, rate] of Object.entries(known)) {
    assert.equal(changes.find((change) => change.date === date)?.rate, rate, date);
  }
});

test('from a list that ends more than a week ago, the answer says up to which day the rate is known', async (t) => {
  const own = await openRig();
  t.after(() => own.close());
  const { key: asker } = await own.customer({ limits: { minute: null } });
  const coverageOn = async (day: string, sent: string, accept = 'application/json') => {
    own.clock.nowMs = Date.parse(`${day}T12:00:00Z`);
    const { headers } = await own.get('/api/v1/bank-rates?limit=1', sent, { accept });
    return headers['x-data-coverage'];
  };
  assert.equal(await coverageOn('2026-09-22', asker), undefined);
  assert.equal(await coverageOn('2026-09-28', asker), undefined);
  for (const accept of ['application/json', 'text/csv']) {
    const told = 'partial; the rate is known up to 2026-09-21';
    assert.equal(await coverageOn('2026-09-29', asker, accept), told);
    assert.equal(await coverageOn('2026-11-15', asker, accept), told);
  }
});

test('without a limit 100 changes are listed', async () => {
  assert.equal((await ask('')).body.rateChanges.length, 100);
});

test('both ends of the range belong to it', async () => {
  const { body } = await ask('?startDate=2024-08-01&endDate=2024-11-07');
  assert.deepEqual(body.rateChanges, [
    { date: '2024-11-07', rate: 4.75 },
    { date: '2024-08-01', rate: 5 },
  ]);
  assert.equal(body.current.rate, 3.75);
});

test('an empty value counts as absent', async () => {
  assert.equal((await ask('?limit=&startDate=')).body.rateChanges.length, 100);
});

test('faults have the code of the contract and name their field', async () => {
  const faults: Record<string, [code: string, field: string]> = {
    '?limit=0': ['INVALID_LIMIT', 'limit'],
    '?limit=501': ['INVALID_LIMIT', 'limit'],
    '?limit=-1': ['INVALID_LIMIT', 'limit'],
    '?limit=1.5': ['INVALID_LIMIT', 'limit'],
    '?limit=1e2': ['INVALID_LIMIT', 'limit'],
    '?limit=ten': ['INVALID_LIMIT', 'limit'],
    '?limit=99999999999999999999': ['INVALID_LIMIT', 'limit'],
    '?startDate=2025-02-30': ['INVALID_DATE_FORMAT', 'startDate'],
    '?startDate=2025-2-3': ['INVALID_DATE_FORMAT', 'startDate'],
    '?endDate=18/12/2025': ['INVALID_DATE_FORMAT', 'endDate'],
    '?endDate=2025-12-18T00:00:00Z': ['INVALID_DATE_FORMAT', 'endDate'],
    '?endDate=0000-01-01': ['INVALID_DATE_FORMAT', 'endDate'],
  };
  for (const [query, [code, field]] of Object.entries(faults)) {
    const { status, body } = await ask(query);
    assert.deepEqual([status, body.error.code, body.error.field], [400, code, field], query);
  }
});

test('a range without a change is NO_DATA_FOUND and tells the rate then in force', async () => {
  const cases: Record<string, Change | undefined> = {
    '?startDate=2022-01-01&endDate=2022-01-31': { date: '2021-12-16', rate: 0.25 },
    '?startDate=2026-01-01': { date: '2025-12-18', rate: 3.75 },
    '?startDate=2024-06-01&endDate=2024-01-01': { date: '2023-08-03', rate: 5.25 },
    '?endDate=1974-12-31': undefined,
    '?startDate=2099-01-01': undefined,
  };
  for (const [query, inForce] of Object.entries(cases)) {
    const { status, body } = await ask(query);
    assert.deepEqual([status, body.error.code], [404, 'NO_DATA_FOUND'], query);
    assert.deepEqual(body.error.rateInForce, inForce, query);
  }
});

test('dates the wrong way round are told so; any other range without a change is told how to widen it', async () => {
  const messageOf = async (query: string) => (await ask(query)).body.error.message;
  assert.match(await messageOf('?startDate=2024-06-01&endDate=2024-01-01'), /other way round/);
  assert.match(await messageOf('?startDate=2022-01-01&endDate=2022-01-31'), /earlier `startDate` or a later/);
  for (const query of [
    '?endDate=1970-01-01',
    '?endDate=1975-01-19',
    '?startDate=1960-01-01&endDate=1974-01-01',
  ]) {
    assert.match(
      await messageOf(query),
      /begins on 1975-01-20; send that day or a later one as `endDate`\.$/,
    );
  }
  assert.equal((await ask('?endDate=1975-01-20')).status, 200);
});

test('a range that reaches beyond the known history is told up to which day that is', async () => {
  const errorOf = async (query: string) => (await ask(query)).body.error;
  const beyond = /^The rate is known up to 2026-09-21, before this range; send an earlier `startDate`\.$/;
  for (const query of [
    '?startDate=2026-10-01&endDate=2026-11-10',
    '?startDate=2026-09-22',
    '?startDate=2030-01-01',
    '?startDate=2030-01-01&endDate=2031-01-01',
  ]) {
    const { code, message, rateInForce } = await errorOf(query);
    assert.deepEqual([code, rateInForce], ['NO_DATA_FOUND', undefined], query);
    assert.match(message, beyond, query);
  }
  for (const query of [
    '?startDate=2026-01-01',
    '?startDate=2026-09-21',
    '?startDate=2026-01-01&endDate=2026-09-22',
    '?startDate=2026-01-01&endDate=2030-01-01',
  ]) {
    const { code, message, rateInForce } = await errorOf(query);
    assert.equal(code, 'NO_DATA_FOUND', query);
    assert.deepEqual(rateInForce, { date: '2025-12-18', rate: 3.75 }, query);
    assert.match(message, /did not change in this range up to 2026-09-21, and is not known after/, query);
  }
  for (const query of [
    '?startDate=2026-01-01&endDate=2026-09-21',
    '?startDate=2026-01-01&endDate=2026-02-01',
  ]) {
    const { message } = await errorOf(query);
    assert.match(message, /^The rate did not change in this range; send/, query);
  }
});

test('it may be kept for an hour, by the caller alone', async () => {
  const { headers } = await rig.get('/api/v1/bank-rates', key);
  assert.equal(headers['cache-control'], 'private, max-age=3600');
  assert.equal(headers['x-data-source'], 'Bank of England');
  assert.match(String(headers['x-data-as-of']), /^\d{4}-\d\d-\d\d$/);
});

test('any range gives what filtering the whole history by hand gives', async () => {
  const all: Change[] = (await ask('?limit=500')).body.rateChanges;
  const day = fc.date({ min: new Date('1974-01-01'), max: new Date('2027-01-01'), noInvalidDate: true });
  const optionalDay = fc.option(
    day.map((date) => date.toISOString().slice(0, 10)),
    { nil: undefined },
  );
  await fc.assert(
    fc.asyncProperty(
      optionalDay,
      optionalDay,
      fc.integer({ min: 1, max: 500 }),
      async (start, end, limit) => {
        const query = new URLSearchParams({
          limit: String(limit),
          ...(start ? { startDate: start } : {}),
          ...(end ? { endDate: end } : {}),
        });
        const expected = all
          .filter(({ date }) => (start === undefined || date >= start) && (end === undefined || date <= end))
          .slice(0, limit);
        const { status, body } = await ask(`?${query}`);
        if (expected.length === 0) assert.equal(status, 404);
        else assert.deepEqual(body.rateChanges, expected);
      },
    ),
    { numRuns: 200 },
  );
});
