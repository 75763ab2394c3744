// Who calls: the holder of a key, one of the visitors who share the public sandbox key, or a page of our own, among them those of
// the explorer's guests. The last two are told apart by address.

import type { Settings } from '../config.ts';
import { whenThere } from '../contract/when-there.ts';
import type { SentKey } from '../ledger/keys.ts';
import type { Admission, Ledger, Visitor } from '../ledger/ledger.ts';
import { publicKeyHash } from '../ledger/public-sandbox.ts';
import { isGuest } from '../ledger/visitors/guests.ts';
import { hostOf } from './wire/host-of.ts';

type Arrival = {
  readonly key: SentKey;
  readonly address: () => string;
  /** As a browser says it. */
  readonly fetchSite: string | undefined;
  readonly atMs: number;
};

const unknown: Admission = { kind: 'unknown' };

type GateSettings = Pick<Settings, 'publicSandbox' | 'visitors' | 'sandboxPageCalls'>;

export class Gate {
  readonly #ledger: Ledger;
  readonly #settings: GateSettings;

  constructor(ledger: Ledger, settings: GateSettings) {
    this.#ledger = ledger;
    this.#settings = settings;
  }

  admit({ key: { hash, madeFor }, address, fetchSite, atMs }: Arrival): Admission | Promise<Admission> {
    // Nobody else's call is asked where it comes from.
    if (madeFor === 'our page')
      return whenThere(this.#ledger.admitPage(hash, hostOf(address()), atMs), (admission) =>
        this.#isOver(admission) ? unknown : admission,
      );
    if (hash !== publicKeyHash) return this.#ledger.admit(hash, atMs);
    if (this.#settings.publicSandbox === 'off') return unknown;
    return this.#ledger.admitVisitor(this.visitorOf(address(), fetchSite), atMs);
  }

  /** Whoever calls with the public sandbox key. */
  visitorOf(address: string, fetchSite: string | undefined): Visitor {
    return {
      host: hostOf(address),
      from: fetchSite === 'same-origin' ? 'our pages' : 'elsewhere',
      pageCallsPerMinute: this.#settings.sandboxPageCalls,
    };
  }

  /** Keys that guests got before the operator ended the offer end with it. */
  #isOver(admission: Admission): boolean {
    return this.#settings.visitors === 0 && admission.kind !== 'unknown' && isGuest(admission.caller);
  }
}
