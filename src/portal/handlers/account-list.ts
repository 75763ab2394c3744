// The operator's list of accounts, page by page: found by name, id or plan, or by who belongs to them.

import type { AdminAccountRow } from '../contract.ts';
import type { PortalDesk } from '../desk.ts';
import { type OperatorHandler, told } from '../guards.ts';
import { accountView } from './accounts.ts';

const pageRows = 50;

type Page = { readonly accounts: readonly AdminAccountRow[]; readonly after: string | null };
type Wish = {
  readonly search: string;
  /** Accounts of people that the search finds. */
  readonly also: readonly string[];
  readonly after: string | undefined;
  readonly limit: number;
};

export const searchOf = (q: string | undefined): string => q?.trim().toLowerCase() ?? '';

/** Nothing to search for finds every account anyway. */
export const accountsOfPeople = async ({ people }: PortalDesk, search: string): Promise<readonly string[]> =>
  search === '' ? [] : people.members.accountsOf(search);

export async function accountsPage(
  { accounts, people }: PortalDesk,
  wish: Wish,
  atMs: number,
): Promise<Page> {
  const page = await accounts.accountPage({ ...wish, atMs });
  const ids = page.accounts.map(({ accountId }) => accountId);
  const owners = await people.members.owners(ids);
  const uses = new Map((await accounts.accountsUse(ids, atMs)).map((use) => [use.accountId, use]));
  const rows = page.accounts.map((account): AdminAccountRow => {
    const use = uses.get(account.accountId);
    return {
      ...accountView(account),
      lastCallHourMs: use?.lastHourMs ?? null,
      callsToday: use?.callsToday ?? 0,
      errorsToday: use?.errorsToday ?? 0,
      owners: owners.get(account.accountId) ?? [],
    };
  });
  return { accounts: rows, after: page.after };
}

export const findAccounts: OperatorHandler<'GET /portal/admin/accounts'> = async (desk, { takes, atMs }) => {
  const search = searchOf(takes.q);
  const also = await accountsOfPeople(desk, search);
  return told(await accountsPage(desk, { search, also, after: takes.after, limit: pageRows }, atMs));
};
