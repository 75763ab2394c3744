// The service's log: one JSON object a line. Request lines are put together by hand, since every request pays for
// one; a general logger spends more on it than the ledger on a charge.

import type { Settings } from '../../config.ts';
import type { Caller } from '../../ledger/ledger.ts';
import { type Laps, stages } from './laps.ts';

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

const rank = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 } as const satisfies Record<LogLevel, number>;

export class Log {
  readonly #write: (line: string) => void;
  readonly #now: () => number;
  readonly #lowest: number;
  readonly #slowRequestMs: number;

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

  fault(message: string, fault: unknown, requestId?: string): void {
    const isError = fault instanceof Error;
    this.#say('error', {
      message,
      ...(requestId === undefined ? {} : { requestId }),
      fault: isError ? `${fault.name}: ${fault.message}` : String(fault),
      ...(isError && fault.stack !== undefined ? { stack: fault.stack } : {}),
      ...(isError && fault.cause instanceof Error ? { cause: fault.cause.stack } : {}),
    });
  }

  #say(level: Exclude<LogLevel, 'silent'>, members: Readonly<Record<string, unknown>>): void {
    if (this.#lowest > rank[level]) return;
    this.#write(`${JSON.stringify({ level, time: this.#now(), ...members })}\n`);
  }
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
