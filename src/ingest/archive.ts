// Zip archives of publishers and of anybody else: what the archive says of itself is believed only after it was compared.
// Nothing is ever written where a name in it points.

import { crc32 } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import type { DiskFile } from './disk-file.ts';
import { FileRefused, IngestRefused } from './refusal.ts';
import { formatCount } from './tally.ts';
import { withinRatio } from './unpacking.ts';

/** The police archive of fifteen years has 24,000. */
const mostEntries = 50_000;
/** A header before each entry, of which the name is one part. */
const localHeaderBytes = 30;
const stored = 0;
const deflated = 8;

export type ArchiveEntry = {
  readonly name: string;
  readonly bytes: number;
  readonly packedBytes: number;
  /** Throws FileRefused, where the content is not what the archive says. */
  open(): AsyncGenerator<Uint8Array>;
};

export type Archive = { readonly entries: readonly ArchiveEntry[]; close(): void };

/** Throws FileRefused. */
export async function openArchive(disk: DiskFile): Promise<Archive> {
  const { fromFdPromise } = await import('yauzl');
  const handle = await disk.open();
  // The archive closes the descriptor; the handle would do so again.
  const archive = await fromFdPromise(handle.fd, { lazyEntries: true, autoClose: false }).catch(
    () => undefined,
  );
  if (archive === undefined) {
    await handle.close();
    throw damaged(disk.path);
  }
  try {
    return { entries: await listEntries(disk.path, archive), close: () => void handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** As openArchive, of bytes in memory. Throws FileRefused. */
export async function readArchive(name: string, bytes: Buffer): Promise<readonly ArchiveEntry[]> {
  const { fromBufferPromise } = await import('yauzl');
  const archive = await fromBufferPromise(bytes, { lazyEntries: true }).catch(() => undefined);
  if (archive === undefined) throw damaged(name);
  return listEntries(name, archive);
}

const damaged = (name: string) =>
  new FileRefused(name, 'cannot be read as a zip archive; it is damaged or cut off. Download it again');

async function listEntries(name: string, archive: ZipFile): Promise<readonly ArchiveEntry[]> {
  if (archive.entryCount > mostEntries) {
    throw new FileRefused(
      name,
      `has ${formatCount(archive.entryCount)} entries; the program reads at most ${formatCount(mostEntries)}. Unpack what you need, and name that folder`,
    );
  }
  const found = (await readEntries(name, archive)).filter(({ fileName }) => !fileName.endsWith('/'));
  refuseSecrets(name, found);
  refuseTwice(name, found);
  refuseOverlaps(name, found);
  return found.map((entry) => ({
    name: entry.fileName,
    bytes: entry.uncompressedSize,
    packedBytes: entry.compressedSize,
    open: () =>
      withinRatio(contentOf(name, archive, entry), `${name} > ${entry.fileName}`, entry.compressedSize),
  }));
}

async function readEntries(name: string, archive: ZipFile): Promise<readonly Entry[]> {
  try {
    return await new Promise<readonly Entry[]>((resolve, reject) => {
      const found: Entry[] = [];
      archive.on('entry', (entry: Entry) => {
        found.push(entry);
        archive.readEntry();
      });
      archive.on('end', () => resolve(found));
      archive.on('error', reject);
      archive.readEntry();
    });
  } catch (error) {
    if (
      error instanceof Error &&
      /^(absolute path|invalid relative path|invalid characters)/.test(error.message)
    ) {
      throw new FileRefused(
        name,
        'has an entry whose name points outside the archive. No publisher does that. Download it again from its publisher',
      );
    }
    throw damaged(name);
  }
}

function refuseSecrets(name: string, entries: readonly Entry[]): void {
  const secret = entries.find((entry) => entry.isEncrypted());
  if (secret !== undefined)
    throw new FileRefused(name, `is encrypted (${secret.fileName}). Decrypt it first, and name the result`);
  const strange = entries.find(
    ({ compressionMethod }) => compressionMethod !== stored && compressionMethod !== deflated,
  );
  if (strange !== undefined) {
    throw new FileRefused(
      name,
      `is packed in a way that this program cannot read (${strange.fileName}, method ${strange.compressionMethod}). Unpack it, and name the folder`,
    );
  }
}

/** Which of the two counts, nobody can tell. */
function refuseTwice(name: string, entries: readonly Entry[]): void {
  const seen = new Set<string>();
  for (const { fileName } of entries) {
    if (seen.has(fileName)) throw new FileRefused(name, `has the entry ${fileName} twice. Download it again`);
    seen.add(fileName);
  }
}

/** Entries that share their bytes make an archive of any size out of nothing. */
function refuseOverlaps(name: string, entries: readonly Entry[]): void {
  let end = 0;
  for (const entry of entries.toSorted(
    (a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader,
  )) {
    if (entry.relativeOffsetOfLocalHeader < end)
      throw new FileRefused(name, `has entries that overlap (${entry.fileName}). Download it again`);
    end = entry.relativeOffsetOfLocalHeader + localHeaderBytes + entry.fileNameLength + entry.compressedSize;
  }
}

async function* contentOf(name: string, archive: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  const wrong = (problem: string) =>
    new FileRefused(`${name} > ${entry.fileName}`, `${problem}; it is damaged or cut off. Download it again`);
  let sum = 0;
  try {
    const stream: AsyncIterable<unknown> = await archive.openReadStreamPromise(entry);
    for await (const chunk of stream) {
      if (!(chunk instanceof Uint8Array)) continue;
      sum = crc32(chunk, sum);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof IngestRefused) throw error;
    throw wrong('cannot be read to its end');
  }
  if (sum !== entry.crc32) throw wrong('does not match its checksum in the archive');
}
