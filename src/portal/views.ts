// What the pages of dashboard and operator are told of accounts, keys and the service; what they are told of people stands in
// people/people.ts. Times are milliseconds since 1970, ids are texts.

import type { Account, Key, Limits, PlanName, WindowUse } from '../ledger/ledger.ts';
import type { JournalKind } from '../ledger/told/entries.ts';
import type { Backups } from '../ledger/told/journals.ts';
import type { MonthTotal } from '../ledger/told/usage.ts';
import type { PlanRequest, Refusal, Role } from '../people/people.ts';
import type { ListedRequest } from '../requests/line.ts';
import type { RefusalCount } from '../requests/refusal-counts.ts';
import type { Latency } from '../requests/request-log.ts';

export type AccountView = Omit<Account, 'terms'>;

/** null where too little was used to tell. */
export type Forecast = {
  readonly creditsPerDay: number;
  /** At this pace nothing is left then; null where the next refresh comes first. */
  readonly emptyAtMs: number | null;
  /** Left at the next refresh; null where the balance does not renew. */
  readonly leftAtRefresh: number | null;
  /** How many days the pace was taken from. */
  readonly days: number;
} | null;

export type Overview = {
  readonly account: AccountView;
  /** `operator`: seen as the customer sees it, without power to change or spend. */
  readonly role: Role | 'operator';
  readonly windows: readonly WindowUse[];
  readonly forecast: Forecast;
  readonly settings: AccountSettings;
  readonly planRequest: PlanRequest | null;
};

/** Whether parameters are kept with the requests of the last 7 days. */
type AccountSettings = { readonly parameters: 'kept' | 'not kept' };

export type KeyView = Omit<Key, 'accountId'> & {
  readonly state: 'works' | 'ends' | 'expired' | 'revoked';
  readonly calls: number;
  /** Beginning of the hour it was last used in. */
  readonly lastUsedHourMs: number | null;
  /** No call for 90 days though it works. */
  readonly unused: 'for 90 days' | 'no';
};

export type UsageRowView = {
  /** YYYY-MM-DD by UTC. */
  readonly day?: string;
  readonly endpoint?: string;
  readonly keyId?: string;
  readonly status?: number;
  readonly calls: number;
  readonly credits: number;
};

export type StatementLine = {
  readonly seq: number;
  readonly atMs: number;
  readonly kind: JournalKind;
  readonly credits: number;
  /** The part of `credits` that concerns lasting credits; the rest concerns the allowance. */
  readonly lasting: number;
  readonly balanceAfter: number;
  readonly endpoint: string | null;
  readonly keyId: string | null;
  readonly requestId: string | null;
  readonly note: string | null;
};

export type Statement = {
  /** YYYY-MM by UTC. */
  readonly month: string;
  readonly openingBalance: number;
  readonly closingBalance: number;
  /** Charges of one day and endpoint are one line here; `lines` of the CSV has each of them. */
  readonly days: readonly {
    readonly day: string;
    readonly endpoint: string;
    readonly calls: number;
    readonly credits: number;
  }[];
  /** Everything but charges. */
  readonly movements: readonly StatementLine[];
  readonly months: readonly string[];
};

export type PlanView = {
  readonly plan: PlanName;
  readonly creditsPerMonth: number | null;
  readonly creditsOnce: number | null;
  readonly limits: Limits;
  /** In the operator's words; null where none is set. */
  readonly price: string | null;
  readonly link: string | null;
};

export type AdminAccountRow = AccountView & {
  readonly lastCallHourMs: number | null;
  readonly callsToday: number;
  readonly errorsToday: number;
  readonly owners: readonly string[];
};

export type DatasetAge = {
  readonly dataset: string;
  readonly publisher: string;
  readonly extent: string;
  readonly asOf: string | null;
  readonly edition: string | null;
  readonly loadedAt: string | null;
  /** `old`: there should be something newer by now. */
  readonly age: 'current' | 'old';
  readonly failingSince: string | null;
  readonly failingBecause: string | null;
};

/** `madeAt` is null of one that is damaged. */
export type ReleaseRow = { readonly id: string; readonly madeAt: string | null; readonly isCurrent: boolean };

/** An update that an operator began on a page. */
export type Loading = {
  readonly state: 'running' | 'ended';
  readonly startedAtMs: number;
  /** The last that it said. */
  readonly lines: readonly string[];
};

export type LoadingDesk = {
  readonly mayBegin: 'yes' | 'a replica loads nothing';
  readonly begin: () => 'begun' | 'running already';
  /** null where none was begun here. */
  readonly progress: () => Loading | null;
};

export type OperatorOverview = {
  /** YYYY-MM-DD by UTC, oldest first, those without a call too. */
  readonly days: readonly { readonly day: string; readonly calls: number; readonly credits: number }[];
  /** How many are open. */
  readonly accounts: number;
  /** Those with the least left of their allowance. */
  readonly lowest: readonly Pick<AccountView, 'accountId' | 'name' | 'plan' | 'balance' | 'allowance'>[];
  readonly backup: Backups;
  /** Names of datasets that need somebody. */
  readonly data: {
    readonly datasets: number;
    readonly sample: readonly string[];
    readonly failing: readonly string[];
    readonly old: readonly string[];
  };
};

export type Health = {
  readonly status: 'ready' | 'not ready';
  readonly because: string | null;
  readonly version: string;
  readonly release: string | null;
  readonly ledger: 'embedded' | 'PostgreSQL';
  readonly upSeconds: number;
  readonly memoryBytes: number;
  readonly eventLoopDelayMs: number;
};

export type RequestView = ListedRequest;

export type LatencyView = Latency;

/** An event of `live`. */
export type Live = {
  readonly balance: number;
  /** Those that came since the event before, newest first. */
  readonly requests: readonly RequestView[];
};

export type RefusalRow = RefusalCount & { readonly accountName: string | null };

export type MonthTotalRow = MonthTotal & { readonly name: string; readonly plan: PlanName };

/** The body of a refusal. */
export type PortalRefusal = { readonly error: Omit<Refusal, 'kind'> };
