// One transaction after the other, whatever the engine: waits for a lock without holding up the event loop, and finds
// out what became of a commit that reported a fault before anybody is answered.

import type { Metrics } from '../metrics/metrics.ts';
import type { Doubts } from './doubts.ts';
import { LedgerOutOfService, LedgerRefusal, LedgerUnavailable, type Tell } from './ledger.ts';
import { type Attempt, asLedgerError } from './outcome.ts';
import type { Pace } from './pace.ts';
import { CommitTimes } from './stored/commit-times.ts';

export type MaybeLater<T> = T | Promise<T>;

/** What the writer asks of an engine. Nothing here waits for a lock. */
export interface Engine {
  /** One transaction: `work` and its commit. */
  attempt<T>(work: () => MaybeLater<T>): MaybeLater<Attempt<T>>;
  /** After an unknown commit: connects anew and says whether it stands. Throws while that cannot be told. */
  lookAgain(): MaybeLater<'stands' | 'absent'>;
  /** Within a transaction: gives back those of the charges that stand, each once, and tells how many those were. The
   *  transaction must write even if there are none, so that its commit ends every commit before it that hung in the air. */
  giveBack(chargeIds: Iterable<string>): MaybeLater<number>;
  /** What is behind a fault and what to do, as the end of a sentence; empty where nothing is known. */
  explain(error: unknown): string;
}

type Request = {
  readonly askedMs?: number;
  /** `repeat` is for work that can be done twice without harm, as charges with their ids can. */
  readonly ifUnknown?: 'repeat' | 'give up';
};

/** How long a transaction waits for a lock, or for a doubt to be settled. */
export const defaultPatienceMs = 5_000;
const retryMs = 10;

/** Nothing was written, because somebody else was writing all the time. */
export class LedgerBusy extends LedgerUnavailable {}

type Manners = { readonly patienceMs: number; readonly tell: Tell; readonly metrics: Metrics };

export class Writer {
  readonly patienceMs: number;
  readonly metrics: Metrics;
  readonly #times: CommitTimes;
  readonly #engine: Engine;
  readonly #pace: Pace;
  readonly #doubts: Doubts;
  #state: 'idle' | 'writing' = 'idle';
  readonly #waiting: (() => void)[] = [];
  #health: 'sound' | 'faulty' = 'sound';
  readonly #tell: Tell;

  constructor(engine: Engine, pace: Pace, doubts: Doubts, { patienceMs, tell, metrics }: Manners) {
    this.#engine = engine;
    this.#pace = pace;
    this.#doubts = doubts;
    this.patienceMs = patienceMs;
    this.metrics = metrics;
    this.#times = new CommitTimes(metrics, pace);
    metrics.onRead((set) => set('domesday_ledger_doubtful_charges', doubts.chargeIds.size));
    this.#tell = tell;
  }

  readonly isInDoubt = (chargeId: string): boolean => this.#doubts.chargeIds.has(chargeId);

  /** Of an earlier run. */
  async settleDoubts(): Promise<void> {
    try {
      this.#doubts.recall();
      if (this.#doubts.chargeIds.size > 0) await this.transact(() => undefined);
    } catch (fault) {
      if (fault instanceof LedgerOutOfService) return; // the next transaction settles them
      this.#tell({ level: 'error', message: 'charges in doubt are not settled yet', fault });
    }
  }

  /** Rejects with LedgerUnavailable, or with what `work` throws if that is a refusal. */
  async transact<T>(work: () => MaybeLater<T>, request: Request = {}): Promise<T> {
    const { ifUnknown = 'repeat', askedMs = this.#pace.elapsedMs() } = request;
    if (this.#state === 'writing') await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#state = 'writing';
    try {
      const deadlineMs = askedMs + this.patienceMs;
      return await this.#times.during(() => this.#persist(work, { ifUnknown, deadlineMs }));
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#state = 'idle';
      else next();
    }
  }

  async #persist<T>(
    work: () => MaybeLater<T>,
    request: Required<Omit<Request, 'askedMs'>> & { readonly deadlineMs: number },
  ): Promise<T> {
    let doubtful: Extract<Attempt<T>, { kind: 'unknown' }> | undefined;
    for (;;) {
      const attempt = doubtful === undefined ? await this.#attempt(work) : await this.#again(work, doubtful);
      if (attempt.kind === 'done') {
        this.#tellSound();
        return attempt.result;
      }
      // However late it is, nobody is answered before this was looked up once.
      const isNewDoubt = attempt.kind === 'unknown' && doubtful === undefined;
      if (attempt.kind === 'unknown') doubtful = attempt;
      if (doubtful === undefined && attempt.kind === 'failed') throw this.#fault(attempt.error);
      if (doubtful !== undefined) this.#fault(attempt.error);
      if (doubtful !== undefined && request.ifUnknown === 'give up') throw unknownChange(attempt.error);
      // Of a ledger that is lost, nothing can be looked up before the next start.
      const isLost = doubtful !== undefined && attempt.error instanceof LedgerOutOfService;
      if (isNewDoubt && !isLost) continue;
      if (isLost || this.#pace.elapsedMs() >= request.deadlineMs) {
        if (doubtful === undefined) throw busy(attempt.error);
        this.#note(doubtful.chargeIds);
        throw asLedgerError(attempt.error);
      }
      await this.#pace.pause(retryMs);
    }
  }

  /** Doubts are settled first: a charge in doubt that is sent again must not be given back once it was made. */
  async #attempt<T>(work: () => MaybeLater<T>): Promise<Attempt<T>> {
    const chargeIds = [...this.#doubts.chargeIds];
    if (chargeIds.length > 0) {
      const settling = await this.#engine.attempt(() => this.#engine.giveBack(chargeIds));
      // Of `work` itself nothing was written yet.
      if (settling.kind === 'unknown') return { kind: 'failed', error: settling.error };
      if (settling.kind !== 'done') return settling;
      this.#settled(chargeIds, settling.result);
    }
    return this.#engine.attempt(work);
  }

  async #again<T>(
    work: () => MaybeLater<T>,
    { result }: Extract<Attempt<T>, { kind: 'unknown' }>,
  ): Promise<Attempt<T>> {
    try {
      if ((await this.#engine.lookAgain()) === 'stands') return { kind: 'done', result };
    } catch (error) {
      return { kind: 'failed', error };
    }
    return this.#engine.attempt(work);
  }

  #settled(chargeIds: readonly string[], givenBack: number): void {
    const message = `of ${chargeIds.length} charges in doubt, ${givenBack} had been made and were given back`;
    this.#tell({ level: 'warn', message });
    try {
      this.#doubts.settled(chargeIds);
    } catch (error) {
      this.#tell({ level: 'error', message: 'the note of charges in doubt cannot be removed', fault: error });
    }
  }

  #note(chargeIds: readonly string[]): void {
    if (chargeIds.length === 0) return;
    try {
      this.#doubts.add(chargeIds);
    } catch (error) {
      const message = `charges in doubt cannot be noted; they are given back at the next commit, unless a crash comes first: ${chargeIds.join(', ')}`;
      this.#tell({ level: 'error', message, fault: error });
    }
  }

  #fault(error: unknown): LedgerRefusal | LedgerUnavailable {
    const fault = asLedgerError(error);
    if (fault instanceof LedgerRefusal || this.#health === 'faulty') return fault;
    // The operator was told when that began.
    if (fault instanceof LedgerOutOfService) return fault;
    this.#health = 'faulty';
    this.#tell({
      level: 'error',
      message: `the ledger cannot be written; calls are not charged${this.#engine.explain(fault)}`,
      fault,
    });
    return fault;
  }

  #tellSound(): void {
    if (this.#health === 'sound') return;
    this.#health = 'sound';
    this.#tell({ level: 'info', message: 'the ledger can be written again' });
  }
}

function busy(cause: unknown): LedgerBusy {
  return new LedgerBusy('Another process holds the ledger; try again when that has finished.', { cause });
}

function unknownChange(cause: unknown): LedgerUnavailable {
  return new LedgerUnavailable(
    'The disk failed at the last moment, so nobody knows whether this was done; check before you repeat it.',
    { cause },
  );
}
