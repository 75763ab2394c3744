// How much is asked of a publisher at a time: so many transfers a host and in all, a gap between two requests, and nothing
// before the moment that a host named.

import { dayMs } from '../../time.ts';
import type { Clock } from './clock.ts';
import { stopped, TransferFailed } from './failure.ts';

export type Limits = {
  readonly transfersPerHost: number;
  readonly transfersInAll: number;
  readonly gapMs: number;
  /** Hosts that get fewer transfers at a time. */
  readonly fewerFor: Readonly<Record<string, number>>;
};

/** GOV.UK states ten requests a second; nobody states less. */
export const usualLimits: Limits = { transfersPerHost: 2, transfersInAll: 4, gapMs: 100, fewerFor: {} };

type Host = {
  transfers: number;
  /** Resolves when the next request may go. */
  gate: Promise<void>;
};

type Waiting = { readonly host: string; readonly go: () => void };

// How long a host asks us to stay away (`Retry-After`), in seconds or as a date.

/** Of a wrong clock, theirs or ours, no more than this is believed. */
const longestRetryMs = dayMs;

/** Undefined where the header says nothing that can be understood. */
export function retryAfterMs(
  header: string | undefined,
  /** The `Date` of the same answer: against it their date is right whatever our clock says. */
  dateHeader: string | undefined,
  nowMs: number,
): number | undefined {
  const text = header?.trim() ?? '';
  const ms = /^\d+$/.test(text) ? 1000 * Number(text) : untilMs(text, dateHeader, nowMs);
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), longestRetryMs);
}

function untilMs(text: string, dateHeader: string | undefined, nowMs: number): number {
  // Dates of HTTP begin with a weekday; Date.parse would take much else.
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return Number.NaN;
  const theirNowMs = Date.parse(dateHeader ?? '');
  return Date.parse(text) - (Number.isNaN(theirNowMs) ? nowMs : theirNowMs);
}

export class Manners {
  readonly #limits: Limits;
  readonly #clock: Clock;
  readonly #hosts = new Map<string, Host>();
  readonly #notBefore: Map<string, number>;
  readonly #closed: AbortSignal;
  #waiting: readonly Waiting[] = [];
  #transfers = 0;

  /** `notBefore`: by host, what `retryAt` of a failure said in an earlier run. `closed`: after it, no time is kept. */
  constructor(limits: Limits, clock: Clock, notBefore: ReadonlyMap<string, number>, closed: AbortSignal) {
    this.#limits = limits;
    this.#clock = clock;
    this.#notBefore = new Map(notBefore);
    this.#closed = closed;
  }

  /** Resolves when the host may be asked, with what ends the transfer. Throws TransferFailed where it may not for long. */
  async take(host: string, signal: AbortSignal): Promise<() => void> {
    this.#refuseBefore(host);
    const { promise: turn, resolve: go } = Promise.withResolvers<void>();
    const waiting = { host, go };
    this.#waiting = [...this.#waiting, waiting];
    this.#letGo();
    try {
      await orStopped(turn, signal);
    } catch (error) {
      // It may have been let go in the same moment.
      if (this.#waiting.includes(waiting)) this.#waiting = this.#waiting.filter((each) => each !== waiting);
      else this.#end(host);
      throw error;
    }
    try {
      const { gate } = this.#hostOf(host);
      this.hold(host, this.#limits.gapMs);
      await orStopped(gate, signal);
      this.#refuseBefore(host);
    } catch (error) {
      this.#end(host);
      throw error;
    }
    let isOver = false;
    return () => {
      if (!isOver) this.#end(host);
      isOver = true;
    };
  }

  /** The next request to the host goes so much later. */
  hold(host: string, ms: number): void {
    const state = this.#hostOf(host);
    state.gate = state.gate.then(() => this.#clock.wait(ms, this.#closed));
  }

  /** The host is not asked before that moment. */
  stayAway(host: string, untilMs: number): void {
    this.#notBefore.set(host, untilMs);
  }

  #refuseBefore(host: string): void {
    const retryAt = this.#notBefore.get(host);
    if (retryAt === undefined) return;
    const ms = retryAt - this.#clock.now();
    // Nobody is told to stay away for longer: the clock was wrong when that was written.
    if (ms <= 0 || ms > longestRetryMs) this.#notBefore.delete(host);
    else throw toldToWait(host, retryAt, 'no use');
  }

  #hostOf(name: string): Host {
    const known = this.#hosts.get(name);
    if (known !== undefined) return known;
    const host = { transfers: 0, gate: Promise.resolve() };
    this.#hosts.set(name, host);
    return host;
  }

  #letGo(): void {
    const { transfersInAll, transfersPerHost, fewerFor } = this.#limits;
    this.#waiting = this.#waiting.filter(({ host, go }) => {
      const state = this.#hostOf(host);
      const most = (Object.hasOwn(fewerFor, host) ? fewerFor[host] : undefined) ?? transfersPerHost;
      if (this.#transfers >= transfersInAll || state.transfers >= most) return true;
      this.#transfers += 1;
      state.transfers += 1;
      go();
      return false;
    });
  }

  #end(host: string): void {
    this.#transfers -= 1;
    this.#hostOf(host).transfers -= 1;
    this.#letGo();
  }
}

export function toldToWait(host: string, retryAt: number, again: 'after a pause' | 'no use'): TransferFailed {
  const until = new Date(retryAt).toISOString().replace(/\.\d+Z$/, 'Z');
  return new TransferFailed(
    'told to wait',
    `${host} asked us not to call before ${until}; run it again after that.`,
    { host, retryAt, again },
  );
}

function orStopped(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(stopped());
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    void promise.then(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
  });
}
