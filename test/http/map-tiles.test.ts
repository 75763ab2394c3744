// Map tiles that an operator sets: only their host is let into the explorer's pages, and an archive on this machine is handed out
// piece by piece.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { BadSetting, readSettings } from '../../src/config.ts';
import { hourMs } from '../../src/time.ts';
import { openRig } from '../rig.ts';
import { deafCaller } from './raw-sockets.ts';

const own =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

test('the host of the tiles is in the policy of the explorer, nowhere else, and nothing else is', async (context) => {
  const tiles = 'https://tiles.example.org:8443/osm/{z}/{x}/{y}.png?key=a';
  const rig = await openRig({ env: { DOMESDAY_TILES: tiles, DOMESDAY_TILES_ATTRIBUTION: '© "Maps" & Co' } });
  context.after(() => rig.close());
  const page = { accept: 'text/html' };
  for (const target of ['/explore', '/explore/ZZ1-1AA']) {
    const reply = await rig.get(target, undefined, page);
    assert.equal(
      reply.headers['content-security-policy'],
      own
        .replace("connect-src 'self'", "connect-src 'self' https://tiles.example.org:8443")
        .replace("img-src 'self' data:", "img-src 'self' data: https://tiles.example.org:8443"),
    );
    assert.match(reply.body, /<meta name="domesday-tiles" content="https:\/\/tiles\.example\.org:8443\/osm/);
    assert.match(
      reply.body,
      /<meta name="domesday-tiles-attribution" content="© &quot;Maps&quot; &amp; Co">/,
    );
  }
  for (const target of ['/', '/account', '/admin', '/docs']) {
    const reply = await rig.get(target, undefined, page);
    assert.equal(reply.headers['content-security-policy'], own, target);
    assert.ok(!reply.body.includes('tiles.example.org'), target);
  }
});

test('without tiles the policy lets nothing in, and there is no file to ask for', async (context) => {
  const rig = await openRig();
  context.after(() => rig.close());
  const reply = await rig.get('/explore', undefined, { accept: 'text/html' });
  assert.equal(reply.headers['content-security-policy'], own);
  assert.ok(!reply.body.includes('domesday-tiles'));
});

test('whatever is no address of tiles is refused at the start, and says what would be one', () => {
  for (const bad of [
    'https://tiles.example.org/map.png',
    'https://user:secret@tiles.example.org/{z}/{x}/{y}.png',
    'ftp://tiles.example.org/{z}/{x}/{y}.png',
    "https://tiles.example.org;script-src 'unsafe-inline'/{z}/{x}/{y}.png",
    'maps',
    'https://',
  ])
    assert.throws(
      () => readSettings({ DOMESDAY_TILES: bad }, {}),
      (fault) => fault instanceof BadSetting && /\{z\}, \{x\} and \{y\}/.test(fault.message),
      bad,
    );
  assert.deepEqual(readSettings({ DOMESDAY_TILES: '/maps/uk.pmtiles' }, {}).tiles, {
    kind: 'file',
    file: '/maps/uk.pmtiles',
  });
});

test('an archive on this machine comes in the pieces that are asked for, byte by byte, and never whole', async (context) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'domesday-tiles-'));
  const file = path.join(folder, 'uk.pmtiles');
  const bytes = Buffer.from(Array.from({ length: 20_000 }, (_, at) => (at * 7) % 251));
  writeFileSync(file, bytes);
  const rig = await openRig({ env: { DOMESDAY_TILES: file } });
  context.after(async () => {
    await rig.close();
    rmSync(folder, { recursive: true });
  });
  const origin = await rig.app.listen({ host: '127.0.0.1', port: 0 });
  const ask = (range: string | undefined) =>
    fetch(`${origin}/explore/tiles.pmtiles`, {
      headers: { 'accept-encoding': 'gzip, br, zstd', ...(range === undefined ? {} : { range }) },
    });
  for (const [from, to] of [
    [0, 0],
    [0, 16_383],
    [19_000, 30_000],
    [5, 9_000],
  ] as const) {
    const reply = await ask(`bytes=${from}-${to}`);
    assert.equal(reply.status, 206);
    const wanted = bytes.subarray(from, to + 1);
    assert.equal(reply.headers.get('content-range'), `bytes ${from}-${from + wanted.length - 1}/20000`);
    assert.equal(reply.headers.get('content-encoding'), null);
    assert.ok(Buffer.from(await reply.arrayBuffer()).equals(wanted));
  }
  for (const range of [
    undefined,
    'bytes=0-',
    'bytes=5-1',
    'bytes=0-99999999',
    'bytes=20000-20001',
    'bytes=0-1,4-5',
  ]) {
    const reply = await ask(range);
    assert.equal(reply.status, 400, String(range));
    assert.match(await reply.text(), /ask for a part/i);
  }
  rmSync(file);
  const gone = await ask('bytes=0-1');
  assert.equal(gone.status, 503);
  assert.ok(!(await gone.text()).includes(folder));
  assert.ok(rig.logLines.some((line) => line.includes('DOMESDAY_TILES cannot be read')));
});

/** A long archive, and callers who ask for as much of it as one may and read nothing. */
async function crowd(context: TestContext, callers: number, wish: Parameters<typeof openRig>[0] = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'domesday-tiles-'));
  const file = path.join(folder, 'uk.pmtiles');
  const bytes = Buffer.alloc(2 ** 22, 'tile');
  writeFileSync(file, bytes);
  const rig = await openRig({ ...wish, env: { DOMESDAY_TILES: file } });
  const origin = await rig.app.listen({ host: '127.0.0.1', port: 0 });
  const served: Socket[] = [];
  rig.app.server.on('connection', (socket) => served.push(socket));
  const asked = `GET /explore/tiles.pmtiles HTTP/1.1\r\nhost: x\r\nrange: bytes=0-${bytes.length - 1}\r\n\r\n`;
  const deaf = Array.from({ length: callers }, () => deafCaller(Number(new URL(origin).port), asked));
  context.after(async () => {
    for (const socket of [...deaf, ...served]) socket.destroy();
    await rig.close();
    rmSync(folder, { recursive: true });
  });
  const readWhole = async () => {
    const range = { range: `bytes=0-${bytes.length - 1}`, connection: 'close' };
    const reply = await fetch(`${origin}/explore/tiles.pmtiles`, { headers: range });
    assert.ok(Buffer.from(await reply.arrayBuffer()).equals(bytes));
  };
  return { served, readWhole };
}

test('whoever asks for pieces and reads none of them holds next to nothing of the memory', async (context) => {
  setFlagsFromString('--expose-gc');
  const bytesHeld = () => {
    runInNewContext('gc')();
    return process.memoryUsage().arrayBuffers;
  };
  const before = bytesHeld();
  const { readWhole } = await crowd(context, 40);
  await readWhole();
  const held = bytesHeld() - before;
  assert.ok(held < 16 * 2 ** 20, `${held} bytes are held for 40 callers`);
});

test('whoever reads gets a turn: those who take nothing are cut off while others wait', {
  timeout: 30_000,
}, async (context) => {
  // Nobody is cut off for reading nothing but by those who wait for room.
  const patience = { fileBytesMost: 2 ** 17, crowdedLookMs: 50, unreadMs: hourMs };
  const { served, readWhole } = await crowd(context, 6, { patience });
  await readWhole();
  // There is room for two.
  while (served.filter((socket) => !socket.destroyed).length > 2)
    await Promise.race(served.filter((socket) => !socket.destroyed).map((socket) => once(socket, 'close')));
});
