// Finds the files an operator points at (folders, archives, compressed files) and opens each as what its bytes
// say it is; names and extensions decide nothing.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import { type Outline, readOutline, readSheet, type Sheet } from './read/workbook.ts';
import { FileRefused, IngestRefused } from './refusal.ts';
import { formatCount } from './tally.ts';

const headBytes = 16_384;

export type TextFile = {
  readonly form: 'text';
  /** As the operator knows it: the path given, or "archive.zip > entry". */
  readonly name: string;
  /** Uncompressed size where it is known before reading. */
  readonly bytes: number | undefined;
  /** The first uncompressed bytes. */
  readonly head: Buffer;
  /** Uncompressed content; an error in it (a cut-off archive) is a FileRefused. */
  open(): AsyncIterable<Uint8Array>;
};

export type WorkbookFile = Outline & {
  readonly form: 'workbook';
  readonly name: string;
  openSheet(name: string): Promise<Sheet>;
};

/** A file that is no text, of any size. It is read piece by piece, where its own tables point. */
export type BinaryFile = {
  readonly form: 'binary';
  readonly name: string;
  readonly bytes: number;
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
  readonly path: string;
  readonly name: string;
  readonly form: 'single' | 'archive';
  readonly files: readonly InputFile[];
};

/** One path of the command line. */
export type Given = {
  readonly path: string;
  readonly form: 'file' | 'folder';
  readonly holdings: readonly Holding[];
};

export type Found = { readonly given: readonly Given[]; close(): void };

export async function findFiles(paths: readonly string[]): Promise<Found> {
  const archives: ZipFile[] = [];
  const close = () => {
    for (const archive of archives) archive.close();
  };
  try {
    const given: Given[] = [];
    for (const place of paths) {
      const facts = await stat(place).catch(() => undefined);
      if (facts === undefined) throw new IngestRefused(`${place}: there is no such file or folder.`);
      const isFolder = facts.isDirectory();
      const holdings: Holding[] = [];
      for (const file of isFolder ? await walk(place) : [place])
        holdings.push(await openHolding(file, archives));
      if (holdings.length === 0) throw new IngestRefused(`${place}: the folder holds no files.`);
      given.push({ path: place, form: isFolder ? 'folder' : 'file', holdings });
    }
    return { given, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Every file below a folder in the order of names; hidden ones are left out. */
async function walk(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const files: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.')) continue;
    const place = path.join(folder, entry.name);
    if (entry.isDirectory()) files.push(...(await walk(place)));
    else files.push(place);
  }
  return files;
}

const startsWith = (head: Buffer, ...bytes: readonly number[]) =>
  bytes.every((byte, index) => head[index] === byte);
const isGzip = (head: Buffer) => startsWith(head, 0x1f, 0x8b, 0x08);
const isZip = (head: Buffer) => startsWith(head, 0x50, 0x4b, 0x03, 0x04);
/** No text begins with a zero byte, in any encoding that is read here. */
const isBinary = (head: Buffer) => startsWith(head, 0);
/** The compound files that .xls are. */
const isCompound = (head: Buffer) => startsWith(head, 0xd0, 0xcf, 0x11, 0xe0);

async function openHolding(file: string, archives: ZipFile[]): Promise<Holding> {
  const { head, bytes } = await readHead(file);
  const holding = (form: Holding['form'], files: readonly InputFile[]): Holding => ({
    path: file,
    name: file,
    form,
    files,
  });
  if (isZip(head)) {
    const { archive, entries } = await openArchive(file);
    archives.push(archive);
    const isWorkbook = entries.some(
      ({ fileName }) => fileName === '[Content_Types].xml' || fileName === 'mimetype',
    );
    if (isWorkbook) return holding('single', [await openWorkbook(file)]);
    const files: InputFile[] = [];
    for (const entry of entries) files.push(await openEntry(file, archive, entry));
    return holding('archive', files);
  }
  if (isCompound(head)) return holding('single', [await openWorkbook(file)]);
  if (isBinary(head)) {
    return holding('single', [{ form: 'binary', name: file, bytes, head, open: () => openBytes(file) }]);
  }
  const read = isGzip(head)
    ? () => contentOf(file, () => gunzip(createReadStream(file)))
    : () => contentOf(file, () => createReadStream(file, { highWaterMark: 1 << 20 }));
  return holding('single', [
    {
      form: 'text',
      name: file,
      bytes: isGzip(head) ? undefined : bytes,
      head: isGzip(head) ? await firstBytes(read()) : head,
      open: read,
    },
  ]);
}

function gunzip(compressed: Readable): Readable {
  const plain = createGunzip();
  compressed.on('error', (error) => plain.destroy(error));
  return compressed.pipe(plain);
}

async function openBytes(file: string): Promise<BytesAt> {
  const handle = await openToRead(file);
  return {
    read: async (position, length) => {
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafeSlow(length), 0, length, position);
      if (bytesRead === length) return buffer;
      throw new FileRefused(
        file,
        `is cut off after ${formatCount(position + bytesRead)} bytes. Download it again`,
      );
    },
    close: () => handle.close(),
  };
}

async function openWorkbook(file: string): Promise<WorkbookFile> {
  // Workbooks are tens of megabytes at most, so they are read whole, once for the outline and once for a sheet.
  const outline = await readOutline(file, await readFile(file));
  return {
    ...outline,
    form: 'workbook',
    name: file,
    openSheet: async (name) => readSheet(file, await readFile(file), name),
  };
}

async function openArchive(file: string): Promise<{ archive: ZipFile; entries: readonly Entry[] }> {
  const { openPromise } = await import('yauzl');
  try {
    const archive = await openPromise(file, { lazyEntries: true, autoClose: false });
    const entries = await new Promise<readonly Entry[]>((resolve, reject) => {
      const found: Entry[] = [];
      archive.on('entry', (entry: Entry) => {
        if (!entry.fileName.endsWith('/')) found.push(entry);
        archive.readEntry();
      });
      archive.on('end', () => resolve(found));
      archive.on('error', reject);
      archive.readEntry();
    });
    return { archive, entries };
  } catch {
    throw new FileRefused(
      file,
      'cannot be read as a zip archive; it is damaged or cut off. Download it again',
    );
  }
}

async function openEntry(file: string, archive: ZipFile, entry: Entry): Promise<InputFile> {
  const name = `${file} > ${entry.fileName}`;
  const read = () => contentOf(name, () => archive.openReadStreamPromise(entry));
  const head = await firstBytes(read());
  if (!isCompound(head) && !isZip(head)) {
    return { form: 'text', name, bytes: entry.uncompressedSize, head, open: read };
  }
  const bytes = async () => Buffer.concat(await Array.fromAsync(read()));
  return {
    ...(await readOutline(name, await bytes())),
    form: 'workbook',
    name,
    openSheet: async (sheet) => readSheet(name, await bytes(), sheet),
  };
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
  return Buffer.concat(parts).subarray(0, headBytes);
}

const openToRead = (file: string): Promise<FileHandle> =>
  open(file, 'r').catch(() => {
    throw new FileRefused(file, 'cannot be opened for reading');
  });

async function readHead(file: string): Promise<{ head: Buffer; bytes: number }> {
  const handle = await openToRead(file);
  try {
    const { size } = await handle.stat();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(size, headBytes)), 0);
    return { head: buffer.subarray(0, bytesRead), bytes: size };
  } finally {
    await handle.close();
  }
}

/** Size and hash of the file on disk, as it was downloaded. */
export async function fingerprint(file: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of contentOf(file, () => createReadStream(file, { highWaterMark: 1 << 20 }))) {
    hash.update(chunk);
    bytes += chunk.byteLength;
  }
  return { bytes, sha256: hash.digest('hex') };
}
