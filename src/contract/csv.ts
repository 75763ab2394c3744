// Answers as tables, for callers that accept CSV: RFC 4180, and nothing that a spreadsheet would take for a formula. Columns
// and rows come from the shape of the answer, so that a table says what the JSON says.

import { isSchema, type JsonSchema, type ObjectShape } from './shape.ts';

export type CsvField = string | number | boolean | null;

/** What spreadsheets read as the beginning of a formula: blanks and what cannot be seen are passed over, and signs of full width
 *  are signs too. Numbers may begin with a minus. */
const formulaStart = /^(?:[\t\r\n]|[\s\p{C}\p{Z}\p{DI}]*[=＝﹦+＋﹢\-－﹣−@＠﹫])/u;

/** An unknown is empty. A text that begins like a formula gets an apostrophe before it, which spreadsheets hide. */
function writeField(field: CsvField): string {
  if (field === null) return '';
  if (typeof field !== 'string') return String(field);
  const text = formulaStart.test(field) ? `'${field}` : field;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function writeCsv(titles: readonly string[], rows: Iterable<readonly CsvField[]>): string {
  return `${titles.join(',')}\r\n${writeCsvRows(rows)}`;
}

/** More of a table that is written in portions. */
export function writeCsvRows(rows: Iterable<readonly CsvField[]>): string {
  let csv = '';
  for (const row of rows) csv += `${row.map(writeField).join(',')}\r\n`;
  return csv;
}

export type CsvTable = {
  /** Which calls get it, where an endpoint has several: "with `points=true`". */
  readonly where?: string;
  readonly columns: readonly string[];
};

/** Tables that have columns which the answer lacks. */
export type OwnTables<A> = {
  readonly tables: readonly CsvTable[];
  readonly write: (answer: A) => string;
};

/** With `list`, its items are the rows; without it, the answer is the one row. */
export function tableOf<A>(answer: ObjectShape<A>, list: string | undefined): OwnTables<A> {
  const paths = pathsIn(list === undefined ? answer.schema : itemsOf(answer.schema, list));
  const columns = paths.map((path) => (path.length === 0 ? (list ?? '') : path.join('.')));
  return {
    tables: [{ columns }],
    // By way of the JSON: some lists are written straight from columns, and have no objects to read members of.
    write: (value) => {
      const given: unknown = JSON.parse(answer.write(value));
      const rows = list === undefined ? [given] : rowsIn(given, list);
      return writeCsv(
        columns,
        rows.map((row) => paths.map((path) => fieldOf(path.reduce(memberOf, row)))),
      );
    },
  };
}

type Path = readonly string[];

/** Where the values of a row stand. A list, or an object with keys that are data, is one value: how many it has is not known
 *  beforehand. */
function pathsIn(schema: JsonSchema): readonly Path[] {
  const { properties } = objectIn(schema);
  if (!isSchema(properties)) return [[]];
  return Object.entries(properties).flatMap(([name, member]) =>
    isSchema(member) ? pathsIn(member).map((path) => [name, ...path]) : [],
  );
}

/** A named object that may be null is one of two. */
function objectIn(schema: JsonSchema): JsonSchema {
  const { anyOf } = schema;
  const named = Array.isArray(anyOf)
    ? anyOf.filter(isSchema).find(({ type }) => type === 'object')
    : undefined;
  return named ?? schema;
}

function itemsOf({ title, properties }: JsonSchema, list: string): JsonSchema {
  const member = isSchema(properties) ? properties[list] : undefined;
  const items = isSchema(member) ? member.items : undefined;
  if (isSchema(items)) return items;
  throw new Error(`${title} has no list ${list} to make the rows of a table of.`);
}

function rowsIn(given: unknown, list: string): readonly unknown[] {
  const rows = memberOf(given, list);
  if (Array.isArray(rows)) return rows;
  throw new RangeError(`The answer lacks its list ${list}.`);
}

/** Undefined where there is none, and in what is null. */
const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

function fieldOf(value: unknown): CsvField {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : JSON.stringify(value);
}
