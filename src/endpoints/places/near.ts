// What lies in a circle, kind by kind, for lists of places. The same tables, the same circles and the same doubts as in
// /area/statistics, so that counting a list gives the figure there.

import type { Circle } from '../../columns/point-bands.ts';
import type { Context } from '../../contract/endpoint.ts';
import type { DatasetName } from '../../datasets.ts';
import { openAmenities, pointKinds } from '../../tables/amenities/amenities.ts';
import type { PostcodeRow } from '../../tables/postcodes/postcodes.ts';
import {
  type NearbySchool,
  openSchools,
  type School,
  type SchoolNation,
  schoolLists,
  schoolNations,
} from '../../tables/schools/schools.ts';
import { openStops, stationKinds } from '../../tables/transport/stops.ts';
import type { LatLong } from '../../uk/grid.ts';
import { nationInWords } from '../../uk/postcode-areas.ts';
import { describeRating } from '../schools/rating.ts';
import type { PlaceItem } from './answer.ts';

type Release = Context['release'];

/** A place that was found; its texts are made only for those that are answered. */
type Near = { readonly metres: number; readonly describe: () => PlaceItem };

/** `near` undefined where nobody knows what is there; `lacking` says why, or what of it is missing. */
export type Found = {
  readonly near: readonly Near[] | undefined;
  readonly lacking: string | undefined;
  readonly datasets: readonly DatasetName[];
};

/** The place, and the circle around its point. */
export type Around = { readonly place: PostcodeRow; readonly circle: Circle };

const unknown = (lacking: string): Found => ({ near: undefined, lacking, datasets: [] });

const position = ({ latitudeDegrees, longitudeDegrees }: LatLong, metres: number) => ({
  latitude: latitudeDegrees,
  longitude: longitudeDegrees,
  distanceMetres: Math.round(metres),
});

export function findSchools(release: Release, { place: { nation }, circle }: Around): Found {
  const table = openSchools(release);
  const own = schoolNations.find((known) => known === nation);
  if (own === undefined) return unknown('there is no list of schools to load for this nation');
  if (release.findDataset(schoolLists[own]) === undefined)
    return unknown(`the list of schools of ${own} is not loaded`);
  if (table.findList(nation, circle) === undefined)
    return unknown('the loaded sample of schools does not reach this circle');
  const found = table.within(circle);
  const nations = new Set<SchoolNation>([own, ...found.map((school) => school.nation)]);
  const isRated = nations.has('England') && table.hasRatings;
  return {
    near: found.map((school) => ({
      metres: school.metres,
      describe: () => describeSchool(school, table.describe(school)),
    })),
    lacking:
      nations.has('England') && !table.hasRatings ? 'ratings of schools (Ofsted) are not loaded' : undefined,
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

export function findStations(release: Release, { place, circle }: Around): Found {
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

export function findStops(release: Release, { place, circle }: Around): Found {
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
export const amenityCategories = [...pointKinds.filter((kind) => kind !== 'cycle-hire'), 'park'] as const;

export function findAmenities(release: Release, { circle }: Around): Found {
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
