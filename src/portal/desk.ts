// What the pages' server works with; cli/serve puts it together when the first page asks. Besides what the rest of the house
// lends it, the server keeps in memory who watches and who asked for a key to explore with.

import type { Settings } from '../config.ts';
import type { Updates } from '../contract/updates.ts';
import { spansAt } from '../ledger/calendar.ts';
import type { Accounts, Ledger } from '../ledger/ledger.ts';
import { CallsByHost } from '../ledger/visitors/calls-by-host.ts';
import type { People } from '../people/people.ts';
import type { Release } from '../release/reader.ts';
import type { RequestLog } from '../requests/request-log.ts';
import type { LoadingDesk, ReleaseRow } from './views.ts';

export type PortalDesk = {
  readonly settings: Pick<Settings, 'publicUrl' | 'planChanges' | 'databaseUrl' | 'visitors'>;
  /** Whether the demo account serves whoever opens the pages on the machine itself. */
  readonly demoPays: 'on this machine' | 'never';
  /** Where others can reach the service, their live keys get none. */
  readonly sampleForLiveKeys: 'served' | 'withheld';
  readonly now: () => number;
  readonly ledger: Pick<Ledger, 'ready'>;
  readonly accounts: Accounts;
  readonly people: People;
  readonly requests: Pick<
    RequestLog,
    'newest' | 'watch' | 'refusalsOfDay' | 'parametersOf' | 'setParameters'
  >;
  /** Paths that a key can be bound to. */
  readonly endpoints: readonly { readonly path: string }[];
  readonly releases: { readonly live: () => Release | undefined; readonly list: () => readonly ReleaseRow[] };
  readonly updates: () => Updates;
  readonly loading: LoadingDesk;
  /** What can be fetched anew. */
  readonly publications: readonly { readonly dataset: string }[];
  readonly version: string;
  readonly livePace: LivePace;
  readonly streams: Streams;
  readonly explorers: Explorers;
  readonly reportFault: (message: string, fault: unknown, requestId: string) => void;
};

/** How often whoever watches is told something at most, and how often it is looked whether they still may. */
export type LivePace = { readonly everyMs: number; readonly lookAgainMs: number };

const streamsMost = 300;

/** Connections of those who watch, on this service. Each is held open, so how many there may be is bounded. */
export class Streams {
  readonly #open = new Set<AbortController>();

  get isFull(): boolean {
    return this.#open.size >= streamsMost;
  }

  /** What it gives back is aborted when the service stops. */
  enter(): AbortController {
    const stream = new AbortController();
    this.#open.add(stream);
    return stream;
  }

  leave(stream: AbortController): void {
    this.#open.delete(stream);
  }

  endAll(): void {
    for (const stream of this.#open) stream.abort();
  }
}

/** How often each host asked for a key to explore with, in this minute. */
export class Explorers {
  readonly #asks = new CallsByHost();

  /** With this one. */
  count(host: string, atMs: number): { readonly used: number; readonly endMs: number } {
    const spans = spansAt(atMs);
    const { startMs, endMs } = spans.minute;
    return { used: this.#asks.add(host, spans).countIn('minute', startMs), endMs };
  }
}
