// What anybody may ask without a key stays cheap: odd addresses of tiles are no tiles, many tiles at once leave turns for others, and
// a piece of an archive has a bound.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { openBackdrop } from '../../src/backdrop/backdrop.ts';
import { openHome } from '../../src/release/store.ts';
import { layouts } from '../../src/tables/index.ts';
import { openRig, type Rig } from '../rig.ts';

let rig: Rig;
before(async () => {
  rig = await openRig();
});
after(() => rig.close());

const releaseId = () => openHome(rig.home, layouts).releases.openCurrent().id;

test('an odd address of a tile is 404, whatever is odd about it', async () => {
  const root = `/explore/backdrop/live/${releaseId()}`;
  const odd = [
    '',
    '/',
    '/12',
    '/12/1',
    '/12/1/',
    '/12/1/1/1',
    '/12/1/1/',
    '//12/1/1',
    ...[
      '-1',
      '-0',
      '+1',
      '01',
      '1.0',
      '1e3',
      '0x1',
      ' 1',
      '%31',
      '%00',
      '1%00',
      '..',
      '%2e%2e',
      '',
      'NaN',
      'Infinity',
    ].flatMap((part) => [`/${part}/1/1`, `/12/${part}/1`, `/12/1/${part}`]),
    ...['4096', '99999', '1000000000', '9'.repeat(400)].flatMap((part) => [`/12/${part}/1`, `/12/1/${part}`]),
    ...['0', '5', '7', '11', '13', '1e9', '9'.repeat(400)].map((zoom) => `/${zoom}/0/0`),
    '/6/64/0',
    '/6/0/64',
    '/9/512/0',
  ];
  for (const each of odd) {
    // As it is: a URL would be put in order first.
    const reply = await rig.app.inject({ url: encodeURI(`${root}${each}`).replaceAll('%25', '%') });
    assert.notEqual(reply.statusCode, 200, each);
    assert.ok(reply.statusCode === 404 || reply.statusCode === 400, `${each}: ${reply.statusCode}`);
  }
  for (const edge of ['/6/63/63', '/9/511/0', '/12/4095/4095', '/12/0/0'])
    assert.equal((await rig.get(`${root}${edge}`)).statusCode, 200, edge);
  assert.equal((await rig.get('/explore/backdrop/live/another-release/12/1/1')).statusCode, 404);
});

test('no text at all is a tile but three plain numbers within the zoom', async () => {
  const root = `/explore/backdrop/live/${releaseId()}`;
  const part = fc.oneof(fc.string(), fc.integer().map(String), fc.constantFrom('6', '9', '12', '0', '63'));
  await fc.assert(
    fc.asyncProperty(part, part, part, async (...parts) => {
      const reply = await rig.get(`${root}/${parts.map(encodeURIComponent).join('/')}`);
      const [z, x, y] = parts.map((text) => (/^(0|[1-9]\d*)$/.test(text) ? Number(text) : Number.NaN));
      const isTile =
        z !== undefined &&
        x !== undefined &&
        y !== undefined &&
        [6, 9, 12].includes(z) &&
        x < 2 ** z &&
        y < 2 ** z;
      assert.equal(reply.statusCode === 200, isTile);
    }),
    { numRuns: 200 },
  );
});

test('however many tiles are asked for at once, each is drawn in a turn of its own', async () => {
  const backdrop = openBackdrop(openHome(rig.home, layouts).releases.openCurrent());
  let turn = 0;
  let counting: NodeJS.Immediate | undefined;
  const count = () => {
    turn += 1;
    counting = setImmediate(count);
  };
  counting = setImmediate(count);
  const turns: number[] = [];
  const tiles = Array.from({ length: 60 }, async (_, at) => {
    await backdrop.tile({ z: 12, x: 2_000 + at, y: 1_300 });
    turns.push(turn);
  });
  await Promise.all(tiles);
  clearImmediate(counting);
  assert.equal(new Set(turns).size, tiles.length);
});

test('256 tiles are kept, those that were asked for last', async () => {
  const backdrop = openBackdrop(openHome(rig.home, layouts).releases.openCurrent());
  const tile = (x: number) => backdrop.tile({ z: 12, x, y: 100 });
  const [first, second] = [await tile(0), await tile(1)];
  for (let x = 2; x < 256; x += 1) await tile(x);
  assert.equal(await tile(0), first);
  // One more: it takes the place of the one that nobody asked for again.
  await tile(256);
  assert.equal(await tile(0), first);
  assert.notEqual(await tile(1), second);
});

test('a piece of an archive has 4 MiB at most, and numbers beyond any file are refused', async (context) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'domesday-tiles-'));
  const file = path.join(folder, 'uk.pmtiles');
  writeFileSync(file, '');
  truncateSync(file, 2 ** 23);
  const own = await openRig({ env: { DOMESDAY_TILES: file } });
  context.after(async () => {
    await own.close();
    rmSync(folder, { recursive: true });
  });
  const ask = async (range: string) => {
    const { statusCode, headers } = await own.get('/explore/tiles.pmtiles', undefined, { range });
    return [statusCode, headers['content-range']];
  };
  const most = 2 ** 22;
  assert.deepEqual(await ask(`bytes=0-${most - 1}`), [206, `bytes 0-${most - 1}/${2 ** 23}`]);
  assert.deepEqual(await ask(`bytes=${2 ** 23 - 1}-${2 ** 23 + 5}`), [
    206,
    `bytes ${2 ** 23 - 1}-${2 ** 23 - 1}/${2 ** 23}`,
  ]);
  for (const range of [
    `bytes=0-${most}`,
    `bytes=1-${most + 1}`,
    `bytes=${2 ** 23}-${2 ** 23}`,
    'bytes=999999999999999-999999999999999',
    'bytes=9999999999999999-9999999999999999',
    'bytes=-5',
    'bytes= 0-1',
    'bytes=0-1;',
    'items=0-1',
    'bytes=0x0-0x1',
    `bytes=${'0-1,'.repeat(2_000)}0-1`,
  ])
    assert.deepEqual(await ask(range), [400, undefined], range.slice(0, 40));
});
