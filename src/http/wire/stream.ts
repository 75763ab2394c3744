// Writes a reply whose body is made while it is read: files of any length, and events.

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Headers } from '../envelope.ts';
import { noteReply, type Observers } from './send.ts';

export type StreamedReply = {
  readonly status: number;
  readonly headers: Headers;
  /** Whoever closes its side of the connection may still read what has an end (half-closed.ts), but waits for no more events. */
  readonly length: 'finite' | 'endless';
  /** `gone` when nobody reads any more. */
  readonly chunks: (gone: AbortSignal) => AsyncIterable<string>;
};

export async function sendStream(
  observers: Observers,
  request: FastifyRequest,
  reply: FastifyReply,
  { status, headers, length, chunks }: StreamedReply,
): Promise<void> {
  reply.hijack();
  const { raw } = reply;
  const gone = new AbortController();
  raw.once('close', () => gone.abort());
  if (length === 'endless') request.raw.socket.once('end', () => gone.abort());
  raw.writeHead(status, [...headers]);
  // Whoever watches is told at once that somebody answers.
  raw.flushHeaders();
  try {
    await pipeline(Readable.from(chunks(gone.signal)), raw);
  } catch (fault) {
    // Whoever left needs no more of it; to others a body that broke off must not look whole.
    if (!gone.signal.aborted) observers.log.fault('a reply broke off', fault, request.id);
    raw.destroy();
  }
  noteReply(observers, request, { status });
}
