// The account a page is about, what the person may do in it, and where its pages are.

import type { Overview } from '../../src/portal/views.ts';
import type { Told } from '../ask.ts';

export type OwnAccount = Told<'GET /portal/accounts'>['accounts'][number];

export type Here = Overview & {
  readonly accountId: string;
  /** Those of the person; an operator looks at others too. */
  readonly accounts: readonly OwnAccount[];
  /** Asks where the account stands again. */
  readonly again: () => Promise<void>;
};

type OfAccount = Pick<Here, 'role' | 'account'>;

const isOpen = ({ account }: OfAccount): boolean => account.closedAtMs === null;

export const mayKeepKeys = (here: OfAccount): boolean =>
  isOpen(here) && (here.role === 'owner' || here.role === 'developer');
export const maySettlePlan = (here: OfAccount): boolean =>
  isOpen(here) && (here.role === 'owner' || here.role === 'billing');
export const isOwner = (here: OfAccount): boolean => isOpen(here) && here.role === 'owner';
/** Whose turn it is to ask an owner. */
export const mayReadAudit = ({ role }: OfAccount): boolean => role === 'owner' || role === 'operator';

export const accountPath = (accountId: string, page = ''): string =>
  `/account/${encodeURIComponent(accountId)}${page === '' ? '' : `/${page}`}`;

/** What the service writes of the account beside its answers: files, and what happens live. */
export const filePath = (
  accountId: string,
  name: 'usage.csv' | 'statement.csv' | 'requests.csv' | 'audit.csv' | 'export.json' | 'live',
  query: Readonly<Record<string, string>> = {},
): string => {
  const text = new URLSearchParams(query).toString();
  return `/portal/accounts/${encodeURIComponent(accountId)}/${name}${text === '' ? '' : `?${text}`}`;
};
