// The amenities of /area/statistics: what OpenStreetMap shows around a postcode, counted within a walk, and how far the
// nearest of some lie.

import type { Context } from '../../contract/endpoint.ts';
import type { Need } from '../../contract/needs.ts';
import { integer, nullable, object, type Static } from '../../contract/shape.ts';
import { type Amenities, type AmenityKind, openAmenities } from '../../tables/amenities/amenities.ts';
import type { PostcodeRow } from '../../tables/postcodes/postcodes.ts';
import type { LatLong } from '../../uk/grid.ts';
import { type Basis, basis, type Dataset } from './basis.ts';

const walkMetres = 800;
const parkMetres = 1_600;
const hospitalMetres = 3_000;
const nearestMetres = 5_000;

type Count = { readonly kind: AmenityKind; readonly radiusMetres: number; readonly tags: string };

const counts = {
  supermarkets: { kind: 'supermarket', radiusMetres: walkMetres, tags: 'shop=supermarket' },
  convenienceStores: { kind: 'convenience-store', radiusMetres: walkMetres, tags: 'shop=convenience' },
  restaurants: { kind: 'restaurant', radiusMetres: walkMetres, tags: 'amenity=restaurant' },
  cafes: { kind: 'cafe', radiusMetres: walkMetres, tags: 'amenity=cafe' },
  takeaways: { kind: 'takeaway', radiusMetres: walkMetres, tags: 'amenity=fast_food' },
  pubsAndBars: { kind: 'pub-or-bar', radiusMetres: walkMetres, tags: 'amenity=pub or bar' },
  gps: { kind: 'gp', radiusMetres: walkMetres, tags: 'amenity=doctors or healthcare=doctor' },
  pharmacies: { kind: 'pharmacy', radiusMetres: walkMetres, tags: 'amenity or healthcare=pharmacy' },
  dentists: { kind: 'dentist', radiusMetres: walkMetres, tags: 'amenity or healthcare=dentist' },
  hospitals: { kind: 'hospital', radiusMetres: hospitalMetres, tags: 'amenity=hospital' },
  parks: {
    kind: 'park',
    radiusMetres: parkMetres,
    tags: 'leisure=park, nature_reserve or recreation_ground with a name, measured to the nearest node of the outline,',
  },
  playgrounds: { kind: 'playground', radiusMetres: walkMetres, tags: 'leisure=playground' },
  gyms: { kind: 'gym', radiusMetres: walkMetres, tags: 'leisure=fitness_centre or sports_centre' },
  libraries: { kind: 'library', radiusMetres: walkMetres, tags: 'amenity=library' },
  postOffices: { kind: 'post-office', radiusMetres: walkMetres, tags: 'amenity=post_office' },
  banks: { kind: 'bank', radiusMetres: walkMetres, tags: 'amenity=bank' },
} as const satisfies Readonly<Record<string, Count>>;

const nearest = {
  nearestSupermarketMetres: { kind: 'supermarket', what: 'supermarket' },
  nearestParkMetres: { kind: 'park', what: 'node of the outline of a park that counts in `parks`' },
  nearestGpMetres: { kind: 'gp', what: 'GP surgery' },
} as const satisfies Readonly<Record<string, { readonly kind: AmenityKind; readonly what: string }>>;

const count = ({ radiusMetres, tags }: Count) =>
  nullable(
    integer({
      minimum: 0,
      description: `OpenStreetMap objects with ${tags} within ${radiusMetres} m of the postcode in a straight line. 0 means that the map shows none; it may lack some. Null if no map is loaded, the postcode has no coordinates, or the circle reaches beyond the loaded map.`,
    }),
  );

const distance = (what: string) =>
  nullable(
    integer({
      minimum: 0,
      description: `Metres in a straight line from the postcode to the nearest ${what}. Null if there is none within ${nearestMetres} m, no map is loaded, the postcode has no coordinates, or a nearer one could be beyond the loaded map.`,
    }),
  );

export const amenities = object(
  'Amenities',
  {
    supermarkets: count(counts.supermarkets),
    convenienceStores: count(counts.convenienceStores),
    restaurants: count(counts.restaurants),
    cafes: count(counts.cafes),
    takeaways: count(counts.takeaways),
    pubsAndBars: count(counts.pubsAndBars),
    gps: count(counts.gps),
    pharmacies: count(counts.pharmacies),
    dentists: count(counts.dentists),
    hospitals: count(counts.hospitals),
    parks: count(counts.parks),
    playgrounds: count(counts.playgrounds),
    gyms: count(counts.gyms),
    libraries: count(counts.libraries),
    postOffices: count(counts.postOffices),
    banks: count(counts.banks),
    nearestSupermarketMetres: distance(nearest.nearestSupermarketMetres.what),
    nearestParkMetres: distance(nearest.nearestParkMetres.what),
    nearestGpMetres: distance(nearest.nearestGpMetres.what),
    basis,
  },
  {
    description:
      'Amenities that OpenStreetMap shows around the postcode. The position of an object is its node or the mean of the nodes of a building or site; for parks it is the nodes of the outline. An object counts once in each count, however many of its tags match. A node inside an area of the same kind and name is the same object. Not counted: disused or abandoned objects (except parks, because a reserve may be in a disused quarry), shop=vacant, access=private or no, and gardens.',
  },
);

type Figures = Static<typeof amenities>;

export const amenitiesNeeds: readonly Need[] = [
  { dataset: 'amenities', fields: [...Object.keys(counts), ...Object.keys(nearest)] },
];

export function describeAmenities({ point }: PostcodeRow, release: Context['release']): Figures {
  const dataset = release.findDataset('amenities');
  const table = dataset === undefined || point === null ? undefined : openAmenities(release);
  const covered = new Set(
    point === null
      ? []
      : [walkMetres, parkMetres, hospitalMetres].filter((metres) => table?.covers(point, metres)),
  );
  const countOf = ({ kind, radiusMetres }: Count) =>
    table === undefined || point === null || !covered.has(radiusMetres)
      ? null
      : table.countWithin(kind, { ...point, radiusMetres });
  const nearestOf = ({ kind }: { readonly kind: AmenityKind }) =>
    table === undefined || point === null ? null : findNearest(table, kind, point);
  const figures = {
    supermarkets: countOf(counts.supermarkets),
    convenienceStores: countOf(counts.convenienceStores),
    restaurants: countOf(counts.restaurants),
    cafes: countOf(counts.cafes),
    takeaways: countOf(counts.takeaways),
    pubsAndBars: countOf(counts.pubsAndBars),
    gps: countOf(counts.gps),
    pharmacies: countOf(counts.pharmacies),
    dentists: countOf(counts.dentists),
    hospitals: countOf(counts.hospitals),
    parks: countOf(counts.parks),
    playgrounds: countOf(counts.playgrounds),
    gyms: countOf(counts.gyms),
    libraries: countOf(counts.libraries),
    postOffices: countOf(counts.postOffices),
    banks: countOf(counts.banks),
    nearestSupermarketMetres: nearestOf(nearest.nearestSupermarketMetres),
    nearestParkMetres: nearestOf(nearest.nearestParkMetres),
    nearestGpMetres: nearestOf(nearest.nearestGpMetres),
  };
  return { ...figures, basis: dataset === undefined ? [] : describeBasis(figures, dataset) };
}

/** Null also where the circle up to it is not covered: a nearer one could lie there. */
function findNearest(table: Amenities, kind: AmenityKind, point: LatLong): number | null {
  if (!table.covers(point)) return null;
  const metres = table.findNearestMetres(kind, point, nearestMetres);
  return metres === undefined || !table.covers(point, metres) ? null : Math.round(metres);
}

const radiusOf: ReadonlyMap<string, number> = new Map([
  ...Object.entries(counts).map(([field, { radiusMetres }]): [string, number] => [field, radiusMetres]),
  ...Object.keys(nearest).map((field): [string, number] => [field, nearestMetres]),
]);

/** One entry for each radius that gave a figure. */
function describeBasis(figures: Omit<Figures, 'basis'>, dataset: Dataset): Basis {
  const { source, publisher } = dataset;
  const given = Object.entries(figures).flatMap(([field, figure]) => (figure === null ? [] : [field]));
  return [walkMetres, parkMetres, hospitalMetres, nearestMetres].flatMap((radiusMetres) => {
    const fields = given.filter((field) => radiusOf.get(field) === radiusMetres);
    if (fields.length === 0) return [];
    const where = { geographyCode: null, geographyName: null, radiusMetres };
    return [
      {
        fields,
        dataset: 'amenities',
        source: `${source}, ${publisher}`,
        // The map may be put together from extracts of several days, which its edition tells.
        period: dataset.edition,
        ...where,
      },
    ];
  });
}
