// What of a request is kept, for how long, and what never is: parameters only where the account wants them and for 7 days,
// refusals for a day, keys not at all.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dayMs, hourMs } from '../../src/time.ts';
import { answered, clock, fileShelf, type Kept, Writer } from './writer.ts';

async function opened(work: (writer: Writer, opening: Kept) => Promise<void>): Promise<void> {
  const shelf = await fileShelf();
  const opening = await shelf.open();
  const writer = new Writer(opening);
  try {
    await work(writer, opening);
  } finally {
    await writer.requests.close();
    await opening.close();
    await shelf.remove();
  }
}

const everything = async (opening: Kept): Promise<string> =>
  JSON.stringify([
    await opening.store.all('SELECT * FROM request_chunks'),
    await opening.store.all('SELECT * FROM refusals'),
  ]);

test('parameters are kept where the account has turned that on, and nowhere else', async () => {
  await opened(async ({ requests }, opening) => {
    assert.equal(await requests.parametersOf('acc_with'), 'not kept');
    await requests.setParameters('acc_with', 'kept');
    assert.equal(await requests.parametersOf('acc_with'), 'kept');
    requests.note(answered('acc_with', { parameters: 'postcode=SW1A1AA' }));
    requests.note(answered('acc_without', { parameters: 'postcode=OX44GA' }));
    const [kept] = (await requests.newest('acc_with')).requests;
    assert.equal(kept?.parameters, 'postcode=SW1A1AA');
    const [other] = (await requests.newest('acc_without')).requests;
    assert.equal(other?.parameters, null);
    assert.ok(!(await everything(opening)).includes('OX44GA'));
  });
});

test('turned off, none are kept any more, neither of those noted but not written nor of earlier ones', async () => {
  await opened(async ({ requests }, opening) => {
    await requests.setParameters('acc', 'kept');
    requests.note(answered('acc', { parameters: 'postcode=SW1A1AA' }));
    await requests.flush();
    requests.note(answered('acc', { parameters: 'postcode=SW1A2AA' }));
    await requests.setParameters('acc', 'not kept');
    const told = (await requests.newest('acc')).requests;
    assert.deepEqual(
      told.map(({ parameters }) => parameters),
      [null, null],
    );
    assert.ok(!(await everything(opening)).includes('SW1A'));
  });
});

test('another machine follows with its next requests', async () => {
  const shelf = await fileShelf();
  const [one, two] = [await shelf.open(), await shelf.open()];
  const [here, there] = [new Writer(one), new Writer(two)];
  await here.requests.setParameters('acc', 'kept');
  there.requests.note(answered('acc'));
  await there.requests.flush();
  there.requests.note(answered('acc', { parameters: 'postcode=SW1A1AA' }));
  await there.requests.flush();
  assert.equal((await here.requests.newest('acc')).requests[0]?.parameters, 'postcode=SW1A1AA');
  await here.requests.setParameters('acc', 'not kept');
  there.requests.note(answered('acc', { parameters: 'postcode=SW1A2AA' }));
  await there.requests.flush();
  assert.ok(!(await everything(one)).includes('SW1A'));
  for (const writer of [here, there]) await writer.requests.close();
  for (const opening of [one, two]) await opening.close();
  await shelf.remove();
});

test('after 7 days parameters are neither told nor there; the request still is', async () => {
  await opened(async (writer, opening) => {
    const { requests } = writer;
    await requests.setParameters('acc', 'kept');
    requests.note(answered('acc', { parameters: 'postcode=SW1A1AA' }));
    await requests.flush();
    clock.nowMs += 7 * dayMs - 2;
    assert.equal((await requests.newest('acc')).requests[0]?.parameters, 'postcode=SW1A1AA');
    clock.nowMs += 2;
    const { requests: told } = await requests.newest('acc');
    assert.deepEqual(
      told.map(({ parameters, path }) => ({ parameters, path })),
      [{ parameters: null, path: '/bank-rates' }],
    );
    assert.ok((await everything(opening)).includes('SW1A'));
    clock.nowMs += 1;
    await requests.tidy();
    assert.ok(!(await everything(opening)).includes('SW1A'));
    assert.equal((await requests.newest('acc')).requests.length, 1);
  });
});

test('refusals are counted by account, path, status and code, also without an account, for a day', async () => {
  await opened(async (writer, opening) => {
    const { requests } = writer;
    const refused = { status: 429, code: 'RATE_LIMITED' } as const;
    const nobody = { caller: undefined, status: 401, code: 'AUTHENTICATION_REQUIRED' } as const;
    requests.note(answered('acc', refused));
    await requests.flush();
    for (let count = 0; count < 2; count += 1) requests.note(answered('acc', refused));
    requests.note(answered('acc'));
    for (let count = 0; count < 5; count += 1) requests.note(answered('', nobody));
    const call = { endpoint: '/crime', creditsCharged: 0, parameters: undefined };
    const fault = { ...call, status: 503, code: 'SERVICE_UNAVAILABLE' } as const;
    requests.note(
      answered('acc', { endpoint: '/batch', calls: [{ ...call, status: 200, code: undefined }, fault] }),
    );
    const counts = async () =>
      (await requests.refusalsOfDay()).map(({ accountId, path, status, code, calls }) => [
        accountId,
        path,
        status,
        code,
        calls,
      ]);
    const expected = [
      [null, '/bank-rates', 401, 'AUTHENTICATION_REQUIRED', 5],
      ['acc', '/bank-rates', 429, 'RATE_LIMITED', 3],
      ['acc', '/crime', 503, 'SERVICE_UNAVAILABLE', 1],
    ];
    assert.deepEqual(await counts(), expected);
    // A restart begins counts of its own; both are told together.
    const again = new Writer(opening);
    again.requests.note(answered('acc', refused));
    await again.requests.close();
    assert.equal((await counts())[1]?.at(-1), 4);
    clock.nowMs += 23 * hourMs;
    assert.equal((await counts()).length, 3);
    clock.nowMs += 3 * hourMs;
    assert.deepEqual(await counts(), []);
    await requests.tidy();
    assert.deepEqual(await opening.store.all('SELECT * FROM refusals'), []);
  });
});

const kinds = ['live', 'test', 'pub', 'web', 'later'];
const secret = fc.stringMatching(/^[A-Za-z0-9]{28}$/);
const encodings = [
  (key: string) => key,
  (key: string) => key.toUpperCase(),
  (key: string) => encodeURIComponent(key).replaceAll('_', '%5F'),
  (key: string) => [...key].map((sign) => `%${sign.charCodeAt(0).toString(16)}`).join(''),
  (key: string) => key.replaceAll('_', '%255f'),
];

test('a key of any kind, written in any way, is in no row', async () => {
  await opened(async ({ requests }, opening) => {
    await requests.setParameters('acc', 'kept');
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...kinds),
        secret,
        fc.constantFrom(...encodings),
        fc.constantFrom('limit=1&api_key=', 'q=', ''),
        fc.nat({ max: 2_000 }),
        async (kind, random, encode, before, filled) => {
          const key = `dd_${kind}_${random}`;
          const sent = encode(key);
          const parameters = `${before}${sent}&x=${'y'.repeat(filled)}`;
          const late = `x=${'y'.repeat(filled)}&key=${sent}`;
          const requestId = encode === encodings[0] ? `trace-${key}` : 'sound';
          requests.note(answered('acc', { parameters, requestId }));
          requests.note(answered('acc', { parameters: late, code: 'INVALID_PARAMETER', status: 400 }));
          await requests.flush();
          const kept = (await everything(opening)).toLowerCase();
          for (const trace of [random, sent.slice(3), sent.slice(-9)]) {
            assert.ok(!kept.includes(trace.toLowerCase()), trace);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
