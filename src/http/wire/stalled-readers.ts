// Cuts off callers who ask but do not read: their replies would wait in memory for ever. All connections are looked at
// from time to time; a timer on each would be set and unset several times for every request.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';

type Patience = {
  readonly lookEveryMs: number;
  /** Looks at which a connection with waiting replies has taken nothing, until it is cut off. */
  readonly looks: number;
  /** Where the replies of all connections together are more, whoever took nothing since the last look is cut off. */
  readonly bytesMax: number;
};

export function cutStalledReaders(server: Server, { lookEveryMs, looks, bytesMax }: Patience): void {
  const connections = new Set<Socket>();
  /** What a connection with waiting replies had taken, and at how many looks since. */
  const waiting = new WeakMap<Socket, { readonly taken: number; readonly seen: number }>();
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  const look = setInterval(() => {
    let bytes = 0;
    for (const { writableLength } of connections) bytes += writableLength;
    for (const socket of connections) {
      if (socket.writableLength === 0) {
        waiting.delete(socket);
        continue;
      }
      const taken = socket.bytesWritten - socket.writableLength;
      const before = waiting.get(socket);
      const seen = before?.taken === taken ? before.seen + 1 : 0;
      waiting.set(socket, { taken, seen });
      if (seen >= looks || (seen > 0 && bytes > bytesMax)) {
        bytes -= socket.writableLength;
        socket.destroy();
      }
    }
  }, lookEveryMs);
  look.unref();
  server.once('close', () => clearInterval(look));
}
