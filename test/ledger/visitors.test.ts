// What is kept in memory of hosts and of keys of pages: enough to hold limits, never without end.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Visitors } from '../../src/ledger/public-sandbox.ts';
import { RememberedKeys } from '../../src/ledger/visitors/remembered-keys.ts';
import { dayMs, minuteMs } from '../../src/time.ts';
import { startMs } from './bench.ts';

const visitor = (host: string | number) => ({ host: `host ${host}`, from: 'elsewhere' }) as const;

const usedToday = (visitors: Visitors, host: string | number, atMs = startMs) =>
  visitors.windowsOf(visitor(host), atMs).find(({ window }) => window === 'day')?.used;

test('a host that has had its minute is limited until the next one, and no other host is', () => {
  const visitors = new Visitors();
  const kinds = Array.from({ length: 12 }, () => visitors.admit(visitor('a'), startMs).kind);
  assert.deepEqual(kinds, [...Array.from({ length: 10 }, () => 'admitted'), 'limited', 'limited']);
  assert.equal(visitors.admit(visitor('b'), startMs).kind, 'admitted');
  assert.equal(visitors.admit(visitor('a'), startMs + minuteMs).kind, 'admitted');
});

test('a host keeps its count while 25,000 others call, and begins anew after twice as many', () => {
  const visitors = new Visitors();
  const callFrom = (first: number, hosts: number) => {
    for (let host = first; host < first + hosts; host += 1) visitors.admit(visitor(host), startMs);
  };
  visitors.admit(visitor('rare'), startMs);
  visitors.admit(visitor('regular'), startMs);
  callFrom(0, 25_000);
  assert.equal(usedToday(visitors, 'rare'), 1, 'of the older generation');
  visitors.admit(visitor('regular'), startMs);
  callFrom(25_000, 25_000);
  assert.equal(usedToday(visitors, 'regular'), 2);
  assert.equal(usedToday(visitors, 'rare'), 0);
});

test('a call of the day before that comes late begins nothing anew', () => {
  const visitors = new Visitors();
  const midnightMs = startMs - (startMs % dayMs) + dayMs;
  for (const atMs of [midnightMs, midnightMs - 1, midnightMs]) visitors.admit(visitor('a'), atMs);
  assert.equal(usedToday(visitors, 'a', midnightMs), 2);
});

test('what is known of a key is asked once in ten seconds, and of 1,000 keys at most', async () => {
  const asked: string[] = [];
  const keys = new RememberedKeys(async (keyHash) => {
    asked.push(keyHash);
    return keyHash;
  });
  const asksFor = async (keyHash: string, atMs: number) => {
    const before = asked.length;
    assert.equal(await keys.find(keyHash, atMs), keyHash);
    return asked.length - before;
  };
  assert.equal(await asksFor('first', startMs), 1);
  assert.equal(await asksFor('first', startMs + 9_999), 0);
  for (let key = 1; key < 1_000; key += 1) await asksFor(`key ${key}`, startMs);
  assert.equal(await asksFor('first', startMs), 0);
  await asksFor('one more', startMs);
  assert.equal(await asksFor('first', startMs), 1, 'the oldest gave way');
  assert.equal(await asksFor('one more', startMs), 0);
  assert.equal(await asksFor('one more', startMs + minuteMs), 1);
});
