// GET /crime/by-postcode: what the police published within a mile of a postcode, month by month.

import { type Context, endpoint, type Form, qualify } from '../contract/endpoint.ts';
import { samplePostcodes } from '../contract/examples.ts';
import { flag, optionalWholeNumber, type Param, postcode, wholeNumber } from '../contract/params.ts';
import { type Refusal, refuse } from '../contract/refusal.ts';
import { defined } from '../out-of-range.ts';
import { openAuthorities } from '../tables/council-tax/authorities.ts';
import { type Crimes, openCrimes } from '../tables/crime/crimes.ts';
import { forceOf } from '../tables/crime/police-forces.ts';
import { findCrimeSample } from '../tables/crime/sample.ts';
import { findPlaceNames } from '../tables/postcodes/place-names.ts';
import { openPostcodes, type PostcodeRow } from '../tables/postcodes/postcodes.ts';
import { formatMonth } from '../uk/calendar.ts';
import { findCategorySlug, lastMonthOfForce } from '../uk/police.ts';
import type { Postcode } from '../uk/postcode.ts';
import { nationOfArea } from '../uk/postcode-areas.ts';
import {
  type Answer,
  answer,
  compare,
  describeCategories,
  describeOutcome,
  forceStopped,
  type MonthState,
  mileMetres,
  monthsMost,
  noData,
  otherForce,
  type Place,
  type RawCrime,
  slugs,
  tables,
  type Wish,
} from './crime/answer.ts';
import { forceByName, whatIsLacking } from './crime/lacking.ts';
import { describePoints, pointsMost } from './crime/points.ts';
import { refusePostcode } from './postcodes/refusal.ts';

const radiusBounds = { min: 100, max: 5_000 } as const;
/** Of lists. Around the middle of London, what lies within 5 km is some ten times what the contract asks for within its
 *  mile, and nobody else is answered while it is written. */
const listRadiusMost = 2_000;

const tooWideForLists = () =>
  refuse(
    'INVALID_PARAMETER',
    `Send \`radius\` as at most ${listRadiusMost} metres with includeRaw, points=true or text/csv; without them it may be up to ${radiusBounds.max}.`,
    { field: 'radius' },
  );

const oneCategoryCompared = () =>
  refuse(
    'INVALID_PARAMETER',
    'Send `compare` without `category`: the comparison has every category in `byCategory`.',
    { field: 'compare' },
  );

const radius: Param<number, 'INVALID_PARAMETER'> = {
  description: `Radius in metres around the postcode: at most ${listRadiusMost} if you ask for single crimes or points. Default: one mile (1,609.344 m), as the police count.`,
  required: false,
  schema: { type: 'integer', minimum: radiusBounds.min, maximum: radiusBounds.max },
  parse: (text) => {
    if (text === undefined) return { ok: true, value: mileMetres };
    const metres = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
    return metres >= radiusBounds.min && metres <= radiusBounds.max
      ? { ok: true, value: metres }
      : {
          ok: false,
          code: 'INVALID_PARAMETER',
          message: `Send \`radius\` as a whole number of metres from ${radiusBounds.min} to ${radiusBounds.max}.`,
        };
  },
};

const categoryFilter: Param<string | undefined, 'INVALID_PARAMETER'> = {
  description:
    'Only crimes of this category. violent-crime and violence-and-sexual-offences mean the same; answers use violent-crime.',
  required: false,
  schema: { type: 'string' },
  example: 'burglary',
  parse: (text) => {
    if (text === undefined) return { ok: true, value: undefined };
    const slug = findCategorySlug(text);
    return slug === undefined
      ? {
          ok: false,
          code: 'INVALID_PARAMETER',
          message: `Send \`category\` as one of ${slugs.join(', ')}.`,
        }
      : { ok: true, value: slug };
  },
};

export const crimeByPostcode = endpoint({
  method: 'GET',
  path: '/crime/by-postcode',
  summary: 'Crimes around a postcode, by month, category and outcome',
  description:
    "Counts the crimes that the police published within one mile of the postcode, in the same way as data.police.uk does. It gives totals by month, and the categories of the reference month with their latest outcomes. Police forces in England, Wales and (until July 2023) Northern Ireland publish about two months late. Nothing is published for Scotland, the Channel Islands and the Isle of Man. The period is the last `months` months up to the newest loaded month. A month is absent if the responsible force's data for it is not loaded, or if only a few stray rows are. `X-Data-Coverage` then begins with `partial` and names the month. It also names a month with fewer than half of the usual number of crimes, another force whose area reaches into the circle but has months that are not loaded, and months without crimes of the British Transport Police, which lie on railways in every area. The slug of violence and sexual offences is `violent-crime`, as on data.police.uk. With `Accept: text/csv` you get the crimes of the reference month as a table, with or without `includeRaw`, limited by `radius` and `category`. With `points=true` the table has the points instead: one row for each point, month and category. `compare` adds nothing to a table.",
  credits: 1,
  envelope: 'data',
  datasets: ['crime', 'postcodes'],
  needs: [
    { dataset: 'place-names', fields: [], also: 'the ward in locationName' },
    { dataset: 'place-names', fields: 'every answer', where: forceByName },
    {
      dataset: 'authorities',
      fields: [],
      also: 'the district in locationName, where its name is not loaded',
    },
  ],
  maxAgeSeconds: 0,
  params: {
    postcode: postcode({
      description: 'UK postcode, with or without a space.',
      example: { sandbox: 'ZZ1 1AA', live: 'NP10 8WA' },
      missing: 'MISSING_POSTCODE',
      fault: 'INVALID_POSTCODE',
    }),
    months: wholeNumber({
      description: 'Number of months, up to the newest loaded one.',
      min: 1,
      max: monthsMost,
      fallback: 12,
      outside: 'refuse',
      fault: 'INVALID_MONTHS',
    }),
    includeRaw: flag({ description: '`true` adds every crime of the reference month.' }),
    radius,
    category: categoryFilter,
    points: flag({
      description:
        '`true` adds the positions of the crimes, for maps: each point with its crimes by month and category, most crimes first.',
    }),
    limit: optionalWholeNumber({
      description: `Number of points on a page. Default: ${pointsMost}.`,
      min: 1,
      max: pointsMost,
      fault: 'INVALID_PARAMETER',
    }),
    offset: optionalWholeNumber({
      description: 'Number of points to skip before the page.',
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
      fault: 'INVALID_PARAMETER',
    }),
    compare: flag({
      description:
        '`true` adds `comparison`: the same months of the police force and of England and Wales, by month and category.',
    }),
  },
  together: (params) => {
    if (params.compare && params.category !== undefined) return oneCategoryCompared();
    const hasLists = params.includeRaw || params.points;
    return hasLists && params.radius > listRadiusMost ? tooWideForLists() : params;
  },
  errors: [
    'MISSING_POSTCODE',
    'INVALID_POSTCODE',
    'INVALID_MONTHS',
    'INVALID_PARAMETER',
    'POSTCODE_NOT_FOUND',
    'NO_CRIME_DATA',
    'RATE_LIMITED',
    'POLICE_API_ERROR',
    'SERVICE_UNAVAILABLE',
    'AUTHENTICATION_REQUIRED',
    'INSUFFICIENT_CREDITS',
    'DATABASE_ERROR',
    'INTERNAL_SERVER_ERROR',
  ],
  answer,
  csv: tables,
  nextPage: ({ points = [], pointsTotal = 0 }, { offset = 0 }) =>
    points.length > 0 && offset + points.length < pointsTotal
      ? { offset: offset + points.length }
      : undefined,
  handle: (params, context, form) => {
    if (form === 'csv' && params.radius > listRadiusMost) return tooWideForLists();
    const wish: Wish = form === 'csv' ? { ...params, includeRaw: !params.points, compare: false } : params;
    const place = findPlace(wish.postcode, context);
    if ('kind' in place) return withoutData(place);
    return qualified(answerFromTable(place, wish, context), form);
  },
});

/** Why there is nothing goes into a header too, for whoever reads only those. */
const withoutData = (refusal: Refusal<'POSTCODE_NOT_FOUND' | 'NO_CRIME_DATA'>) =>
  refusal.code === 'NO_CRIME_DATA'
    ? qualify({ shortage: { extent: 'none', why: refusal.message.replace(/\.$/, '') } }, refusal)
    : refusal;

const qualified = (found: Found | Refusal<'NO_CRIME_DATA'>, form: Form) => {
  if (found.kind === 'refused') return withoutData(found);
  const { answer: given } = found;
  // A table has a column for an outcome without a month.
  const undated = form === 'csv' ? [] : undatedIn(given.rawCrimes ?? []);
  const lacking = [...found.lacking, ...undated];
  if (lacking.length === 0) return given;
  return qualify({ shortage: { extent: 'partial', why: lacking.join('; ') } }, given);
};

const unpublished = {
  Scotland: [
    'scotland',
    'Police Scotland does not publish street-level crime (only British Transport Police does so there); ask for a place in England or Wales.',
  ],
  'Channel Islands': [
    'channel-islands',
    'Street-level crime is not published for the Channel Islands; ask for a place in England or Wales.',
  ],
  'Isle of Man': [
    'isle-of-man',
    'Street-level crime is not published for the Isle of Man; ask for a place in England or Wales.',
  ],
} as const;

// What people call the place of a postcode. It is a name in any case: callers show it, and nobody knows a place by a code.

/** Its ward, else its district, as far as they have a name here; else the nation. */
function locationNameOf(
  release: Context['release'],
  { wardCode, authorityCode, nation }: Pick<PostcodeRow, 'wardCode' | 'authorityCode' | 'nation'>,
): string {
  const names = findPlaceNames(release);
  const councils = release.findDataset('authorities') === undefined ? undefined : openAuthorities(release);
  const found = (code: string | null, find: (code: string) => string | undefined) =>
    code === null ? undefined : find(code);
  return (
    found(wardCode, (code) => names?.find(code)) ??
    found(authorityCode, (code) => names?.find(code) ?? councils?.find(code)?.fullName) ??
    nation ??
    'United Kingdom'
  );
}

function findPlace(
  wanted: Postcode,
  { release }: Context,
): Place | Refusal<'POSTCODE_NOT_FOUND' | 'NO_CRIME_DATA'> {
  const row = openPostcodes(release).find(wanted);
  // Letters tell most of them, whether or not such postcodes are loaded.
  const nation = nationOfArea(wanted.area) ?? row?.nation;
  if (nation === 'Scotland' || nation === 'Channel Islands' || nation === 'Isle of Man') {
    const [reason, message] = unpublished[nation];
    return noData(reason, message);
  }
  if (row === undefined || row.terminated !== null) return refusePostcode(release, wanted, row);
  const { point: at } = row;
  if (at === null) {
    return noData(
      'no-grid-reference',
      'This postcode has no grid reference, so we cannot find crimes near it; ask for one nearby.',
    );
  }
  return { row, at, name: locationNameOf(release, row) };
}

/** An answer from the loaded data, and what that lacks of the period. */
type Found = { readonly kind: 'found'; readonly answer: Answer; readonly lacking: readonly string[] };

// Every crime of a month from the loaded data, as /crime/by-postcode lists them.
function describeIncidents(
  crimes: Crimes,
  points: Uint32Array,
  reference: number,
  slug: string | undefined,
): readonly RawCrime[] {
  return crimes.incidentsIn(points, reference, slug).map((incident) => ({
    month: formatMonth(reference),
    category: incident.category,
    latitude: incident.latitudeDegrees,
    longitude: incident.longitudeDegrees,
    location: incident.location,
    context: incident.context,
    persistent_id: incident.id,
    location_subtype: '',
    ...describeOutcome(
      incident.outcome && {
        label: incident.outcome.label,
        month: incident.outcome.month === null ? '' : formatMonth(incident.outcome.month),
      },
    ),
  }));
}

function answerFromTable(place: Place, wish: Wish, { release }: Context): Found | Refusal<'NO_CRIME_DATA'> {
  const crimes = openCrimes(release);
  const { at } = place;
  const circle = { ...at, radiusMetres: wish.radius };
  const force = forceOf(place.row, findPlaceNames(release));
  const newest = crimes.months.at(-1);
  if (force === undefined || newest === undefined) {
    return noData(
      'force-unknown',
      'We do not know which police force is responsible for this postcode; ask for one nearby.',
    );
  }
  if (findCrimeSample(release)?.reaches(force, circle) === false) {
    const message = `The loaded crime data is a sample that does not reach this circle; try ${samplePostcodes}, or a smaller \`radius\`.`;
    return noData('not-in-sample', message, { policeForce: force });
  }
  const oldest = newest - wish.months + 1;
  const usable = crimes.months.filter((item) =>
    ['published', 'partial'].includes(crimes.coverageOf(force, item).kind),
  );
  const covered = new Set(usable.filter((item) => item >= oldest));
  const reference = usable.at(-1);
  if (reference === undefined || !covered.has(reference)) {
    return nothingUsable(crimes, force, { oldest, newest, last: reference });
  }
  const points = crimes.within(circle);
  const totals =
    wish.category === undefined
      ? crimes.totalsIn(points, oldest, newest)
      : crimes.totalsOfCategoryIn(points, wish.category, oldest, newest);
  const monthly = totals.months
    .map((item, index) => [item, defined(totals.counts[index])] as const)
    .filter(([item]) => covered.has(item));
  const categories = crimes
    .categoriesIn(points, reference)
    .filter(({ category: slug }) => wish.category === undefined || wish.category === slug);
  const given: Answer = {
    locationName: place.name,
    postcode: place.row.postcode,
    latitude: at.latitudeDegrees,
    longitude: at.longitudeDegrees,
    policeForce: force,
    referenceMonth: formatMonth(reference),
    monthsRequested: wish.months,
    monthlyTotals: Object.fromEntries(monthly.map(([item, count]) => [formatMonth(item), count])),
    crimeCategories: describeCategories(categories),
    totalCrimes: monthly.reduce((sum, [, count]) => sum + count, 0),
    ...(wish.includeRaw ? { rawCrimes: describeIncidents(crimes, points, reference, wish.category) } : {}),
    ...(wish.points
      ? {
          ...describePoints(crimes, points, covered, wish),
          monthCoverage: describeMonths(crimes, force, { oldest, newest }),
        }
      : {}),
    ...(wish.compare
      ? { comparison: compare(release, { force, around: points, months: monthly.map(([item]) => item) }) }
      : {}),
  };
  return {
    kind: 'found',
    answer: given,
    lacking: whatIsLacking(release, { force, circle, oldest, newest, covered }),
  };
}

/** Outcomes that the counts have, and the raw crimes cannot: the contract wants their month. */
function undatedIn(raw: readonly RawCrime[]): readonly string[] {
  const undated = raw.filter(
    ({ outcomeLabel, outcome_status: dated }) => outcomeLabel !== null && dated === null,
  ).length;
  if (undated === 0) return [];
  const month = 'an outcome whose month is not loaded, so their outcome_status is null';
  return [`${undated} of the ${raw.length} raw crimes have ${month}; crimeCategories counts it`];
}

function describeMonths(crimes: Crimes, force: string, { oldest, newest }: Period) {
  const months = Array.from({ length: newest - oldest + 1 }, (_, at) => oldest + at);
  const stateOf = (month: number): MonthState => {
    const { kind } = crimes.coverageOf(force, month);
    return kind === 'published' || kind === 'partial' ? kind : 'missing';
  };
  return Object.fromEntries(months.map((month) => [formatMonth(month), stateOf(month)]));
}

type Period = { readonly oldest: number; readonly newest: number };

/** Of forces that are not known to have stopped, it is only known what is loaded. */
function nothingUsable(
  crimes: Crimes,
  force: string,
  { oldest, newest, last }: Period & { readonly last: number | undefined },
): Refusal<'NO_CRIME_DATA'> {
  const [from, to] = [formatMonth(oldest), formatMonth(newest)];
  const period = from === to ? to : `${from} to ${to}`;
  const stopped = lastMonthOfForce.get(force);
  const next = nextStep({ newest, last });
  if (stopped !== undefined && stopped < from) return forceStopped(force, { period, last: stopped, next });
  const more = last === undefined ? {} : { lastMonthLoaded: formatMonth(last) };
  const hasCollapsed = crimes.months.some(
    (item) => item >= oldest && crimes.coverageOf(force, item).kind === 'collapsed',
  );
  return hasCollapsed
    ? noData(
        'force-without-data',
        `The crimes loaded of ${force} for ${period} are too few to be all; ${next}.`,
        { policeForce: force, ...more },
      )
    : noData('force-not-loaded', `No data of ${force} is loaded for ${period}; ${next}.`, {
        policeForce: force,
        ...more,
      });
}

/** The period ends with the newest month of any force, so that only a longer one reaches an older month. */
function nextStep({ newest, last }: Pick<Period, 'newest'> & { readonly last: number | undefined }): string {
  if (last === undefined) return otherForce;
  const needed = newest - last + 1;
  const reach =
    needed <= monthsMost ? `which \`months=${needed}\` reaches` : `too old to reach; ${otherForce}`;
  return `its newest loaded month is ${formatMonth(last)}, ${reach}`;
}
