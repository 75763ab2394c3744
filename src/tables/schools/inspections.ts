// The rating of every school that Ofsted inspects, by its unique reference number (URN).

import { indexIn } from '../../columns/sorted.ts';
import { defined } from '../../out-of-range.ts';
import { i32, into, oneOf, oneOfOrZero, rising, strings, u8, u32 } from '../../release/column.ts';
import type { Columns } from '../../release/part.ts';
import type { Release } from '../../release/reader.ts';
import { table } from '../../release/table.ts';
import { frameworks, type Rating, type Tier } from '../../uk/ofsted.ts';

export const inspectionsPart = 'ofsted';

const noDay = -(2 ** 31);
const outstanding = 1;
const predecessor = 2;
const tiers: readonly Tier[] = [0, 1, 2, 3, 4];

export const inspectionsTable = table({
  part: inspectionsPart,
  origin: { dataset: 'ofsted', layout: 1 },
  about: "Ofsted's ratings.",
  order: 'by URN',
  columns: {
    urn: u32('school', 'unique reference number', rising),
    tier: u8('school', '4 is best', oneOf(tiers.map((tier) => (tier === 0 ? 'unrated' : `tier ${tier}`)))),
    framework: u8('school', 'rules of the inspection', oneOfOrZero(frameworks)),
    label: u32('school', 'the rating as published', into('label')),
    labels: strings('label', 'each label once'),
    day: i32('school', 'first day of the inspection, in days since 1970-01-01; −2³¹: none'),
    flags: u8('school', 'sum of 1 (outstanding) and 2 (of the predecessor school)'),
  },
});

export function encodeInspections(ratings: ReadonlyMap<number, Rating>): Columns {
  const rows = [...ratings].sort(([a], [b]) => a - b);
  const labels = [...new Set(rows.map(([, { label }]) => label))];
  const numbers = new Map(labels.map((label, index) => [label, index]));
  return inspectionsTable.encode({
    urn: Uint32Array.from(rows, ([urn]) => urn),
    tier: Uint8Array.from(rows, ([, { tier }]) => tier),
    framework: Uint8Array.from(rows, ([, { framework }]) =>
      framework === null ? 0 : frameworks.indexOf(framework) + 1,
    ),
    label: Uint32Array.from(rows, ([, { label }]) => defined(numbers.get(label))),
    labels,
    day: Int32Array.from(rows, ([, { day }]) => day ?? noDay),
    flags: Uint8Array.from(
      rows,
      ([, { isOutstanding, isOfPredecessor }]) =>
        (isOutstanding ? outstanding : 0) + (isOfPredecessor ? predecessor : 0),
    ),
  });
}

export class InspectionRows {
  readonly #urns: Uint32Array;
  readonly #tiers: Uint8Array;
  readonly #frameworks: Uint8Array;
  readonly #labels: Uint32Array;
  readonly #texts: readonly string[];
  readonly #days: Int32Array;
  readonly #flags: Uint8Array;

  constructor(release: Release) {
    const { urn, tier, framework, label, labels, day, flags } = inspectionsTable.open(release);
    this.#urns = urn;
    this.#tiers = tier;
    this.#frameworks = framework;
    this.#labels = label;
    this.#texts = labels.list();
    this.#days = day;
    this.#flags = flags;
  }

  /** The row of a school, or −1. */
  rowOf(urn: number): number {
    return indexIn(this.#urns, urn);
  }

  tierAt(row: number): Tier {
    return defined(tiers[defined(this.#tiers[row])]);
  }

  isOutstandingAt(row: number): boolean {
    return (defined(this.#flags[row]) & outstanding) !== 0;
  }

  at(row: number): Rating {
    const framework = defined(this.#frameworks[row]);
    const day = defined(this.#days[row]);
    const flags = defined(this.#flags[row]);
    return {
      tier: this.tierAt(row),
      framework: framework === 0 ? null : defined(frameworks[framework - 1]),
      label: defined(this.#texts[defined(this.#labels[row])]),
      day: day === noDay ? null : day,
      isOutstanding: this.isOutstandingAt(row),
      isOfPredecessor: (flags & predecessor) !== 0,
    };
  }
}
