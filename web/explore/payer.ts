// Who pays for the calls of the explorer, and the key that they are made with.

import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ApiRefusal } from '../api/call.ts';

export type Payer = {
  /** `sandbox`: the public key, free, a made-up town. `demo`: this machine's demo account. `visitors`: the operator's allowance.
   *  `account`: the reader's own. */
  readonly kind: 'sandbox' | 'demo' | 'visitors' | 'account';
  /** Of the account, where the reader may know it. */
  readonly name: string | undefined;
  /** A key that still works, made anew where the last one is about to end. */
  readonly key: () => Promise<{ readonly kind: 'key'; readonly key: string } | ApiRefusal>;
};

export const PayerContext = createContext<Payer | undefined>(undefined);

export function usePayer(): Payer {
  const payer = useContext(PayerContext);
  if (payer === undefined) throw new Error('Nobody pays for this page.');
  return payer;
}
