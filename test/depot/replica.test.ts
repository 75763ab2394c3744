// A replica and a real web server that misbehaves: whatever it sends, what was served before stays, or the published release
// comes whole.

import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import { DepotFault, type FaultKind } from '../../src/depot/fault.ts';
import { readReplicaState } from '../../src/depot/state.ts';
import { ReleaseStore } from '../../src/release/store.ts';
import { layouts } from '../../src/tables/index.ts';
import { madeUpDataset } from '../release/made-up-dataset.ts';
import {
  bytesOf,
  type Context,
  makeRelease,
  noonMs,
  numbers,
  publishToFolder,
  storeOf,
  type TakeMore,
  takeFrom,
  temporaryFolder,
} from './desk.ts';
import { answerOf, etagOf, listenTo, type Mischief, openWebServer, type WebServer } from './web-server.ts';

type Stage = {
  readonly home: string;
  readonly depot: string;
  readonly server: WebServer;
  /** What is current before, and what is published then. */
  readonly first: string;
  readonly second: string;
  readonly files: ReadonlyMap<string, string>;
};

/** A replica that has one release, and a server that has another. */
async function stage(context: Context, length = 4): Promise<Stage> {
  const [a, home, depot] = [temporaryFolder(context), temporaryFolder(context), temporaryFolder(context)];
  const server = await openWebServer(context, depot);
  const first = makeRelease(a, 1, { kept: numbers(1), changed: numbers(2) });
  await publishToFolder(depot, first);
  await takeFrom(server.url, home);
  const second = makeRelease(a, 2, { kept: numbers(1), changed: numbers(3, length) });
  await publishToFolder(depot, second);
  server.asked.length = 0;
  return { home, depot, server, first: first.id, second: second.id, files: bytesOf(second) };
}

const isPart = (key: string) => key.startsWith('files/');

async function refuses(s: Stage, kind: FaultKind, more: TakeMore = {}): Promise<DepotFault> {
  const fault = await takeFrom(s.server.url, s.home, more).then(
    () => assert.fail('it was taken'),
    (error: unknown) => error,
  );
  assert.ok(fault instanceof DepotFault, String(fault));
  assert.equal(fault.kind, kind, fault.message);
  assert.equal(storeOf(s.home).currentId(), s.first);
  storeOf(s.home).openCurrent().verify();
  assert.deepEqual(
    readdirSync(path.join(s.home, 'releases')).filter((name) => name.startsWith('.building')),
    [],
  );
  return fault;
}

async function takes(s: Stage, more: TakeMore = {}): Promise<void> {
  await takeFrom(s.server.url, s.home, more);
  const current = storeOf(s.home).openCurrent();
  assert.equal(current.id, s.second);
  assert.deepEqual(bytesOf(current), s.files);
}

const always: readonly { name: string; kind: FaultKind; mischief: Mischief; more?: TakeMore }[] = [
  {
    name: 'wrong bytes of the right length',
    kind: 'invalid',
    mischief: ({ key, response, content }) => {
      if (!isPart(key)) return false;
      response.writeHead(200, { 'content-length': content.length }).end(Buffer.alloc(content.length, 7));
      return true;
    },
  },
  {
    name: 'a file of another length',
    kind: 'invalid',
    mischief: ({ key, response }) => isPart(key) && Boolean(response.writeHead(200).end('short')),
  },
  {
    name: 'a pointer that is cut off',
    kind: 'invalid',
    mischief: ({ key, response, content }) =>
      key === 'newest' && Boolean(response.writeHead(200).end(content.subarray(0, -1))),
  },
  {
    name: 'a list that is cut off',
    kind: 'invalid',
    mischief: ({ key, response, content }) =>
      key.startsWith('releases/') && Boolean(response.writeHead(200).end(content.subarray(0, -2))),
  },
  {
    name: 'a page for people instead of the pointer',
    kind: 'invalid',
    mischief: ({ key, response }) => key === 'newest' && Boolean(response.end('<!doctype html><p>Sign in')),
  },
  {
    name: 'a page for people instead of a file',
    kind: 'invalid',
    mischief: ({ key, response }) => isPart(key) && Boolean(response.end('<!doctype html><p>Sign in')),
  },
  {
    name: 'an endless pointer',
    kind: 'invalid',
    mischief: ({ key, response }) => key === 'newest' && Boolean(response.end('{'.repeat(1 << 20))),
  },
  {
    name: '500 for files',
    kind: 'refused',
    mischief: ({ key, response }) => isPart(key) && Boolean(response.writeHead(500).end()),
  },
  {
    name: '404 for files',
    kind: 'missing',
    mischief: ({ key, response }) => isPart(key) && Boolean(response.writeHead(404).end()),
  },
  {
    name: '403 for the pointer',
    kind: 'refused',
    mischief: ({ key, response }) => key === 'newest' && Boolean(response.writeHead(403).end()),
  },
  {
    name: '304 that nobody asked for',
    kind: 'refused',
    mischief: ({ key, response }) => key === 'newest' && Boolean(response.writeHead(304).end()),
  },
  {
    name: 'compressed on the way',
    kind: 'invalid',
    mischief: ({ key, response, content }) =>
      isPart(key) && Boolean(response.writeHead(200, { 'content-encoding': 'gzip' }).end(content)),
  },
  {
    name: 'a socket that says nothing',
    kind: 'unreachable',
    mischief: ({ key }) => isPart(key),
    more: { stallMs: 200 },
  },
];

for (const { name, kind, mischief, more } of always) {
  test(`${name}: what was served stays, and the release comes once that is over`, async (t) => {
    const s = await stage(t);
    s.server.mischief = mischief;
    await refuses(s, kind, more);
    s.server.mischief = undefined;
    await takes(s);
  });
}

test('wrong bytes are told by their hash, before anything is put together', async (t) => {
  const s = await stage(t);
  s.server.mischief = ({ key, response, content }) =>
    isPart(key) && Boolean(response.end(Buffer.alloc(content.length, 7)));
  assert.match((await refuses(s, 'invalid')).message, /is not what was published; remove that file there/);
});

test('a host that asks for peace is left in peace until then', async (t) => {
  const s = await stage(t);
  s.server.mischief = ({ response }) => Boolean(response.writeHead(429, { 'retry-after': '3600' }).end());
  const { retryAt = 0 } = await refuses(s, 'waiting');
  assert.ok(retryAt > Date.now() + 3_000_000);
});

test('a redirect to elsewhere is not followed: nobody there is asked anything', async (t) => {
  const s = await stage(t);
  let asked = 0;
  const elsewhere = createServer((_, response) => {
    asked += 1;
    response.end('{}');
  });
  const port = await listenTo(elsewhere);
  t.after(() => elsewhere.close());
  for (const part of ['newest', 'releases/', 'files/']) {
    s.server.mischief = ({ key, response }) =>
      key.startsWith(part) &&
      Boolean(response.writeHead(302, { location: `http://127.0.0.1:${port}/${key}` }).end());
    const { message } = await refuses(s, 'refused');
    assert.match(message, /redirects to/);
  }
  assert.equal(asked, 0);
});

test('a redirect within the same server is followed', async (t) => {
  const s = await stage(t);
  s.server.mischief = ({ key, request, response }) =>
    isPart(key) &&
    request.url?.includes('again') === false &&
    Boolean(response.writeHead(302, { location: `${request.url}?again` }).end());
  await takes(s);
});

test('plain http beyond this machine is taken with signatures alone', async (t) => {
  const home = temporaryFolder(t);
  await assert.rejects(takeFrom('http://releases.example.com/', home), { kind: 'refused' });
  await assert.rejects(takeFrom('http://127.example.com/', home), { kind: 'refused' });
  await assert.rejects(takeFrom('ftp://127.0.0.1/', home), { kind: 'refused' });
});

test('a server that is not there: what was served stays', async (t) => {
  const s = await stage(t);
  const url = s.server.url;
  const gone = createServer();
  const port = await listenTo(gone);
  await new Promise((resolve) => gone.close(resolve));
  await refuses({ ...s, server: { ...s.server, url: url.replace(/:\d+/, `:${port}`) } }, 'unreachable');
});

test('a folder that is not there, as when nothing is mounted: what was served stays', async (t) => {
  const s = await stage(t);
  await refuses({ ...s, server: { ...s.server, url: path.join(s.depot, 'not-mounted') } }, 'unreachable');
});

/** Of the largest file: some 400 KB. */
const length = 100_000;

test('cut off at every tenth, a file is gone on with: no byte comes twice', async (t) => {
  const s = await stage(t, length);
  let cuts = 0;
  let sent = 0;
  let largest = 0;
  s.server.mischief = ({ key, request, response, content }) => {
    if (content.length < length || !isPart(key)) return false;
    largest = content.length;
    const { status, headers, body } = answerOf(request, content);
    const piece = body.subarray(0, Math.ceil(content.length / 10));
    sent += piece.length;
    if (piece.length === body.length) {
      response.writeHead(status, headers).end(body);
      return true;
    }
    cuts += 1;
    response.writeHead(status, headers).write(piece, () => response.socket?.destroySoon());
    return true;
  };
  // Each run gives up after so many breaks; the next goes on.
  for (let runs = 0; runs < 4 && storeOf(s.home).currentId() !== s.second; runs += 1)
    await takeFrom(s.server.url, s.home).catch((error: unknown) => assert.ok(error instanceof DepotFault));
  assert.equal(storeOf(s.home).currentId(), s.second);
  assert.deepEqual(bytesOf(storeOf(s.home).openCurrent()), s.files);
  assert.equal(cuts, 9);
  assert.equal(sent, largest);
});

test('a server that does not know of ranges sends it from the beginning, and it comes whole', async (t) => {
  const s = await stage(t, length);
  let isFirst = true;
  s.server.mischief = ({ key, response, content }) => {
    if (content.length < length || !isPart(key)) return false;
    response.writeHead(200, { etag: etagOf(content), 'content-length': content.length });
    if (isFirst) response.write(content.subarray(0, 50_000), () => response.socket?.destroySoon());
    else response.end(content);
    isFirst = false;
    return true;
  };
  await takes(s);
});

test('a server that gives the wrong rest is not believed', async (t) => {
  const s = await stage(t, length);
  s.server.mischief = ({ key, request, response, content }) => {
    if (content.length < length || !isPart(key)) return false;
    const { status, headers, body } = answerOf(request, content);
    if (status === 206) response.writeHead(status, headers).end(Buffer.alloc(body.length, 1));
    else
      response
        .writeHead(status, headers)
        .write(body.subarray(0, 50_000), () => response.socket?.destroySoon());
    return true;
  };
  await refuses(s, 'invalid');
  s.server.mischief = undefined;
  await takes(s);
});

test('what did not change is not asked for again, and only what no release here has is fetched', async (t) => {
  const s = await stage(t);
  await takes(s);
  const parts = s.server.asked.filter(({ key }) => isPart(key));
  assert.equal(parts.length, 3, 'manifest, its checksum and one part of two');
  s.server.asked.length = 0;
  assert.equal((await takeFrom(s.server.url, s.home)).kind, 'was here');
  assert.deepEqual(
    s.server.asked.filter(({ key }) => isPart(key)),
    [],
  );
});

test('a part that has suffered on this disk is not passed on to the next release', async (t) => {
  const s = await stage(t);
  const file = path.join(s.home, 'releases', s.first, 'kept.part');
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(9, bytes.length - 4));
  await takes(s);
});

test('a current release that has suffered is mended by what is published', async (t) => {
  const s = await stage(t);
  await takes(s);
  rmSync(path.join(s.home, 'releases', s.second, 'kept.part'));
  await takes(s);
});

test('an older pointer is refused, and so is another one of the same sequence', async (t) => {
  const s = await stage(t);
  const old = temporaryFolder(t);
  cpSync(s.depot, old, { recursive: true });
  const third = makeRelease(temporaryFolder(t), 3, { other: numbers(5) });
  await publishToFolder(s.depot, third);
  await takeFrom(s.depot, s.home);
  await assert.rejects(takeFrom(old, s.home), { kind: 'older' });
  // Elsewhere somebody published at the same second.
  const { sequence } = readReplicaState(s.home).taken ?? assert.fail();
  const rival = temporaryFolder(t);
  const now = () => sequence * 1000;
  await publishToFolder(rival, makeRelease(temporaryFolder(t), 9, { other: numbers(6) }), { now });
  await assert.rejects(takeFrom(rival, s.home), { kind: 'older' });
  assert.equal(storeOf(s.home).currentId(), third.id);
});

test('a note that cannot be read lets nothing in', async (t) => {
  const s = await stage(t);
  writeFileSync(path.join(s.home, 'replica.json'), '{"version":1');
  await refuses(s, 'invalid');
});

test('fetched releases beyond the newest so many are removed, and never one that was made here', async (t) => {
  const [a, home, depot] = [temporaryFolder(t), temporaryFolder(t), temporaryFolder(t)];
  makeRelease(home, 0, { own: numbers(0) });
  for (const minute of [1, 2, 3, 4]) {
    await publishToFolder(depot, makeRelease(a, minute, { one: numbers(minute) }));
    await takeFrom(depot, home);
  }
  const ids = storeOf(home)
    .list()
    .map(({ id }) => id);
  assert.deepEqual(ids, ['release-0004', 'release-0003', 'release-0000']);
});

test('what this version could not answer from is not taken, where it could before', async (t) => {
  const s = await stage(t);
  const own = new Map(
    [...layouts].map(([name, layout]) => [name, name === 'authorities' ? layout + 1 : layout]),
  );
  const store = new ReleaseStore(path.join(s.home, 'releases'), own);
  const writer = store.beginRelease({ id: 'own', kind: 'loaded', createdAtMs: noonMs, base: undefined });
  writer.writePart('a', { value: numbers(1) });
  writer.putDataset(madeUpDataset('authorities', ['a']));
  store.point(writer.finish().id);
  await assert.rejects(takeFrom(s.server.url, s.home, { store }), { kind: 'unusable' });
  assert.equal(store.currentId(), 'own');
});
