// What the pages of dashboard and operator are told, as values. Times are milliseconds since 1970, ids are texts. Pages take these
// types from contract.ts.

import type { Account, Key, Limits, PlanName, WindowUse } from '../ledger/ledger.ts';
import type { JournalKind } from '../ledger/told/entries.ts';

export const roles = ['owner', 'developer', 'billing', 'reader'] as const;
/** What a person may do in an account: an owner everything; a developer keys and requests; billing plan and statements; a
 *  reader looks. */
export type Role = (typeof roles)[number];

export type PersonView = {
  readonly personId: string;
  readonly email: string;
  readonly name: string | null;
  readonly standing: 'customer' | 'operator';
  readonly secondFactor: 'none' | 'totp';
  readonly recoveryCodesLeft: number;
  readonly createdAtMs: number;
};

export type SessionView = {
  readonly sessionId: string;
  /** Such as "Firefox on Linux". */
  readonly device: string;
  readonly address: string;
  readonly createdAtMs: number;
  readonly lastSeenAtMs: number;
  readonly expiresAtMs: number;
  readonly isThisOne: boolean;
};

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
export type AccountSettings = { readonly parameters: 'kept' | 'not kept' };

export type KeyView = Omit<Key, 'accountId'> & {
  readonly state: 'works' | 'ends' | 'expired' | 'revoked';
  readonly calls: number;
  /** Beginning of the hour it was last used in. */
  readonly lastUsedHourMs: number | null;
  /** No call for 90 days though it works. */
  readonly unused: 'for 90 days' | 'no';
};

export type KeyWishView = {
  readonly kind: 'live' | 'test' | 'publishable';
  readonly name?: string;
  readonly expiresAtMs?: number;
  readonly origins?: readonly string[];
  readonly endpoints?: readonly string[];
  /** CIDR. */
  readonly addresses?: readonly string[];
};

export type KeyChange = {
  readonly name?: string | null;
  readonly expiresAtMs?: number | null;
  readonly endpoints?: readonly string[] | null;
  readonly addresses?: readonly string[] | null;
};

export type UsageGrouping = 'day' | 'endpoint' | 'key' | 'status';
export type UsageRowView = {
  /** YYYY-MM-DD by UTC. */
  readonly day?: string;
  readonly endpoint?: string;
  readonly keyId?: string;
  readonly status?: number;
  readonly calls: number;
  readonly credits: number;
};

export type RequestView = {
  readonly requestId: string;
  readonly atMs: number;
  readonly keyId: string;
  /** As the contract has it, without parameters. */
  readonly path: string;
  /** Only where the account has them kept. */
  readonly parameters: string | null;
  readonly status: number;
  /** Of an error, such as POSTCODE_NOT_FOUND. */
  readonly code: string | null;
  readonly milliseconds: number;
  readonly credits: number;
};

export type LatencyView = {
  readonly path: string;
  readonly requests: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
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
};

export type PlanRequest = {
  readonly planRequestId: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly from: PlanName;
  readonly to: PlanName;
  readonly note: string | null;
  readonly askedBy: string;
  readonly askedAtMs: number;
  readonly state: 'waiting' | 'approved' | 'declined' | 'withdrawn';
  readonly decidedAtMs: number | null;
  readonly answer: string | null;
};

export type MemberView = {
  readonly personId: string;
  readonly email: string;
  readonly name: string | null;
  readonly role: Role;
  readonly sinceMs: number;
};

export type InviteView = {
  readonly inviteId: string;
  readonly email: string;
  readonly role: Role;
  readonly sentAtMs: number;
  readonly expiresAtMs: number;
};

export type AuditLine = {
  readonly auditId: string;
  readonly atMs: number;
  /** Address of the person, or "operator (command)". Of an erased person "erased person". */
  readonly who: string;
  /** Such as `key.revoked`. */
  readonly what: string;
  readonly subject: string;
  readonly detail: string | null;
  readonly address: string | null;
};

export type AdminAccountRow = AccountView & {
  readonly lastCallHourMs: number | null;
  readonly callsToday: number;
  readonly errorsToday: number;
  readonly owners: readonly string[];
};

export type RefusalCount = {
  readonly accountId: string | null;
  readonly accountName: string | null;
  readonly path: string;
  readonly status: number;
  readonly code: string;
  readonly calls: number;
  readonly lastHourMs: number;
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

export type Health = {
  readonly status: 'ready' | 'not ready';
  readonly because: string | null;
  readonly version: string;
  readonly release: string | null;
  readonly ledger: 'embedded' | 'PostgreSQL';
  readonly workers: number;
  readonly upSeconds: number;
  readonly memoryBytes: number;
  readonly eventLoopDelayMs: number;
};

export type MonthTotal = {
  readonly accountId: string;
  readonly name: string;
  readonly plan: PlanName;
  readonly calls: number;
  readonly credits: number;
  /** Together with `lastingAdded`, what the account's statement of the month says was added. */
  readonly allowanceAdded: number;
  readonly lastingAdded: number;
};

/** An event of `live`. */
export type Live = {
  readonly balance: number;
  /** Those that came since the event before, newest first. */
  readonly requests: readonly RequestView[];
};
