// A reply of the API as it came, for pages that show it whole.

import type { ApiRefusal } from './refusal.ts';
import { requestApi } from './request.ts';

export type WholeReply = {
  readonly kind: 'answered';
  readonly status: number;
  /** Such as `OK`; empty where the connection does not carry it. */
  readonly statusText: string;
  readonly milliseconds: number;
  readonly requestId: string | null;
  readonly body: string;
  /** Undefined where the answer does not say, such as a refusal. */
  readonly charged: number | undefined;
  readonly remaining: number | undefined;
};

export function wholeReplyOf(target: string, key: string): Promise<WholeReply | ApiRefusal> {
  const startedMs = performance.now();
  return requestApi(target, key, async (response): Promise<WholeReply> => {
    const body: unknown = await response.json();
    return {
      kind: 'answered',
      status: response.status,
      statusText: response.statusText,
      milliseconds: performance.now() - startedMs,
      requestId: response.headers.get('x-request-id'),
      body: JSON.stringify(body, null, 2),
      charged: billed(body, 'creditsCharged'),
      remaining: billed(body, 'creditsRemaining'),
    };
  });
}

function billed(body: unknown, name: string): number | undefined {
  if (typeof body !== 'object' || body === null || !('billing' in body)) return undefined;
  const { billing } = body;
  if (typeof billing !== 'object' || billing === null) return undefined;
  const value: unknown = Reflect.get(billing, name);
  return typeof value === 'number' ? value : undefined;
}
