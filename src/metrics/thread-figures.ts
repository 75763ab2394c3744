// What every thread of the service tells of itself: how late its event loop is, its pauses for garbage, its memory.

import { constants, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { Metrics } from './metrics.ts';

const lookEveryMs = 100;

const kinds: ReadonlyMap<unknown, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weak callbacks'],
]);

/** Returns what ends it. */
export function watchThread(metrics: Metrics): () => void {
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
