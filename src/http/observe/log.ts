// The service's log: one JSON object a line. Request lines are put together by hand, since every request pays for
// one; a general logger spends more on it than the ledger on a charge.

import type { Settings } from '../../config.ts';
import type { Caller } from '../../ledger/ledger.ts';
import { type Laps, stages } from './laps.ts';
import { strikeKeys } from './strike-keys.ts';

type LogLevel = Settings['log'];

type RequestLine = {
  readonly requestId: string;
  readonly method: string;
  /** As JSON: an endpoint's path needs no escapes, and looking for some costs more than the rest of the line. */
  readonly pathJson: string;
  readonly status: number;
  readonly seconds: number;
  readonly caller: Caller | undefined;
  readonly creditsCharged: number;
  /** Of a call to an endpoint; told where the request was slow. */
  readonly laps: Laps | undefined;
};

/** A fault that repeats is told this often, with how often it came. */
const tellAgainMs = 60_000;
const faultsKept = 100;

type Told = { lastMs: number; unsaid: number };

const rank = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 } as const satisfies Record<LogLevel, number>;

export class Log {
  readonly #write: (line: string) => void;
  readonly #now: () => number;
  readonly #lowest: number;
  readonly #slowRequestMs: number;
  /** By what is the same of a fault each time it comes. */
  readonly #told = new Map<string, Told>();

  constructor(
    { log, slowRequestMs }: Pick<Settings, 'log' | 'slowRequestMs'>,
    write: (line: string) => void,
    now: () => number,
  ) {
    this.#lowest = rank[log];
    this.#slowRequestMs = slowRequestMs;
    this.#write = write;
    this.#now = now;
  }

  /** Names the key by its id, never by its text. */
  request({ requestId, method, pathJson, status, seconds, caller, creditsCharged, laps }: RequestLine): void {
    if (this.#lowest > rank.info) return;
    const who =
      caller === undefined
        ? ''
        : `,"account":"${caller.accountId}","key":"${caller.keyId}","credits":${creditsCharged}`;
    const ms = thousandths(seconds * 1000);
    const slow = laps === undefined || ms < this.#slowRequestMs ? '' : stagesJson(laps);
    this.#write(
      `{"level":"info","time":${this.#now()},"requestId":"${requestId}","method":"${method}","path":${pathJson},"status":${status},"ms":${ms}${who}${slow}}\n`,
    );
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
    const isError = fault instanceof Error;
    const told = this.#remember(`${message}\n${kindOf(fault)}`);
    if (told === 'lately') return;
    this.#say('error', {
      message,
      ...(requestId === undefined ? {} : { requestId }),
      fault: isError ? `${fault.name}: ${fault.message}` : String(fault),
      ...(told === 'first' && isError && fault.stack !== undefined ? { stack: fault.stack } : {}),
      ...(told === 'first' && isError && fault.cause instanceof Error ? { cause: fault.cause.stack } : {}),
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

  #say(level: Exclude<LogLevel, 'silent'>, members: Readonly<Record<string, unknown>>): void {
    if (this.#lowest > rank[level]) return;
    const struck = (_: string, value: unknown) => (typeof value === 'string' ? strikeKeys(value) : value);
    this.#write(`${JSON.stringify({ level, time: this.#now(), ...members }, struck)}\n`);
  }
}

/** What is the same of a fault each time it comes: the place it was made at, the codes of what is behind it, the part of a
 *  release that is damaged. The message may name what was asked for, and differ each time. */
function kindOf(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault);
  const place = /^ +at .*$/m.exec(fault.stack ?? '')?.[0] ?? fault.message;
  const codes = ['code', 'errcode', 'part'].map(
    (name) => Object.entries(fault).find(([key]) => key === name)?.[1],
  );
  return `${fault.name}${place} ${codes.join(' ')}\n${fault.cause === undefined ? '' : kindOf(fault.cause)}`;
}

/** Rounded by arithmetic: toFixed takes several times as long. */
const thousandths = (ms: number): number => Math.round(ms * 1e3) / 1e3;

function stagesJson({ ms }: Laps): string {
  const taken = stages.flatMap((stage, place) => {
    const stageMs = ms[place] ?? Number.NaN;
    return Number.isNaN(stageMs) ? [] : [[stage, thousandths(stageMs)]];
  });
  return `,"stages":${JSON.stringify(Object.fromEntries(taken))}`;
}
