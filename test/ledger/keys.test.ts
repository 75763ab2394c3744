// The form of API keys: what is refused without a look-up, and what a key gives away.

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { hashKey, isSameHash, makeId, makeKey, parseKey, readSentKey } from '../../src/ledger/keys.ts';
import type { Mode } from '../../src/ledger/ledger.ts';
import { anyString } from '../any-string.ts';

const modes: readonly Mode[] = ['live', 'test'];
const anyKey = fc
  .tuple(fc.constantFrom(...modes), fc.uint8Array({ minLength: 18, maxLength: 18 }))
  .map(([mode, bytes]) => makeKey(mode, () => bytes));

describe('keys', () => {
  it('a made key parses to its mode', () => {
    for (const mode of modes) {
      const key = makeKey(mode, randomBytes);
      assert.match(key, new RegExp(`^dd_${mode}_[0-9A-Za-z]{31}$`));
      assert.deepEqual(parseKey(key), { kind: 'key', mode, key });
    }
  });

  it('a key carries every bit of at least 128 random ones', () => {
    const asked: number[] = [];
    makeKey('live', (size) => {
      asked.push(size);
      return randomBytes(size);
    });
    assert.ok((asked[0] ?? 0) >= 16);
    fc.assert(
      fc.property(fc.nat(17), fc.nat(7), (byte, bit) => {
        const bytes = Buffer.alloc(18, 0xff);
        const flipped = Buffer.from(bytes);
        flipped.writeUInt8(0xff ^ (1 << bit), byte);
        assert.notEqual(
          makeKey('live', () => bytes),
          makeKey('live', () => flipped),
        );
      }),
    );
  });

  it('one mistyped or two swapped characters are refused', () => {
    fc.assert(
      fc.property(anyKey, fc.nat(38), fc.constantFrom(...'0aZz9_é '), (key, at, typed) => {
        const mistyped = key.slice(0, at) + typed + key.slice(at + 1);
        if (mistyped !== key) assert.deepEqual(parseKey(mistyped), { kind: 'malformed' });
        const swapped = key.slice(0, at) + key.slice(at + 1, at + 2) + key.charAt(at) + key.slice(at + 2);
        if (swapped !== key) assert.deepEqual(parseKey(swapped), { kind: 'malformed' });
      }),
    );
  });

  it('anything that is not a key is refused, whatever it holds', () => {
    fc.assert(fc.property(anyString(), (text) => parseKey(text).kind === 'malformed'));
    const key = makeKey('live', randomBytes);
    for (const text of [
      '',
      `${key}\n`,
      ` ${key}`,
      key.toUpperCase(),
      key.slice(0, -1),
      `${key}0`,
      key.repeat(9),
    ]) {
      assert.deepEqual(parseKey(text), { kind: 'malformed' });
    }
  });

  it('a live key cannot be turned into a test key by its prefix', () => {
    const key = makeKey('live', randomBytes);
    assert.deepEqual(parseKey(key.replace('live', 'test')), { kind: 'malformed' });
  });

  it('a key that was sent says by its form whether a page or a customer has it', () => {
    for (const [kind, madeFor] of [
      ['web', 'our page'],
      ['publishable', 'a customer'],
      ['live', 'a customer'],
    ] as const) {
      const key = makeKey(kind, randomBytes);
      assert.deepEqual(readSentKey(key), { hash: hashKey(key), madeFor });
    }
    assert.equal(readSentKey(`${makeKey('web', randomBytes)}0`), undefined);
  });

  it('the hash is SHA-256, and hashes are equal only to themselves', () => {
    const key = makeKey('live', randomBytes);
    const hash = hashKey(key);
    assert.equal(hash, createHash('sha256').update(key).digest('hex'));
    assert.equal(isSameHash(hash, hash), true);
    assert.equal(isSameHash(hash, hashKey(`${key}0`)), false);
    assert.equal(isSameHash(hash, hash.slice(1)), false);
  });

  it('ids say what they are of', () => {
    assert.match(makeId('acc', randomBytes), /^acc_[0-9A-Za-z]{14}$/);
    assert.match(makeId('key', randomBytes), /^key_[0-9A-Za-z]{14}$/);
  });
});
