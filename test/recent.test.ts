// What was asked for lately stays, and no more than twice the most is kept.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Recent } from '../src/recent.ts';

const most = 4;

test('whatever was set or found among the last keys in use is found, as it was set last', () => {
  const step = fc.record({ key: fc.nat(11), what: fc.constantFrom('set', 'get', 'delete') });
  fc.assert(
    fc.property(fc.array(step, { minLength: 40, maxLength: 80 }), (steps) => {
      const recent = new Recent<number, number>(most);
      const all = new Map<number, number>();
      /** The newest use last. */
      const used = new Set<number>();
      for (const [at, { key, what }] of steps.entries()) {
        const found = recent.get(key);
        const isKept = [...used].slice(-most).includes(key);
        assert.equal(found, isKept || found !== undefined ? all.get(key) : undefined);
        if (found !== undefined || what === 'set') {
          used.delete(key);
          used.add(key);
        }
        if (what === 'set') {
          recent.set(key, at);
          all.set(key, at);
        } else if (what === 'delete') {
          recent.delete(key);
          all.delete(key);
        }
      }
    }),
  );
});

test('of many keys no more than twice the most are kept', () => {
  const recent = new Recent<number, number>(most);
  for (let key = 0; key < 100; key += 1) recent.set(key, key);
  const kept = Array.from({ length: 100 }, (_, key) => recent.get(99 - key)).filter(
    (value) => value !== undefined,
  );
  assert.ok(kept.length >= most && kept.length <= 2 * most, String(kept));
});

test('nothing is found after everything was taken away', () => {
  const recent = new Recent<string, number>(most);
  recent.set('a', 1);
  recent.clear();
  assert.equal(recent.get('a'), undefined);
});
