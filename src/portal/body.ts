// What a body or query may consist of: each shape is a TypeScript type and a judge of what was sent, in one value. A member
// that a route does not name is refused, so that nobody can set what no page sets; what was accepted is handed on as it came.

import { holdsKey } from '../ledger/keys.ts';
import { planNames } from '../ledger/plans.ts';
import { refuse } from '../people/outcome.ts';
import type { Refusal } from '../people/people.ts';
import { parseDay } from '../uk/calendar.ts';

/** What is wrong with a value, as the end of a sentence: "must be …"; undefined where nothing is. */
type Judge = (value: unknown) => string | undefined;

/** `T` stands for what the judge lets pass. */
type Shape<T> = { readonly judge: Judge; readonly presence: 'needed' | 'may lack'; readonly of?: T };
type Needed<T> = Shape<T> & { readonly presence: 'needed' };
type Optional<T> = Shape<T> & { readonly presence: 'may lack' };

export type Members = Readonly<Record<string, Shape<unknown>>>;

type ValueOf<S> = S extends Shape<infer T> ? T : never;
type Lacking<M extends Members> = {
  [K in keyof M]: M[K] extends { readonly presence: 'may lack' } ? K : never;
}[keyof M];

/** What such members let pass. */
export type Taken<M extends Members> = { readonly [K in Exclude<keyof M, Lacking<M>>]: ValueOf<M[K]> } & {
  readonly [K in Lacking<M>]?: ValueOf<M[K]>;
};

const needed = <T>(judge: Judge): Needed<T> => ({ judge, presence: 'needed' });

export const optional = <T>({ judge }: Needed<T>): Optional<T> => ({ judge, presence: 'may lack' });

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
const secret = (most: number): Needed<string> =>
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

export const email = line(254);
export const password = secret(1_000);
export const code = secret(40);
export const token = line(200);
export const name = line(100);
export const reason = line(300);
export const note = line(500);
export const planName = oneOf(...planNames);
/** Instead of the plan's own; enterprise has none of its own. What a ledger can hold is judged there. */
export const creditsPerMonth = optional(wholeNumber(0, 1e15));

/** What is wrong with it, and where. */
function judge(members: Members, value: unknown): Refusal | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refuse('INVALID', 'Send a JSON object.');
  const names = Object.keys(members);
  const unknown = Object.keys(value).find((sent) => !names.includes(sent));
  if (unknown !== undefined) {
    const known = names.length === 0 ? 'none' : names.join(', ');
    const field = unknown.slice(0, fieldMost);
    return refuse('INVALID', `There is no such member; known members: ${known}.`, { field });
  }
  for (const [field, { judge: judgeMember, presence }] of Object.entries(members)) {
    const isThere = Object.hasOwn(value, field);
    if (!isThere && presence === 'may lack') continue;
    const expected = isThere ? judgeMember(Reflect.get(value, field)) : 'there';
    if (expected !== undefined) return refuse('INVALID', `${field} must be ${expected}.`, { field });
  }
  return undefined;
}

/** Of a name that is repeated to whoever sent it. */
const fieldMost = 50;

export function readBody<M extends Members>(
  members: M,
  sent: unknown,
): { readonly kind: 'read'; readonly takes: Taken<M> } | Refusal {
  let problem: Refusal | undefined;
  const isTaken = (value: unknown): value is Taken<M> => {
    problem = judge(members, value);
    return problem === undefined;
  };
  if (isTaken(sent)) return { kind: 'read', takes: sent };
  return problem ?? refuse('INVALID', 'Send a JSON object.');
}
