// The operator's page of one account.

import type { Page } from 'playwright-core';
import type { AuditLine, PlanRequest } from '../../../src/people/people.ts';
import type { AccountView, AdminAccountRow, Overview } from '../../../src/portal/views.ts';
import { dayMs } from '../../../src/time.ts';
import { type Answers, refused } from '../answers.ts';
import { operator, type State, state } from '../state.ts';
import { plans } from './account-data.ts';

export const account: AccountView = {
  accountId: 'acc_1aB2c3D4e5F6g7',
  name: 'Acme Homes',
  plan: 'standard',
  balance: 24_310,
  lasting: 1_500,
  allowance: 30_000,
  limits: { minute: 30, day: 2_000, month: 30_000 },
  refreshAtMs: Date.now() + 12 * dayMs,
  createdAtMs: Date.UTC(2026, 4, 3),
  closedAtMs: null,
  suspended: null,
};

const row: AdminAccountRow = {
  ...account,
  lastCallHourMs: Date.now(),
  callsToday: 1_204,
  errorsToday: 31,
  owners: ['ann@example.com'],
};

const overview: Overview = {
  account,
  role: 'operator',
  windows: [
    { window: 'minute', used: 4, limit: 30, resetAtMs: Date.now() + 30_000 },
    { window: 'day', used: 1_204, limit: 2_000, resetAtMs: Date.now() + dayMs },
    { window: 'month', used: 28_400, limit: 30_000, resetAtMs: Date.now() + 12 * dayMs },
  ],
  forecast: { creditsPerDay: 1_388.4, emptyAtMs: null, leftAtRefresh: 7_650, days: 7 },
  settings: { parameters: 'not kept' },
  planRequest: null,
};

const line = (at: number, what: string, subject: string, detail: string | null): AuditLine => ({
  auditId: `audit_${at}`,
  atMs: Date.now() - at * 7 * 3_600_000,
  who: at % 3 === 2 ? 'operator (command)' : 'ann@example.com',
  what,
  subject,
  detail,
  address: '198.51.100.7',
});

const lines = [
  line(0, 'key.made', 'key_7fQ2', 'live, “website”'),
  line(1, 'credits.granted', '1500', 'For the outage of 3 November.'),
  line(2, 'plan.changed', 'standard', 'from trial: agreed by telephone'),
];

const planRequest: PlanRequest = {
  planRequestId: 'plan_1',
  accountId: account.accountId,
  accountName: account.name,
  from: 'standard',
  to: 'premium',
  note: null,
  askedBy: 'ann@example.com',
  askedAtMs: Date.now() - dayMs,
  state: 'waiting',
  decidedAtMs: null,
  answer: null,
};

const page = `/admin/accounts/${account.accountId}`;

const answers: Answers = {
  ...operator,
  'GET /portal/admin/plan-requests': { requests: [planRequest] },
  'GET /portal/accounts/:accountId': overview,
  'GET /portal/admin/accounts': { accounts: [row], after: null },
  'GET /portal/accounts/:accountId/members': {
    members: [
      {
        personId: 'person_1',
        email: 'ann@example.com',
        name: 'Ann Archer',
        role: 'owner',
        sinceMs: account.createdAtMs,
      },
      {
        personId: 'person_2',
        email: 'dev@example.com',
        name: null,
        role: 'developer',
        sinceMs: account.createdAtMs,
      },
    ],
    invites: [
      {
        inviteId: 'invite_1',
        email: 'bills@example.com',
        role: 'billing',
        sentAtMs: Date.now() - dayMs,
        expiresAtMs: Date.now() + 6 * dayMs,
      },
    ],
  },
  'GET /portal/accounts/:accountId/audit': { lines, before: null },
  'GET /portal/accounts/:accountId/keys': { keys: [], endpoints: [] },
  'GET /portal/accounts/:accountId/plans': { plans, requests: [] },
};

const with_ = (more: Partial<Overview>, rest: Answers = {}): Answers => ({
  ...answers,
  'GET /portal/accounts/:accountId': { ...overview, ...more },
  ...rest,
});

const press = (name: string) => (on: Page) => on.getByRole('button', { name }).click();

export const accountStates: readonly State[] = [
  state('admin-account', page, 'For the outage', answers),
  {
    name: 'admin-account-loading',
    loads: 'for ever',
    path: page,
    answers: { ...answers, 'GET /portal/accounts/:accountId': 'never' },
    shows: 'All accounts',
  },
  state('admin-account-not-found', page, 'Not found', {
    ...answers,
    'GET /portal/accounts/:accountId': refused(
      404,
      'NOT_FOUND',
      'There is nothing by this id that you may see.',
    ),
  }),
  state(
    'admin-account-suspended',
    page,
    'Resume the account',
    with_({
      account: {
        ...account,
        suspended: { atMs: Date.now() - dayMs, reason: 'The invoice of October is open.' },
      },
      planRequest,
    }),
  ),
  state(
    'admin-account-closed',
    page,
    'Closed on',
    with_({ account: { ...account, closedAtMs: Date.now() - dayMs } }),
  ),
  state(
    'admin-account-without-owner',
    page,
    'Nobody owns this account',
    with_(
      {
        account: {
          ...account,
          name: 'The Honourable Company of Estate Agents, Valuers & Conveyancers of Chipping Norton',
          plan: 'enterprise',
        },
        windows: overview.windows.map((window) => ({ ...window, limit: null })),
        forecast: null,
      },
      {
        'GET /portal/accounts/:accountId/members': { members: [], invites: [] },
        'GET /portal/accounts/:accountId/audit': { lines: [], before: null },
      },
    ),
  ),
  state('admin-account-much-data', page, 'Show older ones', {
    ...answers,
    'GET /portal/accounts/:accountId/audit': {
      lines: Array.from({ length: 100 }, (_, at) =>
        line(
          at,
          'member.invited',
          `${'a-very-long-name.'.repeat(5)}@example.com`,
          at % 2 === 0 ? 'developer' : null,
        ),
      ),
      before: 'audit_100',
    },
  }),
  state(
    'admin-account-credits',
    page,
    'cannot fall below zero',
    {
      ...answers,
      'POST /portal/admin/accounts/:accountId/credits': refused(
        409,
        'CONFLICT',
        'The balance is 24310 and cannot fall below zero; take at most that.',
      ),
    },
    async (on) => {
      await press('Correct the credits')(on);
      await on.getByLabel('Take credits back').check();
      await on.getByLabel('Credits', { exact: true }).fill('24000');
      await on.getByLabel('Reason').fill('Given twice by mistake.');
      await press('Take credits back')(on);
    },
  ),
  state('admin-account-plan', page, 'As agreed. This plan', answers, async (on) => {
    await press('Change the plan')(on);
    await on.getByLabel('Plan', { exact: true }).selectOption('Enterprise');
  }),
  state('admin-account-suspend', page, 'The customer sees it', answers, press('Suspend the account')),
  state(
    'admin-account-credits-given',
    page,
    '24,810 are left.',
    { ...answers, 'POST /portal/admin/accounts/:accountId/credits': { balance: 24_810 } },
    async (on) => {
      await press('Correct the credits')(on);
      await on.getByLabel('Credits', { exact: true }).fill('500');
      await on.getByLabel('Reason').fill('For the outage.');
      await press('Give credits')(on);
    },
  ),
];
