// Answers from a folder of copies as a server would: with an ETag of size and time, ranges and conditions. Nothing outside
// the folder is ever read, whatever an address or a link in the folder says.

import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../errno.ts';
import { shown, TransferFailed } from './failure.ts';
import { publishersRule } from './publishers-rule.ts';
import type { Question, Reply, Wire } from './wire.ts';

type Rules = Pick<Wire, 'refusal' | 'asks'> & {
  /** Where a file of an address may lie below the folder. */
  readonly namesOf: (address: URL) => readonly string[];
};

const ofMirror: Rules = { refusal: publishersRule, asks: 'a mirror', namesOf: mirroredNames };

export function folderWire(folder: string, { refusal, asks, namesOf }: Rules = ofMirror): Wire {
  const ask = (question: Question) => answerFrom(folder, namesOf(question.address), question);
  return { refusal, asks, ask, close: () => {} };
}

async function answerFrom(folder: string, names: readonly string[], question: Question): Promise<Reply> {
  const file = await findFile(folder, names, question.address);
  if (file === undefined) return withoutBody(404, new Map());
  // Without the second flag, opening a pipe waits for its writer. Windows has neither.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const facts = await handle.stat({ bigint: true });
    const reply = facts.isFile() ? answerWith(handle, facts, question) : withoutBody(404, new Map());
    if (reply.status !== 200 && reply.status !== 206) await handle.close();
    return reply;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function findFile(folder: string, names: readonly string[], address: URL): Promise<string | undefined> {
  const root = await realpath(folder);
  for (const name of names) {
    const place = path.resolve(root, name);
    const file = await realpath(place).catch((error: unknown) => {
      if (isAbsent(error)) return undefined;
      throw error;
    });
    if (file === undefined) continue;
    const isWithin = file.startsWith(`${root}${path.sep}`);
    if (isWithin && (await stat(file)).isDirectory()) continue;
    if (isWithin) return file;
    throw new TransferFailed('not there', `${shown(address)} leads out of the folder ${folder}.`);
  }
  return undefined;
}

/** As it stands in the address, or with its percent signs read, as `wget` names files. An address whose own name is a folder,
 *  because others lie below it, is index.html there. */
function mirroredNames({ hostname, pathname, search }: URL): readonly string[] {
  const names = pathname.endsWith('/') ? [`${pathname}index.html`] : [pathname, `${pathname}/index.html`];
  return names.flatMap((name) => {
    const literal = `${hostname}${name}${search.replaceAll('/', '%2F')}`;
    try {
      const read = `${hostname}${decodeURIComponent(name)}${decodeURIComponent(search).replaceAll('/', '%2F')}`;
      return read.includes('\0') ? [literal] : [literal, read];
    } catch (error) {
      if (error instanceof URIError) return [literal];
      throw error;
    }
  });
}

const absent = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP'];
const isAbsent = (error: unknown): boolean => absent.some((code) => code === errorCode(error));

function answerWith(handle: FileHandle, facts: BigIntStats, { headers, signal }: Question): Reply {
  const size = Number(facts.size);
  const etag = `"${facts.size}-${facts.mtimeNs}"`;
  const lastModified = facts.mtime.toUTCString();
  const known = new Map([
    ['etag', etag],
    ['last-modified', lastModified],
  ]);
  const wanted = headers['if-none-match'];
  if (wanted === etag || (wanted === undefined && headers['if-modified-since'] === lastModified))
    return withoutBody(304, known);
  const condition = headers['if-range'];
  const mayResume = condition === undefined || condition === etag || condition === lastModified;
  const from = mayResume ? /^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] : undefined;
  const start = Number(from ?? 0);
  if (from !== undefined && start >= size) return withoutBody(416, known);
  known.set('content-length', String(size - start));
  if (from !== undefined) known.set('content-range', `bytes ${start}-${size - 1}/${size}`);
  return {
    status: from === undefined ? 200 : 206,
    header: (name) => known.get(name),
    leadsTo: undefined,
    body: piecesOf(handle, { start, end: size }, signal),
    discard: () => void handle.close(),
  };
}

const withoutBody = (status: number, known: ReadonlyMap<string, string>): Reply => ({
  status,
  header: (name) => known.get(name),
  leadsTo: undefined,
  body: nothing(),
  discard: () => {},
});

async function* nothing(): AsyncGenerator<Uint8Array> {}

const pieceBytes = 1 << 18;

async function* piecesOf(
  handle: FileHandle,
  { start, end }: { readonly start: number; readonly end: number },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    for (let at = start; at < end; ) {
      signal.throwIfAborted();
      const piece = Buffer.allocUnsafeSlow(Math.min(pieceBytes, end - at));
      const { bytesRead } = await handle.read(piece, 0, piece.length, at);
      if (bytesRead === 0)
        throw new TransferFailed('cut off', 'A file of the mirror became shorter while it was read.');
      at += bytesRead;
      yield piece.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}
