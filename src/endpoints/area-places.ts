// GET /area/places: schools, stations, stops and amenities around a postcode, one by one with their positions, as a map
// shows them.

import type { Circle } from '../columns/point-bands.ts';
import { type Context, endpoint, qualify } from '../contract/endpoint.ts';
import { choices, postcode, wholeNumber } from '../contract/params.ts';
import {
  integer,
  list,
  nullable,
  number,
  object,
  oneOf,
  optional,
  type Static,
  string,
} from '../contract/shape.ts';
import type { DatasetName } from '../datasets.ts';
import { openAmenities, pointKinds } from '../tables/amenities/amenities.ts';
import type { PostcodeRow } from '../tables/postcodes/postcodes.ts';
import {
  type NearbySchool,
  openSchools,
  type School,
  type SchoolNation,
  schoolLists,
  schoolNations,
} from '../tables/schools/schools.ts';
import { openStops, stationKinds } from '../tables/transport/stops.ts';
import { isInPart } from '../tables/whole.ts';
import type { LatLong } from '../uk/grid.ts';
import { nationInWords } from '../uk/postcode-areas.ts';
import { describeRating } from './area-statistics/school-rating.ts';
import { findInUse } from './postcodes/refusal.ts';

type Release = Context['release'];

// What lies in a circle, kind by kind, for lists of places. The same tables, the same circles and the same doubts as in
// /area/statistics, so that counting a list gives the figure there.

// What /area/places answers.

const placeKinds = ['schools', 'stations', 'stops', 'amenities'] as const;
type PlaceKind = (typeof placeKinds)[number];

const kindOfPlaces = object(
  'KindOfPlaces',
  {
    total: nullable(
      integer({
        minimum: 0,
        description: 'Number of places in the circle, on all pages. Null, never 0, if that is not known.',
      }),
    ),
    lacking: nullable(
      string({
        description: 'Why `total` is null, or what may be missing from the list. Null: nothing is missing.',
      }),
    ),
  },
  { description: 'Number of places of one kind.' },
);

const place = object(
  'Place',
  {
    kind: oneOf(['school', 'station', 'stop', 'amenity'], { description: 'Kind of place.' }),
    category: string({
      description:
        'For a school: primary, secondary or primary-and-secondary, by the ages it teaches. For a station: tube, rail or metro (including trams). For a stop: bus-on-street, bus-bay (in a bus station), or bus if the loaded list does not say. For an amenity: what it is.',
      examples: ['primary', 'rail', 'bus-on-street', 'supermarket'],
    }),
    name: nullable(string({ description: 'Name of the place. Null: the list or the map has none.' })),
    code: nullable(
      string({
        description:
          'For a school: its URN (England), school number (Wales) or SEED code (Scotland). For a station or stop: its ATCO code. Null for amenities.',
      }),
    ),
    latitude: number({ description: 'Latitude, WGS 84. For a park: of the nearest node of its outline.' }),
    longitude: number({ description: 'Longitude, WGS 84.' }),
    distanceMetres: integer({
      minimum: 0,
      description: 'Distance from the postcode in a straight line, in metres.',
    }),
    phase: optional(string({ description: 'For schools: phase of education, as the list words it.' })),
    rating: optional(
      nullable(string({ description: 'For schools: the rating, as in `topSchools` of `/area/statistics`.' })),
    ),
    framework: optional(
      nullable(string({ description: 'For schools: the inspection framework of the rating.' })),
    ),
    inspectionDate: optional(
      nullable(
        string({
          format: 'date',
          description: 'For schools: first day of the inspection that gave the rating.',
        }),
      ),
    ),
  },
  { description: 'A school, station, stop or amenity.' },
);

type PlaceItem = Static<typeof place>;

const answer = object('AreaPlaces', {
  postcode: string({ description: 'The postcode, in capitals with one space.' }),
  latitude: nullable(
    number({ description: 'Latitude of the postcode, WGS 84. Null: it has no coordinates.' }),
  ),
  longitude: nullable(
    number({ description: 'Longitude of the postcode, WGS 84. Null: it has no coordinates.' }),
  ),
  radiusMetres: integer({ description: 'Radius of the circle, in metres.' }),
  kinds: object(
    'KindsOfPlaces',
    {
      schools: optional(kindOfPlaces),
      stations: optional(kindOfPlaces),
      stops: optional(kindOfPlaces),
      amenities: optional(kindOfPlaces),
    },
    { description: 'The kinds that you asked for.' },
  ),
  total: nullable(
    integer({
      minimum: 0,
      description:
        'Number of places of all kinds together, as far as they are known. Null if none of the kinds is.',
    }),
  ),
  returned: integer({ minimum: 0, description: 'Number of places on this page.' }),
  offset: integer({ minimum: 0, description: 'Number of places before this page.' }),
  places: list(place, { description: 'The places of this page, nearest first.' }),
});

/** A place that was found; its texts are made only for those that are answered. */
type Near = { readonly metres: number; readonly describe: () => PlaceItem };

/** `near` undefined where nobody knows what is there; `lacking` says why, or what of it is missing. */
type Found = {
  readonly near: readonly Near[] | undefined;
  readonly lacking: string | undefined;
  readonly datasets: readonly DatasetName[];
};

/** The place, and the circle around its point. */
type Around = { readonly place: PostcodeRow; readonly circle: Circle };

const unknown = (lacking: string): Found => ({ near: undefined, lacking, datasets: [] });

const position = ({ latitudeDegrees, longitudeDegrees }: LatLong, metres: number) => ({
  latitude: latitudeDegrees,
  longitude: longitudeDegrees,
  distanceMetres: Math.round(metres),
});

function findSchools(release: Release, { place: { nation }, circle }: Around): Found {
  const table = openSchools(release);
  const own = schoolNations.find((known) => known === nation);
  if (own === undefined) return unknown('there is no list of schools to load for this nation');
  if (release.findDataset(schoolLists[own]) === undefined)
    return unknown(`the list of schools of ${own} is not loaded`);
  if (table.findList(nation, circle) === undefined)
    return unknown('the loaded sample of schools does not reach this circle');
  const found = table.within(circle);
  const inPart = isInPart(release, schoolLists[own])
    ? `only a part of the schools of ${own} is loaded`
    : undefined;
  if (found.length === 0 && inPart !== undefined) return unknown(`${inPart}, and none of it lies here`);
  const nations = new Set<SchoolNation>([own, ...found.map((school) => school.nation)]);
  const isRated = nations.has('England') && table.hasRatings;
  return {
    near: found.map((school) => ({
      metres: school.metres,
      describe: () => describeSchool(school, table.describe(school)),
    })),
    lacking:
      inPart !== undefined
        ? `${inPart}, so some may be missing here`
        : nations.has('England') && !table.hasRatings
          ? 'ratings of schools (Ofsted) are not loaded'
          : undefined,
    datasets: [...[...nations].map((one) => schoolLists[one]), ...(isRated ? (['ofsted'] as const) : [])],
  };
}

function describeSchool(near: NearbySchool, school: School): PlaceItem {
  const { teachesPrimary, teachesSecondary } = school;
  return {
    kind: 'school',
    category: teachesPrimary ? (teachesSecondary ? 'primary-and-secondary' : 'primary') : 'secondary',
    name: school.name,
    code: String(school.number),
    ...position(school.point, near.metres),
    phase: school.phase,
    ...describeRating(school.rating),
  };
}

const notInGreatBritain = ({ nation }: PostcodeRow) =>
  nation === 'England' || nation === 'Wales' || nation === 'Scotland'
    ? undefined
    : `the list of stations and stops (NaPTAN) covers Great Britain${nation === null ? '' : `, not ${nationInWords(nation)}`}`;

const stationWords = {
  tube: 'Underground stations',
  rail: 'railway stations',
  metro: 'tram, light rail and metro stations other than the Underground',
} as const;

function findStations(release: Release, { place, circle }: Around): Found {
  const abroad = notInGreatBritain(place);
  if (abroad !== undefined) return unknown(abroad);
  if (release.findDataset('stops') === undefined) return unknown('stations are not loaded');
  const stops = openStops(release);
  const whole = stops.kindsWhole(circle);
  if (whole.length === 0) return unknown('the loaded list of stations does not reach this circle');
  const missing = stationKinds.filter((kind) => !whole.includes(kind)).map((kind) => stationWords[kind]);
  return {
    near: stops
      .stationsWithin(circle)
      .filter(({ kind }) => whole.includes(kind))
      .map(({ kind, name, code, point, metres }) => ({
        metres,
        describe: () => ({ kind: 'station', category: kind, name, code, ...position(point, metres) }),
      })),
    lacking:
      missing.length === 0
        ? undefined
        : `${missing.join(' and ')} are not loaded in full, so they are left out`,
    datasets: ['stops'],
  };
}

const stopWords = { BCT: 'bus-on-street', BCS: 'bus-bay', BCQ: 'bus-bay' } as const;

function findStops(release: Release, { place, circle }: Around): Found {
  const abroad = notInGreatBritain(place);
  if (abroad !== undefined) return unknown(abroad);
  if (release.findDataset('stops') === undefined) return unknown('bus stops are not loaded');
  const stops = openStops(release);
  const found = stops.busStopsWithin(circle);
  const isWhole = stops.covers.has('bus');
  if (found.length === 0 && !isWhole) return unknown('bus stops in this area are not loaded');
  return {
    near: found.map(({ index, point, metres }) => ({
      metres,
      describe: () => {
        const { name, code, type } = stops.nameOfBusStop(index);
        return {
          kind: 'stop',
          category: stopWords[type],
          name: name || null,
          code,
          ...position(point, metres),
        };
      },
    })),
    lacking: isWhole ? undefined : 'bus stops are loaded for some areas only, so some may be missing here',
    datasets: ['stops'],
  };
}

/** Cycle hire is told by /area/statistics, which joins the map with the docks of Transport for London. */
const amenityCategories = [...pointKinds.filter((kind) => kind !== 'cycle-hire'), 'park'] as const;

function findAmenities(release: Release, { circle }: Around): Found {
  if (release.findDataset('amenities') === undefined) return unknown('no map is loaded');
  const map = openAmenities(release);
  if (!map.covers(circle, circle.radiusMetres))
    return unknown('the circle reaches beyond what the loaded map covers');
  return {
    near: amenityCategories.flatMap((category) =>
      map.listWithin(category, circle).map((found) => ({
        metres: found.metres,
        describe: () => ({
          kind: 'amenity',
          category,
          name: map.nameOf(found),
          code: null,
          ...position(found.point, found.metres),
        }),
      })),
    ),
    lacking: undefined,
    datasets: ['amenities'],
  };
}

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
    { dataset: 'amenities', fields: ['total'], where: 'where only amenities are known' },
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
    returned > 0 && total !== null && offset + returned < total ? { offset: offset + returned } : undefined,
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
      total: found.every((one) => one.near === undefined) ? null : near.length,
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
