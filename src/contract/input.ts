// What a caller sent for the parameters to read: the query of a GET, or the JSON body of a POST. The same parameters read
// both, so that an endpoint can be moved from one to the other.

import { type Refusal, refuse } from './refusal.ts';

export type Method = 'GET' | 'POST';

/** URLSearchParams is one. Anything but a string comes from a JSON body. */
export type Input = { readonly get: (name: string) => unknown };

/** `text` is the query without its question mark, or the whole body; an empty body has no members. */
export function readInput(method: Method, text: string): Input | Refusal<'INVALID_PARAMETER'> {
  if (method === 'GET') return new URLSearchParams(text);
  if (text === '') return noMembers;
  const members = parseMembers(text);
  return members === undefined
    ? refuse('INVALID_PARAMETER', 'Send the parameters as one JSON object in the body.', { field: 'body' })
    : { get: (name) => members.get(name) };
}

const noMembers: Input = { get: () => undefined };

function parseMembers(text: string): ReadonlyMap<string, unknown> | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null && !Array.isArray(body)
      ? new Map(Object.entries(body))
      : undefined;
  } catch {
    return undefined;
  }
}

/** A value as a query would have it; undefined where it is absent or empty, `no text` where it is a list or an object. */
export function textOf(sent: unknown): { readonly text: string | undefined } | 'no text' {
  switch (typeof sent) {
    case 'string':
      return { text: sent || undefined };
    case 'number':
    case 'boolean':
      return { text: String(sent) };
    case 'undefined':
      return absent;
    default:
      return sent === null ? absent : 'no text';
  }
}

const absent = { text: undefined } as const;

export const refuseNoText = (name: string): Refusal<'INVALID_PARAMETER'> =>
  refuse('INVALID_PARAMETER', `Send \`${name}\` as text, a number, true or false.`, { field: name });
