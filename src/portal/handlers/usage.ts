// What an account has called and spent: sums of any days, and the statement of a month.

import { usageDimensions } from '../../contract/account.ts';
import type { JournalEntry, Statement as KeptStatement } from '../../ledger/told/entries.ts';
import type { UsageSum, UsageWish } from '../../ledger/told/usage.ts';
import { refuse } from '../../people/outcome.ts';
import type { Refusal } from '../../people/people.ts';
import { formatDay, parseDay } from '../../uk/calendar.ts';
import { day, digits, optional, type Taken, text } from '../body.ts';
import type { PortalDesk } from '../desk.ts';
import { type ByMember, told } from '../route.ts';
import type { Statement, StatementLine, UsageRowView } from '../views.ts';

/** A leap year, as the API has it. */
const daysMost = 366;
/** Of one answer; a year by all words may be many. */
const rowsMost = 20_000;

type Days = Pick<UsageWish, 'fromDay' | 'toDay' | 'by'>;

/** Both days are included; `by` has some of the words that usage can be added up by, with commas. */
export const days = { from: day, to: day, by: text(40) };
export const pageOfDays = { ...days, offset: optional(digits) };

/** Both days are in the calendar already. */
export function daysOf(takes: Taken<typeof days>): ({ readonly kind: 'days' } & Days) | Refusal {
  const [fromDay, toDay] = [parseDay(takes.from), parseDay(takes.to)];
  if (fromDay === undefined || toDay === undefined || fromDay > toDay || toDay - fromDay >= daysMost) {
    return refuse('INVALID', `Choose a first day that is not after the last, at most ${daysMost} days.`, {
      field: 'from',
    });
  }
  const words = takes.by === '' ? [] : takes.by.split(',');
  const by = usageDimensions.filter((dimension) => words.includes(dimension));
  if (by.length !== words.length) {
    const message = `by must be one or more of ${usageDimensions.join(', ')}, each once, separated by commas.`;
    return refuse('INVALID', message, { field: 'by' });
  }
  return { kind: 'days', fromDay, toDay, by };
}

export function usageRow({ day: ofDay, key, ...rest }: UsageSum): UsageRowView {
  return {
    ...(ofDay === undefined ? {} : { day: formatDay(ofDay) }),
    ...(key === undefined ? {} : { keyId: key }),
    ...rest,
  };
}

export async function readUsage(
  { accounts }: PortalDesk,
  { takes, account: { accountId } }: ByMember<Taken<typeof pageOfDays>>,
) {
  const asked = daysOf(takes);
  if (asked.kind === 'refused') return asked;
  const { fromDay, toDay, by } = asked;
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
    /** The `offset` of the rows after these; null where there are none. */
    next: rows.length === rowsMost && end < total.rows ? end : null,
    total: { calls, credits },
  });
}

export function statementView(month: string, statement: KeptStatement): Statement {
  const { openingBalance, closingBalance, charges, movements, months } = statement;
  return {
    month,
    openingBalance,
    closingBalance,
    days: charges.map((charge) => ({ ...charge, day: formatDay(charge.day) })),
    movements: movements.map(statementLine),
    months,
  };
}

export function statementLine(entry: JournalEntry): StatementLine {
  const { seq, atMs, kind, credits, lasting, balanceAfter, endpoint, keyId, requestId, note } = entry;
  return { seq, atMs, kind, credits, lasting, balanceAfter, endpoint, keyId, requestId, note };
}
