// The lasting order of sales: newest first, on one day by transaction id.

import { arrange, arrangeBytes } from '../../columns/codes.ts';
import { outOfRange } from '../../columns/out-of-range.ts';
import { idBytes, type SaleRows } from './rows.ts';

export type SaleKeys = Pick<SaleRows, 'days' | 'ids'>;

/** The same rows, in order. */
export function inOrder(rows: SaleRows): SaleRows {
  // What an update has put together is in order already.
  if (isInOrder(rows)) return rows;
  const order = orderOf(rows);
  const days = new Uint16Array(order.length);
  const ids = new Uint8Array(order.length * idBytes);
  for (const [at, row] of order.entries()) {
    days[at] = rows.days[row] ?? outOfRange();
    ids.set(rows.ids.subarray(row * idBytes, (row + 1) * idBytes), at * idBytes);
  }
  return {
    days,
    prices: arrange(rows.prices, order),
    flags: arrangeBytes(rows.flags, order),
    postcodes: arrange(rows.postcodes, order),
    places: arrange(rows.places, order),
    paons: arrange(rows.paons, order),
    saons: arrange(rows.saons, order),
    ids,
  };
}

function isInOrder({ days, ids }: SaleKeys): boolean {
  for (let row = 1, { length } = days; row < length; row++) {
    const before = days[row - 1] ?? outOfRange();
    const day = days[row] ?? outOfRange();
    if (before < day) return false;
    if (before === day && compareIds(ids, (row - 1) * idBytes, ids, row * idBytes) > 0) return false;
  }
  return true;
}

/** Of two ids, each by the bytes that it is among and where it begins there. */
export function compareIds(a: Uint8Array, atA: number, b: Uint8Array, atB: number): number {
  for (let byte = 0; byte < idBytes; byte++) {
    const difference = (a[atA + byte] ?? outOfRange()) - (b[atB + byte] ?? outOfRange());
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The rows in order: by counting the days, then by the ids of each day. */
export function orderOf({ days, ids }: SaleKeys): Uint32Array {
  const starts = new Uint32Array(0x1_0001);
  for (let row = 0, { length } = days; row < length; row++) {
    const after = 0x1_0000 - (days[row] ?? outOfRange());
    starts[after] = (starts[after] ?? outOfRange()) + 1;
  }
  for (let place = 0; place < 0x1_0000; place++) {
    starts[place + 1] = (starts[place + 1] ?? outOfRange()) + (starts[place] ?? outOfRange());
  }
  const next = starts.slice();
  const order = new Uint32Array(days.length);
  for (let row = 0, { length } = days; row < length; row++) {
    const day = 0xffff - (days[row] ?? outOfRange());
    const place = next[day] ?? outOfRange();
    order[place] = row;
    next[day] = place + 1;
  }
  for (let day = 0; day < 0x1_0000; day++) {
    const start = starts[day] ?? outOfRange();
    const end = starts[day + 1] ?? outOfRange();
    if (end - start > 1) sortById(order.subarray(start, end), ids);
  }
  return order;
}

/** So many rows of a day can be told by what is left of a number beside the first four bytes of an id. */
const mostKeyed = 2 ** 21;

/** Numbers are sorted many times faster than rows that are compared; few ids share their first four bytes. */
function sortById(rows: Uint32Array, ids: Uint8Array): void {
  const compare = (a: number, b: number) => compareIds(ids, a * idBytes, ids, b * idBytes);
  if (rows.length > mostKeyed) {
    rows.sort(compare);
    return;
  }
  const view = new DataView(ids.buffer, ids.byteOffset, ids.byteLength);
  const keys = new Float64Array(rows.length);
  for (const [at, row] of rows.entries()) keys[at] = view.getUint32(row * idBytes) * mostKeyed + at;
  keys.sort();
  const before = rows.slice();
  const first = (at: number) => Math.floor((keys[at] ?? outOfRange()) / mostKeyed);
  for (let at = 0, { length } = rows; at < length; at++) {
    rows[at] = before[(keys[at] ?? outOfRange()) - first(at) * mostKeyed] ?? outOfRange();
  }
  for (let at = 0; at < rows.length; ) {
    let end = at + 1;
    while (end < rows.length && first(end) === first(at)) end += 1;
    if (end - at > 1) rows.subarray(at, end).sort(compare);
    at = end;
  }
}
