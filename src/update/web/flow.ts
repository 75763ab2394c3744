// How fast files come, over all transfers of a run together: beside a service the disk must have room for its charges.

import type { DiskAllowance } from '../../release/disk-pace.ts';
import { syncBytes } from '../../release/durable.ts';
import type { Clock } from './clock.ts';

/** No transfer is so far ahead unless the clock was put back. */
const aheadMostMs = 20_000;

export class Flow {
  readonly #allowance: DiskAllowance;
  readonly #clock: Clock;
  /** Since the disk was last judged: it is made to write only now and then. */
  #written = { bytes: 0, tookMs: 0 };

  constructor(allowance: DiskAllowance, clock: Clock) {
    this.#allowance = allowance;
    this.#clock = clock;
  }

  /** Has so many bytes written as soon as that may be. */
  async pass(bytes: number, write: () => Promise<void>, signal: AbortSignal): Promise<void> {
    const nowMs = this.#clock.now();
    const owedMs = this.#allowance.owedMs(nowMs);
    const waitMs = owedMs <= aheadMostMs ? owedMs : 0;
    this.#allowance.book(bytes, nowMs + waitMs);
    if (waitMs > 0) await this.#clock.wait(waitMs, signal);
    const begunMs = this.#clock.now();
    await write();
    this.#judge(bytes, this.#clock.now() - begunMs);
  }

  #judge(bytes: number, tookMs: number): void {
    const written = { bytes: this.#written.bytes + bytes, tookMs: this.#written.tookMs + tookMs };
    const isEnough = written.bytes >= syncBytes;
    this.#written = isEnough ? { bytes: 0, tookMs: 0 } : written;
    if (isEnough) this.#allowance.judge(written.bytes, written.tookMs, this.#clock.now());
  }
}
