// A file that is still being fetched: FILE.part, and beside it what is known of it (FILE.part.json). The note says how many
// bytes were safely on disk and their hash, so that the next run goes on from there after a kill or a power cut, and never
// on top of bytes that are not those.

import { createHash } from 'node:crypto';
import { constants, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../errno.ts';
import { isObject, parseJson } from '../../json.ts';
import { replaceDurable, syncBytes, syncFolder } from '../../release/durable.ts';
import { stopped } from './failure.ts';

/** By which a publisher tells one version of a file from another. */
export type Validators = { readonly etag?: string; readonly lastModified?: string };

/** What the first answer said of the file. */
type Version = { readonly validators: Validators; readonly bytes: number | undefined };

type Note = { readonly address: string; readonly version: Version; readonly safe: Safe };
type Safe = { readonly bytes: number; readonly sha256: string };

type Place = {
  readonly folder: string;
  readonly fileName: string;
  readonly address: string;
  /** Beside SHA-256. */
  readonly alsoHash: 'md5' | 'nothing';
};

const pieceBytes = 1 << 20;

export class Part {
  readonly #place: Place;
  readonly #handle: FileHandle;
  #hashes = [createHash('sha256')];
  #bytes = 0;
  #version: Version | undefined;
  #safeBytes = 0;
  #syncedBytes = 0;

  private constructor(place: Place, handle: FileHandle) {
    this.#place = place;
    this.#handle = handle;
    this.#forget();
  }

  /** With what an earlier run left of the same address, where that is what its note says. */
  static async open(place: Place, signal: AbortSignal): Promise<Part> {
    const file = path.join(place.folder, `${place.fileName}.part`);
    const part = new Part(place, await open(file, constants.O_RDWR | constants.O_CREAT, 0o600));
    try {
      part.#sweep();
      const note = readNote(part.#noteFile);
      if (note?.address === place.address) await part.#goOnFrom(note, signal);
      return part;
    } catch (error) {
      await part.close();
      throw error;
    }
  }

  /** On disk so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Undefined until an answer began. */
  get version(): Version | undefined {
    return this.#version;
  }

  get #file(): string {
    return path.join(this.#place.folder, `${this.#place.fileName}.part`);
  }

  get #noteFile(): string {
    return `${this.#file}.json`;
  }

  /** Nothing of what came before is kept. The note that is left over an empty file is no use to anybody. */
  async empty(): Promise<void> {
    await this.#handle.truncate(0);
    this.#forget();
  }

  async beginAnew(version: Version): Promise<void> {
    await this.empty();
    this.#version = version;
    this.#writeNote(version);
  }

  async append(chunk: Uint8Array): Promise<void> {
    for (let done = 0; done < chunk.byteLength; ) {
      const { bytesWritten } = await this.#handle.write(chunk, done, chunk.byteLength - done, this.#bytes);
      this.#take(chunk.subarray(done, done + bytesWritten));
      done += bytesWritten;
    }
    if (this.#bytes - this.#syncedBytes < syncBytes) return;
    await this.#handle.datasync();
    this.#syncedBytes = this.#bytes;
  }

  /** Since this was last done, so many bytes at least have come. */
  hasUnsafe(bytes: number): boolean {
    return this.#bytes - this.#safeBytes >= bytes;
  }

  /** From here the next run goes on. */
  async makeSafe(): Promise<void> {
    const version = this.#version;
    // Of a whole file there is nothing left to ask for; from a little earlier there is.
    if (version === undefined || this.#bytes === version.bytes || !this.hasUnsafe(1)) return;
    await this.#handle.sync();
    this.#safeBytes = this.#bytes;
    this.#writeNote(version);
  }

  /** SHA-256, and MD5 where it was asked for, of what is on disk. */
  hashes(): readonly string[] {
    return this.#hashes.map((hash) => hash.copy().digest('hex'));
  }

  /** Under its own name, and on disk. Returns where. */
  async finish(): Promise<string> {
    const file = path.join(this.#place.folder, this.#place.fileName);
    await this.#handle.truncate(this.#bytes);
    await this.#handle.sync();
    renameSync(this.#file, file);
    syncFolder(this.#place.folder);
    rmSync(this.#noteFile, { force: true });
    await this.#handle.close();
    return file;
  }

  /** Closes it and leaves nothing. */
  async drop(): Promise<void> {
    await this.#handle.close();
    rmSync(this.#file, { force: true });
    rmSync(this.#noteFile, { force: true });
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  /** Whoever was killed while writing a note has left it beside. */
  #sweep(): void {
    const { folder, fileName } = this.#place;
    for (const name of readdirSync(folder))
      if (name.startsWith(`${fileName}.part.json.`)) rmSync(path.join(folder, name));
  }

  #forget(): void {
    const kinds = this.#place.alsoHash === 'md5' ? ['sha256', 'md5'] : ['sha256'];
    this.#hashes = kinds.map((kind) => createHash(kind));
    this.#bytes = 0;
    this.#safeBytes = 0;
    this.#syncedBytes = 0;
    this.#version = undefined;
  }

  #writeNote(version: Version): void {
    const safe = { bytes: this.#safeBytes, sha256: this.hashes()[0] ?? '' };
    const note: Note = { address: this.#place.address, version, safe };
    replaceDurable(this.#noteFile, JSON.stringify(note));
  }

  async #goOnFrom({ version, safe }: Note, signal: AbortSignal): Promise<void> {
    const piece = Buffer.allocUnsafe(pieceBytes);
    while (this.#bytes < safe.bytes) {
      if (signal.aborted) throw stopped();
      const wanted = Math.min(pieceBytes, safe.bytes - this.#bytes);
      const { bytesRead } = await this.#handle.read(piece, 0, wanted, this.#bytes);
      if (bytesRead === 0) break;
      this.#take(piece.subarray(0, bytesRead));
    }
    if (this.hashes()[0] !== safe.sha256) this.#forget();
    else {
      this.#version = version;
      this.#safeBytes = safe.bytes;
      this.#syncedBytes = safe.bytes;
    }
  }

  #take(bytes: Uint8Array): void {
    for (const hash of this.#hashes) hash.update(bytes);
    this.#bytes += bytes.byteLength;
  }
}

/** Undefined where there is none, or none that this version understands: then the file is fetched anew. */
function readNote(file: string): Note | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  const note = parseJson(text);
  if (!isObject(note) || !isObject(note.version) || !isObject(note.safe)) return undefined;
  const { address, version, safe } = note;
  if (typeof address !== 'string' || !isCount(safe.bytes) || typeof safe.sha256 !== 'string')
    return undefined;
  const { validators, bytes } = version;
  if (!isObject(validators) || !(bytes === undefined || isCount(bytes))) return undefined;
  const { etag, lastModified } = validators;
  return {
    address,
    version: {
      validators: {
        ...(typeof etag === 'string' ? { etag } : {}),
        ...(typeof lastModified === 'string' ? { lastModified } : {}),
      },
      bytes,
    },
    safe: { bytes: safe.bytes, sha256: safe.sha256 },
  };
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
