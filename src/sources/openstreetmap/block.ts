// The objects of one blob of an OpenStreetMap extract: nodes, ways and relations with those tags that are asked for.
// Most objects have none of these tags and are skipped at once.

import { Fields, ProtobufFault, unpackDeltas, unpackNumbers, unzigzag } from '../../ingest/read/protobuf.ts';
import { defined } from '../../out-of-range.ts';

/** Tags that somebody asks for, by key. */
export type Tags = ReadonlyMap<string, string>;

export type OsmKeys = {
  /** Keys to be read where an object has any of `telling`. */
  readonly read: readonly string[];
  readonly telling: readonly string[];
};

type NodeSink = {
  readonly keys: OsmKeys;
  /** Millionths of a degree, one entry a node. Good until the call returns. */
  positions(ids: Float64Array, latitudes: Float64Array, longitudes: Float64Array, count: number): void;
  tagged(id: number, latitudeMicro: number, longitudeMicro: number, tags: Tags): void;
};

type WaySink = {
  readonly keys: OsmKeys;
  /** Of a way without a telling tag. */
  wants(id: number): boolean;
  /** `nodes` is good until the call returns. */
  way(id: number, tags: Tags, nodes: Float64Array): void;
};

export type Member = { readonly way: number; readonly role: string };

type RelationSink = {
  readonly keys: OsmKeys;
  /** Only members that are ways. */
  relation(id: number, tags: Tags, members: readonly Member[]): void;
};

export type Counts = { nodes: number; ways: number; relations: number };

const groupNodes = 1;
const groupDense = 2;
const groupWays = 3;
const groupRelations = 4;
const memberIsWay = 1;

const noTags: Tags = new Map();
const unknownKey = 0;

/** Reads blob after blob; its arrays are used again. Throws ProtobufFault. */
export class OsmBlockReader {
  readonly #block = new Fields();
  readonly #group = new Fields();
  readonly #object = new Fields();
  #bytes: Uint8Array = new Uint8Array();
  #stringStart = new Uint32Array(4096);
  #stringEnd = new Uint32Array(4096);
  #stringCount = 0;
  #groups: { readonly field: number; readonly start: number; readonly end: number }[] = [];
  #granularity = 100;
  #latitudeOffset = 0;
  #longitudeOffset = 0;
  #ids = new Float64Array(16_384);
  #latitudes = new Float64Array(16_384);
  #longitudes = new Float64Array(16_384);
  #keyNumbers = new Uint32Array(1024);
  #valueNumbers = new Uint32Array(1024);
  /** For each string its mark among the keys that were last asked for; 0 where it is none. */
  #keyOf = new Uint8Array(4096);
  #keysOf: OsmKeys | undefined;

  /** Takes a blob; then ask for what it holds. */
  open(bytes: Uint8Array): Counts {
    this.#bytes = bytes;
    this.#stringCount = 0;
    this.#groups = [];
    this.#granularity = 100;
    this.#latitudeOffset = 0;
    this.#longitudeOffset = 0;
    this.#keysOf = undefined;
    const block = this.#block.over(bytes);
    while (block.next()) {
      if (block.field === 1) this.#readStrings(block.start, block.end);
      else if (block.field === 2) this.#readGroup(block.start, block.end);
      else if (block.field === 17) this.#granularity = block.value;
      else if (block.field === 19) this.#latitudeOffset = block.value;
      else if (block.field === 20) this.#longitudeOffset = block.value;
    }
    const has = (...fields: readonly number[]) =>
      this.#groups.filter(({ field }) => fields.includes(field)).length;
    return { nodes: has(groupNodes, groupDense), ways: has(groupWays), relations: has(groupRelations) };
  }

  /** Returns how many there were. */
  readNodes(sink: NodeSink): number {
    this.#findKeys(sink.keys);
    let nodes = 0;
    for (const { field, start, end } of this.#groups) {
      if (field === groupDense) nodes += this.#readDense(start, end, sink);
      else if (field === groupNodes) nodes += this.#readNode(start, end, sink);
    }
    return nodes;
  }

  readWays(sink: WaySink): number {
    this.#findKeys(sink.keys);
    let ways = 0;
    for (const { field, start, end } of this.#groups) {
      if (field !== groupWays) continue;
      ways += 1;
      this.#readWay(start, end, sink);
    }
    return ways;
  }

  readRelations(sink: RelationSink): number {
    this.#findKeys(sink.keys);
    let relations = 0;
    for (const { field, start, end } of this.#groups) {
      if (field !== groupRelations) continue;
      relations += 1;
      this.#readRelation(start, end, sink);
    }
    return relations;
  }

  #readStrings(start: number, end: number): void {
    const table = this.#object.over(this.#bytes, start, end);
    while (table.next()) {
      if (table.field !== 1) continue;
      if (this.#stringCount === this.#stringStart.length) {
        const starts = this.#stringStart;
        const ends = this.#stringEnd;
        this.#stringStart = new Uint32Array(2 * starts.length);
        this.#stringEnd = new Uint32Array(2 * ends.length);
        this.#stringStart.set(starts);
        this.#stringEnd.set(ends);
      }
      this.#stringStart[this.#stringCount] = table.start;
      this.#stringEnd[this.#stringCount] = table.end;
      this.#stringCount += 1;
    }
  }

  #readGroup(start: number, end: number): void {
    const group = this.#group.over(this.#bytes, start, end);
    while (group.next())
      if (group.end > 0) this.#groups.push({ field: group.field, start: group.start, end: group.end });
  }

  /** Marks the strings that are one of the keys. */
  #findKeys(keys: OsmKeys): void {
    if (this.#keysOf === keys) return;
    this.#keysOf = keys;
    if (this.#keyOf.length < this.#stringCount) this.#keyOf = new Uint8Array(2 * this.#stringCount);
    this.#keyOf.fill(unknownKey);
    const candidates = candidatesOf(keys);
    for (let string = 0; string < this.#stringCount; string += 1) {
      const start = defined(this.#stringStart[string]);
      const length = defined(this.#stringEnd[string]) - start;
      for (const { bytes, mark } of candidates[length] ?? []) {
        let same = 0;
        while (same < length && bytes[same] === this.#bytes[start + same]) same += 1;
        if (same === length) this.#keyOf[string] = mark;
      }
    }
  }

  #string(number: number): string {
    if (number >= this.#stringCount) throw noSuchString();
    const { buffer, byteOffset } = this.#bytes;
    const start = defined(this.#stringStart[number]);
    return Buffer.from(buffer, byteOffset + start, defined(this.#stringEnd[number]) - start).toString('utf8');
  }

  #micro(value: number, offset: number): number {
    return Math.round((offset + this.#granularity * value) / 1000);
  }

  #readDense(start: number, end: number, sink: NodeSink): number {
    const bytes = this.#bytes;
    this.#makeRoom(end - start);
    const ids = this.#ids;
    const latitudes = this.#latitudes;
    const longitudes = this.#longitudes;
    let count = 0;
    let latitudeCount = 0;
    let longitudeCount = 0;
    let tagsStart = 0;
    let tagsEnd = 0;
    const dense = this.#object.over(bytes, start, end);
    while (dense.next()) {
      if (dense.field === 1) count = unpackDeltas(bytes, dense.start, dense.end, ids);
      else if (dense.field === 8) latitudeCount = unpackDeltas(bytes, dense.start, dense.end, latitudes);
      else if (dense.field === 9) longitudeCount = unpackDeltas(bytes, dense.start, dense.end, longitudes);
      else if (dense.field === 10) {
        tagsStart = dense.start;
        tagsEnd = dense.end;
      }
    }
    if (latitudeCount !== count || longitudeCount !== count)
      throw new ProtobufFault('nodes lack a latitude or longitude');
    sink.positions(ids, latitudes, longitudes, this.#toMicro(count));
    if (tagsEnd > tagsStart) this.#readDenseTags(tagsStart, tagsEnd, count, sink);
    return count;
  }

  #toMicro(count: number): number {
    for (let node = 0; node < count; node += 1) {
      this.#latitudes[node] = this.#micro(defined(this.#latitudes[node]), this.#latitudeOffset);
      this.#longitudes[node] = this.#micro(defined(this.#longitudes[node]), this.#longitudeOffset);
    }
    return count;
  }

  /** Keys and values of node after node, each ended by a 0. */
  #readDenseTags(start: number, end: number, count: number, sink: NodeSink): void {
    const numbers = this.#keyNumbers;
    const length = unpackNumbers(this.#bytes, start, end, numbers);
    let node = 0;
    let first = 0;
    let isTelling = 0;
    for (let at = 0; at < length; ) {
      const key = defined(numbers[at]);
      if (key !== 0) {
        isTelling |= this.#markOf(key) & tellingBit;
        at += 2;
        continue;
      }
      if (isTelling !== 0) {
        if (node >= count) throw new ProtobufFault('there are tags for more nodes than it has');
        const tags = new Map<string, string>();
        for (let pair = first; pair < at; pair += 2)
          this.#putTag(tags, defined(numbers[pair]), defined(numbers[pair + 1]));
        sink.tagged(
          defined(this.#ids[node]),
          defined(this.#latitudes[node]),
          defined(this.#longitudes[node]),
          tags,
        );
      }
      isTelling = 0;
      node += 1;
      at += 1;
      first = at;
    }
  }

  #putTag(tags: Map<string, string>, key: number, value: number): void {
    if (this.#markOf(key) !== unknownKey) tags.set(this.#string(key), this.#string(value));
  }

  /** Whether the string is one of the keys, and a telling one. */
  #markOf(key: number): number {
    if (key >= this.#stringCount) throw noSuchString();
    return defined(this.#keyOf[key]);
  }

  #readNode(start: number, end: number, sink: NodeSink): number {
    const fields = this.#object.over(this.#bytes, start, end);
    this.#makeRoom(end - start);
    let keyCount = 0;
    let valueCount = 0;
    while (fields.next()) {
      if (fields.field === 1) this.#ids[0] = unzigzag(fields.value);
      else if (fields.field === 2)
        keyCount = unpackNumbers(this.#bytes, fields.start, fields.end, this.#keyNumbers);
      else if (fields.field === 3)
        valueCount = unpackNumbers(this.#bytes, fields.start, fields.end, this.#valueNumbers);
      else if (fields.field === 8) this.#latitudes[0] = unzigzag(fields.value);
      else if (fields.field === 9) this.#longitudes[0] = unzigzag(fields.value);
    }
    sink.positions(this.#ids, this.#latitudes, this.#longitudes, this.#toMicro(1));
    const tags = this.#tellingTags(keyCount, valueCount);
    if (tags !== undefined)
      sink.tagged(defined(this.#ids[0]), defined(this.#latitudes[0]), defined(this.#longitudes[0]), tags);
    return 1;
  }

  /** Undefined where no key is a telling one. */
  #tellingTags(keyCount: number, valueCount: number): Tags | undefined {
    if (keyCount !== valueCount) throw new ProtobufFault('an object has more keys than values, or fewer');
    let isTelling = 0;
    for (let at = 0; at < keyCount; at += 1)
      isTelling |= this.#markOf(defined(this.#keyNumbers[at])) & tellingBit;
    if (isTelling === 0) return undefined;
    const tags = new Map<string, string>();
    for (let at = 0; at < keyCount; at += 1)
      this.#putTag(tags, defined(this.#keyNumbers[at]), defined(this.#valueNumbers[at]));
    return tags;
  }

  #readWay(start: number, end: number, sink: WaySink): void {
    const fields = this.#object.over(this.#bytes, start, end);
    this.#makeRoom(end - start);
    let id = 0;
    let keyCount = 0;
    let valuesStart = 0;
    let valuesEnd = 0;
    let nodesStart = 0;
    let nodesEnd = 0;
    let isTelling = 0;
    while (fields.next()) {
      if (fields.field === 1) id = fields.value;
      else if (fields.field === 2) {
        keyCount = unpackNumbers(this.#bytes, fields.start, fields.end, this.#keyNumbers);
        for (let at = 0; at < keyCount; at += 1)
          isTelling |= this.#markOf(defined(this.#keyNumbers[at])) & tellingBit;
      } else if (fields.field === 3) {
        valuesStart = fields.start;
        valuesEnd = fields.end;
      } else if (fields.field === 8) {
        nodesStart = fields.start;
        nodesEnd = fields.end;
      }
    }
    if (isTelling === 0 && !sink.wants(id)) return;
    const valueCount = unpackNumbers(this.#bytes, valuesStart, valuesEnd, this.#valueNumbers);
    const tags = this.#tellingTags(keyCount, valueCount) ?? noTags;
    const nodes = unpackDeltas(this.#bytes, nodesStart, nodesEnd, this.#ids);
    sink.way(id, tags, this.#ids.subarray(0, nodes));
  }

  #readRelation(start: number, end: number, sink: RelationSink): void {
    const fields = this.#object.over(this.#bytes, start, end);
    this.#makeRoom(end - start);
    const roles = new Uint32Array(end - start);
    const types = new Uint32Array(end - start);
    let id = 0;
    let keyCount = 0;
    let valueCount = 0;
    let memberCount = 0;
    let roleCount = 0;
    let typeCount = 0;
    while (fields.next()) {
      const { field, start: from, end: to } = fields;
      if (field === 1) id = fields.value;
      else if (field === 2) keyCount = unpackNumbers(this.#bytes, from, to, this.#keyNumbers);
      else if (field === 3) valueCount = unpackNumbers(this.#bytes, from, to, this.#valueNumbers);
      else if (field === 8) roleCount = unpackNumbers(this.#bytes, from, to, roles);
      else if (field === 9) memberCount = unpackDeltas(this.#bytes, from, to, this.#ids);
      else if (field === 10) typeCount = unpackNumbers(this.#bytes, from, to, types);
    }
    const tags = this.#tellingTags(keyCount, valueCount);
    if (tags === undefined) return;
    if (roleCount !== memberCount || typeCount !== memberCount)
      throw new ProtobufFault('members of a relation lack a role or a type');
    const members: Member[] = [];
    for (let at = 0; at < memberCount; at += 1) {
      if (types[at] !== memberIsWay) continue;
      members.push({ way: defined(this.#ids[at]), role: this.#string(defined(roles[at])) });
    }
    sink.relation(id, tags, members);
  }

  /** Makes room for as many numbers as a message of that size can have. */
  #makeRoom(bytes: number): void {
    if (this.#ids.length < bytes) {
      this.#ids = new Float64Array(2 * bytes);
      this.#latitudes = new Float64Array(2 * bytes);
      this.#longitudes = new Float64Array(2 * bytes);
    }
    if (this.#keyNumbers.length < bytes) {
      this.#keyNumbers = new Uint32Array(2 * bytes);
      this.#valueNumbers = new Uint32Array(2 * bytes);
    }
  }
}

const tellingBit = 128;

const noSuchString = () => new ProtobufFault('an object refers to a missing string');

type Candidate = { readonly bytes: Buffer; readonly mark: number };

/** Keys by their length in bytes. */
function candidatesOf({ read, telling }: OsmKeys): readonly (readonly Candidate[] | undefined)[] {
  const byLength: Candidate[][] = [];
  for (const key of read) {
    const bytes = Buffer.from(key);
    const same = byLength[bytes.length] ?? [];
    byLength[bytes.length] = same;
    same.push({ bytes, mark: telling.includes(key) ? tellingBit | 1 : 1 });
  }
  return byLength;
}
