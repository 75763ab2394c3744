// What the rest of the house may ask of the ledger. `Ledger` is the serving half (every request), `Accounts`
// the operator's half (commands, dashboard). docs/ledger.md has the data behind it, open.ts opens one.

import { type Database, DatabaseUnavailable } from '../storage/sql.ts';
import type { AccountWish } from './told/accounts.ts';
import type { JournalEntry, JournalPage, Statement } from './told/entries.ts';
import type { Backups, BalanceCheck, Journals } from './told/journals.ts';
import type { AccountUse, KeyUse, MonthTotal, UsageRow, UsageSums, UsageWish } from './told/usage.ts';

/** Whether a call is answered from the real data and charged, or from the sandbox and free. */
export type Mode = 'live' | 'test';

/** All kinds that docs/ledger.md names, so that a key made by a later program can be listed. `admin` is neither made nor
 *  admitted so far. */
export const keyKinds = ['live', 'test', 'publishable', 'web', 'admin'] as const;
export type KeyKind = (typeof keyKinds)[number];
/** Those that are made for a customer to keep; `web` ones are made for a page and its quarter of an hour. */
export type MakeableKind = Extract<KeyKind, 'live' | 'test' | 'publishable'>;
export type AdmittedKind = MakeableKind | 'web';

export type Window = 'minute' | 'day' | 'month';

/** Requests allowed per window; null = no limit. */
export type Limits = Readonly<Record<Window, number | null>>;

export type PlanName = 'trial' | 'basic' | 'standard' | 'premium' | 'enterprise';

/** What a key may be used for. */
export type Binding = {
  /** Of the pages that may use it, as a browser sends them: for publishable keys alone. `own`: pages of the service itself, for
   *  web keys alone. */
  readonly origins: readonly string[] | 'own' | null;
  /** Their paths; null = all of them. */
  readonly endpoints: readonly string[] | null;
  /** Blocks of addresses (CIDR) that calls may come from; null = any. */
  readonly addresses: readonly string[] | null;
};

export type Caller = {
  readonly accountId: string;
  readonly keyId: string;
  readonly mode: Mode;
  /** Of a key that is bound to anything. */
  readonly binding?: Binding;
};

/** Where an account stands just after a call was counted: what the billing and rate headers say. */
type Standing = {
  readonly creditsRemaining: number;
  /** Next monthly refresh; null for a balance that does not renew. */
  readonly refreshAtMs: number | null;
  readonly limits: Limits;
  /** Calls left in this minute; null when the minute has no limit. */
  readonly minuteRemaining: number | null;
  readonly minuteResetAtMs: number;
};

export type Admission =
  /** No such key, or it is revoked, expired, or its account is closed. */
  | { readonly kind: 'unknown' }
  | {
      readonly kind: 'limited';
      readonly caller: Caller;
      readonly standing: Standing;
      readonly window: Window;
      readonly limit: number;
      readonly resetAtMs: number;
    }
  /** Counted like any call; whatever is asked for, it is refused. */
  | { readonly kind: 'suspended'; readonly caller: Caller; readonly standing: Standing }
  | { readonly kind: 'admitted'; readonly caller: Caller; readonly standing: Standing };

/** Whoever calls with the public sandbox key. */
export type Visitor = {
  readonly host: string;
  readonly from: 'our pages' | 'elsewhere';
  /** What our pages may call in a minute, if other than usual. */
  readonly pageCallsPerMinute?: number;
};

/** An admission of somebody we know. */
export type KnownAdmission = Exclude<Admission, { kind: 'unknown' }>;

export type Call = { readonly caller: Caller; readonly endpoint: string; readonly atMs: number };

export type Charge = Call & {
  /** Made by the service, unique to the request: the same id is charged once, however often it is sent.
   *  Ids that grow (a UUIDv7, or a run's prefix and a counter) keep the engine's index compact: measured 2.5
   *  times the charges per second of random ids. */
  readonly chargeId: string;
  /** What the reply carries as X-Request-Id; a caller may have chosen it, so it is kept but never trusted. */
  readonly requestId: string;
  readonly credits: number;
  /** For a call that its caller may send again. */
  readonly repeatable?: Repeatable;
};

/** A call with an Idempotency-Key: digests of the key and of what is asked for. Made by repeats.ts. */
export type Repeatable = { readonly key: string; readonly call: string };

/** What an account's Idempotency-Key stands for: nothing yet, the same call charged within a day, or another call. */
export type Recollection = 'new' | 'same' | 'other';

export type ChargeResult = {
  /** `replayed` and `mismatched` take nothing: this call, or another one, was charged under its Idempotency-Key before. */
  readonly kind: 'charged' | 'insufficient' | 'replayed' | 'mismatched';
  readonly creditsRemaining: number;
  readonly refreshAtMs: number | null;
};

/** A charge that was not made although others beside it were has an error of its own. */
export type Charged = ChargeResult | Error;

export interface Ledger {
  /** Counts the call against the account's windows and says whether it may go on. `keyHash` from keys.ts. */
  admit(keyHash: string, atMs: number): Admission | Promise<Admission>;
  /** As admit, for the public sandbox key: counts the call against the windows of the host it comes from. */
  admitVisitor(visitor: Visitor, atMs: number): Admission | Promise<Admission>;
  /** Windows of one host, which are in no book: they are counted by whoever admits. */
  visitorWindows(visitor: Visitor, atMs: number): readonly WindowUse[] | Promise<readonly WindowUse[]>;
  /** As admit, for a key of our pages. Of guests, a host that has had its share of the day is refused, and counts no more. */
  admitPage(keyHash: string, host: string, atMs: number): Admission | Promise<Admission>;
  /** Asked before a charge, so that a call that is paid for needs no balance. The charge itself decides. */
  recall(caller: Caller, repeatable: Repeatable, atMs: number): Recollection | Promise<Recollection>;
  /** Takes the credits if the balance covers them, once for each call that is repeatable. Durable when it resolves. Counts
   *  the usage (200, 402, or 400 where mismatched). */
  charge(charge: Charge): Promise<ChargeResult>;
  /** As `charge`, for calls that came together, in one commit; a result each, in order. Rejects where nothing came of any. */
  chargeTogether(charges: readonly Charge[]): Promise<readonly Charged[]>;
  /** Counts the usage of a call that costs nothing. Durable soon after, and at the latest on close. */
  record(call: Call & { readonly status: number }): void;
  /** Rejects with LedgerUnavailable when the ledger cannot be used. Rests on a read and a write that are made at most
   *  once a second, for all who ask, and anew after an outage. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** What an account has of its own instead of the plan's numbers; a member that is absent follows the plan. */
export type Terms = {
  /** Opening balance and monthly refresh; on the trial plan the opening balance only. */
  readonly allowance?: number;
  readonly limits?: Partial<Limits>;
};

export type Account = {
  readonly accountId: string;
  readonly name: string;
  readonly plan: PlanName;
  readonly terms: Terms;
  /** Everything that can be spent. */
  readonly balance: number;
  /** The part of the balance that was granted and that no refresh resets; the rest is left of the allowance. */
  readonly lasting: number;
  /** What plan and terms give a month (on trial, once). */
  readonly allowance: number;
  readonly limits: Limits;
  readonly refreshAtMs: number | null;
  readonly createdAtMs: number;
  readonly closedAtMs: number | null;
  /** Since when none of its keys is answered, and why; null where they are. */
  readonly suspended: Suspension | null;
};

export type Suspension = { readonly atMs: number; readonly reason: string };

/** A key as it may be shown: never the key itself, nor its hash. */
export type Key = {
  readonly keyId: string;
  readonly accountId: string;
  readonly name: string | null;
  readonly kind: KeyKind;
  readonly lastFour: string;
  /** null where it is bound to nothing. */
  readonly binding: Binding | null;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
  /** The key made in its place by a rotation. */
  readonly replacedBy: string | null;
};

export type KeyWish = {
  readonly accountId: string;
  readonly name?: string;
  readonly expiresAtMs?: number;
  /** Keys that the account may have with the new one: more reject with KeysFull. What was revoked, has expired or was rotated does
   *  not count, nor do web keys. Absent: any number. */
  readonly keysMost?: number;
  readonly atMs: number;
} & (
  | { readonly kind: Exclude<MakeableKind, 'publishable'>; readonly binding?: Restriction }
  | { readonly kind: 'publishable'; readonly binding: Restriction & { readonly origins: readonly string[] } }
);

/** What any key can be bound to. A member that is absent or null binds to nothing. */
type Restriction = Partial<Pick<Binding, 'endpoints' | 'addresses'>>;

/** What the period has given beyond a smaller allowance and is not spent yet. */
export type Surplus = 'kept' | 'taken back';

export type Rotation = { readonly overlapMs: number; readonly atMs: number };

/** What is to be otherwise about a key; what is absent stays. The origins of a key stay for good. */
export type KeyChange = Restriction & {
  readonly name?: string | null;
  /** null = it never ends. */
  readonly expiresAtMs?: number | null;
  readonly atMs: number;
};

/** The only moment a key is known in full: the ledger keeps its hash. */
export type NewKey = { readonly keyId: string; readonly key: string };

export type NewWebKey = NewKey & { readonly expiresAtMs: number };

/** In the order in which they were opened. `after` of it begins the next page; null after the last. */
export type AccountPage = { readonly accounts: readonly Account[]; readonly after: string | null };

export type WindowUse = {
  readonly window: Window;
  readonly used: number;
  readonly limit: number | null;
  readonly resetAtMs: number;
};

/** Everything here rejects with LedgerRefusal for what the operator can put right, LedgerUnavailable for an outage. */
export interface Accounts {
  createAccount(account: {
    readonly name: string;
    readonly plan: PlanName;
    readonly terms?: Terms;
    readonly atMs: number;
  }): Promise<Account>;
  /** Makes the account of the public sandbox key, with that key, unless it is there. Neither can be changed. */
  openPublicSandbox(atMs: number): Promise<void>;
  /** Makes the account that pays for guests of the explorer, unless it is there, and gives it these calls a day. */
  openGuests(wish: { readonly callsPerDay: number; readonly atMs: number }): Promise<Account>;
  /** Oldest first, closed ones included. A refresh that is due at `atMs` is made first. */
  listAccounts(atMs: number): Promise<Account[]>;
  /** Of customers, closed ones included. An account that is opened meanwhile comes on a later page. */
  accountPage(wish: AccountWish): Promise<AccountPage>;
  findAccount(accountId: string, atMs: number): Promise<Account | undefined>;
  /** Own terms are replaced by the given ones. From trial the new allowance and the anniversary start now;
   *  otherwise more allowance is granted now, once per period, and less waits for the next refresh, unless the surplus is
   *  taken back. */
  changePlan(
    accountId: string,
    change: {
      readonly plan: PlanName;
      readonly terms?: Terms;
      readonly surplus?: Surplus;
      readonly atMs: number;
    },
  ): Promise<Account>;
  /** Adds lasting credits. Below zero is a correction; one that the balance does not cover is refused. */
  grantCredits(
    accountId: string,
    grant: { readonly credits: number; readonly note?: string; readonly atMs: number },
  ): Promise<Account>;
  renameAccount(accountId: string, name: string): Promise<Account>;
  /** Its keys stop at once; journal and usage stay. */
  closeAccount(accountId: string, atMs: number): Promise<Account>;
  /** Its keys are refused from the next request on, until it is resumed. */
  suspendAccount(accountId: string, suspension: Suspension): Promise<Account>;
  resumeAccount(accountId: string, atMs: number): Promise<Account>;
  createKey(key: KeyWish): Promise<NewKey>;
  /** For a page of the service itself: live, for a quarter of an hour. An account has a few at most; the oldest gives way. */
  createWebKey(accountId: string, atMs: number): Promise<NewWebKey>;
  /** The same, but one for all who ask this process within ten minutes. */
  sharedWebKey(accountId: string, atMs: number): Promise<NewWebKey>;
  /** Oldest first, revoked ones included, web keys not. */
  listKeys(accountId: string): Promise<Key[]>;
  /** Undefined where it is another account's. */
  findKey(accountId: string, keyId: string): Promise<Key | undefined>;
  changeKey(keyId: string, change: KeyChange): Promise<Key>;
  revokeKey(keyId: string, atMs: number): Promise<Key>;
  /** A new key of the same kind, name, binding and expiry; the old one stops after `overlapMs`, at once when 0. */
  rotateKey(keyId: string, rotation: Rotation): Promise<NewKey>;
  /** Newest first. */
  journalOf(accountId: string, range?: { readonly newest?: number }): Promise<JournalEntry[]>;
  /** By hour, oldest first; hours that begin in [fromMs, toMs). */
  usageOf(
    accountId: string,
    range?: { readonly fromMs?: number; readonly toMs?: number },
  ): Promise<UsageRow[]>;
  /** From the usage by day, sorted by day, endpoint, key and status. Every call that was answered by this process before is
   *  in it. One at a time, in portions, so that however much it is, nobody else waits for it. */
  sumUsage(accountId: string, wish: UsageWish): Promise<UsageSums>;
  windowsOf(accountId: string, mode: Mode, atMs: number): Promise<WindowUse[]>;
  /** Of keys that were ever used, web keys included. */
  keyUse(accountId: string): Promise<readonly KeyUse[]>;
  accountsUse(accountIds: readonly string[], atMs: number): Promise<readonly AccountUse[]>;
  backups(): Promise<Backups>;
  /** Of all accounts, in a month by UTC (YYYY-MM). */
  monthTotals(month: string): Promise<readonly MonthTotal[]>;
  /** Of a month by UTC (YYYY-MM). Rejects with LedgerRefusal for months from before the account or a trim. */
  statement(accountId: string, month: string, atMs: number): Promise<Statement>;
  /** A part of the journal of a month, so that all of it can be told in bounded memory. */
  journalPage(
    accountId: string,
    page: { readonly month: string; readonly before?: number; readonly limit: number },
  ): Promise<JournalPage>;
  /** Adds every journal up again, for `domesday check`. */
  recomputeBalances(): Promise<BalanceCheck[]>;
}

/** What opening a ledger gives; closing `ledger` ends all of it. */
export type OpenLedger = {
  readonly ledger: Ledger;
  readonly accounts: Accounts;
  readonly journals: Journals;
  /** The tables of people, closed with the ledger. */
  readonly database: Database;
  /** Makes this the opening of a long-running service, before it admits anybody: begins a generation, and starts what
   *  keeps the storage in shape and watches it. */
  readonly maintain: () => void;
};

/** For the operator: a fault once when it begins, not each time it is met, and once when it is over. */
export type LedgerNotice = {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fault?: unknown;
};

export type Tell = (notice: LedgerNotice) => void;

/** The ledger could not be read or written: an outage, never an answer about credit. */
export class LedgerUnavailable extends DatabaseUnavailable {
  override name = 'LedgerUnavailable';
}

export const ledgerClosed = (): LedgerUnavailable => new LedgerUnavailable('The ledger is closed.');

/** No failure of one call: the ledger was lost, is being checked, or its database is away. The operator was told. */
export class LedgerOutOfService extends LedgerUnavailable {
  override name = 'LedgerOutOfService';
  /** `for good`: not before the operator has put it right and started the service again. */
  readonly howLong: 'until it is checked' | 'until it is reached' | 'for good';

  constructor(message: string, howLong: LedgerOutOfService['howLong'], options?: ErrorOptions) {
    super(message, options);
    this.howLong = howLong;
  }
}

/** The operator asked for something the ledger refuses; the message is one line that says what to do. */
export class LedgerRefusal extends Error {
  override name = 'LedgerRefusal';
}

/** The account has as many keys as it may. */
export class KeysFull extends LedgerRefusal {
  override name = 'KeysFull';
}

/** There is no ledger where one was expected. */
export class LedgerMissing extends LedgerRefusal {
  override name = 'LedgerMissing';
}

/** The ledger is of an older version and must not be changed on this occasion. */
export class LedgerOutdated extends LedgerRefusal {
  override name = 'LedgerOutdated';
}
