// The last requests of an account, and for the operator what was refused.

import type { RefusalCount } from '../contract.ts';
import { type MemberHandler, type OperatorHandler, told } from '../guards.ts';

export const readRequests: MemberHandler<'GET /portal/accounts/:accountId/requests'> = async (
  { requests },
  { account: { accountId } },
) => told(await requests.newest(accountId));

export const readRefusals: OperatorHandler<'GET /portal/admin/refusals'> = async (
  { requests, accounts },
  { atMs },
) => {
  const counts = await requests.refusalsOfDay();
  const names = new Map((await accounts.listAccounts(atMs)).map(({ accountId, name }) => [accountId, name]));
  const refusals = counts.map(
    (count): RefusalCount => ({
      ...count,
      accountName: count.accountId === null ? null : (names.get(count.accountId) ?? null),
    }),
  );
  return told({ refusals });
};
