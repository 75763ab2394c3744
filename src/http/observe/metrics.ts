// What Prometheus reads at /metrics. Counting is a few additions to plain numbers, since every request pays for
// it; each thread counts for itself and the composition root adds the snapshots up.

const bucketsSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5] as const;

type PathCounts = {
  /** By status. */
  readonly replies: Map<number, number>;
  /** Per bucket, not cumulative; the last one is +Inf. */
  readonly buckets: number[];
  secondsSum: number;
  credits: number;
};

/** One thread's figures; plain data, so that it can cross threads. */
export type MetricsSnapshot = {
  readonly paths: ReadonlyMap<string, PathCounts>;
  readonly faults: number;
  readonly release: string;
};

export class Metrics {
  readonly #paths = new Map<string, PathCounts>();
  #faults = 0;
  #release = '';

  countReply(path: string, status: number, seconds: number, creditsCharged: number): void {
    let counts = this.#paths.get(path);
    if (counts === undefined) {
      counts = emptyCounts();
      this.#paths.set(path, counts);
    }
    counts.replies.set(status, (counts.replies.get(status) ?? 0) + 1);
    let bucket = 0;
    while (bucket < bucketsSeconds.length && seconds > (bucketsSeconds[bucket] ?? 0)) bucket += 1;
    counts.buckets[bucket] = (counts.buckets[bucket] ?? 0) + 1;
    counts.secondsSum += seconds;
    counts.credits += creditsCharged;
  }

  countFault(): void {
    this.#faults += 1;
  }

  showRelease(id: string): void {
    this.#release = id;
  }

  snapshot(): MetricsSnapshot {
    return { paths: this.#paths, faults: this.#faults, release: this.#release };
  }
}

export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8';

/** The figures of all threads in Prometheus's text format. */
export function renderMetrics(snapshots: readonly MetricsSnapshot[], residentBytes: number): string {
  const paths = new Map<string, PathCounts>();
  for (const snapshot of snapshots) {
    for (const [path, counts] of snapshot.paths) {
      const sum = paths.get(path) ?? emptyCounts();
      add(sum, counts);
      paths.set(path, sum);
    }
  }
  const faults = snapshots.reduce((sum, snapshot) => sum + snapshot.faults, 0);
  return [
    ...family('domesday_requests_total', 'counter', 'Replies by endpoint and status.', replyLines(paths)),
    ...family('domesday_request_seconds', 'histogram', 'Time to answer by endpoint.', timeLines(paths)),
    ...family(
      'domesday_credits_charged_total',
      'counter',
      'Credits charged by endpoint.',
      [...paths].map(
        ([path, { credits }]) => `domesday_credits_charged_total{endpoint="${path}"} ${credits}`,
      ),
    ),
    ...family('domesday_faults_total', 'counter', 'Requests that failed on our side.', [
      `domesday_faults_total ${faults}`,
    ]),
    ...family('domesday_resident_bytes', 'gauge', 'Resident memory of the whole process.', [
      `domesday_resident_bytes ${residentBytes}`,
    ]),
    ...family('domesday_release_info', 'gauge', 'The release now served.', [
      `domesday_release_info{release="${snapshots[0]?.release ?? ''}"} 1`,
    ]),
    '',
  ].join('\n');
}

function emptyCounts(): PathCounts {
  const buckets = Array.from({ length: bucketsSeconds.length + 1 }, () => 0);
  return { replies: new Map(), buckets, secondsSum: 0, credits: 0 };
}

function add(sum: PathCounts, counts: PathCounts): void {
  for (const [status, count] of counts.replies)
    sum.replies.set(status, (sum.replies.get(status) ?? 0) + count);
  for (const [index, count] of counts.buckets.entries())
    sum.buckets[index] = (sum.buckets[index] ?? 0) + count;
  sum.secondsSum += counts.secondsSum;
  sum.credits += counts.credits;
}

function family(name: string, type: string, help: string, lines: readonly string[]): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines];
}

function replyLines(paths: ReadonlyMap<string, PathCounts>): string[] {
  return [...paths].flatMap(([path, { replies }]) =>
    [...replies].map(
      ([status, count]) => `domesday_requests_total{endpoint="${path}",status="${status}"} ${count}`,
    ),
  );
}

function timeLines(paths: ReadonlyMap<string, PathCounts>): string[] {
  return [...paths].flatMap(([path, { buckets, secondsSum }]) => {
    let cumulative = 0;
    const lines = buckets.map((count, index) => {
      cumulative += count;
      const bound = bucketsSeconds[index] ?? '+Inf';
      return `domesday_request_seconds_bucket{endpoint="${path}",le="${bound}"} ${cumulative}`;
    });
    return [
      ...lines,
      `domesday_request_seconds_sum{endpoint="${path}"} ${secondsSum}`,
      `domesday_request_seconds_count{endpoint="${path}"} ${cumulative}`,
    ];
  });
}
