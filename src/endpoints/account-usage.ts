// GET /account/usage: calls and credits of the account, added up by day, endpoint, key and status.

import { ownAccountIn, usageDimensions } from '../contract/account.ts';
import { endpoint } from '../contract/endpoint.ts';
import { choices, date, wholeNumber } from '../contract/params.ts';
import { refuse } from '../contract/refusal.ts';
import { boolean, integer, list, object, oneOf, optional, type Static, string } from '../contract/shape.ts';
import { formatDay, monthOf } from '../uk/calendar.ts';

/** A leap year. */
const daysMost = 366;

const row = object('UsageRow', {
  day: optional(string({ format: 'date', description: 'A day of UTC. With `by=day`.' })),
  endpoint: optional(
    string({
      description:
        'Its path; `other` for calls that nothing answers, as of an unknown path. With `by=endpoint`.',
    }),
  ),
  key: optional(string({ description: 'Id of the key. With `by=key`.' })),
  status: optional(
    integer({
      description:
        'HTTP status; 499 where the caller had left before the answer was charged. With `by=status`.',
    }),
  ),
  calls: integer({ minimum: 0 }),
  credits: integer({ minimum: 0 }),
});

const day = string({ format: 'date' });

export const accountUsage = endpoint({
  method: 'GET',
  path: '/account/usage',
  summary: 'Calls and credits of your account by day, endpoint, key and status',
  description: `What the account of the key that asks has called and spent, all of its keys together, test keys included. Days are those of UTC, as the windows are. At most ${daysMost} days at once. \`total\` is of everything asked for, whatever the page; while there are more rows, a \`Link\` header with rel="next" has the address of the next page. Rows are sorted by day, endpoint, key and status. Every call that was answered before is in it, this one is not yet; where several replicas answer, a call that cost nothing may come up to a second late from another one, and later while that one cannot reach the database. Any key of the account may ask, a publishable one only where it was made for this path by name. It costs nothing, also on an empty balance, and counts in the windows as every call does. The public sandbox key belongs to everybody, so that its usage is made up, and \`fictional\` says so.`,
  credits: 0,
  envelope: 'data',
  datasets: [],
  maxAgeSeconds: 0,
  params: {
    from: date({
      description: 'First day. Without it, the first of the month of `to`.',
      example: '2026-01-05',
      fault: 'INVALID_DATE_FORMAT',
    }),
    to: date({
      description: 'Last day, itself included. Without it, today.',
      example: '2026-01-06',
      fault: 'INVALID_DATE_FORMAT',
    }),
    by: choices(usageDimensions, {
      description:
        'What to add up by: `day`, `endpoint`, `key` or `status`, or several with commas between them. Without it, `day`.',
      example: 'day,endpoint',
      fault: 'INVALID_PARAMETER',
    }),
    limit: wholeNumber({
      description: 'How many rows to list.',
      min: 1,
      max: 1000,
      fallback: 100,
      outside: 'clamp',
      fault: 'INVALID_PARAMETER',
    }),
    offset: wholeNumber({
      description: 'How many rows to leave out before the page.',
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
      fallback: 0,
      outside: 'clamp',
      fault: 'INVALID_PARAMETER',
    }),
  },
  tryWith: ['from', 'to', 'by'],
  errors: [
    'INVALID_DATE_FORMAT',
    'INVALID_PARAMETER',
    'AUTHENTICATION_REQUIRED',
    'DATABASE_ERROR',
    'INTERNAL_SERVER_ERROR',
  ],
  answer: object('AccountUsage', {
    from: day,
    to: day,
    by: list(oneOf(usageDimensions)),
    fictional: boolean({ description: 'Whether all of it is made up.' }),
    total: object('UsageTotal', { calls: integer({ minimum: 0 }), credits: integer({ minimum: 0 }) }),
    totalResults: integer({ minimum: 0, description: 'All rows.' }),
    returned: integer({ minimum: 0 }),
    offset: integer({ minimum: 0 }),
    rows: list(row),
  }),
  csv: 'rows',
  // With the days written out: a next page that is asked for after midnight is of the same days.
  nextPage: ({ from, to, totalResults, returned, offset }) =>
    returned === 0 || offset + returned >= totalResults ? undefined : { from, to, offset: offset + returned },
  example: {
    from: '2026-01-05',
    to: '2026-01-06',
    by: ['day', 'endpoint'],
    fictional: true,
    total: { calls: 209, credits: 165 },
    totalResults: 4,
    returned: 4,
    offset: 0,
    rows: [
      { day: '2026-01-05', endpoint: '/area/statistics', calls: 76, credits: 76 },
      { day: '2026-01-05', endpoint: '/bank-rates', calls: 24, credits: 2 },
      { day: '2026-01-06', endpoint: '/area/statistics', calls: 85, credits: 85 },
      { day: '2026-01-06', endpoint: '/bank-rates', calls: 24, credits: 2 },
    ],
  },
  handle: async (params, context) => {
    const account = ownAccountIn(context);
    const span = spanOf(params, account.today);
    if ('kind' in span) return span;
    const { fromDay, toDay } = span;
    const by = params.by.length === 0 ? (['day'] as const) : params.by;
    const { limit, offset } = params;
    const { rows, total, of } = await account.usage({ fromDay, toDay, by, limit, offset });
    const [from, to] = [formatDay(fromDay), formatDay(toDay)];
    return {
      from,
      to,
      by,
      fictional: of !== 'the account',
      total: { calls: total.calls, credits: total.credits },
      totalResults: total.rows,
      returned: rows.length,
      offset,
      rows: rows.map(tell),
    };
  },
});

type Told = Static<typeof row>;

function tell({ day: dayNumber, ...sum }: Omit<Told, 'day'> & { readonly day?: number }): Told {
  return dayNumber === undefined ? sum : { day: formatDay(dayNumber), ...sum };
}

type Asked = { readonly from: number | undefined; readonly to: number | undefined };

function spanOf({ from, to }: Asked, today: number) {
  const toDay = to ?? today;
  const fromDay = from ?? firstOfMonth(toDay);
  if (fromDay > toDay) {
    const message =
      to === undefined
        ? `\`from\` is after today by UTC, ${formatDay(today)}; send an earlier day.`
        : '`from` is after `to`; send them the other way round.';
    return refuse('INVALID_PARAMETER', message, { field: 'from' });
  }
  if (toDay - fromDay >= daysMost) {
    const message = `Ask for at most ${daysMost} days at once; up to ${formatDay(toDay)}, \`from\` may be ${formatDay(toDay - daysMost + 1)} at the earliest.`;
    return refuse('INVALID_PARAMETER', message, { field: 'from' });
  }
  return { fromDay, toDay };
}

function firstOfMonth(of: number): number {
  let first = of;
  while (monthOf(first - 1) === monthOf(of)) first -= 1;
  return first;
}
