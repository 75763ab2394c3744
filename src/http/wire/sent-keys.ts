// The hash of the API key that a connection sends. A connection mostly sends one key, so its hash is kept for as long as
// the connection is there.

import type { Socket } from 'node:net';
import { hashKey, parseKey } from '../../ledger/keys.ts';

export class SentKeys {
  readonly #last = new WeakMap<Socket, { readonly key: string; readonly hash: string }>();

  /** Undefined where there is no key, or none that could be one. */
  hashOf(socket: Socket, key: string | undefined): string | undefined {
    if (key === undefined) return undefined;
    const last = this.#last.get(socket);
    if (last?.key === key) return last.hash;
    if (parseKey(key).kind === 'malformed') return undefined;
    const hash = hashKey(key);
    this.#last.set(socket, { key, hash });
    return hash;
  }
}
