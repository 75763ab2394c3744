// The rating of every school that Ofsted inspects, by its unique reference number (URN).

import { outOfRange } from '../../columns/out-of-range.ts';
import type { Columns, Part } from '../../release/part.ts';
import { type Framework, frameworks, type Rating, type Tier } from '../../uk/ofsted.ts';

export const inspectionsPart = 'ofsted';

const noDay = -(2 ** 31);
const outstanding = 1;
const predecessor = 2;
const tiers: readonly Tier[] = [0, 1, 2, 3, 4];

export function encodeInspections(ratings: ReadonlyMap<number, Rating>): Columns {
  const rows = [...ratings].sort(([a], [b]) => a - b);
  const labels = [...new Set(rows.map(([, { label }]) => label))];
  const numbers = new Map(labels.map((label, index) => [label, index]));
  return {
    urn: Uint32Array.from(rows, ([urn]) => urn),
    tier: Uint8Array.from(rows, ([, { tier }]) => tier),
    framework: Uint8Array.from(rows, ([, { framework }]) =>
      framework === null ? 0 : frameworks.indexOf(framework) + 1,
    ),
    label: Uint32Array.from(rows, ([, { label }]) => numbers.get(label) ?? 0),
    labels,
    day: Int32Array.from(rows, ([, { day }]) => day ?? noDay),
    flags: Uint8Array.from(
      rows,
      ([, { isOutstanding, isOfPredecessor }]) =>
        (isOutstanding ? outstanding : 0) + (isOfPredecessor ? predecessor : 0),
    ),
  };
}

export class InspectionRows {
  readonly #urns: Uint32Array;
  readonly #tiers: Uint8Array;
  readonly #frameworks: Uint8Array;
  readonly #labels: Uint32Array;
  readonly #texts: readonly string[];
  readonly #days: Int32Array;
  readonly #flags: Uint8Array;

  constructor(part: Part) {
    this.#urns = part.u32('urn');
    this.#tiers = part.u8('tier');
    this.#frameworks = part.u8('framework');
    this.#labels = part.u32('label');
    const texts = part.strings('labels');
    this.#texts = Array.from({ length: texts.length }, (_, index) => texts.at(index));
    this.#days = part.i32('day');
    this.#flags = part.u8('flags');
  }

  /** The row of a school, or −1. */
  rowOf(urn: number): number {
    let low = 0;
    let high = this.#urns.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#urns[middle] ?? outOfRange()) < urn) low = middle + 1;
      else high = middle;
    }
    return this.#urns[low] === urn ? low : -1;
  }

  /** 0 for the row −1 too. */
  tierAt(row: number): Tier {
    return tiers[this.#tiers[row] ?? outOfRange()] ?? outOfRange();
  }

  isOutstandingAt(row: number): boolean {
    return ((this.#flags[row] ?? outOfRange()) & outstanding) !== 0;
  }

  at(row: number): Rating {
    const framework: Framework | undefined = frameworks[(this.#frameworks[row] ?? outOfRange()) - 1];
    const day = this.#days[row] ?? noDay;
    const flags = this.#flags[row] ?? outOfRange();
    return {
      tier: this.tierAt(row),
      framework: framework ?? null,
      label: this.#texts[this.#labels[row] ?? outOfRange()] ?? '',
      day: day === noDay ? null : day,
      isOutstanding: this.isOutstandingAt(row),
      isOfPredecessor: (flags & predecessor) !== 0,
    };
  }
}
