// GET /account/usage: calls and credits of the account, added up by day, endpoint, key and status.

import { ownAccountIn, usageDimensions } from '../contract/account.ts';
import { endpoint } from '../contract/endpoint.ts';
import { choices, date, wholeNumber } from '../contract/params.ts';
import { refuse } from '../contract/refusal.ts';
import { boolean, integer, list, object, oneOf, optional, type Static, string } from '../contract/shape.ts';
import { formatDay, monthOf } from '../uk/calendar.ts';

/** A leap year. */
const daysMost = 366;

const row = object(
  'UsageRow',
  {
    day: optional(string({ format: 'date', description: 'A day in UTC. Present with `by=day`.' })),
    endpoint: optional(
      string({
        description:
          'Path of the endpoint. `other` stands for calls that no endpoint answered, such as an unknown path. Present with `by=endpoint`.',
      }),
    ),
    key: optional(string({ description: 'Id of the key. Present with `by=key`.' })),
    status: optional(
      integer({
        description:
          'HTTP status. 499 means that the caller hung up before the answer was charged. Present with `by=status`.',
      }),
    ),
    calls: integer({ minimum: 0, description: 'Number of calls in this row.' }),
    credits: integer({ minimum: 0, description: 'Credits that these calls cost.' }),
  },
  { description: 'Calls and credits of one group.' },
);

const day = (description: string) => string({ format: 'date', description });

export const accountUsage = endpoint({
  method: 'GET',
  path: '/account/usage',
  summary: 'Calls and credits of your account by day, endpoint, key and status',
  description: `Calls and credits of your account: all of its keys together, including test keys. Days are in UTC, like the rate limits. Ask for at most ${daysMost} days at once. Rows are sorted by day, endpoint, key and status. \`total\` covers everything you ask for, not only the page. While there are more rows, a \`Link\` header with rel="next" has the address of the next page. The figures include every call answered before this one, but not this one. If several replicas share the work, a free call to another replica can appear up to a second late, or later if that replica cannot reach the database. Any key of the account may ask. A publishable key may ask only if it names this path. The call costs nothing, even with an empty balance, but it counts towards the rate limits. Everybody shares the public sandbox key, so its usage is invented, and \`fictional\` is true.`,
  credits: 0,
  envelope: 'data',
  datasets: [],
  maxAgeSeconds: 0,
  params: {
    from: date({
      description: 'First day. Default: the first day of the month of `to`.',
      example: '2026-01-05',
      fault: 'INVALID_DATE_FORMAT',
    }),
    to: date({
      description: 'Last day, included. Default: today.',
      example: '2026-01-06',
      fault: 'INVALID_DATE_FORMAT',
    }),
    by: choices(usageDimensions, {
      description:
        'How to group the rows: `day`, `endpoint`, `key` or `status`, or several of them separated by commas. Default: `day`.',
      example: 'day,endpoint',
      fault: 'INVALID_PARAMETER',
    }),
    limit: wholeNumber({
      description: 'Number of rows on a page.',
      min: 1,
      max: 1000,
      fallback: 100,
      outside: 'clamp',
      fault: 'INVALID_PARAMETER',
    }),
    offset: wholeNumber({
      description: 'Number of rows to skip before the page.',
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
    from: day('First day of the figures.'),
    to: day('Last day of the figures, included.'),
    by: list(oneOf(usageDimensions), { description: 'How the rows are grouped.' }),
    fictional: boolean({ description: 'True if the figures are invented, as for the public sandbox key.' }),
    total: object(
      'UsageTotal',
      {
        calls: integer({ minimum: 0, description: 'Number of calls.' }),
        credits: integer({ minimum: 0, description: 'Credits that these calls cost.' }),
      },
      { description: 'Sum of all rows, on every page.' },
    ),
    totalResults: integer({ minimum: 0, description: 'Number of rows on all pages.' }),
    returned: integer({ minimum: 0, description: 'Number of rows on this page.' }),
    offset: integer({ minimum: 0, description: 'Number of rows before this page.' }),
    rows: list(row, { description: 'The rows of this page.' }),
  }),
  csv: 'rows',
  // With the days written out: a next page that is asked for after midnight is of the same days.
  nextPage: ({ from, to, totalResults, returned, offset }) =>
    returned === 0 || offset + returned >= totalResults ? undefined : { from, to, offset: offset + returned },
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
