// An account with much in it, as the pages are told it: made by counting, so that every run shows the same.

import type { AuditLine, InviteView, MemberView, PlanRequest } from '../../../src/people/people.ts';
import type {
  KeyView,
  LatencyView,
  Overview,
  PlanView,
  RequestView,
  Statement,
  UsageRowView,
} from '../../../src/portal/views.ts';
import { dayMs } from '../../../src/time.ts';
import type { Answers } from '../answers.ts';
import { person, signedIn } from '../state.ts';

export const accountId = 'acc_7Qm2xWv9Lk4T';
const now = Date.now();
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
export const monthNow = dayOf(now).slice(0, 7);

const endpoints = [
  '/area/statistics',
  '/council-tax/lookup',
  '/crime/by-postcode',
  '/area/sold-prices',
  '/bank-rates',
  '/postcodes/lookup',
  '/council-tax/property-lookup',
];

export const overview: Overview = {
  account: {
    accountId,
    name: 'Analytical Engines Ltd',
    plan: 'standard',
    balance: 18_442,
    lasting: 2_500,
    allowance: 30_000,
    limits: { minute: 30, day: 2_000, month: 30_000 },
    refreshAtMs: now + 12 * dayMs,
    createdAtMs: now - 400 * dayMs,
    closedAtMs: null,
    suspended: null,
  },
  role: 'owner',
  windows: [
    { window: 'minute', used: 4, limit: 30, resetAtMs: now + 40_000 },
    { window: 'day', used: 812, limit: 2_000, resetAtMs: now + 9 * 3_600_000 },
    { window: 'month', used: 14_058, limit: 30_000, resetAtMs: now + 14 * dayMs },
  ],
  forecast: { creditsPerDay: 931.4, emptyAtMs: null, leftAtRefresh: 7_265, days: 7 },
  settings: { parameters: 'kept' },
  planRequest: null,
};

const key = (at: number, more: Partial<KeyView>): KeyView => ({
  keyId: `key_${at}AbCdEfGhIj`,
  name: null,
  kind: 'live',
  lastFour: `${(at * 7919) % 10_000}`.padStart(4, 'x'),
  binding: null,
  createdAtMs: now - (300 - at * 20) * dayMs,
  expiresAtMs: null,
  revokedAtMs: null,
  replacedBy: null,
  state: 'works',
  calls: 1000 * at + 17,
  lastUsedHourMs: now - at * at * 3_600_000,
  unused: 'no',
  ...more,
});

export const keys: readonly KeyView[] = [
  key(1, { name: 'Website before the move', state: 'revoked', revokedAtMs: now - 90 * dayMs }),
  key(2, {
    name: 'Batch on Sundays',
    unused: 'for 90 days',
    lastUsedHourMs: now - 130 * dayMs,
    binding: { origins: null, endpoints: ['/area/sold-prices', '/bank-rates'], addresses: null },
  }),
  key(3, {
    name: 'Production',
    calls: 1_284_551,
    binding: { origins: null, endpoints: null, addresses: ['203.0.113.0/24', '2001:db8:85a3::/48'] },
  }),
  key(4, { name: 'Continuous integration', kind: 'test', calls: 48_220 }),
  key(5, {
    name: 'Map on the web site',
    kind: 'publishable',
    expiresAtMs: now + 80 * dayMs,
    binding: {
      origins: ['https://www.analytical-engines.example', 'https://staging.analytical-engines.example'],
      endpoints: ['/postcodes/complete', '/postcodes/lookup', '/postcodes/near'],
      addresses: null,
    },
  }),
  key(6, { name: 'Old production', state: 'ends', replacedBy: 'key_3AbCdEfGhIj', revokedAtMs: now + dayMs }),
  key(7, { lastUsedHourMs: null, calls: 0 }),
  key(8, { name: 'Trial of a contractor', state: 'expired', expiresAtMs: now - 20 * dayMs }),
];

const statuses = [200, 200, 200, 200, 200, 200, 404, 200, 200, 429, 200, 200, 400, 200, 402, 200, 500];

/** Has all parts, whichever are asked for: a page adds up those it shows. */
export const usageRows: readonly UsageRowView[] = Array.from({ length: 365 }, (_, back) => back).flatMap(
  (back) => {
    const isWeekend = new Date(now - back * dayMs).getUTCDay() % 6 === 0;
    return endpoints.map((endpoint, at) => {
      const calls =
        Math.round(((endpoints.length - at) ** 2 * (isWeekend ? 3 : 11) * (400 - back)) / 300) +
        ((back * 7 + at) % 9);
      const status = statuses[(back + at * 3) % statuses.length] ?? 200;
      const chosen = keys[(back + at) % keys.length];
      return {
        day: dayOf(now - back * dayMs),
        endpoint,
        keyId: at === 6 ? 'key_web' : (chosen?.keyId ?? ''),
        status,
        calls,
        credits: status === 200 ? calls : 0,
      };
    });
  },
);

export const usage = {
  rows: usageRows,
  next: null,
  total: {
    calls: usageRows.reduce((sum, { calls }) => sum + calls, 0),
    credits: usageRows.reduce((sum, { credits }) => sum + credits, 0),
  },
};

const codes = new Map([
  [400, 'INVALID_POSTCODE'],
  [402, 'INSUFFICIENT_CREDITS'],
  [404, 'POSTCODE_NOT_FOUND'],
  [429, 'RATE_LIMITED'],
  [500, 'INTERNAL_ERROR'],
]);

export const requests: readonly RequestView[] = Array.from({ length: 1_000 }, (_, at) => {
  const status = statuses[(at * 5) % statuses.length] ?? 200;
  const path = endpoints[(at * 3) % endpoints.length] ?? '';
  return {
    requestId: `req_${(at * 48_271 + 7_919).toString(36).padStart(6, '0')}Zk3mPq`,
    atMs: now - at * 95_000,
    keyId: keys[2 + (at % 4)]?.keyId ?? '',
    path,
    parameters:
      at % 3 === 0 ? 'postcode=NP10+8WA' : at % 3 === 1 ? 'postcode=SW1A+1AA&months=24&type=detached' : null,
    status,
    code: codes.get(status) ?? null,
    milliseconds: 0.4 + ((at * 37) % 90) / 10 + (status === 500 ? 300 : 0),
    credits: status === 200 ? 1 : 0,
  };
});

export const latency: readonly LatencyView[] = endpoints.map((path, at) => ({
  path,
  requests: 220 - at * 22,
  p50: 0.4 + at / 5,
  p95: 1.2 + at,
  p99: 4 + at * 3.3,
}));

const charged = usageRows
  .filter(({ day, status }) => status === 200 && day?.startsWith(monthNow))
  .map(({ day = '', endpoint = '', calls, credits }) => ({ day, endpoint, calls, credits }))
  .toReversed();

export const statement: Statement = {
  month: monthNow,
  openingBalance: 9_120,
  closingBalance: 9_120 + 29_880 - charged.reduce((sum, { credits }) => sum + credits, 0),
  days: charged,
  movements: [
    line(4_310, 'refresh', 27_500, 30_000, null, 13),
    line(9_815, 'grant', 2_500, 28_114, 'Thanks for reporting the wrong band of 36 Last Lane', 6),
    line(11_201, 'correction', -120, 21_002, 'Counted twice on 3 November', 3),
  ],
  months: Array.from({ length: 12 }, (_, back) => {
    const at = new Date(now);
    return dayOf(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - 11 + back)).slice(0, 7);
  }),
};

function line(
  seq: number,
  kind: 'refresh' | 'grant' | 'correction',
  credits: number,
  balanceAfter: number,
  note: string | null,
  daysAgo: number,
) {
  return {
    seq,
    atMs: now - daysAgo * dayMs,
    kind,
    credits,
    lasting: kind === 'refresh' ? 0 : credits,
    balanceAfter,
    endpoint: null,
    keyId: null,
    requestId: null,
    note,
  };
}

const plan = (
  name: PlanView['plan'],
  [creditsPerMonth, creditsOnce]: readonly [number | null, number | null],
  [minute, day, month]: readonly [number, number, number] | readonly [null, null, null],
): PlanView => ({
  plan: name,
  price: null,
  link: null,
  creditsPerMonth,
  creditsOnce,
  limits: { minute, day, month },
});

export const plans: readonly PlanView[] = [
  plan('trial', [null, 100], [10, 500, 5_000]),
  { ...plan('basic', [5_000, null], [10, 500, 5_000]), price: '£19 a month' },
  {
    ...plan('standard', [30_000, null], [30, 2_000, 30_000]),
    price: '£49 a month',
    link: 'https://example.com/buy',
  },
  plan('premium', [100_000, null], [100, 5_000, 100_000]),
  {
    ...plan('enterprise', [null, null], [null, null, null]),
    price: 'from £900 a month',
    link: 'mailto:sales@example.com',
  },
];

export const planRequest = (more: Partial<PlanRequest>): PlanRequest => ({
  planRequestId: 'plr_1',
  accountId,
  accountName: overview.account.name,
  from: 'basic',
  to: 'standard',
  note: null,
  askedBy: person.email,
  askedAtMs: now - 200 * dayMs,
  state: 'approved',
  decidedAtMs: now - 199 * dayMs,
  answer: null,
  ...more,
});

const member = (
  personId: string,
  email: string,
  name: string | null,
  role: MemberView['role'],
  daysAgo: number,
): MemberView => ({ personId, email, name, role, sinceMs: now - daysAgo * dayMs });

export const members: readonly MemberView[] = [
  member(person.personId, person.email, person.name, 'owner', 400),
  member('person_2', 'charles.babbage@analytical-engines.example', 'Charles Babbage', 'developer', 210),
  member('person_3', 'accounts@analytical-engines.example', null, 'billing', 9),
];

export const invites: readonly InviteView[] = [
  {
    inviteId: 'inv_1',
    email: 'mary.somerville@analytical-engines.example',
    role: 'reader',
    sentAtMs: now - dayMs,
    expiresAtMs: now + 6 * dayMs,
  },
];

const deeds: readonly (readonly [what: string, subject: string, detail: string | null])[] = [
  ['key.revoked', 'key_1AbCdEfGhIj', null],
  ['member.role-changed', 'charles.babbage@analytical-engines.example', 'reader → developer'],
  ['key.rotated', 'key_6AbCdEfGhIj', 'by key_3AbCdEfGhIj, the old one works for 24 hours'],
  ['settings.changed', 'parameters', 'kept'],
  ['plan.asked', 'standard', 'from basic'],
  ['key.created', 'key_8AbCdEfGhIj', 'live'],
];

export const auditLines: readonly AuditLine[] = Array.from({ length: 100 }, (_, at) => {
  const [what, subject, detail] = deeds[at % deeds.length] ?? ['', '', null];
  return {
    auditId: `aud_${at}`,
    atMs: now - at * at * 700_000,
    who: at % 7 === 6 ? 'operator (command)' : at % 2 === 0 ? person.email : 'erased person',
    what,
    subject,
    detail,
    address: at % 7 === 6 ? null : '2001:db8:85a3::8a2e:370:7334',
  };
});

export const own = {
  accounts: [{ accountId, name: overview.account.name, plan: 'standard', role: 'owner' }],
  trial: 'used',
} as const;

/** Everything that the pages of an account may ask. */
export const much: Answers = {
  ...signedIn,
  'GET /portal/accounts': own,
  'GET /portal/accounts/:accountId': overview,
  'GET /portal/accounts/:accountId/keys': {
    keys,
    endpoints: [...endpoints, '/postcodes/near', '/postcodes/complete'],
  },
  'GET /portal/accounts/:accountId/usage': usage,
  'GET /portal/accounts/:accountId/requests': { requests, latency },
  'GET /portal/accounts/:accountId/statement': statement,
  'GET /portal/accounts/:accountId/plans': {
    plans,
    requests: [
      planRequest({}),
      planRequest({
        planRequestId: 'plr_0',
        to: 'premium',
        state: 'declined',
        answer: 'Not before the first invoice is paid; ask again then.',
      }),
    ],
  },
  'GET /portal/accounts/:accountId/members': { members, invites },
  'GET /portal/accounts/:accountId/audit': { lines: auditLines, before: 'aud_99' },
};

/** A trial that began a minute ago. */
export const empty: Answers = {
  ...much,
  'GET /portal/accounts/:accountId': {
    ...overview,
    account: {
      ...overview.account,
      plan: 'trial',
      balance: 100,
      lasting: 0,
      allowance: 100,
      limits: { minute: 10, day: 500, month: 5_000 },
      refreshAtMs: null,
    },
    windows: [
      { window: 'minute', used: 0, limit: 10, resetAtMs: now + 40_000 },
      { window: 'day', used: 0, limit: 500, resetAtMs: now + 9 * 3_600_000 },
      { window: 'month', used: 0, limit: 5_000, resetAtMs: now + 14 * dayMs },
    ],
    forecast: null,
    settings: { parameters: 'not kept' },
  },
  'GET /portal/accounts/:accountId/keys': { keys: [], endpoints },
  'GET /portal/accounts/:accountId/usage': { rows: [], next: null, total: { calls: 0, credits: 0 } },
  'GET /portal/accounts/:accountId/requests': { requests: [], latency: [] },
  'GET /portal/accounts/:accountId/statement': {
    month: monthNow,
    openingBalance: 100,
    closingBalance: 100,
    days: [],
    movements: [],
    months: [monthNow],
  },
  'GET /portal/accounts/:accountId/plans': { plans, requests: [] },
  'GET /portal/accounts/:accountId/members': { members: members.slice(0, 1), invites: [] },
  'GET /portal/accounts/:accountId/audit': { lines: [], before: null },
};
