// The new state of one area: what the release before had, and what the records say since. The last record about a sale
// counts, and one that says what is known already changes nothing. Known sales are in order, so the few new ones are put
// between them.

import { firstIndex } from '../../columns/sorted.ts';
import type { Into } from '../../ingest/source.ts';
import type { Tally } from '../../ingest/tally.ts';
import { defined } from '../../out-of-range.ts';
import { hasSales, readSaleIds, readSales } from '../../tables/sales/decode.ts';
import { compareIds, orderOf } from '../../tables/sales/order.ts';
import {
  type AreaSales,
  emptyRows,
  idBytes,
  noSales,
  placeFields,
  type SaleRows,
  type SaleWords,
} from '../../tables/sales/rows.ts';
import { IdTable } from './ids.ts';
import { formatId } from './records.ts';
import {
  at,
  dayOfRest,
  flagsOfRest,
  idWord,
  isLiveRest,
  joinWords,
  readSpilled,
  recordWords,
  type SaleTexts,
  type Spilled,
} from './spill.ts';

/** The release before. */
export type Release = NonNullable<Into['base']>;

/** The ids as words of four bytes. */
export const idWordsOf = ({ ids }: Pick<SaleRows, 'ids'>): Uint32Array =>
  new Uint32Array(ids.buffer, ids.byteOffset, ids.length / 4);

/** None where the area has no sales: a town may still name one whose last sale has gone. */
export const knownIn = (release: Release | undefined, area: string): AreaSales =>
  release !== undefined && hasSales(release, area)
    ? readSales(release, area, readSaleIds(release, area))
    : noSales;

/** Records in the order of the files, and the words that their codes stand for. */
type Records = { readonly records: Uint32Array; readonly words: SaleWords };

export const recordsOf = (spilled: Spilled | undefined): Records =>
  spilled === undefined
    ? { records: new Uint32Array(0), words: noSales.words }
    : { records: readSpilled(spilled), words: spilled.words };

type Merged =
  | { readonly kind: 'same' }
  | { readonly kind: 'changed'; readonly rows: SaleRows; readonly words: SaleWords };

/**
 * `whereabouts` has the sales of all files with the number of the area that each belongs to now; `number` is this area.
 * `tally` hears of every known sale that does not stay as it is.
 */
export function mergeArea(
  known: AreaSales,
  { records, words: added }: Records,
  whereabouts: IdTable,
  number: number,
  tally: Pick<Tally, 'revise'>,
): Merged {
  const { words, ...codesOf } = joinWords(known.words, added);
  const count = records.length / recordWords;
  // The index of the last record about each sale.
  const last = IdTable.empty(count);
  for (let index = 0; index < count; index++) last.put(records, index * recordWords + idWord, index);
  /** One byte a record: 1 where its sale is to be put in. */
  const isNew = new Uint8Array(count);
  for (let index = 0; index < count; index++) {
    const from = index * recordWords;
    const isLast = last.find(records, from + idWord) === index;
    if (isLast && isLiveRest(defined(records[from + at.rest]))) isNew[index] = 1;
  }
  const gone: number[] = [];
  const idWords = idWordsOf(known.rows);
  for (const row of whereabouts.rowsKnown(idWords)) {
    const index = last.find(idWords, 4 * row);
    if (index === -1 && whereabouts.find(idWords, 4 * row) === number) continue;
    if (index !== -1 && isNew[index] === 1 && isSame(known.rows, row, records, index, codesOf)) {
      isNew[index] = 0;
      continue;
    }
    gone.push(row);
    const fate = index !== -1 && isNew[index] === 1 ? 'changed' : 'deleted';
    const id = formatId(known.rows.ids.slice(row * idBytes, (row + 1) * idBytes));
    tally.revise(`sale ${fate} by a later record`, `transaction ${id}`);
  }
  const inserted = sortedInserts(records, isNew);
  if (inserted.length === 0 && gone.length === 0) return { kind: 'same' };
  return { kind: 'changed', rows: splice(known.rows, gone, records, inserted, codesOf), words };
}

/** From the codes of the records' words to those of the area's. */
type CodesOf = { readonly placeOf: Uint32Array; readonly paonOf: Uint32Array; readonly saonOf: Uint32Array };

function isSame(
  rows: AreaSales['rows'],
  row: number,
  records: Uint32Array,
  index: number,
  { placeOf, paonOf, saonOf }: CodesOf,
): boolean {
  const from = index * recordWords;
  const rest = defined(records[from + at.rest]);
  return (
    rows.days[row] === dayOfRest(rest) &&
    rows.prices[row] === records[from + at.price] &&
    rows.flags[row] === flagsOfRest(rest) &&
    rows.postcodes[row] === records[from + at.postcode] &&
    rows.places[row] === placeOf[defined(records[from + at.place])] &&
    rows.paons[row] === paonOf[defined(records[from + at.paon])] &&
    rows.saons[row] === saonOf[defined(records[from + at.saon])]
  );
}

/** The marked records, in the lasting order of their sales. */
function sortedInserts(records: Uint32Array, isMarked: Uint8Array): Uint32Array {
  const marked = new Uint32Array(isMarked.length);
  let count = 0;
  for (let index = 0; index < isMarked.length; index++) if (isMarked[index] === 1) marked[count++] = index;
  const days = new Uint16Array(count);
  const ids = new Uint32Array(4 * count);
  for (let insert = 0; insert < count; insert++) {
    const from = defined(marked[insert]) * recordWords;
    days[insert] = dayOfRest(defined(records[from + at.rest]));
    for (let word = 0; word < 4; word++) ids[4 * insert + word] = defined(records[from + idWord + word]);
  }
  return orderOf({ days, ids: new Uint8Array(ids.buffer) }).map((insert) => defined(marked[insert]));
}

/** The known rows without those that are gone, with the inserts between them where they belong. */
function splice(
  known: AreaSales['rows'],
  gone: readonly number[],
  records: Uint32Array,
  inserts: Uint32Array,
  { placeOf, paonOf, saonOf }: CodesOf,
): SaleRows {
  const knownCount = known.days.length;
  const rows = emptyRows(knownCount - gone.length + inserts.length);
  const idWords = idWordsOf(rows);
  const recordIds = new Uint8Array(records.buffer, records.byteOffset, records.byteLength);
  /** Known rows that stay side by side: from, to, and the row that the first becomes. */
  const stretches: [number, number, number][] = [];
  let from = 0;
  let target = 0;
  let nextGone = 0;
  const keepUntil = (end: number) => {
    while (from < end) {
      const stop = Math.min(end, gone[nextGone] ?? end);
      if (stop > from) stretches.push([from, stop, target]);
      target += stop - from;
      from = stop;
      if (stop === gone[nextGone]) {
        from += 1;
        nextGone += 1;
      }
    }
  };
  for (const insert of inserts) {
    const record = insert * recordWords;
    const rest = defined(records[record + at.rest]);
    keepUntil(rowAfter(known, dayOfRest(rest), recordIds, 4 * (record + idWord), from));
    rows.days[target] = dayOfRest(rest);
    rows.flags[target] = flagsOfRest(rest);
    rows.prices[target] = defined(records[record + at.price]);
    rows.postcodes[target] = defined(records[record + at.postcode]);
    rows.places[target] = defined(placeOf[defined(records[record + at.place])]);
    rows.paons[target] = defined(paonOf[defined(records[record + at.paon])]);
    rows.saons[target] = defined(saonOf[defined(records[record + at.saon])]);
    for (let word = 0; word < 4; word++)
      idWords[4 * target + word] = defined(records[record + idWord + word]);
    target += 1;
  }
  keepUntil(knownCount);
  type Column = Uint8Array | Uint16Array | Uint32Array;
  const copy = (values: Column, to: Column, width: number) => {
    for (const [start, end, target] of stretches) {
      to.set(values.subarray(start * width, end * width), target * width);
    }
  };
  copy(known.days, rows.days, 1);
  copy(known.prices, rows.prices, 1);
  copy(known.flags, rows.flags, 1);
  copy(known.postcodes, rows.postcodes, 1);
  copy(known.places, rows.places, 1);
  copy(known.paons, rows.paons, 1);
  copy(known.saons, rows.saons, 1);
  copy(known.ids, rows.ids, idBytes);
  return rows;
}

/** The first row, `from` or later, that stands behind a sale of that day and id. */
function rowAfter(
  { days, ids }: AreaSales['rows'],
  day: number,
  id: Uint8Array,
  idAt: number,
  from: number,
): number {
  return firstIndex(from, days.length, (row) => {
    const own = defined(days[row]);
    return own < day || (own === day && compareIds(ids, row * idBytes, id, idAt) >= 0);
  });
}

/** Some of the rows. */
export function pickRows(from: AreaSales['rows'], picked: readonly number[]): SaleRows {
  const rows = emptyRows(picked.length);
  for (const [to, row] of picked.entries()) {
    rows.days[to] = defined(from.days[row]);
    rows.prices[to] = defined(from.prices[row]);
    rows.flags[to] = defined(from.flags[row]);
    rows.postcodes[to] = defined(from.postcodes[row]);
    rows.places[to] = defined(from.places[row]);
    rows.paons[to] = defined(from.paons[row]);
    rows.saons[to] = defined(from.saons[row]);
    rows.ids.set(from.ids.subarray(row * idBytes, (row + 1) * idBytes), to * idBytes);
  }
  return rows;
}

/** One row with its texts, to be carried to another area. */
export function textsOf({ rows, words }: AreaSales, row: number): SaleTexts {
  const { places, names, streets, paons, saons } = words;
  const place = defined(rows.places[row]) * placeFields;
  const name = (field: number) => defined(names[defined(places[place + field])]);
  return {
    day: defined(rows.days[row]),
    pricePounds: defined(rows.prices[row]),
    flags: defined(rows.flags[row]),
    postcode: defined(rows.postcodes[row]),
    paon: defined(paons[defined(rows.paons[row])]),
    saon: defined(saons[defined(rows.saons[row])]),
    street: defined(streets[defined(places[place])]),
    names: [name(1), name(2), name(3), name(4)],
    idWords: idWordsOf(rows).slice(4 * row, 4 * row + 4),
  };
}
