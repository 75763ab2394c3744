// Files that a page links to: tables as CSV, and all of an account as JSON. Each is written page by page while it is read, so
// that a year of ten million calls takes no more memory than a day.

import { type CsvField, writeCsv, writeCsvRows } from '../../contract/csv.ts';
import type { Account } from '../../ledger/ledger.ts';
import { dayMs } from '../../time.ts';
import { formatDay } from '../../uk/calendar.ts';
import type { Taken } from '../body.ts';
import type { PortalDesk } from '../desk.ts';
import type { ByMember, ByPerson, Streamed } from '../route.ts';
import type { AdminAccountRow } from '../views.ts';
import { accountView } from './accounts.ts';
import { totalsOf } from './house.ts';
import { keyView } from './keys.ts';
import { accountsOfPeople, accountsPage, type searched, searchOf } from './operator.ts';
import { type days, daysOf, statementLine, usageRow } from './usage.ts';

const pageRows = 1_000;
/** Each is asked for its use of today. */
const accountRows = 200;
/** Each page of sums adds everything up again. */
const sumsPage = 20_000;

type Rows = AsyncIterable<readonly (readonly CsvField[])[]>;

const csvFile = (fileName: string, titles: readonly string[], pages: Rows): Streamed => ({
  kind: 'streamed',
  type: 'text/csv; charset=utf-8',
  fileName,
  chunks: async function* () {
    yield writeCsv(titles, []);
    for await (const rows of pages) yield writeCsvRows(rows);
  },
});

const instant = (ms: number): string => new Date(ms).toISOString();

export async function usageCsv(
  { accounts }: PortalDesk,
  { takes, account: { accountId } }: ByMember<Taken<typeof days>>,
) {
  const asked = daysOf(takes);
  if (asked.kind === 'refused') return asked;
  const { fromDay, toDay, by } = asked;
  const pages = async function* () {
    for (let offset = 0; ; offset += sumsPage) {
      const wish = { fromDay, toDay, by, offset, limit: sumsPage };
      const { rows, total } = await accounts.sumUsage(accountId, wish);
      yield rows.map((row) => [
        ...by.map((dimension) =>
          dimension === 'day' ? formatDay(row.day ?? fromDay) : (row[dimension] ?? null),
        ),
        row.calls,
        row.credits,
      ]);
      if (offset + sumsPage >= total.rows) return;
    }
  };
  const name = `usage-${accountId}-${takes.from}-${takes.to}.csv`;
  return csvFile(name, [...by, 'calls', 'credits'], pages());
}

export async function statementCsv(
  desk: PortalDesk,
  { account: { accountId }, atMs }: ByMember,
  month: string,
) {
  // A month without a statement is refused before anything is written.
  await desk.accounts.statement(accountId, month, atMs);
  const pages = async function* () {
    for await (const lines of linesOf(desk, accountId, month)) {
      yield lines.map((line) => [
        line.seq,
        instant(line.atMs),
        line.kind,
        line.credits,
        line.balanceAfter,
        line.endpoint,
        line.keyId,
        line.requestId,
        line.note,
      ]);
    }
  };
  const titles = ['entry', 'at', 'kind', 'credits', 'balance_after', 'endpoint', 'key', 'request_id', 'note'];
  return csvFile(`statement-${accountId}-${month}.csv`, titles, pages());
}

/** Newest first. */
async function* linesOf({ accounts }: PortalDesk, accountId: string, month: string) {
  let before: number | null | undefined;
  while (before !== null) {
    const from = before === undefined ? {} : { before };
    const page = await accounts.journalPage(accountId, { month, ...from, limit: pageRows });
    yield page.entries.map(statementLine);
    before = page.before;
  }
}

export async function requestsCsv({ requests }: PortalDesk, { account: { accountId } }: ByMember) {
  const newest = (await requests.newest(accountId)).requests;
  const pages = async function* () {
    yield newest.map((each) => [
      each.requestId,
      instant(each.atMs),
      each.keyId,
      each.path,
      each.parameters,
      each.status,
      each.code,
      each.milliseconds,
      each.credits,
    ]);
  };
  const titles = [
    'request_id',
    'at',
    'key',
    'path',
    'parameters',
    'status',
    'code',
    'milliseconds',
    'credits',
  ];
  return csvFile(`requests-${accountId}.csv`, titles, pages());
}

export async function auditCsv({ people }: PortalDesk, { account: { accountId } }: ByMember) {
  const pages = async function* () {
    for await (const lines of people.audit.all(accountId)) {
      yield lines.map(({ atMs, who, what, subject, detail, address }) => [
        instant(atMs),
        who,
        what,
        subject,
        detail,
        address,
      ]);
    }
  };
  const titles = ['at', 'who', 'what', 'subject', 'detail', 'address'];
  return csvFile(`audit-${accountId}.csv`, titles, pages());
}

/** All that are found, with what the list says of each. */
export async function accountsCsv(desk: PortalDesk, { takes, atMs }: ByPerson<Taken<typeof searched>>) {
  const search = searchOf(takes.q);
  const also = await accountsOfPeople(desk, search);
  const pages = async function* () {
    let after: string | null | undefined;
    while (after !== null) {
      const page = await accountsPage(desk, { search, also, after, limit: accountRows }, atMs);
      yield page.accounts.map((account) => [
        account.accountId,
        account.name,
        account.plan,
        stateOf(account),
        account.balance,
        account.lasting,
        account.lastCallHourMs === null ? null : instant(account.lastCallHourMs),
        account.callsToday,
        account.errorsToday,
        account.owners.join(' '),
        instant(account.createdAtMs),
      ]);
      after = page.after;
    }
  };
  const titles = [
    'account',
    'name',
    'plan',
    'state',
    'credits',
    'lasting_credits',
    'last_call_hour',
    'calls_today',
    'errors_today',
    'owners',
    'opened_at',
  ];
  return csvFile(`accounts-${formatDay(Math.floor(atMs / dayMs))}.csv`, titles, pages());
}

const stateOf = ({ closedAtMs, suspended }: AdminAccountRow): 'open' | 'suspended' | 'closed' =>
  closedAtMs !== null ? 'closed' : suspended === null ? 'open' : 'suspended';

export async function totalsCsv(desk: PortalDesk, { atMs }: ByPerson, month: string) {
  const totals = await totalsOf(desk, month, atMs);
  const pages = async function* () {
    yield totals.map(({ accountId, name, plan, calls, credits, allowanceAdded, lastingAdded }) => [
      accountId,
      name,
      plan,
      calls,
      credits,
      allowanceAdded,
      lastingAdded,
    ]);
  };
  const titles = ['account', 'name', 'plan', 'calls', 'credits', 'allowance_added', 'lasting_added'];
  return csvFile(`totals-${month}.csv`, titles, pages());
}

export async function exportAccount(desk: PortalDesk, { account, atMs }: ByMember) {
  return {
    kind: 'streamed',
    type: 'application/json; charset=utf-8',
    fileName: `account-${account.accountId}.json`,
    chunks: () => accountJson(desk, account, atMs),
  } satisfies Streamed;
}

/** Everything that is kept of an account but what makes a key or a session. */
async function* accountJson(desk: PortalDesk, account: Account, atMs: number): AsyncIterable<string> {
  const { accounts, people, requests } = desk;
  const { accountId } = account;
  const uses = new Map((await accounts.keyUse(accountId)).map((use) => [use.keyId, use]));
  const keys = (await accounts.listKeys(accountId)).map((key) => keyView(key, uses.get(key.keyId), atMs));
  const head = {
    exportedAt: instant(atMs),
    account: accountView(account),
    settings: { parameters: await requests.parametersOf(accountId) },
    keys,
    ...(await people.members.list(accountId)),
    planRequests: await people.planRequests.of(accountId),
    requests: (await requests.newest(accountId)).requests,
  };
  yield JSON.stringify(head).slice(0, -1);
  const { months } = await accounts.statement(accountId, instant(atMs).slice(0, 7), atMs);
  yield* listJson('audit', people.audit.all(accountId));
  yield* listJson('usage', usagePages(desk, account, atMs));
  yield* listJson('journal', journalPages(desk, accountId, months));
  yield '}';
}

async function* listJson(name: string, pages: AsyncIterable<readonly unknown[]>): AsyncIterable<string> {
  yield `,"${name}":[`;
  let separator = '';
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield separator + page.map((each) => JSON.stringify(each)).join(',');
    separator = ',';
  }
  yield ']';
}

const monthDays = 31;

/** By day, endpoint, key and status. */
async function* usagePages({ accounts }: PortalDesk, account: Account, atMs: number) {
  const today = Math.floor(atMs / dayMs);
  const by = ['day', 'endpoint', 'key', 'status'] as const;
  for (let fromDay = Math.floor(account.createdAtMs / dayMs); fromDay <= today; fromDay += monthDays) {
    const toDay = fromDay + monthDays - 1;
    for (let offset = 0; ; offset += sumsPage) {
      const wish = { fromDay, toDay, by, offset, limit: sumsPage };
      const { rows, total } = await accounts.sumUsage(account.accountId, wish);
      yield rows.map(usageRow);
      if (offset + sumsPage >= total.rows) break;
    }
  }
}

/** The newest month first, as its entries are. */
async function* journalPages(desk: PortalDesk, accountId: string, months: readonly string[]) {
  for (const month of months.toReversed()) yield* linesOf(desk, accountId, month);
}
