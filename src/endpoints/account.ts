// GET /account: where the account of the key that asks stands.

import { ownAccountIn } from '../contract/account.ts';
import { endpoint } from '../contract/endpoint.ts';
import { integer, nullable, object, oneOf, string } from '../contract/shape.ts';

const limit = nullable(integer({ minimum: 1, description: 'Most calls in this window. Null: no limit.' }));

const windowUse = object(
  'WindowUse',
  {
    used: integer({
      minimum: 0,
      description: 'Calls so far, including this one and refused ones. It can exceed the limit.',
    }),
    limit,
    resetsAt: string({ format: 'date-time', description: 'When the next window begins.' }),
  },
  { description: 'Use of one rate-limit window.' },
);

export const account = endpoint({
  method: 'GET',
  path: '/account',
  summary: 'Plan, credits and limits of your account',
  description:
    'Shows your account as it is now: its plan, its remaining credits, its limits, the use of each rate-limit window, and the key that made the call. Any key of the account may ask. A publishable key may ask only if it names this path. The call costs nothing, even with an empty balance, but it counts towards the rate limits. A test key sees the real credits of the account, and the windows of test keys, which have their own count. The public sandbox key shows the windows of your own address.',
  credits: 0,
  envelope: 'data',
  datasets: [],
  maxAgeSeconds: 0,
  params: {},
  errors: ['AUTHENTICATION_REQUIRED', 'DATABASE_ERROR', 'INTERNAL_SERVER_ERROR'],
  answer: object('Account', {
    accountId: string({ description: 'Id of the account.' }),
    plan: oneOf(['trial', 'basic', 'standard', 'premium', 'enterprise'], {
      description: 'Plan of the account.',
    }),
    mode: oneOf(['prepaid', 'sandbox'], {
      description: 'As in `billing`. A test key sees `sandbox`: its calls are free.',
    }),
    credits: object(
      'AccountCredits',
      {
        total: integer({
          minimum: 0,
          description: 'Credits that you can spend: `allowance` plus `lasting`.',
        }),
        allowance: integer({
          minimum: 0,
          description:
            'Credits left from the plan. They are spent first. Each refresh sets them to `perMonth`.',
        }),
        lasting: integer({
          minimum: 0,
          description: 'Credits that were bought or granted. No refresh resets them.',
        }),
        perMonth: integer({
          minimum: 0,
          description:
            'What each refresh sets `allowance` to. On a trial, the credits given once at the start.',
        }),
        refreshAt: nullable(
          string({ format: 'date-time', description: 'Next refresh. Null: the credits do not renew.' }),
        ),
      },
      { description: 'Credits of the account.' },
    ),
    limits: object(
      'AccountLimits',
      { minute: limit, day: limit, month: limit },
      {
        description: 'Most calls that all live keys of the account may make together.',
      },
    ),
    windows: object(
      'AccountWindows',
      { minute: windowUse, day: windowUse, month: windowUse },
      {
        description:
          'Use of each rate-limit window. Live keys are counted together, and test keys are counted together; this shows the group of the key that asks. Minutes, days and months are in UTC.',
      },
    ),
    key: object(
      'AskingKey',
      {
        id: string({ description: 'Id of the key.' }),
        kind: oneOf(['live', 'test', 'publishable', 'web', 'admin'], { description: 'Kind of the key.' }),
        lastFour: string({ description: 'Last four characters of the key, to tell keys apart.' }),
        expiresAt: nullable(string({ format: 'date-time', description: 'Null: the key does not expire.' })),
      },
      { description: 'The key that made the call.' },
    ),
  }),
  handle: async (_params, context) => {
    const { accountId, plan, mode, balance, lasting, allowance, refreshAtMs, limits, windows, key } =
      await ownAccountIn(context).standing();
    const told = ({ used, limit, resetAtMs }: typeof windows.minute) => ({
      used,
      limit,
      resetsAt: isoInstant(resetAtMs),
    });
    return {
      accountId,
      plan,
      mode,
      credits: {
        total: balance,
        allowance: balance - lasting,
        lasting,
        perMonth: allowance,
        refreshAt: refreshAtMs === null ? null : isoInstant(refreshAtMs),
      },
      limits,
      windows: { minute: told(windows.minute), day: told(windows.day), month: told(windows.month) },
      key: {
        id: key.keyId,
        kind: key.kind,
        lastFour: key.lastFour,
        expiresAt: key.expiresAtMs === null ? null : isoInstant(key.expiresAtMs),
      },
    };
  },
});

const isoInstant = (ms: number): string => new Date(ms).toISOString();
