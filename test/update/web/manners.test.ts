// How a publisher is treated: few transfers at a time, gaps between requests, and peace when it asks for it.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { dayMs, hourMs } from '../../../src/time.ts';
import type { Clock } from '../../../src/update/web/clock.ts';
import { Manners, retryAfterMs } from '../../../src/update/web/manners.ts';
import { address, desk, failureOf, host, linesOf, serve, startMs, testClock } from './publisher.ts';

const content = linesOf(5000);
const yearMs = 365 * dayMs;

test('a short wait that a host asks for is kept, in seconds or as a date, and the file comes', async (context) => {
  const date = (ms: number) => new Date(ms).toUTCString();
  for (const headers of [
    { 'retry-after': '42' },
    { 'retry-after': date(startMs + 42_000), date: date(startMs) },
    // Their clock is a year behind ours, or ahead of it.
    { 'retry-after': date(startMs - yearMs + 42_000), date: date(startMs - yearMs) },
    { 'retry-after': date(startMs + yearMs + 42_000), date: date(startMs + yearMs) },
  ]) {
    for (const status of [429, 503]) {
      const { web, order, clock, asked } = await desk(context, (question, response, nth) => {
        if (nth === 1) response.writeHead(status, headers).end();
        else serve(question, response, { content });
      });
      assert.equal((await web.download(order)).kind, 'fetched');
      assert.equal(asked.length, 2);
      assert.ok(clock.waited.includes(42_000), String(clock.waited));
    }
  }
});

test('a host that asks for an hour is left alone by this run and, told of it, by the next', async (context) => {
  const { web, order, clock, asked, reopen } = await desk(context, (question, response, nth) => {
    if (nth === 1) response.writeHead(503, { 'retry-after': '3600' }).end();
    else serve(question, response, { content });
  });
  const failure = await failureOf(web.download(order), 'told to wait');
  assert.equal(failure.host, host);
  assert.ok(failure.retryAt !== undefined);
  assert.ok(failure.retryAt >= startMs + hourMs && failure.retryAt <= clock.now() + hourMs);
  assert.match(failure.message, /files\.example\.org.*before 2026-09-01T01:00:0\dZ/);
  const json = { hosts: [host], mostBytes: 10_000, expects: 'json' } as const;
  assert.equal((await failureOf(web.readDocument(address, json), 'told to wait')).retryAt, failure.retryAt);
  const notBefore = new Map([[host, failure.retryAt]]);
  clock.set(failure.retryAt - 1);
  await failureOf(reopen({ notBefore }).download(order), 'told to wait');
  assert.equal(asked.length, 1);
  clock.set(failure.retryAt);
  assert.equal((await reopen({ notBefore }).download(order)).kind, 'fetched');
});

test('whatever a host asks for and whatever a clock says, nobody is kept away for longer than a day', async (context) => {
  const { web, order, clock, reopen } = await desk(context, (question, response, nth) => {
    if (nth > 1) serve(question, response, { content });
    else
      response
        .writeHead(503, { 'retry-after': new Date(startMs + 3 * yearMs).toUTCString(), date: '' })
        .end();
  });
  const failure = await failureOf(web.download(order), 'told to wait');
  assert.ok(failure.retryAt !== undefined && failure.retryAt <= clock.now() + dayMs);
  // What was written while the clock was a year ahead is not believed.
  const notBefore = new Map([[host, clock.now() + yearMs]]);
  assert.equal((await reopen({ notBefore }).download(order)).kind, 'fetched');
});

test('a clock that leaps by a year in the middle of things keeps nobody waiting', async (context) => {
  for (const leapMs of [yearMs, -yearMs]) {
    const { web, order, clock } = await desk(context, (question, response, nth) => {
      clock.set(clock.now() + leapMs);
      serve(question, response, { content, etag: '"a"', ...(nth < 4 ? { cutAt: 1000 * nth + 500 } : {}) });
    });
    assert.equal((await web.download(order)).kind, 'fetched');
    assert.ok(Math.max(...clock.waited) <= 60_000);
  }
});

test('any Retry-After is understood as a time from 0 to a day, or not at all', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.integer().map(String),
        fc.bigInt({ min: 0n }).map(String),
        fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
      ),
      fc.oneof(
        fc.constant(undefined),
        fc.string(),
        fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
      ),
      fc.integer({ min: 0, max: 4e12 }),
      (header, date, nowMs) => {
        const ms = retryAfterMs(header, date, nowMs);
        assert.ok(ms === undefined || (ms >= 0 && ms <= dayMs));
      },
    ),
  );
  assert.equal(retryAfterMs(undefined, undefined, 0), undefined);
  assert.equal(retryAfterMs('soon', undefined, 0), undefined);
  assert.equal(retryAfterMs('-5', undefined, 0), undefined);
  assert.equal(retryAfterMs('7', undefined, 0), 7000);
});

test('a host that refuses for no stated time is asked a few times, with growing pauses', async (context) => {
  for (const status of [429, 500, 502, 503]) {
    const { web, order, asked, clock } = await desk(context, (_, response) => {
      response.writeHead(status, { 'retry-after': 'soon' }).end();
    });
    assert.equal((await failureOf(web.download(order), 'refused by status')).status, status);
    assert.equal(asked.length, 6);
    assert.deepEqual(
      clock.waited.filter((ms) => ms > 100),
      [750, 1500, 3000, 6000, 12_000],
    );
  }
});

test('no more than so many transfers at a time, of a host and in all; all of them end', async (context) => {
  const hosts = ['a.example', 'b.example', 'c.example', 'shy.example'];
  const held: (() => void)[] = [];
  const answerSoon = async () => {
    for (let turns = 0; turns < 50; turns += 1) await turn();
    for (const answer of held.splice(0)) answer();
  };
  const under = new Map<string, number>();
  const most = new Map<string, number>();
  const count = (name: string, by: number) => {
    const now = (under.get(name) ?? 0) + by;
    under.set(name, now);
    most.set(name, Math.max(most.get(name) ?? 0, now));
  };
  const { web, order } = await desk(
    context,
    (question, response, nth) => {
      const name = question.url.split('/')[2] ?? '';
      for (const each of [name, 'all']) count(each, 1);
      // Held until four have come, and a little longer, so that a fifth would be seen.
      held.push(() => {
        // Counted as over before its last byte goes, so that the next cannot come sooner.
        for (const each of [name, 'all']) count(each, -1);
        serve(question, response, { content });
      });
      if (nth >= 4) void answerSoon();
    },
    { limits: { fewerFor: { 'shy.example': 1 } } },
  );
  const files = hosts.flatMap((name) =>
    Array.from({ length: 8 }, (_, at) => ({ name, file: `${name}-${at}` })),
  );
  const outcomes = await Promise.all(
    files.map(({ name, file }) =>
      web.download({ ...order, hosts, fileName: file, address: `https://${name}/${file}` }),
    ),
  );
  assert.equal(outcomes.length, 32);
  assert.equal(most.get('all'), 4);
  assert.deepEqual(
    hosts.filter((name) => (most.get(name) ?? 9) > (name === 'shy.example' ? 1 : 2)),
    [],
  );
});

test('between two requests to a host there is a gap, also after a redirect and for documents', async (context) => {
  const passed: ((value?: unknown) => void)[] = [];
  const { clock, reopen, asked } = await desk(context, (_, response, nth) => {
    if (nth === 1) response.writeHead(302, { location: `https://${host}/b` }).end();
    else response.end('{}');
  });
  const gapMs = 123;
  const slow: Clock = {
    ...clock,
    wait: (ms, signal) => {
      if (ms !== gapMs) return clock.wait(ms, signal);
      const { promise, resolve } = Promise.withResolvers<void>();
      passed.push(() => resolve());
      return promise;
    },
  };
  const web = reopen({ clock: slow, limits: { gapMs } });
  const others = Array.from({ length: 9 }, (_, at) => `other-${at}.example`);
  const bounds = { hosts: [host, ...others], mostBytes: 100, expects: 'json' } as const;
  const first = web.readDocument(`https://${host}/a`, bounds);
  while (asked.length === 0) await turn();
  // While others come and go, what the redirect leads to waits for the gap.
  for (const other of others) await web.readDocument(`https://${other}/`, bounds);
  assert.deepEqual(
    asked.map(({ url }) => url).filter((url) => url.includes(host)),
    [`/mirror/${host}/a`],
  );
  for (const pass of passed.splice(0)) pass();
  await first;
  assert.equal(asked.at(-1)?.url, `/mirror/${host}/b`);
});

test('a signal stops those that wait for their turn too, and gives their turns back', async (context) => {
  const begun = Promise.withResolvers<void>();
  let isStopped = false;
  const { web, order, asked } = await desk(context, (question, response, nth) => {
    if (nth === 2) begun.resolve();
    if (isStopped) serve(question, response, { content });
  });
  const stop = new AbortController();
  const fetching = Array.from({ length: 6 }, (_, at) =>
    failureOf(web.download({ ...order, fileName: `${at}.csv`, signal: stop.signal }), 'stopped'),
  );
  await begun.promise;
  isStopped = true;
  stop.abort();
  await Promise.all(fetching);
  assert.equal(asked.length, 2);
  await failureOf(web.download({ ...order, signal: stop.signal }), 'stopped');
  assert.equal((await web.download(order)).kind, 'fetched');
});

test('whoever is stopped in the moment of being let go gives the turn back', async () => {
  const limits = { transfersPerHost: 1, transfersInAll: 1, gapMs: 0, fewerFor: {} };
  const manners = new Manners(limits, testClock(), new Map(), new AbortController().signal);
  const stop = new AbortController();
  const taking = failureOf(manners.take(host, stop.signal), 'stopped');
  stop.abort();
  await taking;
  const end = await manners.take(host, new AbortController().signal);
  // Ending twice gives one turn back, not two.
  end();
  end();
  await manners.take(host, new AbortController().signal);
  const late = new AbortController();
  const waiting = failureOf(manners.take(host, late.signal), 'stopped');
  await turn();
  late.abort();
  await waiting;
});

test('once stopped and closed, nothing is waited for any more', async (context) => {
  const left = new Set<number>();
  const refused = Promise.withResolvers<void>();
  const { clock, reopen, order } = await desk(context, (_, response) => {
    response.writeHead(429, { 'retry-after': '42' }).end();
  });
  const stop = new AbortController();
  const patient: Clock = {
    ...clock,
    wait: async (ms, signal) => {
      assert.ok(signal !== undefined, `${ms} cannot be ended`);
      if (ms === 42_000) refused.resolve();
      if (ms === 100) return;
      left.add(ms);
      if (!signal.aborted) await once(signal, 'abort');
      left.delete(ms);
    },
  };
  const web = reopen({ clock: patient });
  const fetching = failureOf(web.download({ ...order, signal: stop.signal }), 'stopped');
  await refused.promise;
  stop.abort();
  await fetching;
  web.close();
  await turn();
  assert.deepEqual([...left], []);
});
