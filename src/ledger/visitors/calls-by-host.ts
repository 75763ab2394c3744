// Calls of each host that has no account of its own, by minute, day and month. Kept in memory alone: a start forgets them.

import type { Span, Spans } from '../calendar.ts';
import type { Window } from '../ledger.ts';

/** Hosts of one generation; two are remembered. One that is not heard of while so many others are begins anew. */
const generationMost = 25_000;

export class CallsByHost {
  #young = new Map<string, HostCalls>();
  #old = new Map<string, HostCalls>();

  /** Counts one more. */
  add(host: string, spans: Spans): HostCalls {
    const calls = this.#callsOf(host);
    calls.add(spans);
    return calls;
  }

  of(host: string): HostCalls {
    return this.#young.get(host) ?? this.#old.get(host) ?? noCalls;
  }

  #callsOf(host: string): HostCalls {
    const known = this.#young.get(host);
    if (known !== undefined) return known;
    const calls = this.#old.get(host) ?? new HostCalls();
    if (this.#young.size >= generationMost) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(host, calls);
    return calls;
  }
}

class HostCalls {
  readonly #minute = { startMs: 0, count: 0 };
  readonly #day = { startMs: 0, count: 0 };
  readonly #month = { startMs: 0, count: 0 };

  add({ minute, day, month }: Spans): void {
    addIn(this.#minute, minute);
    addIn(this.#day, day);
    addIn(this.#month, month);
  }

  countIn(window: Window, startMs: number): number {
    const counted = { minute: this.#minute, day: this.#day, month: this.#month }[window];
    return counted.startMs === startMs ? counted.count : 0;
  }
}

const noCalls = new HostCalls();

function addIn(counted: { startMs: number; count: number }, { startMs, endMs }: Span): void {
  // A thread may tell of its last call before midnight after others have told of theirs since: that begins nothing anew.
  if (counted.startMs === endMs) return;
  counted.count = counted.startMs === startMs ? counted.count + 1 : 1;
  counted.startMs = startMs;
}
