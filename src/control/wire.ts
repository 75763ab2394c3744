// What goes over the control socket. One connection is one call: a greeting, the call, then a value, an error, or chunks and
// their end. The greeting stays as it is in every version, so that each can tell another from itself.

import path from 'node:path';
import { isObject, parseJson } from '../json.ts';
import {
  KeysFull,
  LedgerMissing,
  LedgerOutdated,
  LedgerOutOfService,
  LedgerRefusal,
  LedgerUnavailable,
} from '../ledger/ledger.ts';
import { DatabaseUnavailable } from '../storage/sql.ts';

/** The address of a socket has room for 104 bytes on some systems and 108 on others. */
const addressBytesMost = 100;

type Place =
  | { readonly kind: 'socket'; readonly file: string }
  | { readonly kind: 'none'; readonly why: string };

/** Where the service of a home is spoken to. */
export function socketOf(home: string, platform: NodeJS.Platform = process.platform): Place {
  if (platform === 'win32')
    return {
      kind: 'none',
      why: 'on Windows, commands work only while no service runs; stop the service first',
    };
  const file = path.join(path.resolve(home), 'control.sock');
  const bytes = Buffer.byteLength(file);
  if (bytes <= addressBytesMost) return { kind: 'socket', file };
  const why = `the path ${file} has ${bytes} bytes and a socket may have ${addressBytesMost}, so commands work only while no service runs; move the home folder to a shorter path, or stop the service first`;
  return { kind: 'none', why };
}

/** Its letter and the length of what follows. */
const headBytes = 5;

const letters = { greeting: 'g', call: 'q', value: 'v', error: 'e', chunk: 'c', end: 'z' } as const;
type Kind = keyof typeof letters;

export type Frame = { readonly kind: Kind; readonly content: Buffer };

export function frameOf(kind: Kind, content: Uint8Array | string): Buffer {
  const body = typeof content === 'string' ? Buffer.from(content) : content;
  const head = Buffer.alloc(headBytes);
  head.write(letters[kind], 0, 'latin1');
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
}

export const jsonFrame = (kind: Kind, content: unknown): Buffer => frameOf(kind, JSON.stringify(content));

/** Ends with the bytes; what is left of a frame then is passed over. */
export async function* framesIn(bytes: AsyncIterable<Buffer>, bytesMost: number): AsyncGenerator<Frame> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const part of bytes) {
    parts.push(part);
    length += part.length;
    for (;;) {
      const whole = length < headBytes ? undefined : wholeOf(parts, length, bytesMost);
      if (whole === undefined) break;
      yield whole.frame;
      parts = [whole.rest];
      length = whole.rest.length;
    }
  }
}

function wholeOf(parts: Buffer[], length: number, bytesMost: number) {
  const [first] = parts;
  const held = first !== undefined && first.length >= headBytes ? first : Buffer.concat(parts);
  const end = headBytes + held.readUInt32BE(1);
  if (end > bytesMost) throw new RangeError('A frame of the control socket is too long.');
  if (length < end) return undefined;
  const all = held.length === length ? held : Buffer.concat(parts);
  const kind = kindNames.find((name) => letters[name] === String.fromCharCode(all.readUInt8(0)));
  if (kind === undefined) throw new RangeError('A frame of the control socket is of no known kind.');
  return { frame: { kind, content: all.subarray(headBytes, end) }, rest: all.subarray(end) };
}

const kindNames = ['greeting', 'call', 'value', 'error', 'chunk', 'end'] as const satisfies readonly Kind[];

export function readGreeting({ kind, content }: Frame): string | undefined {
  const told = kind === 'greeting' ? parseJson(content.toString()) : undefined;
  return isObject(told) && typeof told.domesday === 'string' ? told.domesday : undefined;
}

// Errors: of the same class on the other side, where it is one that commands know.

/** The call failed in a way that only the log of the service tells. */
export class CallFailed extends Error {
  override name = 'CallFailed';
}

const classes: { readonly [name: string]: (message: string) => Error } = {
  KeysFull: (message) => new KeysFull(message),
  LedgerRefusal: (message) => new LedgerRefusal(message),
  LedgerMissing: (message) => new LedgerMissing(message),
  LedgerOutdated: (message) => new LedgerOutdated(message),
  LedgerUnavailable: (message) => new LedgerUnavailable(message),
  DatabaseUnavailable: (message) => new DatabaseUnavailable(message),
  RangeError: (message) => new RangeError(message),
};

/** Undefined for a fault of the program, whose message is for the log alone. */
export function errorFrame(error: unknown): Buffer | undefined {
  if (error instanceof LedgerOutOfService) {
    const { name, message, howLong } = error;
    return jsonFrame('error', { name, message, howLong });
  }
  if (!(error instanceof Error) || !Object.hasOwn(classes, error.name)) return undefined;
  return jsonFrame('error', { name: error.name, message: error.message });
}

export function readError({ content }: Frame): Error {
  const told = parseJson(content.toString());
  const { name, message, howLong } = isObject(told) ? told : {};
  if (typeof name !== 'string' || typeof message !== 'string')
    return new CallFailed('The service told no reason.');
  if (isHowLong(howLong)) return new LedgerOutOfService(message, howLong);
  return classes[name]?.(message) ?? new CallFailed(message);
}

const isHowLong = (word: unknown): word is LedgerOutOfService['howLong'] =>
  word === 'until it is checked' || word === 'until it is reached' || word === 'for good';
