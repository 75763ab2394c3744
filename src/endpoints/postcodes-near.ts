// GET /postcodes/near: the postcodes in use around a point, nearest first.

import { endpoint, qualify } from '../contract/endpoint.ts';
import { decimal, wholeNumber } from '../contract/params.ts';
import { integer, list, number, object, string } from '../contract/shape.ts';
import { openPostcodesNear } from '../tables/postcodes/near.ts';
import { areaShapes, authorityArea, wardArea } from './postcodes/areas.ts';

/** The directories have no point beyond these. */
const kingdom = { south: 49, north: 61.5, west: -9, east: 2.5 } as const;

const outside = 'the point lies outside of the United Kingdom and the sea around it';

export const postcodesNear = endpoint({
  method: 'GET',
  path: '/postcodes/near',
  summary: 'Postcodes around a point, nearest first',
  description:
    "Lists the postcodes in use whose point lies within `radius` metres of a latitude and longitude, nearest first; those at the same distance in the order of the alphabet. A postcode's point is that of one of its addresses near the middle of them. Distances are along the great circle, within 0.5% of the truth. Nothing that near is an empty list. While there are more than `limit`, the header `Link` has the address of the next page.",
  credits: 1,
  freeWhere: outside,
  envelope: 'data',
  datasets: ['postcodes'],
  needs: [
    { dataset: 'place-names', fields: ['postcodes.ward.name'] },
    { dataset: 'authorities', fields: [], also: 'the name that a council has for itself' },
  ],
  maxAgeSeconds: 0,
  params: {
    lat: decimal({
      description: 'Latitude, WGS84.',
      example: { sandbox: '54.1806', live: '51.5545' },
      min: -90,
      max: 90,
      unit: 'degrees',
      such: '51.501',
      fault: 'INVALID_PARAMETER',
    }),
    lon: decimal({
      description: 'Longitude, WGS84; west of Greenwich it is negative.',
      example: { sandbox: '0.91', live: '-3.0271' },
      min: -180,
      max: 180,
      unit: 'degrees',
      such: '-0.142',
      fault: 'INVALID_PARAMETER',
    }),
    radius: wholeNumber({
      description: 'Metres around the point.',
      min: 1,
      max: 5_000,
      fallback: 500,
      outside: 'clamp',
      fault: 'INVALID_PARAMETER',
    }),
    limit: wholeNumber({
      description: 'How many to list.',
      example: '2',
      min: 1,
      max: 100,
      fallback: 10,
      outside: 'clamp',
      fault: 'INVALID_PARAMETER',
    }),
    offset: wholeNumber({
      description: 'How many postcodes to leave out before the page.',
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
      fallback: 0,
      outside: 'clamp',
      fault: 'INVALID_PARAMETER',
    }),
  },
  tryWith: ['lat', 'lon', 'limit'],
  errors: ['AUTHENTICATION_REQUIRED', 'INSUFFICIENT_CREDITS', 'DATABASE_ERROR', 'INTERNAL_SERVER_ERROR'],
  answer: object('PostcodesNear', {
    latitude: number({ description: 'As asked for.' }),
    longitude: number({ description: 'As asked for.' }),
    radiusMetres: integer({ description: 'The radius that was used.' }),
    postcodes: list(
      object('NearPostcode', {
        postcode: string(),
        distanceMetres: integer({ minimum: 0, description: 'From the point that was asked for, rounded.' }),
        latitude: number(),
        longitude: number(),
        authority: areaShapes.authority,
        ward: areaShapes.ward,
      }),
    ),
  }),
  csv: 'postcodes',
  nextPage: ({ postcodes }, { lat, lon, radius, limit, offset }, { release }) => {
    const circle = { latitudeDegrees: lat, longitudeDegrees: lon, radiusMetres: radius };
    const isMore = () => openPostcodesNear(release).nearest(circle, 1, offset + limit).length > 0;
    return postcodes.length === limit && isMore() ? { offset: offset + limit } : undefined;
  },
  example: {
    latitude: 54.1806,
    longitude: 0.91,
    radiusMetres: 500,
    postcodes: [
      {
        postcode: 'ZZ1 1AA',
        distanceMetres: 2,
        latitude: 54.180581,
        longitude: 0.909995,
        authority: { code: 'E06000999', name: 'Zedbury Borough Council' },
        ward: { code: 'E05999001', name: 'Zedbury Market' },
      },
      {
        postcode: 'ZZ1 1AG',
        distanceMetres: 203,
        latitude: 54.182419,
        longitude: 0.9102,
        authority: { code: 'E06000999', name: 'Zedbury Borough Council' },
        ward: { code: 'E05999001', name: 'Zedbury Market' },
      },
    ],
  },
  handle: ({ lat, lon, radius, limit, offset }, { release }) => {
    const asked = { latitude: lat, longitude: lon, radiusMetres: radius };
    const isOutside = lat < kingdom.south || lat > kingdom.north || lon < kingdom.west || lon > kingdom.east;
    if (isOutside) {
      return qualify(
        { shortage: { extent: 'none', why: outside }, charge: 'free' },
        { ...asked, postcodes: [] },
      );
    }
    const circle = { latitudeDegrees: lat, longitudeDegrees: lon, radiusMetres: radius };
    const near = openPostcodesNear(release).nearest(circle, limit, offset);
    return {
      ...asked,
      postcodes: near.map(({ postcode, point, metres }) => ({
        postcode: postcode.postcode,
        distanceMetres: Math.round(metres),
        latitude: point.latitudeDegrees,
        longitude: point.longitudeDegrees,
        authority: authorityArea(release, postcode),
        ward: wardArea(release, postcode),
      })),
    };
  },
});
