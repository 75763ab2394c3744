// One copy of a release for all threads: the main thread reads each part once and hands the same memory to
// every worker that asks. A worker's first touch of a part waits for it, as reading the file itself would.

import { statSync } from 'node:fs';
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { PartFault } from './part.ts';
import { type LoadBuffer, readShared } from './reader.ts';

type Wish = {
  readonly number: number;
  readonly path: string;
  readonly bytes: number;
  readonly signal: SharedArrayBuffer;
};
/** With the number of its wish: an answer that came too late for one is not taken for that to the next. */
type Answer = { readonly number: number; readonly given: Given };
type Given =
  | { readonly kind: 'buffer'; readonly buffer: SharedArrayBuffer }
  | { readonly kind: 'damaged'; readonly message: string }
  | { readonly kind: 'unreadable'; readonly message: string; readonly code: string | undefined };

const patienceMs = 30_000;

/** Main thread's half. Buffers that no thread uses any more are let go. */
export class SharedParts {
  readonly #buffers = new Map<
    string,
    { readonly memory: WeakRef<SharedArrayBuffer>; readonly version: string }
  >();

  readonly load: LoadBuffer = (path, bytes) => {
    const entry = this.#buffers.get(path);
    const known = entry?.memory.deref();
    const version = versionOf(path);
    // Of a file that was removed since, what was read of it stays good.
    const isSame = version === undefined || version === entry?.version;
    if (known !== undefined && known.byteLength === bytes && isSame) return known;
    const buffer = readShared(path, bytes);
    if (version !== undefined) this.#buffers.set(path, { memory: new WeakRef(buffer), version });
    return buffer;
  };

  /** A port for one worker. */
  open(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    port1.on('message', ({ number, path, bytes, signal }: Wish) => {
      port1.postMessage({ number, given: this.#give(path, bytes) } satisfies Answer);
      const flag = new Int32Array(signal);
      Atomics.store(flag, 0, 1);
      Atomics.notify(flag, 0);
    });
    port1.unref();
    return port2;
  }

  #give(path: string, bytes: number): Given {
    try {
      return { kind: 'buffer', buffer: this.load(path, bytes) };
    } catch (error) {
      if (error instanceof PartFault) return { kind: 'damaged', message: error.message };
      if (!(error instanceof Error)) throw error;
      const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
      return { kind: 'unreadable', message: error.message, code };
    }
  }
}

/** Changes when the file is mended or replaced; undefined where it is gone. */
function versionOf(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? undefined : `${stat.ino} ${stat.mtimeNs} ${stat.ctimeNs}`;
}

let lastWish = 0;

/** Worker's half. */
export function loadThrough(port: MessagePort, waitMs = patienceMs): LoadBuffer {
  return (path, bytes) => {
    const signal = new SharedArrayBuffer(4);
    lastWish += 1;
    const number = lastWish;
    port.postMessage({ number, path, bytes, signal } satisfies Wish);
    Atomics.wait(new Int32Array(signal), 0, 0, waitMs);
    const given = receive(port, number);
    if (given === undefined) throw new Error('The main thread did not hand over a part in time.');
    if (given.kind === 'buffer') return given.buffer;
    if (given.kind === 'damaged') throw new PartFault('truncated', given.message);
    throw Object.assign(new Error(given.message), { code: given.code });
  };
}

/** Passes over answers to wishes that were given up. */
function receive(port: MessagePort, number: number): Given | undefined {
  for (;;) {
    const answer: Answer | undefined = receiveMessageOnPort(port)?.message;
    if (answer === undefined || answer.number === number) return answer?.given;
  }
}
