// The operator's pages: lists, and everything of the house.

import type { PlanRequest } from '../../../src/people/people.ts';
import type { Routes } from '../../../src/portal/routes.ts';
import type { AdminAccountRow, DatasetAge, RefusalRow } from '../../../src/portal/views.ts';
import { dayMs, hourMs } from '../../../src/time.ts';
import { type Answers, refused } from '../answers.ts';
import { operator, person, type State, signedIn, state } from '../state.ts';
import { account, accountStates } from './admin-account.ts';
import { auditStates } from './admin-audit.ts';

const longName =
  'The Honourable Company of Estate Agents, Valuers & Conveyancers of Chipping Norton (1891) Ltd';

const row = (at: number, more: Partial<AdminAccountRow> = {}): AdminAccountRow => ({
  ...account,
  accountId: `acc_${(1e9 + at * 7919).toString(36)}`,
  name: ['Acme Homes', 'Bright Lettings', 'Corner Mortgages', 'Doorstep Ltd', longName][at % 5] ?? '',
  plan: (['trial', 'basic', 'standard', 'premium', 'enterprise'] as const)[at % 5] ?? 'trial',
  balance: at % 4 === 3 ? 0 : (at * 7919) % 90_000,
  lastCallHourMs: at % 6 === 5 ? null : Date.now() - at * hourMs,
  callsToday: (at * 331) % 5_000,
  errorsToday: at % 3 === 0 ? 0 : (at * 17) % 900,
  owners: at % 7 === 6 ? [] : [`owner${at}@example.com`],
  suspended: at === 2 ? { atMs: Date.now() - dayMs, reason: 'The invoice of October is open.' } : null,
  closedAtMs: at === 4 ? Date.now() - 9 * dayMs : null,
  ...more,
});

const request = (at: number, more: Partial<PlanRequest> = {}): PlanRequest => ({
  planRequestId: `plan_${at}`,
  accountId: row(at).accountId,
  accountName: row(at).name,
  from: 'trial',
  to: at % 2 === 0 ? 'standard' : 'enterprise',
  note: at % 2 === 0 ? 'We go live on 1 December and expect about 20,000 calls a month.' : null,
  askedBy: `owner${at}@example.com`,
  askedAtMs: Date.now() - (at + 1) * 5 * hourMs,
  state: 'waiting',
  decidedAtMs: null,
  answer: null,
  ...more,
});

const noRequests = { ...operator, 'GET /portal/admin/plan-requests': { requests: [] } } satisfies Answers;
const waiting: Answers = {
  ...operator,
  'GET /portal/admin/plan-requests': { requests: [request(0), request(1)] },
};
const away = refused(503, 'UNAVAILABLE', 'The records cannot be read at the moment. Try again shortly.');

const accounts = (rows: readonly AdminAccountRow[], after: string | null = null): Answers => ({
  ...waiting,
  'GET /portal/admin/accounts': { accounts: rows, after },
});

const many = Array.from({ length: 50 }, (_, at) => row(at));

const listStates: readonly State[] = [
  state('admin-not-operator', '/admin', 'For operators only', signedIn),
  state('admin-records-away', '/admin/data', 'Not available at the moment', { 'GET /portal/me': away }),
  state('admin-unknown-page', '/admin/nothing', 'No such page', noRequests),
  state('admin-accounts', '/admin', '7 accounts', accounts(many.slice(0, 7))),
  state('admin-accounts-empty', '/admin', 'No account yet', accounts([])),
  state('admin-accounts-nothing-found', '/admin?q=zebra', 'Nothing found', accounts([])),
  state('admin-accounts-much-data', '/admin?after=acc_kxyz', '50 more accounts', accounts(many, 'acc_kyz0')),
  {
    name: 'admin-accounts-loading',
    loads: 'for ever',
    path: '/admin',
    answers: { ...waiting, 'GET /portal/admin/accounts': 'never' },
    shows: 'Find an account',
  },
  state('admin-accounts-away', '/admin', 'Try again', { ...waiting, 'GET /portal/admin/accounts': away }),
  state(
    'admin-open-account',
    '/admin',
    'This is no address',
    {
      ...accounts(many.slice(0, 7)),
      'POST /portal/admin/accounts': refused(
        400,
        'INVALID',
        'This is no address that mail could reach.',
        'owner',
      ),
    },
    async (page) => {
      await page.getByRole('button', { name: 'Open an account' }).click();
      await page.getByLabel('Name', { exact: true }).fill('Acme Homes');
      await page.getByLabel('Plan').selectOption('Enterprise');
      await page.getByLabel('Credits a month').fill('2000000');
      await page.getByLabel('Owner’s e-mail address').fill('ann@localhost');
      await page.getByRole('button', { name: 'Open it' }).click();
    },
  ),
  state('admin-requests', '/admin/requests', 'We go live', waiting),
  state('admin-requests-empty', '/admin/requests', 'No open requests', noRequests),
  state('admin-requests-much-data', '/admin/requests', 'A long story', {
    ...operator,
    'GET /portal/admin/plan-requests': {
      requests: Array.from({ length: 40 }, (_, at) =>
        request(at, at === 1 ? { note: `${'A long story. '.repeat(30)}\n<script>alert(1)</script>` } : {}),
      ),
    },
  }),
  state('admin-requests-away', '/admin/requests', 'Try again', {
    ...operator,
    'GET /portal/admin/plan-requests': away,
  }),
  state('admin-request-approve', '/admin/requests', 'Credits a month', waiting, (page) =>
    page.getByRole('button', { name: 'Approve the request of Bright Lettings' }).click(),
  ),
  state(
    'admin-request-declined',
    '/admin/requests',
    'Acme Homes stays on Trial.',
    { ...waiting, 'POST /portal/admin/plan-requests/:planRequestId': { done: true } },
    async (page) => {
      await page.getByRole('button', { name: 'Decline the request of Acme Homes' }).click();
      await page
        .getByLabel('Reason, for the customer')
        .fill('Please confirm the address of your firm first.');
      await page.getByRole('button', { name: 'Decline', exact: true }).click();
    },
  ),
];

type Listed = Routes['GET /portal/admin/people']['tells']['people'][number];

const somebody = (at: number): Listed => ({
  ...person,
  personId: `person_${at}`,
  email: `${['ada', 'ben', 'cleo', 'dev'][at % 4]}${at}@${at === 3 ? 'a-long-host-name.'.repeat(4) : ''}example.com`,
  name:
    at % 3 === 2 ? null : (['Ada Lovelace', 'Ben Okri', 'Cleo <b>Laine</b>', 'Dev Patel'][at % 4] ?? null),
  standing: at === 0 ? 'operator' : 'customer',
  secondFactor: at % 2 === 0 ? 'totp' : 'none',
  confirmed: at % 5 === 4 ? 'not yet' : 'yes',
  accounts: Array.from({ length: at % 3 }, (_, each) => {
    const { accountId, name } = row(at + each);
    return { accountId, name };
  }),
});

const people = (count: number, total = count): Answers => ({
  ...waiting,
  'GET /portal/admin/people': { people: Array.from({ length: count }, (_, at) => somebody(at)), total },
  'POST /portal/admin/invites': { done: true },
});

const invite: State['act'] = async (page) => {
  await page.getByRole('button', { name: 'Invite somebody' }).click();
  await page.getByLabel('E-mail address').fill('new@example.com');
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
};

const peopleStates: readonly State[] = [
  state('admin-people', '/admin/people', '6 people', people(6)),
  state('admin-people-empty', '/admin/people?q=zebra', 'Nobody found', people(0)),
  state('admin-people-much-data', '/admin/people', 'The newest 200 of 3,412', people(200, 3_412)),
  state(
    'admin-people-invited',
    '/admin/people',
    'npx domesday people link new@example.com',
    {
      ...people(6),
      'GET /portal/me': { ...operator['GET /portal/me'], mail: 'by the operator' },
    },
    invite,
  ),
  state(
    'admin-people-invite-closed',
    '/admin/people',
    'Sign-up is closed here',
    { ...people(6), 'GET /portal/me': { ...operator['GET /portal/me'], signUp: 'closed' } },
    (page) => page.getByRole('button', { name: 'Invite somebody' }).click(),
  ),
];

const codes = [
  [401, 'UNAUTHORIZED'],
  [402, 'INSUFFICIENT_CREDITS'],
  [404, 'POSTCODE_NOT_FOUND'],
  [429, 'RATE_LIMITED'],
  [403, 'KEY_NOT_ALLOWED'],
] as const;
const paths = ['/api/v1/area/sold-prices', '/api/v1/council-tax/property', '/api/v1/crime'];

const refusal = (at: number): RefusalRow => {
  const [status, code] = codes[at % codes.length] ?? codes[0];
  const of = status === 401 ? null : row(at);
  return {
    accountId: of === null ? null : of.accountId,
    accountName: of === null ? null : of.name,
    path: paths[at % 3] ?? '',
    status,
    code,
    calls: 1 + ((at * 7919) % 4_000),
    lastHourMs: Date.now() - (at % 24) * hourMs,
  };
};

const refusals = (count: number): Answers => ({
  ...waiting,
  'GET /portal/admin/refusals': { refusals: Array.from({ length: count }, (_, at) => refusal(at)) },
});

const totals = (count: number): Answers => ({
  ...waiting,
  'GET /portal/admin/totals': {
    months: ['2026-08', '2026-09', '2026-10', '2026-11'],
    rows: Array.from({ length: count }, (_, at) => {
      const { accountId, name, plan } = row(at);
      return {
        accountId,
        name,
        plan,
        calls: (at * 991) % 70_000,
        credits: (at * 1_997) % 90_000,
        allowanceAdded: at % 4 === 0 ? 30_000 : 0,
        lastingAdded: at % 3 === 0 ? 5_000 : 0,
      };
    }),
  },
});

const dataset = (name: string, more: Partial<DatasetAge> = {}): DatasetAge => ({
  dataset: name,
  publisher: 'Office for National Statistics',
  extent: 'complete',
  asOf: '2026-10-31',
  edition: 'October 2026',
  loadedAt: '2026-11-04T03:41:00Z',
  age: 'current',
  failingSince: null,
  failingBecause: null,
  ...more,
});

const release = (at: number) => ({
  id: `2026-11-${String(16 - at).padStart(2, '0')}T034100Z-${(0xabc123 + at * 7919).toString(16)}`,
  madeAt: at === 3 ? null : new Date(Date.UTC(2026, 10, 16 - at, 3, 41)).toISOString(),
  isCurrent: at === 0,
});

const data = (more: Partial<Routes['GET /portal/admin/data']['tells']> = {}): Answers => ({
  ...waiting,
  'GET /portal/admin/data': {
    releases: [0, 1, 2].map(release),
    datasets: [
      dataset('postcodes'),
      dataset('census', { asOf: '2021-03-21', edition: 'Census 2021' }),
      dataset('bank-rate', { publisher: 'Bank of England' }),
    ],
    lastUpdate: { at: new Date(Date.now() - 9 * hourMs).toISOString(), result: 'updated' },
    nextUpdate: new Date(Date.now() + 15 * hourMs).toISOString(),
    loading: null,
    mayLoad: 'yes',
    ...more,
  },
});

const troubled: readonly DatasetAge[] = [
  dataset('postcodes'),
  dataset('sold-prices', {
    publisher: 'HM Land Registry',
    failingSince: new Date(Date.now() - 12 * dayMs).toISOString(),
    failingBecause:
      'price-paid-data.publicdata.landregistry.gov.uk answered 403 for pp-complete.csv; the file may have moved: DOMESDAY_UPDATE_ADDRESSES says where it is.',
  }),
  dataset('crime', { publisher: 'Home Office', asOf: '2025-12-31', edition: 'December 2025', age: 'old' }),
  dataset('schools', { publisher: 'Department for Education', extent: 'sample', edition: null }),
];

const overview = (busy: number): Answers => ({
  ...waiting,
  'GET /portal/admin/overview': {
    days: Array.from({ length: 30 }, (_, at) => ({
      day: new Date(Date.UTC(2026, 9, 18 + at)).toISOString().slice(0, 10),
      calls: at < busy ? (at * 977) % 5_000 : 0,
      credits: at < busy ? (at * 877) % 5_000 : 0,
    })),
    accounts: busy,
    lowest: Array.from({ length: Math.min(10, busy) }, (_, at) => {
      const { accountId, name, plan, allowance } = row(at);
      return { accountId, name, plan, allowance, balance: at * 700 };
    }),
    backup:
      busy === 0
        ? { lastAtMs: null, unsavedSinceMs: null }
        : { lastAtMs: Date.UTC(2026, 10, 12), unsavedSinceMs: Date.UTC(2026, 10, 13) },
    data: {
      datasets: 14,
      sample: busy === 0 ? ['crime', 'postcodes'] : [],
      failing: busy === 0 ? [] : ['price-paid'],
      old: busy === 0 ? [] : ['traffic'],
    },
  },
});

const health = {
  status: 'ready',
  because: null,
  version: '0.2.0',
  release: release(0).id,
  ledger: 'PostgreSQL',
  upSeconds: 273_400,
  memoryBytes: 412_000_000,
  eventLoopDelayMs: 3.4,
} as const;

const houseStates: readonly State[] = [
  state('admin-refusals', '/admin/refusals', 'Refused calls', refusals(12)),
  state('admin-refusals-empty', '/admin/refusals', 'Nothing was refused', refusals(0)),
  state('admin-refusals-much-data', '/admin/refusals', 'more of', refusals(2_000)),
  state('admin-refusals-by-code', '/admin/refusals?by=code', 'INSUFFICIENT_CREDITS', refusals(200)),
  state('admin-refusals-nothing-found', '/admin/refusals', 'Nothing found', refusals(20), (page) =>
    page.getByLabel('Show only').fill('zebra'),
  ),
  state('admin-totals', '/admin/totals?month=2026-10', 'Lasting credits added', totals(8)),
  state('admin-totals-empty', '/admin/totals?month=2026-10', 'Nothing in October 2026', totals(0)),
  state('admin-totals-much-data', '/admin/totals', 'more of', totals(3_000)),
  state('admin-data', '/admin/data', 'in order', data()),
  state(
    'admin-data-troubled',
    '/admin/data',
    'failing for 12 days',
    data({ datasets: troubled, releases: [0, 1, 2, 3].map(release) }),
  ),
  state(
    'admin-data-loading',
    '/admin/data',
    'Fetching onspd',
    data({
      loading: {
        state: 'running',
        startedAtMs: Date.now() - hourMs,
        lines: ['Fetching onspd: 120.0 MB of 236.0 MB (50 %)', 'Fetching police: 0.4 GB of 1.7 GB (25 %)'],
      },
    }),
  ),
  state(
    'admin-data-replica',
    '/admin/data',
    'follows what is published',
    data({ mayLoad: 'a replica loads nothing' }),
  ),
  state('admin-overview', '/admin/overview', 'open accounts that have the least', overview(30)),
  state('admin-overview-empty', '/admin/overview', 'No calls in', overview(0)),
  state(
    'admin-data-empty',
    '/admin/data',
    'No data is served yet',
    data({ datasets: [], releases: [], lastUpdate: null, nextUpdate: null }),
  ),
  state(
    'admin-data-much-data',
    '/admin/data',
    'Show 10 more of 40',
    data({
      datasets: Array.from({ length: 60 }, (_, at) => dataset(`dataset-${at}`)),
      releases: Array.from({ length: 40 }, (_, at) => release(at)),
    }),
  ),
  state('admin-health', '/admin/health', 'Ready', { ...waiting, 'GET /portal/admin/health': health }),
  state('admin-health-not-ready', '/admin/health', 'Not ready', {
    ...waiting,
    'GET /portal/admin/health': {
      ...health,
      status: 'not ready',
      because: 'The ledger cannot be used; the log has the cause.',
      release: null,
      upSeconds: 42,
    },
  }),
];

export const adminStates: readonly State[] = [
  ...auditStates,
  ...listStates,
  ...accountStates,
  ...peopleStates,
  ...houseStates,
];
