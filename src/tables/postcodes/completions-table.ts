// What a half typed text can mean beside postcodes: outward codes, authorities, regions, counties and wards that have postcodes
// in use, with the words to find them by. It depends on postcodes and names, and is made at the end of an ingest.

import { i32, into, oneOf, strings, u8, u32 } from '../../release/column.ts';
import { table } from '../../release/table.ts';

/** In the order in which equal matches are listed. Only ever add at the end. */
export const completionKinds = ['outcode', 'authority', 'region', 'county', 'ward'] as const;
export type CompletionKind = (typeof completionKinds)[number];

export const completionsPart = { part: 'completions', version: 1 } as const;

/** How a key was made of a name. */
export const keyForms = ['whole name', 'from a later word'] as const;

export const completionsTable = table({
  part: completionsPart.part,
  origin: { derivedVersion: completionsPart.version },
  about:
    'Places that a half typed text can mean. A *place* is an outward code, authority, region, county or ward with postcodes in use; a *key* is a text that it is found by: its name in small letters without accents and signs, from its first or a later word on.',
  order: 'places by kind, name and code; keys by text',
  columns: {
    kind: u8('place', 'what it is', oneOf(completionKinds)),
    code: strings('place', 'code of the national statistics; empty for an outward code'),
    name: strings('place', 'as answers have it'),
    within: strings('place', 'name of the authority or nation that it lies in; empty: not known'),
    latitude: i32('place', 'mean of its postcodes in use, millionths of a degree; −2³¹: none has a point'),
    longitude: i32('place', 'likewise'),
    postcode: u32(
      'place',
      'the postcode in use nearest to that mean, else the first, as `src/uk/postcode.ts` packs it',
    ),
    'key-text': strings('key', 'in rising order'),
    'key-place': u32('key', 'the place', into('place')),
    'key-form': u8('key', 'how it was made', oneOf(keyForms)),
  },
});
