// The ground of the map: each tile has exactly the postcodes that a look at every single one finds in it, and is short, kept for
// good, and of one release alone.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { PostcodeCells, writeCells } from '../../src/backdrop/survey.ts';
import { latitudeAt, longitudeAt, worldOf } from '../../src/backdrop/tile-address.ts';
import { openHome } from '../../src/release/store.ts';
import { layouts } from '../../src/tables/index.ts';
import { openPostcodes } from '../../src/tables/postcodes/postcodes.ts';
import { openRig, type Rig } from '../rig.ts';

type Tile = {
  readonly grid: number;
  readonly cells: readonly number[];
  readonly counts: string;
  readonly parks: readonly { readonly outline: readonly number[] }[];
  readonly stations: readonly { readonly name: string; readonly x: number; readonly y: number }[];
  readonly names: readonly { readonly name: string; readonly postcodes: number }[];
};
type Point = readonly [latitudeMicro: number, longitudeMicro: number];

let rig: Rig;
before(async () => {
  rig = await openRig();
});
after(() => rig.close());

/** Cell by cell, how many. */
function countsIn({ cells, counts }: Pick<Tile, 'cells' | 'counts'>): ReadonlyMap<number, number> {
  let cell = 0;
  return new Map(
    cells.map((step, at) => {
      cell += step;
      return [cell, Number.parseInt(counts.charAt(at), 36)];
    }),
  );
}

/** By the formula of the projection, point by point. */
function naiveCounts(
  points: readonly Point[],
  { z, x, y }: { readonly z: number; readonly x: number; readonly y: number },
  side: number,
): ReadonlyMap<number, number> {
  const sums = new Map<number, number>();
  for (const [latitude, longitude] of points) {
    const world = worldOf(latitude / 1e6, longitude / 1e6);
    const [column, row] = [world.x * 2 ** z - x, world.y * 2 ** z - y];
    if (column < 0 || row < 0 || column >= 1 || row >= 1) continue;
    const cell = Math.floor(row * side) * side + Math.floor(column * side);
    sums.set(cell, (sums.get(cell) ?? 0) + 1);
  }
  return new Map([...sums].sort(([a], [b]) => a - b).map(([cell, count]) => [cell, Math.min(35, count)]));
}

const knot = fc
  .tuple(fc.nat(900), fc.nat(900))
  .map(([north, east]): Point => [51_450_000 + 61 * north, -170_000 + 97 * east]);
const anywhere = fc.tuple(
  fc.integer({ min: 49_000_000, max: 61_000_000 }),
  fc.integer({ min: -8_900_000, max: 2_400_000 }),
);
/** As near to the edge of a tile as a millionth of a degree allows. */
const atAnEdge = fc
  .tuple(fc.integer({ min: 1_950, max: 2_070 }), fc.integer({ min: 1_190, max: 1_410 }), fc.nat(2), fc.nat(2))
  .map(
    ([x, y, north, east]): Point => [
      Math.round(latitudeAt(y / 4_096) * 1e6) + north - 1,
      Math.round(longitudeAt(x / 4_096) * 1e6) + east - 1,
    ],
  );
const points = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: knot },
    { weight: 1, arbitrary: anywhere },
    { weight: 2, arbitrary: atAnEdge },
  ),
  { minLength: 1, maxLength: 900, size: 'max' },
);

test('the cells of any tile have the postcodes that the projection puts there, and no other', async () => {
  await fc.assert(
    fc.asyncProperty(points, fc.nat(), async (given, chosen) => {
      const cells = new PostcodeCells();
      for (const [latitude, longitude] of given) {
        const { x, y } = worldOf(latitude / 1e6, longitude / 1e6);
        cells.add(x, y);
      }
      const [latitude, longitude] = given[chosen % given.length] ?? assert.fail();
      const world = worldOf(latitude / 1e6, longitude / 1e6);
      for (const z of [6, 9, 12] as const) {
        const [x, y] = [Math.floor(world.x * 2 ** z), Math.floor(world.y * 2 ** z)];
        const written = writeCells((await cells.gridOf({ z, x, y })) ?? assert.fail('nobody lives there'));
        assert.equal(written.grid, { 6: 256, 9: 512, 12: 1_024 }[z]);
        assert.deepEqual([...countsIn(written)], [...naiveCounts(given, { z, x, y }, written.grid)]);
      }
      // The sea.
      for (const z of [6, 9, 12] as const) assert.equal(await cells.gridOf({ z, x: 0, y: 0 }), undefined);
    }),
    { numRuns: 60 },
  );
});

test('a grid that would be too long to send becomes a coarser one that has as many postcodes', () => {
  const counts = new Uint16Array(512 ** 2).fill(1);
  const {
    grid,
    cells,
    counts: digits,
  } = writeCells({
    side: 512,
    counts,
    filled: Uint32Array.from(counts.keys()),
  });
  assert.ok(grid < 512);
  assert.equal(cells.length, grid ** 2);
  assert.ok(JSON.stringify({ cells, digits }).length <= 60_000);
  assert.equal(digits, String(Math.min(35, (512 / grid) ** 2).toString(36)).repeat(grid ** 2));
});

const read = async (target: string) => {
  const reply = await rig.get(target);
  return { status: reply.statusCode, headers: reply.headers, text: reply.body, body: reply.json() };
};

const tileAt = (template: string, z: number, [latitude, longitude]: Point) => {
  const world = worldOf(latitude / 1e6, longitude / 1e6);
  const [x, y] = [Math.floor(world.x * 2 ** z), Math.floor(world.y * 2 ** z)];
  const target = template.replace('{z}', String(z)).replace('{x}', String(x)).replace('{y}', String(y));
  return { target, z, x, y };
};

for (const which of ['live', 'sandbox'] as const) {
  test(`${which}: without a key, every level of every place has its postcodes, is short and is kept for good`, async () => {
    const { status, body, headers } = await read(`/explore/backdrop/${which}`);
    assert.equal(status, 200);
    assert.equal(headers['cache-control'], 'no-cache');
    assert.ok(body.attributions.length > 0);
    const { releases, sandbox } = openHome(rig.home, layouts);
    const release = (which === 'live' ? releases : sandbox).openCurrent();
    assert.equal(body.release, release.id);
    const points: Point[] = [];
    openPostcodes(release).eachInUse((_, latitude, longitude) => points.push([latitude, longitude]));
    for (const z of body.levels) {
      const seen = new Set<string>();
      let total = 0;
      for (const point of points) {
        const { target, ...tile } = tileAt(body.tile, z, point);
        if (seen.has(target)) continue;
        seen.add(target);
        const reply = await read(target);
        assert.equal(reply.status, 200, target);
        assert.equal(reply.headers['cache-control'], 'public, max-age=31536000, immutable');
        assert.ok(reply.text.length <= 60_000, `${target} has ${reply.text.length} bytes`);
        const told: Tile = reply.body;
        const expected = naiveCounts(points, tile, told.grid);
        assert.deepEqual([...countsIn(told)], [...expected], target);
        total += points.filter((one) => tileAt(body.tile, z, one).target === target).length;
      }
      assert.equal(total, points.length);
    }
  });
}

test('the fictional town has its stations, parks and names, each within its tile', async () => {
  const { body } = await read('/explore/backdrop/sandbox');
  const { sandbox } = openHome(rig.home, layouts);
  const stationsSeen = new Set<string>();
  const namesSeen = new Map<string, number>();
  let parks = 0;
  const seen = new Set<string>();
  const postcodes = openPostcodes(sandbox.openCurrent());
  const targets: string[] = [];
  postcodes.eachInUse((_, latitude, longitude) => {
    const { target } = tileAt(body.tile, 12, [latitude, longitude]);
    if (!seen.has(target)) targets.push(target);
    seen.add(target);
  });
  for (const target of targets) {
    const told: Tile = (await read(target)).body;
    parks += told.parks.length;
    for (const { outline } of told.parks) assert.ok(outline.length >= 6 && outline.length <= 32);
    for (const { name, x, y } of told.stations) {
      stationsSeen.add(name);
      assert.ok(Math.min(x, y) >= 0 && Math.max(x, y) < 1_000, name);
    }
    for (const { name, postcodes: count } of told.names) namesSeen.set(name, count);
  }
  assert.ok(parks > 0, 'parks');
  assert.ok(stationsSeen.size > 0, 'stations');
  assert.ok(namesSeen.has('Zedbury Market'), [...namesSeen.keys()].join());
});

test('a tile of another release, of another zoom, or beyond the world is no tile, and the answer says where to look', async () => {
  const { body } = await read('/explore/backdrop/live');
  const good = tileAt(body.tile, 12, [51_554_500, -3_027_100]).target;
  assert.equal((await read(good)).status, 200);
  for (const bad of [
    good.replace(body.release, 'another'),
    good.replace('/12/', '/11/'),
    `${good}/1`,
    good.replace(/\d+$/, '4096'),
    good.replace(/\d+$/, '-1'),
    good.replace(/\d+$/, '1e3'),
    '/explore/backdrop/live/',
  ]) {
    const { status, body: told } = await read(bad);
    assert.equal(status, 404, bad);
    assert.match(told.error.message, /ask \/explore\/backdrop\/live/);
  }
});

test('a ground that there is none of is no page of a place', async () => {
  for (const bad of ['/explore/backdrop/NOTHING', '/explore/backdrop/', '/explore/backdrop/lives/1/12/1/1']) {
    const { status, body: told } = await read(bad);
    assert.equal(status, 404, bad);
    assert.match(told.error.message, /\/explore\/backdrop\/live .*\/explore\/backdrop\/sandbox/);
  }
});
