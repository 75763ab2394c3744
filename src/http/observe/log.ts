// The service's log: what is said, how often, and that no key is in it. How it is written stands in log-lines.ts and
// pretty-lines.ts.

import type { Settings } from '../../config.ts';
import { strikeKeys } from '../../strike-keys.ts';
import { minuteMs } from '../../time.ts';
import { jsonLines, type Level, type LogLines, type Notice, type RequestLine } from './log-lines.ts';

type LogLevel = Settings['log'];

/** A fault that repeats is told this often, with how often it came. */
const tellAgainMs = minuteMs;
const faultsKept = 100;

type Told = { lastMs: number; unsaid: number };

const rank = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 } as const satisfies Record<LogLevel, number>;

export class Log {
  readonly #write: (line: string) => void;
  readonly #now: () => number;
  readonly #lowest: number;
  readonly #slowRequestMs: number;
  readonly #lines: LogLines;
  /** By what is the same of a fault each time it comes. */
  readonly #told = new Map<string, Told>();

  constructor(
    { log, slowRequestMs }: Pick<Settings, 'log' | 'slowRequestMs'>,
    write: (line: string) => void,
    now: () => number,
    lines: LogLines = jsonLines,
  ) {
    this.#lowest = rank[log];
    this.#slowRequestMs = slowRequestMs;
    this.#write = write;
    this.#now = now;
    this.#lines = lines;
  }

  /** Names the key by its id, never by its text. */
  request(line: RequestLine): void {
    if (this.#lowest > rank.info) return;
    const speed = line.seconds * 1000 < this.#slowRequestMs ? 'usual' : 'slow';
    this.#write(this.#lines.request(line, this.#now(), speed));
  }

  info(message: string): void {
    this.#say('info', { message });
  }

  warn(message: string): void {
    this.#say('warn', { message });
  }

  error(message: string): void {
    this.#say('error', { message });
  }

  /** With its stack the first time; when it repeats, once a minute without, but counted. */
  fault(message: string, fault: unknown, requestId?: string): void {
    const { kind, words, stack, cause } = describe(fault);
    const told = this.#remember(`${message}\n${kind}`);
    if (told === 'lately') return;
    this.#say('error', {
      message,
      ...(requestId === undefined ? {} : { requestId }),
      fault: words,
      ...(told === 'first' && stack !== undefined ? { stack } : {}),
      ...(told === 'first' && cause !== undefined ? { cause } : {}),
      ...(told === 'first' ? {} : { timesSinceToldLast: told.times }),
    });
  }

  #remember(fault: string): 'first' | 'lately' | { readonly times: number } {
    const nowMs = this.#now();
    const known = this.#told.get(fault);
    if (known === undefined) {
      const [oldest] = this.#told.keys();
      if (this.#told.size === faultsKept && oldest !== undefined) this.#told.delete(oldest);
      this.#told.set(fault, { lastMs: nowMs, unsaid: 0 });
      return 'first';
    }
    known.unsaid += 1;
    // A clock that was set back must not silence it for longer.
    if (Math.abs(nowMs - known.lastMs) < tellAgainMs) return 'lately';
    const times = known.unsaid;
    known.lastMs = nowMs;
    known.unsaid = 0;
    return { times };
  }

  #say(level: Level, notice: Notice): void {
    if (this.#lowest > rank[level]) return;
    this.#write(this.#lines.notice(level, withoutKeys(notice), this.#now()));
  }
}

function withoutKeys({ message, requestId, fault, stack, cause, timesSinceToldLast }: Notice): Notice {
  return {
    message: strikeKeys(message),
    ...(requestId === undefined ? {} : { requestId: strikeKeys(requestId) }),
    ...(fault === undefined ? {} : { fault: strikeKeys(fault) }),
    ...(stack === undefined ? {} : { stack: strikeKeys(stack) }),
    ...(cause === undefined ? {} : { cause: strikeKeys(cause) }),
    ...(timesSinceToldLast === undefined ? {} : { timesSinceToldLast }),
  };
}

type Described = {
  /** What is the same of it each time it comes. */
  readonly kind: string;
  readonly words: string;
  readonly stack: string | undefined;
  readonly cause: string | undefined;
};

/** Anything can be thrown, also what throws when it is looked at; to tell of a fault must not be another. */
function describe(fault: unknown): Described {
  try {
    const isError = fault instanceof Error;
    return {
      kind: kindOf(fault),
      words: isError ? `${fault.name}: ${fault.message}` : String(fault),
      stack: isError ? textOf(fault.stack) : undefined,
      cause: isError && fault.cause instanceof Error ? textOf(fault.cause.stack) : undefined,
    };
  } catch {
    return { kind: 'odd', words: 'something that cannot be shown', stack: undefined, cause: undefined };
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** How far causes are followed: they may lead in a circle. */
const causesMost = 5;

/** What is the same of a fault each time it comes: the place it was made at, the codes of what is behind it, the part of a
 *  release that is damaged. The message may name what was asked for, and differ each time. */
function kindOf(fault: unknown, depth = 0): string {
  if (depth === causesMost) return '';
  if (!(fault instanceof Error)) return String(fault);
  const place = /^ +at .*$/m.exec(fault.stack ?? '')?.[0] ?? fault.message;
  const codes = ['code', 'errcode', 'part'].map(
    (name) => Object.entries(fault).find(([key]) => key === name)?.[1],
  );
  return `${fault.name}${place} ${codes.join(' ')}\n${fault.cause === undefined ? '' : kindOf(fault.cause, depth + 1)}`;
}
