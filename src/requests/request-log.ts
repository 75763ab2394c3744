// The last requests of every account, and what was refused. To note a request is an array's push; what was noted is written a
// moment later, beside the replies. Where it cannot be written, requests go on and the oldest lines are lost.

import { randomUUID } from 'node:crypto';
import type { Caller } from '../ledger/ledger.ts';
import { isCustomer } from '../ledger/public-sandbox.ts';
import type { Counter, Metrics } from '../metrics/metrics.ts';
import { type Database, DatabaseUnavailable, type Sql } from '../storage/sql.ts';
import { hourMs, minuteMs } from '../time.ts';
import {
  accountsWithParameters,
  accountsWithParametersIn,
  type Chunk,
  chunksSince,
  forgetOldParameters,
  forgetParametersOf,
  insertChunks,
  linesOfChunks,
  listedMost,
  newestLines,
  overfullAccounts,
  packChunk,
  pruneAccount,
  setParameters,
} from './chunks.ts';
import { type Line, type ListedRequest, listed, parametersMost } from './line.ts';
import type { AnsweredCall, AnsweredRequest, RequestNotes } from './notes.ts';
import { forgetOldRefusals, type RefusalCount, RefusalCounts, refusalsOfDay } from './refusal-counts.ts';
import { WaitingLines } from './waiting-lines.ts';

/** A write costs a busy service more than all that was noted for it. */
const flushMs = 1_000;
/** While it cannot be written: twice as long each time. */
const againMostMs = 8_000;
const tidyMs = hourMs;
const rowsMost = 100;
/** After so many requests or rows of an account, older ones are removed. */
const untidyRequests = 4 * listedMost;
const untidyRows = 100;

// How long calls took, as the server saw it.

export type Latency = {
  readonly path: string;
  readonly requests: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
};

/** By path, most requests first. Calls of a batch have no time of their own and are left out. */
function latencyOf(lines: readonly Line[]): readonly Latency[] {
  const alone = lines.filter(({ sent }) => sent === 'alone');
  return [...Map.groupBy(alone, ({ path }) => path)]
    .map(([path, taken]) => {
      const sorted = taken.map(({ milliseconds }) => milliseconds).sort((one, other) => one - other);
      const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
      return { path, requests: sorted.length, p50: at(0.5), p95: at(0.95), p99: at(0.99) };
    })
    .sort((one, other) => other.requests - one.requests || (one.path < other.path ? -1 : 1));
}

type Newest = { readonly requests: readonly ListedRequest[]; readonly latency: readonly Latency[] };

/** The service's log, as far as it is needed here. */
type Log = {
  readonly warn: (message: string) => void;
  readonly fault: (message: string, fault: unknown) => void;
};

type RequestLogParts = {
  /** Has what accounts settled. */
  readonly database: Database;
  /** Has the last requests. It may be lost. */
  readonly store: Sql;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly now: () => number;
};

// Who watches the requests of an account as they come. The rows are asked once a second while somebody does: whichever machine
// has answered, it is seen.

/** Newest first, at least one. */
type RequestListener = (requests: readonly ListedRequest[]) => void;

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

class Watchers {
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
      if (!(fault instanceof DatabaseUnavailable)) this.#onFault(fault);
    }
  }
}

export class RequestLog implements RequestNotes {
  readonly #database: Database;
  readonly #store: Sql;
  readonly #log: Log;
  readonly #now: () => number;
  readonly #lost: Counter;
  readonly #refusals = new RefusalCounts(randomUUID());
  readonly #watchers: Watchers;
  readonly #tidying: NodeJS.Timeout;
  readonly #waiting = new WaitingLines();
  /** Packed, and perhaps written already: it is written again as it is until that is certain. */
  #packed: readonly Chunk[] = [];
  #withParameters: ReadonlySet<string> = new Set();
  /** Written since older ones were removed. */
  readonly #untidy = new Map<string, { requests: number; rows: number }>();
  #flushing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #waitMs = flushMs;
  #state: 'open' | 'closed' = 'open';

  constructor({ database, store, log, metrics, now }: RequestLogParts) {
    this.#database = database;
    this.#store = store;
    this.#log = log;
    this.#now = now;
    this.#lost = metrics.counter('domesday_request_lines_lost_total');
    this.#watchers = new Watchers(store, now, (fault) => log.fault('requests cannot be watched', fault));
    this.#tidying = setInterval(() => void this.tidy(), tidyMs).unref();
  }

  note(request: AnsweredRequest): void {
    const { caller, calls } = request;
    const customer = caller !== undefined && isCustomer(caller) ? caller : undefined;
    if (calls === undefined) this.#noteCall(request, request, customer, 'alone');
    else for (const call of calls) this.#noteCall(request, call, customer, 'in a batch');
  }

  #noteCall(
    request: AnsweredRequest,
    call: AnsweredCall,
    customer: Caller | undefined,
    sent: Line['sent'],
  ): void {
    const { caller, atMs, requestId, seconds } = request;
    const { endpoint: path, status, code, creditsCharged: credits, parameters } = call;
    if (code !== undefined) {
      const refused = { accountId: caller?.accountId ?? null, path, status, code };
      if (this.#refusals.count(refused, atMs) === 'no room') this.#lost.add(1);
    }
    if (customer !== undefined) {
      const { accountId, keyId } = customer;
      const lost = this.#waiting.add(accountId, {
        requestId,
        atMs,
        keyId,
        path,
        parameters:
          parameters !== undefined && this.#withParameters.has(accountId)
            ? parameters.slice(0, parametersMost)
            : null,
        status,
        code: code ?? null,
        milliseconds: Math.round(seconds * 100_000) / 100,
        credits,
        sent,
      });
      if (lost > 0) this.#lost.add(lost);
    } else if (code === undefined) return;
    this.#timer ??= setTimeout(() => void this.#flushByItself(), this.#waitMs).unref();
  }

  /** Newest first, with what was noted here until now, and how long those took. */
  async newest(accountId: string): Promise<Newest> {
    await this.flush();
    const lines = await newestLines(this.#store, accountId, this.#now());
    return { requests: lines.map(listed), latency: latencyOf(lines) };
  }

  /** Tells of requests that are answered from now on, some two seconds after each at the latest. Gives back how to end it. */
  watch(accountId: string, listener: RequestListener): () => void {
    return this.#watchers.watch(accountId, listener);
  }

  async refusalsOfDay(): Promise<readonly RefusalCount[]> {
    await this.flush();
    return refusalsOfDay(this.#store, this.#now());
  }

  async parametersOf(accountId: string): Promise<'kept' | 'not kept'> {
    return (await accountsWithParameters(this.#database)).has(accountId) ? 'kept' : 'not kept';
  }

  /** Other machines follow with the next requests that they list. */
  async setParameters(accountId: string, wish: 'kept' | 'not kept'): Promise<void> {
    await setParameters(this.#database, accountId, wish, this.#now());
    this.#withParameters = await accountsWithParameters(this.#database);
    // What is being written may have been packed before.
    await this.#flushing;
    if (wish === 'not kept') await forgetParametersOf(this.#store, accountId);
  }

  /** Writes what was noted until now; rejects with DatabaseUnavailable where that is not possible. */
  flush(): Promise<void> {
    const flushed = this.#flushing.then(() => this.#write());
    this.#flushing = flushed.catch(() => undefined);
    return flushed;
  }

  async close(): Promise<void> {
    this.#state = 'closed';
    clearTimeout(this.#timer);
    clearInterval(this.#tidying);
    this.#watchers.close();
    await this.#flushByItself();
    const lost = this.#waiting.count + requestsIn(this.#packed);
    if (lost === 0) return;
    this.#lost.add(lost);
    this.#log.warn(`${lost} requests are missing in the lists of their accounts: they could not be written.`);
  }

  async #flushByItself(): Promise<void> {
    try {
      await this.flush();
      this.#waitMs = flushMs;
    } catch (fault) {
      this.#waitMs = Math.min(2 * this.#waitMs, againMostMs);
      // The store told the operator when it began.
      if (!(fault instanceof DatabaseUnavailable)) this.#giveUp(fault);
    }
    this.#timer = undefined;
    if (this.#state === 'open' && this.#waiting.count + this.#packed.length > 0) {
      this.#timer = setTimeout(() => void this.#flushByItself(), this.#waitMs).unref();
    }
  }

  /** What is refused for itself would be refused for ever. */
  #giveUp(fault: unknown): void {
    this.#lost.add(requestsIn(this.#packed));
    this.#packed = [];
    this.#log.fault('requests could not be listed', fault);
  }

  async #write(): Promise<void> {
    await this.#writePacked();
    if (this.#waiting.count > 0) {
      this.#withParameters = await accountsWithParameters(this.#database);
      this.#packed = await this.#pack();
      await this.#writePacked();
    }
    await this.#refusals.write(this.#store, this.#now());
  }

  async #writePacked(): Promise<void> {
    while (this.#packed.length > 0) {
      const part = this.#packed.slice(0, rowsMost);
      await this.#insert(part);
      this.#packed = this.#packed.slice(part.length);
      for (const chunk of part) await this.#removeOlder(chunk);
    }
  }

  /** Parameters that an account has turned off since are left out, however long the chunk has waited. */
  async #insert(chunks: readonly Chunk[]): Promise<void> {
    if (chunks.every(({ parameters }) => parameters === null)) return insertChunks(this.#store, chunks);
    const kept = await accountsWithParameters(this.#database);
    const allowed = chunks.map((chunk) =>
      kept.has(chunk.accountId) ? chunk : { ...chunk, parameters: null },
    );
    await insertChunks(this.#store, allowed);
  }

  /** One row for each account. */
  async #pack(): Promise<readonly Chunk[]> {
    const chunks: Chunk[] = [];
    for (const accountId of this.#waiting.accounts()) {
      const lines = this.#waiting.take(accountId);
      if (lines.length > 0) chunks.push(packChunk(randomUUID(), accountId, lines));
      // Requests are answered between two accounts.
      await new Promise(setImmediate);
    }
    return chunks;
  }

  async #removeOlder({ accountId, requests }: Chunk): Promise<void> {
    const written = this.#untidy.get(accountId) ?? { requests: 0, rows: 0 };
    written.requests += requests;
    written.rows += 1;
    this.#untidy.set(accountId, written);
    if (written.requests < untidyRequests && written.rows < untidyRows) return;
    await pruneAccount(this.#store, accountId);
    this.#untidy.delete(accountId);
  }

  /** Every hour by itself: removes what has been kept long enough. */
  async tidy(): Promise<void> {
    try {
      const nowMs = this.#now();
      await forgetOldParameters(this.#store, nowMs);
      await this.#forgetUnwantedParameters();
      await forgetOldRefusals(this.#store, nowMs);
      for (const accountId of await overfullAccounts(this.#store)) {
        await pruneAccount(this.#store, accountId);
      }
    } catch (fault) {
      if (!(fault instanceof DatabaseUnavailable))
        this.#log.fault('old requests could not be removed', fault);
    }
  }

  /** Another machine may have been writing them while its account turned that off. */
  async #forgetUnwantedParameters(): Promise<void> {
    const kept = await accountsWithParameters(this.#database);
    for (const accountId of await accountsWithParametersIn(this.#store))
      if (!kept.has(accountId)) await forgetParametersOf(this.#store, accountId);
  }
}

const requestsIn = (chunks: readonly Chunk[]): number =>
  chunks.reduce((sum, { requests }) => sum + requests, 0);
