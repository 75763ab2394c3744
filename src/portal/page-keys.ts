// Keys that pages made for themselves end with the session and the role they were made with. Looked after once something was
// changed, so that no way to end a session can be forgotten, and no call pays for it.

import type { Accounts } from '../ledger/ledger.ts';
import type { PageKey } from '../people/people.ts';
import type { PortalDesk } from './desk.ts';

export async function endPageKeys(
  { people, accounts, now, reportFault }: PortalDesk,
  requestId: string,
): Promise<void> {
  try {
    await people.pageKeys.endOrphans((key) => revokePageKey(accounts, key, now()));
  } catch (fault) {
    // What was asked is done. Whoever changes something next tries again; at the latest the key ends by its own time.
    reportFault('a key of a page could not be ended with its session', fault, requestId);
  }
}

export async function revokePageKey(
  accounts: Pick<Accounts, 'findKey' | 'revokeKey'>,
  { accountId, keyId }: PageKey,
  atMs: number,
): Promise<void> {
  const key = await accounts.findKey(accountId, keyId);
  if (key?.revokedAtMs === null) await accounts.revokeKey(keyId, atMs);
}
