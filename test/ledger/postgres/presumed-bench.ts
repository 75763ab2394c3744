// What the tests of calls share that are admitted where they are charged.

import assert from 'node:assert/strict';
import type {
  Accounts,
  Admission,
  Confirmed,
  OpenLedger,
  Presumptions,
  Terms,
} from '../../../src/ledger/ledger.ts';
import { type Customer, charging, customer, startMs } from '../bench.ts';
import { freshStorage, type PostgresStorage } from './bench.ts';

type Fleet = {
  readonly storage: PostgresStorage;
  readonly here: OpenLedger;
  readonly elsewhere: OpenLedger;
  readonly presumptions: Presumptions;
};

export async function withTwo(work: (fleet: Fleet) => Promise<void>): Promise<void> {
  const storage = await freshStorage();
  const [here, elsewhere] = [await storage.open(), await storage.open()];
  try {
    await work({ storage, here, elsewhere, presumptions: presumptionsOf(here) });
  } finally {
    for (const { ledger } of [here, elsewhere]) await ledger.close();
    await storage.remove();
  }
}

export function presumptionsOf({ ledger }: OpenLedger): Presumptions {
  assert.ok(ledger.presumptions);
  return ledger.presumptions;
}

/** By an admission, as any key is known. */
export async function known(open: OpenLedger, terms: Terms = {}, atMs = startMs): Promise<Customer> {
  const made = await customer(open.accounts, 'basic', terms);
  assert.equal((await open.ledger.admit(made.hash, atMs)).kind, 'admitted');
  return made;
}

let calls = 0;
export const nextId = (): string => `call ${calls++}`;

export const call = (open: OpenLedger, { hash, caller }: Customer, credits = 1, atMs = startMs) =>
  presumptionsOf(open).charge(hash, charging(caller, nextId(), credits, atMs));

export const kindsOf = ({ admission, result }: Confirmed) => [admission.kind, result?.kind];

export function standingOf(admission: Admission) {
  assert.notEqual(admission.kind, 'unknown');
  return admission.kind === 'unknown' ? assert.fail() : admission.standing;
}

/** By minute, day and month. */
export const used = async (accounts: Accounts, accountId: string, atMs = startMs) =>
  (await accounts.windowsOf(accountId, 'live', atMs)).map((window) => window.used);
