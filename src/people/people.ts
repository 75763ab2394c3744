// What the rest of the house may ask about people: who signs in, what they belong to, and what they changed. open.ts opens
// it over the database. Every outcome is a value; a refusal has a sentence that can be shown as it is. Pages share the types of
// what they are told.

import type { PlanName } from '../ledger/ledger.ts';
import type { PlanPrice } from '../ledger/plans.ts';

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

/** With which status each is told, portal/portal.ts says. */
export type RefusalCode =
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

export type Refusal = {
  readonly kind: 'refused';
  readonly code: RefusalCode;
  /** One sentence that says what to do. */
  readonly message: string;
  /** Of the body, where one is to blame. */
  readonly field?: string;
  readonly retryAfterSeconds?: number;
};
export type Done = { readonly kind: 'done' };
export type Outcome = Done | Refusal;
type DoneWith<T> = Done & T;

/** Whoever asks, as the wire has it. */
export type Visitor = {
  /** Of the network, after trusted proxies; shown to people. */
  readonly address: string;
  /** What is counted as one host, as http/wire/host-of.ts has it. */
  readonly host: string;
  readonly userAgent: string | undefined;
  /** What the cookie of a known device says (NewSession.deviceToken), where there is one. */
  readonly deviceToken: string | undefined;
};

/** Who changes something. Commands of the operator have no person. */
export type Actor =
  | { readonly kind: 'person'; readonly personId: string; readonly address: string }
  | { readonly kind: 'command' };

/** The only moment the tokens are known: the database keeps their hashes. Both become cookies, HttpOnly. */
export type NewSession = {
  readonly token: string;
  readonly expiresAtMs: number;
  /** Kept for a year after signing out: this device is no stranger to the sign-in of this person. */
  readonly deviceToken: string;
  readonly deviceExpiresAtMs: number;
};

export type SignedIn = {
  readonly sessionId: string;
  readonly expiresAtMs: number;
  readonly person: PersonView;
};

export interface Joining {
  readonly signUpPolicy: SignUpPolicy;
  readonly mail: 'sent' | 'by the operator';
  /** The same answer and work whether or not the address is known. `sign in`: an invitation proved the address already. */
  signUp(
    wish:
      | { readonly email: string }
      | { readonly email: string; readonly password: string; readonly invite: string },
    visitor: Visitor,
  ): Promise<DoneWith<{ readonly next: 'confirm' | 'sign in' }> | Refusal>;
  /** Whoever follows the link chooses the password: only they are known to read what is sent to the address. */
  confirm(
    wish: { readonly token: string; readonly password: string },
    visitor: Visitor,
  ): Promise<DoneWith<{ readonly email: string }> | Refusal>;
  /** The same answer and work whether or not the address is known. */
  askReset(email: string, visitor: Visitor): Promise<Outcome>;
  /** Ends every session of the person. The second factor stays; the device is known from now on. */
  reset(
    wish: { readonly token: string; readonly password: string },
    visitor: Visitor,
  ): Promise<DoneWith<{ readonly deviceToken: string; readonly deviceExpiresAtMs: number }> | Refusal>;
}

export type SignUpPolicy = 'open' | 'invited' | 'closed';

export interface SigningIn {
  signIn(
    wish: { readonly email: string; readonly password: string; readonly code?: string | undefined },
    visitor: Visitor,
  ): Promise<
    | { readonly kind: 'signed in'; readonly session: NewSession; readonly personId: string }
    | { readonly kind: 'second factor' }
    | Refusal
  >;
  /** For what a stolen session must not do: password, and code where a second factor is set. */
  proveAgain(
    personId: string,
    proof: { readonly password: string; readonly code?: string | undefined },
    visitor: Visitor,
  ): Promise<Outcome>;
}

export interface Sessions {
  /** Slides the session on. undefined: unknown, ended or expired. */
  find(token: string, visitor: Visitor): Promise<SignedIn | undefined>;
  /** `current`: the session that asks. */
  list(personId: string, current: string): Promise<readonly SessionView[]>;
  /** Refused as NOT_FOUND where it is not this person's. */
  end(personId: string, sessionId: string): Promise<Outcome>;
  /** Tells how many. */
  endOthers(personId: string, current: string): Promise<number>;
}

/** Changes end every session of the person and give the one that asks a new token. */
type Renewed = DoneWith<{ readonly session: NewSession }>;

export interface SecondFactor {
  begin(
    personId: string,
    password: string,
    visitor: Visitor,
  ): Promise<DoneWith<{ readonly secret: string; readonly uri: string }> | Refusal>;
  confirm(
    personId: string,
    code: string,
    visitor: Visitor,
  ): Promise<(Renewed & { readonly recoveryCodes: readonly string[] }) | Refusal>;
  remove(
    personId: string,
    proof: { readonly password: string; readonly code: string },
    visitor: Visitor,
  ): Promise<Renewed | Refusal>;
}

export type ListedPerson = PersonView & {
  readonly confirmed: 'yes' | 'not yet';
  /** Account ids. */
  readonly accounts: readonly string[];
};

export interface Persons {
  find(personId: string): Promise<PersonView | undefined>;
  findByEmail(email: string): Promise<PersonView | undefined>;
  /** By part of address or name; those that have not confirmed yet too. */
  list(wish: {
    readonly search?: string | undefined;
    readonly limit: number;
  }): Promise<{ readonly people: readonly ListedPerson[]; readonly total: number }>;
  rename(actor: Actor, personId: string, name: string | null): Promise<Outcome>;
  changePassword(
    personId: string,
    wish: { readonly current: string; readonly next: string },
    visitor: Visitor,
  ): Promise<Renewed | Refusal>;
  /** Strikes the person from everything kept here. `refused`: CONFLICT while an account would be left without owner. */
  erase(
    actor: Actor,
    personId: string,
    wish: {
      readonly ownerless: 'refused' | 'accepted';
      /** Accounts that are closed, and need no owner. */
      readonly closed?: readonly string[];
    },
  ): Promise<Outcome>;
  /** The same for an address that is nobody's: invitations, sign-ups that were never confirmed. */
  eraseAddress(email: string): Promise<Outcome>;
  /** By a command, or by an operator who makes another. */
  setStanding(personId: string, standing: PersonView['standing'], actor?: Actor): Promise<Outcome>;
}

export type Membership = { readonly accountId: string; readonly role: Role };

export interface Members {
  of(personId: string): Promise<readonly Membership[]>;
  roleIn(personId: string, accountId: string): Promise<Role | undefined>;
  list(accountId: string): Promise<{
    readonly members: readonly MemberView[];
    readonly invites: readonly InviteView[];
  }>;
  /** Accounts of everybody who has this in address or name. */
  accountsOf(search: string): Promise<readonly string[]>;
  /** Addresses of the owners of these accounts, by account. */
  owners(accountIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  /** Accounts whose only owner this is. */
  ownedAlone(personId: string): Promise<readonly string[]>;
  /** CONFLICT for the last owner; NOT_FOUND for somebody who does not belong to the account. */
  changeRole(actor: Actor, accountId: string, personId: string, role: Role): Promise<Outcome>;
  remove(actor: Actor, accountId: string, personId: string): Promise<Outcome>;
  /** The same answer whether or not the address is known. Without an account: to sign up where only those invited may. */
  invite(
    actor: Actor,
    wish: {
      readonly email: string;
      readonly account?: { readonly accountId: string; readonly name: string; readonly role: Role };
    },
  ): Promise<Outcome>;
  withdrawInvite(actor: Actor, accountId: string, inviteId: string): Promise<Outcome>;
  /** Nobody joins an account that was closed. */
  dropInvites(accountId: string): Promise<void>;
  /** `accountId` is null for an invitation to sign up alone. */
  acceptInvite(
    actor: Extract<Actor, { kind: 'person' }>,
    token: string,
  ): Promise<DoneWith<{ readonly accountId: string | null }> | Refusal>;
}

export type PageKey = { readonly accountId: string; readonly keyId: string };

export interface PageKeys {
  note(
    key: PageKey,
    of: { readonly personId: string; readonly sessionId: string; readonly expiresAtMs: number },
  ): Promise<void>;
  /** Has each ended whose session is over, or whose person may make no keys there any more. */
  endOrphans(end: (key: PageKey) => Promise<void>): Promise<void>;
}

export interface Watching {
  /** A place among the few that a person has; undefined where none is free. It is lost after a minute without `stay`. */
  enter(personId: string): Promise<string | undefined>;
  stay(place: string): Promise<void>;
  leave(place: string): Promise<void>;
}

export interface Trials {
  stateOf(personId: string): Promise<'available' | 'used'>;
  /** One for each mailbox, for ever. `makeAccount` tells the id of the account it made; if it throws, the trial is
   *  still to be had. */
  open(
    actor: Extract<Actor, { kind: 'person' }>,
    makeAccount: () => Promise<string>,
  ): Promise<DoneWith<{ readonly accountId: string }> | Refusal>;
}

type PlanQuestion = {
  readonly accountId: string;
  readonly accountName: string;
  readonly from: PlanName;
  readonly to: PlanName;
  readonly note: string | null;
};

export interface PlanRequests {
  /** CONFLICT while another of the account waits. */
  ask(actor: Extract<Actor, { kind: 'person' }>, question: PlanQuestion): Promise<Outcome>;
  withdraw(actor: Actor, accountId: string): Promise<Outcome>;
  /** Newest first. */
  of(accountId: string): Promise<readonly PlanRequest[]>;
  waiting(): Promise<readonly PlanRequest[]>;
  find(planRequestId: string): Promise<PlanRequest | undefined>;
  /** Once: of two operators at the same moment one is told CONFLICT. `carryOut` changes the plan; if it refuses or throws,
   *  the request waits again. */
  decide(
    actor: Actor,
    planRequestId: string,
    decision:
      | { readonly kind: 'declined'; readonly answer: string | null }
      | {
          readonly kind: 'approved';
          readonly answer: string | null;
          readonly carryOut: (request: PlanRequest) => Promise<Outcome>;
        },
  ): Promise<Outcome>;
}

export interface PlanPrices {
  all(): Promise<readonly PlanPrice[]>;
  set(price: PlanPrice): Promise<void>;
  clear(plan: PlanName): Promise<void>;
}

export type Event = {
  readonly accountId: string | null;
  /** Such as `key.revoked`. */
  readonly what: string;
  /** What it happened to: a key id, a plan; never a person's name or address, which `person` is for. */
  readonly subject: string;
  readonly detail?: string | undefined;
};

export interface Audit {
  write(actor: Actor, event: Event): Promise<void>;
  /** Newest first; `before` of the page before. Without an account: what concerns none, such as who became an operator. */
  page(
    accountId: string | null,
    wish: { readonly before?: string | undefined; readonly limit: number },
  ): Promise<{ readonly lines: readonly AuditLine[]; readonly before: string | null }>;
  /** All of it, oldest first, in pages: for an export. */
  all(accountId: string): AsyncIterable<readonly AuditLine[]>;
}

export type PendingLink = {
  readonly purpose: 'confirm' | 'reset' | 'invite' | 'account exists' | 'no account';
  /** That an invitation is to; null where it is to none, and of everything else. */
  readonly accountId: string | null;
  readonly askedAtMs: number;
  readonly expiresAtMs: number;
  /** null where there is nothing to follow: the address has an account already, or none. */
  readonly link: string | null;
};

export interface Mail {
  /** A fresh link for everything that waits for this address; for the operator's command. */
  links(email: string): Promise<readonly PendingLink[]>;
  /** Sends what is due, off the way of whoever asks; what fails is tried again. */
  sendSoon(): void;
  /** Sends what is due, now. Tells how many are left to be tried again. */
  sendDue(): Promise<number>;
}

export interface People {
  readonly joining: Joining;
  readonly signingIn: SigningIn;
  readonly sessions: Sessions;
  readonly secondFactor: SecondFactor;
  readonly persons: Persons;
  readonly members: Members;
  readonly trials: Trials;
  readonly planRequests: PlanRequests;
  readonly planPrices: PlanPrices;
  readonly pageKeys: PageKeys;
  readonly watching: Watching;
  readonly audit: Audit;
  readonly mail: Mail;
  /** Waits for mails under way. The database stays open. */
  close(): Promise<void>;
}
