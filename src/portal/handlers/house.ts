// How the service itself is: its data, its health, what it refused, and what all accounts used in a month.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { dayOf } from '../../ledger/calendar.ts';
import { type Account, LedgerUnavailable } from '../../ledger/ledger.ts';
import { isCustomer } from '../../ledger/public-sandbox.ts';
import { refuse } from '../../people/outcome.ts';
import { isOld } from '../../release/age.ts';
import { formatDay } from '../../uk/calendar.ts';
import type { PortalDesk } from '../desk.ts';
import { type ByPerson, done, told } from '../route.ts';
import type { DatasetAge, Health, MonthTotalRow, OperatorOverview, RefusalRow } from '../views.ts';
import { audited } from './audited.ts';

export async function readData(
  { releases, updates, publications: fetchable, loading }: PortalDesk,
  { atMs }: ByPerson,
) {
  const { lastRun, nextRun, publications } = updates();
  const live = releases.live();
  const datasets = (live?.datasets ?? []).map((dataset): DatasetAge => {
    const failing = publications.find(
      (publication) => publication.dataset === dataset.name && publication.failingSince !== null,
    );
    return {
      dataset: dataset.name,
      publisher: dataset.publisher,
      extent: dataset.extent,
      asOf: dataset.asOf,
      edition: dataset.edition,
      loadedAt: dataset.loadedAt,
      // What comes with the program alone is as new as the program.
      age:
        fetchable.some((each) => each.dataset === dataset.name) && isOld(dataset, atMs) ? 'old' : 'current',
      failingSince: failing?.failingSince ?? null,
      failingBecause: failing?.failingBecause ?? null,
    };
  });
  return told({
    releases: releases.list(),
    datasets,
    lastUpdate: lastRun === null ? null : { at: lastRun.endedAt, result: lastRun.outcome },
    nextUpdate: nextRun,
    loading: loading.progress(),
    mayLoad: loading.mayBegin,
  });
}

export async function beginLoading(desk: PortalDesk, asked: ByPerson) {
  const { loading } = desk;
  if (loading.mayBegin !== 'yes')
    return refuse('CONFLICT', 'A replica loads nothing itself. Update where releases are published.');
  if (loading.begin() === 'running already') return refuse('CONFLICT', 'An update is running already.');
  const event = { accountId: null, what: 'data.update-begun', subject: 'update' };
  return audited(desk, asked, event, done());
}

const overviewDays = 30;
const lowestMost = 10;

/** What an operator looks at first: calls a day, whose credits end, the last backup, and which data needs somebody. */
export async function readOverview(desk: PortalDesk, asked: ByPerson) {
  const { accounts } = desk;
  const { atMs } = asked;
  const customers = (await accounts.listAccounts(atMs)).filter(isCustomer);
  const open = customers.filter(({ closedAtMs }) => closedAtMs === null);
  const lowest = open
    .toSorted((a, b) => shareLeft(a) - shareLeft(b) || a.name.localeCompare(b.name))
    .slice(0, lowestMost)
    .map(({ accountId, name, plan, balance, allowance }) => ({ accountId, name, plan, balance, allowance }));
  const backup = await accounts.backups();
  const { datasets } = (await readData(desk, asked)).tells;
  const named = (isSo: (dataset: DatasetAge) => boolean) =>
    datasets.filter(isSo).map(({ dataset }) => dataset);
  return told<OperatorOverview>({
    days: await callsByDay(desk, customers, atMs),
    accounts: open.length,
    lowest,
    backup,
    data: {
      datasets: datasets.length,
      sample: named(({ extent }) => extent === 'sample'),
      failing: named(({ failingSince }) => failingSince !== null),
      old: named(({ extent, age }) => extent !== 'sample' && age === 'old'),
    },
  });
}

const shareLeft = ({ balance, allowance }: Account): number => balance / Math.max(1, allowance);

/** Today included. Accounts that have not called in that time are not asked. */
async function callsByDay(
  { accounts }: PortalDesk,
  customers: readonly Account[],
  atMs: number,
): Promise<OperatorOverview['days']> {
  const toDay = dayOf(atMs);
  const fromDay = toDay - overviewDays + 1;
  const days = Array.from({ length: overviewDays }, (_, at) => ({ calls: 0, credits: 0, day: fromDay + at }));
  const ids = customers.map(({ accountId }) => accountId);
  for (const { accountId, lastHourMs } of await accounts.accountsUse(ids, atMs)) {
    if (lastHourMs === null || dayOf(lastHourMs) < fromDay) continue;
    const wish = { fromDay, toDay, by: ['day'], offset: 0, limit: overviewDays } as const;
    for (const { day, calls, credits } of (await accounts.sumUsage(accountId, wish)).rows) {
      const sum = days[(day ?? 0) - fromDay];
      if (sum === undefined) continue;
      sum.calls += calls;
      sum.credits += credits;
    }
  }
  return days.map(({ day, ...sums }) => ({ day: formatDay(day), ...sums }));
}

/** Of this process, since somebody last looked; begun by the first look. */
let delay: ReturnType<typeof monitorEventLoopDelay> | undefined;

function eventLoopDelayMs(): number {
  if (delay === undefined) {
    delay = monitorEventLoopDelay({ resolution: 20 });
    delay.enable();
    return 0;
  }
  const ms = delay.count === 0 ? 0 : delay.percentile(99) / 1e6;
  delay.reset();
  return Math.round(ms * 10) / 10;
}

async function notReadyBecause({ ledger, releases, sampleForLiveKeys }: PortalDesk): Promise<string | null> {
  try {
    await ledger.ready();
  } catch (fault) {
    if (!(fault instanceof LedgerUnavailable)) throw fault;
    return 'The service cannot use the ledger; the log says why.';
  }
  const live = releases.live();
  if (live === undefined) return 'The first release is not here yet.';
  const isWithheld = live.findDataset('postcodes')?.extent === 'sample' && sampleForLiveKeys === 'withheld';
  return isWithheld
    ? 'Live keys get 503, since no data of your own is loaded. Run domesday update; others can reach this service, so it does not serve the sample.'
    : null;
}

export async function readHealth(desk: PortalDesk) {
  const because = await notReadyBecause(desk);
  return told<Health>({
    status: because === null ? 'ready' : 'not ready',
    because,
    version: desk.version,
    release: desk.releases.live()?.id ?? null,
    ledger: desk.settings.databaseUrl === undefined ? 'embedded' : 'PostgreSQL',
    upSeconds: Math.round(process.uptime()),
    memoryBytes: process.memoryUsage.rss(),
    eventLoopDelayMs: eventLoopDelayMs(),
  });
}

export async function readRefusals({ requests, accounts }: PortalDesk, { atMs }: ByPerson) {
  const counts = await requests.refusalsOfDay();
  const names = new Map((await accounts.listAccounts(atMs)).map(({ accountId, name }) => [accountId, name]));
  const refusals = counts.map(
    (count): RefusalRow => ({
      ...count,
      accountName: count.accountId === null ? null : (names.get(count.accountId) ?? null),
    }),
  );
  return told({ refusals });
}

/** Only of accounts that the operator's list has, and of those that made a call or got credits. */
export async function totalsOf({ accounts }: PortalDesk, month: string, atMs: number) {
  const known = new Map((await accounts.listAccounts(atMs)).map((account) => [account.accountId, account]));
  const totals = await accounts.monthTotals(month);
  return totals.filter(isCustomer).flatMap(({ accountId, ...sums }): readonly MonthTotalRow[] => {
    const account = known.get(accountId);
    const isIdle = Object.values(sums).every((sum) => sum === 0);
    return account === undefined || isIdle
      ? []
      : [{ accountId, name: account.name, plan: account.plan, ...sums }];
  });
}

/** From the first account's on. */
async function monthsOf({ accounts }: PortalDesk, atMs: number): Promise<readonly string[]> {
  const begun = (await accounts.listAccounts(atMs)).map(({ createdAtMs }) => createdAtMs);
  const first = new Date(Math.min(atMs, ...begun.slice(0, 1)));
  const months: string[] = [];
  for (
    let at = Date.UTC(first.getUTCFullYear(), first.getUTCMonth());
    at <= atMs;
    at = Date.UTC(new Date(at).getUTCFullYear(), new Date(at).getUTCMonth() + 1)
  ) {
    months.push(new Date(at).toISOString().slice(0, 7));
  }
  return months;
}

export async function readTotals(desk: PortalDesk, { atMs }: ByPerson, month: string) {
  return told({ rows: await totalsOf(desk, month, atMs), months: await monthsOf(desk, atMs) });
}
