// What Prometheus reads at /metrics. Counting is a few additions to plain numbers, since every request pays for
// it; each thread counts for itself and the composition root adds the snapshots up.

import { outOfRange } from '../../columns/out-of-range.ts';
import type { Updates } from '../../contract/updates.ts';
import { type Laps, stages } from './laps.ts';

const bucketsSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5] as const;

type PathCounts = {
  /** By status. */
  readonly replies: Map<number, number>;
  /** Per bucket, not cumulative; the last one is +Inf. */
  readonly buckets: number[];
  secondsSum: number;
  credits: number;
};

/** Of all endpoints together, in the order of `stages`. */
type StageCounts = { readonly seconds: number[]; readonly calls: number[] };

/** One thread's figures; plain data, so that it can cross threads. */
export type MetricsSnapshot = {
  readonly paths: ReadonlyMap<string, PathCounts>;
  readonly stages: StageCounts;
  /** Calls by the public sandbox key. */
  readonly publicCalls: number;
  readonly faults: number;
  readonly release: string;
};

export class Metrics {
  readonly #paths = new Map<string, PathCounts>();
  readonly #stages = emptyStages();
  #publicCalls = 0;
  #faults = 0;
  #release = '';

  countReply(path: string, status: number, seconds: number, creditsCharged: number): void {
    let counts = this.#paths.get(path);
    if (counts === undefined) {
      counts = emptyCounts();
      this.#paths.set(path, counts);
    }
    counts.replies.set(status, (counts.replies.get(status) ?? 0) + 1);
    const within = bucketsSeconds.findIndex((bound) => seconds <= bound);
    addAt(counts.buckets, within === -1 ? bucketsSeconds.length : within, 1);
    counts.secondsSum += seconds;
    counts.credits += creditsCharged;
  }

  /** A stage that the call did not come to is not counted. */
  countStages({ ms }: Laps): void {
    for (let place = 0; place < ms.length; place += 1) {
      const stageMs = ms[place] ?? outOfRange();
      if (Number.isNaN(stageMs)) continue;
      addAt(this.#stages.seconds, place, stageMs / 1000);
      addAt(this.#stages.calls, place, 1);
    }
  }

  countPublicCall(): void {
    this.#publicCalls += 1;
  }

  countFault(): void {
    this.#faults += 1;
  }

  showRelease(id: string): void {
    this.#release = id;
  }

  snapshot(): MetricsSnapshot {
    return {
      paths: this.#paths,
      stages: this.#stages,
      publicCalls: this.#publicCalls,
      faults: this.#faults,
      release: this.#release,
    };
  }
}

export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8';

/** The figures of all threads in Prometheus's text format. */
export function renderMetrics(
  snapshots: readonly MetricsSnapshot[],
  residentBytes: number,
  updates: Updates,
): string {
  const paths = new Map<string, PathCounts>();
  for (const snapshot of snapshots) {
    for (const [path, counts] of snapshot.paths) {
      const sum = paths.get(path) ?? emptyCounts();
      add(sum, counts);
      paths.set(path, sum);
    }
  }
  const sum = emptyStages();
  for (const snapshot of snapshots) {
    for (const [place, seconds] of snapshot.stages.seconds.entries()) addAt(sum.seconds, place, seconds);
    for (const [place, calls] of snapshot.stages.calls.entries()) addAt(sum.calls, place, calls);
  }
  const publicCalls = snapshots.reduce((sum, snapshot) => sum + snapshot.publicCalls, 0);
  const faults = snapshots.reduce((sum, snapshot) => sum + snapshot.faults, 0);
  return [
    ...family('domesday_requests_total', 'counter', 'Replies by endpoint and status.', replyLines(paths)),
    ...family('domesday_request_seconds', 'histogram', 'Time to answer by endpoint.', timeLines(paths)),
    ...family('domesday_stage_seconds', 'summary', 'Time in each stage of a call.', stageLines(sum)),
    ...family(
      'domesday_credits_charged_total',
      'counter',
      'Credits charged by endpoint.',
      [...paths].map(
        ([path, { credits }]) => `domesday_credits_charged_total{endpoint="${path}"} ${credits}`,
      ),
    ),
    ...family('domesday_public_sandbox_requests_total', 'counter', 'Calls by the public sandbox key.', [
      `domesday_public_sandbox_requests_total ${publicCalls}`,
    ]),
    ...family('domesday_faults_total', 'counter', 'Requests that failed on our side.', [
      `domesday_faults_total ${faults}`,
    ]),
    ...family('domesday_resident_bytes', 'gauge', 'Resident memory of the whole process.', [
      `domesday_resident_bytes ${residentBytes}`,
    ]),
    ...family('domesday_release_info', 'gauge', 'The release now served.', [
      `domesday_release_info{release="${snapshots[0]?.release ?? ''}"} 1`,
    ]),
    ...updateFamilies(updates),
    '',
  ].join('\n');
}

/** Absent where there has been no run, or there will be none: 0 would be 1970. */
function updateFamilies({ publications, lastRun, nextRun }: Updates): string[] {
  const gauge = (name: string, help: string, instant: string | null | undefined) =>
    instant === null || instant === undefined
      ? []
      : family(name, 'gauge', help, [`${name} ${Date.parse(instant) / 1000}`]);
  return [
    ...gauge('domesday_update_last_run_seconds', 'When the last update of the data ended.', lastRun?.endedAt),
    ...gauge('domesday_update_next_run_seconds', 'When the service runs the next one.', nextRun),
    ...family(
      'domesday_update_failing_since_seconds',
      'gauge',
      'Publications that keep what they had, because theirs cannot be fetched or used.',
      publications.flatMap(({ dataset, publication, failingSince }) =>
        failingSince === null
          ? []
          : [
              `domesday_update_failing_since_seconds{dataset="${dataset}",publication="${publication}"} ${Date.parse(failingSince) / 1000}`,
            ],
      ),
    ),
  ];
}

const zeros = (length: number): number[] => Array.from({ length }, () => 0);

function emptyCounts(): PathCounts {
  return { replies: new Map(), buckets: zeros(bucketsSeconds.length + 1), secondsSum: 0, credits: 0 };
}

const emptyStages = (): StageCounts => ({ seconds: zeros(stages.length), calls: zeros(stages.length) });

function addAt(sums: number[], place: number, more: number): void {
  sums[place] = (sums[place] ?? outOfRange()) + more;
}

function add(sum: PathCounts, counts: PathCounts): void {
  for (const [status, count] of counts.replies)
    sum.replies.set(status, (sum.replies.get(status) ?? 0) + count);
  for (const [place, count] of counts.buckets.entries()) addAt(sum.buckets, place, count);
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

function stageLines({ seconds, calls }: StageCounts): string[] {
  return stages.flatMap((stage, place) => [
    `domesday_stage_seconds_sum{stage="${stage}"} ${seconds[place]}`,
    `domesday_stage_seconds_count{stage="${stage}"} ${calls[place]}`,
  ]);
}
