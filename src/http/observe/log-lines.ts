// What the log writes of a request or an event, and its form for programs: one JSON object a line. Request lines are put
// together by hand, since every request pays for one; a general logger spends more on it than the ledger on a charge.

import type { Caller } from '../../ledger/ledger.ts';
import { visible } from '../../visible.ts';
import { type Laps, stages } from './laps.ts';

export type Level = 'debug' | 'info' | 'warn' | 'error';

export type RequestLine = {
  readonly requestId: string;
  readonly method: string;
  /** As JSON: an endpoint's path needs no escapes, and looking for some costs more than the rest of the line. */
  readonly pathJson: string;
  readonly status: number;
  readonly seconds: number;
  readonly caller: Caller | undefined;
  readonly creditsCharged: number;
  /** How many calls a batch had; undefined for any other request. */
  readonly calls?: number | undefined;
  /** Of a call to an endpoint; told where the request was slow. */
  readonly laps: Laps | undefined;
  /** Of the trace that the request is part of, where one is kept. */
  readonly traceId: string | undefined;
};

/** Without keys already. */
export type Notice = {
  readonly message: string;
  readonly requestId?: string;
  readonly fault?: string;
  readonly stack?: string;
  /** With its stack. */
  readonly cause?: string;
  readonly timesSinceToldLast?: number;
};

/** A form of the log. Each text is whole lines, with the line feed at their end. */
export type LogLines = {
  readonly request: (line: RequestLine, atMs: number, speed: 'slow' | 'usual') => string;
  readonly notice: (level: Level, notice: Notice, atMs: number) => string;
};

export const jsonLines: LogLines = {
  request: (line, atMs, speed) => {
    const { requestId, method, pathJson, status, seconds, caller, creditsCharged, calls, laps, traceId } =
      line;
    const who =
      caller === undefined
        ? ''
        : `,"account":"${caller.accountId}","key":"${caller.keyId}","credits":${creditsCharged}`;
    const batch = calls === undefined ? '' : `,"calls":${calls}`;
    const trace = traceId === undefined ? '' : `,"traceId":"${traceId}"`;
    const slow =
      laps === undefined || speed === 'usual'
        ? ''
        : `,"stages":${JSON.stringify(Object.fromEntries(stageTimes(laps)))}`;
    return `{"level":"info","time":${atMs},"requestId":"${requestId}","method":"${method}","path":${pathJson},"status":${status},"ms":${thousandths(seconds * 1000)}${who}${batch}${trace}${slow}}\n`;
  },
  // JSON leaves some characters as they are that a terminal obeys or that turn the direction of writing.
  notice: (level, notice, atMs) => `${visible(JSON.stringify({ level, time: atMs, ...notice }))}\n`,
};

/** Rounded by arithmetic: toFixed takes several times as long. */
export const thousandths = (ms: number): number => Math.round(ms * 1e3) / 1e3;

/** Milliseconds of the stages that the call came to. */
export function stageTimes({ ms }: Laps): readonly (readonly [stage: string, ms: number])[] {
  return stages.flatMap((stage, place) => {
    const stageMs = ms[place] ?? Number.NaN;
    return Number.isNaN(stageMs) ? [] : [[stage, thousandths(stageMs)] as const];
  });
}
