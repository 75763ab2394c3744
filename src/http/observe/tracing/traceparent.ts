// The header by which a caller says which trace its request belongs to: https://www.w3.org/TR/trace-context/.

export type TraceParent = {
  readonly traceId: string;
  readonly spanId: string;
  readonly sampled: 'yes' | 'no';
};

/** Later versions may have more behind the flags; version 00 has not. */
const form = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Undefined where there is none, or none that can be followed: the request then begins a trace of its own. */
export function parseTraceParent(header: string | readonly string[] | undefined): TraceParent | undefined {
  if (typeof header !== 'string') return undefined;
  const [, version, traceId, spanId, flags, more] = form.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (version === '00' && more !== undefined) return undefined;
  return { traceId, spanId, sampled: Number.parseInt(flags, 16) % 2 === 1 ? 'yes' : 'no' };
}
