// Every route of the pages' interface: who may ask, what they may send, and what answers. A route of the contract that is
// missing here does not compile, nor does one with a guard that is not made for it.

import { planNames } from '../ledger/plans.ts';
import { roles } from './contract.ts';
import {
  accountsCsv,
  auditCsv,
  exportAccount,
  requestsCsv,
  statementCsv,
  totalsCsv,
  usageCsv,
} from './files.ts';
import { type AnyRoute, anybody, type Entry, member, operator, person, seen, taking } from './guards.ts';
import { findAccounts } from './handlers/account-list.ts';
import { changeSettings, closeAccount, listAccounts, openTrial, overview } from './handlers/accounts.ts';
import { exploreKey } from './handlers/explore.ts';
import { readData, readHealth, readHouseAudit, readTotals } from './handlers/house.ts';
import { changeKey, createKey, createWebKey, listKeys, revokeKey, rotateKey } from './handlers/keys.ts';
import {
  changeRole,
  invite,
  listMembers,
  readAudit,
  removeMember,
  withdrawInvite,
} from './handlers/members.ts';
import {
  changePlan,
  correctCredits,
  decidePlan,
  inviteToSignUp,
  listPeople,
  listPlanRequests,
  openAccount,
  resume,
  suspend,
} from './handlers/operator.ts';
import {
  acceptInvite,
  beginTotp,
  changePassword,
  confirmTotp,
  endOtherSessions,
  endSession,
  erase,
  listSessions,
  removeTotp,
  rename,
} from './handlers/own-person.ts';
import { askForPlan, listPlans, withdrawPlan } from './handlers/plan.ts';
import { readRefusals, readRequests } from './handlers/requests.ts';
import { askReset, confirm, me, reset, signIn, signOut, signUp } from './handlers/signing.ts';
import { readStatement, readUsage } from './handlers/usage.ts';
import { live } from './live.ts';
import {
  day,
  digits,
  line,
  listOf,
  moment,
  month,
  oneOf,
  optional,
  orNull,
  secret,
  text,
  wholeNumber,
} from './shapes.ts';

type Table = { readonly [R in AnyRoute]: Entry<R> };

const nothing = {};
const none = { ids: nothing, takes: nothing };
const email = line(254);
const password = secret(1_000);
const code = secret(40);
const token = line(200);
const name = line(100);
const reason = line(300);
const note = line(500);
const role = oneOf(...roles);
const planName = oneOf(...planNames);
/** What a ledger can hold is judged there. */
const credits = wholeNumber(-1e15, 1e15);
const creditsPerMonth = optional(wholeNumber(0, 1e15));
const id = line(64);
const inAccount = { accountId: id };
const ofAccount = { ids: inAccount, takes: nothing };
const inKey = { accountId: id, keyId: id };
const inMember = {
  accountId: id,
  personId: id,
};
const paths = listOf(line(100), 50);
const blocks = listOf(line(50), 50);
const origins = listOf(line(200), 50);
const days = {
  from: day,
  to: day,
  by: text(40),
};
const ofMonth = { month };
const searched = { q: optional(text(100)) };
const again = {
  password,
  code: optional(code),
};

/** Who keeps keys in order. */
const builders = ['owner', 'developer'] as const;
/** Who settles what it costs. */
const payers = ['owner', 'billing'] as const;
const owners = ['owner'] as const;

export const table: Table = {
  'GET /portal/me': anybody(none, me),
  'POST /portal/sign-up': anybody(
    { ids: nothing, takes: { email, password: optional(password), invite: optional(token) } },
    signUp,
  ),
  'POST /portal/confirm': anybody({ ids: nothing, takes: { token, password } }, confirm),
  'POST /portal/sign-in': anybody({ ids: nothing, takes: { email, password, code: optional(code) } }, signIn),
  'POST /portal/sign-out': anybody(none, signOut),
  'POST /portal/reset-request': anybody({ ids: nothing, takes: { email } }, askReset),
  'POST /portal/reset': anybody({ ids: nothing, takes: { token, password } }, reset),
  'POST /portal/explore/key': anybody(none, exploreKey),

  'GET /portal/sessions': person(none, listSessions),
  'DELETE /portal/sessions/:sessionId': person({ ids: { sessionId: id }, takes: nothing }, endSession),
  'DELETE /portal/sessions': person(none, endOtherSessions),
  'POST /portal/password': person(
    { ids: nothing, takes: { current: password, next: password } },
    changePassword,
  ),
  'PATCH /portal/person': person({ ids: nothing, takes: { name: orNull(name) } }, rename),
  'DELETE /portal/person': person({ ids: nothing, takes: again }, erase),
  'POST /portal/totp/begin': person({ ids: nothing, takes: { password } }, beginTotp),
  'POST /portal/totp/confirm': person({ ids: nothing, takes: { code } }, confirmTotp),
  'DELETE /portal/totp': person({ ids: nothing, takes: { password, code } }, removeTotp),
  'POST /portal/invites/accept': person({ ids: nothing, takes: { token } }, acceptInvite),

  'GET /portal/accounts': person(none, listAccounts),
  'POST /portal/accounts': person({ ids: nothing, takes: { name } }, openTrial),
  'GET /portal/accounts/:accountId': seen(roles, ofAccount, overview),
  'PATCH /portal/accounts/:accountId': member(
    owners,
    { ids: inAccount, takes: { parameters: optional(oneOf('kept', 'not kept')) } },
    changeSettings,
  ),
  'DELETE /portal/accounts/:accountId': taking(owners, { ids: inAccount, takes: again }, closeAccount),

  'GET /portal/accounts/:accountId/keys': seen(roles, ofAccount, listKeys),
  'POST /portal/accounts/:accountId/keys': member(
    builders,
    {
      ids: inAccount,
      takes: {
        kind: oneOf('live', 'test', 'publishable'),
        name: optional(name),
        expiresAtMs: optional(moment),
        origins: optional(origins),
        endpoints: optional(paths),
        addresses: optional(blocks),
      },
    },
    createKey,
  ),
  'PATCH /portal/accounts/:accountId/keys/:keyId': member(
    builders,
    {
      ids: inKey,
      takes: {
        name: optional(orNull(name)),
        expiresAtMs: optional(orNull(moment)),
        endpoints: optional(orNull(paths)),
        addresses: optional(orNull(blocks)),
      },
    },
    changeKey,
  ),
  'POST /portal/accounts/:accountId/keys/:keyId/revoke': member(
    builders,
    { ids: inKey, takes: nothing },
    revokeKey,
  ),
  'POST /portal/accounts/:accountId/keys/:keyId/rotate': member(
    builders,
    { ids: inKey, takes: { overlapHours: wholeNumber(0, 2_160) } },
    rotateKey,
  ),
  'POST /portal/accounts/:accountId/web-key': member(builders, ofAccount, createWebKey),

  'GET /portal/accounts/:accountId/usage': seen(
    roles,
    { ids: inAccount, takes: { ...days, offset: optional(digits) } },
    readUsage,
  ),
  'GET /portal/accounts/:accountId/usage.csv': seen(roles, { ids: inAccount, takes: days }, usageCsv),
  'GET /portal/accounts/:accountId/requests': seen(roles, ofAccount, readRequests),
  'GET /portal/accounts/:accountId/requests.csv': seen(roles, ofAccount, requestsCsv),
  'GET /portal/accounts/:accountId/live': seen(roles, ofAccount, live),
  'GET /portal/accounts/:accountId/statement': seen(roles, { ids: inAccount, takes: ofMonth }, readStatement),
  'GET /portal/accounts/:accountId/statement.csv': seen(
    roles,
    { ids: inAccount, takes: ofMonth },
    statementCsv,
  ),

  'GET /portal/accounts/:accountId/plans': seen(roles, ofAccount, listPlans),
  'POST /portal/accounts/:accountId/plan': member(
    payers,
    { ids: inAccount, takes: { plan: planName, note: optional(note) } },
    askForPlan,
  ),
  'DELETE /portal/accounts/:accountId/plan': taking(payers, ofAccount, withdrawPlan),

  'GET /portal/accounts/:accountId/members': seen(roles, ofAccount, listMembers),
  'POST /portal/accounts/:accountId/invites': member(
    owners,
    { ids: inAccount, takes: { email, role } },
    invite,
  ),
  'DELETE /portal/accounts/:accountId/invites/:inviteId': taking(
    owners,
    { ids: { accountId: id, inviteId: id }, takes: nothing },
    withdrawInvite,
  ),
  'PATCH /portal/accounts/:accountId/members/:personId': member(
    owners,
    { ids: inMember, takes: { role } },
    changeRole,
  ),
  'DELETE /portal/accounts/:accountId/members/:personId': taking(
    roles,
    { ids: inMember, takes: nothing },
    removeMember,
  ),
  'GET /portal/accounts/:accountId/audit': seen(
    owners,
    { ids: inAccount, takes: { before: optional(line(100)) } },
    readAudit,
  ),
  'GET /portal/accounts/:accountId/audit.csv': seen(owners, ofAccount, auditCsv),
  'GET /portal/accounts/:accountId/export.json': seen(owners, ofAccount, exportAccount),

  'GET /portal/admin/accounts': operator(
    { ids: nothing, takes: { ...searched, after: optional(id) } },
    findAccounts,
  ),
  'GET /portal/admin/accounts.csv': operator({ ids: nothing, takes: searched }, accountsCsv),
  'POST /portal/admin/accounts': operator(
    { ids: nothing, takes: { name, plan: planName, owner: optional(email), creditsPerMonth } },
    openAccount,
  ),
  'POST /portal/admin/accounts/:accountId/credits': operator(
    { ids: inAccount, takes: { credits, reason } },
    correctCredits,
  ),
  'POST /portal/admin/accounts/:accountId/plan': operator(
    { ids: inAccount, takes: { plan: planName, reason, creditsPerMonth } },
    changePlan,
  ),
  'POST /portal/admin/accounts/:accountId/suspend': operator({ ids: inAccount, takes: { reason } }, suspend),
  'POST /portal/admin/accounts/:accountId/resume': operator(ofAccount, resume),
  'GET /portal/admin/plan-requests': operator(none, listPlanRequests),
  'POST /portal/admin/plan-requests/:planRequestId': operator(
    {
      ids: { planRequestId: id },
      takes: {
        decision: oneOf('approve', 'decline'),
        answer: optional(note),
        creditsPerMonth,
      },
    },
    decidePlan,
  ),
  'GET /portal/admin/people': operator({ ids: nothing, takes: searched }, listPeople),
  'GET /portal/admin/audit': operator(
    { ids: nothing, takes: { before: optional(line(100)) } },
    readHouseAudit,
  ),
  'POST /portal/admin/invites': operator({ ids: nothing, takes: { email } }, inviteToSignUp),
  'GET /portal/admin/data': operator(none, readData),
  'GET /portal/admin/health': operator(none, readHealth),
  'GET /portal/admin/refusals': operator(none, readRefusals),
  'GET /portal/admin/totals': operator({ ids: nothing, takes: ofMonth }, readTotals),
  'GET /portal/admin/totals.csv': operator({ ids: nothing, takes: ofMonth }, totalsCsv),
};
