// Where the sales of a page lie, for maps. The register has addresses without coordinates: a sale stands at the point of its
// postcode, which the directory of postcodes has.

import type { Context } from '../../contract/endpoint.ts';
import { list, nullable, number, object, string } from '../../contract/shape.ts';
import { openPostcodes } from '../../tables/postcodes/postcodes.ts';
import type { SalesSegment } from '../../tables/sales/segment.ts';
import { parsePostcode } from '../../uk/postcode.ts';

export const positions = list(
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

export function positionsOf(
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
