// How the rows that every engine stores become values: accounts, keys, entries, usage. Columns have the same names in all
// of them.

import {
  type Row,
  readNumber,
  readNumberOrNull,
  readText,
  readTextOrNull,
  readWord,
} from '../../storage/rows.ts';
import { bindingIn } from '../binding.ts';
import {
  type Account,
  type Binding,
  type Caller,
  type Key,
  keyKinds,
  type Limits,
  type Suspension,
  type Terms,
  type Window,
} from '../ledger.ts';
import { allowanceOf, limitsOf, planNames, windows } from '../plans.ts';
import { isOfPages, modeOf, nextRefresh } from '../rules.ts';
import { type JournalEntry, type JournalKind, journalKinds } from '../told/entries.ts';
import type { AccountUse, UsageRow } from '../told/usage.ts';

/** An account in memory: what a transaction may change of it is not read-only. */
export type AccountRow = Omit<Account, 'balance' | 'lasting' | 'refreshAtMs'> & {
  readonly number: number;
  balance: number;
  lasting: number;
  newestSeq: number | null;
  newestHash: string | null;
  anchorAtMs: number;
  periodEndsAtMs: number | null;
  allowanceGiven: number;
  refreshAtMs: number | null;
};

export function readAccount(row: Row): AccountRow {
  const plan = readWord(row, 'plan', planNames);
  const terms = readTerms(row);
  const period = {
    anchorAtMs: readNumber(row, 'anchor_at'),
    periodEndsAtMs: readNumberOrNull(row, 'period_ends_at'),
    allowanceGiven: readNumber(row, 'allowance_given'),
  };
  return {
    number: readNumber(row, 'number'),
    accountId: readText(row, 'id'),
    name: readText(row, 'name'),
    plan,
    terms,
    balance: readNumber(row, 'balance'),
    lasting: readNumber(row, 'lasting'),
    newestSeq: readNumberOrNull(row, 'newest_entry'),
    newestHash: readTextOrNull(row, 'newest_hash'),
    allowance: allowanceOf(plan, terms),
    limits: limitsOf(plan, terms, 'live'),
    ...period,
    refreshAtMs: nextRefresh(plan, period),
    createdAtMs: readNumber(row, 'created_at'),
    closedAtMs: readNumberOrNull(row, 'closed_at'),
    suspended: readSuspension(row),
  };
}

function readSuspension(row: Row): Suspension | null {
  const atMs = readNumberOrNull(row, 'suspended_at');
  return atMs === null ? null : { atMs, reason: readText(row, 'suspended_because') };
}

const noLimit = -1;

export function readTerms(row: Row): Terms {
  const limits: Partial<Record<Window, number | null>> = {};
  for (const window of windows) {
    const own = readNumberOrNull(row, `own_${window}_limit`);
    if (own !== null) limits[window] = own === noLimit ? null : own;
  }
  const allowance = readNumberOrNull(row, 'own_allowance');
  return allowance === null ? { limits } : { allowance, limits };
}

type TermsColumns = [
  allowance: number | null,
  minute: number | null,
  day: number | null,
  month: number | null,
];

/** In the order the statements name them. */
export function termsColumns({ allowance, limits }: Terms): TermsColumns {
  return [
    allowance ?? null,
    limitColumn(limits?.minute),
    limitColumn(limits?.day),
    limitColumn(limits?.month),
  ];
}

function limitColumn(limit: Limits[Window] | undefined): number | null {
  if (limit === undefined) return null;
  return limit === null ? noLimit : limit;
}

export function readKey(row: Row): Key {
  return {
    keyId: readText(row, 'id'),
    accountId: readText(row, 'account_id'),
    name: readTextOrNull(row, 'name'),
    kind: readWord(row, 'kind', keyKinds),
    lastFour: readText(row, 'last_four'),
    binding: readBinding(row),
    createdAtMs: readNumber(row, 'created_at'),
    expiresAtMs: readNumberOrNull(row, 'expires_at'),
    revokedAtMs: readNumberOrNull(row, 'revoked_at'),
    replacedBy: readTextOrNull(row, 'replaced_by_id'),
  };
}

const readBinding = (row: Row): Binding | null =>
  bindingIn({
    origins: readTextOrNull(row, 'origins'),
    paths: readTextOrNull(row, 'paths'),
    addresses: readTextOrNull(row, 'addresses'),
  });

/** Who calls by the key of a row, which has its id as `key_id`. Undefined where it is of a kind that nobody is admitted by,
 *  or is to be bound to pages and nothing says to which. */
export function readCaller(row: Row): Caller | undefined {
  const kind = readWord(row, 'kind', keyKinds);
  const mode = modeOf(kind);
  if (mode === undefined) return undefined;
  const caller = { accountId: readText(row, 'account_id'), keyId: readText(row, 'key_id'), mode };
  const binding = readBinding(row);
  if (isOfPages(kind) && (binding?.origins ?? null) === null) return undefined;
  return binding === null ? caller : { ...caller, binding };
}

export function readJournalEntry(accountId: string, row: Row): JournalEntry {
  return {
    seq: readNumber(row, 'seq'),
    accountId,
    atMs: readNumber(row, 'at'),
    kind: readEntryKind(row),
    credits: readNumber(row, 'credits'),
    lasting: readNumber(row, 'lasting'),
    balanceAfter: readNumber(row, 'balance_after'),
    lastingAfter: readNumber(row, 'lasting_after'),
    chargeId: readTextOrNull(row, 'charge_id'),
    requestId: readTextOrNull(row, 'request_id'),
    keyId: readTextOrNull(row, 'key_id'),
    endpoint: readTextOrNull(row, 'endpoint'),
    note: readTextOrNull(row, 'note'),
  };
}

function readEntryKind(row: Row): JournalKind {
  const kind = journalKinds[readNumber(row, 'kind')];
  if (kind === undefined) throw new TypeError('kind is no kind of entry');
  return kind;
}

export function readUsage(accountId: string, row: Row): UsageRow {
  return {
    hourStartMs: readNumber(row, 'hour'),
    accountId,
    keyId: readText(row, 'key_id'),
    endpoint: readText(row, 'endpoint'),
    status: readNumber(row, 'status'),
    calls: readNumber(row, 'calls'),
    credits: readNumber(row, 'credits'),
  };
}

export const readAccountUse = (row: Row): AccountUse => ({
  accountId: readText(row, 'id'),
  lastHourMs: readNumberOrNull(row, 'hour'),
  callsToday: readNumber(row, 'calls'),
  errorsToday: readNumber(row, 'errors'),
});
