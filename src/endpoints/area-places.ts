// GET /area/places: schools, stations, stops and amenities around a postcode, one by one with their positions, as a map
// shows them.

import { type Context, endpoint, qualify } from '../contract/endpoint.ts';
import { choices, postcode, wholeNumber } from '../contract/params.ts';
import type { PostcodeRow } from '../tables/postcodes/postcodes.ts';
import { answer, type PlaceKind, placeKinds } from './places/answer.ts';
import {
  type Around,
  amenityCategories,
  type Found,
  findAmenities,
  findSchools,
  findStations,
  findStops,
} from './places/near.ts';
import { findInUse } from './postcodes/refusal.ts';

type Release = Context['release'];

const finders: Readonly<Record<PlaceKind, (release: Release, around: Around) => Found>> = {
  schools: findSchools,
  stations: findStations,
  stops: findStops,
  amenities: findAmenities,
};

const radiusBounds = { min: 100, max: 3_200 } as const;

export const areaPlaces = endpoint({
  method: 'GET',
  path: '/area/places',
  summary: 'Schools, stations, stops and amenities around a postcode, with positions',
  description: `Lists every school, station, bus stop and amenity within \`radius\` metres of the postcode, nearest first, with its position (WGS 84) and distance. It uses the same sources and the same rules for borders and duplicates as \`/area/statistics\`: within the same circle, the list and the figure there agree. The kinds of amenity are ${amenityCategories.join(', ')}. If the service cannot know what is there, \`total\` of that kind is null, and \`lacking\` and X-Data-Coverage say why. That is so if the dataset is not loaded, its source does not cover the nation, the loaded map or sample ends inside the circle, or the postcode has no coordinates. A page has at most \`limit\` places, and \`Link\` has the address of the next page. Amenities are © OpenStreetMap contributors under the Open Database Licence (ODbL): name them wherever you show amenities, and share any database you build from many of them under the same licence. \`/api/v1/datasets\` has the attribution that the other sources ask for.`,
  credits: 1,
  freeWhere: 'the service cannot know what is there for any kind you ask for. X-Data-Coverage says why',
  envelope: 'data',
  datasets: ['postcodes'],
  needs: [
    { dataset: 'schools-england', fields: ['kinds.schools.total', 'places'], where: 'in England' },
    { dataset: 'schools-wales', fields: ['kinds.schools.total', 'places'], where: 'in Wales' },
    { dataset: 'schools-scotland', fields: ['kinds.schools.total', 'places'], where: 'in Scotland' },
    {
      dataset: 'ofsted',
      fields: ['places.rating', 'places.framework', 'places.inspectionDate'],
      where: 'in England',
    },
    { dataset: 'stops', fields: ['kinds.stations.total', 'kinds.stops.total'] },
    { dataset: 'stops', fields: ['places'], where: 'for stations and stops' },
    { dataset: 'amenities', fields: ['kinds.amenities.total'] },
    { dataset: 'amenities', fields: ['places'], where: 'for amenities' },
  ],
  maxAgeSeconds: 0,
  params: {
    postcode: postcode({
      description: 'UK postcode, with or without a space.',
      example: { sandbox: 'ZZ1 1AA', live: 'NP10 8WA' },
      missing: 'MISSING_POSTCODE',
      fault: 'INVALID_POSTCODE',
    }),
    kinds: choices(placeKinds, {
      description: 'Kinds to list, separated by commas. Default: all four.',
      fault: 'INVALID_PARAMETER',
    }),
    radius: wholeNumber({
      description: 'Radius in metres around the postcode.',
      ...radiusBounds,
      fallback: 800,
      outside: 'refuse',
      fault: 'INVALID_PARAMETER',
    }),
    limit: wholeNumber({
      description: 'Number of places on a page.',
      example: '3',
      min: 1,
      max: 500,
      fallback: 100,
      outside: 'clamp',
      fault: 'INVALID_PARAMETER',
    }),
    offset: wholeNumber({
      description: 'Number of places to skip before the page.',
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
      fallback: 0,
      outside: 'clamp',
      fault: 'INVALID_PARAMETER',
    }),
  },
  tryWith: ['postcode', 'limit'],
  errors: [
    'MISSING_POSTCODE',
    'INVALID_POSTCODE',
    'POSTCODE_NOT_FOUND',
    'AUTHENTICATION_REQUIRED',
    'INSUFFICIENT_CREDITS',
    'DATABASE_ERROR',
    'INTERNAL_SERVER_ERROR',
  ],
  answer,
  csv: 'places',
  nextPage: ({ offset, returned, total }) =>
    returned > 0 && offset + returned < total ? { offset: offset + returned } : undefined,
  handle: ({ postcode: wanted, kinds: asked, radius, limit, offset }, { release }) => {
    const place = findInUse(release, wanted);
    if ('kind' in place) return place;
    const kinds = asked.length === 0 ? placeKinds : asked;
    const found = kinds.map((kind) => ({ kind, ...findKind(release, kind, place, radius) }));
    // Kind after kind, and each in the order of its index: of places equally far the order never changes.
    const near = found.flatMap((one) => one.near ?? []).sort((a, b) => a.metres - b.metres);
    const places = near.slice(offset, offset + limit).map(({ describe }) => describe());
    const given = {
      postcode: place.postcode,
      latitude: place.point?.latitudeDegrees ?? null,
      longitude: place.point?.longitudeDegrees ?? null,
      radiusMetres: radius,
      kinds: Object.fromEntries(
        found.map((one) => [one.kind, { total: one.near?.length ?? null, lacking: one.lacking ?? null }]),
      ),
      total: near.length,
      returned: places.length,
      offset,
      places,
    };
    return qualify(groundsOf(found), given);
  },
});

const findKind = (release: Release, kind: PlaceKind, place: PostcodeRow, radiusMetres: number): Found =>
  place.point === null
    ? { near: undefined, lacking: 'this postcode has no grid reference', datasets: [] }
    : finders[kind](release, { place, circle: { ...place.point, radiusMetres } });

/** Where nothing is known of any kind, nothing was served. */
function groundsOf(found: readonly (Found & { readonly kind: PlaceKind })[]): Parameters<typeof qualify>[0] {
  const datasets = ['postcodes', ...new Set(found.flatMap((one) => one.datasets))] as const;
  const short = found.flatMap(({ kind, lacking }) => (lacking === undefined ? [] : [`${kind}: ${lacking}`]));
  if (short.length === 0) return { datasets };
  const why = short.join(', ');
  return found.every(({ near }) => near === undefined)
    ? { datasets, shortage: { extent: 'none', why }, charge: 'free' }
    : { datasets, shortage: { extent: 'partial', why } };
}
