// Writes a reply whose body is made while it is read: files of any length, and events. What was made of files and nobody has taken
// yet is bounded over all connections: whoever asks and does not read holds one piece at most, and gives way to those who read.

import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Headers } from '../envelope.ts';
import { noteReply, type Observers } from './send.ts';

export type StreamedReply = {
  readonly status: number;
  readonly headers: Headers;
  /** Of what has an end, the most bytes that one chunk has. Whoever closes its side of the connection may still read that
   *  (half-closed.ts), but waits for no more events. */
  readonly chunkBytesMost: number | 'endless';
  /** `gone` when nobody reads any more. */
  readonly chunks: (gone: AbortSignal) => AsyncIterable<string | Buffer>;
};

export type Sending = Observers & { readonly inFlight: InFlight };

export async function sendStream(
  sending: Sending,
  request: FastifyRequest,
  reply: FastifyReply,
  { status, headers, chunkBytesMost, chunks }: StreamedReply,
): Promise<void> {
  reply.hijack();
  const { raw } = reply;
  const gone = new AbortController();
  raw.once('close', () => gone.abort());
  if (chunkBytesMost === 'endless') request.raw.socket.once('end', () => gone.abort());
  raw.writeHead(status, [...headers]);
  // Whoever watches is told at once that somebody answers.
  raw.flushHeaders();
  try {
    const made = chunks(gone.signal);
    if (chunkBytesMost === 'endless') await pipeline(Readable.from(made), raw);
    else await sending.inFlight.write(made[Symbol.asyncIterator](), chunkBytesMost, raw, gone.signal);
  } catch (fault) {
    // Whoever left needs no more of it; to others a body that broke off must not look whole.
    if (!gone.signal.aborted) sending.log.fault('a reply broke off', fault, request.id);
    raw.destroy();
  }
  noteReply(sending, request, { status });
}

type Piece = {
  readonly bytes: number;
  readonly reader: ServerResponse;
  readonly begin: () => void;
  state: 'is made' | 'is written' | 'was written at the last look';
};

export type InFlightBounds = {
  /** What is made and not yet taken, of all replies together. */
  readonly fileBytesMost: number;
  /** How often those who take nothing are cut off, while others wait for room. */
  readonly crowdedLookMs: number;
};

export class InFlight {
  readonly #bounds: InFlightBounds;
  readonly #waiting = new Set<Piece>();
  readonly #held = new Set<Piece>();
  #bytes = 0;
  #isDue = false;
  #look: NodeJS.Timeout | undefined;

  constructor(bounds: InFlightBounds) {
    this.#bounds = bounds;
  }

  async write(
    chunks: AsyncIterator<string | Buffer>,
    bytes: number,
    reader: ServerResponse,
    gone: AbortSignal,
  ): Promise<void> {
    try {
      for (;;) {
        const room = Promise.withResolvers<void>();
        const piece: Piece = { bytes, reader, begin: room.resolve, state: 'is made' };
        gone.addEventListener('abort', piece.begin);
        this.#waiting.add(piece);
        this.#admitSoon();
        try {
          await room.promise;
          if (gone.aborted) return;
          const { done, value } = await chunks.next();
          if (done === true) break;
          piece.state = 'is written';
          await taken(reader, value);
        } finally {
          gone.removeEventListener('abort', piece.begin);
          this.#end(piece);
        }
      }
    } finally {
      await chunks.return?.();
    }
    reader.end();
  }

  /** One in a turn of the event loop, so that turns stay short and new callers are heard. */
  #admitSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.#admit();
    });
  }

  /** The first who waits, if there is room; one piece is always let in. */
  #admit(): void {
    const [piece] = this.#waiting;
    if (piece !== undefined && this.#bytes > 0 && this.#bytes + piece.bytes > this.#bounds.fileBytesMost) {
      this.#look ??= setTimeout(() => this.#cutOff(), this.#bounds.crowdedLookMs).unref();
      return;
    }
    clearTimeout(this.#look);
    this.#look = undefined;
    if (piece === undefined) return;
    this.#waiting.delete(piece);
    this.#held.add(piece);
    this.#bytes += piece.bytes;
    piece.begin();
    this.#admitSoon();
  }

  #end(piece: Piece): void {
    this.#waiting.delete(piece);
    if (this.#held.delete(piece)) this.#bytes -= piece.bytes;
    this.#admitSoon();
  }

  /** Whoever has taken nothing since the last look. */
  #cutOff(): void {
    this.#look = undefined;
    for (const piece of this.#held) {
      if (piece.state === 'was written at the last look') piece.reader.destroy();
      if (piece.state === 'is written') piece.state = 'was written at the last look';
    }
    this.#admitSoon();
  }
}

/** When the system has all of it. */
function taken(reader: ServerResponse, chunk: string | Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    reader.write(chunk, (fault) => (fault ? reject(fault) : resolve()));
  });
}
