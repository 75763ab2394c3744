// An archive of map tiles is read piece by piece, and every tile of it is the one that was put there.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { after, before, test } from 'node:test';
import { zxyToTileId } from 'pmtiles';
import { TileArchive } from '../../../web/explore/map/drawing/tile-archive.ts';
import { writeArchive } from './pmtiles.ts';

let server: Server;
let origin: string;
/** By path; `whole`: the host knows no ranges; `each fails once`: every piece comes at the second time. */
type Manner = 'ranges' | 'whole' | 'each fails once';
const files = new Map<string, { readonly bytes: Buffer; readonly manner: Manner }>();
const failedOnce = new Set<string>();
let most = 0;

before(async () => {
  server = createServer((request, response) => {
    const file = files.get(request.url ?? '');
    const [, from = '0', to = '0'] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    if (file === undefined) return response.writeHead(404).end();
    if (file.manner === 'whole') return response.writeHead(200).end(file.bytes);
    const piece = `${request.url} ${from} ${to}`;
    if (file.manner === 'each fails once' && !failedOnce.has(piece)) {
      failedOnce.add(piece);
      return response.writeHead(503).end();
    }
    const bytes = file.bytes.subarray(Number(from), Number(to) + 1);
    most = Math.max(most, bytes.length);
    return response.writeHead(206).end(bytes);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  origin = `http://127.0.0.1:${address.port}`;
});
after(() => server.close());

let made = 0;
function serve(bytes: Buffer, manner: Manner = 'ranges'): string {
  made += 1;
  files.set(`/${made}.pmtiles`, { bytes, manner });
  return `${origin}/${made}.pmtiles`;
}

test('every tile of an archive is found and no other, whether directories lie below the first or not', async () => {
  // Every other tile of zoom 3; neighbours of the same bytes are one entry.
  const all = Array.from({ length: 64 }, (_, at) => ({ x: at % 8, y: Math.floor(at / 8) }));
  const tiles = all
    .filter(({ x, y }) => (x + y) % 2 === 0 || x < 4)
    .map(({ x, y }) => ({ number: zxyToTileId(3, x, y), bytes: Buffer.from(x < 2 ? 'sea' : `${x} ${y}`) }))
    .sort((a, b) => a.number - b.number);
  const wordsOf = new Map(tiles.map(({ number, bytes }) => [number, bytes.toString()]));
  for (const perLeaf of [0, 5]) {
    const archive = new TileArchive(serve(writeArchive({ tiles, perLeaf })));
    for (const { x, y } of all) {
      const read = await archive.read(3, x, y);
      const words = read.kind === 'tile' ? Buffer.from(read.bytes).toString() : read.kind;
      assert.equal(words, wordsOf.get(zxyToTileId(3, x, y)) ?? 'none', `${x}/${y}`);
    }
  }
  assert.ok(most <= 16_384, 'no more is fetched at once than the first directory');
});

test('what cannot be shown says why: shapes, another format, a host that knows no ranges, nothing at all', async () => {
  const tiles = [{ number: 0, bytes: Buffer.from('x') }];
  const good = writeArchive({ tiles, perLeaf: 0 });
  const vector = writeArchive({ tiles, perLeaf: 0, kind: 1 });
  // `failed` may be over another time.
  const faults: readonly (readonly [string, 'fault' | 'failed', RegExp])[] = [
    [serve(vector), 'fault', /vector tiles.* not supported/],
    [serve(Buffer.alloc(500)), 'fault', /no PMTiles archive/],
    [serve(Buffer.from('PMTiles')), 'fault', /no PMTiles archive/],
    [serve(good, 'whole'), 'failed', /cannot be fetched in parts/],
    [`${origin}/nothing.pmtiles`, 'failed', /cannot be fetched in parts/],
    ['http://127.0.0.1:1/away.pmtiles', 'failed', /cannot be fetched in parts/],
    [serve(Buffer.concat([good.subarray(0, 127), Buffer.alloc(40, 255)])), 'fault', /a damaged one/],
  ];
  for (const [address, kind, why] of faults) {
    const opened = await new TileArchive(address).open();
    assert.ok(opened.kind === kind, `${opened.kind} for ${address}`);
    assert.match(opened.why, why);
  }
  assert.deepEqual(await new TileArchive(serve(good)).open(), {
    kind: 'opened',
    zooms: { least: 0, most: 14 },
  });
});

test('a piece that failed is fetched again when it is asked for again: the head, a directory, a tile', async () => {
  const tiles = [4, 9, 17].map((number) => ({ number, bytes: Buffer.from(`tile ${number}`) }));
  const bytes = writeArchive({ tiles, perLeaf: 1 });
  const archive = new TileArchive(serve(bytes, 'each fails once'));
  // Tile 4 of all: zoom 1, the north-eastern one.
  const read = () => archive.read(1, 1, 0);
  assert.deepEqual([(await read()).kind, (await read()).kind, (await read()).kind], Array(3).fill('failed'));
  const found = await read();
  assert.equal(found.kind === 'tile' ? Buffer.from(found.bytes).toString() : found.kind, 'tile 4');
});
