// How the sales of one postcode area are kept: columns newest first (same day: by transaction id), words coded
// by number, and the indexes that queries need, made once when the part is written.

import { arrange, arrangeBytes, codeDistinct, narrow, postingsOf } from '../../columns/codes.ts';
import { type Columns, encodePart } from '../../release/part.ts';
import { eachSlot, edgesOf, encodeMonths, monthOrderOf } from './months.ts';
import { inOrder } from './order.ts';
import { noPostcode, placeFields, type SaleRows, type SaleWords } from './rows.ts';
import { encodeSalePlaces } from './runs.ts';
import { encodeSaleSets, type SetSizes, usualSizes } from './sets.ts';
import { settleWords } from './words.ts';

export type EncodedSales = { readonly sales: Columns; readonly ids: Columns };

export function encodeSales(
  rowsAsMet: SaleRows,
  wordsAsMet: SaleWords,
  sizes: SetSizes = usualSizes,
): EncodedSales {
  const rows = inOrder(rowsAsMet);
  const { words, placeOf, paonOf, saonOf } = settleWords(rows, wordsAsMet);
  const { days, prices, flags } = rows;
  const places = arrange(placeOf, rows.places);
  const { distinct, codes: postcodes } = codePostcodes(rows.postcodes);
  const { distinct: levels, codes: levelOf } = codeDistinct(prices, 0);
  const rowsByPrice = postingsOf(levelOf, levels.length).rows;
  const months = monthOrderOf(days, rowsByPrice);
  const edges = edgesOf(rowsByPrice, prices, sizes.salesPerBand);
  const slots = new Uint32Array(days.length);
  eachSlot(months, (slot, place) => {
    slots[place] = slot;
  });
  return {
    sales: {
      day: days,
      flags,
      postcode: narrow(postcodes, distinct.length + 1),
      place: narrow(places, words.places.length / placeFields),
      paon: narrow(arrange(paonOf, rows.paons), words.paons.length),
      saon: narrow(arrange(saonOf, rows.saons), words.saons.length),
      postcodes: distinct,
      'street-start': streetStarts(words),
      ...encodeSalePlaces({
        slots,
        prices: arrange(prices, months.rows),
        flags: arrangeBytes(flags, months.rows),
        postcodes: arrange(postcodes, months.rows),
        places: arrange(places, months.rows),
        packed: distinct,
        words,
      }),
      ...encodeMonths({ order: months, prices, flags, edges }),
      ...encodeSaleSets({ flags, prices, edges, order: months, places, words, sizes }),
      places: words.places,
      paons: words.paons,
      saons: words.saons,
      streets: words.streets,
      names: words.names,
    },
    ids: { id: rows.ids },
  };
}

/** The two parts of an area, as they are written. */
export type SaleParts = { readonly sales: Uint8Array<ArrayBuffer>; readonly ids: Uint8Array<ArrayBuffer> };

export function encodeSaleParts(rows: SaleRows, words: SaleWords): SaleParts {
  const { sales, ids } = encodeSales(rows, words);
  return { sales: encodePart(sales), ids: encodePart(ids) };
}

/** The first place of each street, and one more: places are in the order of their streets. */
function streetStarts(words: SaleWords): Uint32Array {
  const streets = words.places.filter((_, at) => at % placeFields === 0);
  return postingsOf(streets, words.streets.length).starts;
}

/** Distinct postcodes in order; rows without one have the number after the last. */
function codePostcodes(packed: Uint32Array): { distinct: Uint32Array; codes: Uint32Array } {
  let lowest = noPostcode;
  for (let row = 0, { length } = packed; row < length; row++)
    lowest = Math.min(lowest, packed[row] ?? noPostcode);
  const { distinct, codes } = codeDistinct(packed, lowest);
  return { distinct: distinct.at(-1) === noPostcode ? distinct.slice(0, -1) : distinct, codes };
}
