// GET /postcodes/near: the postcodes in use around a point, nearest first.

import { type Context, endpoint, qualify } from '../contract/endpoint.ts';
import { decimal, wholeNumber } from '../contract/params.ts';
import { integer, list, number, object, string } from '../contract/shape.ts';
import { openPostcodesNear } from '../tables/postcodes/near.ts';
import { areaShapes, authorityArea, wardArea } from './postcodes/areas.ts';

/** The directories have no point beyond these. */
const kingdom = { south: 49, north: 61.5, west: -9, east: 2.5 } as const;

const outside = 'the point is outside the United Kingdom and the sea around it';

/** Why there may be postcodes there that are not loaded. */
function whyInPart(release: Context['release']): string | undefined {
  const extent = release.findDataset('postcodes')?.extent;
  return extent === 'sample' || extent === 'partial'
    ? `only a ${extent === 'sample' ? 'sample' : 'part'} of postcodes is loaded`
    : undefined;
}

export const postcodesNear = endpoint({
  method: 'GET',
  path: '/postcodes/near',
  summary: 'Postcodes around a point, nearest first',
  description:
    'Lists the postcodes in use within `radius` metres of a latitude and longitude, nearest first. Postcodes at the same distance are in alphabetical order. The coordinates of a postcode are those of one of its addresses near the middle. Distances are along the great circle and correct to 0.5%. If there is nothing that near, the list is empty. If there are more than `limit`, the `Link` header has the address of the next page.',
  credits: 1,
  freeWhere: `${outside}, or if nothing is that near and not all postcodes are loaded`,
  envelope: 'data',
  datasets: ['postcodes'],
  needs: [
    { dataset: 'place-names', fields: ['postcodes.ward.name'] },
    { dataset: 'authorities', fields: [], also: 'the name that the council uses' },
  ],
  maxAgeSeconds: 0,
  params: {
    lat: decimal({
      description: 'Latitude, WGS 84.',
      example: { sandbox: '54.1806', live: '51.5545' },
      min: -90,
      max: 90,
      unit: 'degrees',
      such: '51.501',
      fault: 'INVALID_PARAMETER',
    }),
    lon: decimal({
      description: 'Longitude, WGS 84. It is negative west of Greenwich.',
      example: { sandbox: '0.91', live: '-3.0271' },
      min: -180,
      max: 180,
      unit: 'degrees',
      such: '-0.142',
      fault: 'INVALID_PARAMETER',
    }),
    radius: wholeNumber({
      description: 'Radius in metres around the point.',
      min: 1,
      max: 5_000,
      fallback: 500,
      outside: 'clamp',
      fault: 'INVALID_PARAMETER',
    }),
    limit: wholeNumber({
      description: 'Number of postcodes on a page.',
      example: '2',
      min: 1,
      max: 100,
      fallback: 10,
      outside: 'clamp',
      fault: 'INVALID_PARAMETER',
    }),
    offset: wholeNumber({
      description: 'Number of postcodes to skip before the page.',
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
    latitude: number({ description: 'The latitude that you sent.' }),
    longitude: number({ description: 'The longitude that you sent.' }),
    radiusMetres: integer({ description: 'The radius used, in metres.' }),
    postcodes: list(
      object(
        'NearPostcode',
        {
          postcode: string({ description: 'The postcode, in capitals with one space.' }),
          distanceMetres: integer({ minimum: 0, description: 'Distance from the point, rounded to metres.' }),
          latitude: number({ description: 'Latitude of the postcode, WGS 84.' }),
          longitude: number({ description: 'Longitude of the postcode, WGS 84.' }),
          authority: areaShapes.authority,
          ward: areaShapes.ward,
        },
        { description: 'A postcode near the point.' },
      ),
      { description: 'The postcodes of this page, nearest first.' },
    ),
  }),
  csv: 'postcodes',
  nextPage: ({ postcodes }, { lat, lon, radius, limit, offset }, { release }) => {
    const circle = { latitudeDegrees: lat, longitudeDegrees: lon, radiusMetres: radius };
    const isMore = () => openPostcodesNear(release).nearest(circle, 1, offset + limit).length > 0;
    return postcodes.length === limit && isMore() ? { offset: offset + limit } : undefined;
  },
  handle: ({ lat, lon, radius, limit, offset }, { release }) => {
    const asked = { latitude: lat, longitude: lon, radiusMetres: radius };
    const isOutside = lat < kingdom.south || lat > kingdom.north || lon < kingdom.west || lon > kingdom.east;
    const circle = { latitudeDegrees: lat, longitudeDegrees: lon, radiusMetres: radius };
    const near = isOutside ? [] : openPostcodesNear(release).nearest(circle, limit, offset);
    const whyNone = isOutside ? outside : offset === 0 ? whyInPart(release) : undefined;
    if (near.length === 0 && whyNone !== undefined) {
      return qualify(
        { shortage: { extent: 'none', why: whyNone }, charge: 'free' },
        { ...asked, postcodes: [] },
      );
    }
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
