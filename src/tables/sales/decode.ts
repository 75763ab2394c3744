// Reads the sales of an area back as rows, for a load that builds on an earlier release.

import { defined, outOfRange } from '../../out-of-range.ts';
import type { Part } from '../../release/part.ts';
import { pricesByRow } from './months.ts';
import { type AreaSales, idBytes, noPostcode } from './rows.ts';
import { saleIdsPart, saleIdsTable, salesPart, salesTable } from './table.ts';

/** The release before, as far as it is read here. Parts are read once and not kept in memory. */
type Parts = { has(name: string): boolean; readPart(name: string): Part };

type Codes = AreaSales['rows']['places'];

export const hasSales = (release: Parts, area: string): boolean => release.has(salesPart(area));

/** The ids of an area's sales, in the order of its rows. */
export const readSaleIds = (release: Parts, area: string): Uint8Array =>
  saleIdsTable.read(release.readPart(saleIdsPart(area))).id;

/** `ids` are those that `readSaleIds` gives, which many callers need first. */
export function readSales(release: Parts, area: string, ids: Uint8Array): AreaSales {
  const views = salesTable.read(release.readPart(salesPart(area)));
  const { day, flags, place, paon, saon, places } = views;
  if (ids.length !== day.length * idBytes) outOfRange();
  return {
    rows: {
      days: day,
      prices: pricesByRow(views),
      flags,
      postcodes: unpacked(views.postcode, views.postcodes),
      places: place,
      paons: paon,
      saons: saon,
      ids,
    },
    words: {
      paons: views.paons.list(),
      saons: views.saons.list(),
      streets: views.streets.list(),
      names: views.names.list(),
      places,
    },
  };
}

/** The packed postcode of each row. The code after the last stands for none. */
function unpacked(codes: Codes, distinct: Uint32Array): Uint32Array {
  const packed = new Uint32Array(codes.length);
  for (let row = 0, { length } = codes; row < length; row++) {
    const code = defined(codes[row]);
    packed[row] = code === distinct.length ? noPostcode : defined(distinct[code]);
  }
  return packed;
}
