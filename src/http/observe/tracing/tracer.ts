// Notes requests for traces, after their reply is written: which of them, and as part of which trace. What is noted is
// turned into spans only when it is sent.

import type { Settings } from '../../../config.ts';
import type { RandomBytes } from '../../../ledger/keys.ts';
import type { Laps } from '../laps.ts';
import { parseTraceParent, type TraceParent } from './traceparent.ts';

/** What a span may say of a request: nothing that a caller chose, but for the ids of its trace. */
type NotedRequest = {
  readonly method: string;
  /** The path as the router has it, never as it was asked for; undefined where there is nothing. */
  readonly route: string | undefined;
  readonly status: number;
  readonly seconds: number;
  /** By the clock on the wall. */
  readonly endedMs: number;
  readonly creditsCharged: number;
  /** How many calls a batch had; undefined for any other request. */
  readonly calls?: number | undefined;
  readonly laps: Laps | undefined;
};

export type TracedRequest = NotedRequest & {
  readonly traceId: string;
  readonly spanId: string;
  readonly parent: TraceParent | undefined;
};

type Sampling = Pick<Settings, 'tracesSampler' | 'tracesSamplerArg'>;

export class Tracer {
  readonly #sampling: Sampling;
  readonly #randomBytes: RandomBytes;
  readonly #keep: (request: TracedRequest) => void;

  constructor(sampling: Sampling, randomBytes: RandomBytes, keep: (request: TracedRequest) => void) {
    this.#sampling = sampling;
    this.#randomBytes = randomBytes;
    this.#keep = keep;
  }

  /** Returns the id of the trace, where one is kept. */
  note(traceparent: string | readonly string[] | undefined, request: NotedRequest): string | undefined {
    const parent = parseTraceParent(traceparent);
    const traceId = parent?.traceId ?? this.#randomBytes(16).toHex();
    if (!isSampled(this.#sampling, traceId, parent)) return undefined;
    this.#keep({ ...request, traceId, spanId: this.#randomBytes(8).toHex(), parent });
    return traceId;
  }
}

const digits = 13;

/** Every service that keeps the same part keeps the same traces. */
const isWithin = (traceId: string, ratio: number): boolean =>
  Number.parseInt(traceId.slice(-digits), 16) < ratio * 16 ** digits;

function isSampled(
  { tracesSampler, tracesSamplerArg }: Sampling,
  traceId: string,
  parent: TraceParent | undefined,
): boolean {
  if (parent !== undefined && tracesSampler.startsWith('parentbased_')) return parent.sampled === 'yes';
  switch (tracesSampler) {
    case 'always_on':
    case 'parentbased_always_on':
      return true;
    case 'always_off':
    case 'parentbased_always_off':
      return false;
    case 'traceidratio':
    case 'parentbased_traceidratio':
      return isWithin(traceId, tracesSamplerArg);
  }
}
