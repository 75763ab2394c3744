// Who may ask what. An entry of the table can be made here alone, and each way to make one admits only the routes that it
// guards: an account's route without a role, or an operator's route for everybody, does not compile.

import type { Account } from '../ledger/ledger.ts';
import type { Actor, Refusal, SignedIn, Visitor } from '../people/people.ts';
import type { Files, Role, Route, Routes } from './contract.ts';
import type { PortalDesk } from './desk.ts';
import { notFound, refused } from './refused.ts';
import { type Members, readAs } from './shapes.ts';
import type { Way } from './way.ts';

/** What a file or a stream of events is made of; `gone` when nobody reads it any more. */
export type Streamed = {
  readonly type: string;
  /** What a browser calls the file; undefined for what it does not save. */
  readonly fileName: string | undefined;
  readonly chunks: (gone: AbortSignal) => AsyncIterable<string>;
};

type FileRoute = keyof Files;
export type AnyRoute = Route | FileRoute;
type Takes = { [R in Route]: Routes[R] } & { [R in FileRoute]: Files[R] & { tells: Streamed } };

export type Cookie = {
  readonly name: 'session' | 'device';
  readonly kept: { readonly value: string; readonly expiresAtMs: number } | 'forgotten';
};

export type Told<T> = { readonly kind: 'told'; readonly tells: T; readonly cookies: readonly Cookie[] };

export const told = <T>(tells: T, cookies: readonly Cookie[] = []): Told<T> => ({
  kind: 'told',
  tells,
  cookies,
});

export const done = (cookies: readonly Cookie[] = []): Told<{ readonly done: true }> =>
  told({ done: true }, cookies);

/** A request that came from where it may, before anybody asked whose it is. */
export type Visit = {
  readonly requestId: string;
  readonly atMs: number;
  readonly visitor: Visitor;
  readonly way: Way;
  readonly sessionToken: string | undefined;
  /** Parts of the path. */
  readonly parts: Readonly<Record<string, string>>;
  /** Body or query. */
  readonly sent: unknown;
};

type Who =
  | { readonly kind: 'anybody' | 'person' | 'operator' }
  | {
      readonly kind: 'member';
      readonly roles: readonly Role[];
      readonly operator: 'sees' | 'does not see';
      /** Of an account that is closed. */
      readonly closed: 'admitted' | 'refused';
    };

export type Entry<R extends AnyRoute> = {
  readonly who: Who;
  readonly serve: (desk: PortalDesk, visit: Visit) => Promise<Told<Takes[R]['tells']> | Refusal>;
};

type Asked<R extends AnyRoute> = Pick<Visit, 'requestId' | 'atMs' | 'visitor' | 'way'> & {
  readonly in: Takes[R]['in'];
  readonly takes: Takes[R]['takes'];
};
type AskedBySomebody<R extends AnyRoute> = Asked<R> & { readonly signedIn: SignedIn | undefined };
type AskedByPerson<R extends AnyRoute> = Asked<R> & {
  readonly signedIn: SignedIn;
  readonly actor: Extract<Actor, { kind: 'person' }>;
};
type AskedByMember<R extends AnyRoute> = AskedByPerson<R> & {
  readonly role: Role | 'operator';
  readonly account: Account;
  /** For what goes on for long: whether it still may. */
  readonly admitAgain: () => Promise<{ readonly kind: 'admitted' } | Refusal>;
};

type Answer<R extends AnyRoute> = Promise<Told<Takes[R]['tells']> | Refusal>;

type OpenRoute = Extract<
  AnyRoute,
  | 'GET /portal/me'
  | `POST /portal/${'sign-up' | 'confirm' | 'sign-in' | 'sign-out' | 'reset-request' | 'reset' | 'explore/key'}`
>;
type AccountRoute = Extract<AnyRoute, `${string} /portal/accounts/:accountId${string}`>;
type OperatorRoute = Extract<AnyRoute, `${string} /portal/admin/${string}`>;
type PersonRoute = Exclude<AnyRoute, OpenRoute | AccountRoute | OperatorRoute>;

export type OpenHandler<R extends OpenRoute> = (desk: PortalDesk, asked: AskedBySomebody<R>) => Answer<R>;
export type PersonHandler<R extends PersonRoute> = (desk: PortalDesk, asked: AskedByPerson<R>) => Answer<R>;
export type MemberHandler<R extends AccountRoute> = (desk: PortalDesk, asked: AskedByMember<R>) => Answer<R>;
export type OperatorHandler<R extends OperatorRoute> = (
  desk: PortalDesk,
  asked: AskedByPerson<R>,
) => Answer<R>;

/** Path and body. */
type Expects<R extends AnyRoute> = {
  readonly ids: Members<Takes[R]['in']>;
  readonly takes: Members<Takes[R]['takes']>;
};

export function anybody<R extends OpenRoute>(expects: Expects<R>, answer: OpenHandler<R>): Entry<R> {
  return {
    who: { kind: 'anybody' },
    serve: async (desk, visit) => {
      const signedIn = await findSession(desk, visit);
      const asked = read<R>(expects, visit);
      return asked.kind === 'refused' ? asked : answer(desk, { ...asked, signedIn });
    },
  };
}

export function person<R extends PersonRoute>(expects: Expects<R>, answer: PersonHandler<R>): Entry<R> {
  return {
    who: { kind: 'person' },
    serve: async (desk, visit) => {
      const signed = await admitPerson(desk, visit);
      if (signed.kind === 'refused') return signed;
      const asked = read<R>(expects, visit);
      return asked.kind === 'refused' ? asked : answer(desk, { ...asked, ...signed });
    },
  };
}

/** An operator sees what the customer sees, where nothing is changed or spent. */
export function member<R extends AccountRoute>(
  roles: readonly Role[],
  expects: Expects<R>,
  answer: MemberHandler<R>,
): Entry<R> {
  return memberEntry({ kind: 'member', roles, operator: 'does not see', closed: 'refused' }, expects, answer);
}

/** Also where the account is closed: nothing is added there any more, but what is there can be taken away. */
export function taking<R extends Extract<AccountRoute, `DELETE ${string}`>>(
  roles: readonly Role[],
  expects: Expects<R>,
  answer: MemberHandler<R>,
): Entry<R> {
  return memberEntry(
    { kind: 'member', roles, operator: 'does not see', closed: 'admitted' },
    expects,
    answer,
  );
}

export function seen<R extends Extract<AccountRoute, `GET ${string}`>>(
  roles: readonly Role[],
  expects: Expects<R>,
  answer: MemberHandler<R>,
): Entry<R> {
  return memberEntry({ kind: 'member', roles, operator: 'sees', closed: 'admitted' }, expects, answer);
}

function memberEntry<R extends AccountRoute>(
  who: Extract<Who, { kind: 'member' }>,
  expects: Expects<R>,
  answer: MemberHandler<R>,
): Entry<R> {
  return {
    who,
    serve: async (desk, visit) => {
      const admitted = await admitMember(desk, visit, who);
      if (admitted.kind === 'refused') return admitted;
      const asked = read<R>(expects, visit);
      const admitAgain = () => admitMember(desk, { ...visit, atMs: desk.now() }, who);
      return asked.kind === 'refused' ? asked : answer(desk, { ...asked, ...admitted, admitAgain });
    },
  };
}

export function operator<R extends OperatorRoute>(expects: Expects<R>, answer: OperatorHandler<R>): Entry<R> {
  return {
    who: { kind: 'operator' },
    serve: async (desk, visit) => {
      const signed = await admitPerson(desk, visit);
      if (signed.kind === 'refused') return signed;
      // That there are such paths is nobody's secret; what they tell is.
      if (signed.signedIn.person.standing !== 'operator')
        return refused('NOT_ALLOWED', 'Only an operator of the service can do this; ask one.');
      const asked = read<R>(expects, visit);
      return asked.kind === 'refused' ? asked : answer(desk, { ...asked, ...signed });
    },
  };
}

async function findSession({ people }: PortalDesk, visit: Visit): Promise<SignedIn | undefined> {
  const { sessionToken, visitor } = visit;
  return sessionToken === undefined ? undefined : people.sessions.find(sessionToken, visitor);
}

async function admitPerson(desk: PortalDesk, visit: Visit) {
  const signedIn = await findSession(desk, visit);
  if (signedIn === undefined) {
    const message = visit.way.kind === 'in the clear' ? visit.way.because : 'Sign in to go on.';
    return refused('SIGN_IN', message);
  }
  const { personId } = signedIn.person;
  const { address } = visit.visitor;
  return { kind: 'admitted', signedIn, actor: { kind: 'person', personId, address } } as const;
}

/** Somebody else's account is not there. */
async function admitMember(
  desk: PortalDesk,
  visit: Visit,
  { roles, operator: overlooked, closed }: Extract<Who, { kind: 'member' }>,
) {
  const signed = await admitPerson(desk, visit);
  if (signed.kind === 'refused') return signed;
  const { accountId } = visit.parts;
  if (accountId === undefined || !isId(accountId)) return notFound();
  const { personId, standing } = signed.signedIn.person;
  const own = await desk.people.members.roleIn(personId, accountId);
  if (own === undefined && standing !== 'operator') return notFound();
  const role = own !== undefined && roles.includes(own) ? own : overseer(standing, overlooked);
  if (role === undefined) return refused('NOT_ALLOWED', notForRole(own ?? 'operator', roles));
  const account = await desk.accounts.findAccount(accountId, visit.atMs);
  if (account === undefined) return notFound();
  if (account.closedAtMs !== null && closed === 'refused')
    return refused('CONFLICT', 'The account is closed, so nothing there can be changed; open another one.');
  return { ...signed, role, account };
}

/** An operator who belongs to the account, with a role too few, still sees what operators see. */
const overseer = (
  standing: 'customer' | 'operator',
  overlooked: 'sees' | 'does not see',
): 'operator' | undefined => (standing === 'operator' && overlooked === 'sees' ? 'operator' : undefined);

function notForRole(role: Role | 'operator', roles: readonly Role[]): string {
  if (role === 'operator')
    return "An operator sees an account as its customer does, but cannot change anything there; use the operator's pages.";
  const able = roles.map((each) => (each === 'owner' ? 'an owner' : `somebody with the role ${each}`));
  return `Your role in this account (${role}) does not allow this; ask ${able.join(' or ')} of it.`;
}

const isId = (text: string): boolean => /^[\w-]{1,64}$/.test(text);

function read<R extends AnyRoute>({ ids, takes }: Expects<R>, visit: Visit) {
  const { parts, sent, requestId, atMs, visitor, way } = visit;
  const named = readAs<Takes[R]['in']>(ids, parts);
  if (named.kind === 'refused' || !Object.values(parts).every(isId)) return notFound();
  const given = readAs<Takes[R]['takes']>(takes, sent);
  if (given.kind === 'refused') return given;
  return { kind: 'asked', in: named.value, takes: given.value, requestId, atMs, visitor, way } as const;
}
