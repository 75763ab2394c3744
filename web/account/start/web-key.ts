// The key that a page calls the API with: 15 minutes, in the memory of this document alone, never stored or in a cookie.

import { ask, type Refusal } from '../../ask.ts';

type WebKey = { readonly accountId: string; readonly key: string; readonly expiresAtMs: number };

let kept: WebKey | undefined;
const spareMs = 30_000;

export async function webKeyOf(
  accountId: string,
): Promise<{ readonly kind: 'key'; readonly key: string } | Refusal> {
  if (kept?.accountId === accountId && kept.expiresAtMs - spareMs > Date.now())
    return { kind: 'key', key: kept.key };
  const answer = await ask('POST /portal/accounts/:accountId/web-key', { in: { accountId } });
  if (answer.kind === 'refused') return answer;
  kept = { accountId, ...answer.told };
  return { kind: 'key', key: answer.told.key };
}

/** One that the API no longer admits is of no use. */
export function forgetWebKey(): void {
  kept = undefined;
}
