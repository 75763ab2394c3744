// How much is read from one connection. Callers may send requests without waiting for answers, thousands in one packet of
// 64 KiB, and take no answer at all. One request of a connection is answered at a time; while others wait, no more is read.
//
// Node parses all that one read brings. Reading in small slices bounds that, but costs every request some 5 µs, so it
// begins only when a connection is seen to send ahead; when one sends much ahead, with all of them, as an attack uses many.

import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** At most 57 of the shortest requests. */
const sliceBytes = 1024;

/** So many requests that wait behind another on one connection are no honest caller's. */
const aheadMost = 16;

export class Pipelines {
  readonly #connections = new Set<Socket>();
  readonly #newest = new WeakMap<Socket, ServerResponse>();
  /** Requests of a connection that wait behind another. */
  readonly #ahead = new WeakMap<Socket, number>();
  readonly #sliced = new WeakSet<Socket>();
  readonly #guardMs: number;
  #guard: NodeJS.Timeout | undefined;

  /** After a connection sent much ahead, new ones are read in slices for `guardMs`. */
  constructor(server: Server, { guardMs, connectionsMax }: { guardMs: number; connectionsMax: number }) {
    this.#guardMs = guardMs;
    server.on('connection', (socket: Socket) => {
      if (this.#connections.size >= connectionsMax) this.#makeRoom();
      this.#connections.add(socket);
      socket.once('close', () => this.#connections.delete(socket));
      if (this.#guard !== undefined) this.#slice(socket);
    });
    server.once('close', () => clearTimeout(this.#guard));
  }

  /** `behind`: it may begin when its response is given the socket, since those before it are then answered and taken. */
  arrive(response: ServerResponse): 'first' | 'behind' {
    const { socket } = response.req;
    this.#newest.set(socket, response);
    if (response.socket !== null) return 'first';
    const ahead = (this.#ahead.get(socket) ?? 0) + 1;
    this.#ahead.set(socket, ahead);
    response.once('socket', () => this.#ahead.set(socket, (this.#ahead.get(socket) ?? 1) - 1));
    // Not in the midst of the parser's work.
    if (ahead === 1) process.nextTick(() => this.#slice(socket));
    if (ahead === aheadMost) process.nextTick(() => this.#sliceAll());
    return 'behind';
  }

  /** Calls `act` when all that came whole on the connection is answered. */
  whenAnswered(socket: Socket, act: () => void): void {
    const newest = this.#newest.get(socket);
    if (newest === undefined || isTaken(newest)) act();
    else if (newest.req.complete) newest.once('close', act);
    else if (newest.socket === null) newest.once('socket', act);
    else act();
  }

  #sliceAll(): void {
    clearTimeout(this.#guard);
    this.#guard = setTimeout(() => {
      this.#guard = undefined;
    }, this.#guardMs).unref();
    for (const socket of this.#connections) this.#slice(socket);
  }

  #slice(socket: Socket): void {
    if (this.#sliced.has(socket) || socket.destroyed) return;
    this.#sliced.add(socket);
    // With this listener the stream stops flowing; what `read` takes still goes to the parser, as 'data'.
    socket.on('readable', () => this.#read(socket));
  }

  #read(socket: Socket): void {
    while (!socket.destroyed) {
      const newest = this.#newest.get(socket);
      if (newest?.req.complete && !isTaken(newest)) {
        newest.once('close', () => this.#read(socket));
        return;
      }
      if (socket.writableNeedDrain) {
        socket.once('drain', () => this.#read(socket));
        return;
      }
      // Of an empty stream, 0: it tells the end where that has come.
      if (socket.read(Math.min(sliceBytes, socket.readableLength)) === null) return;
    }
  }

  /** The oldest connection that waits for no answer gives way to a new one. */
  #makeRoom(): void {
    for (const socket of this.#connections) {
      const newest = this.#newest.get(socket);
      if (newest !== undefined && !isTaken(newest)) continue;
      this.#connections.delete(socket);
      socket.destroy();
      return;
    }
  }
}

const isTaken = (response: ServerResponse): boolean => response.writableFinished || response.destroyed;
