// GET /area/statistics: five pictures of the place that a postcode lies in, each with what its figures stand on.

import { endpoint, qualify } from '../contract/endpoint.ts';
import { within } from '../contract/needs.ts';
import { postcode } from '../contract/params.ts';
import { object } from '../contract/shape.ts';
import type { DatasetName } from '../datasets.ts';
import { amenities, amenitiesNeeds, describeAmenities } from './area-statistics/amenities.ts';
import type { Basis } from './area-statistics/basis.ts';
import { crime, crimeNeeds, describeCrime } from './area-statistics/crime.ts';
import { demographics, demographicsNeeds, describeDemographics } from './area-statistics/demographics.ts';
import { areaExample } from './area-statistics/example.ts';
import { describeSchools, schools, schoolsNeeds } from './area-statistics/schools.ts';
import { describeTransport, transport, transportNeeds } from './area-statistics/transport.ts';
import { findInUse } from './postcodes/refusal.ts';

export const areaStatistics = endpoint({
  method: 'GET',
  path: '/area/statistics',
  summary: 'Crime, people, schools, transport and amenities of a place',
  description:
    'Five pictures of the place a postcode lies in. Crime and demographics are of the statistical area around it (LSOA; data zone in Scotland and Northern Ireland), schools, transport and amenities of circles around its point. What is unknown is null, never 0: a dataset that is not loaded, a nation that its source does not cover, a postcode without a point or area (PO boxes, businesses with much post). In each object `basis` tells the source, the period and the area or radius of every figure that is given; X-Data-Coverage names the pictures without any. `/api/v1/datasets` tells what is loaded. X-Data-As-Of is the date of the oldest dataset that gave a figure. The example is what a test key is answered for the fictional `ZZ1 1AA`.',
  credits: 1,
  freeWhere: 'no loaded dataset has any figure for the place',
  envelope: 'data',
  datasets: ['postcodes'],
  needs: [
    ...within('crime', crimeNeeds),
    ...within('demographics', demographicsNeeds),
    ...within('schools', schoolsNeeds),
    ...within('transport', transportNeeds),
    ...within('amenities', amenitiesNeeds),
  ],
  maxAgeSeconds: 0,
  params: {
    postcode: postcode({
      description: 'UK postcode, with or without space.',
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
  example: areaExample,
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
    return qualify(groundsOf(pictures), pictures);
  },
});

type Pictures = Readonly<Record<string, { readonly basis: Basis }>>;

/** A picture without a basis has no figure. Where none has one, nothing was served. */
function groundsOf(pictures: Pictures): Parameters<typeof qualify>[0] {
  const behind = Object.values(pictures).flatMap(({ basis }) => basis.map(({ dataset }) => dataset));
  const datasets: readonly DatasetName[] = ['postcodes', ...new Set(behind)];
  const empty = Object.entries(pictures).flatMap(([name, { basis }]) => (basis.length === 0 ? [name] : []));
  if (empty.length === 0) return { datasets };
  if (behind.length === 0) {
    const why = 'no loaded dataset has figures for this place';
    return { datasets, shortage: { extent: 'none', why }, charge: 'free' };
  }
  const why = `no loaded dataset has figures of ${empty.join(', ')} for this place`;
  return { datasets, shortage: { extent: 'partial', why } };
}
