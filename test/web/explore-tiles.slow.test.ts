// Map tiles of another maker in a real browser against the real service: they lie below the layers, what failed comes without a
// reload, and what cannot be shown says why.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before } from 'node:test';
import { crc32, deflateSync } from 'node:zlib';
import { zxyToTileId } from 'pmtiles';
import { type RunningBrowser, startBrowser, test } from '../browser.ts';
import { browser } from '../requirements.ts';
import { bundledHome, type Running, startDomesday } from '../rig.ts';
import { isPainted, isSeen } from './map/pixels.ts';
import { writeArchive } from './map/pmtiles.ts';
import { type Visit, visit } from './visit.ts';

let opened: RunningBrowser | undefined;
let host: Server | undefined;
before(async () => {
  if (browser.kind === 'lacking') return;
  opened = await startBrowser(browser.value);
  host = createServer((request, response) => {
    const target = request.url ?? '';
    asked.push(target);
    const times = asked.filter((each) => each === target).length;
    if (times <= refusals) response.writeHead(503).end();
    else response.writeHead(200, { 'content-type': 'image/png' }).end(pictureOf(sea));
  }).listen(0, '127.0.0.1');
  await once(host, 'listening');
});
after(async () => {
  await opened?.close();
  host?.close();
});

/** Targets that the maker's host was asked for, and how often it refuses each before it sends one. */
const asked: string[] = [];
let refusals = 0;

const there = <T>(started: T | undefined): T => started ?? assert.fail('nothing is started');

async function startWith(
  tiles: string,
): Promise<{ readonly service: Running; readonly stop: () => Promise<void> }> {
  const { home, remove } = await bundledHome();
  const service = await startDomesday(home, {
    DOMESDAY_TILES: tiles,
    DOMESDAY_TILES_ATTRIBUTION: '© Makers of maps',
  });
  const stop = async () => {
    await service.stop();
    remove();
  };
  return { service, stop };
}

const visitOf = ({ url }: Running): Promise<Visit> =>
  visit(there(opened).browser, url, { width: 1280, colours: 'light' });

/** One pixel of a colour. */
function pictureOf(colour: readonly [number, number, number]): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const head = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]);
  return Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.from([0, ...colour]))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const sea = [12, 130, 200] as const;
const inks = { school: [63, 125, 58], built: [226, 218, 200] } as const;

test('tiles that an operator sets lie below the layers, and only their host is asked; one that failed comes without a reload', async (context) => {
  const address = there(host).address();
  assert.ok(typeof address === 'object' && address !== null);
  const origin = `http://127.0.0.1:${address.port}`;
  const { service, stop } = await startWith(`${origin}/{z}/{x}/{y}.png`);
  context.after(stop);
  for (const times of [0, 2]) {
    asked.length = 0;
    refusals = times;
    const { page, faults, close } = await visitOf(service);
    await page.goto('/explore/ZZ1-1AA');
    await isSeen(page, sea);
    await isSeen(page, inks.school);
    await page.getByText('© Makers of maps').waitFor();
    assert.ok(
      asked.length > 0 && asked.every((target) => /^\/1\d\/\d+\/\d+\.png$/.test(target)),
      asked.join(),
    );
    const most = Math.max(...asked.map((target) => asked.filter((each) => each === target).length));
    assert.equal(most, times + 1, 'asked for as often as it failed, and once more');
    assert.deepEqual(
      faults.filter((fault) => !fault.startsWith(`left the service: ${origin}/`)),
      [],
    );
    await close();
  }
});

test('an archive of tiles on this machine is shown, also if its first pieces fail; one of shapes says that it cannot be', async (context) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'domesday-tiles-'));
  const tiles = Array.from({ length: 9 }, (_, z) => 2 ** z).flatMap((side, z) => {
    // The North Sea where the fictional town lies, and the tiles around it.
    const [x, y] = [Math.floor(0.5025 * side), Math.floor(0.316 * side)];
    return [-1, 0, 1].flatMap((right) =>
      [-1, 0, 1]
        .map((down) => ({ x: x + right, y: y + down }))
        .filter((tile) => Math.min(tile.x, tile.y) >= 0 && Math.max(tile.x, tile.y) < side)
        .map((tile) => ({ number: zxyToTileId(z, tile.x, tile.y), bytes: pictureOf(sea) })),
    );
  });
  tiles.sort((a, b) => a.number - b.number);
  const file = path.join(folder, 'uk.pmtiles');
  writeFileSync(file, writeArchive({ tiles, perLeaf: 5, zooms: [0, 8] }));
  const { service, stop } = await startWith(file);
  context.after(async () => {
    await stop();
    rmSync(folder, { recursive: true });
  });
  const whole = await visitOf(service);
  await whole.page.goto('/explore/ZZ1-1AA');
  await isPainted(whole.page, sea);
  assert.deepEqual(whole.faults, []);
  await whole.close();

  const late = await visitOf(service);
  const pieces: string[] = [];
  await late.page.route('**/explore/tiles.pmtiles', (route) => {
    const range = route.request().headers().range ?? '';
    pieces.push(range);
    const times = pieces.filter((each) => each === range).length;
    return times === 1 ? route.fulfill({ status: 503, body: '' }) : route.continue();
  });
  await late.page.goto('/explore/ZZ1-1AA');
  const words = late.page.getByText('The map tiles cannot be shown: it cannot be fetched in parts.');
  await words.waitFor();
  await isPainted(late.page, sea);
  await words.waitFor({ state: 'detached' });
  // The head, a directory and a picture.
  assert.ok(new Set(pieces).size >= 3, pieces.join());
  await late.close();

  writeFileSync(file, writeArchive({ tiles, perLeaf: 5, kind: 1 }));
  const shapes = await visitOf(service);
  await shapes.page.goto('/explore/ZZ1-1AA');
  await shapes.page.getByText('vector tiles').waitFor();
  await isPainted(shapes.page, inks.built);
  await shapes.close();
});
