// The API key that a connection sends, as its hash. A connection mostly sends one key, so its hash is kept for as long as
// the connection is there.

import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { readSentKey, type SentKey } from '../../ledger/keys.ts';

/** Why there is no key to look up; it tells nothing about the keys that there are. */
export type KeySlip = 'none sent' | 'in Authorization' | 'not a key';

export function keySlipOf(headers: IncomingHttpHeaders): KeySlip {
  const sent = headers['x-api-key'];
  if (sent !== undefined && sent.length > 0) return 'not a key';
  return headers.authorization === undefined ? 'none sent' : 'in Authorization';
}

export class SentKeys {
  readonly #last = new WeakMap<Socket, { readonly text: string; readonly key: SentKey }>();

  /** Undefined where there is no key, or none that could be one. */
  read(socket: Socket, text: string | undefined): SentKey | undefined {
    if (text === undefined) return undefined;
    const last = this.#last.get(socket);
    if (last?.text === text) return last.key;
    const key = readSentKey(text);
    if (key !== undefined) this.#last.set(socket, { text, key });
    return key;
  }
}
