// A place that the explorer shows: what stands in its address, and what the API is asked for it.

import type { Answers } from '../api/answers.ts';

export type Place = {
  /** In the address: `NP10 8WA` as `/explore/NP10-8WA`, an outcode as `/explore/NP10`, a named place by its own words. */
  readonly slug: string;
  /** "NP10 8WA", "NP10", "Newport". */
  readonly title: string;
  readonly kind: 'postcode' | 'outcode' | 'named';
  /** What endpoints that take a postcode are asked: the place's own, or the one in its middle. */
  readonly postcode: string;
  /** What sold prices are asked: an outcode, or a whole postcode. */
  readonly area: string;
};

export type PanelsWish = {
  readonly place: Place;
  /** A second place that it is compared with. */
  readonly beside: Place | undefined;
};

export type Suggestion = Answers['/postcodes/complete']['suggestions'][number];

const outcodeOf = (postcode: string): string => postcode.split(' ')[0] ?? postcode;

export const postcodePlace = (postcode: string): Place => ({
  slug: postcode.replace(' ', '-'),
  title: postcode,
  kind: 'postcode',
  postcode,
  area: postcode,
});

function placeOf({ kind, name, code, postcode }: Suggestion): Place {
  if (kind === 'postcode') return postcodePlace(name);
  if (kind === 'outcode') return { slug: name, title: name, kind, postcode, area: name };
  return {
    slug: [wordsOf(name), code].filter(Boolean).join('-'),
    title: name,
    kind: 'named',
    postcode,
    area: outcodeOf(postcode),
  };
}

/** For the eyes of whoever reads the address, and to suggest something once the code is known no more. May be empty. */
const wordsOf = (name: string): string =>
  name
    .normalize('NFD')
    .replaceAll(/[\p{M}'’‘`]/gu, '')
    .toLowerCase()
    .replaceAll('&', ' and ')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');

type SlugMeaning =
  | { readonly kind: 'postcode'; readonly place: Place }
  | { readonly kind: 'outcode'; readonly outcode: string }
  /** Its code says which one it is; the words may be of another time, misspelt or missing. */
  | { readonly kind: 'named'; readonly words: string; readonly code: string }
  | { readonly kind: 'odd'; readonly words: string };

const postcodeForm = /^([A-Z]{1,2}\d[A-Z\d]?|GIR)[ +_-]*(\d[A-Z]{2})$/;
const outcodeForm = /^([A-Z]{1,2}\d[A-Z\d]?|GIR)$/;
const namedForm = /^(?:(.*)[ +_-])?([A-Z]\d{8})$/i;

/** Whatever was typed or pasted: case and spacing do not matter. */
export function readSlug(slug: string): SlugMeaning {
  const upper = slug.trim().toUpperCase();
  const [, outcode, incode] = postcodeForm.exec(upper) ?? [];
  if (outcode !== undefined && incode !== undefined)
    return { kind: 'postcode', place: postcodePlace(`${outcode} ${incode}`) };
  if (outcodeForm.test(upper)) return { kind: 'outcode', outcode: upper };
  const [, words = '', code] = namedForm.exec(slug.trim()) ?? [];
  if (code !== undefined)
    return { kind: 'named', words: words.replaceAll('-', ' ').trim(), code: code.toUpperCase() };
  return { kind: 'odd', words: slug.replaceAll('-', ' ') };
}

/** How a district or a named place is found again: what /postcodes/complete is asked, and which suggestion it is. */
type Finding = {
  readonly params: { readonly q: string; readonly limit: number };
  readonly isMeant: (suggestion: Suggestion) => boolean;
};

export function findingOf(meaning: Extract<SlugMeaning, { kind: 'outcode' | 'named' }>): Finding {
  switch (meaning.kind) {
    case 'outcode':
      return {
        // The space says that it is whole.
        params: { q: `${meaning.outcode} `, limit: 8 },
        isMeant: ({ kind, name }) => kind === 'outcode' && name === meaning.outcode,
      };
    case 'named':
      return { params: { q: meaning.code, limit: 1 }, isMeant: ({ code }) => code === meaning.code };
  }
}

/** The made-up town has a postcode area of its own. */
export const isOfTown = (slug: string): boolean => /^ZZ\d/i.test(slug);

export const pathOf = ({ slug }: Pick<Place, 'slug'>): string => `/explore/${slug}`;

/** Behind the address of a place: the second one beside it, if any. */
export const withText = (beside: Pick<Place, 'slug'> | undefined): string =>
  beside === undefined ? '' : `?${new URLSearchParams({ with: beside.slug })}`;

const kindWords: Readonly<Record<Suggestion['kind'], string>> = {
  postcode: 'Postcode',
  outcode: 'Postcode district',
  authority: 'Authority',
  region: 'Region',
  county: 'County',
  ward: 'Ward',
};

/** A place to choose, and what it is: "Authority in Wales". */
export type PlaceOption = { readonly place: Place; readonly what: string };

export function optionOf(suggestion: Suggestion): PlaceOption {
  const { kind, within } = suggestion;
  const what = within === null ? kindWords[kind] : `${kindWords[kind]} in ${within}`;
  return { place: placeOf(suggestion), what };
}
