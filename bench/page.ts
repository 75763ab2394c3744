// bench/README.md, made of the list of benchmarks and of what they last found.

import { benchmarks } from './benchmarks.ts';
import type { Figure } from './figures.ts';

type Result = {
  /** With a plus sign where src/ had changes that were not committed. */
  readonly commit: string;
  readonly date: string;
  readonly machine: string;
  readonly figures: readonly Figure[];
};
export type Results = Record<string, Result>;

const head = `# Benchmarks

Made by \`npm run bench\`; do not edit by hand. Without a name it runs those that take minutes; the others run when they are
named, with their arguments behind the name (\`npm run bench -- explore HOME\`). \`--trial\` prints without keeping. DuckDB is
installed by \`cd bench && npm ci\`, so that the product’s install stays lean.

All data is made up from a seed. Both sides answer alike before they are timed, and take turns in one run; a ratio is the median of
its rounds, in brackets the worst. Only ratios compare machines: processors that other people use too are slower by the hour.
Nothing else should run. What was tried and not taken is in the [decisions](../docs/decisions/README.md).
`;

const titles = ['Benchmark', 'What', 'Found (worst)', 'Aim', 'Commit, date, machine'];

const numberOf = (value: number): string =>
  value >= 100 || Number.isInteger(value) ? String(Math.round(value)) : String(Number(value.toPrecision(3)));

const withUnit = (value: number, unit: string) =>
  unit === '×' || unit === '' ? numberOf(value) : `${numberOf(value)} ${unit}`;

function rowsOf(name: string, { commit, date, machine, figures }: Result, machines: readonly string[]) {
  return figures.map(({ what, value, unit, worst, aim = '' }, at) => [
    at === 0 ? `[${name}](#${name})` : '',
    what,
    `${withUnit(value, unit)}${worst === undefined ? '' : ` (${numberOf(worst)})`}`,
    aim,
    at === 0 ? `${commit}, ${date}, ${String.fromCharCode(65 + machines.indexOf(machine))}` : '',
  ]);
}

export function page(results: Results): string {
  const machines = [...new Set(Object.values(results).map(({ machine }) => machine))];
  const chapters = benchmarks.flatMap(({ name, compares, needs, runs }) => [
    `## ${name}`,
    '',
    `${compares}${runs === 'named' ? ` Runs when named${needs === undefined ? '' : `; needs ${needs}`}.` : ''}`,
    '',
  ]);
  const rows = benchmarks.flatMap(({ name }) => {
    const result = results[name];
    return result === undefined ? [] : rowsOf(name, result, machines);
  });
  return [
    head,
    ...chapters,
    '## What they found',
    '',
    ...[titles, titles.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`),
    '',
    ...machines.map((machine, at) => `${String.fromCharCode(65 + at)}: ${machine}.`),
    '',
  ].join('\n');
}
