// What a caller sent for the parameters to read: the query of a GET, or the JSON body of a POST. The same parameters read
// both, so that an endpoint can be moved from one to the other.

import { isObject, type JsonObject, parseJson } from '../json.ts';
import { nearestTo } from '../nearest.ts';
import { inWords } from './in-words.ts';
import { type Refusal, refuse } from './refusal.ts';

export type Method = 'GET' | 'POST';

/** URLSearchParams is one. Anything but a string comes from a JSON body. */
export type Input = {
  readonly get: (name: string) => unknown;
  /** Every name that was sent, as often as it was. */
  readonly keys: () => Iterable<string>;
};

/** `text` is the query without its question mark, or the whole body; an empty body has no members. */
export function readInput(method: Method, text: string): Input | Refusal<'INVALID_PARAMETER'> {
  if (method === 'GET') return new URLSearchParams(text);
  if (text === '') return noMembers;
  const body = parseObject(text, 'with the parameters as its members');
  if (body.kind === 'refused') return body;
  return new Map(Object.entries(body.members));
}

const noMembers: Input = new Map();

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

/** Refuses a name that is not among the known ones, or that was sent twice: whatever was meant by it would not be answered. */
export function refuseNames(
  sent: Iterable<string>,
  known: readonly string[],
): Refusal<'INVALID_PARAMETER'> | undefined {
  const seen = new Set<string>();
  for (const name of sent) {
    if (!known.includes(name)) return refuseUnknown(name, known);
    if (seen.has(name)) {
      return refuse('INVALID_PARAMETER', `Send \`${name}\` only once.`, { field: name });
    }
    seen.add(name);
  }
  return undefined;
}

function refuseUnknown(name: string, known: readonly string[]): Refusal<'INVALID_PARAMETER'> {
  const suggestion = nearestTo(name, known);
  if (suggestion !== undefined) {
    const message = `There is no parameter ${shown(name)} here. Did you mean ${suggestion}?`;
    return refuse('INVALID_PARAMETER', message, { field: name, suggestion });
  }
  const taken = known.length === 0 ? 'no parameters' : `only ${inWords(known, 'and')}`;
  const message = `Send the call without ${shown(name)}: this path takes ${taken}.`;
  return refuse('INVALID_PARAMETER', message, { field: name });
}

/** A name as the caller wrote it, short enough for a sentence. */
export const shown = (name: string): string =>
  JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}…` : name);
