// The container of an OpenStreetMap extract (PBF): a header, and blobs of some thousand objects each, which are inflated
// by other threads while the one before is read.

import { promisify } from 'node:util';
import { inflate, zstdDecompress } from 'node:zlib';
import type { BinaryFile, BytesAt } from '../../ingest/files.ts';
import { Fields, ProtobufFault, unzigzag } from '../../ingest/read/protobuf.ts';
import { FileRefused, IngestRefused } from '../../ingest/refusal.ts';

const inflateAside = promisify(inflate);
const unpackZstdAside = promisify(zstdDecompress);

/** The format's own limits. */
const mostHeaderBytes = 64 * 1024;
const mostBlobBytes = 32 * 1024 * 1024;
const prefixBytes = 4;
/** Most headers have 13 to 20 bytes, so one read gets a whole header. */
const firstReadBytes = 64;
const readAhead = 12;

const knownFeatures = ['OsmSchema-V0.6', 'DenseNodes'];
const sortedFeature = 'Sort.Type_then_ID';

type Blob = { readonly position: number; readonly bytes: number };

export type OsmHeader = {
  /** West, east, north, south. */
  readonly boundsDegrees: readonly [number, number, number, number] | undefined;
  /** Nodes, then ways, then relations, each by id. */
  readonly order: 'sorted' | 'any';
  readonly asOfMs: number | undefined;
  /** Where its updates are published. */
  readonly updatesUrl: string;
};

export type OsmFile = {
  readonly name: string;
  readonly bytes: number;
  readonly header: OsmHeader;
  /** Those with objects. */
  readonly blobs: readonly Blob[];
  /** Contents of blobs in the order of `numbers`. */
  contents(
    numbers: Iterable<number>,
  ): AsyncGenerator<{ readonly number: number; readonly content: Uint8Array }>;
  close(): Promise<void>;
};

/** By the first blob, whose header has the type OSMHeader. */
export function isOsmPbf(head: Buffer): boolean {
  const length = head.length < prefixBytes ? 0 : head.readUInt32BE(0);
  if (length === 0 || length > mostHeaderBytes || head.length < prefixBytes + length) return false;
  try {
    return readBlobHeader(head.subarray(prefixBytes, prefixBytes + length)).type === 'OSMHeader';
  } catch (error) {
    if (error instanceof ProtobufFault) return false;
    throw error;
  }
}

/** Throws FileRefused where it is not one that can be read. */
export async function openOsm(file: BinaryFile): Promise<OsmFile> {
  const bytes = await file.open();
  try {
    const found = await listBlobs(file, bytes);
    const [first, ...blobs] = found;
    if (first === undefined || blobs.length === 0)
      throw new FileRefused(file.name, 'holds no objects. Download it again');
    const content = await readContent(file.name, bytes, first);
    const header = faultsOf(file.name, () => readHeader(file.name, content));
    return {
      name: file.name,
      bytes: file.bytes,
      header,
      blobs,
      contents: (numbers) => contentsOf(file.name, bytes, blobs, numbers),
      close: () => bytes.close(),
    };
  } catch (error) {
    await bytes.close();
    throw error;
  }
}

/** What is wrong inside is the file's fault. */
export function faultsOf<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ProtobufFault) throw damaged(name, error.message);
    throw error;
  }
}

const damaged = (name: string, problem: string) =>
  new FileRefused(name, `is damaged: ${problem}. Download it again`);

function readBlobHeader(bytes: Uint8Array): { readonly type: string; readonly dataBytes: number } {
  const fields = new Fields().over(bytes);
  let type = '';
  let dataBytes = -1;
  while (fields.next()) {
    if (fields.field === 1) type = textOf(bytes, fields);
    else if (fields.field === 3) dataBytes = fields.value;
  }
  return { type, dataBytes };
}

const textOf = (bytes: Uint8Array, { start, end }: Fields) =>
  Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');

/** The blob of the header comes first. Unknown types are skipped, as the format demands. */
async function listBlobs(file: BinaryFile, bytes: BytesAt): Promise<readonly Blob[]> {
  const found: Blob[] = [];
  let at = 0;
  while (at < file.bytes) {
    const start = await bytes.read(at, Math.min(firstReadBytes, file.bytes - at));
    const headerBytes = start.length < prefixBytes ? 0 : start.readUInt32BE(0);
    if (headerBytes === 0 || headerBytes > mostHeaderBytes)
      throw damaged(file.name, `no blob begins at byte ${at}`);
    const whole =
      start.length >= prefixBytes + headerBytes ? start : await bytes.read(at, prefixBytes + headerBytes);
    const header = faultsOf(file.name, () =>
      readBlobHeader(whole.subarray(prefixBytes, prefixBytes + headerBytes)),
    );
    const { type, dataBytes } = header;
    if (dataBytes < 0 || dataBytes > mostBlobBytes)
      throw damaged(file.name, `the blob at byte ${at} has no size`);
    const position = at + prefixBytes + headerBytes;
    at = position + dataBytes;
    if (at > file.bytes) {
      throw new FileRefused(
        file.name,
        `is cut off: a blob ends at byte ${at}, the file at ${file.bytes}. Download it again`,
      );
    }
    if (type === 'OSMData' || (type === 'OSMHeader' && found.length === 0))
      found.push({ position, bytes: dataBytes });
  }
  return found;
}

async function* contentsOf(
  name: string,
  bytes: BytesAt,
  blobs: readonly Blob[],
  numbers: Iterable<number>,
): AsyncGenerator<{ number: number; content: Uint8Array }> {
  const waiting: { number: number; content: Promise<Uint8Array> }[] = [];
  const order = numbers[Symbol.iterator]();
  const fill = () => {
    while (waiting.length < readAhead) {
      const { value: number, done } = order.next();
      const blob = done === true ? undefined : blobs[number];
      if (blob === undefined) return;
      const content = readContent(name, bytes, blob);
      // A reader that stops early awaits only some of these. An error in one that is awaited still arrives.
      content.catch(() => {});
      waiting.push({ number, content });
    }
  };
  try {
    for (fill(); ; fill()) {
      const next = waiting.shift();
      if (next === undefined) return;
      yield { number: next.number, content: await next.content };
    }
  } finally {
    await Promise.allSettled(waiting.map(({ content }) => content));
  }
}

async function readContent(
  name: string,
  bytes: BytesAt,
  { position, bytes: size }: Blob,
): Promise<Uint8Array> {
  const blob = await bytes.read(position, size);
  const { form, start, end, rawBytes } = faultsOf(name, () => readBlob(blob));
  const packed = blob.subarray(start, end);
  if (form === 'raw') return packed;
  if (form === 'other') {
    throw new FileRefused(
      name,
      `has a compression that this program does not read (blob at byte ${position}); expected zlib, as Geofabrik publishes it, zstd or none`,
    );
  }
  if (rawBytes === undefined || rawBytes > mostBlobBytes)
    throw damaged(name, `the blob at byte ${position} does not say its size`);
  try {
    const options = { chunkSize: Math.max(64, rawBytes), maxOutputLength: Math.max(64, rawBytes) };
    const content = await (form === 'zlib'
      ? inflateAside(packed, options)
      : unpackZstdAside(packed, options));
    if (content.length === rawBytes) return content;
  } catch (error) {
    if (error instanceof IngestRefused) throw error;
  }
  throw damaged(name, `the blob at byte ${position} cannot be unpacked`);
}

type Packed = { form: 'raw' | 'zlib' | 'zstd' | 'other'; start: number; end: number; rawBytes?: number };

const formOfField: Readonly<Record<number, Packed['form']>> = { 1: 'raw', 3: 'zlib', 7: 'zstd' };

function readBlob(bytes: Uint8Array): Packed {
  const fields = new Fields().over(bytes);
  let packed: Packed = { form: 'other', start: 0, end: 0 };
  let rawBytes: number | undefined;
  while (fields.next()) {
    const form = formOfField[fields.field];
    if (fields.field === 2) rawBytes = fields.value;
    else if (form !== undefined) packed = { form, start: fields.start, end: fields.end };
  }
  return rawBytes === undefined ? packed : { ...packed, rawBytes };
}

function readHeader(name: string, bytes: Uint8Array): OsmHeader {
  const fields = new Fields().over(bytes);
  const required: string[] = [];
  const optional: string[] = [];
  let boundsDegrees: OsmHeader['boundsDegrees'];
  let asOfMs: number | undefined;
  let updatesUrl = '';
  while (fields.next()) {
    if (fields.field === 1) boundsDegrees = readBounds(bytes.subarray(fields.start, fields.end));
    else if (fields.field === 4) required.push(textOf(bytes, fields));
    else if (fields.field === 5) optional.push(textOf(bytes, fields));
    else if (fields.field === 32) asOfMs = fields.value * 1000;
    else if (fields.field === 34) updatesUrl = textOf(bytes, fields);
  }
  const unknown = required.filter((feature) => !knownFeatures.includes(feature));
  if (unknown.length > 0) {
    throw new FileRefused(
      name,
      `needs features that this program does not read (${unknown.join(', ')}); expected an extract of the map as it is now, as Geofabrik publishes it`,
    );
  }
  return { boundsDegrees, order: optional.includes(sortedFeature) ? 'sorted' : 'any', asOfMs, updatesUrl };
}

function readBounds(bytes: Uint8Array): readonly [number, number, number, number] {
  const fields = new Fields().over(bytes);
  const bounds: [number, number, number, number] = [0, 0, 0, 0];
  // Thousand millionths of a degree.
  while (fields.next()) {
    if (fields.field >= 1 && fields.field <= 4) bounds[fields.field - 1] = unzigzag(fields.value) / 1e9;
  }
  return bounds;
}
