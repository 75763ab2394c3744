// One call of the API from a page, and what came of it.

import type { Refusal } from '../../ask.ts';
import { forgetWebKey, webKeyOf } from './web-key.ts';

export type Outcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly milliseconds: number;
      readonly requestId: string | null;
      readonly body: string;
      /** Undefined where the answer does not say, such as a refusal. */
      readonly charged: number | undefined;
      readonly remaining: number | undefined;
    }
  | Refusal;

export async function callWithWebKey(path: string, accountId: string): Promise<Outcome> {
  const outcome = await callOnce(path, accountId);
  if (outcome.kind === 'refused' || outcome.status !== 401) return outcome;
  // It ended with an earlier session; a refused call costs nothing.
  forgetWebKey();
  return callOnce(path, accountId);
}

async function callOnce(path: string, accountId: string): Promise<Outcome> {
  const made = await webKeyOf(accountId);
  return made.kind === 'refused' ? made : call(path, made.key);
}

export async function call(path: string, key: string): Promise<Outcome> {
  const startedMs = performance.now();
  try {
    // No cookie goes with it: what it spends, the key allows.
    const response = await fetch(path, { headers: { 'x-api-key': key }, credentials: 'omit' });
    const body: unknown = await response.json();
    return {
      kind: 'answered',
      status: response.status,
      milliseconds: performance.now() - startedMs,
      requestId: response.headers.get('x-request-id'),
      body: JSON.stringify(body, null, 2),
      charged: billed(body, 'creditsCharged'),
      remaining: billed(body, 'creditsRemaining'),
    };
  } catch (fault) {
    if (fault instanceof TypeError || fault instanceof SyntaxError) return unanswered;
    throw fault;
  }
}

const unanswered: Refusal = {
  kind: 'refused',
  code: 'UNREACHABLE',
  message: 'The service did not answer the call. Look at your connection, then try again.',
};

function billed(body: unknown, name: string): number | undefined {
  if (typeof body !== 'object' || body === null || !('billing' in body)) return undefined;
  const { billing } = body;
  if (typeof billing !== 'object' || billing === null) return undefined;
  const value: unknown = Reflect.get(billing, name);
  return typeof value === 'number' ? value : undefined;
}
