// The made-up town, which everybody may see for nothing: what its postcodes have to show.

import type { townPostcodes } from '../api/credits.ts';
import { type PlaceOption, postcodePlace } from './place.ts';

type TownPostcode = (typeof townPostcodes)[number];

const shows: Readonly<Record<TownPostcode, string>> = {
  'ZZ1 1AA': 'Zedbury: nearly everything is known',
  'ZZ1 1AB': 'Zedbury: a short street',
  'ZZ1 2ZZ': 'Withdrawn in May 2019',
  'ZZ2 9ZZ': 'Without a point on the map',
  'ZZ3 1AA': 'Zedborth, in a made-up Wales',
  'ZZ4 1AA': 'Zedhaven, in a made-up Scotland',
};

export const town: readonly PlaceOption[] = Object.entries(shows).map(([postcode, what]) => ({
  place: postcodePlace(postcode),
  what,
}));

/** Publishers of the real kind are named below its figures too. */
export const townWarning = 'A made-up town: none of these figures is real.';

/** The API calls it fictional, and writes apostrophes as programs do; pages have one word and one sign for them. */
export const pageWords = (text: string): string =>
  text.replaceAll('fictional', 'made-up').replaceAll(/(?<=\p{L})'/gu, '’');

/** Of the town, what a half typed text can mean. */
export function townOptions(typed: string): readonly PlaceOption[] {
  const start = typed.replaceAll(/\s/g, '').toUpperCase();
  return town.filter(({ place }) => place.postcode.replace(' ', '').startsWith(start));
}
