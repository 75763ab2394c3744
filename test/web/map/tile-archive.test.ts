// An archive of map tiles is read piece by piece, and every tile of it is the one that was put there.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { TileArchive, tileNumber } from '../../../web/explore/map/drawing/tile-archive.ts';
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

test('tiles are numbered as the specification does', () => {
  const known = [
    [0, 0, 0, 0],
    [1, 0, 0, 1],
    [1, 0, 1, 2],
    [1, 1, 1, 3],
    [1, 1, 0, 4],
    [2, 0, 0, 5],
    [12, 3423, 1763, 19_078_479],
  ] as const;
  for (const [z, x, y, number] of known) assert.equal(tileNumber(z, x, y), number);
  const all = Array.from({ length: 64 }, (_, at) => tileNumber(3, at % 8, Math.floor(at / 8)));
  assert.deepEqual(
    all.sort((a, b) => a - b),
    Array.from({ length: 64 }, (_, at) => 21 + at),
  );
});

const tilesOf = fc.uniqueArray(
  fc.record({
    z: fc.integer({ min: 0, max: 7 }),
    x: fc.nat(127),
    y: fc.nat(127),
    words: fc.constantFrom('sea', 'land', 'a town', 'another town'),
  }),
  { selector: ({ z, x, y }) => `${z}/${x % 2 ** z}/${y % 2 ** z}`, minLength: 1, maxLength: 60 },
);

test('every tile of an archive is found and no other, with directories of any depth and coding', async () => {
  await fc.assert(
    fc.asyncProperty(
      tilesOf,
      fc.constantFrom('plain', 'gzip'),
      fc.constantFrom(0, 1, 7),
      async (wanted, coding, perLeaf) => {
        const tiles = wanted
          .map(({ z, x, y, words }) => ({ z, x: x % 2 ** z, y: y % 2 ** z, words }))
          .map((tile) => ({
            ...tile,
            number: tileNumber(tile.z, tile.x, tile.y),
            bytes: Buffer.from(tile.words),
          }))
          .sort((a, b) => a.number - b.number);
        const archive = new TileArchive(serve(writeArchive({ tiles, coding, perLeaf })));
        for (const { z, x, y, words } of tiles) {
          const read = await archive.read(z, x, y);
          assert.equal(
            read.kind === 'tile' ? Buffer.from(read.bytes).toString() : read.kind,
            words,
            `${z}/${x}/${y}`,
          );
        }
        const numbers = new Set(tiles.map(({ number }) => number));
        for (let at = 0; at < 20; at += 1) {
          const [x, y] = [(at * 37) % 64, (at * 53) % 64];
          if (!numbers.has(tileNumber(6, x, y)))
            assert.deepEqual(await archive.read(6, x, y), { kind: 'none' });
        }
      },
    ),
    { numRuns: 60 },
  );
  assert.ok(most <= 16_384, 'no more is fetched at once than the first directory');
});

test('what cannot be shown says why: shapes, another format, a host that knows no ranges, nothing at all', async () => {
  const tiles = [{ number: 0, bytes: Buffer.from('x') }];
  const good = writeArchive({ tiles, coding: 'gzip', perLeaf: 0 });
  const vector = writeArchive({ tiles, coding: 'gzip', perLeaf: 0, kind: 1 });
  // `failed` may be over another time.
  const faults: readonly (readonly [string, 'fault' | 'failed', RegExp])[] = [
    [serve(vector), 'fault', /vector tiles.* not supported/],
    [serve(Buffer.alloc(500)), 'fault', /no PMTiles archive/],
    [serve(Buffer.from('PMTiles')), 'fault', /too short/],
    [serve(good, 'whole'), 'failed', /cannot be fetched in parts/],
    [`${origin}/nothing.pmtiles`, 'failed', /cannot be fetched in parts/],
    ['http://127.0.0.1:1/away.pmtiles', 'failed', /cannot be fetched in parts/],
    [serve(Buffer.concat([good.subarray(0, 127), Buffer.alloc(40, 255)])), 'fault', /directory is damaged/],
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
  const bytes = writeArchive({ tiles, coding: 'gzip', perLeaf: 1 });
  const archive = new TileArchive(serve(bytes, 'each fails once'));
  // Tile 4 of all: zoom 1, the north-eastern one.
  const read = () => archive.read(1, 1, 0);
  assert.deepEqual([(await read()).kind, (await read()).kind, (await read()).kind], Array(3).fill('failed'));
  const found = await read();
  assert.equal(found.kind === 'tile' ? Buffer.from(found.bytes).toString() : found.kind, 'tile 4');
});
