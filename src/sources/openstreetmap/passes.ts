// Three passes over an extract. Each tells the next what to keep: relations name ways, and ways name nodes. Of the hundreds
// of millions of nodes only the named ones keep their places.

import { indexIn } from '../../columns/sorted.ts';
import type { Progress } from '../../ingest/progress.ts';
import { defined } from '../../out-of-range.ts';
import type { AmenityKind } from '../../tables/amenities/amenities.ts';
import { faultsOf, type OsmFile } from './blobs.ts';
import { type Counts, type Member, OsmBlockReader, type OsmKeys, type Tags } from './block.ts';
import { FilledCells } from './coverage.ts';

type Found = { readonly id: number; readonly kinds: readonly AmenityKind[]; readonly name: string };

export type FoundNode = Found & { readonly latitudeMicro: number; readonly longitudeMicro: number };
export type FoundArea = Found & { readonly ways: readonly number[] };

/** What the file has of use. */
export type Gathered = {
  readonly nodes: readonly FoundNode[];
  /** Ways that are something; each has itself in `ways`. */
  readonly ways: readonly FoundArea[];
  readonly relations: readonly FoundArea[];
  /** Ways of each authority's boundary. */
  readonly boundaries: readonly (readonly number[])[];
  readonly coast: readonly number[];
  readonly lines: WayLines;
  readonly places: NodePlaces;
  /** Where the file has anything. */
  readonly filled: FilledCells;
  readonly counts: Counts;
};

export async function gather(file: OsmFile, progress: Progress): Promise<Gathered> {
  const passes = new Passes(file, progress);
  const { areas, boundaries, members } = await readRelations(passes);
  const { ways, coast, lines } = await readWays(passes, members);
  const places = new NodePlaces(lines.nodes());
  const filled = new FilledCells();
  const nodes = await readNodes(passes, places, filled);
  return { nodes, ways, relations: areas, boundaries, coast, lines, places, filled, counts: passes.counts };
}

const isOutline = ({ role }: Member) => role === 'outer' || role === '';

// What an object of OpenStreetMap is to us, by its tags: wiki.openstreetmap.org/wiki/Map_features says what they mean.

const featureKeys = ['amenity', 'shop', 'leisure', 'healthcare'];
const sideKeys = ['name', 'access', 'disused', 'abandoned', 'bicycle_rental'];

const nodeKeys: OsmKeys = { read: [...featureKeys, ...sideKeys], telling: featureKeys };
const wayKeys: OsmKeys = {
  read: [...nodeKeys.read, 'natural'],
  telling: [...featureKeys, 'natural'],
};
const relationKeys: OsmKeys = {
  read: [...nodeKeys.read, 'type', 'boundary', 'admin_level'],
  telling: ['type'],
};

/** "key=value" → kind. */
const kinds: ReadonlyMap<string, AmenityKind> = new Map([
  ['shop=supermarket', 'supermarket'],
  ['shop=convenience', 'convenience-store'],
  ['amenity=restaurant', 'restaurant'],
  ['amenity=cafe', 'cafe'],
  ['amenity=fast_food', 'takeaway'],
  ['amenity=pub', 'pub-or-bar'],
  ['amenity=bar', 'pub-or-bar'],
  ['amenity=doctors', 'gp'],
  ['healthcare=doctor', 'gp'],
  ['amenity=pharmacy', 'pharmacy'],
  ['healthcare=pharmacy', 'pharmacy'],
  ['amenity=dentist', 'dentist'],
  ['healthcare=dentist', 'dentist'],
  ['amenity=hospital', 'hospital'],
  ['leisure=park', 'park'],
  ['leisure=nature_reserve', 'park'],
  ['leisure=recreation_ground', 'park'],
  ['leisure=playground', 'playground'],
  ['leisure=fitness_centre', 'gym'],
  ['leisure=sports_centre', 'gym'],
  ['amenity=library', 'library'],
  ['amenity=post_office', 'post-office'],
  ['amenity=bank', 'bank'],
  ['amenity=bicycle_rental', 'cycle-hire'],
] as const);

const noKinds: readonly AmenityKind[] = [];

/** An object may be several things, such as a post office in a shop. A closed one has a key like `disused:shop`, which is
 *  not read. */
export function kindsOf(tags: Tags): readonly AmenityKind[] {
  let found: Set<AmenityKind> | undefined;
  for (const key of featureKeys) {
    const value = tags.get(key);
    if (value === undefined) continue;
    for (const word of value.includes(';') ? value.split(';') : [value]) {
      const kind = kinds.get(`${key}=${word.trim()}`);
      if (kind === undefined || !isCounted(kind, tags)) continue;
      found ??= new Set();
      found.add(kind);
    }
  }
  return found === undefined || isClosed(tags) ? noKinds : [...found];
}

function isCounted(kind: AmenityKind, tags: Tags): boolean {
  // A reserve in a disused quarry is tagged so; the reserve is not disused.
  if (kind === 'park') return nameOf(tags) !== '';
  if (tags.get('disused') === 'yes' || tags.get('abandoned') === 'yes') return false;
  // A shop that hires out bicycles is not a docking station.
  if (kind === 'cycle-hire') return tags.get('bicycle_rental') !== 'shop' && !tags.has('shop');
  return true;
}

const isClosed = (tags: Tags): boolean =>
  tags.get('shop') === 'vacant' || tags.get('access') === 'private' || tags.get('access') === 'no';

/** As it stands on the map; empty where it has none. */
const nameOf = (tags: Tags): string => (tags.get('name') ?? '').trim();

const isCoastline = (tags: Tags): boolean => tags.get('natural') === 'coastline';

/** Relations whose ways are the outline of one area. */
const isArea = (tags: Tags): boolean =>
  tags.get('type') === 'multipolygon' || tags.get('type') === 'boundary';

/** From nations to districts; parishes would add nothing. */
const isAuthorityBoundary = (tags: Tags): boolean => {
  if (tags.get('type') !== 'boundary') return false;
  if (tags.get('boundary') === 'ceremonial') return true;
  return tags.get('boundary') === 'administrative' && /^[2-8]$/.test(tags.get('admin_level') ?? '');
};

async function readRelations(passes: Passes) {
  const areas: FoundArea[] = [];
  const boundaries: (readonly number[])[] = [];
  const members = new Set<number>();
  const relation = (id: number, tags: Tags, all: readonly Member[]) => {
    if (!isArea(tags)) return;
    const kinds = kindsOf(tags);
    if (kinds.length > 0) {
      const ways = all.filter(isOutline).map(({ way }) => way);
      areas.push({ id, kinds, name: nameOf(tags), ways });
      for (const way of ways) members.add(way);
    }
    if (isAuthorityBoundary(tags)) {
      const ways = all.filter((member) => isOutline(member) || member.role === 'inner').map(({ way }) => way);
      boundaries.push(ways);
      for (const way of ways) members.add(way);
    }
  };
  await passes.run('relations', (reader) => reader.readRelations({ keys: relationKeys, relation }));
  return { areas, boundaries, members };
}

async function readWays(passes: Passes, members: ReadonlySet<number>) {
  const ways: FoundArea[] = [];
  const coast: number[] = [];
  const lines = new WayLines();
  const way = (id: number, tags: Tags, nodes: Float64Array) => {
    const kinds = kindsOf(tags);
    if (kinds.length > 0) ways.push({ id, kinds, name: nameOf(tags), ways: [id] });
    if (isCoastline(tags)) coast.push(id);
    if (kinds.length > 0 || isCoastline(tags) || members.has(id)) lines.add(id, nodes);
  };
  const wants = (id: number) => members.has(id);
  await passes.run('ways', (reader) => reader.readWays({ keys: wayKeys, wants, way }));
  return { ways, coast, lines };
}

async function readNodes(
  passes: Passes,
  places: NodePlaces,
  filled: FilledCells,
): Promise<readonly FoundNode[]> {
  const nodes: FoundNode[] = [];
  await passes.run('nodes', (reader) =>
    reader.readNodes({
      keys: nodeKeys,
      positions: (ids, latitudes, longitudes, count) => {
        places.take(ids, latitudes, longitudes, count);
        filled.take(latitudes, longitudes, count);
      },
      tagged: (id, latitudeMicro, longitudeMicro, tags) => {
        const kinds = kindsOf(tags);
        if (kinds.length > 0) nodes.push({ id, kinds, name: nameOf(tags), latitudeMicro, longitudeMicro });
      },
    }),
  );
  return nodes;
}

/** Goes over the blobs that may hold what a pass looks for. In a sorted file these are the last ones, then those before
 *  them, so each blob is unpacked once. */
class Passes {
  readonly counts: Counts = { nodes: 0, ways: 0, relations: 0 };
  readonly #file: OsmFile;
  readonly #progress: Progress;
  readonly #reader = new OsmBlockReader();
  /** What the blobs that were looked at hold. */
  readonly #holds = new Map<number, Counts>();

  constructor(file: OsmFile, progress: Progress) {
    this.#file = file;
    this.#progress = progress;
  }

  async run(what: keyof Counts, read: (reader: OsmBlockReader) => number): Promise<void> {
    const { name, blobs, header } = this.#file;
    const wanted = blobs.keys().filter((number) => this.#holds.get(number)?.[what] !== 0);
    const numbers = what === 'nodes' ? [...wanted] : [...wanted].reverse();
    const sizeOf = (number: number) => defined(blobs[number]).bytes;
    const total = numbers.reduce((sum, number) => sum + sizeOf(number), 0);
    let done = 0;
    for await (const { number, content } of this.#file.contents(numbers)) {
      this.#progress({ phase: `Reading ${what} of ${name}`, done, total });
      done += sizeOf(number);
      const holds = faultsOf(name, () => {
        const held = this.#reader.open(content);
        if (held[what] > 0) this.counts[what] += read(this.#reader);
        return held;
      });
      this.#holds.set(number, holds);
      if (header.order === 'sorted' && isBefore(holds, what)) return;
    }
  }
}

/** Whether all objects of a blob come before those of a kind. In a sorted file, no blob before it has that kind either. */
function isBefore({ nodes, ways, relations }: Counts, what: keyof Counts): boolean {
  if (what === 'relations') return relations === 0 && ways + nodes > 0;
  return what === 'ways' && ways + relations === 0 && nodes > 0;
}

/** Nodes of ways, one line after the other. */
class WayLines {
  #nodes = new Float64Array(2 ** 16);
  #used = 0;
  readonly #ranges = new Map<number, { readonly start: number; readonly end: number }>();

  add(way: number, nodes: Float64Array): void {
    if (this.#used + nodes.length > this.#nodes.length) {
      const before = this.#nodes;
      this.#nodes = new Float64Array(2 * (before.length + nodes.length));
      this.#nodes.set(before);
    }
    this.#nodes.set(nodes, this.#used);
    this.#ranges.set(way, { start: this.#used, end: this.#used + nodes.length });
    this.#used += nodes.length;
  }

  /** Of one way; undefined where the file has no such way. */
  find(way: number): Float64Array | undefined {
    const range = this.#ranges.get(way);
    return range === undefined ? undefined : this.#nodes.subarray(range.start, range.end);
  }

  /** Of all ways. */
  nodes(): Float64Array {
    return this.#nodes.subarray(0, this.#used);
  }
}

const noPlace = -(2 ** 31);

/** Places of those nodes that were asked for. */
class NodePlaces {
  /** Ascending. */
  readonly #ids: Float64Array;
  readonly #latitude: Int32Array;
  readonly #longitude: Int32Array;
  #next = 0;

  constructor(wanted: Float64Array) {
    const sorted = wanted.slice().sort();
    let count = 0;
    for (const id of sorted) if (count === 0 || sorted[count - 1] !== id) sorted[count++] = id;
    this.#ids = sorted.slice(0, count);
    this.#latitude = new Int32Array(count).fill(noPlace);
    this.#longitude = new Int32Array(count);
  }

  /** Nodes mostly come in the order of ids, like the wanted ones, so both are walked side by side. Others are searched. */
  take(ids: Float64Array, latitudes: Float64Array, longitudes: Float64Array, count: number): void {
    const wanted = this.#ids;
    let next = this.#next;
    for (let node = 0; node < count; node += 1) {
      const id = defined(ids[node]);
      while (next < wanted.length && defined(wanted[next]) < id) next += 1;
      const isAhead = next === 0 || id > defined(wanted[next - 1]);
      const at = !isAhead ? indexIn(wanted, id) : next < wanted.length && wanted[next] === id ? next : -1;
      if (at === -1) continue;
      this.#latitude[at] = defined(latitudes[node]);
      this.#longitude[at] = defined(longitudes[node]);
    }
    this.#next = next;
  }

  /** Latitude and longitude of the nodes that the file has. */
  lineOf(nodes: Float64Array): Int32Array {
    const line = new Int32Array(2 * nodes.length);
    let used = 0;
    for (const id of nodes) {
      const at = indexIn(this.#ids, id);
      if (at === -1 || this.#latitude[at] === noPlace) continue;
      line[used] = defined(this.#latitude[at]);
      line[used + 1] = defined(this.#longitude[at]);
      used += 2;
    }
    return line.subarray(0, used);
  }
}
