// What one column of a table is: its type, how many values it has, what they mean and what they may be. A table
// (table.ts) is a record of these; its encoder, its reader, their checks and the documentation follow from it.

import { defined } from '../out-of-range.ts';
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
  | Pointing
  /** Of rows of several numbers: what each of them may be, in turn. */
  | { readonly kind: 'in-turn'; readonly rules: readonly Pointing[] }
  /** Each higher than the one before. */
  | { readonly kind: 'rising' }
  /** Where the rows of a kind begin that belong to each row of another, and the end of all of them. */
  | { readonly kind: 'starts'; readonly rows: string }
  /** Where they end. */
  | { readonly kind: 'ends'; readonly rows: string }
  /** The one value is the number of rows of a kind. */
  | { readonly kind: 'counts'; readonly rows: string };

type Pointing =
  | { readonly kind: 'any' }
  /** Numbers of rows of a kind: from 0; from 1 with 0 for none; or from 0 with the number after the last for none. */
  | { readonly kind: 'points-into'; readonly rows: string; readonly none: 'never' | 'zero' | 'after-last' }
  /** Numbers of rows that another part has. Only proved where that part is at hand. */
  | {
      readonly kind: 'points-elsewhere';
      readonly part: string;
      readonly rows: string;
      readonly none: 'never' | 'zero';
    }
  /** Places in a list that the program holds: from 0, or from 1 with 0 for none. */
  | { readonly kind: 'one-of'; readonly list: readonly string[]; readonly none: 'never' | 'zero' };

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

export const any: Pointing = { kind: 'any' };
/** The number of a row of that kind. */
export const into = (rows: string): Pointing => ({ kind: 'points-into', rows, none: 'never' });
/** The number of a row of that kind plus one; 0 for none. */
export const intoOrZero = (rows: string): Pointing => ({ kind: 'points-into', rows, none: 'zero' });
/** The number of a row of that kind; the number after the last for none. */
export const intoOrAfter = (rows: string): Pointing => ({ kind: 'points-into', rows, none: 'after-last' });
/** The number of a row of that kind in another part. */
export const intoPart = (part: string, rows: string): Pointing => ({
  kind: 'points-elsewhere',
  part,
  rows,
  none: 'never',
});
/** The number of a row of that kind in another part, plus one; 0 for none. */
export const intoPartOrZero = (part: string, rows: string): Pointing => ({
  kind: 'points-elsewhere',
  part,
  rows,
  none: 'zero',
});
export const oneOf = (list: readonly string[]): Pointing => ({ kind: 'one-of', list, none: 'never' });
/** The place in the list plus one; 0 for none. */
export const oneOfOrZero = (list: readonly string[]): Pointing => ({ kind: 'one-of', list, none: 'zero' });
/** `times('place', 2)` with `inTurn(into('street'), into('town'))`: the first of two is a street, the second a town. */
export const inTurn = (...rules: readonly Pointing[]): Rule => ({ kind: 'in-turn', rules });
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
export const u16 = columnOf('u16');
export const u32 = columnOf('u32');
export const i32 = columnOf('i32');
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

/** Kinds of rows of its own table whose number a rule needs to know. */
export function rowsIn(rule: Rule): readonly string[] {
  if (rule.kind === 'in-turn') return rule.rules.flatMap(rowsIn);
  return 'rows' in rule && rule.kind !== 'points-elsewhere' ? [rule.rows] : [];
}

/** How many rows of a kind there are in the table itself, and in another part: undefined where it is not at hand. */
type Sizes = {
  readonly own: (rows: string) => number;
  readonly elsewhere: (part: string, rows: string) => number | undefined;
};

/** What is wrong with the ends of starts and ends: two values tell that none of the rows they lead to is hidden. */
export function endFaultOf(
  rule: Rule,
  values: Numbers,
  sizeOf: (rows: string) => number,
): string | undefined {
  if (rule.kind !== 'starts' && rule.kind !== 'ends') return undefined;
  if (rule.kind === 'starts' && values[0] !== 0) return 'does not begin with 0';
  return wrongEndOf(values, sizeOf(rule.rows));
}

/** What is wrong with the values of a column; undefined where they keep its rule. */
export function breachOf(rule: Rule, values: Numbers, sizes: Sizes): string | undefined {
  switch (rule.kind) {
    case 'in-turn':
      for (const [field, own] of rule.rules.entries()) {
        const breach = strayOf(own, values, sizes, field, rule.rules.length);
        if (breach !== undefined) return breach;
      }
      return undefined;
    case 'rising':
      return disorderOf(values, 'strictly');
    case 'starts':
    case 'ends':
      return disorderOf(values, 'loosely') ?? endFaultOf(rule, values, sizes.own);
    case 'counts':
      return undefined;
    default:
      return strayOf(rule, values, sizes, 0, 1);
  }
}

function strayOf(
  rule: Pointing,
  values: Numbers,
  sizes: Sizes,
  first: number,
  step: number,
): string | undefined {
  const size = sizeFor(rule, sizes);
  if (rule.kind === 'any' || size === undefined) return undefined;
  const limit = rule.none === 'never' ? size : size + 1;
  const { least, most } = boundsOf(values, first, step);
  if (least >= 0 && most < limit) return undefined;
  const what = rule.kind === 'one-of' ? `a list of ${size}` : `${size} of ${rule.rows}`;
  return `points with ${least < 0 ? least : most} into ${what}`;
}

function sizeFor(rule: Pointing, sizes: Sizes): number | undefined {
  switch (rule.kind) {
    case 'any':
      return undefined;
    case 'one-of':
      return rule.list.length;
    case 'points-into':
      return sizes.own(rule.rows);
    case 'points-elsewhere':
      return sizes.elsewhere(rule.part, rule.rows);
  }
}

function boundsOf(values: Numbers, first: number, step: number): { least: number; most: number } {
  let [least, most] = [0, -1];
  for (let at = first; at < values.length; at += step) {
    const value = defined(values[at]);
    if (value > most) most = value;
    if (value < least) least = value;
  }
  return { least, most };
}

function disorderOf(values: Numbers, how: 'strictly' | 'loosely'): string | undefined {
  let before = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < values.length; at += 1) {
    const value = defined(values[at]);
    if (!(value > before || (how === 'loosely' && value === before))) {
      return `is not in order: ${value} after ${before}`;
    }
    before = value;
  }
  return undefined;
}

function wrongEndOf(values: Numbers, size: number): string | undefined {
  const last = values.length === 0 ? 0 : values.at(-1);
  return last === size ? undefined : `ends with ${last} instead of ${size}`;
}
