// What a body or query may consist of. A member that a route does not name is refused, so that nobody can set what no page
// sets; what was accepted is handed on as it came.

import { holdsKey } from '../ledger/keys.ts';
import type { Refusal } from '../people/people.ts';
import { parseDay } from '../uk/calendar.ts';
import { refused } from './refused.ts';

/** What is wrong with a value, as the end of a sentence: "must be …"; undefined where nothing is. */
type Judge = (value: unknown) => string | undefined;

/** `T` stands for what the judge lets pass. */
type Shape<T> = { readonly judge: Judge; readonly presence: 'needed' | 'may lack'; readonly of?: T };

/** Members of an object type: those that may lack have a shape that says so. */
export type Members<T> = {
  readonly [K in keyof T]-?: Record<never, never> extends Pick<T, K>
    ? Shape<Exclude<T[K], undefined>> & { readonly presence: 'may lack' }
    : Shape<T[K]> & { readonly presence: 'needed' };
};

type Needed<T> = Shape<T> & { readonly presence: 'needed' };

const needed = <T>(judge: Judge): Needed<T> => ({ judge, presence: 'needed' });

export const optional = <T>({ judge }: Needed<T>): Shape<T> & { readonly presence: 'may lack' } => ({
  judge,
  presence: 'may lack',
});

export const orNull = <T>({ judge }: Needed<T>): Needed<T | null> =>
  needed((value) => (value === null ? undefined : judge(value)));

/** Control characters would forge lines in mails and files. */
const control = /[\p{Cc}\p{Cs}\u2028\u2029]/u;

/** A line of text with something to see in it. */
export const line = (most: number): Needed<string> =>
  needed((value) => {
    const isGood =
      typeof value === 'string' && value.trim() !== '' && value.length <= most && !control.test(value);
    if (!isGood) return `a text of 1 to ${most} characters on one line`;
    return holdsKey(value) ? 'a text without an API key in it, since it is kept and shown' : undefined;
  });

/** May be empty, such as what nobody typed into a search. */
export const text = (most: number): Needed<string> =>
  needed((value) =>
    typeof value === 'string' && value.length <= most && !control.test(value)
      ? undefined
      : `a text of at most ${most} characters on one line`,
  );

/** A number in a query. */
export const digits: Needed<string> = needed((value) =>
  typeof value === 'string' && /^\d{1,9}$/.test(value) ? undefined : 'a whole number',
);

/** Its own rules are judged by whoever keeps it. */
export const secret = (most: number): Needed<string> =>
  needed((value) =>
    typeof value === 'string' && value.length > 0 && value.length <= most
      ? undefined
      : `a text of 1 to ${most} characters`,
  );

export const wholeNumber = (least: number, most: number): Needed<number> =>
  needed((value) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most
      ? undefined
      : `a whole number from ${least} to ${most}`,
  );

export const oneOf = <const W extends string>(...words: readonly W[]): Needed<W> =>
  needed((value) => (words.some((word) => word === value) ? undefined : `one of ${words.join(', ')}`));

export const listOf = <T>(item: Needed<T>, most: number): Needed<readonly T[]> =>
  needed((value) => {
    if (!Array.isArray(value) || value.length > most) return `a list of at most ${most}`;
    const wrong = value.map((each: unknown) => item.judge(each)).find((problem) => problem !== undefined);
    return wrong === undefined ? undefined : `a list in which each is ${wrong}`;
  });

/** Of this and the last century: what a ledger can have. */
const inCalendar = (value: unknown, rest: string): boolean =>
  typeof value === 'string' && /^(?:19|20)\d\d-/.test(value) && parseDay(`${value}${rest}`) !== undefined;

export const day: Needed<string> = needed((value) =>
  inCalendar(value, '') ? undefined : 'a day such as 2026-11-16',
);
export const month: Needed<string> = needed((value) =>
  inCalendar(value, '-01') ? undefined : 'a month such as 2026-11',
);

/** The last moment that a calendar has. */
const latestMs = 8_640_000_000_000_000;
export const moment = wholeNumber(0, latestMs);

/** What is wrong with it, and where. */
function judge(members: ReadonlyMap<string, Shape<unknown>>, value: unknown): Refusal | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refused('INVALID', 'Send a JSON object.');
  const unknown = Object.keys(value).find((name) => !members.has(name));
  if (unknown !== undefined) {
    const known = members.size === 0 ? 'none' : [...members.keys()].join(', ');
    const field = unknown.slice(0, fieldMost);
    return refused('INVALID', `There is no such member; known members: ${known}.`, { field });
  }
  for (const [name, { judge: judgeMember, presence }] of members) {
    const isThere = Object.hasOwn(value, name);
    if (!isThere && presence === 'may lack') continue;
    const expected = isThere ? judgeMember(Reflect.get(value, name)) : 'there';
    if (expected !== undefined) return refused('INVALID', `${name} must be ${expected}.`, { field: name });
  }
  return undefined;
}

/** Of a name that is repeated to whoever sent it. */
const fieldMost = 50;

export function readAs<T>(members: Members<T>, value: unknown): { kind: 'read'; value: T } | Refusal {
  const shapes = new Map<string, Shape<unknown>>(Object.entries(members));
  let problem: Refusal | undefined;
  const isOf = (given: unknown): given is T => {
    problem = judge(shapes, given);
    return problem === undefined;
  };
  if (isOf(value)) return { kind: 'read', value };
  return problem ?? refused('INVALID', 'Send a JSON object.');
}
