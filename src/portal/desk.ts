// What the pages' server works with. cli/serve puts it together when the first page asks.

import type { Settings } from '../config.ts';
import type { Updates } from '../contract/updates.ts';
import type { Accounts, Ledger } from '../ledger/ledger.ts';
import type { People } from '../people/people.ts';
import type { Release } from '../release/reader.ts';
import type { RequestLog } from '../requests/request-log.ts';
import type { ReleaseRow } from './contract.ts';
import type { Explorers } from './explorers.ts';
import type { Streams } from './streams.ts';

export type PortalDesk = {
  readonly settings: Pick<Settings, 'publicUrl' | 'planChanges' | 'databaseUrl' | 'workers' | 'visitors'>;
  /** Whether the demo account serves whoever opens the pages on the machine itself. */
  readonly demoPays: 'on this machine' | 'never';
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
  /** What can be fetched anew. */
  readonly publications: readonly { readonly dataset: string }[];
  readonly version: string;
  readonly streams: Streams;
  readonly explorers: Explorers;
  readonly reportFault: (message: string, fault: unknown, requestId: string) => void;
};
