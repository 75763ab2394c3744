// What is counted of every request. The counters of an endpoint are found once and kept: to look them up by their labels
// each time would cost more than counting.

import type { Counter, Histogram, Metrics } from '../../metrics/metrics.ts';
import { defined } from '../../out-of-range.ts';
import type { AnsweredCall } from '../../requests/notes.ts';
import { type Laps, stages } from './laps.ts';

type EndpointFigures = {
  readonly replies: Map<number, Counter>;
  readonly seconds: Histogram;
  readonly credits: Counter;
};

export class RequestFigures {
  readonly #metrics: Metrics;
  readonly #endpoints = new Map<string, EndpointFigures>();
  /** In the order of `stages`. */
  readonly #stages: readonly Histogram[];
  readonly publicCalls: Counter;
  readonly faults: Counter;
  /** Look-ups whose answer was still in memory, and others. */
  readonly answers: { readonly hit: Counter; readonly miss: Counter };

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
    this.#stages = stages.map((stage) => metrics.histogram('domesday_stage_seconds', { stage }));
    this.publicCalls = metrics.counter('domesday_public_sandbox_requests_total');
    this.faults = metrics.counter('domesday_faults_total');
    this.answers = {
      hit: metrics.counter('domesday_answer_cache_total', { result: 'hit' }),
      miss: metrics.counter('domesday_answer_cache_total', { result: 'miss' }),
    };
  }

  /** `endpoint` is one of the contract's paths, or `other`. */
  countReply(endpoint: string, status: number, seconds: number, creditsCharged: number): void {
    this.#count(endpoint, status, creditsCharged).seconds.observe(seconds);
  }

  /** Each under its own endpoint; how long a batch took is its own figure. */
  countCalls(calls: readonly AnsweredCall[]): void {
    for (const { endpoint, status, creditsCharged } of calls) this.#count(endpoint, status, creditsCharged);
  }

  #count(endpoint: string, status: number, creditsCharged: number): EndpointFigures {
    const figures = this.#endpoints.get(endpoint) ?? this.#open(endpoint);
    const { replies, credits } = figures;
    (replies.get(status) ?? this.#openStatus(endpoint, status, replies)).add(1);
    credits.add(creditsCharged);
    return figures;
  }

  /** A stage that the call did not come to is not counted. */
  countStages({ ms }: Laps): void {
    for (let place = 0; place < ms.length; place += 1) {
      const stageMs = defined(ms[place]);
      if (!Number.isNaN(stageMs)) defined(this.#stages[place]).observe(stageMs / 1000);
    }
  }

  #open(endpoint: string): EndpointFigures {
    const made = {
      replies: new Map<number, Counter>(),
      seconds: this.#metrics.histogram('domesday_request_seconds', { endpoint }),
      credits: this.#metrics.counter('domesday_credits_charged_total', { endpoint }),
    };
    this.#endpoints.set(endpoint, made);
    return made;
  }

  #openStatus(endpoint: string, status: number, replies: Map<number, Counter>): Counter {
    const made = this.#metrics.counter('domesday_requests_total', { endpoint, status: String(status) });
    replies.set(status, made);
    return made;
  }
}
