// A PMTiles archive on this machine, handed out piece by piece: a browser asks for the few bytes that it needs.

import { type FileHandle, open } from 'node:fs/promises';
import type { FastifyRequest } from 'fastify';
import type { Settings } from '../../config.ts';
import { refuse } from '../../contract/refusal.ts';
import { errorCode } from '../../errno.ts';
import { type Reply, refusalReply } from '../envelope.ts';
import type { Log } from '../observe/log.ts';
import { type Operation, ownHeaders } from '../operation.ts';
import type { StreamedReply } from '../wire/stream.ts';

export const tilesFilePath = '/explore/tiles.pmtiles';

/** A directory or a tile is far smaller. */
const mostBytes = 2 ** 22;

/** It is read so much at a time, as it is taken. */
const chunkBytes = 2 ** 16;

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
): Promise<Reply | StreamedReply> {
  const refused = (refusal: ReturnType<typeof refuse>) =>
    refusalReply(refusal, { requestId: request.id, publicUrl });
  const asked = parseRange(request.headers.range);
  if (asked === undefined)
    return refused(
      refuse('BAD_REQUEST', `Ask for a part of the file, at most ${mostBytes} bytes: Range: bytes=0-16383.`),
    );
  try {
    await using handle = await open(file);
    const { size, etag } = await versionOf(handle);
    const end = Math.min(asked.to + 1, size);
    if (end <= asked.from)
      return refused(refuse('BAD_REQUEST', `The file has ${size} bytes; ask for a part of them.`));
    const range = `bytes ${asked.from}-${end - 1}/${size}`;
    const about = ['content-range', range, 'accept-ranges', 'bytes', 'etag', etag];
    const caching = ['cache-control', 'public, max-age=600, no-transform'];
    const body = ['content-type', 'application/octet-stream', 'content-length', String(end - asked.from)];
    const headers = ownHeaders(request.id, [...about, ...caching, ...body]);
    if (request.method === 'HEAD') return { status: 206, headers, body: '', bodyBytes: 0 };
    const chunks = () => chunksOf(file, etag, asked.from, end);
    return { status: 206, headers, chunkBytesMost: chunkBytes, chunks };
  } catch (fault) {
    if (errorCode(fault) === undefined) throw fault;
    log.fault('the file of DOMESDAY_TILES cannot be read', fault, request.id);
    return refused(
      refuse('SERVICE_UNAVAILABLE', 'The map tiles cannot be read; the operator finds the cause in the log.'),
    );
  }
}

/** Opened for each: whoever waits for room holds no file open. */
async function* chunksOf(file: string, etag: string, from: number, end: number): AsyncGenerator<Buffer> {
  for (let at = from; at < end; at += chunkBytes) {
    await using handle = await open(file);
    if ((await versionOf(handle)).etag !== etag) throw new Error('the file of DOMESDAY_TILES was exchanged');
    const length = Math.min(chunkBytes, end - at);
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafeSlow(length), 0, length, at);
    if (bytesRead < length) throw new Error('the file of DOMESDAY_TILES was cut short');
    yield buffer;
  }
}

async function versionOf(handle: FileHandle): Promise<{ readonly size: number; readonly etag: string }> {
  const { size, mtimeMs } = await handle.stat();
  return { size, etag: `"${size.toString(36)}-${Math.floor(mtimeMs).toString(36)}"` };
}

/** One part, with both ends. */
function parseRange(range: string | undefined): { readonly from: number; readonly to: number } | undefined {
  const [, from = '', to = ''] = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(range ?? '') ?? [];
  const part = { from: Number(from), to: Number(to) };
  return from !== '' && part.to >= part.from && part.to - part.from < mostBytes ? part : undefined;
}
