// Figures of the whole service, read when somebody asks for the metrics: whether it is ready, what it serves and how old
// that is, how updates went, what the process takes and how late it is.

import { statfs } from 'node:fs/promises';
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import type { Replica } from '../../contract/replica.ts';
import type { Updates } from '../../contract/updates.ts';
import { type Ledger, LedgerUnavailable } from '../../ledger/ledger.ts';
import type { Metrics, SetGauge } from '../../metrics/metrics.ts';
import type { Release } from '../../release/reader.ts';
import { readNumber } from '../../storage/rows.ts';
import { DatabaseUnavailable, type Sql } from '../../storage/sql.ts';
import { version } from '../version.ts';
import type { WatchedRelease } from './watch-release.ts';

type Observed = {
  readonly home: string;
  readonly ledger: Pick<Ledger, 'ready'>;
  readonly database: Sql;
  readonly watched: () => WatchedRelease;
  readonly updates: () => Updates;
  readonly replica: () => Replica | undefined;
  readonly now: () => number;
};

/** Whoever collects metrics waits some seconds for all of them; a ledger that takes longer is not ready. */
const readyWithinMs = 2_000;

export function observeService(metrics: Metrics, observed: Observed): void {
  const { home, ledger, database, watched, updates, replica, now } = observed;
  metrics.onRead(async (set) => set('domesday_ready', (await isReady(ledger)) ? 1 : 0));
  metrics.onRead((set) => setBackup(set, database));
  metrics.onRead((set) => {
    const { served, current } = watched();
    if (served !== undefined) setRelease(set, served, now());
    set('domesday_release_refused', current === 'refused' ? 1 : 0);
  });
  metrics.onRead((set) => setUpdates(set, updates()));
  metrics.onRead((set) => setReplica(set, replica()));
  metrics.onRead(async (set) => {
    const { bavail, bsize, blocks } = await statfs(home);
    set('domesday_home_free_bytes', bavail * bsize);
    set('domesday_home_size_bytes', blocks * bsize);
  });
  const processor = metrics.counter('process_cpu_seconds_total');
  metrics.onRead((set) => {
    const { user, system } = process.cpuUsage();
    processor.value = (user + system) / 1e6;
    set('process_resident_memory_bytes', process.memoryUsage.rss());
    set('process_start_time_seconds', performance.timeOrigin / 1000);
    set('domesday_build_info', 1, { version, node: process.versions.node });
  });
}

async function isReady(ledger: Pick<Ledger, 'ready'>): Promise<boolean> {
  const late = new AbortController();
  try {
    const waiting = setTimeout(readyWithinMs, false, { ref: false, signal: late.signal });
    // Once it is known, nobody waits for the other.
    waiting.catch(() => undefined);
    return await Promise.race([ledger.ready().then(() => true), waiting]);
  } catch (error) {
    if (error instanceof LedgerUnavailable) return false;
    throw error;
  } finally {
    late.abort();
  }
}

/** 0 where there was none; not told where the ledger is out. */
async function setBackup(set: SetGauge, database: Sql): Promise<void> {
  try {
    const [row] = await database.all('SELECT COALESCE(backed_up_at, 0) AS last_ms FROM identity');
    set('domesday_last_backup_timestamp_seconds', readNumber(row, 'last_ms') / 1000);
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
  }
}

const secondsOf = (instant: string): number => Date.parse(instant) / 1000;

function setRelease(set: SetGauge, { id, manifest, datasets, unreadable }: Release, nowMs: number): void {
  set('domesday_release_info', 1, { release: id });
  set('domesday_release_created_timestamp_seconds', secondsOf(manifest.createdAt));
  for (const { name: dataset, edition, extent, asOf, loadedAt } of datasets) {
    set('domesday_dataset_info', 1, { dataset, edition, extent });
    set('domesday_dataset_age_seconds', nowMs / 1000 - secondsOf(asOf), { dataset });
    set('domesday_dataset_loaded_timestamp_seconds', secondsOf(loadedAt), { dataset });
  }
  for (const { dataset } of unreadable) set('domesday_dataset_unreadable', 1, { dataset: dataset.name });
}

/** Absent where there has been no run, or there will be none: 0 would be 1970. */
function setUpdates(set: SetGauge, { publications, lastRun, nextRun }: Updates): void {
  for (const { dataset, publication, lastChecked, lastChanged, failingSince } of publications) {
    const of = { dataset, publication };
    if (lastChecked !== null) set('domesday_update_checked_timestamp_seconds', secondsOf(lastChecked), of);
    if (lastChanged !== null) set('domesday_update_changed_timestamp_seconds', secondsOf(lastChanged), of);
    if (failingSince !== null)
      set('domesday_update_failing_since_timestamp_seconds', secondsOf(failingSince), of);
  }
  if (lastRun !== null) {
    set('domesday_update_last_run_timestamp_seconds', secondsOf(lastRun.endedAt));
    set('domesday_update_last_run_outcome', 1, { outcome: lastRun.outcome });
  }
  if (nextRun !== null) set('domesday_update_next_run_timestamp_seconds', secondsOf(nextRun));
}

/** Absent where nothing was taken yet, or nothing fails. */
function setReplica(set: SetGauge, replica: Replica | undefined): void {
  if (replica === undefined) return;
  const { sequence, publishedAt, takenAt, failingSince } = replica;
  if (sequence !== null) set('domesday_replica_sequence', sequence);
  if (publishedAt !== null) set('domesday_replica_published_timestamp_seconds', secondsOf(publishedAt));
  if (takenAt !== null) set('domesday_replica_taken_timestamp_seconds', secondsOf(takenAt));
  if (failingSince !== null) set('domesday_replica_failing_since_timestamp_seconds', secondsOf(failingSince));
}

const lookEveryMs = 100;

const kinds: ReadonlyMap<unknown, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weak callbacks'],
]);

/** How late the event loop is, its pauses for garbage, its memory. Returns what ends it. */
export function watchEventLoop(metrics: Metrics): () => void {
  const lag = metrics.histogram('domesday_event_loop_lag_seconds');
  let dueMs = performance.now() + lookEveryMs;
  const timer = setInterval(() => {
    const nowMs = performance.now();
    lag.observe(Math.max(0, nowMs - dueMs) / 1000);
    dueMs = nowMs + lookEveryMs;
  }, lookEveryMs);
  timer.unref();
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const kind = kinds.get(kindOf(entry));
      if (kind !== undefined)
        metrics.histogram('domesday_gc_seconds', { kind }).observe(entry.duration / 1000);
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  metrics.onRead((set) => {
    const { used_heap_size, heap_size_limit } = getHeapStatistics();
    set('domesday_heap_used_bytes', used_heap_size);
    set('domesday_heap_limit_bytes', heap_size_limit);
  });
  return () => {
    clearInterval(timer);
    observer.disconnect();
  };
}

/** Node's own entries have more than the type says. */
function kindOf(entry: object): unknown {
  const detail: unknown = 'detail' in entry ? entry.detail : undefined;
  return typeof detail === 'object' && detail !== null && 'kind' in detail ? detail.kind : undefined;
}
