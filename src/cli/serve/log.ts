// Where the service's words go, and in which form: standard output, buffered so that a request does not wait for them. A full
// disk or a reader that is gone loses lines, never the service.

import { writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import type { Settings } from '../../config.ts';
import { errorCode } from '../../errno.ts';
import { Log } from '../../http/observe/log.ts';
import { jsonLines } from '../../http/observe/log-lines.ts';
import { prettyLines } from '../../http/observe/pretty-lines.ts';
import type { Counter, Metrics } from '../../metrics/metrics.ts';

const chunkBytes = 65_536;
const flushEveryMs = 200;
/** What is kept until it can be written; lines beyond it are dropped and counted. */
const waitingBytesMax = 2 ** 20;
const standardOutput = 1;
const lineFeed = 10;

/** After these the same bytes may be taken later: a reader that does not keep up, a full disk. */
const passing = new Set(['EAGAIN', 'ENOSPC', 'EDQUOT']);

type OpenLog = {
  readonly log: Log;
  /** Text for whoever started the service, as it is and at once. */
  readonly print: (text: string) => void;
  readonly flush: () => void;
  readonly isTerminal: boolean;
};

type LogLook = 'json' | 'pretty' | 'pretty in colour';

/** For people where a person is looking. NO_COLOR and a dumb TERM are the customs by which one says that no colours are wanted. */
export function chooseLook(
  { logFormat }: Pick<Settings, 'logFormat'>,
  env: Readonly<Record<string, string | undefined>>,
): LogLook {
  const isTerminal = isatty(standardOutput);
  if ((logFormat ?? (isTerminal ? 'pretty' : 'json')) === 'json') return 'json';
  return isTerminal && !env.NO_COLOR && env.TERM !== 'dumb' ? 'pretty in colour' : 'pretty';
}

type LogParts = {
  readonly look: LogLook;
  readonly metrics: Metrics;
};

export function openLog(settings: Settings, now: () => number, { look, metrics }: LogParts): OpenLog {
  const output = new Output(metrics.counter('domesday_log_lines_dropped_total'));
  let chunk = '';
  let timer: NodeJS.Timeout | undefined;

  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (chunk !== '') output.add(chunk);
    chunk = '';
    const state = output.write();
    if (state === 'waits') timer = setTimeout(flush, flushEveryMs).unref();
    const loss = state === 'waits' ? undefined : output.takeLoss();
    if (loss !== undefined) log.error(`${loss.lines} log lines were dropped: standard output ${loss.cause}`);
  };
  const write = (line: string) => {
    if (chunk.length + line.length > chunkBytes) flush();
    chunk += line;
    timer ??= setTimeout(flush, flushEveryMs).unref();
  };
  const lines = look === 'json' ? jsonLines : prettyLines(look === 'pretty' ? 'off' : 'on');
  const log = new Log(settings, write, now, lines);
  const print = (text: string) => {
    write(text);
    flush();
  };
  return { log, print, flush, isTerminal: isatty(standardOutput) };
}

/** What waits to be written, and what was lost. */
class Output {
  readonly #dropped: Counter;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #lost = 0;
  #cause = '';
  /** The last thing written is the beginning of a line whose rest was lost. */
  #isTorn = false;
  /** The last write was refused for good; whether the next one is, only trying tells. */
  #isRefused = false;

  constructor(dropped: Counter) {
    this.#dropped = dropped;
  }

  add(text: string): void {
    const bytes = Buffer.from(text);
    if (this.#waitingBytes + bytes.length > waitingBytesMax) {
      this.#lose(bytes);
      return;
    }
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
  }

  write(): 'done' | 'waits' {
    for (;;) {
      const [bytes] = this.#waiting;
      if (bytes === undefined) return 'done';
      const { rest, code } = writeAll(this.#isTorn ? Buffer.concat([Buffer.of(lineFeed), bytes]) : bytes);
      const isBegun = rest.length < bytes.length;
      if (isBegun) this.#isTorn = false;
      this.#isRefused = code !== undefined;
      if (code !== undefined) {
        this.#cause =
          code === 'EAGAIN' ? 'was not read fast enough' : `could not be written for a while (${code})`;
        if (passing.has(code)) {
          if (isBegun) this.#replaceFirst(rest);
          return 'waits';
        }
        this.#isTorn ||= isBegun && bytes[bytes.length - rest.length - 1] !== lineFeed;
        this.#lose(isBegun ? rest : bytes);
      }
      this.#waiting.shift();
      this.#waitingBytes -= bytes.length;
    }
  }

  /** Told once it can be: while every write is refused, it waits. */
  takeLoss(): { readonly lines: number; readonly cause: string } | undefined {
    if (this.#lost === 0 || this.#isRefused) return undefined;
    const loss = { lines: this.#lost, cause: this.#cause };
    this.#lost = 0;
    return loss;
  }

  #replaceFirst(rest: Uint8Array): void {
    const [first] = this.#waiting;
    if (first === undefined) return;
    this.#waiting[0] = rest;
    this.#waitingBytes += rest.length - first.length;
  }

  #lose(bytes: Uint8Array): void {
    const lines = bytes.reduce((count, byte) => (byte === lineFeed ? count + 1 : count), 0);
    this.#lost += lines;
    this.#dropped.add(lines);
  }
}

function writeAll(bytes: Uint8Array): { readonly rest: Uint8Array; readonly code: string | undefined } {
  let rest = bytes;
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(standardOutput, rest));
    } catch (error) {
      const code = errorCode(error);
      if (code === undefined) throw error;
      return { rest, code };
    }
  }
  return { rest, code: undefined };
}
