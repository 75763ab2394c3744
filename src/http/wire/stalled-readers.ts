// Cuts off callers who ask but do not read: their replies would wait in memory for ever. All connections are looked at
// from time to time; a timer on each would be set and unset several times for every request.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** A connection is cut off when replies wait for it and it has taken nothing since the look before. */
export function cutStalledReaders(server: Server, lookEveryMs: number): void {
  const connections = new Set<Socket>();
  /** Bytes that a connection with waiting replies had taken at the last look. */
  const waiting = new WeakMap<Socket, number>();
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  const look = setInterval(() => {
    for (const socket of connections) {
      if (socket.writableLength === 0) waiting.delete(socket);
      else if (waiting.get(socket) === socket.bytesWritten) socket.destroy();
      else waiting.set(socket, socket.bytesWritten);
    }
  }, lookEveryMs);
  look.unref();
  server.once('close', () => clearInterval(look));
}
