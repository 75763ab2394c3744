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

/** The two parts of an area, as they are written. */
export type SaleParts = { readonly sales: Uint8Array<ArrayBuffer>; readonly ids: Uint8Array<ArrayBuffer> };

export function encodeSaleParts(rows: SaleRows, words: SaleWords): SaleParts {
  const { sales, ids } = encodeSales(rows, words);
  return { sales: encodePart(sales), ids: encodePart(ids) };
}

// Puts the words of an area's sales in their lasting order: only those that are used, each once, rising. So the same sales
// give the same bytes, whatever files and however many updates they came from.

/** `placeOf`, `paonOf` and `saonOf` give the new code of each word that is used. */
type SettledWords = {
  readonly words: SaleWords;
  readonly placeOf: Uint32Array;
  readonly paonOf: Uint32Array;
  readonly saonOf: Uint32Array;
};

export function settleWords(
  rows: Pick<SaleRows, 'places' | 'paons' | 'saons'>,
  words: SaleWords,
): SettledWords {
  const paons = settleTexts(words.paons, usedOf(rows.paons, words.paons.length));
  const saons = settleTexts(words.saons, usedOf(rows.saons, words.saons.length));
  const usedPlaces = usedOf(rows.places, words.places.length / placeFields);
  const usedStreets = new Uint8Array(words.streets.length);
  const usedNames = new Uint8Array(words.names.length);
  for (let place = 0; place < usedPlaces.length; place++) {
    if (usedPlaces[place] === 0) continue;
    const at = place * placeFields;
    usedStreets[defined(words.places[at])] = 1;
    for (let field = 1; field < placeFields; field++) usedNames[defined(words.places[at + field])] = 1;
  }
  const streets = settleTexts(words.streets, usedStreets);
  const names = settleTexts(words.names, usedNames);
  const tuples = words.places.map((code, at) => {
    const { codeOf } = at % placeFields === 0 ? streets : names;
    return defined(codeOf[code]);
  });
  const places = settlePlaces(tuples, usedPlaces);
  return {
    words: {
      paons: paons.texts,
      saons: saons.texts,
      streets: streets.texts,
      names: names.texts,
      places: places.tuples,
    },
    placeOf: places.codeOf,
    paonOf: paons.codeOf,
    saonOf: saons.codeOf,
  };
}

/** One byte a word: 1 where a row uses it. */
function usedOf(codes: Uint32Array, limit: number): Uint8Array {
  const used = new Uint8Array(limit);
  for (let row = 0; row < codes.length; row++) used[defined(codes[row])] = 1;
  return used;
}

/** The codes that are used, in the order of `compare`. */
function ordered(used: Uint8Array, compare: (a: number, b: number) => number): Uint32Array {
  const order = new Uint32Array(used.length);
  let count = 0;
  let isInOrder = true;
  for (let code = 0; code < used.length; code++) {
    if (used[code] === 0) continue;
    if (count > 0 && compare(defined(order[count - 1]), code) > 0) isInOrder = false;
    order[count++] = code;
  }
  const found = order.subarray(0, count);
  // Words of an earlier release are in order already.
  return isInOrder ? found : found.sort(compare);
}

function settleTexts(before: readonly string[], used: Uint8Array) {
  const text = (code: number) => defined(before[code]);
  const compare = (a: number, b: number) => (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0);
  const texts: string[] = [];
  const codeOf = new Uint32Array(before.length);
  for (const code of ordered(used, compare)) {
    if (texts.length === 0 || texts.at(-1) !== text(code)) texts.push(text(code));
    codeOf[code] = texts.length - 1;
  }
  return { texts, codeOf };
}

function settlePlaces(before: Uint32Array, used: Uint8Array) {
  const compare = (a: number, b: number) => {
    for (let field = 0; field < placeFields; field++) {
      const difference = defined(before[a * placeFields + field]) - defined(before[b * placeFields + field]);
      if (difference !== 0) return difference;
    }
    return 0;
  };
  const order = ordered(used, compare);
  const tuples = new Uint32Array(order.length * placeFields);
  const codeOf = new Uint32Array(used.length);
  let count = 0;
  let last = -1;
  for (const place of order) {
    if (last === -1 || compare(last, place) !== 0) {
      tuples.set(before.subarray(place * placeFields, (place + 1) * placeFields), count * placeFields);
      count += 1;
    }
    last = place;
    codeOf[place] = count - 1;
  }
  return { tuples: tuples.slice(0, count * placeFields), codeOf };
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
