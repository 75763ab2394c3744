// What compressing a body costs the thread that answers, by size and coding: at once, and handed to a thread. From it come
// the two sizes in src/http/wire/compress.ts.

import { loadavg } from 'node:os';
import { performance } from 'node:perf_hooks';
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

/** A list of sales, as long as it is asked to be. */
function bodyOf(bytes: number): string {
  const sales: string[] = [];
  for (let length = 0, i = 0; length < bytes; i += 1) {
    const sale = {
      address: `${i} HIGH STREET, NEWPORT, ISLE OF WIGHT, PO30 ${i % 9}AB`,
      price: 100_000 + ((i * 7_919) % 400_000),
      date: `20${10 + (i % 16)}-0${1 + (i % 9)}-1${i % 9}`,
      type: 'DSTF'[i % 4],
      id: (Math.imul(i, 2_654_435_761) >>> 0).toString(16),
    };
    sales.push(JSON.stringify(sale));
    length += (sales.at(-1)?.length ?? 0) + 1;
  }
  return `[${sales.join(',')}]`;
}

const brotliAt = (quality: number) => ({ params: { [constants.BROTLI_PARAM_QUALITY]: quality } });
const zstdAt = (level: number) => ({ params: { [constants.ZSTD_c_compressionLevel]: level } });
const gzipLevel = promisify<string, ZlibOptions, Buffer>(gzip);
const brotliLater = promisify<string, BrotliOptions, Buffer>(brotliCompress);
const zstdLater = promisify<string, ZstdOptions, Buffer>(zstdCompress);

type Side = {
  readonly name: string;
  readonly atOnce: (body: string) => Buffer;
  readonly inThread: (body: string) => Promise<Buffer>;
};
const sides: readonly Side[] = [
  ...[1, 6].map((level) => ({
    name: `gzip ${level}`,
    atOnce: (body: string) => gzipSync(body, { level }),
    inThread: (body: string): Promise<Buffer> => gzipLevel(body, { level }),
  })),
  ...[1, 4].map((quality) => ({
    name: `br ${quality}`,
    atOnce: (body: string) => brotliCompressSync(body, brotliAt(quality)),
    inThread: (body: string): Promise<Buffer> => brotliLater(body, brotliAt(quality)),
  })),
  ...[1, 3].map((level) => ({
    name: `zstd ${level}`,
    atOnce: (body: string) => zstdCompressSync(body, zstdAt(level)),
    inThread: (body: string): Promise<Buffer> => zstdLater(body, zstdAt(level)),
  })),
];

const micros = (ms: number, times: number) => ((ms / times) * 1_000).toFixed(0).padStart(7);

console.log('   bytes coding     to  at once µs  in thread: loop µs');
for (const bytes of [1_024, 2_048, 4_096, 8_192, 32_768, 262_144, 2_097_152]) {
  const body = bodyOf(bytes);
  const times = Math.max(6, Math.min(300, Math.floor(4e6 / bytes)));
  for (const { name, atOnce, inThread } of sides) {
    let length = 0;
    for (let i = 0; i < times; i += 1) length = atOnce(body).length;
    const fromMs = performance.now();
    for (let i = 0; i < times; i += 1) atOnce(body);
    const atOnceMs = performance.now() - fromMs;
    for (let i = 0; i < times; i += 1) await inThread(body);
    const before = performance.eventLoopUtilization();
    for (let i = 0; i < times; i += 1) await inThread(body);
    const { active } = performance.eventLoopUtilization(before);
    console.log(
      `${String(bytes).padStart(8)} ${name.padEnd(6)} ${String(length).padStart(7)} ${micros(atOnceMs, times)} ${micros(active, times)}`,
    );
  }
}
console.log(
  `load average: ${loadavg()
    .map((load) => load.toFixed(1))
    .join(', ')}`,
);
