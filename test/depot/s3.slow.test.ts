// Publishing to a real S3-compatible store and fetching from it, by the commands.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { clearOut } from '../../src/depot/publish.ts';
import { readBucket } from '../../src/depot/s3-address.ts';
import { s3Target } from '../../src/depot/s3-target.ts';
import { systemClock } from '../../src/update/web/clock.ts';
import { runDomesday } from '../rig.ts';
import {
  bytesOf,
  type Context,
  makeRelease,
  numbers,
  publishTo,
  storeOf,
  takeFrom,
  temporaryFolder,
} from './desk.ts';

const program = path.join(import.meta.dirname, 's3-process.ts');

async function openStore(context: Context) {
  const args = ['--openssl-legacy-provider', program, temporaryFolder(context)];
  const store = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(store, 'close');
  context.after(async () => {
    store.kill();
    await ended;
  });
  const [told] = await once(store.stdout.setEncoding('utf8'), 'data');
  const port = Number(told);
  const env = {
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: 'S3RVER',
    AWS_REGION: 'eu-west-2',
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
  };
  const address = 's3://releases/some/where';
  return { env, address, target: s3Target(address, readBucket(address, env), systemClock) };
}

test('the commands publish to a bucket and fetch from it; a second release moves what changed alone', async (t) => {
  const { env, address } = await openStore(t);
  const [a, b] = [temporaryFolder(t), temporaryFolder(t)];
  makeRelease(a, 1, { kept: numbers(1, 50_000), changed: numbers(2) });
  const first = await runDomesday(['releases', 'publish', address, '--home', a, '--json'], env);
  assert.equal(first.code, 0, first.err);
  assert.equal(JSON.parse(first.out).files, 4);
  const fetched = await runDomesday(['releases', 'fetch', '--from', address, '--home', b, '--json'], env);
  assert.equal(fetched.code, 0, fetched.err);
  const second = makeRelease(a, 2, { kept: numbers(1, 50_000), changed: numbers(3) });
  const next = await runDomesday(['releases', 'publish', address, '--home', a, '--json'], env);
  assert.deepEqual([next.code, JSON.parse(next.out).files], [0, 3]);
  const again = await runDomesday(['releases', 'fetch', '--from', address, '--home', b, '--json'], env);
  assert.deepEqual([again.code, JSON.parse(again.out).files], [0, 3]);
  assert.deepEqual(bytesOf(storeOf(b).openCurrent()), bytesOf(second));
});

test('wrong credentials, a wrong bucket and no credentials are told, and nothing is changed', async (t) => {
  const { env, address } = await openStore(t);
  const a = temporaryFolder(t);
  makeRelease(a, 1, { one: numbers(1) });
  const publish = (to: string, more: Record<string, string>) =>
    runDomesday(['releases', 'publish', to, '--home', a], { ...env, ...more });
  const wrong = await publish(address, { AWS_SECRET_ACCESS_KEY: 'another' });
  assert.equal(wrong.code, 1);
  assert.match(wrong.err, /403 \(SignatureDoesNotMatch\); check the bucket, the credentials/);
  assert.ok(!wrong.err.includes('another'));
  const elsewhere = await publish('s3://nobody/here', {});
  assert.match(elsewhere.err, /NoSuchBucket/);
  const nobody = await publish(address, { AWS_ACCESS_KEY_ID: '' });
  assert.match(nobody.err, /AWS_ACCESS_KEY_ID/);
  const b = temporaryFolder(t);
  const refused = await runDomesday(['releases', 'fetch', '--from', address, '--home', b], {
    ...env,
    AWS_SECRET_ACCESS_KEY: 'another',
  });
  assert.equal(refused.code, 1);
  assert.match(refused.err, /answered 403/);
  assert.equal(storeOf(b).currentId(), undefined);
});

test('more objects than one answer lists are all seen, and cleared out', async (t) => {
  const { env, address, target } = await openStore(t);
  const a = temporaryFolder(t);
  const key = (at: number) => `files/${at.toString(16).padStart(64, '0')}`;
  const left = Array.from({ length: 1_010 }, (_, at) => key(at));
  while (left.length > 0) {
    const some = left.splice(0, 50);
    await Promise.all(some.map((each) => target.putText(each, 'left behind', 'for ever')));
  }
  const release = makeRelease(a, 1, { one: numbers(1) });
  await publishTo(target, release);
  assert.equal((await target.list('files/')).length, 1_013);
  const removed = await clearOut({ target, keep: 1, spareMs: 0, nowMs: Date.now() + 60_000 });
  assert.equal(removed.files, 1_010);
  const b = temporaryFolder(t);
  await takeFrom(address, b, { env });
  assert.deepEqual(readdirSync(path.join(b, 'releases', release.id)).length, 3);
});
