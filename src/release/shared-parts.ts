// One copy of a release for all threads: the main thread reads each part once and hands the same memory to
// every worker that asks. A worker's first touch of a part waits for it, as reading the file itself would.

import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { PartFault } from './part.ts';
import { type LoadBuffer, readShared } from './reader.ts';

type Wish = { readonly path: string; readonly bytes: number; readonly signal: SharedArrayBuffer };
type Given =
  | { readonly kind: 'buffer'; readonly buffer: SharedArrayBuffer }
  | { readonly kind: 'damaged'; readonly message: string }
  | { readonly kind: 'unreadable'; readonly message: string; readonly code: string | undefined };

const patienceMs = 30_000;

/** Main thread's half. Buffers that no thread uses any more are let go. */
export class SharedParts {
  readonly #buffers = new Map<string, WeakRef<SharedArrayBuffer>>();

  readonly load: LoadBuffer = (path, bytes) => {
    const known = this.#buffers.get(path)?.deref();
    if (known !== undefined && known.byteLength === bytes) return known;
    const buffer = readShared(path, bytes);
    this.#buffers.set(path, new WeakRef(buffer));
    return buffer;
  };

  /** A port for one worker. */
  open(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    port1.on('message', ({ path, bytes, signal }: Wish) => {
      port1.postMessage(this.#give(path, bytes));
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

/** Worker's half. */
export function loadThrough(port: MessagePort): LoadBuffer {
  return (path, bytes) => {
    const signal = new SharedArrayBuffer(4);
    port.postMessage({ path, bytes, signal } satisfies Wish);
    Atomics.wait(new Int32Array(signal), 0, 0, patienceMs);
    const given: Given | undefined = receiveMessageOnPort(port)?.message;
    if (given === undefined) throw new Error('The main thread did not hand over a part in time.');
    if (given.kind === 'buffer') return given.buffer;
    if (given.kind === 'damaged') throw new PartFault('truncated', given.message);
    throw Object.assign(new Error(given.message), { code: given.code });
  };
}
