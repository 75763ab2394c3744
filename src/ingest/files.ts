// Finds the files an operator points at (folders, archives, compressed files) and opens each as what its bytes
// say it is; names and extensions decide nothing.

import type { Stats } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { errorCode } from '../errno.ts';
import { type Archive, type ArchiveEntry, openArchive } from './archive.ts';
import { DiskFile } from './disk-file.ts';
import { type Outline, readOutline, readSheet, type Sheet } from './read/workbook.ts';
import { mostWorkbookBytes } from './read/workbook-contents.ts';
import { FileRefused, IngestRefused, type OnRefused, stopAt } from './refusal.ts';
import { formatCount } from './tally.ts';
import { wholeOf, withinRatio } from './unpacking.ts';

/** So much of a file is looked at before it is read. */
export const headBytes = 16_384;
/** A text packed by gzip unpacks to about so many times its size: price paid data to 3, the Postcode Directory to 13. */
const usualRatio = 5;
/** The last bytes of a gzip are the size of its content, without what exceeds 32 bits. */
const gzipSizeBytes = 4;
/** The beginning of each is kept. */
const mostFiles = 50_000;

export type TextFile = {
  readonly form: 'text';
  /** As the operator knows it: the path given, or "archive.zip > entry". */
  readonly name: string;
  /** Uncompressed size where it is known before reading. */
  readonly bytes: number | undefined;
  /** Rough size in bytes, for comparing files before they are read. */
  readonly weight: number;
  /** The first uncompressed bytes. */
  readonly head: Buffer;
  /** Uncompressed content; an error in it (a cut-off archive) is a FileRefused. */
  open(): AsyncIterable<Uint8Array>;
};

export type WorkbookFile = Outline & {
  readonly form: 'workbook';
  readonly name: string;
  readonly weight: number;
  openSheet(name: string): Promise<Sheet>;
};

/** A file that is no text, of any size. It is read piece by piece, where its own tables point. */
export type BinaryFile = {
  readonly form: 'binary';
  readonly name: string;
  readonly bytes: number;
  readonly weight: number;
  /** The first bytes. */
  readonly head: Buffer;
  open(): Promise<BytesAt>;
};

export type BytesAt = {
  /** Exactly `length` bytes. Throws FileRefused where the file ends earlier. */
  read(position: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
};

export type InputFile = TextFile | WorkbookFile | BinaryFile;

/** What one file on disk holds: itself, or the entries of an archive. */
export type Holding = {
  readonly disk: DiskFile;
  readonly name: string;
  readonly form: 'single' | 'archive';
  readonly files: readonly InputFile[];
};

/** One path of the command line. A file that several of them lead to is one and the same holding in all. */
type Given = {
  readonly path: string;
  readonly form: 'file' | 'folder';
  readonly holdings: readonly Holding[];
};

/** What lies in a folder and is not read, with the reason. */
export type LeftOut = { readonly name: string; readonly because: string };

export type Found = {
  readonly given: readonly Given[];
  readonly leftOut: readonly LeftOut[];
  close(): void;
};

/** `onRefused` is told of a file that cannot be opened as what it is, and decides whether the others are looked at. */
export async function findFiles(paths: readonly string[], onRefused: OnRefused = stopAt): Promise<Found> {
  const archives: Archive[] = [];
  const leftOut: LeftOut[] = [];
  const close = () => {
    for (const archive of archives) archive.close();
  };
  const orRefused = async (file: string, look: () => Promise<void>) => {
    try {
      await look();
    } catch (error) {
      if (!(error instanceof IngestRefused)) throw error;
      onRefused([file], error);
    }
  };
  try {
    const given: Given[] = [];
    /** By whole path; nothing where it was refused. */
    const opened = new Map<string, readonly Holding[]>();
    const look = async (place: string, form: Given['form'], files: readonly string[]) => {
      const holdings: Holding[] = [];
      for (const file of files) {
        const known = opened.get(path.resolve(file));
        const found: Holding[] = [];
        if (known === undefined) {
          opened.set(path.resolve(file), found);
          await orRefused(file, async () => {
            found.push(await openHolding(await DiskFile.look(file), archives));
          });
        }
        holdings.push(...(known ?? found));
      }
      given.push({ path: place, form, holdings });
    };
    const folders: string[] = [];
    for (const place of new Set(paths)) {
      await orRefused(place, async () => {
        // A link that is named is followed: whoever names it knows it.
        if ((await factsOf(place)).isDirectory()) folders.push(place);
        else await look(place, 'file', [place]);
      });
    }
    // A file that is named must be known, also where it lies in a folder that is named with it.
    for (const place of folders) {
      await orRefused(place, async () => {
        const files = await walk(place, leftOut);
        if (files.length === 0) throw new FileRefused(place, describeEmpty(leftOut));
        await look(place, 'folder', files);
      });
    }
    return { given, leftOut, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Throws FileRefused. */
const factsOf = (place: string): Promise<Stats> =>
  stat(place).catch((error: unknown) => {
    const code = errorCode(error);
    if (code === undefined) throw error;
    const isAbsent = code === 'ENOENT' || code === 'ENOTDIR';
    throw new FileRefused(
      place,
      isAbsent
        ? 'there is no such file or folder.'
        : `cannot be read (${code}); correct its permissions, or name another.`,
    );
  });

const describeEmpty = (leftOut: readonly LeftOut[]) =>
  leftOut.length === 0
    ? 'the folder holds no files.'
    : `the folder has no files except ${formatCount(leftOut.length)} that the program does not read, such as ${leftOut[0]?.name}: ${leftOut[0]?.because}.`;

/** Every file below a folder in the order of names; hidden ones are left out. */
async function walk(folder: string, leftOut: LeftOut[]): Promise<readonly string[]> {
  const files: string[] = [];
  for (const name of (await readdir(folder)).sort()) {
    if (name.startsWith('.')) continue;
    const place = path.join(folder, name);
    const facts = await lstat(place);
    if (facts.isDirectory()) files.push(...(await walk(place, leftOut)));
    else if (facts.isFile()) files.push(place);
    else leftOut.push({ name: place, because: facts.isSymbolicLink() ? isLink : isNoFile });
    if (files.length > mostFiles) {
      throw new FileRefused(
        folder,
        `the folder holds more than ${formatCount(mostFiles)} files; name a smaller one.`,
      );
    }
  }
  return files;
}

/** It may lead round in a circle, or to what the folder is not meant to hold. */
const isLink = 'it is a link, and the program does not follow links in a folder; name its target';
/** A pipe would be waited for without end. */
const isNoFile = 'it is a pipe, socket or device, not a file';

const startsWith = (head: Buffer, ...bytes: readonly number[]) =>
  bytes.every((byte, index) => head[index] === byte);
const isGzip = (head: Buffer) => startsWith(head, 0x1f, 0x8b, 0x08);
const isZip = (head: Buffer) => startsWith(head, 0x50, 0x4b, 0x03, 0x04);
/** No text begins with a zero byte, in any encoding that is read here. */
const isBinary = (head: Buffer) => startsWith(head, 0);
/** The compound files that .xls are. */
const isCompound = (head: Buffer) => startsWith(head, 0xd0, 0xcf, 0x11, 0xe0);

async function openHolding(disk: DiskFile, archives: Archive[]): Promise<Holding> {
  const name = disk.path;
  const head = await readHead(disk);
  const single = (file: InputFile): Holding => ({ disk, name, form: 'single', files: [file] });
  if (isZip(head)) {
    const archive = await openArchive(disk);
    archives.push(archive);
    const isWorkbook = archive.entries.some(
      (entry) => entry.name === '[Content_Types].xml' || entry.name === 'mimetype',
    );
    if (isWorkbook) return single(await openWorkbook(name, disk.bytes, () => disk.stream()));
    const files: InputFile[] = [];
    for (const entry of archive.entries) files.push(await openEntry(name, entry));
    return { disk, name, form: 'archive', files };
  }
  if (isCompound(head)) return single(await openWorkbook(name, disk.bytes, () => disk.stream()));
  const size = { bytes: disk.bytes, weight: disk.bytes };
  if (isBinary(head)) return single({ form: 'binary', name, ...size, head, open: () => openBytes(disk) });
  if (!isGzip(head)) return single({ form: 'text', name, ...size, head, open: () => disk.stream() });
  const open = () =>
    withinRatio(
      contentOf(name, () => gunzip(disk)),
      name,
      disk.bytes,
    );
  const weight = await weighGzip(disk);
  return single({ form: 'text', name, bytes: undefined, weight, head: await firstBytes(open()), open });
}

/** The size at its end is of its last member alone, and may be a lie: it is believed where it can be that of all content. */
async function weighGzip(disk: DiskFile): Promise<number> {
  const estimated = usualRatio * disk.bytes;
  const handle = await disk.open();
  try {
    const { buffer, bytesRead } = await handle.read(
      Buffer.alloc(gzipSizeBytes),
      0,
      gzipSizeBytes,
      disk.bytes - gzipSizeBytes,
    );
    const stated = bytesRead === gzipSizeBytes ? buffer.readUInt32LE() : 0;
    return stated >= disk.bytes && estimated < 2 ** 32 ? stated : estimated;
  } finally {
    await handle.close();
  }
}

function gunzip(disk: DiskFile): Readable {
  const compressed = Readable.from(disk.stream());
  const plain = createGunzip();
  compressed.on('error', (error) => plain.destroy(error));
  plain.on('close', () => compressed.destroy());
  return compressed.pipe(plain);
}

async function openBytes(disk: DiskFile): Promise<BytesAt> {
  const handle = await disk.open();
  return {
    read: async (position, length) => {
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafeSlow(length), 0, length, position);
      if (bytesRead === length) return buffer;
      throw new FileRefused(
        disk.path,
        `is cut off after ${formatCount(position + bytesRead)} bytes. Download it again`,
      );
    },
    close: () => handle.close(),
  };
}

/** Workbooks are tens of megabytes at most, so they are read whole, once for the outline and once for each sheet. */
async function openWorkbook(
  name: string,
  weight: number,
  open: () => AsyncIterable<Uint8Array>,
): Promise<WorkbookFile> {
  const bytes = () => wholeOf(open(), name, mostWorkbookBytes);
  return {
    ...(await readOutline(name, await bytes())),
    form: 'workbook',
    name,
    weight,
    openSheet: async (sheet) => readSheet(name, await bytes(), sheet),
  };
}

async function openEntry(file: string, entry: ArchiveEntry): Promise<InputFile> {
  const name = `${file} > ${entry.name}`;
  const head = await firstBytes(entry.open());
  return isCompound(head) || isZip(head)
    ? openWorkbook(name, entry.bytes, entry.open)
    : { form: 'text', name, bytes: entry.bytes, weight: entry.bytes, head, open: entry.open };
}

/** Chunks of a stream that is opened when reading begins; its failures are the file's. */
async function* contentOf(
  name: string,
  openStream: () => Readable | Promise<Readable>,
): AsyncGenerator<Uint8Array> {
  try {
    const stream: AsyncIterable<unknown> = await openStream();
    for await (const chunk of stream) if (chunk instanceof Uint8Array) yield chunk;
  } catch (error) {
    if (error instanceof IngestRefused) throw error;
    throw new FileRefused(name, 'cannot be read to its end; it is damaged or cut off. Download it again');
  }
}

async function firstBytes(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    size += chunk.byteLength;
    if (size >= headBytes) break;
  }
  // A copy: a view would keep all of the chunk.
  return Buffer.from(Buffer.concat(parts).subarray(0, headBytes));
}

async function readHead(disk: DiskFile): Promise<Buffer> {
  const handle = await disk.open();
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(disk.bytes, headBytes)), 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
