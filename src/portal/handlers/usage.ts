// What an account has called and spent: sums of any days, and the statement of a month.

import { usageDimensions } from '../../contract/account.ts';
import type { JournalEntry, Statement as KeptStatement } from '../../ledger/told/entries.ts';
import type { UsageSum, UsageWish } from '../../ledger/told/usage.ts';
import type { Refusal } from '../../people/people.ts';
import { formatDay, parseDay } from '../../uk/calendar.ts';
import type { Statement, StatementLine, UsageRowView } from '../contract.ts';
import { type MemberHandler, told } from '../guards.ts';
import { refused } from '../refused.ts';

/** A leap year, as the API has it. */
const daysMost = 366;
/** Of one answer; a year by all words may be many. */
const rowsMost = 20_000;

type Days = Pick<UsageWish, 'fromDay' | 'toDay' | 'by'>;

/** Both days are in the calendar already. */
export function daysOf(takes: {
  readonly from: string;
  readonly to: string;
  readonly by: string;
}): ({ readonly kind: 'days' } & Days) | Refusal {
  const [fromDay, toDay] = [parseDay(takes.from), parseDay(takes.to)];
  if (fromDay === undefined || toDay === undefined || fromDay > toDay || toDay - fromDay >= daysMost) {
    return refused('INVALID', `Choose a first day that is not after the last, at most ${daysMost} days.`, {
      field: 'from',
    });
  }
  const words = takes.by === '' ? [] : takes.by.split(',');
  const by = usageDimensions.filter((dimension) => words.includes(dimension));
  if (by.length !== words.length) {
    const message = `by must be one or more of ${usageDimensions.join(', ')}, each once, separated by commas.`;
    return refused('INVALID', message, { field: 'by' });
  }
  return { kind: 'days', fromDay, toDay, by };
}

export function usageRow({ day, key, ...rest }: UsageSum): UsageRowView {
  return {
    ...(day === undefined ? {} : { day: formatDay(day) }),
    ...(key === undefined ? {} : { keyId: key }),
    ...rest,
  };
}

export const readUsage: MemberHandler<'GET /portal/accounts/:accountId/usage'> = async (
  { accounts },
  { takes, account: { accountId } },
) => {
  const days = daysOf(takes);
  if (days.kind === 'refused') return days;
  const { fromDay, toDay, by } = days;
  const offset = Number(takes.offset ?? '0');
  const { rows, total } = await accounts.sumUsage(accountId, {
    fromDay,
    toDay,
    by,
    offset,
    limit: rowsMost,
  });
  const { calls, credits } = total;
  const end = offset + rows.length;
  return told({
    rows: rows.map(usageRow),
    next: rows.length === rowsMost && end < total.rows ? end : null,
    total: { calls, credits },
  });
};

export const readStatement: MemberHandler<'GET /portal/accounts/:accountId/statement'> = async (
  { accounts },
  { takes: { month }, account: { accountId }, atMs },
) => told(statementView(month, await accounts.statement(accountId, month, atMs)));

function statementView(month: string, statement: KeptStatement): Statement {
  const { openingBalance, closingBalance, charges, movements, months } = statement;
  return {
    month,
    openingBalance,
    closingBalance,
    days: charges.map(({ day, ...rest }) => ({ day: formatDay(day), ...rest })),
    movements: movements.map(statementLine),
    months,
  };
}

export function statementLine(entry: JournalEntry): StatementLine {
  const { seq, atMs, kind, credits, lasting, balanceAfter, endpoint, keyId, requestId, note } = entry;
  return { seq, atMs, kind, credits, lasting, balanceAfter, endpoint, keyId, requestId, note };
}
