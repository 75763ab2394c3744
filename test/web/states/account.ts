// The customer's pages: with much in the account, with nothing, waiting, and refused.

import type { Page } from 'playwright-core';
import type { RouteName } from '../../../src/portal/routes.ts';
import { type Answers, refused } from '../answers.ts';
import { operator, type State, signedIn, state } from '../state.ts';
import { accountId, empty, monthNow, much, overview, planRequest, plans } from './account-data.ts';

const at = (page: string): string => `/account/${accountId}${page === '' ? '' : `/${page}`}`;
const press = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).click();

const noTrialYet: Answers = { ...signedIn, 'GET /portal/accounts': { accounts: [], trial: 'available' } };
const begun: Answers = {
  ...noTrialYet,
  'POST /portal/accounts': { accountId },
  'POST /portal/accounts/:accountId/keys': {
    keyId: 'key_1',
    key: 'dd_live_4Fj9sKq2mVx7Tn1Zc8Wb5Yh3Rd6Lp0Ga9x1Z',
  },
};

const begin = async (page: Page) => {
  await page.getByLabel('Name of the account').fill('Analytical Engines Ltd');
  await press('Start the trial')(page);
};

const startStates: readonly State[] = [
  state('account-start', '/account', 'Name of the account', noTrialYet),
  state(
    'account-start-refused',
    '/account/start',
    'on one line',
    {
      ...noTrialYet,
      'POST /portal/accounts': refused(
        400,
        'INVALID',
        'name must be a text of 1 to 100 characters on one line.',
        'name',
      ),
    },
    begin,
  ),
  state('account-start-keys', '/account/start', 'I have saved them', begun, begin),
  {
    name: 'account-start-called',
    path: '/account/start',
    answers: begun,
    act: async (page) => {
      await begin(page);
      await press('Make the call for free')(page);
    },
    // The key of this state is made up, so that the service refuses it.
    shows: 'nothing charged',
  },
  state(
    'account-start-keys-refused',
    '/account/start',
    'The ledger is away',
    {
      ...begun,
      'POST /portal/accounts/:accountId/keys': refused(
        503,
        'UNAVAILABLE',
        'The ledger is away. Try again in a moment.',
      ),
    },
    begin,
  ),
  state('account-start-used', '/account/start', 'You are not in any account', {
    ...signedIn,
    'GET /portal/accounts': { accounts: [], trial: 'used' },
  }),
];

/** Of every page of an account: words of it with much, and with nothing. */
const pages: readonly (readonly [page: string, much: string, empty: string])[] = [
  ['', 'Last 30 days', 'No calls in the last 30 days'],
  ['keys', 'Continuous integration', 'No keys yet'],
  ['usage', 'Busiest day', 'No calls in this period'],
  ['requests', '1,000 requests', 'Keep them'],
  ['statement', 'Counted twice', 'None this month'],
  ['plan', 'Not before the first invoice', 'Premium'],
  ['people', 'mary.somerville', 'What each role can do'],
  ['audit', 'Show older ones', 'No changes yet'],
  ['settings', 'Close the account', 'Close the account'],
];

const pageStates: readonly State[] = pages.flatMap(([page, ofMuch, ofEmpty]) => [
  state(`account-${page === '' ? 'overview' : page}-much`, at(page), ofMuch, much),
  state(`account-${page === '' ? 'overview' : page}-empty`, at(page), ofEmpty, empty),
]);

const dialogs: readonly State[] = [
  state('account-try', at('try'), 'Make the call for free', much),
  state('account-try-answered', at('try'), 'band_a', much, async (page) => {
    await page.getByLabel('What to ask for').selectOption('Council tax');
    await press('Make the call for free')(page);
  }),
  state('account-keys-make', at('keys'), 'Origins of the pages', much, async (page) => {
    await press('Make a key')(page);
    await page.getByLabel('Publishable').check();
    await page.getByLabel('Endpoints that it may call').selectOption('some');
  }),
  state(
    'account-keys-make-refused',
    at('keys'),
    'is no address',
    {
      ...much,
      'POST /portal/accounts/:accountId/keys': refused(
        400,
        'INVALID',
        '“203.0.113” is no address or block of addresses.',
        'addresses',
      ),
    },
    async (page) => {
      await press('Make a key')(page);
      await page.getByLabel('IP addresses that may use it').fill('203.0.113');
      await press('Make the key')(page);
    },
  ),
  state(
    'account-keys-made',
    at('keys'),
    'Your new live key',
    { ...much, ...begun, 'GET /portal/accounts': much['GET /portal/accounts'] ?? 'never' },
    async (page) => {
      await press('Make a key')(page);
      await press('Make the key')(page);
    },
  ),
  state(
    'account-keys-revoke',
    at('keys'),
    'Anything that still uses it will stop working',
    much,
    press('Revoke Production'),
  ),
  state(
    'account-keys-rotate',
    at('keys'),
    'Both work until the old one stops',
    much,
    press('Rotate Production'),
  ),
  state('account-keys-change', at('keys'), 'Takes effect at the next call', much, press('Change Production')),
  state('account-usage-year', `${at('usage')}?days=365`, 'Others', much, async (page) => {
    await page.getByLabel('Split').selectOption('By endpoint');
    await page.getByRole('group', { name: /a week/ }).press('End');
  }),
  state('account-requests-filtered', `${at('requests')}?status=4xx&path=%2Fbank-rates`, 'RATE_LIMITED', much),
  state('account-requests-none-fits', `${at('requests')}?id=nowhere`, 'No request matches', much),
  state(
    'account-requests-parameters',
    at('requests'),
    'Parameters can be personal data',
    empty,
    press('Keep them'),
  ),
  state('account-people-invite', at('people'), 'E-mail address', much, press('Invite somebody')),
  state('account-people-remove', at('people'), 'loses access at once', much, press('Remove Charles Babbage')),
  state('account-settings-close', at('settings'), 'Close it for good', much, press('Close the account')),
  state('account-plan-ask', at('plan'), 'Note to the operator', much, press('Choose Premium')),
  state('account-plan-waiting', at('plan'), 'the operator has not decided yet', {
    ...much,
    'GET /portal/accounts/:accountId/plans': {
      plans,
      requests: [
        planRequest({
          from: 'standard',
          to: 'enterprise',
          state: 'waiting',
          decidedAtMs: null,
          note: 'We open in Scotland in January.',
        }),
      ],
    },
  }),
];

const otherwise = (more: Partial<typeof overview>): Answers => ({
  ...much,
  'GET /portal/accounts/:accountId': { ...overview, ...more },
});

const standings: readonly State[] = [
  state('account-as-operator', `/account?account=${accountId}`, 'Seen as operator', {
    ...otherwise({ role: 'operator' }),
    ...operator,
    'GET /portal/accounts': { accounts: [], trial: 'available' },
  }),
  state(
    'account-suspended',
    at('keys'),
    'This account is suspended',
    otherwise({
      account: {
        ...overview.account,
        suspended: { atMs: Date.UTC(2026, 10, 14, 10, 5), reason: 'The invoice of October is not paid.' },
      },
    }),
  ),
  state(
    'account-closed',
    at('keys'),
    'This account is closed',
    otherwise({ account: { ...overview.account, closedAtMs: Date.UTC(2026, 10, 14) } }),
  ),
  state(
    'account-no-credits',
    at(''),
    'No credits left',
    otherwise({
      account: { ...overview.account, balance: 0, lasting: 0 },
      forecast: { creditsPerDay: 0.4, emptyAtMs: Date.now() + 3_600_000, leftAtRefresh: 0, days: 7 },
    }),
  ),
  state('account-reader', at('people'), 'What each role can do', otherwise({ role: 'reader' })),
  state('account-several', at(''), 'Last requests', {
    ...much,
    'GET /portal/accounts': {
      accounts: [
        { accountId, name: overview.account.name, plan: 'standard', role: 'owner' },
        {
          accountId: 'acc_other',
          name: 'Somerville & Daughters, Surveyors and Valuers',
          plan: 'basic',
          role: 'reader',
        },
      ],
      trial: 'used',
    },
  }),
  {
    name: 'account-loading',
    loads: 'for ever',
    path: at(''),
    answers: { ...much, 'GET /portal/accounts/:accountId': 'never' },
    shows: 'Account',
  },
  state('account-not-found', at(''), 'There is no such account', {
    ...much,
    'GET /portal/accounts/:accountId': refused(
      404,
      'NOT_FOUND',
      'There is no such account, or you do not belong to it.',
    ),
  }),
  state(
    'account-markup-in-names',
    at(''),
    '<img src=x onerror=alert(1)>',
    otherwise({ account: { ...overview.account, name: '<img src=x onerror=alert(1)>' } }),
  ),
];

const away = refused(503, 'UNAVAILABLE', 'The records are away. Try again in a moment.');
/** What a page cannot do without. */
const asked: readonly (readonly [page: string, route: RouteName])[] = [
  ['keys', 'GET /portal/accounts/:accountId/keys'],
  ['usage', 'GET /portal/accounts/:accountId/usage'],
  ['requests', 'GET /portal/accounts/:accountId/requests'],
  ['statement', 'GET /portal/accounts/:accountId/statement'],
  ['plan', 'GET /portal/accounts/:accountId/plans'],
  ['people', 'GET /portal/accounts/:accountId/members'],
  ['audit', 'GET /portal/accounts/:accountId/audit'],
];

const errors: readonly State[] = asked.map(([page, route]) =>
  state(
    `account-${page}-error`,
    page === 'statement' ? `${at(page)}?month=${monthNow}` : at(page),
    'The records are away',
    { ...much, [route]: away },
  ),
);

export const accountStates: readonly State[] = [
  ...startStates,
  ...pageStates,
  ...dialogs,
  ...standings,
  ...errors,
];
