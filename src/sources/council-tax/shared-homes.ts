// Lists that hold the same homes are editions of one council's list, whatever their files are called. Both together would
// give two bands to many homes, and keep homes that are gone.

import type { ValuationList, ValuationRow, Valuations } from '../../tables/valuations/valuations.ts';
import { parsePostcode, unpackPostcode } from '../../uk/postcode.ts';

/** Along a border two councils list some homes both. Fewer shared ones than these tell nothing. */
const sharedFewest = 20;
const isMost = (shared: number, all: number) => shared >= sharedFewest && 2 * shared >= all;

const keyOf = ({ postcode, address }: Pick<ValuationRow, 'postcode' | 'address'>): string =>
  `${postcode}|${address.toUpperCase().replace(/[\s,]+/g, ' ')}`;

/** Homes of the files of one run. */
export class GivenHomes {
  /** The list that has each home; the first where several do. */
  readonly #lists = new Map<string, number>();
  readonly #sizes = new Map<number, number>();
  readonly #shared = new Map<string, number>();

  constructor(rows: readonly ValuationRow[]) {
    for (const row of rows) {
      const key = keyOf(row);
      const first = this.#lists.get(key);
      if (first === undefined) this.#lists.set(key, row.list);
      else if (first !== row.list) add(this.#shared, `${first} ${row.list}`);
      add(this.#sizes, row.list);
    }
  }

  /** Indexes of two lists with the same homes. */
  findPair(): readonly [number, number] | undefined {
    for (const [pair, shared] of this.#shared) {
      const [one = -1, other = -1] = pair.split(' ').map(Number);
      const smaller = Math.min(this.#sizes.get(one) ?? 0, this.#sizes.get(other) ?? 0);
      if (isMost(shared, smaller)) return [one, other];
    }
    return undefined;
  }

  /** The index of the list that has most homes of one that is loaded, judged by the postcodes that were kept with it. */
  findEditionOf(list: ValuationList, table: Valuations): number | undefined {
    const shared = new Map<number, number>();
    let all = 0;
    for (const packed of list.postcodes) {
      const postcode = parsePostcode(unpackPostcode(packed));
      if (postcode === undefined) continue;
      for (const { address, list: own } of table.entriesOf(postcode)) {
        if (own !== list) continue;
        all += 1;
        const given = this.#lists.get(keyOf({ postcode: packed, address }));
        if (given !== undefined) add(shared, given);
      }
    }
    return [...shared].find(([, count]) => isMost(count, all))?.[0];
  }
}

function add<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
