// Everything that lies in a depot is changed, one after the other: nothing of it is served.

import assert from 'node:assert/strict';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { before, test } from 'node:test';
import { DepotFault } from '../../src/depot/fault.ts';
import { makeKeys, readPrivateKey } from '../../src/depot/signature.ts';
import {
  type Context,
  keysIn,
  makeRelease,
  numbers,
  publishToFolder,
  storeOf,
  takeFrom,
  temporaryFolder,
} from './desk.ts';

const { privatePem, publicText } = makeKeys();
const signingKey = readPrivateKey(privatePem);

const ends: (() => void | Promise<void>)[] = [];
const forAll: Context = { after: (end) => void ends.push(end) };
let depot: string;
let home: string;
let keys: readonly string[];

before(async () => {
  const a = temporaryFolder(forAll);
  depot = temporaryFolder(forAll);
  home = temporaryFolder(forAll);
  await publishToFolder(depot, makeRelease(a, 1, { one: numbers(1), two: numbers(2) }), { signingKey });
  await takeFrom(depot, home, { publicKey: publicText });
  rmSync(path.join(depot, 'files'), { recursive: true });
  rmSync(path.join(depot, 'releases'), { recursive: true });
  await publishToFolder(depot, makeRelease(a, 2, { one: numbers(3), two: numbers(4) }), { signingKey });
  keys = keysIn(depot);
});
test.after(async () => {
  for (const end of ends) await end();
});

const changes: readonly { name: string; change: (bytes: Buffer) => Buffer | undefined }[] = [
  { name: 'its first byte changed', change: (bytes) => flipped(bytes, 0) },
  { name: 'a byte in its middle changed', change: (bytes) => flipped(bytes, bytes.length >> 1) },
  { name: 'its last byte changed', change: (bytes) => flipped(bytes, bytes.length - 1) },
  { name: 'its last byte missing', change: (bytes) => bytes.subarray(0, -1) },
  { name: 'a byte more', change: (bytes) => Buffer.concat([bytes, Buffer.from('x')]) },
  { name: 'empty', change: () => Buffer.alloc(0) },
  { name: 'missing', change: () => undefined },
];

function flipped(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
}

for (const { name, change } of changes) {
  test(`every file of a published release, ${name}: refused, and what was served stays`, async (t) => {
    assert.equal(keys.length, 6, 'a pointer, a list and four files');
    for (const key of keys) {
      const [tampered, own] = [temporaryFolder(t), temporaryFolder(t)];
      cpSync(depot, tampered, { recursive: true });
      cpSync(home, own, { recursive: true });
      const file = path.join(tampered, key);
      const bytes = change(readFileSync(file));
      if (bytes === undefined) rmSync(file);
      else writeFileSync(file, bytes);
      await assert.rejects(takeFrom(tampered, own, { publicKey: publicText }), DepotFault, key);
      const current = storeOf(own).openCurrent();
      assert.equal(current.id, 'release-0001', key);
      current.verify();
    }
  });
}

test('untouched, it is taken', async (t) => {
  const own = temporaryFolder(t);
  cpSync(home, own, { recursive: true });
  await takeFrom(depot, own, { publicKey: publicText });
  assert.equal(storeOf(own).currentId(), 'release-0002');
});
