// The bundled sample of traffic counts (data/sample/traffic.csv): the points of one island, so that none is missing
// beside them.

import type { NamedCells } from '../../ingest/read/named-rows.ts';
import { encodeTraffic, type TrafficPoint, trafficPart } from '../../tables/transport/traffic.ts';
import { readPoint, sampleLoader } from '../sample-loader.ts';
import { trafficFacts } from './facts.ts';

const columns = ['countPoint', 'year', 'motorVehiclesADay', 'latitude', 'longitude'] as const;

export const trafficSample = sampleLoader({
  subject: 'sample-traffic',
  facts: { ...trafficFacts, coverage: { England: 'the count points of the Isle of Wight' } },
  columns,
  readRow: readCount,
  write: (points, _note, into) => into.writePart(trafficPart, encodeTraffic(points)),
});

function readCount(cells: NamedCells<(typeof columns)[number]>): TrafficPoint {
  const whole = (title: (typeof columns)[number]) => {
    const text = cells.cell(title);
    if (!/^\d{1,9}$/.test(text)) throw cells.refuse(title, 'a whole number');
    return Number(text);
  };
  return {
    id: whole('countPoint'),
    year: whole('year'),
    vehiclesADay: whole('motorVehiclesADay'),
    ...readPoint(cells),
  };
}
