// Answers of the API, each asked for once while the document lives: going back to a place spends nothing again, and what several
// panels ask is one call.

import {
  type ApiCall,
  type ApiOutcome,
  type ApiPath,
  callApi,
  callBatch,
  outcomeOf,
  targetOf,
} from '../../api/call.ts';
import { callWithKey } from '../../api/key.ts';
import type { ApiRefusal } from '../../api/refusal.ts';
import type { Payer } from '../payer.ts';

export type KeptAnswer<Path extends ApiPath> = {
  readonly call: ApiCall<Path>;
  /** Undefined until the first answer is there; while it is asked again, the last one. */
  outcome: ApiOutcome<Path> | undefined;
  asking: Promise<void> | undefined;
  /** Called when the outcome has changed. */
  readonly watchers: Set<() => void>;
};

/** Calls with the same have the same answer. */
export const questionOf = (call: ApiCall, { purse }: Payer): string => `${purse} ${targetOf(call)}`;

const keptMost = 50;
/** By question. */
const answers: { [P in ApiPath]?: Map<string, KeptAnswer<P>> } = {};

function keptAnswer<Path extends ApiPath>(call: ApiCall<Path>, payer: Payer): KeptAnswer<Path> {
  answers[call.path] ??= new Map();
  const ofPath = answers[call.path];
  const question = questionOf(call, payer);
  const earlier = ofPath?.get(question);
  if (earlier !== undefined) return earlier;
  const kept: KeptAnswer<Path> = { call, outcome: undefined, asking: undefined, watchers: new Set() };
  ofPath?.set(question, kept);
  for (const [oldest, { watchers }] of ofPath ?? []) {
    if ((ofPath?.size ?? 0) <= keptMost) break;
    if (watchers.size === 0) ofPath?.delete(oldest);
  }
  return kept;
}

/** A refusal may be over when somebody comes back to it; whoever still shows it asks again by a button. */
const isToBeAsked = ({ outcome, asking, watchers }: KeptAnswer<ApiPath>): boolean =>
  asking === undefined && (outcome === undefined || (outcome.kind === 'refused' && watchers.size === 0));

/** Asked now, unless the answer is known or on its way. */
export function askOnce<Path extends ApiPath>(call: ApiCall<Path>, payer: Payer): KeptAnswer<Path> {
  const kept = keptAnswer(call, payer);
  if (isToBeAsked(kept)) void askAgain(kept, payer);
  return kept;
}

/** In place of an outcome that is known. */
export function askAgain<Path extends ApiPath>(kept: KeptAnswer<Path>, payer: Payer): Promise<void> {
  kept.asking ??= callWithKey<ApiOutcome<Path>>(
    payer.key,
    (key) => callApi(kept.call, key),
    isKeyRefused,
  ).then((outcome) => put(kept, outcome));
  return kept.asking;
}

function put<Path extends ApiPath>(kept: KeptAnswer<Path>, outcome: ApiOutcome<Path>): void {
  kept.outcome = outcome;
  kept.asking = undefined;
  for (const watcher of kept.watchers) watcher();
}

const isKeyRefused = (outcome: { readonly kind: string; readonly code?: string }): boolean =>
  outcome.kind === 'refused' && outcome.code === 'AUTHENTICATION_REQUIRED';

/** Asks for those of the calls that are not known, in one request. `refused` where that was refused as a whole: then none of them has
 *  an outcome, and asking again is up to the page. */
export function askTogether(calls: readonly ApiCall[], payer: Payer): Together {
  const all = calls.map((call) => keptAnswer<ApiPath>(call, payer));
  const unknown = all.filter(isToBeAsked);
  const asking = unknown.length === 0 ? undefined : askBatch(unknown, payer);
  for (const kept of unknown) kept.asking = asking?.then(() => undefined);
  return { all, asking };
}

type Together = {
  readonly all: readonly KeptAnswer<ApiPath>[];
  /** Undefined where nothing had to be asked. */
  readonly asking: Promise<ApiRefusal | undefined> | undefined;
};

async function askBatch(
  unknown: readonly KeptAnswer<ApiPath>[],
  payer: Payer,
): Promise<ApiRefusal | undefined> {
  const calls = unknown.map(({ call }) => call);
  const reply = await callWithKey<Awaited<ReturnType<typeof callBatch>>>(
    payer.key,
    (key) => callBatch(calls, key),
    isKeyRefused,
  );
  if (reply.kind === 'refused') {
    for (const kept of unknown) kept.asking = undefined;
    return reply;
  }
  for (const [place, kept] of unknown.entries()) {
    const own = reply.replies[place];
    if (own !== undefined) put(kept, outcomeOf(own));
  }
  return undefined;
}
