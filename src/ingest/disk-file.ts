// One file on disk as an ingest first saw it. It is read several times (to recognise it, to load it, to hash it), and the
// release must say what was read: a file that another program changes or replaces meanwhile is refused.

import { createHash } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { errorCode } from '../errno.ts';
import { FileRefused } from './refusal.ts';

type Fingerprint = { readonly bytes: number; readonly sha256: string };

/** Without it, opening a pipe waits for its writer. Windows has neither. */
const readOnly = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
const pieceBytes = 1 << 20;

/** Whoever writes to a file changes one of these; the time of the last change cannot be set back. */
const identityOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats) =>
  [dev, ino, size, mtimeNs, ctimeNs].join(' ');

export class DiskFile {
  readonly path: string;
  readonly bytes: number;
  readonly #identity: string;
  #sha256: string | undefined;

  private constructor(path: string, facts: BigIntStats) {
    this.path = path;
    this.bytes = Number(facts.size);
    this.#identity = identityOf(facts);
  }

  /** Throws FileRefused where it cannot be opened, or is no file. */
  static async look(path: string): Promise<DiskFile> {
    const handle = await openToRead(path);
    try {
      const facts = await handle.stat({ bigint: true });
      if (!facts.isFile()) throw new FileRefused(path, 'is not a file; name a file or a folder');
      return new DiskFile(path, facts);
    } finally {
      await handle.close();
    }
  }

  /** For reading where its own tables point. Throws FileRefused where it is not the file that was seen first. */
  async open(): Promise<FileHandle> {
    const handle = await openToRead(this.path);
    try {
      await this.#refuseIfChanged(handle);
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Its content from beginning to end. Throws FileRefused where it is not the same in every reading. */
  async *stream(): AsyncGenerator<Uint8Array> {
    const hash = createHash('sha256');
    const handle = await this.open();
    try {
      for (let at = 0; ; ) {
        const { buffer, bytesRead } = await handle.read(
          Buffer.allocUnsafeSlow(pieceBytes),
          0,
          pieceBytes,
          at,
        );
        if (bytesRead === 0) break;
        const piece = buffer.subarray(0, bytesRead);
        hash.update(piece);
        at += bytesRead;
        yield piece;
      }
      await this.#refuseIfChanged(handle);
    } finally {
      await handle.close();
    }
    const sha256 = hash.digest('hex');
    if (this.#sha256 !== undefined && this.#sha256 !== sha256) throw this.#changed();
    this.#sha256 = sha256;
  }

  /** Of what was read. Throws FileRefused where the file is no longer that. */
  async fingerprint(): Promise<Fingerprint> {
    if (this.#sha256 === undefined) for await (const _ of this.stream());
    await this.refuseIfChanged();
    if (this.#sha256 === undefined) throw this.#changed();
    return { bytes: this.bytes, sha256: this.#sha256 };
  }

  /** Throws FileRefused. */
  async refuseIfChanged(): Promise<void> {
    await (await this.open()).close();
  }

  async #refuseIfChanged(handle: FileHandle): Promise<void> {
    if (identityOf(await handle.stat({ bigint: true })) !== this.#identity) throw this.#changed();
  }

  #changed(): FileRefused {
    return new FileRefused(
      this.path,
      'changed while the program read it, so nothing was loaded. Load it again when nothing else writes to it',
    );
  }
}

const openToRead = (file: string): Promise<FileHandle> =>
  open(file, readOnly).catch((error: unknown) => {
    const code = errorCode(error);
    switch (code) {
      case undefined:
        throw error;
      case 'ENOENT':
        throw new FileRefused(file, 'is not there any more');
      case 'EACCES':
      case 'EPERM':
        throw new FileRefused(file, 'cannot be opened for reading; correct its permissions');
      default:
        throw new FileRefused(file, `cannot be opened for reading (${code})`);
    }
  });
