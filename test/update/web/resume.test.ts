// A file comes whole and unmixed, wherever connections break and whatever the server does with a question for the rest.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Outcome } from '../../../src/update/web/download.ts';
import { TransferFailed } from '../../../src/update/web/failure.ts';
import { address, type Desk, desk, failureOf, linesOf, type Served, serve, stallMs } from './publisher.ts';

const content = linesOf(200_000);
const other = linesOf(200_000, 2);
const etag = '"one"';
const lastModified = 'Tue, 01 Sep 2026 09:00:00 GMT';
const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

test('a connection that is cut at any tenth of a file is gone on with at that byte', async (context) => {
  for (let tenth = 0; tenth < 10; tenth += 1) {
    const cutAt = (content.byteLength / 10) * tenth;
    const { web, order, asked, files } = await desk(context, (question, response, nth) =>
      serve(question, response, { content, etag, ...(nth === 1 ? { cutAt } : {}) }),
    );
    const outcome = await web.download(order);
    assert.ok(outcome.kind === 'fetched');
    assert.ok(readFileSync(outcome.file).equals(content));
    assert.equal(outcome.sha256, sha256Of(content));
    assert.equal(outcome.bytes, content.byteLength);
    assert.deepEqual(outcome.validators, { etag });
    assert.deepEqual(files(), ['all.csv']);
    assert.equal(asked.length, 2);
    const { range, 'if-range': ifRange } = asked[1]?.headers ?? {};
    if (tenth > 0) {
      assert.equal(ifRange, etag);
      assert.equal(range, `bytes=${cutAt}-`);
    }
  }
});

/** A run that is stopped at the first break. */
async function untilBreak({
  clock,
  reopen,
  order,
}: Pick<Desk, 'clock' | 'reopen' | 'order'>): Promise<Outcome | 'broken'> {
  const stop = new AbortController();
  const limits = { gapMs: 0 };
  const stopping = {
    ...clock,
    wait: async (ms: number, signal?: AbortSignal) => {
      if (ms === 0) return;
      if (ms === stallMs) await clock.wait(ms, signal);
      else stop.abort();
    },
  };
  const fetching = reopen({ clock: stopping, limits }).download({ ...order, signal: stop.signal });
  return await fetching.catch((error: unknown) => {
    if (error instanceof TransferFailed && error.kind === 'stopped') return 'broken' as const;
    throw error;
  });
}

async function inRuns(bench: Desk): Promise<Outcome> {
  for (;;) {
    const outcome = await untilBreak(bench);
    if (outcome !== 'broken') return outcome;
  }
}

test('whatever breaks, with whatever validators and in whatever chunks: byte-equal, or not taken', async (context) => {
  let served: readonly Served[] = [];
  let chunk = 1;
  let answered = 0;
  const bench = await desk(context, (question, response) => {
    const now = served[Math.min(answered, served.length - 1)];
    answered += 1;
    assert.ok(now !== undefined);
    const { write } = response;
    // Many small writes instead of one.
    response.write = (bytes: unknown, ...rest: unknown[]) => {
      const done = rest.find((each) => typeof each === 'function');
      if (!(bytes instanceof Uint8Array)) return Reflect.apply(write, response, [bytes, ...rest]);
      for (let at = chunk; at < bytes.byteLength; at += chunk)
        Reflect.apply(write, response, [bytes.subarray(at - chunk, at)]);
      const left = bytes.subarray(Math.floor((bytes.byteLength - 1) / chunk) * chunk);
      return Reflect.apply(write, response, done === undefined ? [left] : [left, done]);
    };
    serve(question, response, now);
  });
  const answers = fc.record(
    {
      content: fc.constantFrom(content, content, other),
      cutAt: fc.integer({ min: 0, max: content.byteLength }),
      etag: fc.constantFrom('"one"', '"two"', 'W/"one"'),
      lastModified: fc.constantFrom(lastModified, 'Wed, 02 Sep 2026 09:00:00 GMT'),
      ranges: fc.constantFrom('given' as const, 'ignored' as const),
      length: fc.constantFrom('told' as const, 'untold' as const),
    },
    { requiredKeys: ['content', 'cutAt'] },
  );
  // A version has its own validators: whoever gives two files the same cannot be resumed from.
  const truthful = (each: Served): Served => {
    const isOne = each.content === content;
    return {
      ...each,
      ...(each.etag === undefined
        ? {}
        : { etag: each.etag.startsWith('W/') ? 'W/"x"' : isOne ? '"one"' : '"two"' }),
      ...(each.lastModified === undefined
        ? {}
        : { lastModified: isOne ? lastModified : 'Wed, 02 Sep 2026 09:00:00 GMT' }),
    };
  };
  await fc.assert(
    fc.asyncProperty(
      fc.array(answers, { maxLength: 4 }),
      fc.constantFrom(997, 16_384, 65_536, 1e9),
      fc.constantFrom('one run' as const, 'a run each' as const),
      async (broken, chunkBytes, runs) => {
        chunk = chunkBytes;
        answered = 0;
        served = [...broken.map(truthful), { content, etag, lastModified }];
        const fetching = runs === 'one run' ? bench.web.download(bench.order) : inRuns(bench);
        const outcome = await fetching.catch((error: unknown) => {
          if (error instanceof TransferFailed && error.kind === 'changed while fetched')
            return 'not taken' as const;
          throw error;
        });
        if (outcome === 'not taken') {
          // To be another file twice takes two answers each time.
          assert.ok(served.length >= 4);
          assert.ok(!bench.files().some((name) => name.includes('.part')));
          return;
        }
        assert.ok(outcome.kind === 'fetched');
        const taken = readFileSync(outcome.file);
        assert.equal(outcome.sha256, sha256Of(taken));
        assert.ok([content, other].some((whole) => whole.equals(taken)));
      },
    ),
    { numRuns: 60 },
  );
});

test('a run that was stopped is gone on with by the next, from the beginning of the address', async (context) => {
  const stop = new AbortController();
  const { web, order, asked, reopen, files } = await desk(context, (question, response, nth) => {
    if (question.url.includes('signed')) serve(question, response, { content, etag });
    else if (nth === 1)
      response
        .writeHead(200, { etag, 'content-length': content.byteLength })
        .write(content.subarray(0, 90_000));
    else response.writeHead(302, { location: `${address}?signed=${nth}` }).end();
  });
  const onProgress = (bytes: number) => {
    if (bytes >= 80_000) stop.abort();
  };
  await failureOf(web.download({ ...order, signal: stop.signal, onProgress }), 'stopped');
  assert.deepEqual(files(), ['all.csv.part', 'all.csv.part.json']);
  const outcome = await reopen().download(order);
  assert.ok(outcome.kind === 'fetched' && readFileSync(outcome.file).equals(content));
  assert.deepEqual(
    asked.map(({ url }) => url.replace('/mirror/files.example.org', '')),
    ['/prices/all.csv', '/prices/all.csv', '/prices/all.csv?signed=2'],
  );
  assert.ok(Number(/\d+/.exec(asked[2]?.headers.range ?? '')?.[0]) >= 80_000);
  assert.deepEqual(files(), ['all.csv']);
});

/** A run that gets half of the first version; the next meets what the server has become. */
async function halfThen(context: Parameters<typeof desk>[0], first: Served, then: Served): Promise<Desk> {
  const bench = await desk(context, (question, response, nth) =>
    serve(question, response, nth === 1 ? { ...first, cutAt: 100_000 } : then),
  );
  assert.equal(await untilBreak(bench), 'broken');
  return bench;
}

test('a file that changed between two runs is fetched anew, by whatever the change is told', async (context) => {
  const before = { content, etag, lastModified };
  for (const then of [
    { content: other, etag: '"two"', lastModified },
    { content: other, etag: '"two"', lastModified, ranges: 'ignored' as const },
    { content: other, etag: 'W/"one"', lastModified: 'Wed, 02 Sep 2026 09:00:00 GMT' },
    { content: linesOf(50_000, 3), etag: '"three"' },
    { content: other },
  ]) {
    const { order, reopen } = await halfThen(context, before, then);
    const outcome = await reopen().download(order);
    assert.ok(outcome.kind === 'fetched');
    assert.ok(readFileSync(outcome.file).equals(then.content));
  }
});

test('a weak ETag is never gone on by: its time is, or else nothing', async (context) => {
  const weak = { content, etag: 'W/"one"' };
  const first = await halfThen(context, { ...weak, lastModified }, { ...weak, lastModified });
  await first.reopen().download(first.order);
  assert.equal(first.asked[1]?.headers['if-range'], lastModified);
  for (const none of [weak, { content }]) {
    const second = await halfThen(context, none, { ...none, content: other });
    const outcome = await second.reopen().download(second.order);
    assert.equal(second.asked[1]?.headers.range, undefined);
    assert.ok(outcome.kind === 'fetched' && readFileSync(outcome.file).equals(other));
  }
});

test('a partial answer of another place, version or length, or none (416), is begun anew once, then refused', async (context) => {
  const rest = (start: number, total: number, tag = etag) => ({
    etag: tag,
    'content-range': `bytes ${start}-${total - 1}/${total}`,
  });
  for (const [status, headers] of [
    [206, rest(50_000, 200_000)],
    [206, rest(100_000, 200_001)],
    [206, rest(100_000, 200_000, '"two"')],
    [206, { etag }],
    [206, { etag, 'content-range': 'bytes 100000-150000/200000' }],
    [206, { etag, 'content-range': 'bytes 100000-150000/*' }],
    [206, { etag, 'content-range': 'bytes 100000-199999/200001' }],
    [416, {}],
  ] as const) {
    for (const mends of ['at once', 'never'] as const) {
      const bench = await desk(context, (question, response, nth) => {
        if (question.headers.range === undefined) {
          const isBroken = nth === 1 || mends === 'never';
          serve(question, response, { content, etag, ...(isBroken ? { cutAt: 100_000 } : {}) });
        } else response.writeHead(status, headers).end();
      });
      const fetching = bench.web.download(bench.order);
      if (mends === 'never') {
        await failureOf(fetching, 'changed while fetched');
        assert.equal(bench.asked.length, 4);
        assert.deepEqual(bench.files(), []);
      } else {
        const outcome = await fetching;
        assert.ok(outcome.kind === 'fetched' && readFileSync(outcome.file).equals(content));
      }
    }
  }
});

test('a part of another length than the index now says is begun anew', async (context) => {
  const now = linesOf(300_000, 4);
  for (const isHonest of ['yes', 'no'] as const) {
    const then = { content: now, etag: isHonest === 'yes' ? '"two"' : etag };
    const { order, reopen, asked } = await halfThen(context, { content, etag }, then);
    const outcome = await reopen().download({ ...order, bytes: now.byteLength });
    assert.equal(asked[1]?.headers.range, undefined);
    assert.ok(outcome.kind === 'fetched' && readFileSync(outcome.file).equals(now));
  }
});

test('a part of one address is not gone on with from another', async (context) => {
  const { reopen, order, asked, clock, web } = await desk(context, (question, response, nth) =>
    serve(question, response, {
      content: question.url.endsWith('/next.csv') ? other : content,
      etag,
      ...(nth === 1 ? { cutAt: 100_000 } : {}),
    }),
  );
  assert.equal(await untilBreak({ reopen, order, clock }), 'broken');
  const outcome = await web.download({ ...order, address: address.replace('all', 'next') });
  assert.equal(asked[1]?.headers.range, undefined);
  assert.ok(outcome.kind === 'fetched' && readFileSync(outcome.file).equals(other));
});

test('where no length was told, a partial answer must tell it', async (context) => {
  const untold = { content, etag, length: 'untold' } as const;
  for (const [contentRange, isTaken] of [
    ['bytes 100000-199999/200000', true],
    ['bytes 100000-199999/*', false],
  ] as const) {
    const { web, order, asked } = await desk(context, (question, response, nth) => {
      if (question.headers.range === undefined)
        serve(question, response, { ...untold, ...(nth === 1 ? { cutAt: 100_000 } : {}) });
      else response.writeHead(206, { etag, 'content-range': contentRange }).end(content.subarray(100_000));
    });
    const outcome = await web.download(order);
    assert.ok(outcome.kind === 'fetched' && readFileSync(outcome.file).equals(content));
    assert.equal(asked.length, isTaken ? 2 : 3);
  }
});

test('a part that is not what its note says is not built upon', async (context) => {
  const spoil: readonly ((part: string) => void)[] = [
    (part) => writeFileSync(part, Buffer.alloc(100_000)),
    (part) => writeFileSync(part, ''),
    (part) => writeFileSync(`${part}.json`, '{"address":'),
    (part) => writeFileSync(`${part}.json`, '{}'),
    (part) => writeFileSync(`${part}.json`, readFileSync(`${part}.json`, 'utf8').replace('prices', 'others')),
    // Behind what was made safe, anything may lie after a power cut.
    (part) => appendFileSync(part, Buffer.alloc(300_000, 'x')),
  ];
  for (const damage of spoil) {
    const { folder, order, reopen, files } = await halfThen(context, { content, etag }, { content, etag });
    damage(path.join(folder, 'all.csv.part'));
    writeFileSync(path.join(folder, 'all.csv.part.json.left-by-a-kill'), '');
    const outcome = await reopen().download(order);
    assert.ok(outcome.kind === 'fetched' && readFileSync(outcome.file).equals(content));
    assert.deepEqual(files(), ['all.csv']);
  }
});

test('a transfer that drips or is silent is ended and gone on with; silence before the answer too', async (context) => {
  const half = Promise.withResolvers<ServerResponse>();
  const second = Promise.withResolvers<void>();
  const dripped = Promise.withResolvers<void>();
  let answer: ServerResponse | undefined;
  const bench = await desk(context, (question, response, nth) => {
    if (nth === 1) {
      response.writeHead(200, { etag, 'content-length': content.byteLength });
      response.write(content.subarray(0, 100_000));
      answer = response;
    }
    // The second question is never answered at all.
    else if (nth === 2) second.resolve();
    else serve(question, response, { content, etag });
  });
  const fetching = bench.web.download({
    ...bench.order,
    onProgress: (bytes) => {
      if (bytes === 100_000 && answer !== undefined) half.resolve(answer);
      if (bytes === 100_010) dripped.resolve();
    },
  });
  const first = await half.promise;
  // While this passed there were bytes enough; while the next, ten.
  await bench.clock.pass(stallMs);
  first.write(content.subarray(100_000, 100_010));
  await dripped.promise;
  await bench.clock.pass(stallMs);
  await second.promise;
  await bench.clock.pass(stallMs);
  const outcome = await fetching;
  assert.ok(outcome.kind === 'fetched' && readFileSync(outcome.file).equals(content));
  assert.deepEqual(
    bench.asked.map(({ headers }) => headers.range),
    [undefined, 'bytes=100010-', 'bytes=100010-'],
  );
});

test('a server that breaks or stalls every time is given up, and what came is kept', async (context) => {
  const bench = await desk(context, (question, response, nth) =>
    serve(question, response, { content, etag, cutAt: 70_000 + nth }),
  );
  const failure = await failureOf(bench.web.download(bench.order), 'cut off');
  assert.match(failure.message, /run it again/);
  assert.equal(bench.asked.length, 6);
  // Growing, with chance in them.
  assert.deepEqual(
    bench.clock.waited.filter((ms) => ms > 100),
    [750, 1500, 3000, 6000, 12_000],
  );
  assert.deepEqual(bench.files(), ['all.csv.part', 'all.csv.part.json']);
});
