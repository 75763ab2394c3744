// The customer's pages: with much in the account, with nothing, waiting, and refused.

import type { Page } from 'playwright-core';
import type { RouteName } from '../../../src/portal/routes.ts';
import { type Answers, refused } from '../answers.ts';
import { operator, type State, signedIn } from '../state.ts';
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
  { name: 'account-start', path: '/account', answers: noTrialYet, shows: 'Name of the account' },
  {
    name: 'account-start-refused',
    path: '/account/start',
    answers: {
      ...noTrialYet,
      'POST /portal/accounts': refused(
        400,
        'INVALID',
        'name must be a text of 1 to 100 characters on one line.',
        'name',
      ),
    },
    act: begin,
    shows: 'on one line',
  },
  {
    name: 'account-start-keys',
    path: '/account/start',
    answers: begun,
    act: begin,
    shows: 'I have saved them',
  },
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
  {
    name: 'account-start-keys-refused',
    path: '/account/start',
    answers: {
      ...begun,
      'POST /portal/accounts/:accountId/keys': refused(
        503,
        'UNAVAILABLE',
        'The ledger is away. Try again in a moment.',
      ),
    },
    act: begin,
    shows: 'The ledger is away',
  },
  {
    name: 'account-start-used',
    path: '/account/start',
    answers: { ...signedIn, 'GET /portal/accounts': { accounts: [], trial: 'used' } },
    shows: 'You are not in any account',
  },
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
  { name: `account-${page === '' ? 'overview' : page}-much`, path: at(page), answers: much, shows: ofMuch },
  {
    name: `account-${page === '' ? 'overview' : page}-empty`,
    path: at(page),
    answers: empty,
    shows: ofEmpty,
  },
]);

const dialogs: readonly State[] = [
  { name: 'account-try', path: at('try'), answers: much, shows: 'Make the call for free' },
  {
    name: 'account-try-answered',
    path: at('try'),
    answers: much,
    act: async (page) => {
      await page.getByLabel('What to ask for').selectOption('Council tax');
      await press('Make the call for free')(page);
    },
    shows: 'band_a',
  },
  {
    name: 'account-keys-make',
    path: at('keys'),
    answers: much,
    act: async (page) => {
      await press('Make a key')(page);
      await page.getByLabel('Publishable').check();
      await page.getByLabel('Endpoints that it may call').selectOption('some');
    },
    shows: 'Origins of the pages',
  },
  {
    name: 'account-keys-make-refused',
    path: at('keys'),
    answers: {
      ...much,
      'POST /portal/accounts/:accountId/keys': refused(
        400,
        'INVALID',
        '“203.0.113” is no address or block of addresses.',
        'addresses',
      ),
    },
    act: async (page) => {
      await press('Make a key')(page);
      await page.getByLabel('IP addresses that may use it').fill('203.0.113');
      await press('Make the key')(page);
    },
    shows: 'is no address',
  },
  {
    name: 'account-keys-made',
    path: at('keys'),
    answers: { ...much, ...begun, 'GET /portal/accounts': much['GET /portal/accounts'] ?? 'never' },
    act: async (page) => {
      await press('Make a key')(page);
      await press('Make the key')(page);
    },
    shows: 'Your new live key',
  },
  {
    name: 'account-keys-revoke',
    path: at('keys'),
    answers: much,
    act: press('Revoke Production'),
    shows: 'Anything that still uses it will stop working',
  },
  {
    name: 'account-keys-rotate',
    path: at('keys'),
    answers: much,
    act: press('Rotate Production'),
    shows: 'Both work until the old one stops',
  },
  {
    name: 'account-keys-change',
    path: at('keys'),
    answers: much,
    act: press('Change Production'),
    shows: 'Takes effect at the next call',
  },
  {
    name: 'account-usage-year',
    path: `${at('usage')}?days=365`,
    answers: much,
    act: async (page) => {
      await page.getByLabel('Split').selectOption('By endpoint');
      await page.getByRole('group', { name: /a week/ }).press('End');
    },
    shows: 'Others',
  },
  {
    name: 'account-requests-filtered',
    path: `${at('requests')}?status=4xx&path=%2Fbank-rates`,
    answers: much,
    shows: 'RATE_LIMITED',
  },
  {
    name: 'account-requests-none-fits',
    path: `${at('requests')}?id=nowhere`,
    answers: much,
    shows: 'No request matches',
  },
  {
    name: 'account-requests-parameters',
    path: at('requests'),
    answers: empty,
    act: press('Keep them'),
    shows: 'Parameters can be personal data',
  },
  {
    name: 'account-people-invite',
    path: at('people'),
    answers: much,
    act: press('Invite somebody'),
    shows: 'E-mail address',
  },
  {
    name: 'account-people-remove',
    path: at('people'),
    answers: much,
    act: press('Remove Charles Babbage'),
    shows: 'loses access at once',
  },
  {
    name: 'account-settings-close',
    path: at('settings'),
    answers: much,
    act: press('Close the account'),
    shows: 'Close it for good',
  },
  {
    name: 'account-plan-ask',
    path: at('plan'),
    answers: much,
    act: press('Choose Premium'),
    shows: 'Note to the operator',
  },
  {
    name: 'account-plan-waiting',
    path: at('plan'),
    answers: {
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
    },
    shows: 'the operator has not decided yet',
  },
];

const otherwise = (more: Partial<typeof overview>): Answers => ({
  ...much,
  'GET /portal/accounts/:accountId': { ...overview, ...more },
});

const standings: readonly State[] = [
  {
    name: 'account-as-operator',
    path: `/account?account=${accountId}`,
    answers: {
      ...otherwise({ role: 'operator' }),
      ...operator,
      'GET /portal/accounts': { accounts: [], trial: 'available' },
    },
    shows: 'Seen as operator',
  },
  {
    name: 'account-suspended',
    path: at('keys'),
    answers: otherwise({
      account: {
        ...overview.account,
        suspended: { atMs: Date.UTC(2026, 10, 14, 10, 5), reason: 'The invoice of October is not paid.' },
      },
    }),
    shows: 'This account is suspended',
  },
  {
    name: 'account-closed',
    path: at('keys'),
    answers: otherwise({ account: { ...overview.account, closedAtMs: Date.UTC(2026, 10, 14) } }),
    shows: 'This account is closed',
  },
  {
    name: 'account-no-credits',
    path: at(''),
    answers: otherwise({
      account: { ...overview.account, balance: 0, lasting: 0 },
      forecast: { creditsPerDay: 0.4, emptyAtMs: Date.now() + 3_600_000, leftAtRefresh: 0, days: 7 },
    }),
    shows: 'No credits left',
  },
  {
    name: 'account-reader',
    path: at('people'),
    answers: otherwise({ role: 'reader' }),
    shows: 'What each role can do',
  },
  {
    name: 'account-several',
    path: at(''),
    answers: {
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
    },
    shows: 'Last requests',
  },
  {
    name: 'account-loading',
    loads: 'for ever',
    path: at(''),
    answers: { ...much, 'GET /portal/accounts/:accountId': 'never' },
    shows: 'Account',
  },
  {
    name: 'account-not-found',
    path: at(''),
    answers: {
      ...much,
      'GET /portal/accounts/:accountId': refused(
        404,
        'NOT_FOUND',
        'There is no such account, or you do not belong to it.',
      ),
    },
    shows: 'There is no such account',
  },
  {
    name: 'account-markup-in-names',
    path: at(''),
    answers: otherwise({ account: { ...overview.account, name: '<img src=x onerror=alert(1)>' } }),
    shows: '<img src=x onerror=alert(1)>',
  },
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

const errors: readonly State[] = asked.map(([page, route]) => ({
  name: `account-${page}-error`,
  path: page === 'statement' ? `${at(page)}?month=${monthNow}` : at(page),
  answers: { ...much, [route]: away },
  shows: 'The records are away',
}));

export const accountStates: readonly State[] = [
  ...startStates,
  ...pageStates,
  ...dialogs,
  ...standings,
  ...errors,
];
