// Writes the sales of one postcode area: its rows in their lasting order, the words they use, and the indexes that
// queries walk (docs/decisions/0008-sold-prices.md), all made once.

import { arrange, arrangeBytes, codeDistinct, narrow, postingsOf } from '../../columns/codes.ts';
import { defined } from '../../out-of-range.ts';
import { type Columns, encodePart } from '../../release/part.ts';
import { eachSlot, edgesOf, encodeMonths, monthOrderOf } from './months.ts';
import { inOrder } from './order.ts';
import { noPostcode, placeFields, type SaleRows, type SaleWords } from './rows.ts';
import { encodeRuns } from './runs.ts';
import { encodeSets, type SetSizes, usualSizes } from './sets.ts';
import { saleIdsTable, salesTable } from './table.ts';
import { settleWords } from './words.ts';

/** The two parts of an area, as they are written. */
export type SaleParts = { readonly sales: Uint8Array<ArrayBuffer>; readonly ids: Uint8Array<ArrayBuffer> };

export function encodeSaleParts(rows: SaleRows, words: SaleWords): SaleParts {
  const { sales, ids } = encodeSales(rows, words);
  return { sales: encodePart(sales), ids: encodePart(ids) };
}

export function encodeSales(
  rowsAsMet: SaleRows,
  wordsAsMet: SaleWords,
  sizes: SetSizes = usualSizes,
): { readonly sales: Columns; readonly ids: Columns } {
  const rows = inOrder(rowsAsMet);
  const { words, placeOf, paonOf, saonOf } = settleWords(rows, wordsAsMet);
  const { days, prices, flags } = rows;
  const places = arrange(placeOf, rows.places);
  const { distinct, codes: postcodes } = codePostcodes(rows.postcodes);
  const { distinct: distinctPrices, codes: priceCodes } = codeDistinct(prices, 0);
  const rowsByPrice = postingsOf(priceCodes, distinctPrices.length).rows;
  const order = monthOrderOf(days, rowsByPrice);
  const edges = edgesOf(rowsByPrice, prices, sizes.salesPerBand);
  const slots = new Uint32Array(days.length);
  eachSlot(order, (slot, position) => {
    slots[position] = slot;
  });
  return {
    sales: salesTable.encode({
      day: days,
      flags,
      postcode: narrow(postcodes, distinct.length + 1),
      place: narrow(places, words.places.length / placeFields),
      paon: narrow(arrange(paonOf, rows.paons), words.paons.length),
      saon: narrow(arrange(saonOf, rows.saons), words.saons.length),
      postcodes: distinct,
      'street-start': streetStarts(words),
      ...encodeRuns({
        slots,
        prices: arrange(prices, order.rows),
        flags: arrangeBytes(flags, order.rows),
        postcodes: arrange(postcodes, order.rows),
        places: arrange(places, order.rows),
        packed: distinct,
        words,
      }),
      ...encodeMonths({ order, prices, flags, edges }),
      ...encodeSets({ flags, prices, edges, order, places, words, sizes }),
      places: words.places,
      paons: words.paons,
      saons: words.saons,
      streets: words.streets,
      names: words.names,
    }),
    ids: saleIdsTable.encode({ id: rows.ids }),
  };
}

/** The first place of each street, and the end: places are in the order of their streets. */
function streetStarts(words: SaleWords): Uint32Array {
  const streets = words.places.filter((_, at) => at % placeFields === 0);
  return postingsOf(streets, words.streets.length).starts;
}

/** Distinct postcodes in order, and the code of each row's. Rows without a postcode have the code after the last. */
function codePostcodes(packed: Uint32Array): { distinct: Uint32Array; codes: Uint32Array } {
  let lowest = noPostcode;
  for (let row = 0, { length } = packed; row < length; row++) lowest = Math.min(lowest, defined(packed[row]));
  const { distinct, codes } = codeDistinct(packed, lowest);
  return { distinct: distinct.at(-1) === noPostcode ? distinct.slice(0, -1) : distinct, codes };
}
