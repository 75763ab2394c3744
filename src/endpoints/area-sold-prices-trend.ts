// GET /area/sold-prices/trend: how prices of a place went, month by month, with their quartiles. For charts: every month of
// the period has its row, and a month without sales has no price.

import { Scratch } from '../columns/scratch.ts';
import { endpoint, qualify } from '../contract/endpoint.ts';
import { integer, list, nullable, number, object, string } from '../contract/shape.ts';
import { openSales } from '../tables/sales/sales.ts';
import { select } from '../tables/sales/select/select.ts';
import type { MonthQuartiles } from '../tables/sales/select/selection.ts';
import { formatDay, formatMonth, monthOf, parseMonth } from '../uk/calendar.ts';
import {
  describePlace,
  filterOf,
  kindParams,
  placeMembers,
  placeParams,
  withGeography,
} from './sold-prices/filter.ts';
import { registerOfSales, whyNone } from './sold-prices/geography.ts';

const price = (what: string) =>
  nullable(number({ description: `${what} Null in a month without sales, never 0.` }));

const month = object('TrendMonth', {
  month: string({ examples: ['2026-03'] }),
  count: nullable(
    integer({
      minimum: 0,
      description:
        'Sales that match. Null where it is not known: months after X-Data-As-Of, and every month where X-Data-Coverage begins with none.',
    }),
  ),
  lowerQuartile: price('A quarter of the sales cost less than this.'),
  medianPrice: price('Half of the sales cost less than this.'),
  upperQuartile: price('Three quarters of the sales cost less than this.'),
});

const scratch = new Scratch();

export const areaSoldPricesTrend = endpoint({
  method: 'GET',
  path: '/area/sold-prices/trend',
  summary: 'Sold prices by month, with quartiles',
  description:
    'Count, lower quartile, median and upper quartile of the sales of each calendar month, oldest first: of the same sales that `/area/sold-prices` finds by the same parameters, so that the counts add up to its `totalResults`. Every month that the period touches is there; of the first and the last only the days from `from` to `to`. Figures are exact. Of n prices in rising order a quartile lies at the place (n − 1) × ¼ or ¾, counted from 0; between two prices it is interpolated in a straight line, as spreadsheets do (QUARTILE.INC). The two latest months with sales are incomplete, as sales are registered late. Contains HM Land Registry data © Crown copyright and database right 2026, licensed under the Open Government Licence v3.0.',
  credits: 1,
  envelope: 'data',
  ...registerOfSales,
  maxAgeSeconds: 0,
  params: {
    ...placeParams,
    months: { ...placeParams.months, example: '4' },
    ...kindParams,
  },
  tryWith: ['area', 'months'],
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
    from: string({ format: 'date', description: 'The first day that counts.' }),
    to: string({ format: 'date', description: 'The last one: today in London.' }),
    totalResults: integer({ minimum: 0, description: 'All matches.' }),
    months: list(month, { description: 'Every month from `from` to `to`, oldest first.' }),
  }),
  csv: 'months',
  example: {
    area: 'ZZ',
    postcode: null,
    street: null,
    period: '4 months',
    from: '2026-07-15',
    to: '2026-11-15',
    totalResults: 30,
    months: [
      { month: '2026-07', count: 6, lowerQuartile: 214875, medianPrice: 251000, upperQuartile: 314125 },
      { month: '2026-08', count: 16, lowerQuartile: 222250, medianPrice: 288500, upperQuartile: 381000 },
      { month: '2026-09', count: 8, lowerQuartile: 242625, medianPrice: 259500, upperQuartile: 277250 },
      { month: '2026-10', count: null, lowerQuartile: null, medianPrice: null, upperQuartile: null },
      { month: '2026-11', count: null, lowerQuartile: null, medianPrice: null, upperQuartile: null },
    ],
  },
  together: (params) => withGeography(params),
  handle: (params, { release, today }) => {
    const segment = openSales(release).find(params.geography.area);
    const filter = filterOf(params, today);
    // The answer is written before the next one is begun.
    scratch.reset();
    const found = segment && select(segment, filter, scratch);
    const totalResults = found?.total ?? 0;
    const why = totalResults > 0 ? undefined : whyNone(release, params.geography);
    const newest = why === undefined ? newestMonth(release.findDataset('price-paid')?.asOf) : undefined;
    const answer = {
      ...describePlace(params),
      from: formatDay(filter.fromDay),
      to: formatDay(filter.toDay),
      totalResults,
      months: fillMonths(filter, found?.monthQuartiles() ?? [], newest),
    };
    return why === undefined
      ? answer
      : qualify({ shortage: { extent: 'none', why }, charge: 'free' }, answer);
  },
});

const newestMonth = (asOf: string | undefined): number | undefined =>
  asOf === undefined ? undefined : parseMonth(asOf.slice(0, 7));

/** `newest` is the last month that the register speaks of; undefined where it says nothing of the place. */
function fillMonths(
  { fromDay, toDay }: { readonly fromDay: number; readonly toDay: number },
  found: readonly MonthQuartiles[],
  newest: number | undefined,
) {
  const byMonth = new Map(found.map((own) => [own.month, own]));
  const first = monthOf(fromDay);
  return Array.from({ length: monthOf(toDay) - first + 1 }, (_, index) => {
    const own = byMonth.get(first + index);
    const isKnown = newest !== undefined && first + index <= newest;
    return {
      month: formatMonth(first + index),
      count: own?.count ?? (isKnown ? 0 : null),
      lowerQuartile: own?.lowerPounds ?? null,
      medianPrice: own?.medianPounds ?? null,
      upperQuartile: own?.upperPounds ?? null,
    };
  });
}
