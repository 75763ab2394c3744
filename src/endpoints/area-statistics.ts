// GET /area/statistics: crime, people, schools, transport and amenities around a postcode, each with its sources.

import { type Context, endpoint, qualify } from '../contract/endpoint.ts';
import { inWords } from '../contract/in-words.ts';
import { type Need, within } from '../contract/needs.ts';
import { postcode } from '../contract/params.ts';
import { object } from '../contract/shape.ts';
import type { DatasetName } from '../datasets.ts';
import type { PostcodeRow } from '../tables/postcodes/postcodes.ts';
import { isInPart } from '../tables/whole.ts';
import { amenities, amenitiesNeeds, describeAmenities } from './area-statistics/amenities.ts';
import type { Basis } from './area-statistics/basis.ts';
import { crime, crimeNeeds, describeCrime } from './area-statistics/crime.ts';
import { demographics, demographicsNeeds, describeDemographics } from './area-statistics/demographics.ts';
import { describeSchools, schools, schoolsNeeds } from './area-statistics/schools.ts';
import { describeTransport, transport, transportNeeds } from './area-statistics/transport.ts';
import { findInUse } from './postcodes/refusal.ts';

const needs: readonly Need[] = [
  ...within('crime', crimeNeeds),
  ...within('demographics', demographicsNeeds),
  ...within('schools', schoolsNeeds),
  ...within('transport', transportNeeds),
  ...within('amenities', amenitiesNeeds),
];

export const areaStatistics = endpoint({
  method: 'GET',
  path: '/area/statistics',
  summary: 'Crime, people, schools, transport and amenities around a postcode',
  description:
    'Describes the area around a postcode in five objects. `crime` and `demographics` cover its statistical area: an LSOA in England and Wales, a data zone in Scotland and Northern Ireland. `schools`, `transport` and `amenities` cover circles around the coordinates of the postcode. An unknown figure is null, never 0. A figure is unknown if its dataset is not loaded, if its source does not cover the nation, or if the postcode has no coordinates or no statistical area, as with PO boxes and large organisations that have their own postcode. In each object, `basis` gives the source, the period and the area or radius of every figure. X-Data-Coverage names the objects that have no figures, the single figures that are unknown because a table is not loaded, and the lists of which only a part is loaded, so that counts may be too low. `/api/v1/datasets` lists what is loaded. X-Data-As-Of is the date of the oldest dataset that gave a figure. The example shows what a test key gets for the fictional postcode `ZZ1 1AA`.',
  credits: 1,
  freeWhere: 'no loaded dataset has a figure for the place',
  envelope: 'data',
  datasets: ['postcodes'],
  needs,
  maxAgeSeconds: 0,
  params: {
    postcode: postcode({
      description: 'UK postcode, with or without a space.',
      example: { sandbox: 'ZZ1 1AA', live: 'NP10 8WA' },
      missing: 'MISSING_POSTCODE',
      fault: 'INVALID_POSTCODE',
    }),
  },
  errors: [
    'MISSING_POSTCODE',
    'INVALID_POSTCODE',
    'POSTCODE_NOT_FOUND',
    'UNAUTHORIZED',
    'INSUFFICIENT_CREDITS',
    'INTERNAL_ERROR',
  ],
  answer: object('AreaStatistics', { demographics, amenities, crime, schools, transport }),
  handle: (params, { release }) => {
    const place = findInUse(release, params.postcode);
    if ('kind' in place) return place;
    const pictures = {
      demographics: describeDemographics(place, release),
      amenities: describeAmenities(place, release),
      crime: describeCrime(place, release),
      schools: describeSchools(place, release),
      transport: describeTransport(place, release),
    };
    return qualify(groundsOf(pictures, place, release), pictures);
  },
});

type Picture = { readonly basis: Basis } & Readonly<Record<string, unknown>>;
type Pictures = Readonly<Record<string, Picture>>;

/** A picture without a basis has no figure. Where none has one, nothing was served. */
function groundsOf(
  pictures: Pictures,
  place: PostcodeRow,
  release: Context['release'],
): Parameters<typeof qualify>[0] {
  const behind = Object.values(pictures).flatMap(({ basis }) => basis.map(({ dataset }) => dataset));
  const datasets: readonly DatasetName[] = ['postcodes', ...new Set(behind)];
  const empty = Object.entries(pictures).flatMap(([name, { basis }]) => (basis.length === 0 ? [name] : []));
  if (behind.length === 0) {
    const why = 'no loaded dataset has figures for this place';
    return { datasets, shortage: { extent: 'none', why }, charge: 'free' };
  }
  const notLoaded = tablesLacking(pictures, place, release);
  const inPart = datasets
    .filter((name) => isInPart(release, name))
    .flatMap((name) => release.findDataset(name)?.title ?? []);
  const why = [
    ...(empty.length === 0
      ? []
      : [`what is loaded gives no figures of ${inWords(empty, 'and')} for this place`]),
    ...(notLoaded.length === 0 ? [] : [`not loaded: ${notLoaded.join(', ')}`]),
    ...(inPart.length === 0
      ? []
      : [`only a part is loaded of ${inWords(inPart, 'and')}, so their figures may be too low`]),
  ];
  return why.length === 0 ? { datasets } : { datasets, shortage: { extent: 'partial', why: why.join('; ') } };
}

/** Tables that are not loaded, each with the figures that are unknown without it, of pictures that have others. */
function tablesLacking(
  pictures: Pictures,
  { nation }: PostcodeRow,
  release: Context['release'],
): readonly string[] {
  const lacking = new Map<string, Set<string>>();
  for (const { dataset, holding, fields, where } of needs) {
    const isLoaded =
      release.findDataset(dataset) !== undefined && (holding === undefined || holding.isIn(release));
    const isOfOthers = where?.startsWith('in ') === true && (nation === null || !where.includes(nation));
    if (isLoaded || isOfOthers || fields === 'every answer') continue;
    const unknown = fields.flatMap((path) => {
      const [object = '', field = ''] = path.split('.');
      const picture = pictures[object];
      return picture !== undefined && picture.basis.length > 0 && isUnknown(picture[field]) ? [field] : [];
    });
    if (unknown.length === 0) continue;
    const table = release.findDataset(dataset) === undefined ? dataset : (holding?.what ?? dataset);
    lacking.set(table, (lacking.get(table) ?? new Set()).union(new Set(unknown)));
  }
  return [...lacking].map(([table, fields]) => `${table} (${[...fields].join(', ')})`);
}

/** Two figures are words: `overall` and `trafficLevel`. */
const isUnknown = (figure: unknown): boolean =>
  figure === null || figure === 'Unavailable' || figure === 'Unknown';
