// The last places that were looked at, in the storage of this browser alone; without storage there are none.

import { useCallback, useState } from 'preact/hooks';

export type RecentPlace = { readonly slug: string; readonly title: string; readonly what: string };

const place = 'domesday-places';
const most = 8;

function read(): readonly RecentPlace[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(place) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isPlace).slice(0, most) : [];
  } catch (fault) {
    if (fault instanceof DOMException || fault instanceof SyntaxError) return [];
    throw fault;
  }
}

/** Whatever else may have written there. */
const isPlace = (kept: unknown): kept is RecentPlace =>
  typeof kept === 'object' &&
  kept !== null &&
  ['slug', 'title', 'what'].every((name) => typeof Reflect.get(kept, name) === 'string');

function write(places: readonly RecentPlace[]): void {
  try {
    localStorage.setItem(place, JSON.stringify(places));
  } catch (fault) {
    if (!(fault instanceof DOMException)) throw fault;
  }
}

export function remember(seen: RecentPlace): void {
  write([seen, ...read().filter(({ slug }) => slug !== seen.slug)].slice(0, most));
}

export function useRecent(): { readonly places: readonly RecentPlace[]; readonly clear: () => void } {
  const [places, setPlaces] = useState(read);
  const clear = useCallback(() => {
    write([]);
    setPlaces([]);
  }, []);
  return { places, clear };
}
