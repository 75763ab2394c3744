// A caller who writes bytes of its own making, and reads or does not.

import { connect, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

export async function portOf(app: FastifyInstance): Promise<number> {
  return Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
}

/** Sends all of it, ends its own side where told so, and returns all that comes until the other side ends. */
export async function exchange(port: number, ...parts: readonly (string | Buffer)[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // A reset is an answer too: what came before it counts.
  socket.on('error', () => {});
  for (const part of parts) socket.write(part);
  await new Promise((closed) => socket.once('close', closed));
  return Buffer.concat(chunks).toString('latin1');
}

/** Writes and never reads. */
export function deafCaller(port: number, sent: string | Buffer): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.pause();
  socket.on('error', () => {});
  socket.write(sent);
  return socket;
}

export const statusesIn = (text: string): readonly number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
