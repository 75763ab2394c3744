// Schools, stations, stops and amenities as points of the map.

import type { Answers } from '../../api/answers.ts';
import { dayText, numberText } from '../../formats.ts';
import {
  type LayerPoint,
  type ListHeading,
  layerOf,
  type MapLayer,
  type PointFacts,
  stationSign,
  type Tone,
} from './layer.ts';

type Places = Answers['/area/places'];
type Place = Places['places'][number];

export const placeLayerIds = ['schools', 'stations', 'stops', 'amenities'] as const;
type PlaceLayerId = (typeof placeLayerIds)[number];

type Look = {
  readonly kind: Place['kind'];
  readonly tones: readonly Tone[];
  readonly headings: readonly ListHeading[];
  readonly radius: number;
  readonly toneOf: (place: Place) => number;
  readonly factsOf: (place: Place) => PointFacts;
};

const schoolTones = [
  { colour: '--map-school-1', shape: 'square', letter: 'O', words: 'Outstanding' },
  { colour: '--map-school-2', shape: 'square', letter: 'G', words: 'Good' },
  { colour: '--map-school-3', shape: 'square', letter: 'R', words: 'Requires improvement' },
  { colour: '--map-school-4', shape: 'square', letter: 'I', words: 'Inadequate' },
  { colour: '--map-school-0', shape: 'square', letter: '·', words: 'None of these grades' },
] as const satisfies readonly Tone[];

const amenityTones = [
  { colour: '--map-shop', shape: 'square', words: 'Shops and services' },
  { colour: '--map-food', shape: 'diamond', words: 'Food and drink' },
  { colour: '--map-health', shape: 'square', letter: '+', words: 'Health' },
  { colour: '--map-green', shape: 'leaf', words: 'Parks and play' },
] as const satisfies readonly Tone[];

const amenityGroups: Readonly<Record<string, number>> = {
  restaurant: 1,
  cafe: 1,
  takeaway: 1,
  'pub-or-bar': 1,
  gp: 2,
  pharmacy: 2,
  dentist: 2,
  hospital: 2,
  park: 3,
  playground: 3,
};

const words = (category: string): string => {
  const known = { gp: 'GP surgery', 'pub-or-bar': 'Pub or bar', tube: 'Underground', rail: 'Railway' };
  const found = Object.entries(known).find(([name]) => name === category)?.[1];
  return found ?? `${category.slice(0, 1).toUpperCase()}${category.slice(1).replaceAll('-', ' ')}`;
};

const metres = (distance: number) => `${numberText(distance)} m`;

const named = (place: Place): PointFacts => ({
  title: place.name ?? words(place.category),
  lines: [words(place.category), `${metres(place.distanceMetres)} away`],
  cells: [place.name ?? 'No name', words(place.category), metres(place.distanceMetres)],
});

function schoolFacts(place: Place): PointFacts {
  const rating = place.rating ?? 'No rating is known';
  const inspected =
    place.inspectionDate === null || place.inspectionDate === undefined
      ? []
      : [`Inspected on ${dayText(place.inspectionDate)}`];
  // As the register writes it of special schools, which have none.
  const hasPhase = place.phase !== 'Not applicable';
  const phase = (hasPhase ? place.phase : undefined) ?? words(place.category);
  return {
    title: place.name ?? 'School',
    lines: [phase, rating, ...inspected, `${metres(place.distanceMetres)} away`],
    cells: [place.name ?? 'No name', phase, rating, metres(place.distanceMetres)],
  };
}

const distance: ListHeading = { title: 'Distance', kind: 'number' };

const looks: Readonly<Record<PlaceLayerId, Look>> = {
  schools: {
    kind: 'school',
    tones: schoolTones,
    headings: [{ title: 'School', kind: 'name' }, { title: 'Phase' }, { title: 'Rating' }, distance],
    radius: 8,
    toneOf: ({ rating }) => {
      const grade = rating?.replace(/^(Quality of education: |School remains )/, '');
      const found = schoolTones.findIndex((tone) => grade?.startsWith(tone.words));
      return found === -1 ? schoolTones.length - 1 : found;
    },
    factsOf: schoolFacts,
  },
  stations: {
    kind: 'station',
    tones: [stationSign.tone],
    headings: [{ title: 'Station', kind: 'name' }, { title: 'Kind' }, distance],
    radius: stationSign.radius,
    toneOf: () => 0,
    factsOf: named,
  },
  stops: {
    kind: 'stop',
    tones: [{ colour: '--map-stop', shape: 'diamond', words: 'Bus stop' }],
    headings: [{ title: 'Stop', kind: 'name' }, { title: 'Kind' }, distance],
    radius: 5,
    toneOf: () => 0,
    factsOf: named,
  },
  amenities: {
    kind: 'amenity',
    tones: amenityTones,
    headings: [{ title: 'Amenity', kind: 'name' }, { title: 'Kind' }, distance],
    radius: 5.5,
    toneOf: ({ category }) => amenityGroups[category] ?? 0,
    factsOf: named,
  },
};

export const tonesOfPlaces = (id: PlaceLayerId): readonly Tone[] => looks[id].tones;

/** Of that kind, those on the page of the answer. */
export const listedPlaces = ({ places }: Places, id: PlaceLayerId): readonly Place[] =>
  places.filter(({ kind }) => kind === looks[id].kind);

/** Undefined where nobody knows what is there: a layer without points would say that there is nothing. */
export function placesLayer(told: Places, id: PlaceLayerId): MapLayer | undefined {
  const look = looks[id];
  if (told.kinds[id]?.total === null) return undefined;
  return layerOf(
    { id, tones: look.tones, headings: look.headings },
    listedPlaces(told, id).map(
      (place): LayerPoint => ({
        latitude: place.latitude,
        longitude: place.longitude,
        radius: look.radius,
        tone: look.toneOf(place),
        facts: () => look.factsOf(place),
      }),
    ),
  );
}
