// `domesday lookup POSTCODE`: what the endpoints know about a postcode, from the local release, without a server or a charge.

import { readSettings } from '../config.ts';
import { coverageOf } from '../contract/coverage.ts';
import type { Endpoint, Grounds } from '../contract/endpoint.ts';
import type { Refusal } from '../contract/refusal.ts';
import { areaSoldPrices } from '../endpoints/area-sold-prices.ts';
import { areaStatistics } from '../endpoints/area-statistics.ts';
import { councilTaxLookup } from '../endpoints/council-tax-lookup.ts';
import { crimeByPostcode } from '../endpoints/crime-by-postcode.ts';
import { postcodesLookup } from '../endpoints/postcodes-lookup.ts';
import { isObject, type JsonObject } from '../json.ts';
import type { Release } from '../release/reader.ts';
import { openHome } from '../release/store.ts';
import { layouts } from '../tables/index.ts';
import { londonToday } from '../uk/calendar.ts';
import { parsePostcode } from '../uk/postcode.ts';
import { sandboxArea } from '../uk/postcode-areas.ts';
import { type Command, CommandRefused, type Io, printJson, readArgs, WrongUsage } from './command.ts';
import { requireHome } from './home.ts';

const help = `domesday lookup: shows what the loaded data knows about a postcode.

Usage: domesday lookup POSTCODE [--home DIR] [--json]

You can write POSTCODE in upper or lower case, with or without its space: SW1A 1AA, sw1a1aa.

The command prints the location of the postcode and its areas, its council tax, the crimes of twelve months around it, a
summary of its sold prices since 1995, and the statistics of its area. Each section is what the endpoint of the API
answers, with the edition of the data. If something is unknown, it says so and says why. If a postcode was withdrawn, it
says when. The command reads only the current release: it needs no running service, costs nothing, and asks no live source.

Options:
  --home DIR   Home folder. Environment: DOMESDAY_HOME. Default: ./var.
  --json       Print JSON: {"postcode", "release", "sections": [{"about", "endpoint", "answer" or "error", "coverage",
               "datasets": [{"name", "title", "source", "edition", "asOf", "extent"}]}]}. "answer" is the "data" of the
               endpoint's reply, "error" is its error, and "coverage" is the text of X-Data-Coverage.
  --help       Print this help.

Exit status: 0 done; 1 refused or failed, for example if the postcode is unknown; 2 wrong usage, for example if the text is
not a postcode.
`;

type Question = {
  readonly about: string;
  readonly endpoint: Endpoint;
  readonly params?: Readonly<Record<string, string>>;
  /** Members that a person does not read: what was asked for, what stands above, where each figure comes from. */
  readonly hidden: readonly string[];
};

const place: Question = { about: 'place', endpoint: postcodesLookup, hidden: ['postcode'] };

const questions: readonly Question[] = [
  place,
  { about: 'council tax', endpoint: councilTaxLookup, hidden: ['postcode'] },
  {
    about: 'crime',
    endpoint: crimeByPostcode,
    hidden: ['postcode', 'latitude', 'longitude', 'monthsRequested', 'category'],
  },
  // The summary is over all of them; of the list the newest is enough.
  {
    about: 'sold prices',
    endpoint: areaSoldPrices,
    params: { months: '360', limit: '1' },
    hidden: ['area', 'postcode', 'street', 'returned', 'offset'],
  },
  { about: 'area statistics', endpoint: areaStatistics, hidden: ['basis'] },
];

export const lookup: Command = {
  name: 'lookup',
  help,
  run: async (args, io) => {
    const { values, positionals } = readArgs(args, { home: { type: 'string' }, json: { type: 'boolean' } });
    const typed = positionals.join(' ');
    if (typed === '') throw new WrongUsage('Name the postcode: `domesday lookup POSTCODE`.');
    const postcode = parsePostcode(typed);
    if (postcode === undefined) {
      throw new WrongUsage(`"${typed}" is not a full UK postcode, such as SW1A 1AA.`);
    }
    if (postcode.area === sandboxArea) {
      throw new CommandRefused(
        `${postcode.text} is a fictional postcode of the sandbox, which this command does not read; name a real postcode, or send a call with a test key.`,
      );
    }
    const { home } = readSettings(io.env, { home: values.home });
    requireHome(home);
    const release = openHome(home, layouts).releases.openCurrent();
    const sections: Section[] = [];
    for (const question of questions) sections.push(await ask(question, postcode.text, release, io));
    const refusal = sections.find(({ about }) => about === place.about)?.error;
    if (refusal !== undefined) throw new CommandRefused(refusal.message);
    if (values.json === true) printJson(io, { postcode: postcode.text, release: release.id, sections });
    else print(postcode.text, release, sections, io);
  },
};

type Section = {
  readonly about: string;
  readonly endpoint: string;
  readonly answer?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
  readonly coverage: string | null;
  readonly datasets: readonly DatasetFacts[];
};

type DatasetFacts = {
  readonly name: string;
  readonly title: string;
  readonly source: string;
  readonly edition: string;
  readonly asOf: string;
  readonly extent: string;
};

async function ask(question: Question, postcode: string, release: Release, io: Io): Promise<Section> {
  const { about, endpoint, params } = question;
  const common = { about, endpoint: endpoint.path };
  const missing = endpoint.datasets.find((name) => release.findDataset(name) === undefined);
  if (missing !== undefined) {
    const advice = io.asTyped('load it with `domesday update` or `domesday ingest PATH…`');
    const message = `No ${missing} is loaded; ${advice}.`;
    return { ...common, error: { code: 'SERVICE_UNAVAILABLE', message }, coverage: null, datasets: [] };
  }
  const prepared = endpoint.prepare(new Map(Object.entries({ ...params, postcode })));
  if (prepared.kind === 'refused') {
    return { ...common, ...refusedWith(prepared, endpoint.grounds, [], release) };
  }
  const outcome = await prepared.run({ release, today: londonToday(io.now()) });
  if (outcome.kind === 'refused') {
    const needed = outcome.grounds === undefined ? [] : endpoint.datasets;
    return { ...common, ...refusedWith(outcome, outcome.grounds ?? endpoint.grounds, needed, release) };
  }
  const answer: unknown = outcome.kind === 'answered' ? JSON.parse(outcome.json) : outcome.csv;
  return { ...common, answer, ...groundsOf(outcome.grounds, endpoint.datasets, release) };
}

const refusedWith = (
  { code, message, extras }: Refusal,
  grounds: Grounds,
  needed: Endpoint['datasets'],
  release: Release,
) => ({
  error: { code, message, ...extras },
  ...groundsOf(grounds, needed, release),
});

/** `needed` are the datasets of the endpoint; none where it refused before it looked at them. */
const groundsOf = ({ datasets, shortage }: Grounds, needed: Endpoint['datasets'], release: Release) => ({
  coverage: coverageOf(release, needed.length === 0 ? [] : [...datasets, ...needed], shortage) ?? null,
  datasets: datasets.flatMap((name) => {
    const found = release.findDataset(name);
    if (found === undefined) return [];
    const { title, source, edition, asOf, extent } = found;
    return [{ name, title, source, edition, asOf, extent }];
  }),
});

// An answer of any endpoint as lines for a person: members of members have one line each, with their names in plain words; a
// list of things is a table. No line is wider than a terminal usually is, as far as words can be broken.

type Line = {
  readonly label: string;
  readonly value: string;
  /** A row of a table is never broken. */
  readonly form: 'text' | 'row';
};

/** What to print for a member that is null. */
type NullText = (member: string) => string;

const widthMost = 100;
/** A wider one would not fit beside the labels. */
const tableWidthMost = 70;
const gap = '  ';

/** Without the members of a hidden name, however deep they are. */
function describeAnswer(answer: unknown, hidden: readonly string[], nullText: NullText): readonly string[] {
  const lines = isObject(answer) ? linesOf(answer, '', hidden, nullText) : [];
  const labelWidth = Math.max(...lines.map(({ label }) => label.length));
  const width = widthMost - labelWidth - gap.length;
  return lines.flatMap(({ label, value, form }) =>
    (form === 'row' ? [value] : broken(value, width)).map(
      (part, at) => `${(at === 0 ? label : '').padEnd(labelWidth)}${gap}${part}`,
    ),
  );
}

const linesOf = (
  answer: JsonObject,
  within: string,
  hidden: readonly string[],
  nullText: NullText,
): readonly Line[] =>
  Object.entries(answer)
    .filter(([name]) => !hidden.includes(name))
    .flatMap(([name, value]) => {
      const label = `${within}${inWords(name)}`;
      if (value === null) return [textLine(label, nullText(name))];
      if (Array.isArray(value) && value.length > 0 && value.every(isObject)) {
        return (
          tableOf(label, value, hidden) ??
          value.flatMap((item) => linesOf(item, `${label}: `, hidden, nullText))
        );
      }
      return isObject(value) && !fitsOneLine(value)
        ? linesOf(value, `${label}: `, hidden, nullText)
        : [textLine(label, inOneLine(value))];
    });

const textLine = (label: string, value: string): Line => ({ label, value, form: 'text' });

/** A head and a row for each item, figures to the right. What is no single value stands below its row. Undefined where it would
 *  be too wide. */
function tableOf(
  label: string,
  items: readonly JsonObject[],
  hidden: readonly string[],
): readonly Line[] | undefined {
  const names = [...new Set(items.flatMap(Object.keys))].filter((name) => !hidden.includes(name));
  const isCell = (name: string) => items.every((item) => isSingle(item[name]));
  const columns = names.filter(isCell).map((name) => {
    const cells = items.map((item) => inOneLine(item[name] ?? null));
    const isFigure = items.some((item) => typeof item[name] === 'number');
    const width = Math.max(inWords(name).length, ...cells.map(({ length }) => length));
    const set = (text: string) => (isFigure ? text.padStart(width) : text.padEnd(width));
    return { head: set(inWords(name)), cells: cells.map(set) };
  });
  const rowOf = (cells: readonly string[], at = ''): Line => ({
    label: at,
    value: cells.join(gap).trimEnd(),
    form: 'row',
  });
  const head = rowOf(
    columns.map((column) => column.head),
    label,
  );
  if (head.value.length > tableWidthMost) return undefined;
  const others = names.filter((name) => !isCell(name));
  return [
    head,
    ...items.flatMap((item, at) => [
      rowOf(columns.map(({ cells }) => cells[at] ?? '')),
      ...others.map((name) => textLine('', `${gap}${inWords(name)}: ${inOneLine(item[name] ?? null)}`)),
    ]),
  ];
}

const isSingle = (value: unknown): boolean => !Array.isArray(value) && (!isObject(value) || isArea(value));

/** Between the parts of a list, and only where one is too long for a line between words; what follows the first line stands
 *  further in. */
function broken(value: string, width: number): readonly string[] {
  const [indent = ''] = /^ */.exec(value) ?? [];
  const within = width - indent.length - gap.length;
  const parts = value
    .slice(indent.length)
    .split(/(?<=, )/)
    .flatMap((part) => (part.length > within ? part.split(/(?<= )/) : [part]));
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    if (last === undefined) lines.push(`${indent}${part}`);
    else if (last.length + part.trimEnd().length <= width) lines[lines.length - 1] = last + part;
    else lines.push(`${indent}${gap}${part}`);
  }
  return lines.map((line) => line.trimEnd());
}

/** An area, or nothing but figures, as the months of a year are. */
const fitsOneLine = (value: JsonObject) =>
  isArea(value) || Object.values(value).every((member) => typeof member === 'number');

const isArea = (value: JsonObject) => Object.keys(value).sort().join() === 'code,name';

function inOneLine(value: unknown): string {
  if (value === null) return 'unknown';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(inOneLine).join(', ');
  if (!isObject(value)) return String(value);
  if (isArea(value)) return describeArea(value);
  const members = Object.entries(value).map(([name, member]) => `${inWords(name)} ${inOneLine(member)}`);
  return members.length === 0 ? 'none' : members.join(', ');
}

function describeArea({ name, code }: JsonObject): string {
  if (name === null) return `${code}, name unknown`;
  return code === null ? String(name) : `${name} (${code})`;
}

/** `changeVsPreviousYear` → `change vs previous year`; `band_a` → `band a`. Months and the like stay. */
const inWords = (name: string) =>
  name
    .replaceAll('_', ' ')
    .replace(/([a-z])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`);

function print(postcode: string, release: Release, sections: readonly Section[], io: Io): void {
  io.out(`${postcode}, from release ${release.id}\n`);
  for (const section of sections) {
    const { about, answer, coverage, datasets } = section;
    io.out(`\n${about.toUpperCase()}\n`);
    const nothing = whyNothing(section);
    const hidden = questions.find((question) => question.about === about)?.hidden ?? [];
    const lines =
      nothing === undefined ? describeAnswer(answer, hidden, (name) => nullIn(section, name)) : [];
    for (const line of lines) io.out(`  ${line}\n`);
    if (nothing !== undefined) io.out(`  Not known: ${nothing}\n`);
    // That a dataset is a sample stands in its own line.
    else if (coverage !== null && coverage !== 'sample') io.out(`  (${coverage})\n`);
    for (const { title, edition, asOf, source, extent } of datasets) {
      const note = extent === 'complete' ? '' : `, ${extent}`;
      io.out(`  Data: ${title}, ${edition} (${source}; as of ${asOf}${note})\n`);
    }
  }
}

/** Figures of no sales are 0 in the answer, which a person would take for prices. */
function whyNothing({ error, answer, coverage }: Section): string | undefined {
  if (error !== undefined) return error.message;
  const [, why] = /^none; (.*)$/.exec(coverage ?? '') ?? [];
  if (why !== undefined) return `${why}.`;
  const isEmpty = isObject(answer) && answer.totalResults === 0;
  return isEmpty ? 'the loaded data has no sale in this postcode.' : undefined;
}

/** Of the place, whatever is not known has its reason; without one there is no such thing there. */
function nullIn({ about, coverage }: Section, member: string): string {
  if (about !== place.about) return 'unknown';
  if (member === 'terminated') return 'no, it is in use';
  return new RegExp(`\\b${member}\\b`).test(coverage ?? '') ? 'unknown' : 'none';
}
