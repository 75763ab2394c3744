// What a route of the pages is: one value, made by the guard that says who may ask, with method and path, what it takes and
// what answers it. Each guard makes only routes with a path of its kind: an account's route without a role, or an operator's
// route for everybody, does not compile.

import type { Account } from '../ledger/ledger.ts';
import { refuse } from '../people/outcome.ts';
import type { Actor, Outcome, Refusal, Role, SignedIn, Visitor } from '../people/people.ts';
import { type Members, readBody, type Taken } from './body.ts';
import type { PortalDesk } from './desk.ts';
import type { Way } from './way.ts';

/** `Name` is method and path, as pages ask for it; `Answer` says what it tells. */
type Route<Name extends string, M extends Members, Answer> = {
  readonly name: Name;
  readonly method: string;
  readonly path: RegExp;
  /** A JSON body (POST, PATCH, DELETE) or the query (GET). */
  readonly takes: M;
  readonly serve: (desk: PortalDesk, visit: Visit) => Promise<Answer | Refusal>;
};

/** A request that came from where it may, before anybody asked whose it is. */
export type Visit = {
  readonly requestId: string;
  readonly atMs: number;
  readonly visitor: Visitor;
  readonly way: Way;
  /** A HEAD is answered as its GET, without what would follow. */
  readonly wants: 'headers' | 'body';
  readonly sessionToken: string | undefined;
  /** Parts of the path. */
  readonly parts: Readonly<Record<string, string>>;
  /** Body or query. */
  readonly sent: unknown;
};

export type Cookie = {
  readonly name: 'session' | 'device';
  readonly kept: { readonly value: string; readonly expiresAtMs: number } | 'forgotten';
};

export type Told<T> = { readonly kind: 'told'; readonly tells: T; readonly cookies: readonly Cookie[] };

export const told = <const T>(tells: T, cookies: readonly Cookie[] = []): Told<T> => ({
  kind: 'told',
  tells,
  cookies,
});

export const done = (cookies: readonly Cookie[] = []) => told({ done: true }, cookies);

/** Of what people were asked for, and what leaves nothing else to tell. */
export const doneOrRefused = (outcome: Outcome) => (outcome.kind === 'refused' ? outcome : done());

/** A file or a stream of events, written while it is read. */
export type Streamed = {
  readonly kind: 'streamed';
  readonly type: string;
  /** What a browser calls the file; undefined for what it does not save. */
  readonly fileName: string | undefined;
  /** `gone` when nobody reads it any more. */
  readonly chunks: (gone: AbortSignal) => AsyncIterable<string>;
};

type Answered = Told<object> | Streamed | Refusal;

type By<Takes> = Pick<Visit, 'requestId' | 'atMs' | 'visitor' | 'way' | 'wants'> & { readonly takes: Takes };

export type ByAnybody<Takes = object> = By<Takes> & { readonly signedIn: SignedIn | undefined };

export type ByPerson<Takes = object> = By<Takes> & {
  readonly signedIn: SignedIn;
  readonly actor: Extract<Actor, { kind: 'person' }>;
};

export type ByMember<Takes = object> = ByPerson<Takes> & {
  readonly role: Role | 'operator';
  readonly account: Account;
  /** For what goes on for long: whether it still may. */
  readonly admitAgain: () => Promise<{ readonly kind: 'admitted' } | Refusal>;
};

type IdIn<Name extends string> = Name extends `${string}:${infer Id}/${infer Rest}`
  ? Id | IdIn<Rest>
  : Name extends `${string}:${infer Id}`
    ? Id
    : never;

/** Ids that the path of a route has: `accountId` of `/portal/accounts/:accountId`. */
export type IdsIn<Name extends string> = { readonly [Id in IdIn<Name>]: string };

type Handler<Asked, Name extends string, Answer> = (
  desk: PortalDesk,
  asked: Asked & { readonly in: IdsIn<Name> },
) => Promise<Answer>;

type OpenRoute =
  | 'GET /portal/me'
  | 'GET /portal/plans'
  | `POST /portal/${'sign-up' | 'confirm' | 'sign-in' | 'sign-out' | 'reset-request' | 'reset' | 'explore/key'}`;
type OwnThing = 'sessions' | 'password' | 'person' | 'totp' | 'invites';
type PersonRoute = `${string} /portal/${OwnThing}${string}` | `${'GET' | 'POST'} /portal/accounts`;
type AccountRoute = `${'GET' | 'POST' | 'PATCH' | 'DELETE'} /portal/accounts/:accountId${string}`;
type OperatorRoute = `${string} /portal/admin/${string}`;

export function anybody<const Name extends OpenRoute, const M extends Members, Answer extends Answered>(
  name: Name,
  takes: M,
  answer: Handler<ByAnybody<Taken<M>>, Name, Answer>,
): Route<Name, M, Answer> {
  return {
    ...named(name),
    takes,
    serve: async (desk, visit) => {
      const signedIn = await findSession(desk, visit);
      const asked = read(name, takes, visit);
      return asked.kind === 'refused' ? asked : answer(desk, { ...asked, signedIn });
    },
  };
}

export function person<const Name extends PersonRoute, const M extends Members, Answer extends Answered>(
  name: Name,
  takes: M,
  answer: Handler<ByPerson<Taken<M>>, Name, Answer>,
): Route<Name, M, Answer> {
  return {
    ...named(name),
    takes,
    serve: async (desk, visit) => {
      const signed = await admitPerson(desk, visit);
      if (signed.kind === 'refused') return signed;
      const asked = read(name, takes, visit);
      return asked.kind === 'refused' ? asked : answer(desk, { ...asked, ...signed });
    },
  };
}

/** For those with one of these roles in the account. An operator sees (GET) what the customer sees, where nothing is changed
 *  or spent. A closed account is still seen, and what is there can be taken away (DELETE), but nothing is added any more. */
export function member<const Name extends AccountRoute, const M extends Members, Answer extends Answered>(
  name: Name,
  roles: readonly [Role, ...Role[]],
  takes: M,
  answer: Handler<ByMember<Taken<M>>, Name, Answer>,
): Route<Name, M, Answer> {
  const { method } = named(name);
  const who: Who = {
    roles,
    operator: method === 'GET' ? 'sees' : 'does not see',
    closed: method === 'GET' || method === 'DELETE' ? 'admitted' : 'refused',
  };
  return {
    ...named(name),
    takes,
    serve: async (desk, visit) => {
      const admitted = await admitMember(desk, visit, who);
      if (admitted.kind === 'refused') return admitted;
      const asked = read(name, takes, visit);
      const admitAgain = () => admitMember(desk, { ...visit, atMs: desk.now() }, who);
      return asked.kind === 'refused' ? asked : answer(desk, { ...asked, ...admitted, admitAgain });
    },
  };
}

export function operator<const Name extends OperatorRoute, const M extends Members, Answer extends Answered>(
  name: Name,
  takes: M,
  answer: Handler<ByPerson<Taken<M>>, Name, Answer>,
): Route<Name, M, Answer> {
  return {
    ...named(name),
    takes,
    serve: async (desk, visit) => {
      const signed = await admitPerson(desk, visit);
      if (signed.kind === 'refused') return signed;
      // That there are such paths is nobody's secret; what they tell is.
      if (signed.signedIn.person.standing !== 'operator')
        return refuse('NOT_ALLOWED', 'Only an operator of the service can do this; ask one.');
      const asked = read(name, takes, visit);
      return asked.kind === 'refused' ? asked : answer(desk, { ...asked, ...signed });
    },
  };
}

/** Parts of a path are compared as they came: no id needs a sign that is encoded. */
function named<Name extends string>(name: Name) {
  const [method = '', path = ''] = name.split(' ');
  const segments = path
    .split('/')
    .map((segment) => (segment.startsWith(':') ? `(?<${segment.slice(1)}>[^/]*)` : RegExp.escape(segment)));
  return { name, method, path: new RegExp(`^${segments.join('/')}$`) };
}

/** The same for what is not there and for what is another's. */
export const notFound = (): Refusal =>
  refuse('NOT_FOUND', 'There is nothing here, or it is not yours to see; go back to your accounts.');

async function findSession({ people }: PortalDesk, visit: Visit): Promise<SignedIn | undefined> {
  const { sessionToken, visitor } = visit;
  return sessionToken === undefined ? undefined : people.sessions.find(sessionToken, visitor);
}

async function admitPerson(desk: PortalDesk, visit: Visit) {
  const signedIn = await findSession(desk, visit);
  if (signedIn === undefined) {
    const message = visit.way.kind === 'in the clear' ? visit.way.because : 'Sign in to go on.';
    return refuse('SIGN_IN', message);
  }
  const { personId } = signedIn.person;
  const { address } = visit.visitor;
  return { kind: 'admitted', signedIn, actor: { kind: 'person', personId, address } } as const;
}

type Who = {
  readonly roles: readonly Role[];
  readonly operator: 'sees' | 'does not see';
  /** Of an account that is closed. */
  readonly closed: 'admitted' | 'refused';
};

/** Somebody else's account is not there. */
async function admitMember(desk: PortalDesk, visit: Visit, { roles, operator: overlooked, closed }: Who) {
  const signed = await admitPerson(desk, visit);
  if (signed.kind === 'refused') return signed;
  const { accountId } = visit.parts;
  if (accountId === undefined || !isId(accountId)) return notFound();
  const { personId, standing } = signed.signedIn.person;
  const own = await desk.people.members.roleIn(personId, accountId);
  if (own === undefined && standing !== 'operator') return notFound();
  const role = own !== undefined && roles.includes(own) ? own : overseer(standing, overlooked);
  if (role === undefined) return refuse('NOT_ALLOWED', notForRole(own ?? 'operator', roles));
  const account = await desk.accounts.findAccount(accountId, visit.atMs);
  if (account === undefined) return notFound();
  if (account.closedAtMs !== null && closed === 'refused')
    return refuse('CONFLICT', 'The account is closed, so nothing there can be changed; open another one.');
  return { ...signed, role, account };
}

/** An operator who belongs to the account, with a role too few, still sees what operators see. */
const overseer = (standing: 'customer' | 'operator', overlooked: Who['operator']): 'operator' | undefined =>
  standing === 'operator' && overlooked === 'sees' ? 'operator' : undefined;

function notForRole(role: Role | 'operator', roles: readonly Role[]): string {
  if (role === 'operator')
    return "An operator sees an account as its customer does, but cannot change anything there; use the operator's pages.";
  const able = roles.map((each) => (each === 'owner' ? 'an owner' : `somebody with the role ${each}`));
  return `Your role in this account (${role}) does not allow this; ask ${able.join(' or ')} of it.`;
}

const isId = (text: string): boolean => /^[\w-]{1,64}$/.test(text);

/** `name` stands for the ids that its path has. */
function read<Name extends string, M extends Members>(_name: Name, takes: M, visit: Visit) {
  const { parts, sent, requestId, atMs, visitor, way, wants } = visit;
  const hasIds = (ids: object): ids is IdsIn<Name> => Object.values(ids).every(isId);
  if (!hasIds(parts)) return notFound();
  const body = readBody(takes, sent);
  if (body.kind === 'refused') return body;
  return { kind: 'asked', in: parts, takes: body.takes, requestId, atMs, visitor, way, wants } as const;
}
