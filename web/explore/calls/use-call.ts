// Answers of the API as the state of a component: of one call, and of all that a page needs at once.

import { useCallback, useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import type { ApiAnswer, ApiCall, ApiOutcome, ApiPath } from '../../api/call.ts';
import type { ApiRefusal } from '../../api/refusal.ts';
import { usePayer } from '../payer.ts';
import { limitSeconds, waitForLimit } from '../refusals/limit.ts';
import { askAgain, askOnce, askTogether, type KeptAnswer, questionOf } from './kept-answers.ts';

type Again = {
  /** Asks again after a refusal. */
  readonly again: () => Promise<void>;
};

export type Called<Path extends ApiPath> = ({ readonly kind: 'loading' } | ApiOutcome<Path>) &
  Again & { readonly call: ApiCall<Path> };

export function useCall<Path extends ApiPath>(call: ApiCall<Path>): Called<Path> {
  const payer = usePayer();
  // The question has all of it. Asked before anything is drawn: the service answers meanwhile.
  const kept = useMemo(() => askOnce(call, payer), [questionOf(call, payer)]);
  useChanges([kept]);
  const again = useCallback(() => askAgain(kept, payer), [kept]);
  const { outcome } = kept;
  useLimit(outcome, again);
  return { ...(outcome ?? { kind: 'loading' }), call, again };
}

/** `answered`: each of them by itself, be it with a refusal. `refused`: all of them, in one. */
export type CalledTogether = ({ readonly kind: 'loading' } | { readonly kind: 'answered' } | ApiRefusal) &
  Again;

/** The calls that a page needs at once, in one request. Components below it that ask one of them share its answer. */
export function useCallsTogether(calls: readonly ApiCall[]): CalledTogether {
  const payer = usePayer();
  const questions = calls.map((call) => questionOf(call, payer)).join('\n');
  const { all, asking } = useMemo(() => askTogether(calls, payer), [questions]);
  useChanges(all);
  const [refused, setRefused] = useState<{ readonly all: typeof all; readonly refusal: ApiRefusal }>();
  const put = useCallback(
    async (next: typeof asking) => {
      const refusal = await next;
      setRefused(refusal && { all, refusal });
    },
    [all],
  );
  useLayoutEffect(() => void put(asking), [put]);
  const again = useCallback(() => put(askTogether(calls, payer).asking), [put]);
  const refusal = refused?.all === all ? refused.refusal : undefined;
  useLimit(refusal, again);
  if (refusal !== undefined) return { ...refusal, again };
  const isThere = all.every(({ outcome }) => outcome !== undefined);
  return isThere ? { kind: 'answered', again } : { kind: 'loading', again };
}

/** Draws again when one of them has changed. */
function useChanges(all: readonly KeptAnswer<ApiPath>[]): void {
  const [, setSeen] = useState({});
  // An effect would wait until a frame is painted.
  useLayoutEffect(() => {
    const watcher = () => setSeen({});
    for (const { watchers } of all) watchers.add(watcher);
    return () => {
      for (const { watchers } of all) watchers.delete(watcher);
    };
  }, [...all]);
}

/** What was refused because of a limit is asked again when that is over. */
function useLimit(outcome: ApiOutcome<ApiPath> | undefined, again: () => Promise<void>): void {
  useEffect(() => {
    if (outcome?.kind !== 'refused') return;
    const seconds = limitSeconds(outcome);
    return seconds === undefined ? undefined : waitForLimit(seconds, again);
  }, [outcome, again]);
}

/** What was told, or undefined while there is nothing to show. */
export const toldOf = <Path extends ApiPath>(called: Called<Path>): ApiAnswer<Path>['told'] | undefined =>
  called.kind === 'answered' ? called.told : undefined;
