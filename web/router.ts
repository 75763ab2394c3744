// Where the reader is among the pages: plain links are followed without loading the document anew, and a page's heading gets
// the focus, so that whoever cannot see it hears where they are.

import { useEffect, useState } from 'preact/hooks';

/** Paths that this program shows; every other link is the browser's. */
const ours = /^\/(?:$|explore(?:\/|$)|account(?:\/|$)|admin(?:\/|$))/;

const listeners = new Set<() => void>();
const tell = () => {
  for (const listener of listeners) listener();
};

/** Path and query; the fragment is the page's own. */
const here = () => `${location.pathname}${location.search}`;

export function usePath(): string {
  const [path, setPath] = useState(location.pathname);
  useEffect(() => {
    const look = () => setPath(location.pathname);
    listeners.add(look);
    // It may have changed since it was drawn.
    look();
    return () => void listeners.delete(look);
  }, []);
  return path;
}

export function useQuery(): URLSearchParams {
  const [query, setQuery] = useState(location.search);
  useEffect(() => {
    const look = () => setQuery(location.search);
    listeners.add(look);
    // It may have changed since it was drawn.
    look();
    return () => void listeners.delete(look);
  }, []);
  return new URLSearchParams(query);
}

type Going = {
  /** `replace`: the way back does not lead here. */
  readonly as?: 'push' | 'replace';
  /** Where to after a sign-in. Kept in the history, where no link can put it. */
  readonly back?: string;
};

export function navigate(path: string, { as = 'push', back }: Going = {}): void {
  const state = back === undefined ? null : { back };
  if (as === 'replace') history.replaceState(state, '', path);
  else history.pushState(state, '', path);
  tell();
  scrollTo(0, 0);
}

/** Changes the query of the page that is shown: a filter, a tab. The focus stays. `push`: the way back leads to how it was. */
export function setQuery(
  values: Readonly<Record<string, string | undefined>>,
  { as = 'replace' }: Pick<Going, 'as'> = {},
): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  const path = `${location.pathname}${text === '' ? '' : `?${text}`}`;
  if (as === 'replace') history.replaceState(history.state, '', path);
  else history.pushState(null, '', path);
  tell();
}

/** Whoever has to sign in comes back to where they were. */
export const goAndSignIn = (): void => navigate('/account/sign-in', { as: 'replace', back: here() });

export function placeAfterSignIn(): string {
  const state: unknown = history.state;
  const back = typeof state === 'object' && state !== null && 'back' in state ? state.back : undefined;
  return typeof back === 'string' && ours.test(back) ? back : '/account';
}

export function followLinks(): void {
  addEventListener('popstate', tell);
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || link.target !== '' || link.hasAttribute('download')) return;
    const { origin, pathname, search, hash } = new URL(link.href, location.href);
    if (origin !== location.origin || !ours.test(pathname)) return;
    // A link within the page.
    if (hash !== '' && pathname === location.pathname && search === location.search) return;
    event.preventDefault();
    navigate(`${pathname}${search}${hash}`);
  });
}
