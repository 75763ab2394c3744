// A table as one value: where its columns are kept, and what each of them is (column.ts). From it come the types of
// its encoder and reader, the checks of both, its layout and its chapter of docs/release-format.md.
//
// A table that is kept in parts by area or month is a function that gives the table of one of them. Called with the
// word that stands for all, as `valuationsTable('<area>')`, it gives the value for the list of all tables.

import type { DatasetName } from '../datasets.ts';
import {
  breachOf,
  type Column,
  endFaultOf,
  type Factor,
  rowsIn,
  type TypeName,
  type ValuesOf,
  type ViewOf,
} from './column.ts';
import type { Columns, ColumnValues, Numbers, Part } from './part.ts';

type TableColumns = Readonly<Record<string, Column>>;

/** What a reader gets: one view for each column. */
export type Views<C extends TableColumns> = { readonly [Name in keyof C]: ViewOf[C[Name]['type']] };
/** What an encoder gives: the values of each column. */
export type Values<C extends TableColumns> = { readonly [Name in keyof C]: ValuesOf[C[Name]['type']] };

/** A release, as far as a table asks it. */
type Parts = { has(name: string): boolean; part(name: string): Part };

/** Whose data it is. The layout is raised when the readers of the dataset can no longer read what was written before. */
export type Origin =
  | { readonly dataset: DatasetName; readonly layout: number }
  /** Worked out from datasets; the version is that of the rule. */
  | { readonly derivedVersion: number };

type Definition<C extends TableColumns> = {
  readonly part: string;
  /** Where a part holds several tables: what the names of this one's columns begin with, before a space. */
  readonly prefix?: string;
  readonly origin: Origin;
  /** For docs/release-format.md, in whole sentences. */
  readonly about: string;
  /** How the rows lie, where a reader relies on it. */
  readonly order?: string;
  readonly columns: C;
};

export type Table<C extends TableColumns = TableColumns> = Definition<C> & {
  /** The columns of a part, checked: lengths agree and every number points at something. Throws UnsoundColumns. */
  encode(values: Values<C>): Columns;
  /** Whether a release has the part and can read it. */
  isIn(release: Pick<Parts, 'has'>): boolean;
  /** Throws ReleaseDamaged, also where a column is missing or lengths disagree. */
  open(release: Pick<Parts, 'part'>): Views<C>;
  read(part: Part): Views<C>;
  /** How many rows of each kind the part has. */
  sizesIn(part: Part): ReadonlyMap<string, number>;
  /** As `read`, and that every number points at something; into other parts as far as `elsewhere` knows them. */
  prove(part: Part, elsewhere?: Elsewhere): void;
};

/** How many rows of a kind another part has; undefined where it is not at hand. */
export type Elsewhere = (part: string, rows: string) => number | undefined;
const nowhere: Elsewhere = () => undefined;

/** An encoder made columns that its table does not allow: a fault of this program, found before anything is written. */
export class UnsoundColumns extends Error {
  override name = 'UnsoundColumns';
  constructor(part: string, problem: string) {
    super(`Part ${part} was not written: ${problem}. This is a fault of the program; please report it.`);
  }
}

export function table<const C extends TableColumns>(definition: Definition<C>): Table<C> {
  const { part: name, prefix, columns } = definition;
  const named = Object.entries<Column>(columns).map(([own, column]) => ({
    own,
    full: prefix === undefined ? own : `${prefix} ${own}`,
    column,
  }));
  assertSizesAreKnown(name, columns);

  const read = (part: Part): Views<C> => {
    const views: Record<string, ViewOf[TypeName]> = {};
    for (const { own, full, column } of named) views[own] = viewOf(part, full, column.type);
    const problem = lengthFault(columns, views) ?? endFault(columns, views);
    if (problem !== undefined) throw part.fault(problem);
    // The loop above filled every name of C with a view of its own type.
    return views as Views<C>;
  };

  return {
    ...definition,
    encode: (values) => {
      const given: Readonly<Record<string, ColumnValues>> = values;
      const unknown = Object.keys(given).find((own) => !Object.hasOwn(columns, own));
      const missing = named.find(({ own }) => given[own] === undefined)?.own;
      const problem =
        (unknown === undefined ? undefined : `it has no column ${unknown}`) ??
        (missing === undefined ? undefined : `its column ${missing} is missing`) ??
        lengthFault(columns, given) ??
        rangeFault(columns, given, nowhere);
      if (problem !== undefined) throw new UnsoundColumns(name, problem);
      return Object.fromEntries(named.map(({ own, full }) => [full, given[own] ?? []]));
    },
    isIn: (release) => release.has(name),
    open: (release) => read(release.part(name)),
    read,
    sizesIn: (part) => sizesOf(columns, read(part)),
    prove: (part, elsewhere = nowhere) => {
      const problem = rangeFault(columns, read(part), elsewhere);
      if (problem !== undefined) throw part.fault(problem);
    },
  };
}

function viewOf(part: Part, name: string, type: TypeName): ViewOf[TypeName] {
  if (type !== 'codes') return part[type](name);
  return part.find(name)?.type === 'u16' ? part.u16(name) : part.u32(name);
}

type Sized = { readonly length: number };
type Given = Readonly<Record<string, Sized>>;

/** The kind of row whose number a column's length tells: of its factors just one is such a kind. */
function measured({ length: { factors, mayBeEmpty } }: Column): string | undefined {
  const kinds = factors.flatMap((factor) => kindOf(factor) ?? []);
  return mayBeEmpty || kinds.length !== 1 ? undefined : kinds[0];
}

function kindOf(factor: Factor): string | undefined {
  if (typeof factor === 'number') return undefined;
  return typeof factor === 'string' ? factor : factor.andOneMore;
}

/** Every kind of row that a length or a rule names must have a column that tells how many there are. */
function assertSizesAreKnown(part: string, columns: TableColumns): void {
  const known = new Set<string>();
  for (const column of Object.values(columns)) {
    const kind = column.rule.kind === 'counts' ? column.rule.rows : measured(column);
    if (kind !== undefined) known.add(kind);
  }
  for (const [name, { length, rule }] of Object.entries(columns)) {
    const asked = [...length.factors.map(kindOf), ...rowsIn(rule)];
    const unknown = asked.find((kind) => kind !== undefined && !known.has(kind));
    if (unknown !== undefined) {
      throw new TypeError(`No column of ${part} tells how many of ${unknown} there are; ${name} needs it.`);
    }
  }
}

/** How many rows of each kind there are, by the first column that tells. */
function sizesOf(columns: TableColumns, given: Given): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const [name, column] of Object.entries(columns)) {
    const values = given[name];
    if (column.rule.kind === 'counts' && isNumbers(values)) {
      const [count] = values;
      if (count !== undefined) sizes.set(column.rule.rows, count);
      continue;
    }
    const kind = measured(column);
    if (kind === undefined || sizes.has(kind) || values === undefined) continue;
    let factor = 1;
    let more = 0;
    for (const one of column.length.factors) {
      if (typeof one === 'number') factor *= one;
      else if (typeof one !== 'string') more = 1;
    }
    sizes.set(kind, Math.max(Math.floor(values.length / factor) - more, 0));
  }
  return sizes;
}

function lengthFault(columns: TableColumns, given: Given): string | undefined {
  const sizes = sizesOf(columns, given);
  for (const [name, { length }] of Object.entries(columns)) {
    const has = given[name]?.length ?? 0;
    let wanted = 1;
    for (const factor of length.factors) {
      const kind = kindOf(factor);
      if (typeof factor === 'number') wanted *= factor;
      else wanted *= (sizes.get(kind ?? '') ?? 0) + (typeof factor === 'string' ? 0 : 1);
    }
    if (has !== wanted && !(length.mayBeEmpty && has === 0)) {
      return `its column ${name} has ${has} values instead of ${wanted}`;
    }
  }
  return undefined;
}

function endFault(columns: TableColumns, given: Given): string | undefined {
  const sizes = sizesOf(columns, given);
  for (const [name, { rule }] of Object.entries(columns)) {
    const values = given[name];
    const fault = isNumbers(values) ? endFaultOf(rule, values, (rows) => sizes.get(rows) ?? 0) : undefined;
    if (fault !== undefined) return `its column ${name} ${fault}`;
  }
  return undefined;
}

function rangeFault(columns: TableColumns, given: Given, elsewhere: Elsewhere): string | undefined {
  const sizes = sizesOf(columns, given);
  const sizeOf = (rows: string) => sizes.get(rows) ?? 0;
  for (const [name, { rule }] of Object.entries(columns)) {
    const values = given[name];
    if (rule.kind === 'any' || !isNumbers(values)) continue;
    const breach = breachOf(rule, values, { own: sizeOf, elsewhere });
    if (breach !== undefined) return `its column ${name} ${breach}`;
  }
  return undefined;
}

const isNumbers = (values: Sized | undefined): values is Numbers => ArrayBuffer.isView(values);
