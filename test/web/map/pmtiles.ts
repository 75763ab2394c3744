// Writes PMTiles archives for tests, by the specification and apart from the code that reads them.

import { gzipSync } from 'node:zlib';

export type ArchiveTile = { readonly number: number; readonly bytes: Buffer };

export type ArchiveWish = {
  /** Rising by their numbers. */
  readonly tiles: readonly ArchiveTile[];
  /** Tiles of one directory below the first; 0: all are in the first. */
  readonly perLeaf: number;
  /** 1 is vector, 2 PNG. */
  readonly kind?: number;
  readonly zooms?: readonly [least: number, most: number];
};

type Entry = { readonly id: number; readonly run: number; readonly length: number; readonly offset: number };

const varint = (value: number): Buffer => {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  return Buffer.from([...bytes, rest]);
};

function directory(entries: readonly Entry[]): Buffer {
  const plain = Buffer.concat([
    varint(entries.length),
    ...entries.map(({ id }, at) => varint(id - (entries[at - 1]?.id ?? 0))),
    ...entries.map(({ run }) => varint(run)),
    ...entries.map(({ length }) => varint(length)),
    ...entries.map(({ offset }, at) => {
      const before = entries[at - 1];
      return varint(before !== undefined && offset === before.offset + before.length ? 0 : offset + 1);
    }),
  ]);
  return gzipSync(plain);
}

/** Neighbours with the same bytes are one run, as writers make them. */
function entriesOf(tiles: readonly ArchiveTile[]): {
  readonly entries: readonly Entry[];
  readonly data: Buffer;
} {
  const entries: Entry[] = [];
  const chunks: Buffer[] = [];
  let offset = 0;
  let lastBytes: Buffer = Buffer.alloc(0);
  for (const { number, bytes } of tiles) {
    const last = entries.at(-1);
    if (last !== undefined && last.id + last.run === number && lastBytes.equals(bytes)) {
      entries[entries.length - 1] = { ...last, run: last.run + 1 };
      continue;
    }
    entries.push({ id: number, run: 1, length: bytes.length, offset });
    chunks.push(bytes);
    offset += bytes.length;
    lastBytes = bytes;
  }
  return { entries, data: Buffer.concat(chunks) };
}

export function writeArchive({ tiles, perLeaf, kind = 2, zooms = [0, 14] }: ArchiveWish): Buffer {
  const { entries, data } = entriesOf(tiles);
  const leaves: Buffer[] = [];
  const roots: Entry[] = [];
  let leafOffset = 0;
  for (let at = 0; perLeaf > 0 && at < entries.length; at += perLeaf) {
    const leaf = directory(entries.slice(at, at + perLeaf));
    roots.push({ id: entries[at]?.id ?? 0, run: 0, length: leaf.length, offset: leafOffset });
    leafOffset += leaf.length;
    leaves.push(leaf);
  }
  const root = directory(perLeaf > 0 ? roots : entries);
  const leafBytes = Buffer.concat(leaves);
  const header = Buffer.alloc(127);
  header.write('PMTiles');
  header.writeUInt8(3, 7);
  const places = [
    [8, 127],
    [16, root.length],
    [40, 127 + root.length],
    [48, leafBytes.length],
    [56, 127 + root.length + leafBytes.length],
    [64, data.length],
  ] as const;
  for (const [at, value] of places) header.writeBigUInt64LE(BigInt(value), at);
  header.writeUInt8(2, 97);
  header.writeUInt8(1, 98);
  header.writeUInt8(kind, 99);
  header.writeUInt8(zooms[0], 100);
  header.writeUInt8(zooms[1], 101);
  return Buffer.concat([header, root, leafBytes, data]);
}
