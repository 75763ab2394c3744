// Who pays, for every panel of a page.

import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Payer } from './payer.ts';

export const PayerContext = createContext<Payer | undefined>(undefined);

export function usePayer(): Payer {
  const payer = useContext(PayerContext);
  if (payer === undefined) throw new Error('Nobody pays for this page.');
  return payer;
}
