// Bodies of requests: read as text up to a limit by routes that want one, drained by all others, so that whatever the
// caller sends its refusal still arrives.

import type { IncomingMessage } from 'node:http';

/** Longest body that is read, where a route has no limit of its own. */
export const usualBodyBytesMax = 65_536;

/** What still comes after a refusal is read and thrown away, so long and so much: closing at once would lose the refusal. */
export const lingerMs = 2_000;
export const lingerBytes = 8 * 2 ** 20;

/** In place of a body that is longer. */
const tooLarge = Symbol('a body that is longer than is read');

export function drainBody(payload: IncomingMessage, done: (fault: null) => void): void {
  payload.on('error', () => payload.destroy());
  payload.resume();
  done(null);
}

export function readBody(
  payload: IncomingMessage,
  bytesMax: number,
  done: (fault: null, body: unknown) => void,
): void {
  // A request without a length has no body, and its stream is at its end before anybody listens for that.
  if (payload.readableEnded) {
    done(null, '');
    return;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  const take = (chunk: Buffer) => {
    bytes += chunk.length;
    chunks.push(chunk);
    // The refusal need not wait for the rest (send.ts).
    if (bytes > bytesMax) end(tooLarge);
  };
  const finish = () => end(Buffer.concat(chunks).toString());
  const end = (body: unknown) => {
    payload.off('data', take).off('end', finish);
    done(null, body);
  };
  payload.on('data', take).on('end', finish);
  // A caller who hangs up half-way waits for no reply.
  payload.on('error', () => payload.destroy());
}

/** What `readBody` made of a body: its text, empty where there was none, undefined where it was too large. */
export function bodyText(body: unknown): string | undefined {
  if (body === tooLarge) return undefined;
  return typeof body === 'string' ? body : '';
}
