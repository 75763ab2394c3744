// The lasting order of sales: newest first, on one day by transaction id.

import { arrange, arrangeBytes } from '../../columns/codes.ts';
import { defined } from '../../out-of-range.ts';
import { idBytes, type SaleRows } from './rows.ts';

type SaleKeys = Pick<SaleRows, 'days' | 'ids'>;

/** The rows in their lasting order. */
export function inOrder(rows: SaleRows): SaleRows {
  // Rows that an update has put together are in order already.
  if (isInOrder(rows)) return rows;
  const order = orderOf(rows);
  const days = new Uint16Array(order.length);
  const ids = new Uint8Array(order.length * idBytes);
  for (const [at, row] of order.entries()) {
    days[at] = defined(rows.days[row]);
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
    const before = defined(days[row - 1]);
    const day = defined(days[row]);
    if (before < day) return false;
    if (before === day && compareIds(ids, (row - 1) * idBytes, ids, row * idBytes) > 0) return false;
  }
  return true;
}

/** Compares two ids. Each is given by the bytes that hold it and the index at which it begins. */
export function compareIds(a: Uint8Array, atA: number, b: Uint8Array, atB: number): number {
  for (let byte = 0; byte < idBytes; byte++) {
    const difference = defined(a[atA + byte]) - defined(b[atB + byte]);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The numbers of the rows in their lasting order: sorted by counting the days, then by the ids of each day. */
export function orderOf({ days, ids }: SaleKeys): Uint32Array {
  const starts = new Uint32Array(0x1_0001);
  for (let row = 0, { length } = days; row < length; row++) {
    const after = 0x1_0000 - defined(days[row]);
    starts[after] = defined(starts[after]) + 1;
  }
  for (let day = 0; day < 0x1_0000; day++) {
    starts[day + 1] = defined(starts[day + 1]) + defined(starts[day]);
  }
  const next = starts.slice();
  const order = new Uint32Array(days.length);
  for (let row = 0, { length } = days; row < length; row++) {
    const day = 0xffff - defined(days[row]);
    const at = defined(next[day]);
    order[at] = row;
    next[day] = at + 1;
  }
  for (let day = 0; day < 0x1_0000; day++) {
    const start = defined(starts[day]);
    const end = defined(starts[day + 1]);
    if (end - start > 1) sortById(order.subarray(start, end), ids);
  }
  return order;
}

/** A sort key is the first four bytes of an id and, in the bits that a float has left, the row's index in its day. */
const mostKeyed = 2 ** 21;

/** Sorts numbers, which is many times faster than comparing rows. Few ids share their first four bytes. */
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
  const first = (at: number) => Math.floor(defined(keys[at]) / mostKeyed);
  for (let at = 0, { length } = rows; at < length; at++) {
    rows[at] = defined(before[defined(keys[at]) - first(at) * mostKeyed]);
  }
  for (let at = 0; at < rows.length; ) {
    let end = at + 1;
    while (end < rows.length && first(end) === first(at)) end += 1;
    if (end - at > 1) rows.subarray(at, end).sort(compare);
    at = end;
  }
}
