// One copy of a release for all threads: the main thread reads each part once and hands the same memory to
// every worker that asks. A worker's first touch of a part waits for it, as reading the file itself would; what a new
// release has in place of parts in use is read and proved by a thread before anybody is switched to it.

import { once } from 'node:events';
import { statSync } from 'node:fs';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { errorCode } from '../errno.ts';
import { isProved, PartFault, takeAsProved } from './part.ts';
import { type LoadBuffer, problemOf, type Release, ReleaseDamaged, readShared } from './reader.ts';

type Wish = {
  readonly number: number;
  readonly path: string;
  readonly bytes: number;
  readonly signal: SharedArrayBuffer;
};
/** With the number of its wish: an answer that came too late for one is not taken for that to the next. */
type Answer = { readonly number: number; readonly given: Given; readonly version: string | undefined };
type Given = Memory | Fault;
type Memory = {
  readonly kind: 'memory';
  readonly buffer: SharedArrayBuffer;
  readonly state: 'proved' | 'as read';
};
type Fault =
  | { readonly kind: 'damaged'; readonly message: string }
  | { readonly kind: 'unreadable'; readonly message: string; readonly code: string | undefined };

const patienceMs = 30_000;

/** What the reading thread is asked for, and what it answers. */
export type WantedPart = { readonly name: string; readonly path: string; readonly bytes: number };
export type ReadPart = WantedPart & { readonly given: Given };

/** Main thread's half. Buffers that no thread uses any more are let go. */
export class SharedParts {
  /** By the file itself, which releases share under several paths. */
  readonly #buffers = new Map<string, WeakRef<SharedArrayBuffer>>();
  readonly #versions = new Map<string, string>();
  /** Of the release switched to, before a thread has touched it. */
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

  /** A port for one worker. */
  open(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    port1.on('message', ({ number, path, bytes, signal }: Wish) => {
      const given = givenBy(() => this.load(path, bytes));
      port1.postMessage({ number, given, version: this.#versionOf(path) } satisfies Answer);
      const flag = new Int32Array(signal);
      Atomics.store(flag, 0, 1);
      Atomics.notify(flag, 0);
    });
    port1.unref();
    return port2;
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
    thread.on('message', ({ name, path, given }: ReadPart) => {
      if (given.kind !== 'memory') {
        damage ??= new ReleaseDamaged(next.id, name, problemOf(errorOf(given)));
        return;
      }
      const { buffer } = given;
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
    const version = this.#versionOf(path);
    return version === undefined ? undefined : this.#buffers.get(version)?.deref();
  }

  /** Of a file that was removed since, what was read of it stays good. */
  #versionOf(path: string): string | undefined {
    return versionOf(path) ?? this.#versions.get(path);
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

/** What came of reading a file, as another thread can be told. */
export function givenBy(read: () => SharedArrayBuffer): Given {
  try {
    const buffer = read();
    return { kind: 'memory', buffer, state: isProved(buffer) ? 'proved' : 'as read' };
  } catch (error) {
    if (error instanceof PartFault) return { kind: 'damaged', message: error.message };
    if (!(error instanceof Error)) throw error;
    return { kind: 'unreadable', message: error.message, code: errorCode(error) };
  }
}

function errorOf(fault: Fault): Error {
  return fault.kind === 'damaged'
    ? new PartFault('truncated', fault.message)
    : Object.assign(new Error(fault.message), { code: fault.code });
}

let lastWish = 0;

/** Worker's half. */
export function loadThrough(port: MessagePort, waitMs = patienceMs): LoadBuffer {
  // Each message brings another object for the same memory: the first one is what this thread has proved.
  const known = new Map<string, WeakRef<SharedArrayBuffer>>();
  return (path, bytes) => {
    const signal = new SharedArrayBuffer(4);
    lastWish += 1;
    const number = lastWish;
    port.postMessage({ number, path, bytes, signal } satisfies Wish);
    Atomics.wait(new Int32Array(signal), 0, 0, waitMs);
    const answer = receive(port, number);
    if (answer === undefined) throw new Error('The main thread did not hand over a part in time.');
    const { given, version } = answer;
    if (given.kind !== 'memory') throw errorOf(given);
    const { buffer, state } = given;
    if (state === 'proved') takeAsProved(buffer);
    if (version === undefined) return buffer;
    const first = known.get(version)?.deref();
    if (first !== undefined && first.byteLength === bytes) return first;
    known.set(version, new WeakRef(buffer));
    return buffer;
  };
}

/** Passes over answers to wishes that were given up. */
function receive(port: MessagePort, number: number): Answer | undefined {
  for (;;) {
    const answer: Answer | undefined = receiveMessageOnPort(port)?.message;
    if (answer === undefined || answer.number === number) return answer;
  }
}
