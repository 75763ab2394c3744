// What one column of a table is: its type, how many values it has, what they mean and what they may be. A table
// (table.ts) is a record of these; its encoder, its reader, their checks and the documentation follow from it.

import type { Numbers, Strings } from './part.ts';

/** What a reader gets for each type. `codes` are u16 where that is wide enough for all of them, else u32. */
export type ViewOf = {
  readonly u8: Uint8Array;
  readonly i8: Int8Array;
  readonly u16: Uint16Array;
  readonly i16: Int16Array;
  readonly u32: Uint32Array;
  readonly i32: Int32Array;
  readonly f32: Float32Array;
  readonly f64: Float64Array;
  readonly codes: Uint16Array | Uint32Array;
  readonly strings: Strings;
};
export type TypeName = keyof ViewOf;

/** What an encoder gives for each type. */
export type ValuesOf = Omit<ViewOf, 'strings'> & { readonly strings: readonly string[] };

/** One factor of a column's length: so many values, one for each row of a kind, or one for each and one more. */
export type Factor = number | string | { readonly andOneMore: string };

export type Length = {
  /** Multiplied with each other, they give the number of values. */
  readonly factors: readonly Factor[];
  /** Whether the column may be empty instead, where no row has a value. */
  readonly mayBeEmpty: boolean;
};

/** What the values of a column may be. Proved when a part is written, and again by `domesday check`. */
export type Rule =
  | { readonly kind: 'any' }
  /** Numbers of rows of a kind: from 0; from 1 with 0 for none; or from 0 with the number after the last for none. */
  | { readonly kind: 'points-into'; readonly rows: string; readonly none: 'never' | 'zero' | 'after-last' }
  /** Places in a list that the program holds: from 0, or from 1 with 0 for none. */
  | { readonly kind: 'one-of'; readonly list: readonly string[]; readonly none: 'never' | 'zero' }
  /** Each higher than the one before. */
  | { readonly kind: 'rising' }
  /** Where the rows of a kind begin that belong to each row of another, and the end of all of them. */
  | { readonly kind: 'starts'; readonly rows: string }
  /** Where they end. */
  | { readonly kind: 'ends'; readonly rows: string }
  /** The one value is the number of rows of a kind. */
  | { readonly kind: 'counts'; readonly rows: string };

export type Column<Type extends TypeName = TypeName> = {
  readonly type: Type;
  readonly length: Length;
  readonly rule: Rule;
  /** For docs/release-format.md: begins small, ends without a full stop. */
  readonly meaning: string;
};

/** The kind of row that has one value each, or a length made by one of the functions below. */
type Per = string | Length;

const lengthOf = (per: Per): Length =>
  typeof per === 'string' ? { factors: [per], mayBeEmpty: false } : per;

/** So many values for each row of each kind: `times('place', 5)`, `times('month', 'area', 5)`. */
export const times = (...factors: readonly Factor[]): Length => ({ factors, mayBeEmpty: false });
/** As a factor: one for each row of the kind, and one more. */
export const andOneMore = (rows: string): Factor => ({ andOneMore: rows });
export const exactly = (count: number): Length => times(count);
/** One for each row of the kind, or no value at all where no row has one. */
export const orNone = (rows: string): Length => ({ factors: [rows], mayBeEmpty: true });

const any: Rule = { kind: 'any' };
/** The number of a row of that kind. */
export const into = (rows: string): Rule => ({ kind: 'points-into', rows, none: 'never' });
/** The number of a row of that kind plus one; 0 for none. */
export const intoOrZero = (rows: string): Rule => ({ kind: 'points-into', rows, none: 'zero' });
/** The number of a row of that kind; the number after the last for none. */
export const intoOrAfter = (rows: string): Rule => ({ kind: 'points-into', rows, none: 'after-last' });
export const oneOf = (list: readonly string[]): Rule => ({ kind: 'one-of', list, none: 'never' });
/** The place in the list plus one; 0 for none. */
export const oneOfOrZero = (list: readonly string[]): Rule => ({ kind: 'one-of', list, none: 'zero' });
export const rising: Rule = { kind: 'rising' };

const columnOf =
  <Type extends TypeName>(type: Type) =>
  (per: Per, meaning: string, rule: Rule = any): Column<Type> => ({
    type,
    length: lengthOf(per),
    rule,
    meaning,
  });

export const u8 = columnOf('u8');
export const i8 = columnOf('i8');
export const u16 = columnOf('u16');
export const i16 = columnOf('i16');
export const u32 = columnOf('u32');
export const i32 = columnOf('i32');
export const f32 = columnOf('f32');
export const f64 = columnOf('f64');
export const codes = columnOf('codes');
export const strings = columnOf('strings');

/** The first row of a kind that belongs to each row of another, and the end: `starts('band', 'point')`. */
export const starts = (per: string, rows: string): Column<'u32'> =>
  u32(times(andOneMore(per)), `first ${rows} of each ${per}, and the end`, { kind: 'starts', rows });

/** The end of what belongs to each row: `ends('list', 'postcode')`. */
export const ends = (per: string, rows: string): Column<'u32'> =>
  u32(per, `number after the last ${rows} of each ${per}`, { kind: 'ends', rows });

/** How many rows of a kind there are, where no column has one value for each. */
export const counts = (rows: string): Column<'u32'> =>
  u32(exactly(1), `one value: how many of ${rows} there are`, { kind: 'counts', rows });

/** What is wrong with the values of a column; undefined where they keep its rule. `sizeOf` gives the rows of a kind. */
export function breachOf(rule: Rule, values: Numbers, sizeOf: (rows: string) => number): string | undefined {
  switch (rule.kind) {
    case 'any':
    case 'counts':
      return undefined;
    case 'points-into': {
      const limit = sizeOf(rule.rows) + (rule.none === 'never' ? 0 : 1);
      return beyond(values, limit, `${sizeOf(rule.rows)} of ${rule.rows}`);
    }
    case 'one-of': {
      const limit = rule.list.length + (rule.none === 'zero' ? 1 : 0);
      return beyond(values, limit, `a list of ${rule.list.length}`);
    }
    case 'rising':
      return unordered(values, 'strictly');
    case 'starts':
      if (values[0] !== 0) return 'does not begin with 0';
      return unordered(values, 'loosely') ?? unended(values, sizeOf(rule.rows));
    case 'ends':
      return unordered(values, 'loosely') ?? unended(values, sizeOf(rule.rows));
  }
}

function beyond(values: Numbers, limit: number, what: string): string | undefined {
  let most = -1;
  let least = 0;
  for (const value of values) {
    if (value > most) most = value;
    if (value < least) least = value;
  }
  if (most < limit && least >= 0) return undefined;
  return `points with ${least < 0 ? least : most} into ${what}`;
}

function unordered(values: Numbers, how: 'strictly' | 'loosely'): string | undefined {
  let before = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (!(value > before || (how === 'loosely' && value === before))) {
      return `is not in order: ${value} after ${before}`;
    }
    before = value;
  }
  return undefined;
}

function unended(values: Numbers, size: number): string | undefined {
  const last = values.at(-1) ?? 0;
  return last === size ? undefined : `ends with ${last} instead of ${size}`;
}
