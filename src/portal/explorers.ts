// How often each host asked for a key to explore with, in this minute.

import { spansAt } from '../ledger/calendar.ts';
import { CallsByHost } from '../ledger/visitors/calls-by-host.ts';

export class Explorers {
  readonly #asks = new CallsByHost();

  /** With this one. */
  count(host: string, atMs: number): { readonly used: number; readonly endMs: number } {
    const spans = spansAt(atMs);
    const { startMs, endMs } = spans.minute;
    return { used: this.#asks.add(host, spans).countIn('minute', startMs), endMs };
  }
}
