// Every route of the pages' interface, by its path: who may ask, what they may send, and what answers. Pages share the types of
// this list, so that neither they nor the service can say other than the other.

import { refuse } from '../people/outcome.ts';
import { roles } from '../people/people.ts';
import {
  code,
  email,
  line,
  month,
  name,
  oneOf,
  optional,
  orNull,
  password,
  reason,
  type Taken,
  token,
  wholeNumber,
} from './body.ts';
import {
  askForPlan,
  changeSettings,
  closeAccount,
  erasePerson,
  listAccounts,
  listPlans,
  listPricedPlans,
  openTrial,
  overview,
  planWish,
  proof,
  renaming,
  settingsChange,
} from './handlers/accounts.ts';
import {
  credentials,
  exploreKey,
  me,
  newcomer,
  newPassword,
  reset,
  sessionCookies,
  signIn,
  signOut,
  signUp,
} from './handlers/anybody.ts';
import {
  accountsCsv,
  auditCsv,
  exportAccount,
  requestsCsv,
  statementCsv,
  totalsCsv,
  usageCsv,
} from './handlers/files.ts';
import {
  beginLoading,
  readData,
  readHealth,
  readOverview,
  readRefusals,
  readTotals,
} from './handlers/house.ts';
import {
  changeKey,
  createKey,
  createWebKey,
  keyChange,
  keyWish,
  listKeys,
  revokeKey,
  rotateKey,
} from './handlers/keys.ts';
import { live } from './handlers/live.ts';
import {
  accountWish,
  changePlan,
  correctCredits,
  correction,
  decidePlan,
  decision,
  findAccounts,
  listPeople,
  makeOperator,
  openAccount,
  pageOfSearched,
  planChange,
  rename,
  resume,
  searched,
  suspend,
} from './handlers/operator.ts';
import { days, pageOfDays, readUsage, statementView } from './handlers/usage.ts';
import {
  anybody,
  done,
  doneOrRefused,
  type IdsIn,
  member,
  operator,
  person,
  type Told,
  told,
} from './route.ts';

/** Who keeps keys in order. */
const builders = ['owner', 'developer'] as const;
/** Who settles what it costs. */
const payers = ['owner', 'billing'] as const;
const owners = ['owner'] as const;

const auditPage = 50;
/** `before` of the page before. */
const pageOfAudit = { before: optional(line(100)) };

export const routes = [
  anybody('GET /portal/me', {}, me),
  anybody('GET /portal/plans', {}, listPricedPlans),
  anybody('POST /portal/sign-up', newcomer, signUp),
  anybody('POST /portal/confirm', newPassword, async ({ people }, { takes, visitor }) => {
    const outcome = await people.joining.confirm(takes, visitor);
    return outcome.kind === 'refused' ? outcome : told({ email: outcome.email });
  }),
  anybody('POST /portal/sign-in', credentials, signIn),
  anybody('POST /portal/sign-out', {}, signOut),
  anybody('POST /portal/reset-request', { email }, async ({ people }, { takes, visitor }) =>
    doneOrRefused(await people.joining.askReset(takes.email, visitor)),
  ),
  anybody('POST /portal/reset', newPassword, reset),
  anybody('POST /portal/explore/key', {}, exploreKey),

  person('GET /portal/sessions', {}, async ({ people }, { signedIn }) =>
    told({ sessions: await people.sessions.list(signedIn.person.personId, signedIn.sessionId) }),
  ),
  person('DELETE /portal/sessions/:sessionId', {}, async ({ people }, { signedIn, in: { sessionId } }) => {
    const outcome = await people.sessions.end(signedIn.person.personId, sessionId);
    if (outcome.kind === 'refused') return outcome;
    return done(sessionId === signedIn.sessionId ? [{ name: 'session', kept: 'forgotten' }] : []);
  }),
  /** All but the one that asks. */
  person('DELETE /portal/sessions', {}, async ({ people }, { signedIn }) =>
    told({ ended: await people.sessions.endOthers(signedIn.person.personId, signedIn.sessionId) }),
  ),
  person(
    'POST /portal/password',
    { current: password, next: password },
    async ({ people }, { signedIn, takes, visitor }) => {
      const outcome = await people.persons.changePassword(signedIn.person.personId, takes, visitor);
      return outcome.kind === 'refused' ? outcome : done(sessionCookies(outcome.session));
    },
  ),
  person('PATCH /portal/person', { name: orNull(name) }, async ({ people }, { actor, takes }) =>
    doneOrRefused(await people.persons.rename(actor, actor.personId, takes.name)),
  ),
  person('DELETE /portal/person', proof, erasePerson),
  person('POST /portal/totp/begin', { password }, async ({ people }, { actor, takes, visitor }) => {
    const outcome = await people.secondFactor.begin(actor.personId, takes.password, visitor);
    return outcome.kind === 'refused' ? outcome : told({ secret: outcome.secret, uri: outcome.uri });
  }),
  person('POST /portal/totp/confirm', { code }, async ({ people }, { actor, takes, visitor }) => {
    const outcome = await people.secondFactor.confirm(actor.personId, takes.code, visitor);
    if (outcome.kind === 'refused') return outcome;
    return told({ recoveryCodes: outcome.recoveryCodes }, sessionCookies(outcome.session));
  }),
  person('DELETE /portal/totp', { password, code }, async ({ people }, { actor, takes, visitor }) => {
    const outcome = await people.secondFactor.remove(actor.personId, takes, visitor);
    return outcome.kind === 'refused' ? outcome : done(sessionCookies(outcome.session));
  }),
  /** `accountId` is null of an invitation to sign up alone. */
  person('POST /portal/invites/accept', { token }, async ({ people }, { actor, takes }) => {
    const outcome = await people.members.acceptInvite(actor, takes.token);
    return outcome.kind === 'refused' ? outcome : told({ accountId: outcome.accountId });
  }),
  person('GET /portal/accounts', {}, listAccounts),
  person('POST /portal/accounts', { name }, (desk, asked) => openTrial(desk, asked, asked.takes.name)),

  member('GET /portal/accounts/:accountId', roles, {}, overview),
  member('PATCH /portal/accounts/:accountId', owners, settingsChange, changeSettings),
  member('DELETE /portal/accounts/:accountId', owners, proof, closeAccount),

  member('GET /portal/accounts/:accountId/keys', roles, {}, listKeys),
  member('POST /portal/accounts/:accountId/keys', builders, keyWish, createKey),
  member('PATCH /portal/accounts/:accountId/keys/:keyId', builders, keyChange, changeKey),
  member('POST /portal/accounts/:accountId/keys/:keyId/revoke', builders, {}, revokeKey),
  member(
    'POST /portal/accounts/:accountId/keys/:keyId/rotate',
    builders,
    { overlapHours: wholeNumber(0, 2_160) },
    (desk, asked) => rotateKey(desk, asked, asked.takes.overlapHours),
  ),
  member('POST /portal/accounts/:accountId/web-key', builders, {}, createWebKey),

  member('GET /portal/accounts/:accountId/usage', roles, pageOfDays, readUsage),
  member('GET /portal/accounts/:accountId/usage.csv', roles, days, usageCsv),
  /** Newest first, 1,000 at most. */
  member('GET /portal/accounts/:accountId/requests', roles, {}, async ({ requests }, { account }) =>
    told(await requests.newest(account.accountId)),
  ),
  member('GET /portal/accounts/:accountId/requests.csv', roles, {}, requestsCsv),
  /** Server-sent events, each a `Live` as JSON. */
  member('GET /portal/accounts/:accountId/live', roles, {}, live),
  member(
    'GET /portal/accounts/:accountId/statement',
    roles,
    { month },
    async ({ accounts }, { takes, account: { accountId }, atMs }) =>
      told(statementView(takes.month, await accounts.statement(accountId, takes.month, atMs))),
  ),
  member('GET /portal/accounts/:accountId/statement.csv', roles, { month }, (desk, asked) =>
    statementCsv(desk, asked, asked.takes.month),
  ),

  member('GET /portal/accounts/:accountId/plans', roles, {}, listPlans),
  member('POST /portal/accounts/:accountId/plan', payers, planWish, askForPlan),
  member('DELETE /portal/accounts/:accountId/plan', payers, {}, async ({ people }, { actor, account }) =>
    doneOrRefused(await people.planRequests.withdraw(actor, account.accountId)),
  ),

  member('GET /portal/accounts/:accountId/members', roles, {}, async ({ people }, { account }) =>
    told(await people.members.list(account.accountId)),
  ),
  member(
    'POST /portal/accounts/:accountId/invites',
    owners,
    { email, role: oneOf(...roles) },
    async ({ people }, { actor, takes, account: { accountId, name: called } }) => {
      const account = { accountId, name: called, role: takes.role };
      return doneOrRefused(await people.members.invite(actor, { email: takes.email, account }));
    },
  ),
  member(
    'DELETE /portal/accounts/:accountId/invites/:inviteId',
    owners,
    {},
    async ({ people }, { actor, in: { accountId, inviteId } }) =>
      doneOrRefused(await people.members.withdrawInvite(actor, accountId, inviteId)),
  ),
  member(
    'PATCH /portal/accounts/:accountId/members/:personId',
    owners,
    { role: oneOf(...roles) },
    async ({ people }, { actor, takes, in: { accountId, personId } }) =>
      doneOrRefused(await people.members.changeRole(actor, accountId, personId, takes.role)),
  ),
  member(
    'DELETE /portal/accounts/:accountId/members/:personId',
    roles,
    {},
    async ({ people }, { actor, role, in: { accountId, personId } }) => {
      // Anybody may leave.
      if (role !== 'owner' && personId !== actor.personId)
        return refuse('NOT_ALLOWED', 'Only an owner of the account can remove somebody else; ask one.');
      return doneOrRefused(await people.members.remove(actor, accountId, personId));
    },
  ),
  member(
    'GET /portal/accounts/:accountId/audit',
    owners,
    pageOfAudit,
    async ({ people }, { takes: { before }, account: { accountId } }) =>
      told(await people.audit.page(accountId, { before, limit: auditPage })),
  ),
  member('GET /portal/accounts/:accountId/audit.csv', owners, {}, auditCsv),
  member('GET /portal/accounts/:accountId/export.json', owners, {}, exportAccount),

  operator('GET /portal/admin/accounts', pageOfSearched, findAccounts),
  operator('GET /portal/admin/accounts.csv', searched, accountsCsv),
  operator('POST /portal/admin/accounts', accountWish, openAccount),
  operator('POST /portal/admin/accounts/:accountId/credits', correction, correctCredits),
  operator('POST /portal/admin/accounts/:accountId/plan', planChange, changePlan),
  operator('POST /portal/admin/accounts/:accountId/name', renaming, rename),
  operator('POST /portal/admin/accounts/:accountId/suspend', { reason }, (desk, asked) =>
    suspend(desk, asked, asked.takes.reason),
  ),
  operator('POST /portal/admin/accounts/:accountId/resume', {}, resume),
  operator('GET /portal/admin/plan-requests', {}, async ({ people }) =>
    told({ requests: await people.planRequests.waiting() }),
  ),
  operator('POST /portal/admin/plan-requests/:planRequestId', decision, decidePlan),
  operator('GET /portal/admin/people', searched, listPeople),
  /** What concerns no account: operators, invitations to sign up, and people who belong to none. */
  operator('GET /portal/admin/audit', pageOfAudit, async ({ people }, { takes: { before } }) =>
    told(await people.audit.page(null, { before, limit: auditPage })),
  ),
  operator('POST /portal/admin/invites', { email }, async ({ people }, { actor, takes }) =>
    doneOrRefused(await people.members.invite(actor, { email: takes.email })),
  ),
  operator('GET /portal/admin/overview', {}, readOverview),
  operator('POST /portal/admin/people/:personId/operator', proof, makeOperator),
  operator('GET /portal/admin/data', {}, readData),
  operator('POST /portal/admin/data/update', {}, beginLoading),
  operator('GET /portal/admin/health', {}, readHealth),
  operator('GET /portal/admin/refusals', {}, readRefusals),
  operator('GET /portal/admin/totals', { month }, (desk, asked) =>
    readTotals(desk, asked, asked.takes.month),
  ),
  operator('GET /portal/admin/totals.csv', { month }, (desk, asked) =>
    totalsCsv(desk, asked, asked.takes.month),
  ),
] as const;

type Listed = (typeof routes)[number];
type TellsOf<R extends Listed> = Extract<Awaited<ReturnType<R['serve']>>, Told<unknown>>['tells'];

/** What was told is nobody's to change: a list that a handler has just made is one to read for its pages. */
type Lasting<T> = { readonly [K in keyof T]: T[K] extends readonly (infer Item)[] ? readonly Item[] : T[K] };

/** What pages ask for, by method and path; files and streams are not among it: pages link to them. */
export type Routes = {
  readonly [R in Listed as [TellsOf<R>] extends [never] ? never : R['name']]: {
    readonly in: IdsIn<R['name']>;
    readonly takes: Taken<R['takes']>;
    readonly tells: Lasting<TellsOf<R>>;
  };
};

export type RouteName = keyof Routes;
