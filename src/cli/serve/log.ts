// Where the service's log goes: standard output, in writes small enough that lines of several threads never mix,
// and buffered so that a request does not wait for them.

import { writeSync } from 'node:fs';
import type { Settings } from '../../config.ts';
import { Log } from '../../http/observe/log.ts';

/** Pipes take writes up to this size whole, so that lines of several threads do not mix. */
export const sharedChunkBytes = 4096;
export const ownChunkBytes = 65_536;
const flushEveryMs = 200;
/** What is kept for a reader that does not keep up; lines beyond it are dropped and counted. */
const waitingBytesMax = 2 ** 20;
const standardOutput = 1;

type OpenLog = { readonly log: Log; readonly flush: () => void };

export function openLog(settings: Settings, now: () => number, chunkBytes: number): OpenLog {
  let chunks: string[] = [];
  let chunk = '';
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;

  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (chunk !== '') chunks.push(chunk);
    chunk = '';
    const stuckAt = chunks.findIndex((text) => writeChunk(text) === 'full');
    chunks = stuckAt === -1 ? [] : chunks.slice(stuckAt);
    if (chunks.length > 0) timer = setTimeout(flush, flushEveryMs).unref();
    else if (dropped > 0) {
      const count = dropped;
      dropped = 0;
      log.error(`${count} log lines were dropped: standard output was not read fast enough`);
    }
  };
  const write = (line: string) => {
    if (chunks.length * chunkBytes > waitingBytesMax) {
      dropped += 1;
      return;
    }
    if (chunk.length + line.length > chunkBytes) flush();
    chunk += line;
    timer ??= setTimeout(flush, flushEveryMs).unref();
  };
  const log = new Log(settings, write, now);
  return { log, flush };
}

/** A reader that is gone loses the log, not the service. */
function writeChunk(text: string): 'written' | 'full' {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(standardOutput, rest));
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'EAGAIN') return 'full';
      if (code !== 'EPIPE') throw error;
      return 'written';
    }
  }
  return 'written';
}
