// What happens in the account while somebody watches: server-sent events, begun anew after whatever broke them, and not asked
// for while nobody sees the page.

import { useEffect, useRef, useState } from 'preact/hooks';
import type { Live, RequestView } from '../../src/portal/views.ts';
import { filePath } from './here.ts';

export type Watching = 'paused' | 'connecting' | 'live' | 'broken';

type Wish = {
  readonly accountId: string;
  readonly state: 'on' | 'paused';
  readonly onEvent: (event: Live) => void;
  /** Events may have been missed: ask for everything again. */
  readonly onGap: () => void;
};

const againFirstMs = 2_000;
const againMostMs = 60_000;

export function useLive({ accountId, state, onEvent, onGap }: Wish): Watching {
  const [watching, setWatching] = useState<Watching>('connecting');
  // The newest functions, without connecting anew for them.
  const told = useRef({ onEvent, onGap });
  told.current = { onEvent, onGap };
  useEffect(() => {
    if (state === 'paused') {
      setWatching('paused');
      return;
    }
    return watch(accountId, setWatching, {
      onEvent: (event) => told.current.onEvent(event),
      onGap: () => told.current.onGap(),
    });
  }, [accountId, state]);
  return watching;
}

/** Returns what ends it. */
function watch(
  accountId: string,
  tell: (watching: Watching) => void,
  { onEvent, onGap }: Pick<Wish, 'onEvent' | 'onGap'>,
): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pauseMs = againFirstMs;
  let opened = 0;
  const close = () => {
    clearTimeout(timer);
    source?.close();
    source = undefined;
  };
  const open = () => {
    close();
    if (document.hidden) return;
    tell('connecting');
    source = new EventSource(filePath(accountId, 'live'));
    source.addEventListener('open', () => {
      tell('live');
      pauseMs = againFirstMs;
      opened += 1;
      if (opened > 1) onGap();
    });
    source.addEventListener('message', ({ data }: MessageEvent<string>) => {
      const event: Live = JSON.parse(data);
      onEvent(event);
    });
    source.addEventListener('error', () => {
      tell('broken');
      // The browser tries again by itself, unless it was refused.
      if (source?.readyState !== EventSource.CLOSED) return;
      timer = setTimeout(open, pauseMs);
      pauseMs = Math.min(pauseMs * 2, againMostMs);
    });
  };
  document.addEventListener('visibilitychange', open);
  open();
  return () => {
    document.removeEventListener('visibilitychange', open);
    close();
  };
}

const requestsMost = 1_000;

/** Newest first, each once. */
export function withFresh(
  known: readonly RequestView[],
  fresh: readonly RequestView[],
): readonly RequestView[] {
  const ids = new Set(known.map(({ requestId }) => requestId));
  const added = fresh.filter(({ requestId }) => !ids.has(requestId));
  return added.length === 0 ? known : [...added, ...known].slice(0, requestsMost);
}
