// The newest 1,000 requests of an account: what a plain list of all that arrived would tell, whoever answered, whenever it was
// written, and whatever was restarted in between.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readNumber, readText } from '../../src/storage/rows.ts';
import { answered, clock, databaseShelf, fileShelf, type Kept, type Shelf, Writer } from './writer.ts';

const listedMost = 1_000;
const accounts = ['acc_one', 'acc_two', 'acc_three'];

/** A machine with its opening of the kept. */
type Replica = { kept: Kept; writer: Writer };

async function start(shelf: Shelf): Promise<Replica> {
  const kept = await shelf.open();
  return { kept, writer: new Writer(kept) };
}

async function stop({ kept, writer }: Replica): Promise<void> {
  await writer.requests.close();
  await kept.close();
}

type Step =
  | { readonly kind: 'arrive'; readonly on: number; readonly account: string; readonly count: number }
  | { readonly kind: 'flush' | 'restart'; readonly on: number }
  | { readonly kind: 'clock'; readonly backMs: number };

const on = fc.nat({ max: 1 });
const steps = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('arrive' as const),
        on,
        account: fc.constantFrom(...accounts),
        count: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 1_300 })),
      }),
    },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('flush' as const), on }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const), on }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('clock' as const),
        backMs: fc.integer({ min: 1, max: 2_000 }),
      }),
    },
  ),
  { maxLength: 40 },
);

type Told = { readonly requestId: string; readonly atMs: number };

/** Of requests of the same millisecond, any may be the newer one. */
function assertNewest(told: readonly Told[], arrived: readonly Told[]): void {
  const sorted = arrived.toSorted((one, other) => other.atMs - one.atMs);
  const expected = sorted.slice(0, listedMost);
  assert.deepEqual(
    told.map(({ atMs }) => atMs),
    expected.map(({ atMs }) => atMs),
  );
  const oldest = expected.at(-1)?.atMs ?? 0;
  const certain = (lines: readonly Told[]) =>
    lines
      .filter(({ atMs }) => atMs > oldest)
      .map(({ requestId }) => requestId)
      .sort();
  assert.deepEqual(certain(told), certain(expected));
  const known = new Set(arrived.map(({ requestId }) => requestId));
  assert.ok(told.every(({ requestId }) => known.has(requestId)));
  assert.equal(new Set(told.map(({ requestId }) => requestId)).size, told.length);
}

function newestProperty(name: string, fresh: () => Promise<Shelf>, numRuns: number): void {
  test(`${name}: two machines list what a plain list would, over flushes and restarts`, async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        const shelf = await fresh();
        const replicas = [await start(shelf), await start(shelf)] as const;
        try {
          const arrived = new Map<string, Told[]>(accounts.map((account) => [account, []]));
          for (const step of taken) await take(step, shelf, replicas, arrived);
          for (const { writer } of replicas) await writer.requests.flush();
          for (const { writer } of replicas) {
            for (const [account, all] of arrived) {
              assertNewest((await writer.requests.newest(account)).requests, all);
            }
            assert.equal(writer.lost, 0);
          }
        } finally {
          for (const replica of replicas) await stop(replica);
          await shelf.remove();
        }
      }),
      { numRuns },
    );
  });
}

async function take(
  step: Step,
  shelf: Shelf,
  replicas: readonly [Replica, Replica],
  arrived: ReadonlyMap<string, Told[]>,
): Promise<void> {
  if (step.kind === 'clock') {
    clock.nowMs -= step.backMs;
    return;
  }
  const replica = replicas[step.on === 0 ? 0 : 1];
  if (step.kind === 'flush') await replica.writer.requests.flush();
  if (step.kind === 'restart') {
    await stop(replica);
    Object.assign(replica, await start(shelf));
  }
  if (step.kind !== 'arrive') return;
  for (let count = 0; count < step.count; count += 1) {
    const request = answered(step.account);
    replica.writer.requests.note(request);
    arrived.get(step.account)?.push(request);
  }
}

newestProperty('SQLite', fileShelf, 25);
newestProperty('PostgreSQL', databaseShelf, 6);

/** On a machine alone, which is stopped whatever comes: what stays open would keep the whole run waiting. */
function testAlone(name: string, work: (replica: Replica) => Promise<void>): void {
  test(name, async () => {
    const shelf = await fileShelf();
    const replica = await start(shelf);
    try {
      await work(replica);
    } finally {
      await stop(replica);
      await shelf.remove();
    }
  });
}

testAlone('what can no longer be listed is removed, however it was written', async (replica) => {
  for (let round = 0; round < 250; round += 1) {
    for (let count = 0; count < 40; count += 1) replica.writer.requests.note(answered('acc_busy'));
    await replica.writer.requests.flush();
  }
  const [row] = await replica.kept.store.all('SELECT SUM(requests) AS kept FROM request_chunks');
  assert.ok(readNumber(row, 'kept') <= 5 * listedMost + 40, `${row?.kept} are kept`);
});

test('a row that reaches back past what is removed is kept for its newest requests', async () => {
  const shelf = await fileShelf();
  const replicas = [await start(shelf), await start(shelf)] as const;
  const [quiet, busy] = replicas.map(({ writer }) => writer.requests);
  assert.ok(quiet && busy);
  const arrived: Told[] = [];
  const arrive = (on: typeof quiet, times: number) => {
    for (let count = 0; count < times; count += 1) {
      const request = answered('acc_busy');
      on.note(request);
      arrived.push(request);
    }
  };
  try {
    arrive(quiet, 1);
    for (let round = 0; round < 8; round += 1) {
      arrive(busy, listedMost / 2);
      if (round === 7) {
        arrive(quiet, 1);
        await quiet.flush();
      }
      arrive(busy, listedMost / 2);
      await busy.flush();
    }
    const [row] = await replicas[0].kept.store.all('SELECT SUM(requests) AS kept FROM request_chunks');
    assert.ok(readNumber(row, 'kept') < arrived.length, 'some were removed');
    assertNewest((await busy.newest('acc_busy')).requests, arrived);
  } finally {
    for (const replica of replicas) await stop(replica);
    await shelf.remove();
  }
});

testAlone(
  'one account has one row for each flush, and none more than can be listed',
  async ({ kept, writer }) => {
    for (let count = 0; count < 3_000; count += 1) writer.requests.note(answered(`acc_${count % 2}`));
    await writer.requests.flush();
    const rows = await kept.store.all('SELECT account_id, requests FROM request_chunks ORDER BY account_id');
    assert.deepEqual(
      rows.map((row) => [readText(row, 'account_id'), readNumber(row, 'requests')]),
      [
        ['acc_0', listedMost],
        ['acc_1', listedMost],
      ],
    );
  },
);

testAlone(
  'the newest are those of the latest time, also of a busy account whose clock goes back',
  async (replica) => {
    const arrived: Told[] = [];
    for (const backMs of [0, 2_000, 500, 3_000]) {
      clock.nowMs -= backMs;
      for (let count = 0; count < 1_300; count += 1) {
        const request = answered('acc_busy');
        replica.writer.requests.note(request);
        arrived.push(request);
      }
    }
    assertNewest((await replica.writer.requests.newest('acc_busy')).requests, arrived);
  },
);

testAlone(
  'ids of callers are listed as they were sent, long after short and short after long',
  async (replica) => {
    const { requests } = replica.writer;
    // Each round writes over the lines of the one before.
    const rounds = [1, 2, 3].map((round) =>
      Array.from({ length: 60 }, (_, place) => {
        const length = (place * 37 + round * 11) % 200;
        return Array.from({ length }, (_sign, at) =>
          String.fromCharCode(33 + ((at * place + round) % 94)),
        ).join('');
      }),
    );
    for (const ids of rounds) {
      for (const requestId of ids) requests.note(answered('acc_one', { requestId }));
      await requests.flush();
    }
    const { requests: newest } = await requests.newest('acc_one');
    assert.deepEqual(newest.map(({ requestId }) => requestId).toReversed(), rounds.flat());
  },
);

testAlone('a request is listed with nothing of one before it', async (replica) => {
  const { requests } = replica.writer;
  await requests.setParameters('acc_one', 'kept');
  const caller = (name: string) => ({ accountId: 'acc_one', keyId: `key_${name}`, mode: 'live' }) as const;
  const noted = [
    answered('acc_one', {
      caller: caller('first'),
      seconds: 0.5,
      endpoint: '/crime/by-postcode',
      status: 404,
      code: 'POSTCODE_NOT_FOUND',
      creditsCharged: 0,
      parameters: 'postcode=ZZ99ZZ',
    }),
    answered('acc_one', {
      caller: caller('second'),
      seconds: 0.25,
      creditsCharged: 3,
      parameters: undefined,
    }),
  ];
  for (const request of noted) {
    requests.note(request);
    await requests.flush();
  }
  assert.deepEqual((await requests.newest('acc_one')).requests.toReversed(), [
    {
      requestId: noted[0]?.requestId,
      atMs: noted[0]?.atMs,
      keyId: 'key_first',
      path: '/crime/by-postcode',
      parameters: 'postcode=ZZ99ZZ',
      status: 404,
      code: 'POSTCODE_NOT_FOUND',
      milliseconds: 500,
      credits: 0,
    },
    {
      requestId: noted[1]?.requestId,
      atMs: noted[1]?.atMs,
      keyId: 'key_second',
      path: '/bank-rates',
      parameters: null,
      status: 200,
      code: null,
      milliseconds: 250,
      credits: 3,
    },
  ]);
  // Latency leaves calls of a batch out, and has those that stood where one of them did.
  const { caller: owner, calls: _, ...call } = answered('acc_one');
  requests.note({ ...call, caller: owner, calls: [call] });
  await requests.flush();
  requests.note(answered('acc_one'));
  const { latency } = await requests.newest('acc_one');
  assert.deepEqual(
    latency.map(({ path, requests: count }) => [path, count]),
    [
      ['/bank-rates', 2],
      ['/crime/by-postcode', 1],
    ],
  );
});

testAlone('an account is told nothing of another', async (replica) => {
  replica.writer.requests.note(answered('acc_one'));
  replica.writer.requests.note(answered('acc_on'));
  const { requests } = await replica.writer.requests.newest('acc_on');
  assert.deepEqual(
    requests.map(({ keyId }) => keyId),
    ['key_of_acc_on'],
  );
  assert.deepEqual((await replica.writer.requests.newest('acc_nobody')).requests, []);
});

testAlone('latency is that of single calls, by path', async (replica) => {
  const { requests } = replica.writer;
  for (let ms = 1; ms <= 100; ms += 1) requests.note(answered('acc', { seconds: ms / 1_000 }));
  const call = { endpoint: '/bank-rates', status: 200, code: undefined, creditsCharged: 1, parameters: '' };
  requests.note(answered('acc', { endpoint: '/batch', seconds: 9, calls: [call, call] }));
  requests.note(answered('acc', { endpoint: '/crime', seconds: 0.25 }));
  assert.deepEqual((await requests.newest('acc')).latency, [
    { path: '/bank-rates', requests: 100, p50: 50, p95: 95, p99: 99 },
    { path: '/crime', requests: 1, p50: 250, p95: 250, p99: 250 },
  ]);
});

test('who watches hears of requests on every machine, once, and of none before', async () => {
  const shelf = await databaseShelf();
  const replicas = [await start(shelf), await start(shelf)] as const;
  const [here, there] = replicas;
  here.writer.requests.note(answered('acc', { requestId: 'before' }));
  await here.writer.requests.flush();
  clock.nowMs += 1;
  const heard: string[] = [];
  const enough = Promise.withResolvers<void>();
  const one = Promise.withResolvers<void>();
  const end = here.writer.requests.watch('acc', (requests) => {
    heard.push(...requests.map(({ requestId }) => requestId));
    if (heard.length >= 3) enough.resolve();
    if (heard.includes('later')) one.resolve();
  });
  for (const requestId of ['a', 'b']) there.writer.requests.note(answered('acc', { requestId }));
  here.writer.requests.note(answered('acc_other', { requestId: 'of another' }));
  here.writer.requests.note(answered('acc', { requestId: 'c' }));
  await enough.promise;
  there.writer.requests.note(answered('acc', { requestId: 'later' }));
  await one.promise;
  assert.deepEqual(heard.toSorted(), ['a', 'b', 'c', 'later']);
  end();
  for (const replica of replicas) await stop(replica);
  await shelf.remove();
});
