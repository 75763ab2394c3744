// Extracts in every encoding of the format, cut off and damaged ones, regions put together, and what counts as what.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import {
  ByteWriter,
  framed,
  type Header,
  headerBlock,
  type OsmMap,
  type OsmRelation,
  type OsmTags,
  type Writing,
  writeOsm,
} from '../../../scripts/osm-pbf-writer.ts';
import { IngestRefused } from '../../../src/ingest/refusal.ts';
import type { Release } from '../../../src/release/reader.ts';
import { sourcesNamed } from '../../../src/sources/index.ts';
import {
  type Amenities,
  type AmenityKind,
  openAmenities,
  pointKinds,
} from '../../../src/tables/amenities/amenities.ts';
import { readBack } from '../../../src/tables/amenities/amenities-builder.ts';
import { openTestHome, type TestHome } from '../../ingest/home.ts';

const sandbox = readFileSync(path.join(import.meta.dirname, '../../../data/sandbox/map.osm.pbf'));
let home: TestHome;
beforeEach(() => {
  home = openTestHome();
});
afterEach(() => home.remove());

const header: Header = {
  boundsDegrees: [-0.2, 0.2, 51.6, 51.4],
  asOf: '2026-11-01T20:00:00Z',
  updatesUrl: 'https://download.example/europe/somewhere-updates',
};
const ingest = async (...contents: readonly Uint8Array[]) => {
  const paths = contents.map((content, at) => home.put(`extract-${at}.osm.pbf`, content));
  return await home.ingest(paths, sourcesNamed('openstreetmap'));
};
const load = async (map: OsmMap, writing?: Writing) => (await ingest(writeOsm(map, writing))).release;

const centre = { latitudeDegrees: 51.5, longitudeDegrees: 0 };
const everywhere = { ...centre, radiusMetres: 30_000 };
const countsOf = (table: Amenities) =>
  Object.fromEntries(
    [...pointKinds, 'park' as const]
      .map((kind): [AmenityKind, number] => [kind, table.countWithin(kind, everywhere)])
      .filter(([, count]) => count > 0),
  );
const placesOf = (release: Release) =>
  [...readBack(release)]
    .flatMap(({ found }) => found)
    .map((mapped) =>
      mapped.kind === 'park'
        ? `park ${mapped.object} ${[...mapped.outline]}`
        : `${mapped.kind} ${mapped.object} ${mapped.latitudeMicro},${mapped.longitudeMicro}`,
    );

const nano = (latitudeMicro: number, longitudeMicro: number) =>
  [latitudeMicro * 1000, longitudeMicro * 1000] as const;
const aNode = (id: number, tags: OsmTags, latitudeMicro = 51_500_000, longitudeMicro = 0) => ({
  id,
  nano: nano(latitudeMicro, longitudeMicro),
  tags,
});

const writings = fc.record({
  compression: fc.constantFrom('zlib', 'zstd', 'raw'),
  nodes: fc.constantFrom('dense', 'plain'),
  granularity: fc.constantFrom(1, 100, 1000),
  latitudeOffset: fc.constantFrom(0, 51_000_000_000, -7_000),
  longitudeOffset: fc.constantFrom(0, -2_000_000_000, 3_000),
  objectsPerBlob: fc.constantFrom(1, 2, 7, 8_000),
}) satisfies fc.Arbitrary<Writing>;

const spots = fc.array(
  fc.record({
    latitude: fc.integer({ min: 51_450_000, max: 51_550_000 }),
    longitude: fc.integer({ min: -150_000, max: 150_000 }),
    tags: fc.constantFrom<OsmTags | undefined>(
      undefined,
      { shop: 'supermarket' },
      { highway: 'crossing' },
      { amenity: 'cafe', name: 'Ünïcode café ☕' },
    ),
    gap: fc.constantFrom(1, 2, 300, 5_000_000_000),
  }),
  { minLength: 3, maxLength: 40 },
);

test('every way of writing the same objects gives the same places', async () => {
  await fc.assert(
    fc.asyncProperty(spots, writings, fc.boolean(), async (drawn, writing, isSorted) => {
      let id = 0;
      const nodes = drawn.map(({ latitude, longitude, tags, gap }) => {
        id += gap;
        return { id, nano: nano(latitude, longitude), ...(tags === undefined ? {} : { tags }) };
      });
      const ring = nodes.slice(0, 3).map((node) => node.id);
      const ways = [
        { id: 7, nodes: ring },
        { id: 8, nodes: [...ring, ...ring.slice(0, 1)], tags: { shop: 'convenience' } },
      ];
      const relations: OsmRelation[] = [
        {
          id: 9,
          members: [
            { type: 'node', id: 8, role: 'outer' },
            { type: 'way', id: 7, role: 'outer' },
            { type: 'way', id: 404, role: 'outer' },
          ],
          tags: { type: 'multipolygon', amenity: 'hospital' },
        },
      ];
      const optional = isSorted ? ['Sort.Type_then_ID'] : [];
      home.remove();
      home = openTestHome();
      const release = await load({ header: { ...header, optional }, nodes, ways, relations }, writing);
      const wanted = nodes.flatMap((node) => {
        const kind =
          node.tags === undefined ? undefined : { supermarket: 'supermarket' }[node.tags.shop ?? ''];
        const found = kind ?? (node.tags?.amenity === 'cafe' ? 'cafe' : undefined);
        return found === undefined
          ? []
          : [`${found} ${node.id * 4} ${node.nano[0] / 1000},${node.nano[1] / 1000}`];
      });
      const mean = (of: readonly { readonly nano: readonly [number, number] }[]) =>
        [0, 1].map((axis) =>
          Math.round(of.reduce((sum, { nano: at }) => sum + (at[axis] ?? 0) / 1000, 0) / of.length),
        );
      // A way that is open, or one of several, ends where the next begins.
      wanted.push(`convenience-store ${8 * 4 + 1} ${mean(nodes.slice(0, 3))}`);
      wanted.push(`hospital ${9 * 4 + 2} ${mean(nodes.slice(0, 2))}`);
      assert.deepEqual(placesOf(release).sort(), wanted.sort());
    }),
    { numRuns: 40 },
  );
});

test('a file that ends in the middle is refused, wherever it was cut', async () => {
  const ends = [...blobEnds(sandbox)];
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 24, max: sandbox.length - 1 }), async (length) => {
      fc.pre(!ends.includes(length));
      await assert.rejects(ingest(sandbox.subarray(0, length)), IngestRefused);
    }),
    { numRuns: 60 },
  );
  await assert.rejects(ingest(sandbox.subarray(0, ends[0])), /holds no objects/);
  await assert.rejects(
    ingest(sandbox.subarray(0, -1)),
    /is cut off: a blob ends at byte \d+, the file at \d+\. Download it again/,
  );
});

function* blobEnds(bytes: Buffer): Generator<number> {
  // Header: length, type (1), size (3), as the writer has them.
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const size = bytes.subarray(at + 4, at + 4 + length);
    let value = 0;
    for (let byte = 3 + (size[1] ?? 0), shift = 0; byte < size.length; byte += 1, shift += 7)
      value |= ((size[byte] ?? 0) & 127) << shift;
    at += 4 + length + value;
    yield at;
  }
}

test('a damaged byte is refused or is one that does not matter, and never another failure', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: sandbox.length - 1 }),
      fc.integer({ min: 1, max: 255 }),
      async (at, change) => {
        const damaged = Buffer.from(sandbox);
        damaged[at] = (damaged[at] ?? 0) ^ change;
        await ingest(damaged).catch((error) => assert.ok(error instanceof IngestRefused, String(error)));
      },
    ),
    { numRuns: 60 },
  );
  const inside = Buffer.from(sandbox);
  inside.fill(0x55, sandbox.length - 60, sandbox.length - 40);
  await assert.rejects(ingest(inside), /is damaged: the blob at byte \d+ cannot be unpacked/);
});

test('a blob that is shorter than it says is refused', async () => {
  const content = headerBlock(header);
  const blob = new ByteWriter()
    .number(2, content.length + 1)
    .bytes(3, deflateSync(content))
    .done();
  await assert.rejects(
    ingest(Buffer.concat([framed('OSMHeader', blob), framed('OSMData', blob)])),
    /cannot be unpacked/,
  );
});

test('damage behind a sound compression is the file’s fault too', async () => {
  const rubbish = fc.uint8Array({ minLength: 1, maxLength: 40 });
  const start = framed('OSMHeader', new ByteWriter().bytes(1, headerBlock(header)).done());
  await fc.assert(
    fc.asyncProperty(rubbish, async (content) => {
      const blob = framed('OSMData', new ByteWriter().bytes(1, content).done());
      await ingest(Buffer.concat([start, blob])).catch((error) =>
        assert.ok(error instanceof IngestRefused, String(error)),
      );
    }),
    { numRuns: 60 },
  );
});

const bare = (over: Partial<Header>): OsmMap => ({
  header: { ...header, ...over },
  nodes: [aNode(1, { amenity: 'pub' })],
  ways: [],
  relations: [],
});
const without = (name: keyof Header): OsmMap => {
  const { [name]: _, ...rest } = header;
  return { ...bare({}), header: rest };
};

test('what an extract must say and does not is named, with what to do', async () => {
  const required = ['OsmSchema-V0.6', 'DenseNodes', 'HistoricalInformation'];
  await assert.rejects(
    load(bare({ required })),
    /needs features that this program does not read \(HistoricalInformation\)/,
  );
  await assert.rejects(load(without('asOf')), /does not state its day.*--edition/);
  await assert.rejects(load(without('boundsDegrees')), /does not say what it covers.*--set-bounds/);
  await assert.rejects(load(bare({ boundsDegrees: [14, 15, 36, 35] })), /no part of the United Kingdom/);
  const lz4 = framed('OSMData', new ByteWriter().number(2, 3).bytes(6, Buffer.from('abc')).done());
  await assert.rejects(
    ingest(Buffer.concat([writeOsm(bare({})), lz4])),
    /has a compression that this program does not read.*expected zlib/,
  );
});

test('another binary file is none of ours, and is told so', async () => {
  await assert.rejects(ingest(Buffer.from([0, 0, 0, 13, 10, 9, 79, 83])), /binary and of an unknown kind/);
});

test('day, edition and regions come from the header', async () => {
  const { sources, release } = await ingest(writeOsm(bare({})));
  assert.deepEqual([sources[0]?.asOf, sources[0]?.read, sources[0]?.kept], ['2026-11-01', 1, 1]);
  const dataset = release.findDataset('amenities');
  assert.equal(dataset?.attribution, '© OpenStreetMap contributors, openstreetmap.org/copyright');
  assert.match(dataset?.coverage['United Kingdom'] ?? '', /^somewhere;/);
});

test('kinds follow the tags; what is closed, private, unnamed or of another kind is left out', async () => {
  const cases: readonly (readonly [OsmTags, readonly AmenityKind[]])[] = [
    [{ amenity: 'pharmacy', healthcare: 'pharmacy' }, ['pharmacy']],
    [{ shop: 'convenience', amenity: 'post_office' }, ['convenience-store', 'post-office']],
    [{ amenity: 'pub;restaurant' }, ['pub-or-bar', 'restaurant']],
    [{ amenity: 'bar; pub' }, ['pub-or-bar']],
    [{ healthcare: 'doctor' }, ['gp']],
    [{ healthcare: 'dentist' }, ['dentist']],
    [{ amenity: 'fast_food' }, ['takeaway']],
    [{ leisure: 'fitness_centre' }, ['gym']],
    [{ leisure: 'nature_reserve', name: 'Old Quarry', disused: 'yes' }, ['park']],
    [{ leisure: 'recreation_ground', name: 'The Rec', access: 'permissive' }, ['park']],
    [{ amenity: 'bicycle_rental', bicycle_rental: 'docking_station' }, ['cycle-hire']],
    [{ amenity: 'bicycle_rental', bicycle_rental: 'shop' }, []],
    [{ amenity: 'bicycle_rental', shop: 'bicycle' }, []],
    [{ leisure: 'park' }, []],
    [{ leisure: 'garden', name: 'Mine' }, []],
    [{ leisure: 'park', name: 'Estate', access: 'private' }, []],
    [{ leisure: 'playground', access: 'no' }, []],
    [{ 'disused:shop': 'supermarket', name: 'Gone' }, []],
    [{ shop: 'vacant', amenity: 'cafe' }, []],
    [{ shop: 'supermarket', disused: 'yes' }, []],
    [{ amenity: 'library', abandoned: 'yes' }, []],
    [{ amenity: 'bench' }, []],
  ];
  const nodes = cases.map(([tags], at) => aNode(at + 1, tags));
  const found = placesOf(await load({ header, nodes, ways: [], relations: [] }));
  for (const [at, [tags, kinds]] of cases.entries()) {
    const own = found.map((text) => text.split(' ')).filter(([, object]) => Number(object) === (at + 1) * 4);
    assert.deepEqual(own.map(([kind]) => kind).sort(), [...kinds].sort(), JSON.stringify(tags));
  }
});

const square = (first: number, latitude: number, longitude: number) =>
  [
    [0, 0],
    [0, 900],
    [900, 900],
    [900, 0],
  ].map(([north = 0, east = 0], at) => ({
    id: first + at,
    nano: nano(latitude + north, longitude + east),
  }));
const around = (first: number) => [first, first + 1, first + 2, first + 3, first];

test('a thing that is drawn twice counts once: a node in its area, an outline and its relation', async () => {
  const nodes = [
    ...square(1, 51_500_000, 0),
    ...square(11, 51_510_000, 0),
    aNode(21, { shop: 'supermarket', name: 'co-op ' }, 51_500_400, 400),
    aNode(22, { shop: 'supermarket', name: 'Another' }, 51_500_400, 400),
    aNode(23, { shop: 'supermarket', name: 'Co-op' }, 51_505_000, 400),
    aNode(24, { amenity: 'cafe', name: 'Co-op' }, 51_500_400, 400),
  ];
  const ways = [
    { id: 1, nodes: around(1), tags: { shop: 'supermarket', name: 'Co-op' } },
    { id: 2, nodes: around(11), tags: { leisure: 'park', name: 'The Green' } },
  ];
  const members = [{ type: 'way', id: 2, role: 'outer' }] as const;
  const relations = [{ id: 3, members, tags: { type: 'multipolygon', leisure: 'park', name: 'The Green' } }];
  const { release, sources } = await ingest(writeOsm({ header, nodes, ways, relations }));
  assert.deepEqual(countsOf(openAmenities(release)), { supermarket: 3, cafe: 1, park: 1 });
  assert.equal(sources[0]?.noted[0]?.count, 1);
});

test('a park is as near as the nearest node of its outline, a shop as the middle of its', async () => {
  const nodes = square(1, 51_500_000, 0);
  const ways = [
    { id: 1, nodes: around(1), tags: { leisure: 'park', name: 'The Green' } },
    { id: 2, nodes: around(1), tags: { shop: 'supermarket' } },
    { id: 3, nodes: [901, 902], tags: { shop: 'supermarket' } },
  ];
  const { release, sources } = await ingest(writeOsm({ header, nodes, ways, relations: [] }));
  const table = openAmenities(release);
  assert.equal(table.findNearestMetres('park', centre, 100), 0);
  assert.equal(Math.round(table.findNearestMetres('supermarket', centre, 100) ?? 0), 59);
  assert.deepEqual(
    sources[0]?.rejected.map(({ reason, count }) => [reason, count]),
    [['none of its nodes is in the file', 1]],
  );
});

/** A rectangle with its boundary, in two pieces, and shops of these ids in its middle. */
function region(name: string, asOf: string, west: number, east: number, shops: readonly number[]): OsmMap {
  const corners = [
    [51.4, west],
    [51.4, east],
    [51.6, east],
    [51.6, west],
  ];
  const first = Math.round(1e6 * (west + 10));
  return {
    header: {
      boundsDegrees: [west, east, 51.6, 51.4],
      asOf,
      updatesUrl: `https://x.example/${name}-updates`,
    },
    nodes: [
      ...shops.map((id) => aNode(id, { shop: 'supermarket' }, 51_500_000, 1e6 * ((west + east) / 2))),
      ...corners.map(([latitude = 0, longitude = 0], at) => ({
        id: first + at,
        nano: nano(1e6 * latitude, 1e6 * longitude),
      })),
    ],
    ways: [
      { id: first, nodes: [first, first + 1, first + 2] },
      { id: first + 1, nodes: [first, first + 3, first + 2] },
    ],
    relations: [
      {
        id: first,
        members: [first, first + 1].map((id) => ({ type: 'way', id, role: 'outer' })),
        tags: { type: 'boundary', boundary: 'administrative', admin_level: '6' },
      },
    ],
  };
}

test('regions together count what both have once, and cover what reaches over their border', async () => {
  const west = writeOsm(region('west', '2026-10-01T00:00:00Z', -0.3, 0, [1, 2, 3]));
  const east = writeOsm(region('east', '2026-11-01T00:00:00Z', 0, 0.3, [3, 4]));
  const together = await ingest(west, east);
  const table = openAmenities(together.release);
  assert.deepEqual(countsOf(table), { supermarket: 4 });
  assert.ok(table.covers(centre, 3_000));
  assert.equal(together.sources[0]?.edition, '2026-10-01 to 2026-11-01');
  assert.equal(together.sources[0]?.asOf, '2026-10-01');
  const places = placesOf(together.release).sort();
  home.remove();
  home = openTestHome();
  const alone = openAmenities((await ingest(west)).release);
  assert.ok(!alone.covers(centre, 3_000), 'one of them does not reach over it');
  assert.ok(alone.covers({ ...centre, longitudeDegrees: -0.1 }, 3_000));
  const after = await ingest(east);
  assert.deepEqual(placesOf(after.release).sort(), places);
  assert.ok(openAmenities(after.release).covers(centre, 3_000));
});

test('a second region that is older is no stale copy, and its day is that of the map; a newer edition of it moves the day on', async () => {
  const east = (asOf: string) => writeOsm(region('east', asOf, 0, 0.3, [3, 4]));
  const told = ({ sources }: Awaited<ReturnType<typeof ingest>>) => [
    sources[0]?.outcome,
    sources[0]?.asOf,
    sources[0]?.rows,
  ];
  const west = writeOsm(region('west', '2026-11-01T00:00:00Z', -0.3, 0, [1, 2]));
  assert.deepEqual(told(await ingest(west)), ['loaded', '2026-11-01', 2]);
  assert.deepEqual(told(await ingest(east('2026-09-01T00:00:00Z'))), ['loaded', '2026-09-01', 4]);
  assert.deepEqual(told(await ingest(east('2026-10-01T00:00:00Z'))), ['loaded', '2026-10-01', 4]);
  for (const [day, older] of [
    ['2026-10-01', east('2026-09-01T00:00:00Z')],
    ['2026-11-01', writeOsm(region('west', '2026-10-15T00:00:00Z', -0.3, 0, [1, 2]))],
  ] as const)
    await assert.rejects(ingest(older), /older than the data that covers its area already/, day);
});

test('a newer edition of a region takes the place of the one before, an older one is refused', async () => {
  const edition = (asOf: string, shops: readonly number[]) => writeOsm(region('west', asOf, -0.3, 0, shops));
  await ingest(edition('2026-10-01T00:00:00Z', [1, 2]));
  const { release, sources } = await ingest(edition('2026-10-08T00:00:00Z', [2, 5, 6]));
  assert.deepEqual(countsOf(openAmenities(release)), { supermarket: 3 });
  assert.deepEqual(sources[0]?.revised, [{ reason: 'no longer on the map', count: 1, places: ['node 1'] }]);
  await assert.rejects(
    ingest(edition('2026-10-01T00:00:00Z', [1, 2])),
    /is older than the data that covers its area/,
  );
  const smaller = await ingest(writeOsm(region('west', '2026-10-15T00:00:00Z', -0.3, -0.16, [7])));
  assert.deepEqual(countsOf(openAmenities(smaller.release)), { supermarket: 1 });
  assert.ok(!openAmenities(smaller.release).covers({ ...centre, longitudeDegrees: -0.1 }));
});

test('an extract that a newer and larger one covers wholly is replaced by it', async () => {
  // So near to the edge of the larger one that it could lack something there.
  await ingest(writeOsm(region('small', '2026-10-01T00:00:00Z', -0.3, -0.28, [1, 2])));
  const { release } = await ingest(writeOsm(region('large', '2026-11-01T00:00:00Z', -0.3, 0.3, [2, 3, 4])));
  assert.deepEqual(countsOf(openAmenities(release)), { supermarket: 3 });
});

test('well inside a newer extract an older and larger one adds nothing', async () => {
  const large = writeOsm(region('large', '2026-10-01T00:00:00Z', -0.3, 0.3, [1, 2]));
  const small = writeOsm(region('small', '2026-11-01T00:00:00Z', -0.1, 0.1, [2]));
  await ingest(large);
  const { release, sources } = await ingest(small);
  assert.deepEqual(countsOf(openAmenities(release)), { supermarket: 1 });
  assert.deepEqual(sources[0]?.revised, [{ reason: 'no longer on the map', count: 1, places: ['node 1'] }]);
  assert.ok(openAmenities(release).covers({ ...centre, longitudeDegrees: 0.2 }, 3_000));
});

test('a boundary of which a piece is missing covers nothing', async () => {
  const whole = region('west', '2026-10-01T00:00:00Z', -0.3, 0, [1]);
  const cut = {
    ...whole,
    ways: whole.ways.slice(1),
    header: { ...whole.header, boundsDegrees: [-0.05, 0, 51.6, 51.4] },
  } as const;
  const inland = { latitudeDegrees: 51.5, longitudeDegrees: -0.15 };
  assert.ok(openAmenities(await load(whole)).covers(inland));
  home.remove();
  home = openTestHome();
  assert.ok(!openAmenities(await load(cut)).covers(inland), 'only the bounds of the header');
  home.remove();
  home = openTestHome();
  const relations = whole.relations.map((relation) => ({ ...relation, members: relation.members.slice(1) }));
  const open = { ...cut, ways: whole.ways, relations };
  assert.ok(!openAmenities(await load(open)).covers(inland), 'what is there does not close');
});

/** A node every hundred metres or so along a line of longitude, as one way of the coast. */
function coastAlong(id: number, longitudeMicro: number, south: number, north: number) {
  const first = id * 10_000;
  const count = Math.round((north - south) * 1_000) + 1;
  const nodes = Array.from({ length: count }, (_, at) => ({
    id: first + at,
    nano: nano(Math.round(1e6 * south) + 1_000 * at, longitudeMicro),
  }));
  return { nodes, way: { id, nodes: nodes.map((node) => node.id), tags: { natural: 'coastline' } } };
}

const withCoast = (map: OsmMap, ...coasts: readonly ReturnType<typeof coastAlong>[]): OsmMap => ({
  ...map,
  nodes: [...map.nodes, ...coasts.flatMap(({ nodes }) => nodes)],
  ways: [...map.ways, ...coasts.map(({ way }) => way)],
});

const boundsTo = (map: OsmMap, east: number): OsmMap => ({
  ...map,
  header: { ...map.header, boundsDegrees: [-0.3, east, 51.6, 51.4] },
});

test('off a covered coast the sea hides nothing, as far as the bounds go and no other land can be', async () => {
  const whole = region('west', '2026-10-01T00:00:00Z', -0.3, 0, [1]);
  const shore = coastAlong(5, 1_000, 51.35, 51.65);
  const onShore = { latitudeDegrees: 51.5, longitudeDegrees: -0.003 };
  const covers = async (map: OsmMap, place = onShore, metres = 3_000) => {
    home.remove();
    home = openTestHome();
    return openAmenities(await load(map)).covers(place, metres);
  };
  const open = withCoast(boundsTo(whole, 0.3), shore);
  assert.ok(await covers(open), 'towards the sea');
  assert.ok(await covers(open, { ...onShore, longitudeDegrees: 0.0005 }, 0), 'on the shore');
  assert.ok(!(await covers(open, { ...onShore, longitudeDegrees: -0.297 })), 'towards the land');
  assert.ok(!(await covers(open, { ...onShore, longitudeDegrees: 0.03 }, 0)), 'nobody lives on the sea');
  assert.ok(!(await covers(withCoast(boundsTo(whole, 0.02), shore))), 'beyond the bounds nothing is known');
  const { boundsDegrees: _, ...unbounded } = open.header;
  assert.ok(!(await covers({ ...open, header: unbounded })), 'nor without bounds');
  // Three kilometres of water, and the other shore.
  const across = coastAlong(6, 43_000, 51.35, 51.65);
  assert.ok(!(await covers(withCoast(open, across))), 'another coast is near');
  assert.ok(await covers(withCoast(open, across), onShore, 1_000), 'but not so near');
  // The coastline ends where the region does: the shore of the neighbour may be anywhere beyond.
  const ends = withCoast(boundsTo(whole, 0.3), coastAlong(5, 1_000, 51.4, 51.5));
  assert.ok(!(await covers(ends)), 'at the end of the coastline');
  assert.ok(await covers(ends, { ...onShore, latitudeDegrees: 51.465 }, 1_000), 'far from its end');
});

test('an extract that was cut to a rectangle ends exactly there, by the sea as well', async () => {
  const box = {
    header: { boundsDegrees: [-0.1003, 0.0997, 51.5507, 51.4491], asOf: '2026-10-01T00:00:00Z' },
    nodes: [aNode(1, { amenity: 'hospital' })],
    ways: [],
    relations: [],
  } satisfies OsmMap;
  const coasts = [-100_000, 99_000].map((longitude, at) => coastAlong(5 + at, longitude, 51.4, 51.6));
  for (const map of [box, withCoast(box, ...coasts)]) {
    home.remove();
    home = openTestHome();
    const table = openAmenities(await load(map));
    const inBox = fc.record({
      latitude: fc.double({ min: 51.44, max: 51.56, noNaN: true }),
      longitude: fc.double({ min: -0.11, max: 0.11, noNaN: true }),
      metres: fc.constantFrom(0, 100, 800, 1_600, 3_000, 5_000),
    });
    fc.assert(
      fc.property(inBox, ({ latitude, longitude, metres }) => {
        const [west, east, north, south] = box.header.boundsDegrees;
        // The points of the circle that lie farthest out, a metre in and a metre off.
        const reaches = (more: number) => {
          const tall = (metres + more) / 111_195;
          const wide = tall / Math.cos((latitude * Math.PI) / 180);
          return (
            latitude - tall >= south &&
            latitude + tall <= north &&
            longitude - wide >= west &&
            longitude + wide <= east
          );
        };
        const covered = table.covers({ latitudeDegrees: latitude, longitudeDegrees: longitude }, metres);
        if (covered) assert.ok(reaches(-3), 'covered though it leaves the map');
        else assert.ok(!reaches(6), 'not covered though all of it is on the map');
      }),
    );
    const again = openAmenities(
      (await ingest(writeOsm(region('far', '2026-10-02T00:00:00Z', 0.5, 0.8, [2])))).release,
    );
    assert.ok(again.covers({ latitudeDegrees: 51.4996, longitudeDegrees: 0 }, 5_600), 'after another load');
  }
});

test('bounds that an extract does not fill are not what it covers, nor is what a tool has completed', async () => {
  const filling = (places: readonly (readonly [number, number])[]) =>
    places.map(([latitude, longitude], at) => ({ id: 100_000 + at, nano: nano(latitude, longitude) }));
  const grid = Array.from({ length: 12_000 }, (_, at): readonly [number, number] => [
    51_400_500 + 1_660 * Math.floor(at / 100),
    -199_500 + 4_000 * (at % 100),
  ]);
  const map = (places: typeof grid): OsmMap => ({ header, nodes: filling(places), ways: [], relations: [] });
  assert.ok(openAmenities(await load(map(grid))).covers(centre, 3_000), 'filled to the corners');
  const isInDiamond = ([latitude, longitude]: readonly [number, number]) =>
    Math.abs(latitude - 51_500_000) / 100_000 + Math.abs(longitude) / 200_000 < 1;
  const diamond = grid.filter(isInDiamond);
  await assert.rejects(load(map([...diamond, ...diamond])), /does not say what it covers.*Geofabrik/);
  home.remove();
  home = openTestHome();
  // The whole boundary of an authority that lies partly in the rectangle.
  const wide = region('west', '2026-10-01T00:00:00Z', -0.3, 0.3, [1]);
  const box = {
    ...wide,
    header: { boundsDegrees: [-0.1, 0.1, 51.6, 51.4], asOf: '2026-10-01T00:00:00Z' },
  } as const;
  const table = openAmenities(await load(box));
  assert.ok(table.covers(centre, 1_000));
  assert.ok(!table.covers({ ...centre, longitudeDegrees: 0.2 }));
});
