// An answer of the API as the state of a component.

import { useCallback, useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import type { ApiAnswer, ApiCall, ApiOutcome, ApiPath } from '../../api/call.ts';
import { limitSeconds, waitForLimit } from '../refusals/limit.ts';
import { usePayer } from '../use-payer.ts';
import { askOnce, questionOf } from './ask-once.ts';
import { drawInTurn, drawWithAnswers, isAnyAwaited } from './turns.ts';

export type Called<Path extends ApiPath> = ({ readonly kind: 'loading' } | ApiOutcome<Path>) & {
  readonly call: ApiCall<Path>;
  /** Asks again after a refusal. */
  readonly again: () => Promise<void>;
};

export function useCall<Path extends ApiPath>(call: ApiCall<Path>): Called<Path> {
  const payer = usePayer();
  // The question has all of it. Asked before anything is drawn: the service answers meanwhile.
  const asked = useMemo(() => {
    const { answer, outcome } = askOnce(call, payer);
    const isInTurn = outcome === undefined || !isOfPage(outcome) || !isAnyAwaited();
    return { answer, atOnce: isInTurn ? outcome : undefined };
  }, [questionOf(call, payer)]);
  type Known = { readonly of: typeof asked; readonly outcome: ApiOutcome<Path> };
  const [known, setKnown] = useState<Known | undefined>(undefined);
  const outcome = known?.of === asked ? known.outcome : asked.atOnce;
  const put = useCallback(
    async (answer: Promise<ApiOutcome<Path>>, signal?: AbortSignal) => {
      const told = await answer;
      drawInTurn(isOfPage(told) ? 'last' : 'next', () => {
        if (signal?.aborted !== true) setKnown({ of: asked, outcome: told });
      });
    },
    [asked],
  );
  // An effect would wait until a frame is painted.
  useLayoutEffect(() => {
    if (asked.atOnce !== undefined) return;
    const aborter = new AbortController();
    void put(asked.answer, aborter.signal);
    return () => aborter.abort();
  }, [put]);
  const again = useCallback(() => put(askOnce(call, payer, outcome).answer), [put, outcome]);
  useEffect(() => {
    if (outcome?.kind !== 'refused') return;
    const seconds = limitSeconds(outcome);
    return seconds === undefined ? undefined : waitForLimit(seconds, again);
  }, [outcome, again]);
  if (outcome === undefined) return { kind: 'loading', call, again };
  return { ...outcome, call, again };
}

/** That there is no such postcode the whole page says, and not a panel that happens to know first. */
const isOfPage = (outcome: ApiOutcome<ApiPath>): boolean =>
  outcome.kind === 'refused' &&
  (outcome.code === 'POSTCODE_NOT_FOUND' || outcome.code === 'INVALID_POSTCODE');

/** How long a page waits for the first of them before it shows that it is loading. */
const quietMs = 120;

/** Whether the panels of a page are made: once the first answers are there, or these take long. Panels that are loading would hold
 *  up answers that are near. */
export function useFirstAnswers(): 'awaited' | 'there' {
  const [state, setState] = useState<'awaited' | 'there'>(() => (isAnyAwaited() ? 'awaited' : 'there'));
  useLayoutEffect(() => {
    if (state === 'there') return;
    const show = () => setState('there');
    drawWithAnswers(show);
    const timer = setTimeout(show, quietMs);
    return () => clearTimeout(timer);
  }, []);
  return state;
}

/** What was told, or undefined while there is nothing to show. */
export const toldOf = <Path extends ApiPath>(called: Called<Path>): ApiAnswer<Path>['told'] | undefined =>
  called.kind === 'answered' ? called.told : undefined;
