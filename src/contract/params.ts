// Query parameters as values: each knows how to read its text, which code a fault has, and how OpenAPI
// describes it. An empty value counts as absent; faults name their field.

import type { ErrorCode } from '../errors.ts';
import { parseDay } from '../uk/calendar.ts';
import { type Postcode, parsePostcode } from '../uk/postcode.ts';
import { parseTaxYear } from '../uk/tax-year.ts';

export type ParamFault<Code extends ErrorCode> = {
  readonly ok: false;
  readonly code: Code;
  /** What is allowed, as it ends the sentence "Send `name` as …". */
  readonly expected?: string;
  /** A whole sentence, where that one would not do. */
  readonly message?: string;
};

type ParamResult<T, Code extends ErrorCode> = { readonly ok: true; readonly value: T } | ParamFault<Code>;

/** What a call may be tried with: one text where the sandbox and the bundled data both have an answer to it. `live` is
 *  absent where nothing bundled answers a live key. */
export type Example = string | { readonly sandbox: string; readonly live?: string };

export type Param<T, Code extends ErrorCode> = {
  readonly description: string;
  readonly required: boolean;
  /** JSON Schema of the parameter as OpenAPI shows it. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example?: Example;
  readonly parse: (text: string | undefined) => ParamResult<T, Code>;
};

export type ParamValues<P> = { readonly [K in keyof P]: P[K] extends Param<infer T, ErrorCode> ? T : never };

type Common = { readonly description: string; readonly example?: Example };

/** A calendar date as a day number. */
export function date<Code extends ErrorCode>(
  options: Common & { readonly fault: Code },
): Param<number | undefined, Code> {
  return {
    ...options,
    required: false,
    schema: { type: 'string', format: 'date' },
    parse: (text) => {
      if (text === undefined) return { ok: true, value: undefined };
      const day = parseDay(text);
      return day === undefined
        ? { ok: false, code: options.fault, expected: 'a calendar date, YYYY-MM-DD, for example 2025-12-18' }
        : { ok: true, value: day };
    },
  };
}

type WholeNumber<Code extends ErrorCode> = Common & {
  readonly min: number;
  readonly max: number;
  readonly fallback: number;
  /** What happens to a whole number out of bounds; text that is no whole number is always a fault. */
  readonly outside: 'refuse' | 'clamp';
  readonly fault: Code;
};

export function wholeNumber<Code extends ErrorCode>(options: WholeNumber<Code>): Param<number, Code> {
  const { min, max, fallback, outside, fault } = options;
  const bounds = max === Number.MAX_SAFE_INTEGER ? `from ${min} upwards` : `from ${min} to ${max}`;
  const refused = { ok: false, code: fault, expected: `a whole number ${bounds}` } as const;
  const description =
    outside === 'refuse'
      ? options.description
      : `${options.description} A whole number ${bounds}; the service moves a number outside that range to its nearest end.`;
  return {
    ...options,
    description,
    required: false,
    schema: { type: 'integer', minimum: min, maximum: max, default: fallback },
    parse: (text) => {
      if (text === undefined) return { ok: true, value: fallback };
      if (!/^[+-]?\d+$/.test(text)) return refused;
      const value = Number(text);
      const bounded = Math.min(Math.max(value, min), max);
      if (bounded !== value && outside === 'refuse') return refused;
      return { ok: true, value: bounded };
    },
  };
}

/** A number with or without a decimal point; required. Outside its bounds it is refused. */
export function decimal<Code extends ErrorCode>(
  options: Common & {
    readonly min: number;
    readonly max: number;
    readonly unit: string;
    /** A value that anybody would know for one. */
    readonly such: string;
    readonly fault: Code;
  },
): Param<number, Code> {
  const { min, max, unit, such, fault } = options;
  const expected = `a number of ${unit} from ${min} to ${max}, such as ${such}`;
  return {
    ...options,
    required: true,
    schema: { type: 'number', minimum: min, maximum: max },
    parse: (text) => {
      const value =
        text !== undefined && /^[+-]?\d{1,3}(\.\d{1,20})?$/.test(text) ? Number(text) : Number.NaN;
      return value >= min && value <= max
        ? { ok: true, value: value + 0 }
        : { ok: false, code: fault, expected };
    },
  };
}

/** A whole number that may be left out; outside its bounds it is moved to the nearest. */
export function optionalWholeNumber<Code extends ErrorCode>(
  options: Common & { readonly min: number; readonly max: number; readonly fault: Code },
): Param<number | undefined, Code> {
  const whole = wholeNumber({ ...options, fallback: options.min, outside: 'clamp' });
  return {
    ...whole,
    schema: { type: 'integer', minimum: options.min, maximum: options.max },
    parse: (value) => (value === undefined ? { ok: true, value: undefined } : whole.parse(value)),
  };
}

/** One of some words, in any case; may be left out. */
export function choice<const W extends string, Code extends ErrorCode>(
  words: readonly W[],
  options: Common & { readonly fault: Code },
): Param<W | undefined, Code> {
  return {
    ...options,
    required: false,
    schema: { type: 'string', enum: words },
    parse: (value) => {
      if (value === undefined) return { ok: true, value: undefined };
      const found = words.find((word) => word.toLowerCase() === value.toLowerCase());
      return found === undefined
        ? { ok: false, code: options.fault, expected: wordList(words) }
        : { ok: true, value: found };
    },
  };
}

const wordList = (words: readonly string[]): string =>
  words.length === 1 ? `${words[0]}, or leave it out` : `one of ${words.join(', ')}`;

/** Some of several words, with commas between them, in any case; none where it is left out. */
export function choices<const W extends string, Code extends ErrorCode>(
  words: readonly W[],
  options: Common & { readonly fault: Code },
): Param<readonly W[], Code> {
  const one = choice(words, options);
  return {
    ...options,
    required: false,
    schema: { type: 'string', pattern: `^(${words.join('|')})(,(${words.join('|')}))*$` },
    parse: (value) => {
      const found = new Set<W>();
      for (const word of value?.split(',') ?? []) {
        const read = one.parse(word.trim());
        if (!read.ok || read.value === undefined) {
          const expected = `${wordList(words)}, or several of them separated by commas`;
          return { ok: false, code: options.fault, expected };
        }
        found.add(read.value);
      }
      return { ok: true, value: words.filter((word) => found.has(word)) };
    },
  };
}

/** A full postcode in any case and spacing; required. */
export function postcode<Missing extends ErrorCode, Fault extends ErrorCode>(
  options: Common & { readonly missing: Missing; readonly fault: Fault },
): Param<Postcode, Missing | Fault> {
  return {
    ...options,
    required: true,
    schema: { type: 'string' },
    parse: (value) => {
      if (value === undefined) return { ok: false, code: options.missing };
      const parsed = parsePostcode(value);
      return parsed === undefined
        ? { ok: false, code: options.fault, expected: 'a full UK postcode, for example SW1A 1AA' }
        : { ok: true, value: parsed };
    },
  };
}

/** A full postcode that may be left out. */
export function optionalPostcode<Fault extends ErrorCode>(
  options: Common & { readonly fault: Fault },
): Param<Postcode | undefined, Fault> {
  const whole = postcode({ ...options, missing: options.fault });
  return {
    ...whole,
    required: false,
    parse: (value) => (value === undefined ? { ok: true, value: undefined } : whole.parse(value)),
  };
}

/** A tax year written 2026-27, as the year it begins in. */
export function taxYear<Code extends ErrorCode>(
  options: Common & { readonly fault: Code },
): Param<number | undefined, Code> {
  return {
    ...options,
    required: false,
    schema: { type: 'string', pattern: '^[0-9]{4}-[0-9]{2}$' },
    parse: (value) => {
      if (value === undefined) return { ok: true, value: undefined };
      const start = parseTaxYear(value);
      return start === undefined ? { ok: false, code: options.fault } : { ok: true, value: start };
    },
  };
}

/** Free text as it was sent. */
export function text<Missing extends ErrorCode>(
  options: Common & { readonly missing: Missing; readonly expected?: string },
): Param<string, Missing> {
  const { missing, expected } = options;
  const absent = { ok: false, code: missing, ...(expected === undefined ? {} : { expected }) } as const;
  return {
    ...options,
    required: true,
    schema: { type: 'string' },
    parse: (value) => (value === undefined ? absent : { ok: true, value }),
  };
}

export function optionalText(options: Common): Param<string | undefined, never> {
  return { ...options, required: false, schema: { type: 'string' }, parse: (value) => ({ ok: true, value }) };
}

/** Only the word true, in any case, is true. */
export function flag(options: Common): Param<boolean, never> {
  return {
    ...options,
    required: false,
    schema: { type: 'boolean', default: false },
    parse: (value) => ({ ok: true, value: value?.toLowerCase() === 'true' }),
  };
}
