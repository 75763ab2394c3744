// GET /area/sold-prices/trend: how prices of a place went, month by month, with their quartiles. For charts: every month of
// the period has its row, and a month without sales has no price.

import { Scratch } from '../columns/scratch.ts';
import { endpoint, qualify } from '../contract/endpoint.ts';
import { integer, list, nullable, number, object, string } from '../contract/shape.ts';
import { openSales } from '../tables/sales/sales.ts';
import { select } from '../tables/sales/select/select.ts';
import type { MonthQuartiles } from '../tables/sales/select/selection.ts';
import { formatDay, formatMonth, monthOf } from '../uk/calendar.ts';
import {
  describePlace,
  filterOf,
  groundsOf,
  kindParams,
  periodMoves,
  placeMembers,
  placeParams,
  registerOfSales,
  withGeography,
} from './sold-prices/filter.ts';

const price = (what: string) =>
  nullable(number({ description: `${what} Null, never 0, in a month without sales.` }));

const month = object(
  'TrendMonth',
  {
    month: string({ examples: ['2026-03'], description: 'Calendar month, YYYY-MM.' }),
    count: nullable(
      integer({
        minimum: 0,
        description:
          'Number of sales that match. Null if the service cannot know it: in months after X-Data-As-Of, the newest loaded sale of the area, and in every month if X-Data-Coverage begins with `none`.',
      }),
    ),
    lowerQuartile: price('A quarter of the sales cost less than this.'),
    medianPrice: price('Half of the sales cost less than this.'),
    upperQuartile: price('Three quarters of the sales cost less than this.'),
  },
  { description: 'Sales of one month.' },
);

const scratch = new Scratch();

export const areaSoldPricesTrend = endpoint({
  method: 'GET',
  path: '/area/sold-prices/trend',
  summary: 'Sold prices by month, with quartiles',
  description:
    'Gives the number of sales, the lower quartile, the median and the upper quartile of each calendar month, oldest first. It counts the same sales that `/area/sold-prices` finds with the same parameters, so the counts add up to its `totalResults`. The list has every month that the period touches. The first and the last month count only the days from `from` to `to`. All figures are exact. With n prices in rising order, a quartile is at position (n − 1) × ¼ or ¾, counted from 0, with linear interpolation between two prices, as in QUARTILE.INC of spreadsheets. The two latest months with sales are incomplete, because sales are registered late. Contains HM Land Registry data © Crown copyright and database right 2026, licensed under the Open Government Licence v3.0.',
  credits: 1,
  envelope: 'data',
  ...registerOfSales,
  maxAgeSeconds: 0,
  params: {
    ...placeParams,
    months: { ...placeParams.months, example: { sandbox: '4', live: '24' } },
    ...kindParams,
  },
  tryWith: ['area', 'months'],
  exampleNote: periodMoves,
  errors: [
    'MISSING_AREA_OR_POSTCODE',
    'INVALID_AREA',
    'INVALID_PROPERTY_TYPE',
    'AUTHENTICATION_REQUIRED',
    'INSUFFICIENT_CREDITS',
    'DATABASE_ERROR',
    'INTERNAL_SERVER_ERROR',
  ],
  answer: object('SoldPricesTrend', {
    ...placeMembers,
    from: string({ format: 'date', description: 'First day of the period.' }),
    to: string({ format: 'date', description: 'Last day of the period: today in London.' }),
    totalResults: integer({
      minimum: 0,
      description:
        'Number of loaded sales that match. 0 means that none was sold only if there is no X-Data-Coverage header.',
    }),
    months: list(month, { description: 'Every month from `from` to `to`, oldest first.' }),
  }),
  csv: 'months',
  together: (params) => withGeography(params),
  handle: (params, { release, today }) => {
    const segment = openSales(release).find(params.geography.area);
    const filter = filterOf(params, today);
    // The answer is written before the next one is begun.
    scratch.reset();
    const found = segment && select(segment, filter, scratch);
    const totalResults = found?.total ?? 0;
    const grounds = groundsOf(release, params.geography, filter, totalResults);
    const answer = {
      ...describePlace(params),
      from: formatDay(filter.fromDay),
      to: formatDay(filter.toDay),
      totalResults,
      months: fillMonths(filter, found?.monthQuartiles() ?? [], grounds.knownTo),
    };
    return qualify(grounds, answer);
  },
});

/** `knownTo` is the day of the last sale of the area; undefined where nothing is known of the place. */
function fillMonths(
  { fromDay, toDay }: { readonly fromDay: number; readonly toDay: number },
  found: readonly MonthQuartiles[],
  knownTo: number | undefined,
) {
  const byMonth = new Map(found.map((own) => [own.month, own]));
  const first = monthOf(fromDay);
  const newest = knownTo === undefined ? Number.NEGATIVE_INFINITY : monthOf(knownTo);
  return Array.from({ length: monthOf(toDay) - first + 1 }, (_, index) => {
    const own = byMonth.get(first + index);
    return {
      month: formatMonth(first + index),
      count: own?.count ?? (first + index <= newest ? 0 : null),
      lowerQuartile: own?.lowerPounds ?? null,
      medianPrice: own?.medianPounds ?? null,
      upperQuartile: own?.upperPounds ?? null,
    };
  });
}
