// What the pages of dashboard and operator may ask of the service: every route with what it takes and what it tells. Server and
// pages share these types, so that neither can say other than the other. Times are milliseconds since 1970, ids are texts.

import type { Binding, JournalKind, KeyKind, Limits, PlanName, WindowUse } from '../ledger/ledger.ts';

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

export type AccountView = {
  readonly accountId: string;
  readonly name: string;
  readonly plan: PlanName;
  readonly balance: number;
  readonly lasting: number;
  readonly allowance: number;
  readonly limits: Limits;
  readonly refreshAtMs: number | null;
  readonly createdAtMs: number;
  readonly closedAtMs: number | null;
  readonly suspended: { readonly atMs: number; readonly reason: string } | null;
};

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

export type KeyView = {
  readonly keyId: string;
  readonly name: string | null;
  readonly kind: KeyKind;
  readonly lastFour: string;
  readonly binding: Binding | null;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
  readonly replacedBy: string | null;
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
  readonly failingSince: string | null;
  readonly failingBecause: string | null;
};

export type ReleaseRow = { readonly id: string; readonly madeAt: string; readonly isCurrent: boolean };

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
  readonly granted: number;
};

type Done = { readonly done: true };
type Account = { readonly accountId: string };
type Nothing = Record<never, never>;

/** `takes` is a JSON body (POST, PATCH, DELETE) or the query (GET); `in` are the parts of the path. */
export type Routes = {
  'GET /portal/me': {
    in: Nothing;
    takes: Nothing;
    tells: {
      readonly person: PersonView | null;
      readonly signUp: 'open' | 'invited' | 'closed';
      /** Without a mail server the operator hands links on. */
      readonly mail: 'sent' | 'by the operator';
      /** Why nobody can sign in here; null where they can. */
      readonly signInRefused: string | null;
      readonly planChanges: 'approved' | 'self-service';
    };
  };
  'POST /portal/sign-up': {
    in: Nothing;
    takes: { readonly email: string; readonly password: string; readonly invite?: string };
    /** The same whether or not the address is known. `sign in`: an invitation has proved the address. */
    tells: { readonly next: 'confirm' | 'sign in' };
  };
  'POST /portal/confirm': { in: Nothing; takes: { readonly token: string }; tells: { readonly email: string } };
  'POST /portal/sign-in': {
    in: Nothing;
    takes: { readonly email: string; readonly password: string; readonly code?: string };
    tells: { readonly next: 'signed in' | 'second factor' };
  };
  'POST /portal/sign-out': { in: Nothing; takes: Nothing; tells: Done };
  'POST /portal/reset-request': { in: Nothing; takes: { readonly email: string }; tells: Done };
  'POST /portal/reset': { in: Nothing; takes: { readonly token: string; readonly password: string }; tells: Done };
  'GET /portal/sessions': { in: Nothing; takes: Nothing; tells: { readonly sessions: readonly SessionView[] } };
  'DELETE /portal/sessions/:sessionId': { in: { readonly sessionId: string }; takes: Nothing; tells: Done };
  /** All but the one that asks. */
  'DELETE /portal/sessions': { in: Nothing; takes: Nothing; tells: { readonly ended: number } };
  'POST /portal/password': {
    in: Nothing;
    takes: { readonly current: string; readonly next: string };
    tells: Done;
  };
  'PATCH /portal/person': { in: Nothing; takes: { readonly name: string | null }; tells: Done };
  'DELETE /portal/person': { in: Nothing; takes: { readonly password: string; readonly code?: string }; tells: Done };
  'POST /portal/totp/begin': {
    in: Nothing;
    takes: { readonly password: string };
    tells: { readonly secret: string; readonly uri: string };
  };
  'POST /portal/totp/confirm': {
    in: Nothing;
    takes: { readonly code: string };
    tells: { readonly recoveryCodes: readonly string[] };
  };
  'DELETE /portal/totp': { in: Nothing; takes: { readonly password: string; readonly code: string }; tells: Done };
  'POST /portal/invites/accept': {
    in: Nothing;
    takes: { readonly token: string };
    tells: { readonly accountId: string };
  };

  'GET /portal/accounts': {
    in: Nothing;
    takes: Nothing;
    tells: {
      readonly accounts: readonly {
        readonly accountId: string;
        readonly name: string;
        readonly plan: PlanName;
        readonly role: Role;
      }[];
      /** One for each confirmed address. */
      readonly trial: 'available' | 'used' | 'not confirmed';
    };
  };
  /** A trial account, whose owner is whoever asks. */
  'POST /portal/accounts': { in: Nothing; takes: { readonly name: string }; tells: Account };
  'GET /portal/accounts/:accountId': { in: Account; takes: Nothing; tells: Overview };
  'PATCH /portal/accounts/:accountId': { in: Account; takes: Partial<AccountSettings>; tells: Done };
  'DELETE /portal/accounts/:accountId': {
    in: Account;
    takes: { readonly password: string; readonly code?: string };
    tells: Done;
  };
  'GET /portal/accounts/:accountId/keys': {
    in: Account;
    takes: Nothing;
    tells: { readonly keys: readonly KeyView[]; readonly endpoints: readonly string[] };
  };
  'POST /portal/accounts/:accountId/keys': {
    in: Account;
    takes: KeyWishView;
    /** The only time the key is told. */
    tells: { readonly keyId: string; readonly key: string };
  };
  'PATCH /portal/accounts/:accountId/keys/:keyId': {
    in: Account & { readonly keyId: string };
    takes: KeyChange;
    tells: Done;
  };
  'POST /portal/accounts/:accountId/keys/:keyId/revoke': {
    in: Account & { readonly keyId: string };
    takes: Nothing;
    tells: Done;
  };
  'POST /portal/accounts/:accountId/keys/:keyId/rotate': {
    in: Account & { readonly keyId: string };
    takes: { readonly overlapHours: number };
    tells: { readonly keyId: string; readonly key: string };
  };
  /** For calls from the page: 15 minutes, kept in its memory alone. */
  'POST /portal/accounts/:accountId/web-key': {
    in: Account;
    takes: Nothing;
    tells: { readonly key: string; readonly expiresAtMs: number };
  };
  'GET /portal/accounts/:accountId/usage': {
    in: Account;
    /** Days YYYY-MM-DD, both included; `by` has words of UsageGrouping with commas. */
    takes: { readonly from: string; readonly to: string; readonly by: string };
    tells: {
      readonly rows: readonly UsageRowView[];
      readonly total: { readonly calls: number; readonly credits: number };
    };
  };
  'GET /portal/accounts/:accountId/requests': {
    in: Account;
    takes: Nothing;
    /** Newest first, 1,000 at most. */
    tells: { readonly requests: readonly RequestView[]; readonly latency: readonly LatencyView[] };
  };
  'GET /portal/accounts/:accountId/statement': {
    in: Account;
    takes: { readonly month: string };
    tells: Statement;
  };
  'GET /portal/accounts/:accountId/plans': {
    in: Account;
    takes: Nothing;
    tells: { readonly plans: readonly PlanView[]; readonly requests: readonly PlanRequest[] };
  };
  'POST /portal/accounts/:accountId/plan': {
    in: Account;
    takes: { readonly plan: PlanName; readonly note?: string };
    tells: { readonly state: 'waiting' | 'changed' };
  };
  'DELETE /portal/accounts/:accountId/plan': { in: Account; takes: Nothing; tells: Done };
  'GET /portal/accounts/:accountId/members': {
    in: Account;
    takes: Nothing;
    tells: { readonly members: readonly MemberView[]; readonly invites: readonly InviteView[] };
  };
  'POST /portal/accounts/:accountId/invites': {
    in: Account;
    takes: { readonly email: string; readonly role: Role };
    tells: Done;
  };
  'DELETE /portal/accounts/:accountId/invites/:inviteId': {
    in: Account & { readonly inviteId: string };
    takes: Nothing;
    tells: Done;
  };
  'PATCH /portal/accounts/:accountId/members/:personId': {
    in: Account & { readonly personId: string };
    takes: { readonly role: Role };
    tells: Done;
  };
  'DELETE /portal/accounts/:accountId/members/:personId': {
    in: Account & { readonly personId: string };
    takes: Nothing;
    tells: Done;
  };
  'GET /portal/accounts/:accountId/audit': {
    in: Account;
    takes: { readonly before?: string };
    tells: { readonly lines: readonly AuditLine[]; readonly before: string | null };
  };

  'GET /portal/admin/accounts': {
    in: Nothing;
    takes: { readonly q?: string; readonly offset?: string };
    tells: { readonly accounts: readonly AdminAccountRow[]; readonly total: number };
  };
  'POST /portal/admin/accounts': {
    in: Nothing;
    takes: { readonly name: string; readonly plan: PlanName; readonly owner?: string };
    tells: Account;
  };
  'POST /portal/admin/accounts/:accountId/credits': {
    in: Account;
    takes: { readonly credits: number; readonly reason: string };
    tells: { readonly balance: number };
  };
  'POST /portal/admin/accounts/:accountId/plan': {
    in: Account;
    takes: { readonly plan: PlanName; readonly reason: string };
    tells: Done;
  };
  'POST /portal/admin/accounts/:accountId/suspend': {
    in: Account;
    takes: { readonly reason: string };
    tells: Done;
  };
  'POST /portal/admin/accounts/:accountId/resume': { in: Account; takes: Nothing; tells: Done };
  'GET /portal/admin/plan-requests': {
    in: Nothing;
    takes: Nothing;
    tells: { readonly requests: readonly PlanRequest[] };
  };
  'POST /portal/admin/plan-requests/:planRequestId': {
    in: { readonly planRequestId: string };
    takes: { readonly decision: 'approve' | 'decline'; readonly answer?: string };
    tells: Done;
  };
  'GET /portal/admin/people': {
    in: Nothing;
    takes: { readonly q?: string };
    tells: {
      readonly people: readonly (PersonView & {
        readonly confirmed: 'yes' | 'not yet';
        readonly accounts: readonly string[];
      })[];
      readonly total: number;
    };
  };
  'POST /portal/admin/invites': { in: Nothing; takes: { readonly email: string }; tells: Done };
  'GET /portal/admin/data': {
    in: Nothing;
    takes: Nothing;
    tells: {
      readonly releases: readonly ReleaseRow[];
      readonly datasets: readonly DatasetAge[];
      readonly lastUpdate: { readonly at: string; readonly result: string } | null;
      readonly nextUpdate: string | null;
    };
  };
  'GET /portal/admin/health': { in: Nothing; takes: Nothing; tells: Health };
  'GET /portal/admin/refusals': {
    in: Nothing;
    takes: Nothing;
    tells: { readonly refusals: readonly RefusalCount[] };
  };
  'GET /portal/admin/totals': {
    in: Nothing;
    takes: { readonly month: string };
    tells: { readonly rows: readonly MonthTotal[]; readonly months: readonly string[] };
  };
};

export type Route = keyof Routes;

/** Files a page links to, beside the routes: signed in by the same cookie, GET.
 *  /portal/accounts/ID/usage.csv?from&to&by, /statement.csv?month, /requests.csv, /audit.csv, /export.json,
 *  /portal/admin/totals.csv?month. And /portal/accounts/ID/live: server-sent events, each a `Live` as JSON. */
export type Live = {
  readonly balance: number;
  /** Those that came since the event before, newest first. */
  readonly requests: readonly RequestView[];
};

/** What a refusal of /portal says. */
export type PortalRefusal = {
  readonly error: {
    readonly code: PortalCode;
    /** One sentence that says what to do. */
    readonly message: string;
    /** Of the body, where one is to blame. */
    readonly field?: string;
    readonly retryAfterSeconds?: number;
  };
};

/** 400, 401, 401, 403, 404, 409, 413, 429, 503, 500. */
export type PortalCode =
  | 'INVALID'
  | 'SIGN_IN'
  | 'WRONG_CREDENTIALS'
  | 'NOT_ALLOWED'
  | 'NOT_FOUND'
  | 'CONFLICT'
  | 'TOO_LARGE'
  | 'TOO_MANY'
  | 'UNAVAILABLE'
  | 'FAULT';
