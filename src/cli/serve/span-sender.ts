// Sends traces to a collector, in batches and beside the requests: what is kept is bounded, what cannot be sent is dropped
// and counted, and whatever the collector does, no request waits for it or fails by it.

import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Settings } from '../../config.ts';
import { errorCode } from '../../errno.ts';
import type { Log } from '../../http/observe/log.ts';
import { otlpText, type Resource, spansIn } from '../../http/observe/tracing/otlp.ts';
import { type TracedRequest, Tracer } from '../../http/observe/tracing/tracer.ts';
import type { Counter, Metrics } from '../../metrics/metrics.ts';
import { readTextUpTo } from '../../upstream/bounded-text.ts';
import { version } from '../version.ts';

/** Requests that wait to be sent; further ones are dropped. */
const waitingMost = 2_048;
/** With all their stages 256 spans, which are 66 kB: writing more at a time would hold up the event loop (128 took 9 ms on a busy
 *  machine). */
const batchMost = 32;
const triesMost = 3;
const replyBytesMost = 65_536;

/** Tests have shorter ones. */
export type SenderPatience = {
  /** How long the first of a batch waits for others. */
  readonly gatherMs: number;
  /** For the answer to one batch. */
  readonly answerMs: number;
  /** Before a batch is sent again; twice as long the next time. */
  readonly againMs: number;
  /** The longest wait that a collector can ask for. */
  readonly againMostMs: number;
  /** What is left when the service stops. */
  readonly closeMs: number;
};

const senderPatience: SenderPatience = {
  gatherMs: 1_000,
  answerMs: 10_000,
  againMs: 1_000,
  againMostMs: 30_000,
  closeMs: 3_000,
};

type Delivery =
  | { readonly kind: 'taken'; readonly refusedSpans: number }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'away'; readonly why: string; readonly waitMs: number };

export type Traces = { readonly tracer: Tracer; readonly close: () => Promise<void> };

/** Undefined where no collector is set. */
export function openTraces(
  settings: Settings,
  metrics: Metrics,
  log: Log,
  patience: SenderPatience = senderPatience,
): Traces | undefined {
  const { otlpEndpoint, otlpTracesEndpoint, otlpHeaders = new Map<string, string>() } = settings;
  const address =
    otlpTracesEndpoint ??
    (otlpEndpoint === undefined ? undefined : `${otlpEndpoint.replace(/\/+$/, '')}/v1/traces`);
  if (address === undefined) return undefined;
  const attributes = new Map([
    ['service.version', version],
    ...(settings.otelResourceAttributes ?? []),
    ['service.name', settings.otelServiceName],
  ]);
  const sender = new SpanSender(
    { address, headers: Object.fromEntries(otlpHeaders), patience, log },
    { attributes, version },
    metrics,
  );
  const tracer = new Tracer(settings, randomBytes, (request) => sender.add(request));
  return { tracer, close: () => sender.close() };
}

type Collector = {
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly patience: SenderPatience;
  readonly log: Log;
};

class SpanSender {
  readonly #collector: Collector;
  readonly #resource: Resource;
  readonly #sent: Counter;
  readonly #dropped: Counter;
  readonly #refused: Counter;
  #waiting: TracedRequest[] = [];
  #gathering: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #health: 'sound' | 'failing' = 'sound';
  /** Ends pauses when the service stops. */
  readonly #closing = new AbortController();
  /** Ends what is under way when that has taken too long. */
  readonly #over = new AbortController();

  constructor(collector: Collector, resource: Resource, metrics: Metrics) {
    this.#collector = collector;
    this.#resource = resource;
    this.#sent = metrics.counter('domesday_trace_spans_total', { result: 'sent' });
    this.#dropped = metrics.counter('domesday_trace_spans_total', { result: 'dropped' });
    this.#refused = metrics.counter('domesday_trace_spans_total', { result: 'refused' });
  }

  add(request: TracedRequest): void {
    if (this.#waiting.length >= waitingMost || this.#closing.signal.aborted) {
      this.#dropped.add(spansIn(request));
      return;
    }
    this.#waiting.push(request);
    if (this.#sending !== undefined) return;
    if (this.#waiting.length >= batchMost) this.#begin();
    else this.#gathering ??= setTimeout(() => this.#begin(), this.#collector.patience.gatherMs).unref();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const late = setTimeout(() => this.#over.abort(), this.#collector.patience.closeMs);
    if (this.#sending === undefined) this.#begin();
    await this.#sending;
    clearTimeout(late);
  }

  #begin(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    this.#sending = this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    // Never within the turn of the event loop in which a request is answered.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) await this.#sendBatch(this.#waiting.splice(0, batchMost));
    // In the same step in which nothing was left: what comes next finds nobody sending, and begins anew.
    this.#sending = undefined;
  }

  async #sendBatch(batch: readonly TracedRequest[]): Promise<void> {
    const spans = batch.reduce((count, request) => count + spansIn(request), 0);
    const body = otlpText(this.#resource, batch, randomBytes);
    for (let attempt = 1; ; attempt += 1) {
      const delivery = await this.#deliver(body, attempt);
      if (delivery.kind === 'taken') {
        const refused = Math.min(delivery.refusedSpans, spans);
        this.#sent.add(spans - refused);
        this.#refused.add(refused);
        if (refused > 0) this.#fail(`${refused} spans were refused`);
        else this.#recover();
        return;
      }
      this.#fail(delivery.why);
      if (delivery.kind === 'refused') {
        this.#refused.add(spans);
        return;
      }
      if (attempt === triesMost || !(await this.#mayTryAgain(delivery.waitMs))) {
        this.#dropped.add(spans);
        return;
      }
    }
  }

  /** A service that stops tries nothing twice. */
  async #mayTryAgain(waitMs: number): Promise<boolean> {
    try {
      await pause(waitMs, undefined, { ref: false, signal: this.#closing.signal });
      return true;
    } catch {
      return false;
    }
  }

  async #deliver(body: string, attempt: number): Promise<Delivery> {
    const { address, headers, patience } = this.#collector;
    const { answerMs, againMs, againMostMs } = patience;
    const waitMs = Math.min(againMs * 2 ** (attempt - 1), againMostMs);
    try {
      const response = await fetch(address, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([AbortSignal.timeout(answerMs), this.#over.signal]),
      });
      const { status } = response;
      if (response.ok) return { kind: 'taken', refusedSpans: await refusedIn(response) };
      await response.body?.cancel();
      if (!passing.has(status)) return { kind: 'refused', why: `it answered ${status}` };
      const asked = Number(response.headers.get('retry-after') ?? '') * 1000;
      const wanted = Number.isFinite(asked) && asked > 0 ? asked : waitMs;
      return { kind: 'away', why: `it answered ${status}`, waitMs: Math.min(wanted, againMostMs) };
    } catch (error) {
      return { kind: 'away', why: reasonOf(error), waitMs };
    }
  }

  #fail(why: string): void {
    if (this.#health === 'failing') return;
    this.#health = 'failing';
    const { host } = new URL(this.#collector.address);
    this.#collector.log.warn(
      `traces cannot be sent to ${host}: ${why}. Requests go on; spans are dropped and counted. Look at the collector, or unset OTEL_EXPORTER_OTLP_ENDPOINT.`,
    );
  }

  #recover(): void {
    if (this.#health === 'sound') return;
    this.#health = 'sound';
    this.#collector.log.info('traces are sent again');
  }
}

/** After these the same batch may be taken later, as the protocol has it. */
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** A collector may take a part: `{"partialSuccess":{"rejectedSpans":"3"}}`. What else it says means that it took all. */
async function refusedIn(response: Response): Promise<number> {
  try {
    const text = await readTextUpTo(replyBytesMost, response);
    const count = Number(/"rejectedSpans"\s*:\s*"?(\d{1,9})/.exec(text)?.[1] ?? 0);
    return count;
  } catch {
    return 0;
  }
}

/** Without the address, which may hold what is nobody's business. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'it did not answer in time';
  return errorCode(error instanceof Error ? error.cause : undefined) ?? 'it cannot be reached';
}
