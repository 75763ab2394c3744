// Who watches the requests of an account as they come. The rows are asked once a second while somebody does: whichever thread or
// machine has answered, it is seen.

import { RecordsUnavailable, type Sql } from '../records/records.ts';
import { minuteMs } from '../time.ts';
import { chunksSince, linesOfChunks } from './chunks.ts';
import { type ListedRequest, listed } from './line.ts';

/** Newest first, at least one. */
export type RequestListener = (requests: readonly ListedRequest[]) => void;

const askEveryMs = 1_000;
/** Rows that became visible late, or that a clock behind this one has dated, are still found. */
const lookBackMs = minuteMs;
/** Of a busy account the oldest are left out. */
const chunksMost = 100;

type Watched = {
  readonly listeners: Set<RequestListener>;
  readonly sinceMs: number;
  seen: ReadonlySet<string>;
};

export class Watchers {
  readonly #sql: Sql;
  readonly #now: () => number;
  readonly #onFault: (fault: unknown) => void;
  readonly #watched = new Map<string, Watched>();
  #timer: NodeJS.Timeout | undefined;

  constructor(sql: Sql, now: () => number, onFault: (fault: unknown) => void) {
    this.#sql = sql;
    this.#now = now;
    this.#onFault = onFault;
  }

  /** Tells of requests that are answered from now on. Gives back how to end it. */
  watch(accountId: string, listener: RequestListener): () => void {
    const watched: Watched = this.#watched.get(accountId) ?? {
      listeners: new Set(),
      sinceMs: this.#now(),
      seen: new Set(),
    };
    this.#watched.set(accountId, watched);
    watched.listeners.add(listener);
    this.#askLater();
    return () => {
      watched.listeners.delete(listener);
      if (watched.listeners.size > 0 || this.#watched.get(accountId) !== watched) return;
      this.#watched.delete(accountId);
    };
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#watched.clear();
  }

  #askLater(): void {
    this.#timer ??= setTimeout(async () => {
      for (const [accountId, watched] of this.#watched) await this.#ask(accountId, watched);
      this.#timer = undefined;
      if (this.#watched.size > 0) this.#askLater();
    }, askEveryMs).unref();
  }

  /** What cannot be read now is read the next time. */
  async #ask(accountId: string, watched: Watched): Promise<void> {
    const nowMs = this.#now();
    try {
      const sinceMs = Math.max(watched.sinceMs, nowMs - lookBackMs);
      const present = new Set(await chunksSince(this.#sql, accountId, sinceMs));
      const fresh = [...present.difference(watched.seen)].slice(-chunksMost);
      const lines = fresh.length === 0 ? [] : await linesOfChunks(this.#sql, fresh, nowMs);
      watched.seen = present;
      const told = lines.filter(({ atMs }) => atMs >= watched.sinceMs).map(listed);
      if (told.length > 0) for (const listener of watched.listeners) listener(told);
    } catch (fault) {
      if (!(fault instanceof RecordsUnavailable)) this.#onFault(fault);
    }
  }
}
