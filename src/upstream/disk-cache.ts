// Answers of the live service kept on disk under a hash of their address, until a moment or for as long as there is room.
// What cannot be read counts as absent, and what cannot be written is asked for again: a cache never fails a request.

import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { dayMs, hourMs } from '../time.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Larger texts were never kept. */
const textBytesMost = 64 * 2 ** 20;
/** How often at most the use of a file is noted. */
const notedEveryMs = dayMs;
/** What a crash left half-written. */
const draftMs = hourMs;

type CacheOptions = {
  readonly folder: string;
  /** On disk, all files together. Beyond it, those go that were used longest ago. */
  readonly bytesMost: number;
};

export class DiskCache {
  readonly #options: CacheOptions;
  /** Since the files were last counted; the first to be kept has them counted. */
  #uncountedBytes = Number.POSITIVE_INFINITY;
  #sweep: Promise<void> | undefined;

  constructor(options: CacheOptions) {
    this.#options = options;
  }

  /** The text kept under that address; undefined where there is none or its time is over. */
  async find(address: string, nowMs: number): Promise<string | undefined> {
    const place = this.#fileOf(address);
    try {
      const content = await readFile(place);
      const end = content.indexOf(10);
      const [until = '', kept = ''] = content.subarray(0, Math.max(0, end)).toString().split(' ');
      // A hash may be shared, and a file cut.
      if (end < 0 || kept !== address || Number(until) <= nowMs) return undefined;
      const text = await decompress(content.subarray(end + 1), { maxOutputLength: textBytesMost });
      await noteUse(place, nowMs);
      return text.toString();
    } catch {
      return undefined;
    }
  }

  async keep(address: string, text: string, { nowMs, untilMs }: Span): Promise<void> {
    const place = this.#fileOf(address);
    const draft = `${place}.${randomUUID()}`;
    try {
      const content = Buffer.concat([Buffer.from(`${untilMs} ${address}\n`), await compress(text)]);
      await mkdir(path.dirname(place), { recursive: true, mode: 0o700 });
      await writeFile(draft, content, { mode: 0o600 });
      await utimes(draft, nowMs / 1000, nowMs / 1000);
      await rename(draft, place);
      this.#uncountedBytes += content.length;
      await this.#makeRoom(nowMs);
    } catch {
      // The disk is full or read-only; the next request asks the service.
      await rm(draft, { force: true }).catch(() => undefined);
    }
  }

  async #makeRoom(nowMs: number): Promise<void> {
    const { folder, bytesMost } = this.#options;
    if (this.#uncountedBytes < bytesMost / 16) return;
    this.#sweep ??= sweep(folder, bytesMost, nowMs).finally(() => {
      this.#sweep = undefined;
    });
    this.#uncountedBytes = 0;
    await this.#sweep;
  }

  #fileOf(address: string): string {
    const hash = createHash('sha256').update(address).digest('hex');
    return path.join(this.#options.folder, hash.slice(0, 2), hash.slice(2, 34));
  }
}

type Span = { readonly nowMs: number; readonly untilMs: number };

async function noteUse(place: string, nowMs: number): Promise<void> {
  const { mtimeMs } = await stat(place);
  if (Math.abs(nowMs - mtimeMs) > notedEveryMs) await utimes(place, nowMs / 1000, nowMs / 1000);
}

/** Down to seven eighths, so that not every answer needs another sweep. */
async function sweep(folder: string, bytesMost: number, nowMs: number): Promise<void> {
  const files: { readonly place: string; readonly bytes: number; readonly usedMs: number }[] = [];
  for (const name of await readdir(folder, { recursive: true })) {
    const place = path.join(folder, name);
    // Another service may have removed it.
    const found = await stat(place).catch(() => undefined);
    if (found === undefined || !found.isFile()) continue;
    const isStaleDraft = path.basename(name).includes('.') && Math.abs(nowMs - found.mtimeMs) > draftMs;
    if (isStaleDraft) await rm(place, { force: true });
    else files.push({ place, bytes: found.size, usedMs: found.mtimeMs });
  }
  files.sort((a, b) => a.usedMs - b.usedMs);
  let bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes <= bytesMost) return;
  for (const file of files) {
    if (bytes <= (bytesMost / 8) * 7) return;
    await rm(file.place, { force: true });
    bytes -= file.bytes;
  }
}
