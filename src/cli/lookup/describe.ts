// An answer of any endpoint as lines for a person: members of members have one line each, with their names in plain words; a
// list of things is a table. No line is wider than a terminal usually is, as far as words can be broken.

import { isObject, type JsonObject } from '../../json.ts';

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
export function describeAnswer(
  answer: unknown,
  hidden: readonly string[],
  nullText: NullText,
): readonly string[] {
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
