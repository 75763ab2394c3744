// Sales as points of the map. The register has no coordinates: each stands at the point of its postcode.

import type { Answers } from '../../api/answers.ts';
import { countText, dayText, numberText } from '../../formats.ts';
import { type LayerPoint, layerOf, type MapLayer, type Tone } from './layer.ts';

type Sales = Answers['/area/sold-prices'];

export const salesTones: readonly Tone[] = [
  {
    colour: '--map-sale',
    shape: 'disc',
    words: 'A circle for each postcode. Larger circles mean more sales.',
  },
];

const mostLines = 4;
const pounds = (price: number) => `£${numberText(price)}`;

/** What sold prices are asked for: `NP10 8WA` → `NP10 8`. */
export const sectorOf = (postcode: string): string => postcode.slice(0, -2);

export function salesLayer({ properties, positions = [] }: Sales): MapLayer {
  const salesOf = Map.groupBy(properties, ({ postcode }) => postcode);
  const points = positions.flatMap(({ postcode, latitude, longitude }): readonly LayerPoint[] => {
    const sales = salesOf.get(postcode) ?? [];
    if (latitude === null || longitude === null || sales.length === 0) return [];
    const lines = sales.map(({ price, date, address }) => ({
      brief: `${pounds(price)}, ${dayText(date)}, ${address.split(',')[0] ?? address}`,
      price,
    }));
    const prices = lines.map(({ price }) => price);
    const [least, most] = [Math.min(...prices), Math.max(...prices)];
    const more = lines.length - mostLines;
    return [
      {
        latitude,
        longitude,
        radius: 4 + 2.2 * Math.sqrt(sales.length),
        tone: 0,
        facts: () => ({
          title: postcode,
          lines: [
            countText(sales.length, 'sale'),
            ...lines.slice(0, mostLines).map(({ brief }) => brief),
            ...(more > 0 ? [`and ${numberText(more)} more`] : []),
          ],
          cells: [
            postcode,
            numberText(sales.length),
            least === most ? pounds(least) : `${pounds(least)} to ${pounds(most)}`,
            dayText(sales[0]?.date ?? ''),
          ],
        }),
      },
    ];
  });
  return layerOf(
    {
      id: 'sales',
      tones: salesTones,
      headings: [
        { title: 'Postcode', kind: 'name' },
        { title: 'Sales', kind: 'number' },
        { title: 'Price' },
        { title: 'Latest', kind: 'number' },
      ],
    },
    points,
  );
}
