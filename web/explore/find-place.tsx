// The place that an address means. A postcode says it by itself; districts and names are looked up, which costs nothing.

import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { ApiParams } from '../api/call.ts';
import { navigate } from '../router.ts';
import { optionOf, type Place, type PlaceOption, pathOf, readSlug, type Suggestion } from './place.ts';
import { useCall } from './use-call.ts';

export type FoundPlace =
  | { readonly kind: 'finding' }
  | { readonly kind: 'found'; readonly place: Place }
  /** What it could mean instead. */
  | { readonly kind: 'none'; readonly message: string; readonly options: readonly PlaceOption[] };

type FindWish = {
  readonly slug: string;
  readonly children: (found: FoundPlace) => ComponentChildren;
};

export function FindPlace({ slug, children }: FindWish) {
  const meaning = readSlug(slug);
  switch (meaning.kind) {
    case 'postcode':
      return <>{children({ kind: 'found', place: meaning.place })}</>;
    case 'outcode':
      return (
        <LookedUp
          // The space says that it is whole.
          params={{ q: `${meaning.outcode} `, limit: 8 }}
          isMeant={({ kind, name }) => kind === 'outcode' && name === meaning.outcode}
          message={`${meaning.outcode} is not a postcode district that is known here.`}
        >
          {children}
        </LookedUp>
      );
    case 'named':
      return (
        <LookedUp
          params={{ q: meaning.words, limit: 50 }}
          isMeant={({ code }) => code === meaning.code}
          message={`No place called “${meaning.words}” is known here.`}
        >
          {children}
        </LookedUp>
      );
    case 'odd':
      return (
        <LookedUp
          params={{ q: meaning.words, limit: 8 }}
          isMeant={() => false}
          message={`“${meaning.words}” is neither a postcode nor a place that is known here.`}
        >
          {children}
        </LookedUp>
      );
  }
}

type LookedUpWish = Pick<FindWish, 'children'> & {
  readonly params: ApiParams;
  readonly isMeant: (suggestion: Suggestion) => boolean;
  readonly message: string;
};

const optionsMost = 8;

function LookedUp({ params, isMeant, message, children }: LookedUpWish) {
  const called = useCall('/postcodes/complete', params);
  switch (called.kind) {
    case 'loading':
      return <>{children({ kind: 'finding' })}</>;
    case 'refused':
      return <>{children({ kind: 'none', message: called.message, options: [] })}</>;
    case 'answered': {
      const options = called.told.suggestions.map(optionOf);
      const meant = options[called.told.suggestions.findIndex(isMeant)];
      const found: FoundPlace =
        meant === undefined
          ? { kind: 'none', message, options: options.slice(0, optionsMost) }
          : { kind: 'found', place: meant.place };
      return <>{children(found)}</>;
    }
  }
}

/** One place has one address, however it was typed. `rest` stays behind it. */
export function useCanonicalPath(slug: string, { slug: canonical }: Place, rest: string): void {
  useEffect(() => {
    if (slug !== canonical)
      navigate(`${pathOf({ slug: canonical })}${rest}${location.search}${location.hash}`, { as: 'replace' });
  }, [slug, canonical, rest]);
}
