// What a caller sent for the parameters to read: the query of a GET, or the JSON body of a POST. The same parameters read
// both, so that an endpoint can be moved from one to the other.

import { isObject, type JsonObject, parseJson } from '../json.ts';
import { type Refusal, refuse } from './refusal.ts';

export type Method = 'GET' | 'POST';

/** URLSearchParams is one. Anything but a string comes from a JSON body. */
export type Input = { readonly get: (name: string) => unknown };

/** `text` is the query without its question mark, or the whole body; an empty body has no members. */
export function readInput(method: Method, text: string): Input | Refusal<'INVALID_PARAMETER'> {
  if (method === 'GET') return new URLSearchParams(text);
  if (text === '') return noMembers;
  const body = parseObject(text, 'with the parameters as its members');
  if (body.kind === 'refused') return body;
  const members = new Map(Object.entries(body.members));
  return { get: (name) => members.get(name) };
}

const noMembers: Input = { get: () => undefined };

/** `wanted` ends the sentence "Send one JSON object …". */
export function parseObject(
  text: string,
  wanted: string,
): { readonly kind: 'object'; readonly members: JsonObject } | Refusal<'INVALID_PARAMETER'> {
  const parsed = parseJson(text);
  if (parsed === undefined) {
    const fault = text.startsWith(byteOrderMark) ? 'begins with a byte order mark' : 'is not valid JSON';
    const message = `Send one JSON object ${wanted}; what was sent ${fault}.`;
    return refuse('INVALID_PARAMETER', message, { field: 'body' });
  }
  return isObject(parsed)
    ? { kind: 'object', members: parsed }
    : refuse('INVALID_PARAMETER', `Send one JSON object ${wanted}.`, { field: 'body' });
}

const byteOrderMark = '\uFEFF';

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
