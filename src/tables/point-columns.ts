// The columns of an index of points (src/columns/point-bands.ts), for the tables that have one.

import { exactly, i32, starts } from '../release/column.ts';

/** `point` is what the table calls the thing that has a point. */
export const pointColumns = (point: string) => ({
  latitude: i32(point, 'millionths of a degree'),
  longitude: i32(point, 'millionths of a degree'),
  'first-band': i32(
    exactly(2),
    'two values: the southernmost band, and the height of a band in millionths of a degree. Band *n* begins at latitude *n* × height',
  ),
  'band-starts': starts('band', point),
});

export const byBand = 'by band from south to north, within a band from west to east';
