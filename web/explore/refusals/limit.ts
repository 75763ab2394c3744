// The service answers so many calls in a while. What came too soon waits here: it is asked again by itself, and one notice at the
// top of the page says when.

import { useEffect, useState } from 'preact/hooks';
import type { ApiRefusal } from '../../api/refusal.ts';

type Waiting = {
  readonly untilMs: number;
  readonly ends: LimitEnd;
  readonly again: () => Promise<void>;
};

const waiting = new Set<Waiting>();
const watchers = new Set<() => void>();
const tell = () => {
  for (const watcher of watchers) watcher();
};

/** Longer than that nobody watches a page. */
const patienceSeconds = 90;

/** `soon`: what it holds up is asked again by itself. */
type LimitEnd = 'soon' | 'later';

/** How long to wait; undefined where a limit is not the reason. */
export const limitSeconds = ({ code, retryAfterSeconds }: ApiRefusal): number | undefined =>
  code === 'RATE_LIMITED' || code === 'TOO_MANY' ? retryAfterSeconds : undefined;

const endOf = (seconds: number): LimitEnd => (seconds <= patienceSeconds ? 'soon' : 'later');

/** Undefined where a limit is not the reason. */
export function limitEnd(
  called: ApiRefusal | { readonly kind: 'loading' | 'answered' },
): LimitEnd | undefined {
  const seconds = called.kind === 'refused' ? limitSeconds(called) : undefined;
  return seconds === undefined ? undefined : endOf(seconds);
}

/** Its answer comes by itself. */
export const isAwaited = (called: Parameters<typeof limitEnd>[0]): boolean =>
  called.kind === 'loading' || limitEnd(called) === 'soon';

/** Until it is over or the returned function is called. */
export function waitForLimit(seconds: number, again: () => Promise<void>): () => void {
  const own = { untilMs: Date.now() + 1000 * seconds, ends: endOf(seconds), again };
  const timer = own.ends === 'soon' ? setTimeout(() => void again(), 1000 * seconds) : undefined;
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
  readonly ends: LimitEnd;
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
  const held = [...waiting];
  const untilMs = Math.max(...held.map((each) => each.untilMs));
  const secondsLeft = Math.max(0, Math.ceil((untilMs - Date.now()) / 1000));
  return { secondsLeft, untilMs, ends: held.some(({ ends }) => ends === 'later') ? 'later' : 'soon' };
}
