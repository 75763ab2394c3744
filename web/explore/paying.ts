// Whose credits real places cost: found out once, told before, and remembered for this tab.

import { useLayoutEffect, useState } from 'preact/hooks';
import type { Told } from '../ask.ts';
import { ask } from '../ask.ts';
import { useMe } from '../me.ts';
import {
  accountPayer,
  type Choice,
  findStrangersPayer,
  keepChoice,
  type Payer,
  readChoice,
} from './payer.ts';

export type OwnAccount = Told<'GET /portal/accounts'>['accounts'][number];

export type Paying =
  | { readonly kind: 'finding' }
  /** `accounts` of the reader that could pay instead. */
  | { readonly kind: 'payer'; readonly payer: Payer; readonly accounts: readonly OwnAccount[] }
  /** Signed in, and not asked yet. */
  | {
      readonly kind: 'to be asked';
      readonly accounts: readonly [OwnAccount, ...OwnAccount[]];
      readonly strangers: Payer | undefined;
    }
  /** Only the made-up town is to be seen. */
  | { readonly kind: 'nobody'; readonly message: string; readonly reader: 'signed in' | 'signed out' };

type Asking = {
  readonly paying: Paying;
  /** Undefined: asks again. */
  readonly choose: (choice: Choice | undefined) => void;
};

/** `later`: nobody has asked for a place yet, so nothing is found out. */
export function usePaying(when: 'now' | 'later' = 'now'): Asking {
  const me = useMe();
  const [choice, setChoice] = useState(readChoice);
  const [paying, setPaying] = useState<Paying>(() => {
    // Asked beside who is signed in, as most readers are not, and before anything is drawn.
    if (when === 'now' && choice?.of !== 'account') void findStrangersPayer();
    return { kind: 'finding' };
  });
  const person = me.kind === 'told' ? me.told.person?.personId : undefined;
  const isKnown = me.kind !== 'loading';
  useLayoutEffect(() => {
    if (!isKnown || when === 'later') return;
    let isLeft = false;
    const found = person === undefined ? forStranger([]) : forPerson(choice);
    void found.then((next) => {
      if (!isLeft) setPaying(next);
    });
    return () => {
      isLeft = true;
    };
  }, [isKnown, person, choice, when]);
  return {
    paying,
    choose: (next) => {
      keepChoice(next);
      setPaying({ kind: 'finding' });
      setChoice(next);
    },
  };
}

async function forStranger(
  accounts: readonly OwnAccount[],
  reader: 'signed in' | 'signed out' = 'signed out',
): Promise<Paying> {
  const found = await findStrangersPayer();
  return found.kind === 'refused'
    ? { kind: 'nobody', message: found.message, reader }
    : { kind: 'payer', payer: found, accounts };
}

async function forPerson(choice: Choice | undefined): Promise<Paying> {
  const answer = await ask('GET /portal/accounts', {});
  if (answer.kind === 'refused') return { kind: 'nobody', message: answer.message, reader: 'signed in' };
  const [first, ...others] = answer.told.accounts.filter(
    ({ role }) => role === 'owner' || role === 'developer',
  );
  if (first === undefined) return forStranger([], 'signed in');
  const accounts = [first, ...others] as const;
  if (choice?.of === 'strangers') return forStranger(accounts, 'signed in');
  const chosen = accounts.find(({ accountId }) => accountId === choice?.accountId);
  if (chosen !== undefined) return { kind: 'payer', payer: accountPayer(chosen), accounts };
  const found = await findStrangersPayer();
  return { kind: 'to be asked', accounts, strangers: found.kind === 'refused' ? undefined : found };
}

/** What suggestions are asked with: they cost nothing, so that nobody has to be asked before. */
export function searchPayer(paying: Paying): Payer | undefined {
  switch (paying.kind) {
    case 'payer':
      return paying.payer;
    case 'to be asked':
      return paying.strangers ?? accountPayer(paying.accounts[0]);
    case 'finding':
    case 'nobody':
      return undefined;
  }
}
