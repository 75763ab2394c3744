// What an operator must see of an account at once.

import type { AccountView } from '../../../src/portal/views.ts';
import { Badge } from '../../components/parts.tsx';

/** Nothing of one that works. */
export function AccountState({
  account,
}: {
  readonly account: Pick<AccountView, 'suspended' | 'closedAtMs'>;
}) {
  if (account.closedAtMs !== null) return <Badge>closed</Badge>;
  return account.suspended === null ? null : <Badge tone="bad">suspended</Badge>;
}
