// Zip archives with fixed dates: the same entries always give the same bytes. Tests need no archive on disk, and the
// sandbox's archives are made with it.

import { crc32, deflateRawSync } from 'node:zlib';

/** An entry as the archive is to tell of it, true or not: tests make archives that contradict themselves. */
export type ZipEntry = {
  readonly name: string | Buffer;
  readonly packed: Buffer;
  readonly bytes: number;
  readonly crc: number;
  readonly method?: number;
  readonly flags?: number;
  /** Where its header is said to be. */
  readonly offset?: number;
  readonly extra?: Buffer;
};

export function makeZip(entries: Readonly<Record<string, Uint8Array | string>>): Buffer {
  return zipOf(
    Object.entries(entries).map(([name, content]) => {
      const bytes = Buffer.from(content);
      return {
        name,
        packed: deflateRawSync(bytes, { level: 9 }),
        bytes: bytes.length,
        crc: crc32(bytes),
      };
    }),
  );
}

const deflated = 8;
/** In the form of MS-DOS: 15 November 2026. */
const date = (46 << 9) | (11 << 5) | 15;

export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const { name, packed, bytes, crc, method = deflated, flags = 0, extra = Buffer.alloc(0) } = entry;
    const title = Buffer.from(name);
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(flags, 2);
    facts.writeUInt16LE(method, 4);
    facts.writeUInt16LE(date, 8);
    facts.writeUInt32LE(crc, 10);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(Math.min(bytes, 0xffff_ffff), 18);
    facts.writeUInt16LE(title.length, 22);
    const listed = Buffer.from(facts);
    listed.writeUInt16LE(extra.length, 24);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(entry.offset ?? offset, 10);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), facts, title, packed]);
    central.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), listed, place, title, extra]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(central.length, 8);
  end.writeUInt16LE(central.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}
