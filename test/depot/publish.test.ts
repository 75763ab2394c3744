// What publishing writes, what it refuses, and what it removes.

import assert from 'node:assert/strict';
import {
  chmodSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DepotFault } from '../../src/depot/fault.ts';
import { folderTarget } from '../../src/depot/folder-target.ts';
import { parsePointer } from '../../src/depot/format.ts';
import { clearOut } from '../../src/depot/publish.ts';
import { makeKeys, readPrivateKey } from '../../src/depot/signature.ts';
import { dayMs } from '../../src/time.ts';
import {
  bytesOf,
  makeRelease,
  noonMs,
  numbers,
  publishToFolder,
  storeOf,
  takeFrom,
  temporaryFolder,
} from './desk.ts';

const newestIn = (depot: string) => parsePointer(readFileSync(path.join(depot, 'newest'), 'utf8'));
const isFault = (kind: string) => (error: unknown) => error instanceof DepotFault && error.kind === kind;

test('a second release writes the files that changed alone, and a replica that takes it has the same bytes', async (t) => {
  const [a, b, depot] = [temporaryFolder(t), temporaryFolder(t), temporaryFolder(t)];
  const first = makeRelease(a, 1, { kept: numbers(1), changed: numbers(2) });
  assert.equal((await publishToFolder(depot, first)).files, 4);
  assert.equal((await takeFrom(depot, b)).files, 4);
  const second = makeRelease(a, 2, { kept: numbers(1), changed: numbers(3) });
  const names: string[] = [];
  await publishToFolder(depot, second, { onFile: (name) => names.push(name) });
  assert.deepEqual(names.sort(), ['changed.part', 'manifest.json', 'manifest.sha256']);
  const fetched: string[] = [];
  await takeFrom(depot, b, { onFile: (name) => fetched.push(name) });
  assert.deepEqual(fetched.sort(), names);
  assert.deepEqual(bytesOf(storeOf(b).openCurrent()), bytesOf(second));
  assert.deepEqual(readdirSync(path.join(b, 'replica-files')), ['.lock']);
});

test('the newest once more changes nothing, but mends what is missing or of another length', async (t) => {
  const [a, depot] = [temporaryFolder(t), temporaryFolder(t)];
  const release = makeRelease(a, 1, { one: numbers(1), two: numbers(2) });
  await publishToFolder(depot, release);
  const before = newestIn(depot);
  const [gone = '', short = ''] = readdirSync(path.join(depot, 'files'));
  rmSync(path.join(depot, 'files', gone));
  truncateSync(path.join(depot, 'files', short), 3);
  const again = await publishToFolder(depot, release, { now: () => noonMs + dayMs });
  assert.deepEqual([again.kind, again.files], ['was the newest', 2]);
  assert.deepEqual(newestIn(depot), before);
  await takeFrom(depot, temporaryFolder(t));
});

test('an older release replaces a newer one on purpose alone, and replicas then go back', async (t) => {
  const [a, b, depot] = [temporaryFolder(t), temporaryFolder(t), temporaryFolder(t)];
  const older = makeRelease(a, 1, { one: numbers(1) });
  const newer = makeRelease(a, 2, { one: numbers(2) });
  await publishToFolder(depot, newer);
  await takeFrom(depot, b);
  await assert.rejects(publishToFolder(depot, older), isFault('older'));
  assert.equal(newestIn(depot).pointer.release, newer.id);
  const { sequence } = newestIn(depot).pointer;
  await publishToFolder(depot, older, { allowed: new Set(['older']) });
  assert.ok(newestIn(depot).pointer.sequence > sequence);
  await takeFrom(depot, b);
  assert.equal(storeOf(b).currentId(), older.id);
});

test('sequence numbers grow whatever the clock says, and also where the depot was lost', async (t) => {
  const [a, b, depot, other] = [
    temporaryFolder(t),
    temporaryFolder(t),
    temporaryFolder(t),
    temporaryFolder(t),
  ];
  const now = () => noonMs - 400 * dayMs;
  await publishToFolder(depot, makeRelease(a, 1, { one: numbers(1) }));
  await publishToFolder(depot, makeRelease(a, 2, { one: numbers(2) }), { now });
  await takeFrom(depot, b);
  // The pointer is lost: the lists tell how far it was.
  rmSync(path.join(depot, 'newest'));
  await publishToFolder(depot, makeRelease(a, 3, { one: numbers(3) }), { now });
  assert.equal((await takeFrom(depot, b)).release, 'release-0003');
  // Everything is lost: the clock tells.
  await publishToFolder(other, makeRelease(a, 4, { one: numbers(4) }), { now: () => noonMs + dayMs });
  assert.equal((await takeFrom(other, b)).release, 'release-0004');
});

test('what is signed is not replaced by what is not, unless on purpose', async (t) => {
  const [a, depot] = [temporaryFolder(t), temporaryFolder(t)];
  const signingKey = readPrivateKey(makeKeys().privatePem);
  await publishToFolder(depot, makeRelease(a, 1, { one: numbers(1) }), { signingKey });
  const next = makeRelease(a, 2, { one: numbers(2) });
  await assert.rejects(publishToFolder(depot, next), isFault('unsigned'));
  await publishToFolder(depot, next, { allowed: new Set(['unsigned']) });
  assert.equal(newestIn(depot).signature, undefined);
});

test('no two pointers of a folder have the same second, by which web servers tell versions', async (t) => {
  const [a, depot] = [temporaryFolder(t), temporaryFolder(t)];
  const seconds = new Set<number>();
  for (const minute of [1, 2, 3]) {
    await publishToFolder(depot, makeRelease(a, minute, { one: numbers(minute) }));
    seconds.add(Math.floor(statSync(path.join(depot, 'newest')).mtimeMs / 1000));
  }
  assert.equal(seconds.size, 3);
});

test('a pointer that cannot be read is not overwritten', async (t) => {
  const [a, depot] = [temporaryFolder(t), temporaryFolder(t)];
  writeFileSync(path.join(depot, 'newest'), 'the index page of another service');
  await assert.rejects(publishToFolder(depot, makeRelease(a, 1, { one: numbers(1) })), isFault('invalid'));
  assert.equal(readFileSync(path.join(depot, 'newest'), 'utf8'), 'the index page of another service');
});

test('two do not publish to one folder at once', async (t) => {
  const [a, depot] = [temporaryFolder(t), temporaryFolder(t)];
  const lock = folderTarget(depot).lock();
  await assert.rejects(publishToFolder(depot, makeRelease(a, 1, { one: numbers(1) })), isFault('conflict'));
  lock.release();
});

test('a damaged release is not published', async (t) => {
  const [a, depot] = [temporaryFolder(t), temporaryFolder(t)];
  const release = makeRelease(a, 1, { one: numbers(1) });
  const file = path.join(release.dir, 'one.part');
  const bytes = readFileSync(file);
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  writeFileSync(file, bytes);
  await assert.rejects(publishToFolder(depot, release), { name: 'ReleaseDamaged' });
  assert.deepEqual(readdirSync(depot), ['.publishing.lock']);
});

test('clearing out keeps the newest releases, whatever they need, and what a replica may be fetching', async (t) => {
  const [a, depot] = [temporaryFolder(t), temporaryFolder(t)];
  const target = folderTarget(depot);
  const releases = [1, 2, 3, 4].map((minute) =>
    makeRelease(a, minute, { shared: numbers(0), own: numbers(minute) }),
  );
  for (const [at, release] of releases.entries())
    await publishToFolder(depot, release, { now: () => noonMs + at * 1000 });
  writeFileSync(path.join(depot, 'files', 'f'.repeat(64)), 'left by a publisher that was killed');
  const order = { target, keep: 2, spareMs: dayMs };
  const atOnce = await clearOut({ ...order, nowMs: Date.now() });
  assert.deepEqual(atOnce, { releases: 0, files: 0, bytes: 0 });
  // The second was replaced two days ago, and so was the first; all files are as old.
  const old = new Date(Date.now() - 2 * dayMs);
  for (const name of readdirSync(path.join(depot, 'files')))
    utimesSync(path.join(depot, 'files', name), old, old);
  const lists = readdirSync(path.join(depot, 'releases')).sort();
  for (const name of lists.slice(0, 2)) utimesSync(path.join(depot, 'releases', name), old, old);
  const first = await clearOut({ ...order, nowMs: Date.now() });
  assert.equal(first.releases, 1, 'the second is still spared: the third came just now');
  const later = await clearOut({ ...order, nowMs: Date.now() + 2 * dayMs });
  assert.equal(later.releases, 1);
  assert.deepEqual(readdirSync(path.join(depot, 'releases')).sort(), lists.slice(2));
  const kept = releases.slice(2).flatMap((release) => [...bytesOf(release).values()]);
  const left = readdirSync(path.join(depot, 'files')).map((name) =>
    readFileSync(path.join(depot, 'files', name)).toString('base64'),
  );
  assert.deepEqual(new Set(left), new Set(kept));
  assert.equal((await takeFrom(depot, temporaryFolder(t))).release, 'release-0004');
});

test('a release that was gone back to is never cleared out, however many were published', async (t) => {
  const [a, depot] = [temporaryFolder(t), temporaryFolder(t)];
  const older = makeRelease(a, 1, { one: numbers(1) });
  await publishToFolder(depot, makeRelease(a, 2, { one: numbers(2) }));
  await publishToFolder(depot, older, { allowed: new Set(['older']) });
  await clearOut({ target: folderTarget(depot), keep: 1, spareMs: 0, nowMs: Date.now() + dayMs });
  assert.equal(readdirSync(path.join(depot, 'releases')).length, 1);
  assert.equal((await takeFrom(depot, temporaryFolder(t))).release, older.id);
  assert.equal(statSync(path.join(depot, 'newest')).isFile(), true);
});

test('whoever may read the folder may read what is published there, whatever the umask and the rights in the home', async (t) => {
  const umask = process.umask(0o077);
  t.after(() => process.umask(umask));
  const a = temporaryFolder(t);
  const release = makeRelease(a, 1, { one: numbers(1) });
  const rightsIn = (depot: string) =>
    new Map(
      readdirSync(depot, { recursive: true, withFileTypes: true })
        .filter(({ name }) => name !== '.publishing.lock')
        .map((entry) => {
          const { mode } = statSync(path.join(entry.parentPath, entry.name));
          return [entry.name, { isFile: entry.isFile(), rights: (mode & 0o777).toString(8) }];
        }),
    );
  for (const [ofFolder, ofFolders, ofFiles] of [
    [0o755, '755', '644'],
    [0o775, '755', '644'],
    [0o750, '750', '640'],
    [0o700, '700', '600'],
  ] as const) {
    const depot = temporaryFolder(t);
    chmodSync(depot, ofFolder);
    await publishToFolder(depot, release);
    const rights = rightsIn(depot);
    assert.deepEqual([rights.has('newest'), rights.has('files'), rights.has('releases')], [true, true, true]);
    for (const [name, { isFile, rights: told }] of rights)
      assert.equal(told, isFile ? ofFiles : ofFolders, `${name} in a folder of ${ofFolder.toString(8)}`);
  }
});
