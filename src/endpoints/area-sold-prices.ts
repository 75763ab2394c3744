// GET /area/sold-prices: sales of a postcode area, or of a finer part of it, with a summary over all that match.

import { Scratch } from '../columns/scratch.ts';
import { writeWhole } from '../contract/digits.ts';
import { type Context, endpoint, qualify } from '../contract/endpoint.ts';
import { choice, choices, wholeNumber } from '../contract/params.ts';
import {
  integer,
  list,
  nullable,
  number,
  object,
  optional,
  record,
  type Shape,
  string,
} from '../contract/shape.ts';
import { openPostcodes } from '../tables/postcodes/postcodes.ts';
import { propertyTypes } from '../tables/sales/kinds.ts';
import { openSales } from '../tables/sales/sales.ts';
import type { SalesSegment } from '../tables/sales/segment.ts';
import { quantileOf } from '../tables/sales/select/month-medians.ts';
import { select } from '../tables/sales/select/select.ts';
import type { Figures, MonthFigures, SaleOrder, Selection } from '../tables/sales/select/selection.ts';
import { formatMonth } from '../uk/calendar.ts';
import { parsePostcode } from '../uk/postcode.ts';
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
import { SalePage, salePage } from './sold-prices/page.ts';

const typeTotals = record(
  object(
    'TypeTotal',
    {
      count: integer({ description: 'Number of sales.' }),
      avgPrice: number({ description: 'Mean price in pounds.' }),
    },
    { description: 'Sales of one property type.' },
  ),
  { description: 'Totals by property type code. Types without sales are absent.' },
);
const medians = {
  count: integer({ minimum: 1, description: 'Number of sales.' }),
  medianPrice: number({ description: 'Median price in pounds.' }),
};

const months = list(
  object(
    'MonthOfSales',
    {
      month: string({ examples: ['2026-03'], description: 'Calendar month, YYYY-MM.' }),
      ...medians,
      byPropertyType: record(
        object('MonthMedian', medians, { description: 'Sales of one property type in a month.' }),
        {
          description: 'The same by property type code. Types without sales are absent.',
        },
      ),
    },
    { description: 'Sales of one month.' },
  ),
  { description: 'Months with sales, oldest first. Present with `include=trend`.' },
);
type Month = Parameters<typeof months.write>[0][number];

/** The months of an answer, written straight from the figures: objects for thousands of small members would take longer
 *  than finding them. */
class Trend {
  readonly figures: readonly MonthFigures[];
  constructor(figures: readonly MonthFigures[]) {
    this.figures = figures;
  }
}

const trend: Shape<readonly Month[] | Trend> = {
  ...months,
  write: (value) => (value instanceof Trend ? writeTrend(value) : months.write(value)),
};

const scratch = new Scratch();

// Where the sales of a page lie, for maps. The register has addresses without coordinates: a sale stands at the point of its
// postcode, which the directory of postcodes has.

const positions = list(
  object(
    'SalePosition',
    {
      postcode: string({ description: 'Postcode of the sales.' }),
      latitude: nullable(
        number({
          description:
            'Latitude of the postcode, not of the property, WGS 84. Null if the loaded directory has none.',
        }),
      ),
      longitude: nullable(
        number({ description: 'Longitude of the postcode, WGS 84. Null if latitude is null.' }),
      ),
    },
    { description: 'Position of a postcode.' },
  ),
  {
    description:
      'Each postcode of the page once, in the order of the sales. Present with `include=positions`.',
  },
);

type Position = Parameters<typeof positions.write>[0][number];

function positionsOf(
  release: Context['release'],
  segment: SalesSegment | undefined,
  rows: Uint32Array,
): readonly Position[] {
  if (segment === undefined) return [];
  const texts = new Set(Array.from(rows, (row) => segment.postcode(row)).filter((text) => text !== ''));
  const directory = release.findDataset('postcodes') === undefined ? undefined : openPostcodes(release);
  return [...texts].map((text) => {
    const parsed = parsePostcode(text);
    const point = parsed === undefined ? null : (directory?.find(parsed)?.point ?? null);
    return {
      postcode: text,
      latitude: point?.latitudeDegrees ?? null,
      longitude: point?.longitudeDegrees ?? null,
    };
  });
}

export const areaSoldPrices = endpoint({
  method: 'GET',
  path: '/area/sold-prices',
  summary: 'Sold prices in a postcode area, postcode or street',
  description:
    'Lists sales registered in England and Wales since 1995, newest first. The summary covers all matches, not only the page. While there are more, a `Link` header with rel="next" has the address of the next page. The median is exact. Sales in category B (repossessions, buy-to-let, companies) are included unless `category` excludes them. The two latest months are incomplete, because sales are registered late. Contains HM Land Registry data © Crown copyright and database right 2026, licensed under the Open Government Licence v3.0. You may use the addresses only for personal purposes or to provide residential property price information.',
  credits: 1,
  envelope: 'data',
  ...registerOfSales,
  needs: [
    ...registerOfSales.needs,
    { dataset: 'postcodes', fields: ['positions.latitude', 'positions.longitude'] },
  ],
  maxAgeSeconds: 0,
  params: {
    ...placeParams,
    limit: wholeNumber({
      description: 'Number of sales on a page.',
      example: '2',
      min: 1,
      max: 500,
      fallback: 100,
      outside: 'clamp',
      fault: 'INVALID_PARAMETER',
    }),
    offset: wholeNumber({
      description: 'Number of sales to skip before the page.',
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
      fallback: 0,
      outside: 'clamp',
      fault: 'INVALID_PARAMETER',
    }),
    ...kindParams,
    sort: choice(['date', 'price'], {
      description: 'What to sort the sales by. Default: date.',
      fault: 'INVALID_PARAMETER',
    }),
    order: choice(['asc', 'desc'], {
      description: '`asc`: lowest or oldest first. `desc`: highest or newest first. Default: desc.',
      fault: 'INVALID_PARAMETER',
    }),
    include: choices(['trend', 'quartiles', 'positions'], {
      description:
        'More in the answer, separated by commas: `trend` (by month) and `quartiles` of all matches, `positions` of the postcodes on the page.',
      fault: 'INVALID_PARAMETER',
    }),
  },
  tryWith: ['area', 'limit'],
  exampleNote: periodMoves,
  errors: [
    'MISSING_AREA_OR_POSTCODE',
    'INVALID_AREA',
    'INVALID_PROPERTY_TYPE',
    'UNAUTHORIZED',
    'INSUFFICIENT_CREDITS',
    'DATABASE_ERROR',
  ],
  answer: object('SoldPrices', {
    ...placeMembers,
    totalResults: integer({
      minimum: 0,
      description:
        'Number of loaded sales that match, on all pages. 0 means that none was sold only if there is no X-Data-Coverage header.',
    }),
    returned: integer({ minimum: 0, description: 'Number of sales on this page.' }),
    offset: integer({ minimum: 0, description: 'Number of sales before this page.' }),
    summary: object(
      'SoldPricesSummary',
      {
        averagePrice: number({ description: 'Mean price in pounds.' }),
        medianPrice: number({ description: 'Median price in pounds.' }),
        priceRange: object(
          'PriceRange',
          {
            min: number({ description: 'Lowest price in pounds.' }),
            max: number({ description: 'Highest price in pounds.' }),
          },
          { description: 'Lowest and highest price.' },
        ),
        byPropertyType: typeTotals,
        quartiles: optional(
          object(
            'PriceQuartiles',
            {
              lower: number({ description: 'A quarter of the sales cost less than this, in pounds.' }),
              upper: number({ description: 'Three quarters of the sales cost less than this, in pounds.' }),
            },
            {
              description:
                'Quartiles of all matches, interpolated between two prices. Present with `include=quartiles`.',
            },
          ),
        ),
      },
      {
        description:
          'Figures about all matches. If `totalResults` is 0, every price is 0 and `byPropertyType` is empty: that means no sales, never a price of £0. If there is an X-Data-Coverage header, sales may exist that are not loaded or not published.',
      },
    ),
    properties: salePage,
    positions: optional(positions),
    trend: optional(trend),
  }),
  csv: 'properties',
  nextPage: ({ offset, returned, totalResults }) =>
    returned > 0 && offset + returned < totalResults ? { offset: offset + returned } : undefined,
  together: (params) => withGeography(params),
  handle: (params, { release, today }) => {
    const { geography, limit, offset, include } = params;
    const segment = openSales(release).find(geography.area);
    // The answer is written before the next one is begun.
    scratch.reset();
    const filter = filterOf(params, today);
    const found = segment && select(segment, filter, scratch);
    const rows = found?.page(offset, limit, orderOf(params)) ?? new Uint32Array(0);
    const answer = {
      ...describePlace(params),
      totalResults: found?.total ?? 0,
      returned: rows.length,
      offset,
      summary: summaryOf(found, include),
      properties: segment === undefined ? [] : new SalePage(segment, rows),
      ...(include.includes('positions') && { positions: positionsOf(release, segment, rows) }),
      ...(include.includes('trend') && { trend: new Trend(found?.months() ?? []) }),
    };
    // What could not have been another answer is free; a place that is covered and has no such sale is not.
    return qualify(groundsOf(release, geography, filter, answer.totalResults), answer);
  },
});

const orderOf = (wish: {
  readonly sort: 'date' | 'price' | undefined;
  readonly order: 'asc' | 'desc' | undefined;
}): SaleOrder => ({ by: wish.sort ?? 'date', direction: wish.order === 'asc' ? 'rising' : 'falling' });

const pence = (pounds: number): number => Math.round(pounds * 100) / 100;

function summaryOf(found: Selection | undefined, include: readonly string[]) {
  const quartiles = include.includes('quartiles');
  if (found === undefined || found.total === 0) {
    const none = { averagePrice: 0, medianPrice: 0, priceRange: { min: 0, max: 0 }, byPropertyType: {} };
    return quartiles ? { ...none, quartiles: { lower: 0, upper: 0 } } : none;
  }
  const priceAt = (share: number) => quantileOf(found.total, share, (rank) => found.priceAt(rank));
  const byPropertyType: Record<string, { count: number; avgPrice: number }> = {};
  let sum = 0;
  for (const [index, { count, sumPounds }] of found.totals().entries()) {
    const type = propertyTypes[index];
    if (count === 0 || type === undefined) continue;
    byPropertyType[type] = { count, avgPrice: pence(sumPounds / count) };
    sum += sumPounds;
  }
  return {
    averagePrice: pence(sum / found.total),
    medianPrice: priceAt(0.5),
    priceRange: { min: found.priceAt(0), max: found.priceAt(found.total - 1) },
    byPropertyType,
    ...(quartiles && {
      quartiles: { lower: priceAt(0.25), upper: priceAt(0.75) },
    }),
  };
}

function writeTrend({ figures }: Trend): string {
  let json = '[';
  for (const { month, all, byType } of figures) {
    json += `${json === '[' ? '' : ','}{"month":"${formatMonth(month)}",${writeFigures(all)},"byPropertyType":{`;
    let comma = '';
    for (const [index, type] of propertyTypes.entries()) {
      const own = byType[index];
      if (own === undefined) continue;
      json += `${comma}"${type}":{${writeFigures(own)}}`;
      comma = ',';
    }
    json += '}}';
  }
  return `${json}]`;
}

/** A median is a whole number, or half-way between two. */
const writeFigures = ({ count, medianPounds }: Figures): string => {
  const half = Number.isInteger(medianPounds) ? '' : '.5';
  return `"count":${writeWhole(count)},"medianPrice":${writeWhole(Math.floor(medianPounds))}${half}`;
};
