// An answer of the API as the state of a component. What was answered once is kept while the document lives: going back to a
// place spends nothing again.

import { useCallback, useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import {
  type ApiAnswer,
  type ApiCall,
  type ApiOutcome,
  type ApiPath,
  callApi,
  targetOf,
} from '../api/call.ts';
import { callWithKey } from '../api/key.ts';
import { type Payer, usePayer } from './payer.ts';
import { limitSeconds, waitForLimit } from './refusals/limit.ts';

export type Called<Path extends ApiPath> = ({ readonly kind: 'loading' } | ApiOutcome<Path>) & {
  readonly call: ApiCall<Path>;
  /** Asks again after a refusal. */
  readonly again: () => Promise<void>;
};

export function useCall<Path extends ApiPath>(path: Path, params: ApiCall['params']): Called<Path> {
  const payer = usePayer();
  const call: ApiCall<Path> = { path, params };
  const question = `${payer.purse} ${targetOf(call)}`;
  type Known = { readonly question: string; readonly outcome: ApiOutcome<Path> };
  const [known, setKnown] = useState<Known | undefined>(undefined);
  // The question has all of it. Asked before anything is drawn: the service answers meanwhile.
  const asking = useMemo(() => answerOf(call, question, payer), [question]);
  const put = useCallback(
    async (asked: Promise<ApiOutcome<Path>>, signal?: AbortSignal) => {
      const outcome = await asked;
      await turnAmong(isOfPage(outcome) ? waitingForAll : waiting);
      if (signal?.aborted !== true) setKnown({ question, outcome });
    },
    [question],
  );
  // An effect would wait until a frame is painted.
  useLayoutEffect(() => {
    const aborter = new AbortController();
    void put(asking, aborter.signal);
    return () => aborter.abort();
  }, [put]);
  const again = useCallback(() => put(answerOf(call, question, payer)), [put]);
  useEffect(() => {
    if (known?.question !== question || known.outcome.kind !== 'refused') return;
    const seconds = limitSeconds(known.outcome);
    return seconds === undefined ? undefined : waitForLimit(seconds, again);
  }, [known, question, again]);
  if (known === undefined || known.question !== question) return { kind: 'loading', call, again };
  return { ...known.outcome, call, again };
}

/** That there is no such postcode the whole page says, and not a panel that happens to know first. */
const isOfPage = (outcome: ApiOutcome<ApiPath>): boolean =>
  outcome.kind === 'refused' &&
  (outcome.code === 'POSTCODE_NOT_FOUND' || outcome.code === 'INVALID_POSTCODE');

const keptMost = 50;
/** By question; the same asked by two panels at once is one call. */
const kept: { [P in ApiPath]?: Map<string, Promise<ApiOutcome<P>>> } = {};

async function answerOf<Path extends ApiPath>(
  call: ApiCall<Path>,
  question: string,
  payer: Payer,
): Promise<ApiOutcome<Path>> {
  kept[call.path] ??= new Map();
  const ofPath = kept[call.path];
  const earlier = ofPath?.get(question);
  if (earlier !== undefined) return earlier;
  const asking = ask(call, payer);
  ofPath?.set(question, asking);
  for (const oldest of ofPath?.keys() ?? []) {
    if ((ofPath?.size ?? 0) <= keptMost) break;
    ofPath?.delete(oldest);
  }
  const outcome = await asking;
  // A refusal may be over the next time.
  if (outcome.kind === 'refused') ofPath?.delete(question);
  return outcome;
}

async function ask<Path extends ApiPath>(call: ApiCall<Path>, payer: Payer): Promise<ApiOutcome<Path>> {
  awaited += 1;
  try {
    return await callWithKey<ApiOutcome<Path>>(
      payer.key,
      (key) => callApi(call, key),
      (outcome) => outcome.kind === 'refused' && outcome.code === 'AUTHENTICATION_REQUIRED',
    );
  } finally {
    awaited -= 1;
  }
}

/** How long an answer waits for others that are on their way. */
const momentMs = 40;
/** How long a page waits for the first of them before it shows that it is loading. */
const quietMs = 120;
const waiting: (() => void)[] = [];
const waitingForAll: (() => void)[] = [];
let awaited = 0;
let moment: number | undefined;

/** Answers that come within a moment are drawn together: a picture of the page for each of them takes longer than all of it. */
function turnAmong(those: (() => void)[]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  those.push(resolve);
  if (awaited === 0) goOn();
  else moment ??= setTimeout(goOn, momentMs);
  return promise;
}

/** Whether the panels of a page are shown: once the first answers are drawn, or these take long. To lay out and paint panels that
 *  are loading would hold up answers that are near. */
export function useFirstAnswers(): 'awaited' | 'drawn' {
  const [state, setState] = useState<'awaited' | 'drawn'>('awaited');
  useLayoutEffect(() => {
    const show = () => setState('drawn');
    waiting.push(show);
    const timer = setTimeout(show, quietMs);
    return () => clearTimeout(timer);
  }, []);
  return state;
}

function goOn(): void {
  clearTimeout(moment);
  moment = undefined;
  for (const resolve of waiting.splice(0)) resolve();
  if (awaited === 0) for (const resolve of waitingForAll.splice(0)) resolve();
}

/** What was told, or undefined while there is nothing to show. */
export const toldOf = <Path extends ApiPath>(called: Called<Path>): ApiAnswer<Path>['told'] | undefined =>
  called.kind === 'answered' ? called.told : undefined;
