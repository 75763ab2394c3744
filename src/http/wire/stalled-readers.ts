// Cuts off callers who ask but do not read: their replies would wait in memory for ever. Looked at from time to time,
// since a timer of Node's on each connection is set and unset several times for every request.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Who has taken nothing of what waits for him between two looks is cut off. */
export function cutStalledReaders(server: Server, lookEveryMs: number): void {
  const connections = new Set<Socket>();
  /** How much had been given to the connection when something of it was seen waiting. */
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
