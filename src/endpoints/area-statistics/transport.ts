// The transport object of /area/statistics: stations, bus routes, cycle hire and traffic around a postcode. A figure
// is null where nobody has looked, and 0 only where somebody has and there is none.

import type { Context } from '../../contract/endpoint.ts';
import type { Need } from '../../contract/needs.ts';
import { integer, nullable, number, object, oneOf, type Static } from '../../contract/shape.ts';
import { openAmenities } from '../../tables/amenities/amenities.ts';
import type { PostcodeRow } from '../../tables/postcodes/postcodes.ts';
import { openBusRoutes } from '../../tables/transport/bus-routes.ts';
import { openCycleHire } from '../../tables/transport/cycle-hire.ts';
import { openStops } from '../../tables/transport/stops.ts';
import { openTraffic } from '../../tables/transport/traffic.ts';
import { isInPart } from '../../tables/whole.ts';
import { formatDay } from '../../uk/calendar.ts';
import type { LatLong } from '../../uk/grid.ts';
import { type Basis, basis, type Dataset } from './basis.ts';

type Release = Context['release'];

/** A mile, three kilometres, and what people walk to a bus or a bicycle. */
const tubeMetres = 1_600;
const railMetres = 3_000;
const busMetres = 400;
const cycleMetres = 800;
/** A station of the map nearer to a dock than this is that dock. */
const sameDockMetres = 50;
/** A count on the next street says most; one further off still says more than nothing. */
const trafficMetres = [500, 1_000] as const;

const trafficLevels = ['Low', 'Moderate', 'High', 'Very high', 'Unknown'] as const;
type TrafficLevel = (typeof trafficLevels)[number];

/** Vehicles a day from which the next level begins; this project's own. */
const levelBegins: readonly (readonly [TrafficLevel, number])[] = [
  ['Very high', 30_000],
  ['High', 15_000],
  ['Moderate', 5_000],
  ['Low', 0],
];

export const transport = object(
  'Transport',
  {
    tubeStations: nullable(
      integer({
        minimum: 0,
        description:
          'London Underground stations within 1.6 km of the postcode. They are active NaPTAN nodes with stop type MET and a code that begins with 9400ZZLU (or is 9400ZZBPSUST or 9400ZZNEUGST, the two newest). Nodes with the same name count once. Outside London the figure is 0. Null if NaPTAN is not loaded, the bundled sample does not reach the place, or the postcode has no coordinates.',
      }),
    ),
    railStations: nullable(
      integer({
        minimum: 0,
        description:
          "Railway stations within 3 km of the postcode, including the Elizabeth line and the London Overground. They are active NaPTAN nodes with stop type RLY. Nodes within 500 m of each other count once if their names agree, apart from additions such as 'Low Level' and text in brackets. Bus, boat and metro stops in that list (such as codes that begin with 9100ZZ) do not count. Null if NaPTAN is not loaded, the bundled sample does not reach the place, the postcode has no coordinates, or it is in Northern Ireland, which NaPTAN does not cover.",
      }),
    ),
    busRoutes: nullable(
      integer({
        minimum: 0,
        description:
          'Bus and coach routes that you can board at stops within 400 m on the reference day, a Tuesday in the timetable (`basis` has the date). Source: timetables of the Bus Open Data Service, GTFS route types 3 and 200. A route is an operator and a route number, so a route that both an operator and an authority publish counts once. Stops where nobody may board do not count. In Wales and Scotland, routes of operators that do not publish are missing. 0 if the timetables have no stop within 400 m and NaPTAN is loaded and has no active bus stop there either. Null if there is no such stop and that is not certain, if the timetables are not loaded, if their bundled sample does not reach the place, in Northern Ireland, or if the postcode has no coordinates.',
      }),
    ),
    cycleHireStations: nullable(
      integer({
        minimum: 0,
        description:
          "Cycle hire stations within 800 m of the postcode: those of Transport for London that are installed and not removed, and those on OpenStreetMap (amenity=bicycle_rental, without shops) that are at least 50 m from any of them. If only Transport for London's are loaded, or the map does not cover the circle, they count alone; if there are none, the figure is null, because other schemes may be there. Null if neither is loaded or the postcode has no coordinates.",
      }),
    ),
    averageCommuteToCity: nullable(
      number({
        description:
          'Minutes to the nearest city. Always null, because no current official figure exists: the journey times of the Department for Transport ended in 2019, its connectivity metric is a score without minutes, and the 2021 census has distances, taken during a lockdown.',
      }),
    ),
    trafficLevel: oneOf(trafficLevels, {
      description:
        "Traffic at the busiest count point within 500 m or, if there is none, within 1 km, by motor vehicles on an average day (AADF, Department for Transport): Low (below 5,000), Moderate (below 15,000), High (below 30,000) or Very high. The thresholds are this project's own. Each count point uses its latest year except 2020. Minor roads count only if they were counted, and slip roads never do. Unknown: no count point within 1 km, the data is not loaded, the postcode is in Northern Ireland, or it has no coordinates.",
    }),
    basis,
  },
  { description: 'Public transport, cycle hire and traffic near the postcode.' },
);

export const transportNeeds: readonly Need<keyof Static<typeof transport>>[] = [
  { dataset: 'stops', fields: ['tubeStations', 'railStations'] },
  { dataset: 'stops', fields: ['busRoutes'], where: 'where no bus stops' },
  { dataset: 'bus-routes', fields: ['busRoutes'] },
  { dataset: 'cycle-hire', fields: ['cycleHireStations'], where: 'where the map does not reach' },
  { dataset: 'amenities', fields: ['cycleHireStations'], where: 'where Transport for London has none' },
  { dataset: 'traffic', fields: ['trafficLevel'] },
];

/** What is answered where, and what it stands on; undefined where it is not known. */
type Figure<T> = { readonly value: T; readonly standsOn: Basis } | undefined;

export function describeTransport(place: PostcodeRow, release: Release): Static<typeof transport> {
  const figures = place.point === null ? undefined : readFigures(place.point, place, release);
  const standsOn = Object.values(figures ?? {}).flatMap((figure) => figure?.standsOn ?? []);
  return {
    tubeStations: figures?.tubeStations?.value ?? null,
    railStations: figures?.railStations?.value ?? null,
    busRoutes: figures?.busRoutes?.value ?? null,
    cycleHireStations: figures?.cycleHireStations?.value ?? null,
    averageCommuteToCity: null,
    trafficLevel: figures?.trafficLevel?.value ?? 'Unknown',
    basis: standsOn,
  };
}

function readFigures(point: LatLong, { nation }: PostcodeRow, release: Release) {
  const isInGreatBritain = nation === 'England' || nation === 'Wales' || nation === 'Scotland';
  return {
    tubeStations: countStations('tube', point, release),
    railStations: isInGreatBritain ? countStations('rail', point, release) : undefined,
    busRoutes: isInGreatBritain ? countBusRoutes(point, release) : undefined,
    cycleHireStations: countCycleHire(point, release),
    trafficLevel: isInGreatBritain ? findTrafficLevel(point, release) : undefined,
  };
}

function standOn(field: string, { name, source, publisher }: Dataset, period: string, radiusMetres: number) {
  return {
    fields: [field],
    dataset: name,
    source: `${source}, ${publisher}`,
    period,
    geographyCode: null,
    geographyName: null,
    radiusMetres,
  };
}

/** Areas may have come with lists of different days. Those of a sample only its edition tells. */
function periodOfStops({ extent, edition, asOf }: Dataset, release: Release): string {
  const days = openStops(release).listedBetween;
  if (days !== undefined && days.first < days.last)
    return `${formatDay(days.first)} to ${formatDay(days.last)}`;
  return extent === 'sample' ? edition : asOf;
}

function countStations(kind: 'tube' | 'rail', point: LatLong, release: Release): Figure<number> {
  const dataset = release.findDataset('stops');
  if (dataset === undefined) return undefined;
  const radiusMetres = kind === 'tube' ? tubeMetres : railMetres;
  const value = openStops(release).countStations(kind, { ...point, radiusMetres });
  if (value === undefined) return undefined;
  const period = periodOfStops(dataset, release);
  return { value, standsOn: [standOn(`${kind}Stations`, dataset, period, radiusMetres)] };
}

function countBusRoutes(point: LatLong, release: Release): Figure<number> {
  const dataset = release.findDataset('bus-routes');
  if (dataset === undefined) return undefined;
  const circle = { ...point, radiusMetres: busMetres };
  const routes = openBusRoutes(release);
  if (!routes.reaches(circle)) return undefined;
  const standsOn = standOn('busRoutes', dataset, dataset.edition, busMetres);
  const value = routes.countRoutes(circle);
  if (value === 0 && isInPart(release, 'bus-routes')) return undefined;
  if (value !== undefined) return { value, standsOn: [standsOn] };
  // Where the timetables have no stop, only the list of all stops can tell that no bus calls.
  const stops = release.findDataset('stops');
  if (stops === undefined || openStops(release).findBusStop(circle) !== 'none') return undefined;
  return {
    value: 0,
    standsOn: [standsOn, standOn('busRoutes', stops, periodOfStops(stops, release), busMetres)],
  };
}

function countCycleHire(point: LatLong, release: Release): Figure<number> {
  const circle = { ...point, radiusMetres: cycleMetres };
  const docks = release.findDataset('cycle-hire');
  const map = release.findDataset('amenities');
  const hire = docks === undefined ? undefined : openCycleHire(release);
  const amenities = map === undefined ? undefined : openAmenities(release);
  const own = hire?.countWithin(circle) ?? 0;
  const field = 'cycleHireStations';
  const standsOn = docks === undefined ? [] : [standOn(field, docks, docks.asOf, cycleMetres)];
  if (map === undefined || amenities?.covers(point, cycleMetres) !== true) {
    return own === 0 ? undefined : { value: own, standsOn };
  }
  const others = amenities
    .cycleHireWithin(circle)
    .filter((place) => (hire?.findNearestMetres(place, sameDockMetres) ?? sameDockMetres) >= sameDockMetres);
  return {
    value: own + others.length,
    standsOn: [...standsOn, standOn(field, map, map.edition, cycleMetres)],
  };
}

function findTrafficLevel(point: LatLong, release: Release): Figure<TrafficLevel> {
  const dataset = release.findDataset('traffic');
  if (dataset === undefined) return undefined;
  const table = openTraffic(release);
  for (const radiusMetres of trafficMetres) {
    const busiest = table.findBusiest({ ...point, radiusMetres });
    if (busiest === undefined) continue;
    return {
      value: levelBegins.find(([, from]) => busiest.vehiclesADay >= from)?.[0] ?? 'Unknown',
      standsOn: [standOn('trafficLevel', dataset, String(busiest.year), radiusMetres)],
    };
  }
  return undefined;
}
