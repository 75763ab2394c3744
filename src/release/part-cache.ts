// Parts of releases in memory: each file once, however many releases link to it, and no longer than a release uses it. What a new
// release has in place of parts in use is read and proved by a thread before anybody is switched to it.

import { once } from 'node:events';
import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { takeAsProved } from './part.ts';
import { type LoadBuffer, type Release, ReleaseDamaged, readShared } from './reader.ts';

/** What the reading thread is asked for, and what it answers. */
export type WantedPart = { readonly name: string; readonly path: string; readonly bytes: number };
export type ReadPart = WantedPart &
  (
    | { readonly kind: 'proved'; readonly buffer: SharedArrayBuffer }
    | { readonly kind: 'damaged'; readonly problem: string }
  );

export class PartCache {
  /** By the file itself, which releases share under several paths. */
  readonly #buffers = new Map<string, WeakRef<SharedArrayBuffer>>();
  readonly #versions = new Map<string, string>();
  /** The release switched to has them before the first call touches them. */
  readonly #prepared = new Set<SharedArrayBuffer>();

  readonly load: LoadBuffer = (path, bytes) => {
    const known = this.#find(path);
    if (known?.byteLength === bytes) return known;
    const version = versionOf(path);
    const buffer = readShared(path, bytes);
    if (version !== undefined) this.#keep(path, version, buffer);
    return buffer;
  };

  /** Brings the parts of `next` into memory that are in use in `served`, without holding up this thread. Throws
   *  ReleaseDamaged. */
  async prepare(next: Release, served: Release, signal: AbortSignal): Promise<void> {
    const inUse = Object.entries(next.manifest.parts)
      .map(([name, { bytes }]) => ({ name, path: next.fileOf(name), bytes }))
      .filter(({ name }) => next.has(name) && this.#find(served.fileOf(name)) !== undefined);
    const known: SharedArrayBuffer[] = [];
    const missing = inUse.filter(({ path }) => {
      const buffer = this.#find(path);
      if (buffer !== undefined) known.push(buffer);
      return buffer === undefined;
    });
    const read = missing.length === 0 ? [] : await this.#readInThread(missing, next, signal);
    this.#prepared.clear();
    for (const buffer of [...known, ...read]) this.#prepared.add(buffer);
  }

  async #readInThread(
    wanted: readonly WantedPart[],
    next: Release,
    signal: AbortSignal,
  ): Promise<readonly SharedArrayBuffer[]> {
    const versions = new Map(wanted.map(({ path }) => [path, versionOf(path)]));
    const thread = new Worker(new URL('./reading-thread.ts', import.meta.url), { workerData: wanted });
    const end = () => thread.terminate();
    signal.addEventListener('abort', end);
    const held: SharedArrayBuffer[] = [];
    let damage: ReleaseDamaged | undefined;
    thread.on('message', (part: ReadPart) => {
      if (part.kind === 'damaged') {
        damage ??= new ReleaseDamaged(next.id, part.name, part.problem);
        return;
      }
      const { path, buffer } = part;
      takeAsProved(buffer);
      held.push(buffer);
      const version = versions.get(path);
      if (version !== undefined) this.#keep(path, version, buffer);
    });
    try {
      await once(thread, 'exit', { signal });
    } finally {
      signal.removeEventListener('abort', end);
    }
    if (damage !== undefined) throw damage;
    return held;
  }

  #find(path: string): SharedArrayBuffer | undefined {
    // What was read of a file that was removed since stays good.
    const version = versionOf(path) ?? this.#versions.get(path);
    return version === undefined ? undefined : this.#buffers.get(version)?.deref();
  }

  #keep(path: string, version: string, buffer: SharedArrayBuffer): void {
    this.#versions.set(path, version);
    this.#buffers.set(version, new WeakRef(buffer));
  }
}

/** Changes when the file is mended or replaced, and not when another release links to it; undefined where it is gone. */
function versionOf(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? undefined : `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeNs}`;
}
