// Answers of the service as the state of a component: asked when it appears and when the question changes.

import { useCallback, useLayoutEffect, useState } from 'preact/hooks';
import type { RouteName } from '../src/portal/routes.ts';
import { type Answer, ask, type Refusal, type Told, type Wish } from './ask.ts';

export type Asked<R extends RouteName> = (
  | { readonly kind: 'loading' }
  | { readonly kind: 'told'; readonly told: Told<R> }
  | Refusal
) & {
  /** Asks again; what was told stays in sight meanwhile. */
  readonly again: () => Promise<void>;
};

export function useAsk<R extends RouteName>(route: R, wish: Wish<R>): Asked<R> {
  return useAnswer<R>(JSON.stringify([route, wish]), (signal) => ask(route, wish, signal));
}

/** Two questions are the same where they read the same: `question` has all that `asking` depends on. */
export function useAnswer<R extends RouteName>(
  question: string,
  asking: (signal?: AbortSignal) => Promise<Answer<R>>,
): Asked<R> {
  type Known = { readonly question: string; readonly answer: Answer<R> };
  const [known, setKnown] = useState<Known | undefined>(undefined);
  const put = useCallback(
    async (signal?: AbortSignal) => {
      const answer = await asking(signal);
      if (signal?.aborted !== true) setKnown({ question, answer });
    },
    [question],
  );
  // An effect would wait until a frame is painted.
  useLayoutEffect(() => {
    const aborter = new AbortController();
    void put(aborter.signal);
    return () => aborter.abort();
  }, [put]);
  const again = useCallback(() => put(), [put]);
  if (known === undefined || known.question !== question) return { kind: 'loading', again };
  return { ...known.answer, again };
}
