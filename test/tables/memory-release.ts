// A release of parts that were never on disk, through their bytes as a real one has them.

import assert from 'node:assert/strict';
import { type Columns, encodePart, Part } from '../../src/release/part.ts';
import { Release } from '../../src/release/reader.ts';
import { layouts } from '../../src/tables/index.ts';

export function memoryRelease(made: Iterable<readonly [name: string, columns: Columns]>): Release {
  const buffers = new Map<string, SharedArrayBuffer>();
  const parts: Record<string, { bytes: number; crc32: number }> = {};
  for (const [name, columns] of made) {
    const bytes = encodePart(columns);
    const buffer = new SharedArrayBuffer(bytes.length);
    new Uint8Array(buffer).set(bytes);
    buffers.set(`${name}.part`, buffer);
    parts[name] = { bytes: bytes.length, crc32: Part.open(buffer).checksum };
  }
  const manifest = {
    format: 'domesday-data',
    version: 1,
    id: 'made-1',
    createdAt: '2026-11-15T12:00:00Z',
    kind: 'loaded',
    parent: null,
    datasets: [],
    derived: [],
    parts,
  } as const;
  return new Release('', manifest, layouts, (file) => buffers.get(file) ?? assert.fail(file));
}
