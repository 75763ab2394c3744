// Replies with a compressed body, for callers who take one and where it pays; what was measured stands in docs/decisions/0029-compression.md.

import { promisify } from 'node:util';
import {
  type BrotliOptions,
  brotliCompress,
  brotliCompressSync,
  constants,
  gzip,
  gzipSync,
  type ZlibOptions,
  type ZstdOptions,
  zstdCompress,
  zstdCompressSync,
} from 'node:zlib';
import type { Reply } from '../envelope.ts';
import { type Coding, chooseCoding, mayRefusePlain } from './accept-encoding.ts';

/** A shorter body is sent as it is: it takes two packets at most, and compressing it takes longer than metering the call. */
const leastBytes = 4_096;

/** From here on the work is a thread's: to hand it over costs this one as much as to compress what is shorter. */
const threadBytes = 32_768;

type Compressor = {
  readonly atOnce: (body: string | Buffer) => Buffer;
  readonly inThread: (body: string | Buffer) => Promise<Buffer>;
  /** Denser and slower, for what is compressed once and kept. */
  readonly toKeep: (body: string | Buffer) => Promise<Buffer>;
};

const gzipLater = promisify<string | Buffer, ZlibOptions, Buffer>(gzip);
const brotliLater = promisify<string | Buffer, BrotliOptions, Buffer>(brotliCompress);
const zstdLater = promisify<string | Buffer, ZstdOptions, Buffer>(zstdCompress);
const brotliAt = (quality: number) => ({ params: { [constants.BROTLI_PARAM_QUALITY]: quality } });
const zstdAt = (level: number) => ({ params: { [constants.ZSTD_c_compressionLevel]: level } });

const compressors: Readonly<Record<Coding, Compressor>> = {
  zstd: {
    atOnce: (body) => zstdCompressSync(body, zstdAt(1)),
    inThread: (body) => zstdLater(body, zstdAt(1)),
    toKeep: (body) => zstdLater(body, zstdAt(9)),
  },
  br: {
    atOnce: (body) => brotliCompressSync(body, brotliAt(1)),
    inThread: (body) => brotliLater(body, brotliAt(1)),
    toKeep: (body) => brotliLater(body, brotliAt(6)),
  },
  gzip: {
    atOnce: (body) => gzipSync(body, { level: 1 }),
    inThread: (body) => gzipLater(body, { level: 1 }),
    toKeep: (body) => gzipLater(body, { level: 6 }),
  },
};

/** A promise only where a thread works on it. The reply names the same ETag and `Vary` whatever its coding. */
export function compressed(reply: Reply, acceptEncoding: string | undefined): Reply | Promise<Reply> {
  const { body, bodyBytes } = reply;
  if (bodyBytes < leastBytes && !mayRefusePlain(acceptEncoding)) return reply;
  const made = typeof body === 'string' ? undefined : madeBefore.get(body);
  const { coding, plain } = chooseCoding(acceptEncoding, made);
  // Whoever takes nothing at all is rather sent the body as it is than refused what may have been paid for.
  if (coding === 'plain' || bodyBytes === 0 || (bodyBytes < leastBytes && plain === 'taken')) return reply;
  if (typeof body !== 'string') return fromKept(body, coding).then((bytes) => recoded(reply, coding, bytes));
  const compressor = compressors[coding];
  return bodyBytes < threadBytes
    ? recoded(reply, coding, compressor.atOnce(body))
    : compressor.inThread(body).then((bytes) => recoded(reply, coding, bytes));
}

/** Bodies that are sent to everybody, for as long as they are kept themselves. */
const kept = new WeakMap<Buffer, Map<Coding, Promise<Buffer>>>();

/** The codings of a body that came compressed; it is sent in no other. */
const madeBefore = new WeakMap<Buffer, readonly Coding[]>();

/** For what was compressed before this service began, as densely as it can be. In the order of preference. */
export function keepCoded(body: Buffer, codings: ReadonlyMap<Coding, Buffer>): void {
  madeBefore.set(body, [...codings.keys()]);
  kept.set(body, new Map([...codings].map(([coding, bytes]) => [coding, Promise.resolve(bytes)])));
}

function fromKept(body: Buffer, coding: Coding): Promise<Buffer> {
  const codings = kept.get(body) ?? new Map<Coding, Promise<Buffer>>();
  kept.set(body, codings);
  const known = codings.get(coding);
  if (known !== undefined) return known;
  const making = compressors[coding].toKeep(body);
  codings.set(coding, making);
  // What failed once may work the next time.
  making.catch(() => codings.delete(coding));
  return making;
}

function recoded({ status, headers, code }: Reply, coding: Coding, body: Buffer): Reply {
  // The last: a caller may call its request so.
  const length = headers.lastIndexOf('content-length');
  const others = [...headers.slice(0, length), ...headers.slice(length + 2)];
  const own = ['content-encoding', coding, 'content-length', String(body.length)];
  return { status, headers: [...others, ...own], body, bodyBytes: body.length, code };
}
