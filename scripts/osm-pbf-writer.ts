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
  const blob = (type: string, content: Uint8Array) => framed(type, compress[writing.compression](content));
  const pieces = [blob('OSMHeader', headerBlock(map.header))];
  for (const some of chunks(map.nodes, writing.objectsPerBlob))
    pieces.push(
      blob(
        'OSMData',
        block(writing, (strings) => nodesGroup(some, writing, strings)),
      ),
    );
  for (const some of chunks(map.ways, writing.objectsPerBlob))
    pieces.push(
      blob(
        'OSMData',
        block(writing, (strings) => waysGroup(some, strings)),
      ),
    );
  for (const some of chunks(map.relations, writing.objectsPerBlob))
    pieces.push(
      blob(
        'OSMData',
        block(writing, (strings) => relationsGroup(some, strings)),
      ),
    );
  return Buffer.concat(pieces);
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

function nodesGroup(nodes: readonly OsmNode[], writing: Writing, strings: StringTable): Buffer {
  const { granularity, latitudeOffset, longitudeOffset } = writing;
  const stepsNorth = (nano: number) => Math.round((nano - latitudeOffset) / granularity);
  const stepsEast = (nano: number) => Math.round((nano - longitudeOffset) / granularity);
  const group = new ByteWriter();
  if (writing.nodes === 'plain') {
    for (const { id, nano, tags } of nodes) {
      const pairs = pairsOf(tags, strings);
      const node = new ByteWriter()
        .signed(1, id)
        .packed(
          2,
          pairs.map(([key]) => key),
        )
        .packed(
          3,
          pairs.map(([, value]) => value),
        )
        .signed(8, stepsNorth(nano[0]))
        .signed(9, stepsEast(nano[1]));
      group.bytes(1, node.done());
    }
    return group.done();
  }
  const dense = new ByteWriter()
    .packedDeltas(
      1,
      nodes.map(({ id }) => id),
    )
    .packedDeltas(
      8,
      nodes.map(({ nano }) => stepsNorth(nano[0])),
    )
    .packedDeltas(
      9,
      nodes.map(({ nano }) => stepsEast(nano[1])),
    );
  const isTagged = nodes.some(({ tags }) => tags !== undefined);
  if (isTagged)
    dense.packed(
      10,
      nodes.flatMap(({ tags }) => [...pairsOf(tags, strings).flat(), 0]),
    );
  return group.bytes(2, dense.done()).done();
}

function waysGroup(ways: readonly OsmWay[], strings: StringTable): Buffer {
  const group = new ByteWriter();
  for (const { id, nodes, tags } of ways) {
    const pairs = pairsOf(tags, strings);
    const way = new ByteWriter()
      .number(1, id)
      .packed(
        2,
        pairs.map(([key]) => key),
      )
      .packed(
        3,
        pairs.map(([, value]) => value),
      )
      .packedDeltas(8, nodes);
    group.bytes(3, way.done());
  }
  return group.done();
}

const memberTypes = ['node', 'way', 'relation'];

function relationsGroup(relations: readonly OsmRelation[], strings: StringTable): Buffer {
  const group = new ByteWriter();
  for (const { id, members, tags } of relations) {
    const pairs = pairsOf(tags, strings);
    const relation = new ByteWriter()
      .number(1, id)
      .packed(
        2,
        pairs.map(([key]) => key),
      )
      .packed(
        3,
        pairs.map(([, value]) => value),
      )
      .packed(
        8,
        members.map(({ role }) => strings.number(role)),
      )
      .packedDeltas(
        9,
        members.map((member) => member.id),
      )
      .packed(
        10,
        members.map(({ type }) => memberTypes.indexOf(type)),
      );
    group.bytes(4, relation.done());
  }
  return group.done();
}
