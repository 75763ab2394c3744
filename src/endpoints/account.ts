// GET /account: where the account of the key that asks stands.

import { ownAccountIn } from '../contract/account.ts';
import { endpoint } from '../contract/endpoint.ts';
import { integer, nullable, object, oneOf, string } from '../contract/shape.ts';

const instant = string({ format: 'date-time' });
const limit = nullable(integer({ minimum: 1, description: 'Null where there is none.' }));

const windowUse = object('WindowUse', {
  used: integer({
    minimum: 0,
    description: 'Calls so far, this one and refused ones included: it may be more than the limit.',
  }),
  limit,
  resetsAt: instant,
});

export const account = endpoint({
  method: 'GET',
  path: '/account',
  summary: 'Plan, credits, limits and windows of your account',
  description:
    "Where the account of the key that asks stands just now: its plan, what is left of its credits, its limits, how much of each window is used, and which key asked. Any key of the account may ask, a publishable one only where it was made for this path by name. It costs nothing, also on an empty balance, and counts in the windows as every call does. A test key sees the account's real credits, and the windows of test keys, which are counted apart. With the public sandbox key the windows are those of your own address.",
  credits: 0,
  envelope: 'data',
  datasets: [],
  maxAgeSeconds: 0,
  params: {},
  errors: ['AUTHENTICATION_REQUIRED', 'DATABASE_ERROR', 'INTERNAL_SERVER_ERROR'],
  answer: object('Account', {
    accountId: string(),
    plan: oneOf(['trial', 'basic', 'standard', 'premium', 'enterprise']),
    mode: oneOf(['prepaid', 'sandbox'], {
      description: 'As in `billing`: `sandbox` where a test key asks, whose calls are free.',
    }),
    credits: object('AccountCredits', {
      total: integer({ minimum: 0, description: 'What can be spent: the sum of the next two.' }),
      allowance: integer({
        minimum: 0,
        description: "Left of the plan's credits; spent first, and set anew by each refresh.",
      }),
      lasting: integer({ minimum: 0, description: 'Bought or granted, and never reset.' }),
      perMonth: integer({
        minimum: 0,
        description: 'What each refresh sets the allowance to; on trial, what there was once.',
      }),
      refreshAt: nullable(string({ format: 'date-time', description: 'Null where credits do not renew.' })),
    }),
    limits: object(
      'AccountLimits',
      { minute: limit, day: limit, month: limit },
      {
        description: 'Calls that the live keys of the account may make together.',
      },
    ),
    windows: object(
      'AccountWindows',
      { minute: windowUse, day: windowUse, month: windowUse },
      {
        description:
          'Of the calls that this key is counted with: those of all live keys, or of all test keys. Minutes, days and months are those of UTC.',
      },
    ),
    key: object('AskingKey', {
      id: string(),
      kind: oneOf(['live', 'test', 'publishable', 'web', 'admin']),
      lastFour: string({ description: 'The end of the key, to tell keys apart by.' }),
      expiresAt: nullable(string({ format: 'date-time', description: 'Null where it does not expire.' })),
    }),
  }),
  example: {
    accountId: 'acc_public',
    plan: 'trial',
    mode: 'sandbox',
    credits: { total: 0, allowance: 0, lasting: 0, perMonth: 0, refreshAt: null },
    limits: { minute: 10, day: 500, month: 5000 },
    windows: {
      minute: { used: 1, limit: 10, resetsAt: '2026-11-15T12:01:00.000Z' },
      day: { used: 1, limit: 500, resetsAt: '2026-11-16T00:00:00.000Z' },
      month: { used: 1, limit: 5000, resetsAt: '2026-12-01T00:00:00.000Z' },
    },
    key: { id: 'key_public', kind: 'test', lastFour: 'NNv4', expiresAt: null },
  },
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
