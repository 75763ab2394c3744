// Who pays for whoever explores without signing in: on a newcomer's own machine the demo account, elsewhere the account of guests,
// where the operator has opened it. The key that they get is one for all, and works from our own pages alone.

import type { Account } from '../../ledger/ledger.ts';
import { isCustomer } from '../../ledger/public-sandbox.ts';
import { guestAccount } from '../../ledger/visitors/guests.ts';
import type { PortalDesk } from '../desk.ts';
import { type OpenHandler, told } from '../guards.ts';
import { refused } from '../refused.ts';
import type { Way } from '../way.ts';

const asksPerMinute = 30;

type Payer = { readonly payer: 'demo' | 'visitors'; readonly account: Account };

export const exploreKey: OpenHandler<'POST /portal/explore/key'> = async (desk, asked) => {
  const { atMs, visitor, way } = asked;
  const { used, endMs } = desk.explorers.count(visitor.host, atMs);
  if (used > asksPerMinute)
    return refused('TOO_MANY', 'This address has asked for too many keys; wait a minute, then try again.', {
      retryAfterSeconds: Math.max(1, Math.ceil((endMs - atMs) / 1000)),
    });
  const found = (await findDemo(desk, way, atMs)) ?? (await findGuests(desk, atMs));
  if (found === undefined || !isOpen(found.account))
    return refused(
      'NOT_ALLOWED',
      'Real places are shown here to whoever signs in; the made-up town is free for everybody.',
    );
  const { key, expiresAtMs } = await desk.accounts.sharedWebKey(found.account.accountId, atMs);
  return told({ payer: found.payer, key, expiresAtMs });
};

const isOpen = ({ closedAtMs, suspended }: Account): boolean => closedAtMs === null && suspended === null;

/** The account that the first start made, before there was any other: one that a customer calls so is not it. */
async function findDemo(
  { accounts, demoPays }: PortalDesk,
  way: Way,
  atMs: number,
): Promise<Payer | undefined> {
  if (demoPays === 'never' || way.kind !== 'this machine') return undefined;
  const first = (await accounts.listAccounts(atMs)).find(isCustomer);
  return first?.name === 'demo' && isOpen(first) ? { payer: 'demo', account: first } : undefined;
}

/** A start brings the account in step with the setting. What the operator has changed since then holds: no visit undoes it. */
async function findGuests({ accounts, settings }: PortalDesk, atMs: number): Promise<Payer | undefined> {
  if (settings.visitors === 0) return undefined;
  const there = await accounts.findAccount(guestAccount.accountId, atMs);
  const account = there ?? (await accounts.openGuests({ callsPerDay: settings.visitors, atMs }));
  return { payer: 'visitors', account };
}
