// The service answers so many calls in a while. What came too soon waits here: it is asked again by itself, and one notice at the
// top of the page says when.

import { useEffect, useState } from 'preact/hooks';
import type { ApiRefusal } from '../../api/refusal.ts';

type Waiting = { readonly untilMs: number; readonly again: () => Promise<void> };

const waiting = new Set<Waiting>();
const watchers = new Set<() => void>();
const tell = () => {
  for (const watcher of watchers) watcher();
};

/** Longer than that nobody watches a page. */
const patienceSeconds = 90;

/** How long to wait; undefined where a limit is not the reason. */
export const limitSeconds = ({ code, retryAfterSeconds }: ApiRefusal): number | undefined =>
  code === 'RATE_LIMITED' || code === 'TOO_MANY' ? retryAfterSeconds : undefined;

export const isLimited = (called: ApiRefusal | { readonly kind: 'loading' | 'answered' }): boolean =>
  called.kind === 'refused' && limitSeconds(called) !== undefined;

/** Until it is over or the returned function is called. */
export function waitForLimit(seconds: number, again: () => Promise<void>): () => void {
  const own = { untilMs: Date.now() + 1000 * seconds, again };
  const timer = seconds <= patienceSeconds ? setTimeout(() => void again(), 1000 * seconds) : undefined;
  waiting.add(own);
  tell();
  return () => {
    clearTimeout(timer);
    waiting.delete(own);
    tell();
  };
}

export const askAllAgain = async (): Promise<void> => {
  await Promise.all(Array.from(waiting, ({ again }) => again()));
};

type Limit = {
  readonly secondsLeft: number;
  readonly untilMs: number;
  readonly ends: 'soon' | 'later';
};

/** When the last of what waits is asked again; undefined where nothing does. */
export function useLimit(): Limit | undefined {
  const [, setSeen] = useState({});
  const isWaiting = waiting.size > 0;
  useEffect(() => {
    const look = () => setSeen({});
    watchers.add(look);
    look();
    return () => {
      watchers.delete(look);
    };
  }, []);
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(() => setSeen({}), 1000);
    return () => clearInterval(timer);
  }, [isWaiting]);
  if (!isWaiting) return undefined;
  const untilMs = Math.max(...Array.from(waiting, (each) => each.untilMs));
  const secondsLeft = Math.max(0, Math.ceil((untilMs - Date.now()) / 1000));
  return { secondsLeft, untilMs, ends: secondsLeft <= patienceSeconds ? 'soon' : 'later' };
}
