// A load generator that costs little itself: ready-made request bytes, replies only measured, not parsed. A full
// HTTP client spends more on reading twenty headers than the server spends on writing them.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export type Load = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  /** Awake: on a virtual machine, waking a sleeping reader costs the writer tens of microseconds, and the faster server would be
   *  spared them. Asleep, where several processes answer: a generator that never sleeps would take a core from them. */
  readonly between?: 'awake' | 'asleep';
  /** Sent in turn, in place of a GET of the url. */
  readonly requests?: readonly Buffer[];
};

export type OpenLoad = {
  readonly run: (seconds: number) => Promise<LoadResult>;
  readonly close: () => void;
};

export type LoadResult = {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
};

export function requestBytes(url: string, headers: Readonly<Record<string, string>>): Buffer {
  const { host, pathname, search } = new URL(url);
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`GET ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`);
}

/** Every connection sends its next request when the reply to the last is complete. */
export async function runLoad(load: Load & { readonly seconds: number }): Promise<LoadResult> {
  const open = await openLoad(load);
  const result = await open.run(load.seconds);
  open.close();
  return result;
}

/** Connections that stay open between runs. */
export async function openLoad(load: Load): Promise<OpenLoad> {
  const { url, headers, connections, between = 'awake' } = load;
  const { requests = [requestBytes(url, headers)] } = load;
  const { hostname, port } = new URL(url);
  let sent = 0;
  const nextRequest = (): Buffer => {
    sent += 1;
    return requests[(sent - 1) % requests.length] ?? Buffer.alloc(0);
  };
  const client = async (): Promise<Socket> => {
    const socket = connect(Number(port), hostname);
    socket.setNoDelay(true);
    await once(socket, 'connect');
    return socket;
  };
  const sockets = await Promise.all(Array.from({ length: connections }, client));
  const run = async (seconds: number): Promise<LoadResult> => {
    const latenciesMs: number[] = [];
    const startMs = performance.now();
    const endMs = startMs + seconds * 1000;
    let isRunning = between === 'awake';
    const stayAwake = () => {
      if (isRunning) setImmediate(stayAwake);
    };
    stayAwake();
    await Promise.all(sockets.map((socket) => askUntil(socket, endMs, nextRequest, latenciesMs)));
    isRunning = false;
    const elapsedSeconds = (performance.now() - startMs) / 1000;
    latenciesMs.sort((a, b) => a - b);
    const at = (share: number) => latenciesMs[Math.floor(latenciesMs.length * share)] ?? Number.NaN;
    return { requestsPerSecond: latenciesMs.length / elapsedSeconds, p50Ms: at(0.5), p99Ms: at(0.99) };
  };
  const close = () => {
    for (const socket of sockets) socket.destroy();
  };
  return { run, close };
}

function askUntil(
  socket: Socket,
  endMs: number,
  nextRequest: () => Buffer,
  latenciesMs: number[],
): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    let sentMs = 0;
    let pending = Buffer.alloc(0);
    const send = () => {
      sentMs = performance.now();
      if (sentMs >= endMs) {
        socket.off('data', read);
        socket.off('error', reject);
        resolve();
      } else {
        socket.write(nextRequest());
      }
    };
    const read = (chunk: Buffer<ArrayBuffer>) => {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      const bytes = replyBytes(pending);
      if (bytes === undefined || pending.length < bytes) return;
      if (!pending.subarray(0, 12).equals(okStart)) {
        reject(new Error(`refused: ${pending.toString('utf8', 0, bytes)}`));
        socket.destroy();
        return;
      }
      pending = pending.subarray(bytes);
      latenciesMs.push(performance.now() - sentMs);
      send();
    };
    socket.on('error', reject);
    socket.on('data', read);
    send();
  });
}

const okStart = Buffer.from('HTTP/1.1 200');
const headEnd = Buffer.from('\r\n\r\n');
const lengthName = Buffer.from('content-length: ');

/** Whole length of the first reply, once its head is there. */
export function replyBytes(buffer: Buffer): number | undefined {
  const end = buffer.indexOf(headEnd);
  if (end === -1) return undefined;
  const at = buffer.indexOf(lengthName);
  if (at === -1 || at > end) throw new Error('a reply without content-length');
  return (
    end +
    headEnd.length +
    Number.parseInt(buffer.toString('latin1', at + lengthName.length, at + lengthName.length + 12), 10)
  );
}
