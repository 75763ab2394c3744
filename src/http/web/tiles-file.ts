// A PMTiles archive on this machine, handed out piece by piece: a browser asks for the few bytes that it needs.

import { open } from 'node:fs/promises';
import type { FastifyRequest } from 'fastify';
import type { Settings } from '../../config.ts';
import { refuse } from '../../contract/refusal.ts';
import { errorCode } from '../../errno.ts';
import { type Reply, refusalReply } from '../envelope.ts';
import type { Log } from '../observe/log.ts';
import { type Operation, textReply } from '../operation.ts';
import { keepCoded } from '../wire/compress.ts';

export const tilesFilePath = '/explore/tiles.pmtiles';

/** A directory or a tile is far smaller. */
const mostBytes = 2 ** 22;

type TilesDesk = { readonly settings: Settings; readonly log: Log };

export function tilesFileOperations(desk: TilesDesk): readonly Operation[] {
  const { tiles } = desk.settings;
  if (tiles?.kind !== 'file') return [];
  return [{ path: tilesFilePath, pages: 'none', reply: (request) => pieceOf(tiles.file, request, desk) }];
}

async function pieceOf(
  file: string,
  request: FastifyRequest,
  { settings: { publicUrl }, log }: TilesDesk,
): Promise<Reply> {
  const refused = (refusal: ReturnType<typeof refuse>) =>
    refusalReply(refusal, { requestId: request.id, publicUrl });
  const asked = parseRange(request.headers.range);
  if (asked === undefined)
    return refused(
      refuse('BAD_REQUEST', `Ask for a part of the file, at most ${mostBytes} bytes: Range: bytes=0-16383.`),
    );
  try {
    await using handle = await open(file);
    const { size, mtimeMs } = await handle.stat();
    const length = Math.min(asked.to + 1, size) - asked.from;
    if (length <= 0)
      return refused(refuse('BAD_REQUEST', `The file has ${size} bytes; ask for a part of them.`));
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, asked.from);
    const piece = buffer.subarray(0, bytesRead);
    const range = `bytes ${asked.from}-${asked.from + piece.length - 1}/${size}`;
    const etag = `"${size.toString(36)}-${Math.floor(mtimeMs).toString(36)}"`;
    const headers = ['content-range', range, 'accept-ranges', 'bytes', 'etag', etag];
    const caching = ['cache-control', 'public, max-age=600, no-transform'];
    // Compressed it would be other bytes than those that were asked for.
    keepCoded(piece, new Map());
    return textReply(request.id, 'application/octet-stream', piece, [...headers, ...caching], 206);
  } catch (fault) {
    if (errorCode(fault) === undefined) throw fault;
    log.fault('the file of DOMESDAY_TILES cannot be read', fault, request.id);
    return refused(
      refuse('SERVICE_UNAVAILABLE', 'The map tiles cannot be read; the operator finds the cause in the log.'),
    );
  }
}

/** One part, with both ends. */
function parseRange(range: string | undefined): { readonly from: number; readonly to: number } | undefined {
  const [, from = '', to = ''] = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(range ?? '') ?? [];
  const part = { from: Number(from), to: Number(to) };
  return from !== '' && part.to >= part.from && part.to - part.from < mostBytes ? part : undefined;
}
