// With a public key a replica takes what is signed by it alone; an old signature is of no use to anybody.

import assert from 'node:assert/strict';
import { sign } from 'node:crypto';
import { cpSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { parsePointer, pointerLine, pointerText } from '../../src/depot/format.ts';
import { makeKeys, readPrivateKey, readPublicKeys, signLine } from '../../src/depot/signature.ts';
import { runDomesday } from '../rig.ts';
import { makeRelease, numbers, publishToFolder, storeOf, takeFrom, temporaryFolder } from './desk.ts';

const [ours, theirs] = [makeKeys(), makeKeys()];
const signingKey = readPrivateKey(ours.privatePem) ?? assert.fail();
const unsigned = { kind: 'unsigned' };

test('signed by the key it is taken; by another, or not at all, it is not', async (t) => {
  const [a, b, depot] = [temporaryFolder(t), temporaryFolder(t), temporaryFolder(t)];
  const release = makeRelease(a, 1, { one: numbers(1) });
  await publishToFolder(depot, release);
  const publicKey = ours.publicText;
  await assert.rejects(takeFrom(depot, b, { publicKey }), unsigned);
  await publishToFolder(depot, release, { signingKey: readPrivateKey(theirs.privatePem) });
  await assert.rejects(takeFrom(depot, b, { publicKey }), unsigned);
  assert.equal(storeOf(b).currentId(), undefined);
  await publishToFolder(depot, release, { signingKey });
  await takeFrom(depot, b, { publicKey });
  assert.equal(storeOf(b).currentId(), release.id);
});

test('while a key is replaced, either will do', async (t) => {
  const [a, depot] = [temporaryFolder(t), temporaryFolder(t)];
  const publicKey = `${theirs.publicText}, ${ours.publicText}`;
  for (const [at, pair] of [ours, theirs].entries()) {
    const release = makeRelease(a, at + 1, { one: numbers(at) });
    await publishToFolder(depot, release, { signingKey: readPrivateKey(pair.privatePem) });
    await takeFrom(depot, temporaryFolder(t), { publicKey });
  }
});

test('an old signed pointer is refused, and with a higher sequence its signature does not fit', async (t) => {
  const [a, b, depot] = [temporaryFolder(t), temporaryFolder(t), temporaryFolder(t)];
  const publicKey = ours.publicText;
  await publishToFolder(depot, makeRelease(a, 1, { one: numbers(1) }), { signingKey });
  const old = readFileSync(path.join(depot, 'newest'), 'utf8');
  await publishToFolder(depot, makeRelease(a, 2, { one: numbers(2) }), { signingKey });
  await takeFrom(depot, b, { publicKey });
  writeFileSync(path.join(depot, 'newest'), old);
  await assert.rejects(takeFrom(depot, b, { publicKey }), { kind: 'older' });
  const { pointer, signature } = parsePointer(old);
  const line = pointerLine({ ...pointer, sequence: pointer.sequence + 1000 });
  cpSync(
    path.join(depot, `releases/${pointer.sequence}-${pointer.release}.json`),
    path.join(depot, `releases/${pointer.sequence + 1000}-${pointer.release}.json`),
  );
  writeFileSync(path.join(depot, 'newest'), pointerText(line, signature));
  await assert.rejects(takeFrom(depot, b, { publicKey }), unsigned);
  assert.equal(storeOf(b).currentId(), 'release-0002');
});

test('a signature of the same words for another purpose is none', async (t) => {
  const [a, depot] = [temporaryFolder(t), temporaryFolder(t)];
  await publishToFolder(depot, makeRelease(a, 1, { one: numbers(1) }), { signingKey });
  const { line } = parsePointer(readFileSync(path.join(depot, 'newest'), 'utf8'));
  const bare = sign(null, Buffer.from(line), signingKey).toString('base64');
  assert.notEqual(bare, signLine(line, signingKey));
  writeFileSync(path.join(depot, 'newest'), pointerText(line, bare));
  await assert.rejects(takeFrom(depot, temporaryFolder(t), { publicKey: ours.publicText }), unsigned);
});

test('keygen writes a key of the owner alone, prints the public half, and overwrites nothing', async (t) => {
  const file = path.join(temporaryFolder(t), 'signing.pem');
  const { code, out } = await runDomesday(['releases', 'keygen', file]);
  assert.equal(code, 0);
  const [, publicKey = ''] = /^DOMESDAY_RELEASE_PUBLIC_KEY=(\S+)$/m.exec(out) ?? [];
  assert.equal(readPublicKeys(publicKey)?.length, 1);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const pem = readFileSync(file, 'utf8');
  assert.ok(!out.includes('PRIVATE'));
  const again = await runDomesday(['releases', 'keygen', file]);
  assert.equal(again.code, 1);
  assert.equal(readFileSync(file, 'utf8'), pem);
});
