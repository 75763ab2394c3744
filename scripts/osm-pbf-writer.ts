// Writes extracts of OpenStreetMap (PBF) in every way that the format allows, for the fictional town, tests and
// benchmarks. osmformat.proto and fileformat.proto of the OSM-binary project have the field numbers.

import { deflateSync, zstdCompressSync } from 'node:zlib';

/** Bytes that grow. */
export class ByteWriter {
  #bytes = Buffer.alloc(1024);
  #used = 0;

  /** Numbers without sign up to 2⁵³, and negative ones as int64 has them. */
  varint(value: number): this {
    this.#makeRoom(10);
    if (value < 0) {
      let rest = BigInt.asUintN(64, BigInt(value));
      for (; rest > 127n; rest >>= 7n) this.#bytes[this.#used++] = Number(rest & 127n) | 128;
      this.#bytes[this.#used++] = Number(rest);
      return this;
    }
    let rest = value;
    for (; rest > 0x7fff_ffff; rest = Math.floor(rest / 128)) this.#bytes[this.#used++] = (rest % 128) | 128;
    for (; rest > 127; rest >>>= 7) this.#bytes[this.#used++] = (rest & 127) | 128;
    this.#bytes[this.#used++] = rest;
    return this;
  }

  zigzag(value: number): this {
    return this.varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  number(field: number, value: number): this {
    return this.varint(field * 8).varint(value);
  }

  signed(field: number, value: number): this {
    return this.varint(field * 8).zigzag(value);
  }

  bytes(field: number, content: Uint8Array): this {
    this.varint(field * 8 + 2).varint(content.length);
    this.#makeRoom(content.length);
    this.#bytes.set(content, this.#used);
    this.#used += content.length;
    return this;
  }

  text(field: number, content: string): this {
    return this.bytes(field, Buffer.from(content));
  }

  packed(field: number, values: readonly number[]): this {
    if (values.length === 0) return this;
    const content = new ByteWriter();
    for (const value of values) content.varint(value);
    return this.bytes(field, content.done());
  }

  /** Each as the difference from the one before. */
  packedDeltas(field: number, values: readonly number[]): this {
    if (values.length === 0) return this;
    const content = new ByteWriter();
    let before = 0;
    for (const value of values) {
      content.zigzag(value - before);
      before = value;
    }
    return this.bytes(field, content.done());
  }

  /** What was written; good until more is. */
  done(): Buffer {
    return this.#bytes.subarray(0, this.#used);
  }

  clear(): this {
    this.#used = 0;
    return this;
  }

  #makeRoom(more: number): void {
    if (this.#used + more <= this.#bytes.length) return;
    const larger = Buffer.alloc(2 * (this.#bytes.length + more));
    larger.set(this.done());
    this.#bytes = larger;
  }
}

export type Compression = 'zlib' | 'zstd' | 'raw';

const compress: Readonly<Record<Compression, (content: Uint8Array) => Buffer>> = {
  raw: (content) => new ByteWriter().bytes(1, content).done(),
  zlib: (content) => packedBlob(3, content, deflateSync(content)),
  zstd: (content) => packedBlob(7, content, zstdCompressSync(content)),
};

export const packedBlob = (field: number, content: Uint8Array, packed: Uint8Array): Buffer =>
  new ByteWriter().number(2, content.length).bytes(field, packed).done();

/** A blob as compress gives it, with the header before it. */
export function framed(type: string, blob: Uint8Array): Buffer {
  const header = new ByteWriter().text(1, type).number(3, blob.length).done();
  const length = Buffer.alloc(4);
  length.writeUInt32BE(header.length);
  return Buffer.concat([length, header, blob]);
}

export type Header = {
  readonly required?: readonly string[];
  readonly optional?: readonly string[];
  /** West, east, north, south. */
  readonly boundsDegrees?: readonly [number, number, number, number];
  readonly asOf?: string;
  readonly updatesUrl?: string;
};

export function headerBlock(header: Header): Buffer {
  const block = new ByteWriter();
  if (header.boundsDegrees !== undefined) {
    const bounds = new ByteWriter();
    for (const [at, degrees] of header.boundsDegrees.entries())
      bounds.signed(at + 1, Math.round(degrees * 1e9));
    block.bytes(1, bounds.done());
  }
  for (const feature of header.required ?? ['OsmSchema-V0.6', 'DenseNodes']) block.text(4, feature);
  for (const feature of header.optional ?? []) block.text(5, feature);
  block.text(16, 'made up');
  if (header.asOf !== undefined) block.number(32, Date.parse(header.asOf) / 1000);
  if (header.updatesUrl !== undefined) block.text(34, header.updatesUrl);
  return block.done();
}

export type OsmTags = Readonly<Record<string, string>>;
/** Thousand millionths of a degree. */
export type OsmNode = {
  readonly id: number;
  readonly nano: readonly [number, number];
  readonly tags?: OsmTags;
};
export type OsmWay = { readonly id: number; readonly nodes: readonly number[]; readonly tags?: OsmTags };
export type OsmMember = {
  readonly type: 'node' | 'way' | 'relation';
  readonly id: number;
  readonly role: string;
};
export type OsmRelation = {
  readonly id: number;
  readonly members: readonly OsmMember[];
  readonly tags?: OsmTags;
};

export type OsmMap = {
  readonly header: Header;
  readonly nodes: readonly OsmNode[];
  readonly ways: readonly OsmWay[];
  readonly relations: readonly OsmRelation[];
};

export type Writing = {
  readonly compression: Compression;
  readonly nodes: 'dense' | 'plain';
  /** Nano degrees a step. */
  readonly granularity: number;
  readonly latitudeOffset: number;
  readonly longitudeOffset: number;
  readonly objectsPerBlob: number;
};

export const asGeofabrik: Writing = {
  compression: 'zlib',
  nodes: 'dense',
  granularity: 100,
  latitudeOffset: 0,
  longitudeOffset: 0,
  objectsPerBlob: 8_000,
};

export function writeOsm(map: OsmMap, writing: Writing = asGeofabrik): Buffer {
  const { compression, objectsPerBlob } = writing;
  const blob = (type: string, content: Uint8Array) => framed(type, compress[compression](content));
  const blobsOf = <T>(
    objects: readonly T[],
    group: (some: readonly T[], strings: StringTable) => Uint8Array,
  ) =>
    [...chunks(objects, objectsPerBlob)].map((some) =>
      blob(
        'OSMData',
        block(writing, (strings) => group(some, strings)),
      ),
    );
  return Buffer.concat([
    blob('OSMHeader', headerBlock(map.header)),
    ...blobsOf(map.nodes, (nodes, strings) => nodesGroup(nodes, writing, strings)),
    ...blobsOf(map.ways, waysGroup),
    ...blobsOf(map.relations, relationsGroup),
  ]);
}

function* chunks<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}

/** Numbers strings from 1, as 0 ends the tags of a dense node. */
export class StringTable {
  readonly #numbers = new Map([['', 0]]);

  number(text: string): number {
    const known = this.#numbers.get(text) ?? this.#numbers.size;
    this.#numbers.set(text, known);
    return known;
  }

  done(): Buffer {
    const table = new ByteWriter();
    for (const text of this.#numbers.keys()) table.text(1, text);
    return table.done();
  }
}

export function block(
  { granularity, latitudeOffset, longitudeOffset }: Writing,
  group: (strings: StringTable) => Uint8Array,
): Buffer {
  const strings = new StringTable();
  const content = group(strings);
  const made = new ByteWriter().bytes(1, strings.done()).bytes(2, content);
  if (granularity !== 100) made.number(17, granularity);
  if (latitudeOffset !== 0) made.number(19, latitudeOffset);
  if (longitudeOffset !== 0) made.number(20, longitudeOffset);
  return made.done();
}

const pairsOf = (tags: OsmTags | undefined, strings: StringTable) =>
  Object.entries(tags ?? {}).map(([key, value]) => [strings.number(key), strings.number(value)] as const);

/** Keys and values are two columns, whatever has them. */
export function putTags(into: ByteWriter, tags: OsmTags | undefined, strings: StringTable): ByteWriter {
  const pairs = pairsOf(tags, strings);
  const keys = pairs.map(([key]) => key);
  const values = pairs.map(([, value]) => value);
  return into.packed(2, keys).packed(3, values);
}

function nodesGroup(nodes: readonly OsmNode[], writing: Writing, strings: StringTable): Buffer {
  const { granularity, latitudeOffset, longitudeOffset } = writing;
  const stepsNorth = ({ nano }: OsmNode) => Math.round((nano[0] - latitudeOffset) / granularity);
  const stepsEast = ({ nano }: OsmNode) => Math.round((nano[1] - longitudeOffset) / granularity);
  const group = new ByteWriter();
  if (writing.nodes === 'plain') {
    for (const node of nodes) {
      const fields = putTags(new ByteWriter().signed(1, node.id), node.tags, strings);
      group.bytes(1, fields.signed(8, stepsNorth(node)).signed(9, stepsEast(node)).done());
    }
    return group.done();
  }
  const ids = nodes.map(({ id }) => id);
  const dense = new ByteWriter()
    .packedDeltas(1, ids)
    .packedDeltas(8, nodes.map(stepsNorth))
    .packedDeltas(9, nodes.map(stepsEast));
  const isTagged = nodes.some(({ tags }) => tags !== undefined);
  const tags = nodes.flatMap((node) => [...pairsOf(node.tags, strings).flat(), 0]);
  if (isTagged) dense.packed(10, tags);
  return group.bytes(2, dense.done()).done();
}

function waysGroup(ways: readonly OsmWay[], strings: StringTable): Buffer {
  const group = new ByteWriter();
  for (const { id, nodes, tags } of ways)
    group.bytes(3, putTags(new ByteWriter().number(1, id), tags, strings).packedDeltas(8, nodes).done());
  return group.done();
}

const memberTypes = ['node', 'way', 'relation'];

function relationsGroup(relations: readonly OsmRelation[], strings: StringTable): Buffer {
  const group = new ByteWriter();
  for (const { id, members, tags } of relations) {
    const roles = members.map(({ role }) => strings.number(role));
    const ids = members.map((member) => member.id);
    const types = members.map(({ type }) => memberTypes.indexOf(type));
    const relation = putTags(new ByteWriter().number(1, id), tags, strings);
    group.bytes(4, relation.packed(8, roles).packedDeltas(9, ids).packed(10, types).done());
  }
  return group.done();
}
