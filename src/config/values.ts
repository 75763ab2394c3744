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

type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly expected: string };

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

/** Pictures at an address for each, or a PMTiles archive of pictures: on the web, or in a file that the service hands out. */
export type Tiles =
  | { readonly kind: 'pictures' | 'archive'; readonly address: string; readonly origin: string }
  | { readonly kind: 'file'; readonly file: string };

const tilesExpected =
  'an address with {z}, {x} and {y} such as https://tiles.example.org/{z}/{x}/{y}.png, or the address or the file of a .pmtiles archive';

/** What an address may have, so that it can stand in a Content-Security-Policy. */
const plainOrigin = /^https?:\/\/[\w.-]+(:\d{1,5})?$|^https?:\/\/\[[\da-f:]+\](:\d{1,5})?$/;

export function tilesPlace(value: string): Parsed<Tiles | undefined> {
  if (/^https?:\/\//i.test(value)) {
    const { origin = '', username, pathname = '' } = URL.parse(value) ?? {};
    if (!plainOrigin.test(origin) || username !== '') return { ok: false, expected: tilesExpected };
    if (pathname.endsWith('.pmtiles'))
      return { ok: true, value: { kind: 'archive', address: value, origin } };
    return ['{z}', '{x}', '{y}'].every((part) => value.includes(part))
      ? { ok: true, value: { kind: 'pictures', address: value, origin } }
      : { ok: false, expected: tilesExpected };
  }
  return value.endsWith('.pmtiles')
    ? { ok: true, value: { kind: 'file', file: value } }
    : { ok: false, expected: tilesExpected };
}

/** A name and a password in it would stand in messages; there are headers for that. */
export function collectorAddress(value: string): Parsed<string> {
  const { protocol = '', username = '', password = '' } = URL.parse(value) ?? {};
  return /^https?:$/.test(protocol) && username === '' && password === ''
    ? { ok: true, value }
    : { ok: false, expected: 'an http or https address without name and password' };
}

/** NAME=VALUE,NAME=VALUE, values percent-encoded. */
export function encodedPairs(value: string): Parsed<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const pair of value.split(',')) {
    const [, name = '', encoded = ''] = /^\s*([\w.-]+)=([\x21-\x7e]*)\s*$/.exec(pair) ?? [];
    const decoded = decode(encoded);
    if (name === '' || decoded === undefined || !/^[\x20-\x7e]*$/.test(decoded))
      return { ok: false, expected: 'NAME=VALUE, separated by commas, with percent-encoded values' };
    found.set(name, decoded);
  }
  return { ok: true, value: found };
}

function decode(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

export function ratio(value: string): Parsed<number> {
  const number = /^(0|1|0?\.\d{1,9}|1\.0+|0\.\d{1,9})$/.test(value) ? Number(value) : Number.NaN;
  return Number.isNaN(number) ? { ok: false, expected: 'a number from 0 to 1' } : { ok: true, value: number };
}

export const setting = <T>(definition: Setting<T>): Setting<T> => definition;
