// Who runs a bus route. An operator may stand in a timetable several times, in its own copy and in that of an authority.
// Rows with the same national operator code, or the same name, are one operator.

import type { BusOperator } from '../../tables/transport/bus-routes.ts';

export class BusOperators {
  /** Distinct code and name, in the order they came. */
  readonly list: BusOperator[] = [];
  /** Each points at another row of its operator, or at itself. */
  readonly #parent: number[] = [];
  readonly #byWord = new Map<string, number>();
  readonly #byPair = new Map<string, number>();

  /** The number of the row; rows of one operator have different ones until `operatorOf`. */
  add(noc: string, name: string): number {
    const operator = { noc: noc.trim().toUpperCase(), name: name.trim() };
    const pair = `${operator.noc}\n${operator.name}`;
    const same = this.#byPair.get(pair);
    if (same !== undefined) return same;
    const number = this.list.push(operator) - 1;
    this.#byPair.set(pair, number);
    this.#parent.push(number);
    for (const word of wordsOf(operator)) {
      const known = this.#byWord.get(word);
      if (known === undefined) this.#byWord.set(word, number);
      else this.#join(known, number);
    }
    return number;
  }

  /** The first row of the operator that this row belongs to. Ask when all are added. */
  operatorOf(number: number): number {
    let at = number;
    while (this.#parent[at] !== undefined && this.#parent[at] !== at) at = this.#parent[at] ?? at;
    return at;
  }

  #join(a: number, b: number): void {
    const [first, second] = [this.operatorOf(a), this.operatorOf(b)];
    this.#parent[Math.max(first, second)] = Math.min(first, second);
  }
}

function wordsOf({ noc, name }: BusOperator): readonly string[] {
  const plain = name
    .toLowerCase()
    .replaceAll('&', ' and ')
    .replace(/['’.]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .replace(/\b(limited|ltd|plc|llp)\b/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return [...(noc === '' ? [] : [`code ${noc}`]), ...(plain === '' ? [] : [`name ${plain}`])];
}

/** "  x43 " and "X43" are one number on a bus. */
export const routeNameOf = (text: string): string => text.trim().replace(/\s+/g, ' ').toUpperCase();
