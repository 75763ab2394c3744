// Requests as spans in OTLP/JSON: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding. One span for the request,
// one below it for each stage that it came to. Ids are hex, times are nanoseconds as text, enumerations are numbers.

import type { RandomBytes } from '../../../ledger/keys.ts';
import { defined } from '../../../out-of-range.ts';
import { stages } from '../laps.ts';
import type { TracedRequest } from './tracer.ts';

const kinds = { internal: 1, server: 2 } as const;
const statusError = 2;
/** Of `flags`: sampled; it is known whether the parent is of another service; it is. */
const flagsOf = { sampled: 0x001, knowsRemote: 0x100, isRemote: 0x200 } as const;

/** What every span of this process has in common. */
export type Resource = { readonly attributes: ReadonlyMap<string, string>; readonly version: string };

export const spansIn = ({ laps }: TracedRequest): number =>
  1 + (laps?.ms.filter((ms) => !Number.isNaN(ms)).length ?? 0);

export function otlpText(
  { attributes, version }: Resource,
  requests: readonly TracedRequest[],
  randomBytes: RandomBytes,
): string {
  const spans = requests.flatMap((request) => [requestSpan(request), ...stageSpans(request, randomBytes)]);
  const resource = { attributes: [...attributes].map(([key, text]) => attribute(key, text)) };
  return JSON.stringify({
    resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'domesday', version }, spans }] }],
  });
}

/** 64-bit numbers are text, as in all of Protocol Buffers' JSON. */
const attribute = (key: string, value: string | number) => ({
  key,
  value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
});

/** Whole microseconds are exact in a double; a nanosecond of our times means nothing. */
const nanosOf = (ms: number): string => `${Math.round(ms * 1000)}000`;

const startOf = ({ endedMs, seconds }: TracedRequest): number => endedMs - seconds * 1000;

function requestSpan(request: TracedRequest) {
  const { traceId, spanId, parent, method, route, status, endedMs, creditsCharged, calls } = request;
  const remote = parent === undefined ? 0 : flagsOf.isRemote;
  return {
    traceId,
    spanId,
    ...(parent === undefined ? {} : { parentSpanId: parent.spanId }),
    flags: flagsOf.sampled + flagsOf.knowsRemote + remote,
    name: route === undefined ? method : `${method} ${route}`,
    kind: kinds.server,
    startTimeUnixNano: nanosOf(startOf(request)),
    endTimeUnixNano: nanosOf(endedMs),
    attributes: [
      attribute('http.request.method', method),
      ...(route === undefined ? [] : [attribute('http.route', route)]),
      attribute('http.response.status_code', status),
      ...(calls === undefined ? [] : [attribute('domesday.calls', calls)]),
      ...(creditsCharged === 0 ? [] : [attribute('domesday.credits_charged', creditsCharged)]),
      ...(status < 500 ? [] : [attribute('error.type', String(status))]),
    ],
    ...(status < 500 ? {} : { status: { code: statusError } }),
  };
}

/** Each begins where the one before ended, the first where the request did. */
function stageSpans(request: TracedRequest, randomBytes: RandomBytes) {
  const { traceId, spanId, laps } = request;
  const ids = randomBytes(8 * stages.length).toHex();
  let fromMs = startOf(request);
  return stages.flatMap((stage, place) => {
    const ms = laps === undefined ? Number.NaN : defined(laps.ms[place]);
    if (Number.isNaN(ms)) return [];
    const span = {
      traceId,
      spanId: ids.slice(16 * place, 16 * (place + 1)),
      parentSpanId: spanId,
      flags: flagsOf.sampled + flagsOf.knowsRemote,
      name: stage,
      kind: kinds.internal,
      startTimeUnixNano: nanosOf(fromMs),
      endTimeUnixNano: nanosOf(fromMs + ms),
    };
    fromMs += ms;
    return [span];
  });
}
