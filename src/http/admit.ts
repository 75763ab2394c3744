// Who calls: the holder of a key, or one of the visitors who share the public sandbox key and are told apart by address.

import type { Settings } from '../config.ts';
import type { Admission, Ledger } from '../ledger/ledger.ts';
import { publicKeyHash } from '../ledger/public-sandbox.ts';
import { hostOf } from './wire/host-of.ts';

type Gate = { readonly ledger: Ledger; readonly publicSandbox: Settings['publicSandbox'] };

type Arrival = { readonly keyHash: string; readonly address: () => string; readonly atMs: number };

export function admit(
  { ledger, publicSandbox }: Gate,
  { keyHash, address, atMs }: Arrival,
): Admission | Promise<Admission> {
  if (keyHash !== publicKeyHash) return ledger.admit(keyHash, atMs);
  return publicSandbox === 'on' ? ledger.admitVisitor(hostOf(address()), atMs) : { kind: 'unknown' };
}
