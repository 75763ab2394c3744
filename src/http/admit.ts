// Who calls: the holder of a key, one of the visitors who share the public sandbox key, or a guest of the explorer; the last two
// are told apart by address.

import type { Settings } from '../config.ts';
import type { Admission, Caller, Ledger } from '../ledger/ledger.ts';
import { publicKeyHash } from '../ledger/public-sandbox.ts';
import { guestAccount } from '../ledger/visitors/guests.ts';
import { hostOf } from './wire/host-of.ts';

type Arrival = {
  readonly keyHash: string;
  readonly address: () => string;
  /** As a browser says it. */
  readonly fetchSite: string | undefined;
  readonly atMs: number;
};

/** Keys of guests that are remembered; each works for a quarter of an hour. */
const guestKeysMost = 100;

export class Gate {
  readonly #ledger: Ledger;
  readonly #publicSandbox: Settings['publicSandbox'];
  /** Hashes of keys that are known to be of guests: nobody else's call is asked where it comes from. */
  readonly #guestKeys = new Set<string>();

  constructor(ledger: Ledger, publicSandbox: Settings['publicSandbox']) {
    this.#ledger = ledger;
    this.#publicSandbox = publicSandbox;
  }

  admit({ keyHash, address, fetchSite, atMs }: Arrival): Admission | Promise<Admission> {
    if (this.#guestKeys.size > 0 && this.#guestKeys.has(keyHash))
      return this.#ledger.admitGuest(keyHash, hostOf(address()), atMs);
    if (keyHash !== publicKeyHash) return this.#ledger.admit(keyHash, atMs);
    if (this.#publicSandbox === 'off') return { kind: 'unknown' };
    const visitor = visitorOf(address(), fetchSite);
    return this.#ledger.admitVisitor(visitor, atMs);
  }

  /** Whoever is admitted by a key for our pages. */
  notice({ accountId }: Caller, keyHash: string | undefined): void {
    if (accountId !== guestAccount.accountId || keyHash === undefined) return;
    const [oldest] = this.#guestKeys;
    if (oldest !== undefined && this.#guestKeys.size >= guestKeysMost) this.#guestKeys.delete(oldest);
    this.#guestKeys.add(keyHash);
  }
}

export const visitorOf = (address: string, fetchSite: string | undefined) =>
  ({ host: hostOf(address), from: fetchSite === 'same-origin' ? 'our pages' : 'elsewhere' }) as const;
