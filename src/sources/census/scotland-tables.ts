// The tables of Scotland's Census 2022 by output area: a title, notes, a header in several rows (cells that span
// columns are written once), rows by output area, and footnotes. "-" is zero. The layout is known from programs that
// read these files; no genuine file was at hand.

import { defined } from '../../out-of-range.ts';
import { type AgeBand, coverEveryAge, medianAge, parseAgeBand } from '../../uk/age-bands.ts';
import type { Figures } from './tables.ts';

/** Words of a column's header from top to bottom, in small letters. */
type ColumnWords = readonly string[];

export type ScottishTable = { readonly id: string; readonly title: string; readonly resolve: Resolve };

/** Indexes of columns to read, and the figures of an area from their counts; or what is wrong. */
export type Reading = {
  readonly columns: readonly number[];
  readonly figures: (counts: Float64Array) => Figures;
};
type Resolve = (columns: readonly ColumnWords[]) => Reading | { readonly problem: string };

const normalise = (cell: string) => cell.replace(/\s+/g, ' ').trim().toLowerCase();

/** A cell that is empty above the last row of the header belongs to the one left of it. */
export function combineHeader(rows: readonly (readonly string[])[]): readonly ColumnWords[] {
  const width = Math.max(0, ...rows.map((row) => row.length));
  const words: string[][] = Array.from({ length: width }, () => []);
  for (const [at, row] of rows.entries()) {
    let left = '';
    for (let column = 1; column < width; column += 1) {
      const cell = normalise(row[column] ?? '');
      if (cell !== '') left = cell;
      const word = at === rows.length - 1 ? cell : left;
      if (word !== '') words[column]?.push(word);
    }
  }
  return words;
}

const isSex = (word: string) => /^(fe)?males?$/.test(word);
const last = (words: ColumnWords) => words.at(-1) ?? '';
const labelOf = (words: ColumnWords) => words.join(' - ').replace(/\s*:\s*/g, ' - ');

/** The column with one of these labels, or the problem where there is not exactly one. */
function onlyColumn(
  columns: readonly ColumnWords[],
  what: string,
  matches: (words: ColumnWords) => boolean,
): number | string {
  const found = columns.flatMap((words, index) => (words.length > 0 && matches(words) ? [index] : []));
  const [index, ...others] = found;
  if (index !== undefined && others.length === 0) return index;
  return `has ${found.length} columns for ${what}; expected one`;
}

/** All of them, or the first problem. */
function resolveAll(
  columns: readonly ColumnWords[],
  wishes: readonly (readonly [what: string, matches: (words: ColumnWords) => boolean])[],
  figures: Reading['figures'],
): ReturnType<Resolve> {
  const found: number[] = [];
  for (const [what, matches] of wishes) {
    const column = onlyColumn(columns, what, matches);
    if (typeof column === 'string') return { problem: column };
    found.push(column);
  }
  return { columns: found, figures };
}

const isEverybody = (word: string) => /^(total|all people|all persons)$/.test(word);

const residents: Resolve = (columns) =>
  resolveAll(
    columns,
    [['all people', (words) => isEverybody(last(words)) && !words.some(isSex)]],
    (counts) => [['population', counts[0] ?? Number.NaN]],
  );

/** Ages of all people where there are such columns, else those of both sexes together. */
const ages: Resolve = (columns) => {
  const found = columns.flatMap((words, index) => {
    const band = parseAgeBand(last(words));
    return band === undefined ? [] : [{ index, band, isOfOneSex: words.some(isSex) }];
  });
  const ofAll = found.filter(({ isOfOneSex }) => !isOfOneSex);
  const used = ofAll.length > 0 ? ofAll : found;
  const bands = new Map<number, AgeBand>(used.map(({ band }) => [band.from, band]));
  const ordered = [...bands.values()].sort((a, b) => a.from - b.from);
  const times = used.length / ordered.length;
  if (!coverEveryAge(ordered) || times !== (ofAll.length > 0 ? 1 : 2)) {
    return { problem: 'does not have every age once; expected ages from 0 on, the last open' };
  }
  const rankOf = used.map(({ band }) => ordered.findIndex(({ from }) => from === band.from));
  const figures = (counts: Float64Array): Figures => {
    const people = new Float64Array(ordered.length);
    for (const [at, rank] of rankOf.entries()) people[rank] = defined(people[rank]) + defined(counts[at]);
    return [['median-age', medianAge(ordered, people)]];
  };
  return { columns: used.map(({ index }) => index), figures };
};

const sizes = [
  'one person',
  'two people',
  'three people',
  'four people',
  'five people',
  'six people',
  'seven people',
  'eight or more people',
];

const householdSizes: Resolve = (columns) =>
  resolveAll(
    columns,
    [
      [
        'all occupied households',
        (words) => /^all occupied (households|household spaces)$/.test(last(words)),
      ],
      ...sizes.map((size) => [size, (words: ColumnWords) => last(words) === size] as const),
    ],
    (counts) => {
      const homes = counts.subarray(1);
      return [
        ['households', counts[0] ?? Number.NaN],
        ['sized-people', homes.reduce((people, count, index) => people + count * (index + 1), 0)],
        ['sized-households', homes.reduce((sum, count) => sum + count, 0)],
      ];
    },
  );

const everyAdult = 'all people aged 16 and over';
// In employment: the economically active, students among them, without the unemployed.
const activityLabels = [
  everyAdult,
  'economically active (excluding full-time students) - total',
  'economically active full-time students - total',
  'economically active (excluding full-time students) - unemployed - available for work',
  'economically active full-time students - unemployed - available for work',
];

/** The name of the variable may stand above, and "Total" below all people. */
function endsWithLabel(words: ColumnWords, label: string): boolean {
  const whole = ` - ${labelOf(words)}`;
  return whole.endsWith(` - ${label}`) || (label === everyAdult && whole.endsWith(` - ${label} - total`));
}

const activity: Resolve = (columns) =>
  resolveAll(
    columns,
    activityLabels.map((label) => [label, (words) => endsWithLabel(words, label)] as const),
    (counts) => {
      // In the order of the labels.
      const count = (at: number) => defined(counts[at]);
      return [
        ['adults', count(0)],
        ['employed', count(1) + count(2) - count(3) - count(4)],
      ];
    },
  );

/** In the order of reading. Single years of age come before bands. */
export const scottishTables: readonly ScottishTable[] = [
  { id: 'UV101b', title: 'Usual resident population by sex by age', resolve: residents },
  { id: 'UV103', title: 'Age by single year', resolve: ages },
  { id: 'UV102b', title: 'Age (20) by sex', resolve: ages },
  { id: 'UV406', title: 'Household size', resolve: householdSizes },
  { id: 'UV601', title: 'Economic activity', resolve: activity },
];
