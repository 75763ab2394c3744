// What a setting is, and how its text becomes a value.

export type Setting<T> = {
  readonly env: string;
  /** Flag of `domesday serve`; other commands take --home alone. */
  readonly flag: string;
  readonly fallback: T;
  readonly placeholder: string;
  readonly help: string;
  /** What holds where it is not set and there is no fallback, in words. */
  readonly unset?: string;
  /** A secret is never repeated in a message. */
  readonly secrecy?: 'secret';
  /** Returns the value, or a sentence that says what is allowed. */
  readonly parse: (text: string) => Parsed<T>;
};

export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly expected: string };

export const text = (value: string): Parsed<string> => ({ ok: true, value });

export function wholeNumber(min: number, max: number) {
  return (value: string): Parsed<number> => {
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    return number >= min && number <= max
      ? { ok: true, value: number }
      : { ok: false, expected: `a whole number from ${min} to ${max}` };
  };
}

export function oneOf<const T extends string>(...allowed: readonly T[]) {
  return (value: string): Parsed<T> => {
    const found = allowed.find((word) => word === value.toLowerCase());
    return found === undefined
      ? { ok: false, expected: `one of ${allowed.join(', ')}` }
      : { ok: true, value: found };
  };
}

/** Without a slash at the end. */
export function webAddress(value: string): Parsed<string> {
  return /^https?:$/.test(URL.parse(value)?.protocol ?? '')
    ? { ok: true, value: value.replace(/\/+$/, '') }
    : { ok: false, expected: 'an http or https address' };
}

/** Where paths can be put behind it. */
export function publicAddress(value: string): Parsed<string> {
  const { search, hash, username } = URL.parse(value) ?? {};
  return search === '' && hash === '' && username === ''
    ? webAddress(value)
    : { ok: false, expected: 'an http or https address without query' };
}

export type UpdateTime = { readonly every: 'day' | 'week'; readonly minuteOfDay: number };

const usualUpdateMinute = 210;

export function updateTime(value: string): Parsed<UpdateTime | undefined> {
  const time = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(value);
  if (time !== null) {
    return { ok: true, value: { every: 'day', minuteOfDay: 60 * Number(time[1]) + Number(time[2]) } };
  }
  const word = oneOf('daily', 'weekly', 'off')(value);
  if (!word.ok) return { ok: false, expected: 'daily, weekly, off, or a time such as 03:30' };
  if (word.value === 'off') return { ok: true, value: undefined };
  return {
    ok: true,
    value: { every: word.value === 'daily' ? 'day' : 'week', minuteOfDay: usualUpdateMinute },
  };
}

/** NAME=VALUE,NAME=VALUE */
export function pairs<T>(expected: string, parse: (value: string) => T | undefined) {
  return (text: string): Parsed<ReadonlyMap<string, T>> => {
    const found = new Map<string, T>();
    for (const pair of text.split(',')) {
      const [, name = '', value = ''] = /^\s*([a-z0-9-]+)=(\S+)\s*$/.exec(pair) ?? [];
      const parsed = parse(value);
      if (name === '' || parsed === undefined) return { ok: false, expected };
      found.set(name, parsed);
    }
    return { ok: true, value: found };
  };
}

export const setting = <T>(definition: Setting<T>): Setting<T> => definition;
