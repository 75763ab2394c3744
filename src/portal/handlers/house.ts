// How the service itself is: its data, its health, what it refused, and what all accounts used in a month.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { LedgerUnavailable } from '../../ledger/ledger.ts';
import { isCustomer } from '../../ledger/public-sandbox.ts';
import { isOld } from '../../release/age.ts';
import type { PortalDesk } from '../desk.ts';
import { type ByPerson, told } from '../route.ts';
import type { DatasetAge, Health, MonthTotalRow, RefusalRow } from '../views.ts';

export async function readData(
  { releases, updates, publications: fetchable }: PortalDesk,
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
  });
}

/** Of this thread, since somebody last looked; begun by the first look. */
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

async function notReadyBecause({ ledger, releases }: PortalDesk): Promise<string | null> {
  try {
    await ledger.ready();
  } catch (fault) {
    if (!(fault instanceof LedgerUnavailable)) throw fault;
    return 'The service cannot use the ledger; the log says why.';
  }
  return releases.live() === undefined ? 'The first release is not here yet.' : null;
}

export async function readHealth(desk: PortalDesk) {
  const because = await notReadyBecause(desk);
  return told<Health>({
    status: because === null ? 'ready' : 'not ready',
    because,
    version: desk.version,
    release: desk.releases.live()?.id ?? null,
    ledger: desk.settings.databaseUrl === undefined ? 'embedded' : 'PostgreSQL',
    workers: desk.settings.workers,
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
