// What the pages of dashboard and operator may ask of the service: every route with what it takes and what it tells. Server and
// pages share these types, so that neither can say other than the other. Times are milliseconds since 1970, ids are texts.

import type { PlanName } from '../ledger/ledger.ts';
import type {
  AccountSettings,
  AdminAccountRow,
  AuditLine,
  DatasetAge,
  Health,
  InviteView,
  KeyChange,
  KeyView,
  KeyWishView,
  LatencyView,
  MemberView,
  MonthTotal,
  Overview,
  PersonView,
  PlanRequest,
  PlanView,
  RefusalCount,
  ReleaseRow,
  RequestView,
  Role,
  SessionView,
  Statement,
  UsageRowView,
} from './views.ts';

/** Pages know this file alone. */
export type {
  AccountSettings,
  AccountView,
  AdminAccountRow,
  AuditLine,
  DatasetAge,
  Forecast,
  Health,
  InviteView,
  KeyChange,
  KeyView,
  KeyWishView,
  LatencyView,
  Live,
  MemberView,
  MonthTotal,
  Overview,
  PersonView,
  PlanRequest,
  PlanView,
  RefusalCount,
  ReleaseRow,
  RequestView,
  Role,
  SessionView,
  Statement,
  StatementLine,
  UsageGrouping,
  UsageRowView,
} from './views.ts';
export { roles } from './views.ts';

type Done = { readonly done: true };
type Account = { readonly accountId: string };
type Searched = { readonly q?: string };
type Before = { readonly before?: string };
type AuditPage = { readonly lines: readonly AuditLine[]; readonly before: string | null };
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
    /** A password goes with an invitation, and with nothing else: others choose theirs when they confirm the address. */
    takes: { readonly email: string; readonly password?: string; readonly invite?: string };
    /** The same whether or not the address is known. `sign in`: an invitation has proved the address. */
    tells: { readonly next: 'confirm' | 'sign in' };
  };
  'POST /portal/confirm': {
    in: Nothing;
    takes: { readonly token: string; readonly password: string };
    tells: { readonly email: string };
  };
  'POST /portal/sign-in': {
    in: Nothing;
    takes: { readonly email: string; readonly password: string; readonly code?: string };
    tells: { readonly next: 'signed in' | 'second factor' };
  };
  'POST /portal/sign-out': { in: Nothing; takes: Nothing; tells: Done };
  'POST /portal/reset-request': { in: Nothing; takes: { readonly email: string }; tells: Done };
  'POST /portal/reset': {
    in: Nothing;
    takes: { readonly token: string; readonly password: string };
    tells: Done;
  };
  /** For whoever explores without signing in: one key for all of them, for calls from the page. */
  'POST /portal/explore/key': {
    in: Nothing;
    takes: Nothing;
    tells: { readonly payer: 'demo' | 'visitors'; readonly key: string; readonly expiresAtMs: number };
  };
  'GET /portal/sessions': {
    in: Nothing;
    takes: Nothing;
    tells: { readonly sessions: readonly SessionView[] };
  };
  'DELETE /portal/sessions/:sessionId': { in: { readonly sessionId: string }; takes: Nothing; tells: Done };
  /** All but the one that asks. */
  'DELETE /portal/sessions': { in: Nothing; takes: Nothing; tells: { readonly ended: number } };
  'POST /portal/password': {
    in: Nothing;
    takes: { readonly current: string; readonly next: string };
    tells: Done;
  };
  'PATCH /portal/person': { in: Nothing; takes: { readonly name: string | null }; tells: Done };
  'DELETE /portal/person': {
    in: Nothing;
    takes: { readonly password: string; readonly code?: string };
    tells: Done;
  };
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
  'DELETE /portal/totp': {
    in: Nothing;
    takes: { readonly password: string; readonly code: string };
    tells: Done;
  };
  'POST /portal/invites/accept': {
    in: Nothing;
    takes: { readonly token: string };
    /** null of an invitation to sign up alone. */
    tells: { readonly accountId: string | null };
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
      /** One for each mailbox. */
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
    takes: Usage & { readonly offset?: string };
    tells: {
      readonly rows: readonly UsageRowView[];
      /** The `offset` of the rows after these; null where there are none. */
      readonly next: number | null;
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
  'GET /portal/accounts/:accountId/audit': { in: Account; takes: Before; tells: AuditPage };

  'GET /portal/admin/accounts': {
    in: Nothing;
    /** `after` of the page before. */
    takes: Searched & { readonly after?: string };
    /** In the order in which they were opened. `after` is null on the last page. */
    tells: { readonly accounts: readonly AdminAccountRow[]; readonly after: string | null };
  };
  'POST /portal/admin/accounts': {
    in: Nothing;
    /** `creditsPerMonth`: instead of the plan's own; enterprise has none of its own. */
    takes: {
      readonly name: string;
      readonly plan: PlanName;
      readonly owner?: string;
      readonly creditsPerMonth?: number;
    };
    tells: Account;
  };
  'POST /portal/admin/accounts/:accountId/credits': {
    in: Account;
    takes: { readonly credits: number; readonly reason: string };
    tells: { readonly balance: number };
  };
  'POST /portal/admin/accounts/:accountId/plan': {
    in: Account;
    takes: { readonly plan: PlanName; readonly reason: string; readonly creditsPerMonth?: number };
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
    takes: {
      readonly decision: 'approve' | 'decline';
      readonly answer?: string;
      readonly creditsPerMonth?: number;
    };
    tells: Done;
  };
  'GET /portal/admin/people': {
    in: Nothing;
    takes: Searched;
    tells: {
      readonly people: readonly (PersonView & {
        readonly confirmed: 'yes' | 'not yet';
        readonly accounts: readonly { readonly accountId: string; readonly name: string | null }[];
      })[];
      readonly total: number;
    };
  };
  /** What concerns no account: operators, invitations to sign up, and people who belong to none. */
  'GET /portal/admin/audit': { in: Nothing; takes: Before; tells: AuditPage };
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

type Usage = { readonly from: string; readonly to: string; readonly by: string };

/** What a page links to, beside the routes: signed in by the same cookie, and streamed. */
export type Files = {
  'GET /portal/accounts/:accountId/usage.csv': { in: Account; takes: Usage };
  'GET /portal/accounts/:accountId/statement.csv': { in: Account; takes: { readonly month: string } };
  'GET /portal/accounts/:accountId/requests.csv': { in: Account; takes: Nothing };
  'GET /portal/accounts/:accountId/audit.csv': { in: Account; takes: Nothing };
  'GET /portal/accounts/:accountId/export.json': { in: Account; takes: Nothing };
  /** Server-sent events, each a `Live` as JSON. */
  'GET /portal/accounts/:accountId/live': { in: Account; takes: Nothing };
  /** All that are found, with what the list says of each. */
  'GET /portal/admin/accounts.csv': { in: Nothing; takes: Searched };
  'GET /portal/admin/totals.csv': { in: Nothing; takes: { readonly month: string } };
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

/** 400, 401, 401, 403, 404, 405, 409, 413, 429, 503, 500. */
export type PortalCode =
  | 'INVALID'
  | 'SIGN_IN'
  | 'WRONG_CREDENTIALS'
  | 'NOT_ALLOWED'
  | 'NOT_FOUND'
  | 'OTHER_METHOD'
  | 'CONFLICT'
  | 'TOO_LARGE'
  | 'TOO_MANY'
  | 'UNAVAILABLE'
  | 'FAULT';
