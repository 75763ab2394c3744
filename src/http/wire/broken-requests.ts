// Requests that never become one for the router: broken HTTP, oversized headers, CONNECT, odd expectations.
// They get the failure envelope too.

import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { refuse } from '../../contract/refusal.ts';
import type { ErrorCode } from '../../errors.ts';
import { type Reference, refusalReply } from '../envelope.ts';
import { lingerBytes, lingerMs } from './body.ts';
import type { Pipelines } from './pipelines.ts';
import { statusName } from './status-names.ts';

/** Longest request target that is read; an address of 2 kB still fits when every byte is percent-encoded. */
export const targetBytesMax = 8_192;
export const headerBytesMax = 16_384;

/** Connections that were refused, and what had been read of them then. */
const refused = new WeakMap<Socket, number>();

/** What came whole before it on the connection is answered first. */
export function answerBrokenRequest(
  error: ParserFault,
  socket: Socket,
  newReference: () => Reference,
  pipelines: Pipelines,
): void {
  const read = refused.get(socket);
  if (error.code === 'ECONNRESET' || !socket.writable) {
    if (read === undefined || socket.bytesRead > read + lingerBytes) socket.destroy();
    return;
  }
  if (read !== undefined) return;
  refused.set(socket, socket.bytesRead);
  pipelines.whenAnswered(socket, () => {
    if (socket.writable) writeRefusal(socket, codeOf(error), newReference());
  });
}

/** HTTP has two more ways past the router, which would be answered without the envelope. */
export function answerOddRequests(server: Server, newReference: () => Reference): void {
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    // Node has let go of the connection: without these, a reset would end the process, and what still comes would stay.
    socket.on('error', () => socket.destroy());
    socket.resume();
    writeRefusal(socket, 'METHOD_NOT_ALLOWED', newReference(), 'allow: GET\r\n');
  });
  server.on('checkExpectation', (request, response) => {
    server.emit('request', request, response);
  });
}

/** `rawPacket` is what came last on the connection. */
type ParserFault = { readonly code?: string; readonly rawPacket?: unknown };

function codeOf({ code, rawPacket }: ParserFault): ErrorCode {
  if (code === 'HPE_HEADER_OVERFLOW') return hasLongTarget(rawPacket) ? 'URI_TOO_LONG' : 'HEADERS_TOO_LARGE';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'REQUEST_TIMEOUT';
  return 'BAD_REQUEST';
}

/** Where the request came in pieces, or behind another, its first line is not seen any more. */
function hasLongTarget(packet: unknown): boolean {
  if (!Buffer.isBuffer(packet)) return false;
  const [method = ''] = /^[A-Z]+ \//.exec(packet.toString('latin1', 0, 32)) ?? [];
  const end = packet.indexOf('\n');
  return method !== '' && (end === -1 ? packet.length : end) > targetBytesMax + method.length;
}

function writeRefusal(socket: Socket, code: ErrorCode, reference: Reference, moreHeaders = ''): void {
  const { status, headers, body } = refusalReply(refuse(code), reference);
  const lines = headers.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`));
  setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.end(
    `HTTP/1.1 ${status} ${statusName(status)}\r\n${lines.join('')}${moreHeaders}` +
      `connection: close\r\n\r\n${body}`,
  );
}
