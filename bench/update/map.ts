// A made-up extract as large as the United Kingdom's: the same shares of plain nodes, buildings, streets, tagged and
// wanted objects, version and time of each; one dense centre. The same bytes at every run.
// Blobs of nodes repeat a hundred walks at other places and with other ids, as making up each would take long.

import { closeSync, openSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import {
  asGeofabrik,
  ByteWriter,
  block,
  framed,
  headerBlock,
  packedBlob,
  putTags,
  StringTable,
} from '../../scripts/osm-pbf-writer.ts';
import { pickFrom, randomFrom } from '../../scripts/random.ts';

const centre = { latitudeDegrees: 51.513, longitudeDegrees: -0.131 };

const perBlob = 8_000;
const ahead = 6;
const pack = promisify(deflate);
/** Steps of 100 nano degrees, as files have them. */
const perDegree = 1e7;
const [west, east, north, south] = [-6, 1.5, 58.5, 50] as const;
const firstNode = 1_000_001;
const borderNodes = 4;

const random = randomFrom(7);
const below = (limit: number) => Math.floor(random() * limit);
const pick = <T>(items: readonly T[]): T => pickFrom(items, random);

type Pair = readonly [string, string];
/** What is more common stands there more often. */
const pair = (key: string, values: string) => values.split(' ').map((value): Pair => [key, value]);
const shops = [
  ...pair('shop', 'supermarket convenience convenience hairdresser clothes vacant'),
  ...pair('amenity', 'restaurant restaurant cafe cafe fast_food fast_food pub pub bar'),
  ...pair('amenity', 'pharmacy dentist doctors bank post_office library bicycle_rental'),
  ...pair('leisure', 'playground fitness_centre sports_centre'),
];
const sites = [
  ...pair('leisure', 'park park park nature_reserve recreation_ground playground playground'),
  ...pair('shop', 'supermarket supermarket convenience'),
  ...pair('amenity', 'pub pub restaurant hospital doctors library school parking parking'),
  ...pair('leisure', 'pitch garden sports_centre'),
];
const furniture = [
  ...pair('natural', 'tree tree tree'),
  ...pair('highway', 'crossing bus_stop street_lamp give_way turning_circle'),
  ...pair('barrier', 'gate bollard stile'),
  ...pair('amenity', 'bench waste_basket post_box bicycle_parking'),
  ...pair('addr:housenumber', '1 2 3 12 14 25'),
];
const places = [
  ...pair('building', 'yes yes yes yes yes house house garage residential'),
  ...pair('highway', 'residential service footway'),
  ...pair('natural', 'wood'),
  ...pair('landuse', 'farmland'),
  ...pair('waterway', 'stream'),
];

/** A name of its own for most things. */
const nameOf = () =>
  `${pick(['The', 'Old', 'New', 'Royal'])} ${pick(['Crown', 'Oak', 'Mill', 'Green'])} ${below(60_000)}`;

const putPair = (into: ByteWriter, [key, value]: Pair, strings: StringTable) =>
  into.varint(strings.number(key)).varint(strings.number(value));

/** Columns of a blob of nodes after its first one, which is where it lies: what follows are differences. */
type Walk = {
  readonly strings: Buffer;
  readonly latitudes: Buffer;
  readonly longitudes: Buffer;
  readonly info: Buffer;
  readonly tags: Buffer;
};

/** One in 800 nodes is something to us, one in 20 has tags: as in the country. */
function makeWalk(): Walk {
  const strings = new StringTable();
  const latitudes = new ByteWriter();
  const longitudes = new ByteWriter();
  const versions = new ByteWriter();
  const times = new ByteWriter();
  const tags = new ByteWriter();
  let [latitude, longitude] = [0, 0];
  for (let at = 0; at < perBlob; at += 1) {
    const isLeap = random() < 0.02;
    const north = isLeap ? below(300_000) - 150_000 - latitude : below(4_000) - 2_000;
    const east = isLeap ? below(500_000) - 250_000 - longitude : below(6_000) - 3_000;
    if (at > 0) {
      latitude += north;
      longitude += east;
      latitudes.zigzag(north);
      longitudes.zigzag(east);
    }
    versions.varint(1 + below(3));
    times.zigzag(below(40_000) - 20_000);
    const lot = random();
    if (lot < 1 / 800) {
      putPair(tags, pick(shops), strings);
      putPair(tags, ['name', nameOf()], strings);
    } else if (lot < 1 / 20) putPair(tags, pick(furniture), strings);
    tags.varint(0);
  }
  return {
    strings: strings.done(),
    latitudes: latitudes.done(),
    longitudes: longitudes.done(),
    info: new ByteWriter().bytes(1, versions.done()).bytes(2, times.done()).done(),
    tags: tags.done(),
  };
}

const walks: Walk[] = [];
const centralBlobs = new Set<number>();
const nextIds = Buffer.alloc(perBlob - 1, 2);

/** A whole blob: one of the walks, somewhere; one in sixty in the centre, as the map is densest where the shops are. */
function nodesBlock(first: number): Buffer {
  while (walks.length < 100) walks.push(makeWalk());
  const { strings, latitudes, longitudes, info, tags } = pick(walks);
  const isCentral = random() < 1 / 60;
  if (isCentral) centralBlobs.add((first - firstNode) / perBlob);
  const latitude = isCentral ? centre.latitudeDegrees : south + 0.1 + random() * (north - south - 0.2);
  const longitude = isCentral ? centre.longitudeDegrees : west + 0.1 + random() * (east - west - 0.2);
  const after = (value: number, rest: Buffer) =>
    Buffer.concat([new ByteWriter().zigzag(Math.round(value)).done(), rest]);
  const dense = new ByteWriter()
    .bytes(1, after(first, nextIds))
    .bytes(5, info)
    .bytes(8, after(latitude * perDegree, latitudes))
    .bytes(9, after(longitude * perDegree, longitudes))
    .bytes(10, tags);
  const group = new ByteWriter().bytes(2, dense.done());
  return new ByteWriter().bytes(1, strings).bytes(2, group.done()).done();
}

/** The corners of the country. */
function cornersBlock(first: number): Buffer {
  const corners = [0, 1, 2, 3].map(cornerAt);
  const ids = corners.map((_, at) => first + at);
  const latitudes = corners.map(([latitude]) => latitude);
  const longitudes = corners.map(([, longitude]) => longitude);
  const dense = new ByteWriter().packedDeltas(1, ids).packedDeltas(8, latitudes).packedDeltas(9, longitudes);
  return block(asGeofabrik, () => new ByteWriter().bytes(2, dense.done()).done());
}

const cornerAt = (corner: number): [number, number] => [
  (corner < 2 ? south : north) * perDegree,
  (corner % 3 === 0 ? west : east) * perDegree,
];

const wayFields = {
  keys: new ByteWriter(),
  values: new ByteWriter(),
  nodes: new ByteWriter(),
  info: new ByteWriter(),
  way: new ByteWriter(),
};

/** Where a way begins: nine of ten that would be in the centre are elsewhere, as parks are fewer where shops are. */
function pickStart(nodes: number): number {
  const start = below(nodes - 100);
  const isCentral = centralBlobs.has(Math.floor(start / perBlob));
  return isCentral && random() < 0.9 ? below(nodes - 100) : start;
}

/** One in 60 ways is a site of some kind, with 30 nodes on average, others 8; coast and boundary at the end. */
function waysBlock(first: number, count: number, lastWay: number, nodes: number): Buffer {
  const { keys, values, nodes: refs, info, way } = wayFields;
  return block(asGeofabrik, (strings) => {
    const group = new ByteWriter();
    for (let at = 0; at < count; at += 1) {
      const id = first + at;
      const isBorder = id === lastWay;
      const isSite = !isBorder && random() < 1 / 60;
      const isCoast = !isBorder && !isSite && random() < 1 / 600;
      const pairs: Pair[] = isSite
        ? [pick(sites), ['name', nameOf()]]
        : isCoast
          ? [['natural', 'coastline']]
          : [pick(places)];
      keys.clear();
      values.clear();
      for (const [key, value] of pairs) {
        keys.varint(strings.number(key));
        values.varint(strings.number(value));
      }
      const length = isBorder ? borderNodes : isSite ? 4 + below(52) : isCoast ? 80 : 4 + below(9);
      const from = isBorder ? firstNode + nodes : firstNode + pickStart(nodes);
      refs.clear().zigzag(from);
      for (let step = 1; step < length; step += 1) refs.zigzag(1);
      refs.zigzag(1 - length);
      way
        .clear()
        .number(1, id)
        .bytes(2, keys.done())
        .bytes(3, values.done())
        .bytes(
          4,
          info
            .clear()
            .number(1, 2)
            .number(2, 1_700_000_000 + below(1e7))
            .done(),
        )
        .bytes(8, refs.done());
      group.bytes(3, way.done());
    }
    return group.done();
  });
}

const boundary = { type: 'boundary', boundary: 'administrative', admin_level: '4' };
const site = (id: number) => (id % 40 === 0 ? { leisure: 'park', name: nameOf() } : { natural: 'wood' });

/** The country's boundary, and multipolygons of which one in forty is a park. */
function relationsBlock(count: number, ways: number): Buffer {
  return block(asGeofabrik, (strings) => {
    const group = new ByteWriter();
    for (let id = 1; id <= count; id += 1) {
      const tags = id === 1 ? boundary : { type: 'multipolygon', ...site(id) };
      const members = id === 1 ? [ways] : [1 + below(ways - 1), 1 + below(ways - 1)];
      const roles = members.map(() => strings.number('outer'));
      const relation = putTags(new ByteWriter().number(1, id), tags, strings);
      const types = members.map(() => 1);
      group.bytes(4, relation.packed(8, roles).packedDeltas(9, members).packed(10, types).done());
    }
    return group.done();
  });
}

/** Writes the extract; as one of Geofabrik it says that it is sorted. */
export async function writeCountry(place: string, nodes: number, ways: number): Promise<void> {
  const file = openSync(place, 'w');
  const waiting: Promise<Buffer>[] = [];
  const put = async (type: string, content: Buffer) => {
    waiting.push(pack(content, { level: 1 }).then((packed) => framed(type, packedBlob(3, content, packed))));
    if (waiting.length < ahead) return;
    const next = await waiting.shift();
    if (next !== undefined) writeSync(file, next);
  };
  const header = {
    optional: ['Sort.Type_then_ID'],
    boundsDegrees: [west, east, north, south] as const,
    asOf: '2026-11-01T21:20:00Z',
    updatesUrl: 'https://download.example/europe/united-kingdom-updates',
  };
  await put('OSMHeader', headerBlock(header));
  const blobs = Math.floor(nodes / perBlob);
  for (let at = 0; at < blobs; at += 1) await put('OSMData', nodesBlock(firstNode + at * perBlob));
  await put('OSMData', cornersBlock(firstNode + blobs * perBlob));
  for (let at = 0; at < ways; at += perBlob)
    await put('OSMData', waysBlock(1 + at, Math.min(perBlob, ways - at), ways, blobs * perBlob));
  await put('OSMData', relationsBlock(Math.min(8_000, Math.ceil(ways / 60)), ways));
  for (const next of waiting) writeSync(file, await next);
  closeSync(file);
}
