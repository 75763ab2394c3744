// GET /postcodes/lookup: where a postcode lies, in use or withdrawn, and in which areas.

import { type Context, endpoint, qualify } from '../contract/endpoint.ts';
import { postcode } from '../contract/params.ts';
import { integer, nullable, number, object, string } from '../contract/shape.ts';
import { findGridReferences } from '../tables/postcodes/grid-references.ts';
import { openPostcodes, type PostcodeRow } from '../tables/postcodes/postcodes.ts';
import { forceByName } from './crime/lacking.ts';
import { areaShapes, areasOf, statisticalAreas, whyUnknown } from './postcodes/areas.ts';
import { refusePostcode } from './postcodes/refusal.ts';

export const postcodesLookup = endpoint({
  method: 'GET',
  path: '/postcodes/lookup',
  summary: 'Location of a postcode and the areas around it',
  description:
    'Gives the coordinates of a postcode, and the code and name of every area that it is in. Withdrawn postcodes work too: `terminated` has the month, and everything else is as it last was. An unknown value is null, and X-Data-Coverage says why. OS Code-Point Open has no withdrawn postcodes, regions, LSOAs or MSOAs; the ONS Postcode Directory has all of them.',
  credits: 1,
  envelope: 'data',
  datasets: ['postcodes'],
  needs: [
    { dataset: 'postcodes', holding: statisticalAreas, fields: ['lsoa'] },
    {
      dataset: 'place-names',
      fields: ['region.name', 'ward.name', 'lsoa.name', 'msoa.name'],
      also: 'the name of the county',
    },
    { dataset: 'place-names', fields: ['policeForce.name'], where: forceByName },
    { dataset: 'authorities', fields: [], also: 'the name that the council uses' },
  ],
  maxAgeSeconds: 0,
  params: {
    postcode: postcode({
      description: 'Full postcode, in upper or lower case, with or without a space.',
      example: { sandbox: 'ZZ1 1AA', live: 'NP10 8WA' },
      missing: 'MISSING_POSTCODE',
      fault: 'INVALID_POSTCODE',
    }),
  },
  errors: [
    'MISSING_POSTCODE',
    'INVALID_POSTCODE',
    'POSTCODE_NOT_FOUND',
    'AUTHENTICATION_REQUIRED',
    'INSUFFICIENT_CREDITS',
    'DATABASE_ERROR',
    'INTERNAL_SERVER_ERROR',
  ],
  answer: object('PostcodeLookup', {
    postcode: string({
      description: 'The postcode, in capitals, with one space before its last three characters.',
    }),
    outcode: string({ description: 'The part before the space.' }),
    terminated: nullable(
      string({ description: 'Month in which the Royal Mail withdrew it, YYYY-MM. Null: it is in use.' }),
    ),
    latitude: nullable(number({ description: 'Latitude in degrees, WGS 84. Null: it has no coordinates.' })),
    longitude: nullable(
      number({ description: 'Longitude in degrees, WGS 84. Null: it has no coordinates.' }),
    ),
    easting: nullable(
      integer({
        description:
          'Easting on the National Grid (OSGB36) in metres, as published. Null in Northern Ireland, which has another grid.',
      }),
    ),
    northing: nullable(integer({ description: 'Northing, by the same rule.' })),
    ...areaShapes,
  }),
  handle: ({ postcode: wanted }, { release }) => {
    const postcodes = openPostcodes(release);
    const row = postcodes.find(wanted);
    if (row === undefined) return refusePostcode(release, wanted, row);
    const grid = findGridReferences(release)?.(postcodes.rowOf(wanted)) ?? null;
    const areas = areasOf(release, row);
    const found = {
      postcode: row.postcode,
      outcode: wanted.outcode,
      terminated: row.terminated,
      latitude: row.point?.latitudeDegrees ?? null,
      longitude: row.point?.longitudeDegrees ?? null,
      easting: grid?.eastingMetres ?? null,
      northing: grid?.northingMetres ?? null,
      ...areas,
    };
    const unknown = [
      ...(row.point === null
        ? ['latitude and longitude are null as the directory gives no location for this postcode']
        : []),
      ...(grid === null ? [whyNoGrid(release, row)] : []),
      ...whyUnknown(release, row, areas),
    ];
    return unknown.length === 0
      ? found
      : qualify({ shortage: { extent: 'partial', why: unknown.join('; ') } }, found);
  },
});

function whyNoGrid(release: Context['release'], { nation, point }: PostcodeRow): string {
  const are = 'easting and northing are null as';
  if (nation === 'Northern Ireland') return `${are} Northern Ireland is not on the National Grid`;
  if (point === null) return `${are} the directory gives no location for this postcode`;
  if (findGridReferences(release) !== undefined) return `${are} the directory gives none for this postcode`;
  return `${are} ${release.findDataset('postcodes')?.source} has none here`;
}
