// A line of the list of requests, and how many of them are one text.

import { strikeKeys } from '../strike-keys.ts';

/** A call as its account sees it. */
export type ListedRequest = {
  readonly requestId: string;
  /** When it was answered. */
  readonly atMs: number;
  readonly keyId: string;
  /** As the contract has it, without parameters; `other` where nothing is there. */
  readonly path: string;
  /** As a query. Only where the account has them kept, and for 7 days. */
  readonly parameters: string | null;
  readonly status: number;
  readonly code: string | null;
  /** Of a call of a batch, those of the batch. */
  readonly milliseconds: number;
  readonly credits: number;
};

export type Line = ListedRequest & { readonly sent: 'alone' | 'in a batch' };

export const listed = ({ sent: _, ...request }: Line): ListedRequest => request;

/** Longer ones are cut. */
export const parametersMost = 2_000;

/** In the order of `decodeLines`. */
export function encodeLines(lines: readonly Line[]): string {
  return JSON.stringify(
    lines.map((line) => [
      strikeKeys(line.requestId),
      line.atMs,
      line.keyId,
      line.path,
      line.status,
      line.code,
      line.milliseconds,
      line.credits,
      line.sent === 'alone' ? 0 : 1,
    ]),
  );
}

/** null where none has any. */
export function encodeParameters(lines: readonly Line[]): string | null {
  if (lines.every(({ parameters }) => parameters === null)) return null;
  return JSON.stringify(lines.map(({ parameters }) => parameters && strikeKeys(parameters)));
}

export function decodeLines(text: string, parametersText: string | null): readonly Line[] {
  const parameters = parametersText === null ? [] : readList(parametersText);
  return readList(text).map((line, place) => {
    const [requestId, atMs, keyId, path, status, code, milliseconds, credits, ofBatch] = readParts(line);
    return {
      requestId: readText(requestId),
      atMs: readNumber(atMs),
      keyId: readText(keyId),
      path: readText(path),
      parameters: textOrNull(parameters[place] ?? null),
      status: readNumber(status),
      code: textOrNull(code),
      milliseconds: readNumber(milliseconds),
      credits: readNumber(credits),
      sent: ofBatch === 0 ? 'alone' : 'in a batch',
    };
  });
}

function readList(text: string): readonly unknown[] {
  const read: unknown = JSON.parse(text);
  return readParts(read);
}

function readParts(read: unknown): readonly unknown[] {
  if (!Array.isArray(read)) throw new TypeError('A chunk of requests is no list.');
  return read;
}

function readText(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('A request in a chunk lacks a text.');
  return value;
}

function readNumber(value: unknown): number {
  if (typeof value !== 'number') throw new TypeError('A request in a chunk lacks a number.');
  return value;
}

const textOrNull = (value: unknown): string | null => (value === null ? null : readText(value));
