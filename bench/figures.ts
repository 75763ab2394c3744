// What a benchmark found. `npm run bench` starts it with a file to write its figures to, and makes bench/README.md of them.

import { appendFileSync } from 'node:fs';

export type Figure = {
  readonly what: string;
  readonly value: number;
  /** `×` for a ratio; otherwise such as `ms` or `GB`. */
  readonly unit: string;
  /** Of the round or question that was worst. */
  readonly worst?: number;
  /** What it is to be, such as `≥ 0.75`. */
  readonly aim?: string;
};

/** A benchmark that is started by itself has only printed what it found. */
export function report(figures: readonly Figure[]): void {
  const file = process.env.BENCH_FIGURES;
  if (file !== undefined)
    appendFileSync(file, figures.map((figure) => `${JSON.stringify(figure)}\n`).join(''));
}
