// What a part of postcodes consists of. `postcodes.ts` reads it, `postcodes-builder.ts` lays it out.

import {
  any,
  i32,
  inTurn,
  into,
  intoOrZero,
  oneOfOrZero,
  rising,
  strings,
  times,
  u8,
  u32,
} from '../../release/column.ts';
import { table } from '../../release/table.ts';
import { packedPerOutcode } from '../../uk/postcode.ts';

export const postcodesPart = 'postcodes';

/** A row holds the place in this list plus one; 0 is unknown. Only ever add at the end. */
export const nations = [
  'England',
  'Wales',
  'Scotland',
  'Northern Ireland',
  'Channel Islands',
  'Isle of Man',
] as const;
export type Nation = (typeof nations)[number];

/** As the Office for National Statistics codes them. */
export const nationCodes: Readonly<Record<Nation, string>> = {
  England: 'E92000001',
  Wales: 'W92000004',
  Scotland: 'S92000003',
  'Northern Ireland': 'N92000002',
  'Channel Islands': 'L93000001',
  'Isle of Man': 'M83000003',
};

/** Bits for the 4,000 postcodes that one outward code can have, as 32-bit words. */
export const wordsPerOutcode = packedPerOutcode / 32;
/** A row: place, latitude, longitude (millionths of a degree), month of termination + usage × 2¹⁶. */
export const rowFields = 4;

const code = u32('place', 'its code', intoOrZero('code'));

export const postcodesTable = table({
  part: postcodesPart,
  origin: { dataset: 'postcodes', layout: 1 },
  about:
    'Every postcode. An *outcode* is an outward code with at least one postcode; a *place* is what postcodes have in common.',
  order: 'by outward code, then postcode',
  columns: {
    outcodes: u32(
      'outcode',
      'its place among all that could be, as `src/uk/postcode.ts` packs postcodes',
      rising,
    ),
    units: u32(
      times('outcode', wordsPerOutcode, 2),
      'pairs: a word (bit *b* of word *w*: the postcode 32 *w* + *b* of the 4,000 of that outward code is there), and the number of postcodes before the word; with the bits before, that gives the row',
    ),
    rows: i32(
      times('postcode', rowFields),
      'four numbers: its place; latitude and longitude (millionths of a degree; latitude −2³¹: none); month of termination (12 × year + month − 1; 0: in use) + 65,536 × usage (0 unknown, 1 small user, 2 large)',
      inTurn(into('place'), any, any, any),
    ),
    'place-nation': u8('place', 'where it lies', oneOfOrZero(nations)),
    'place-authority': code,
    'place-ward': code,
    'place-county': code,
    'place-region': code,
    'place-lsoa': code,
    'place-msoa': code,
    'place-police-force': code,
    codes: strings('code', 'each code once'),
  },
});
