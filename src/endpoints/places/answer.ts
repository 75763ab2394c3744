// What /area/places answers.

import {
  integer,
  list,
  nullable,
  number,
  object,
  oneOf,
  optional,
  type Static,
  string,
} from '../../contract/shape.ts';

export const placeKinds = ['schools', 'stations', 'stops', 'amenities'] as const;
export type PlaceKind = (typeof placeKinds)[number];

const kindOfPlaces = object('KindOfPlaces', {
  total: nullable(
    integer({
      minimum: 0,
      description:
        'How many lie in the circle, on whichever page. Null where that is not known, never 0 then.',
    }),
  ),
  lacking: nullable(
    string({
      description: 'Why `total` is null, or what may be missing from the list; null where nothing is.',
    }),
  ),
});

const place = object('Place', {
  kind: oneOf(['school', 'station', 'stop', 'amenity']),
  category: string({
    description:
      'Of a school primary, secondary or primary-and-secondary, by the ages it teaches; of a station tube, rail or metro (trams too); of a stop bus-on-street or bus-bay (of a bus station), bus where the loaded list does not tell; of an amenity what it is.',
    examples: ['primary', 'rail', 'bus-on-street', 'supermarket'],
  }),
  name: nullable(string({ description: 'Null where the list or the map has none.' })),
  code: nullable(
    string({
      description:
        'Of a school URN (England), school number (Wales) or SEED code (Scotland), of a station or stop its ATCO code; null for amenities.',
    }),
  ),
  latitude: number({ description: 'WGS 84, like longitude. Of a park the nearest node of its outline.' }),
  longitude: number(),
  distanceMetres: integer({
    minimum: 0,
    description: "In a straight line from the postcode's point.",
  }),
  phase: optional(string({ description: 'Of schools: in the words of the list.' })),
  rating: optional(
    nullable(string({ description: 'Of schools: as in `topSchools` of `/area/statistics`.' })),
  ),
  framework: optional(nullable(string({ description: 'Of schools: under which the rating was given.' }))),
  inspectionDate: optional(
    nullable(
      string({
        format: 'date',
        description: 'Of schools: first day of the inspection that the rating is of.',
      }),
    ),
  ),
});

export type PlaceItem = Static<typeof place>;

export const answer = object('AreaPlaces', {
  postcode: string(),
  latitude: nullable(number({ description: "The postcode's point; null where it has none." })),
  longitude: nullable(number()),
  radiusMetres: integer(),
  kinds: object(
    'KindsOfPlaces',
    {
      schools: optional(kindOfPlaces),
      stations: optional(kindOfPlaces),
      stops: optional(kindOfPlaces),
      amenities: optional(kindOfPlaces),
    },
    { description: 'The kinds that were asked for.' },
  ),
  total: integer({ minimum: 0, description: 'Of all kinds together, as far as they are known.' }),
  returned: integer({ minimum: 0 }),
  offset: integer({ minimum: 0 }),
  places: list(place, { description: 'The page, nearest first.' }),
});
