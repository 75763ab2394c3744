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

const kindOfPlaces = object(
  'KindOfPlaces',
  {
    total: nullable(
      integer({
        minimum: 0,
        description: 'Number of places in the circle, on all pages. Null, never 0, if that is not known.',
      }),
    ),
    lacking: nullable(
      string({
        description: 'Why `total` is null, or what may be missing from the list. Null: nothing is missing.',
      }),
    ),
  },
  { description: 'Number of places of one kind.' },
);

const place = object(
  'Place',
  {
    kind: oneOf(['school', 'station', 'stop', 'amenity'], { description: 'Kind of place.' }),
    category: string({
      description:
        'For a school: primary, secondary or primary-and-secondary, by the ages it teaches. For a station: tube, rail or metro (including trams). For a stop: bus-on-street, bus-bay (in a bus station), or bus if the loaded list does not say. For an amenity: what it is.',
      examples: ['primary', 'rail', 'bus-on-street', 'supermarket'],
    }),
    name: nullable(string({ description: 'Name of the place. Null: the list or the map has none.' })),
    code: nullable(
      string({
        description:
          'For a school: its URN (England), school number (Wales) or SEED code (Scotland). For a station or stop: its ATCO code. Null for amenities.',
      }),
    ),
    latitude: number({ description: 'Latitude, WGS 84. For a park: of the nearest node of its outline.' }),
    longitude: number({ description: 'Longitude, WGS 84.' }),
    distanceMetres: integer({
      minimum: 0,
      description: 'Distance from the postcode in a straight line, in metres.',
    }),
    phase: optional(string({ description: 'For schools: phase of education, as the list words it.' })),
    rating: optional(
      nullable(string({ description: 'For schools: the rating, as in `topSchools` of `/area/statistics`.' })),
    ),
    framework: optional(
      nullable(string({ description: 'For schools: the inspection framework of the rating.' })),
    ),
    inspectionDate: optional(
      nullable(
        string({
          format: 'date',
          description: 'For schools: first day of the inspection that gave the rating.',
        }),
      ),
    ),
  },
  { description: 'A school, station, stop or amenity.' },
);

export type PlaceItem = Static<typeof place>;

export const answer = object('AreaPlaces', {
  postcode: string({ description: 'The postcode, in capitals with one space.' }),
  latitude: nullable(
    number({ description: 'Latitude of the postcode, WGS 84. Null: it has no coordinates.' }),
  ),
  longitude: nullable(
    number({ description: 'Longitude of the postcode, WGS 84. Null: it has no coordinates.' }),
  ),
  radiusMetres: integer({ description: 'Radius of the circle, in metres.' }),
  kinds: object(
    'KindsOfPlaces',
    {
      schools: optional(kindOfPlaces),
      stations: optional(kindOfPlaces),
      stops: optional(kindOfPlaces),
      amenities: optional(kindOfPlaces),
    },
    { description: 'The kinds that you asked for.' },
  ),
  total: integer({
    minimum: 0,
    description: 'Number of places of all kinds together, as far as they are known.',
  }),
  returned: integer({ minimum: 0, description: 'Number of places on this page.' }),
  offset: integer({ minimum: 0, description: 'Number of places before this page.' }),
  places: list(place, { description: 'The places of this page, nearest first.' }),
});
