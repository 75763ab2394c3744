// The parts that sold prices are kept in, as tables. What a column is for is said beside the code that reads it; here
// the columns come together, in the order in which they are written.

import {
  codes,
  exactly,
  inTurn,
  into,
  intoOrAfter,
  rising,
  starts,
  strings,
  times,
  u8,
  u16,
  u32,
} from '../../release/column.ts';
import { table, type Views } from '../../release/table.ts';
import { monthColumns } from './months.ts';
import { idBytes, placeFields } from './rows.ts';
import { runColumns } from './runs.ts';
import { setColumns } from './sets.ts';

export const salesIndexPart = 'sales-index';
/** Sales without postcode whose area nobody can tell: kept for later changes, never served. */
export const unplacedArea = 'unplaced';
export const salesPart = (area: string): string => `sales-${area.toLowerCase()}`;
export const saleIdsPart = (area: string): string => `sale-ids-${area.toLowerCase()}`;

export const salesOrigin = { dataset: 'price-paid', layout: 1 } as const;
const newestFirst = 'newest first, on one day by transaction id';

/** One value for the parts of all areas: making one for each would cost more than reading a small area. */
export const salesTable = table({
  part: salesPart('<area>'),
  origin: salesOrigin,
  about:
    'The sales of one postcode area; those that belong to no area are `sales-unplaced`. Words are those of docs/decisions/0008-sold-prices.md.',
  order: newestFirst,
  columns: {
    day: u16('sale', 'days since 1970-01-01'),
    flags: u8(
      'sale',
      'bits 0–4 the class: 4 × type (D, S, T, F, O) + 2 × new + 1 × category B; bits 5–6 the tenure: F, L, U',
    ),
    postcode: codes('sale', 'its postcode, in `postcodes`', intoOrAfter('postcode')),
    place: codes('sale', 'its place, in `places`', into('place')),
    paon: codes('sale', 'its number or name of the house, in `paons`', into('paon')),
    saon: codes('sale', 'its flat or unit, in `saons`', into('saon')),
    postcodes: u32('postcode', 'distinct packed postcodes (`src/uk/postcode.ts`)', rising),
    'street-start': starts('street', 'place'),
    ...runColumns,
    ...monthColumns,
    ...setColumns,
    places: u32(
      times('place', placeFields),
      'five a place: its code in `streets`, then locality, town, district and county in `names`; each place once, in rising order of the five',
      inTurn(into('street'), into('name'), into('name'), into('name'), into('name')),
    ),
    paons: strings('paon', 'each once, in rising order of UTF-16 units'),
    saons: strings('saon', 'each once, in the same order'),
    streets: strings('street', 'each once, in the same order'),
    names: strings('name', 'of localities, towns, districts and counties; each once, in the same order'),
  },
});

export type SalesViews = Views<typeof salesTable.columns>;

export const saleIdsTable = table({
  part: saleIdsPart('<area>'),
  origin: salesOrigin,
  about: 'The transaction ids of the sales of one area.',
  order: 'as the sales of the area',
  columns: { id: u8(times('sale', idBytes), 'the 16 bytes of each id') },
});

export const salesIndexTable = table({
  part: salesIndexPart,
  origin: salesOrigin,
  about: 'What is known about the sales of all areas together.',
  order: 'areas by name',
  columns: {
    areas: strings('area', 'areas that have sales, `unplaced` among them'),
    rows: u32('area', 'how many sales'),
    'newest-day': u16('area', 'day of the newest sale, in days since 1970-01-01'),
    'town-names': strings('town', 'town, district and county with line feeds between'),
    'town-areas': strings('town', 'the one area in which its sales lie; empty where there are several'),
    standing: strings(exactly(1), 'one value: `sample`, `partial` or `complete`'),
  },
});
