// The place that an address means. A postcode says it by itself; districts and names are looked up, which costs nothing.

import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { ApiParams } from '../api/call.ts';
import { navigate } from '../router.ts';
import { statisticsCall } from './calls/place-calls.ts';
import { useCall } from './calls/use-call.ts';
import {
  findingOf,
  isOfTown,
  optionOf,
  type Place,
  type PlaceOption,
  pathOf,
  readSlug,
  type Suggestion,
} from './place.ts';
import { limitEnd } from './refusals/limit.ts';
import { town } from './town.ts';

type FoundPlace = { readonly kind: 'finding' } | { readonly kind: 'found'; readonly place: Place } | NoPlace;

export type NoPlace = {
  readonly kind: 'none';
  /** What is not known here may well exist. */
  readonly title: 'No such place' | 'Not known here';
  readonly message: string;
  /** What it could mean instead. */
  readonly options: readonly PlaceOption[];
};

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
          {...findingOf(meaning)}
          message={`${meaning.outcode} is not a postcode district that is known here.`}
        >
          {children}
        </LookedUp>
      );
    case 'named':
      return (
        <LookedUp {...findingOf(meaning)} message={`No place with the code ${meaning.code} is known here.`}>
          {(found) =>
            found.kind === 'none' && meaning.words !== '' ? (
              <LookedUp params={{ q: meaning.words, limit: 8 }} isMeant={nothing} message={found.message}>
                {children}
              </LookedUp>
            ) : (
              children(found)
            )
          }
        </LookedUp>
      );
    case 'odd':
      return (
        <LookedUp
          params={{ q: meaning.words, limit: 8 }}
          isMeant={nothing}
          message={`“${meaning.words}” is neither a postcode nor a place that is known here.`}
        >
          {children}
        </LookedUp>
      );
  }
}

/** A postcode counts as known until the service says that there is none such. Every view of a place asks what is asked here. One
 *  that was withdrawn has its page. */
export function useNoPlace({ title: name, slug, kind, postcode }: Place): NoPlace | undefined {
  const called = useCall(statisticsCall(postcode));
  if (kind !== 'postcode' || called.kind !== 'refused') return undefined;
  const { code, message, terminated } = called;
  const none = { kind: 'none', title: 'No such place', options: [] } as const;
  if (code === 'INVALID_POSTCODE')
    return { ...none, message: `${name} is not a UK postcode. Check it for a typing slip.` };
  if (code !== 'POSTCODE_NOT_FOUND' || terminated !== undefined) return undefined;
  return isOfTown(slug)
    ? { ...none, message: `${name} is not a postcode of the made-up town.`, options: town }
    : { ...none, title: 'Not known here', message };
}

type LookedUpWish = Pick<FindWish, 'children'> & {
  readonly params: ApiParams;
  readonly isMeant: (suggestion: Suggestion) => boolean;
  readonly message: string;
};

/** It has suggestions alone. */
const nothing = () => false;

const optionsMost = 8;

function LookedUp({ params, isMeant, message, children }: LookedUpWish) {
  const called = useCall({ path: '/postcodes/complete', params });
  switch (called.kind) {
    case 'loading':
      return <>{children({ kind: 'finding' })}</>;
    case 'refused':
      return (
        <>
          {children(
            limitEnd(called) === undefined
              ? { kind: 'none', title: 'Not known here', message: called.message, options: [] }
              : { kind: 'finding' },
          )}
        </>
      );
    case 'answered': {
      const options = called.told.suggestions.map(optionOf);
      const meant = options[called.told.suggestions.findIndex(isMeant)];
      const found: FoundPlace =
        meant === undefined
          ? { kind: 'none', title: 'Not known here', message, options: options.slice(0, optionsMost) }
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
