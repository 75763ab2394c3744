// What lies around the made-up postcodes: census, schools, public transport, traffic and amenities of national size,
// dense where the towns are.

import { pointKinds } from '../../src/tables/amenities/amenities.ts';
import { AmenitiesBuilder, type Mapped } from '../../src/tables/amenities/amenities-builder.ts';
import { CoverageCells, columnOf, inside, rowOf } from '../../src/tables/amenities/coverage-cells.ts';
import { CensusBuilder } from '../../src/tables/census/census-builder.ts';
import { encodeIncome, incomePart } from '../../src/tables/census/income.ts';
import { parsePlaceCode } from '../../src/tables/postcodes/place-names.ts';
import { encodeInspections, inspectionsPart } from '../../src/tables/schools/inspections.ts';
import { encodeSchools } from '../../src/tables/schools/schools.ts';
import { busRoutesPart, encodeBusRoutes } from '../../src/tables/transport/bus-routes.ts';
import { cycleHirePart, encodeCycleHire } from '../../src/tables/transport/cycle-hire.ts';
import { encodeBusStops, encodeStations, stationsPart } from '../../src/tables/transport/stops.ts';
import { encodeTraffic, trafficPart } from '../../src/tables/transport/traffic.ts';
import { makePoint } from '../crime/made-up.ts';
import { code, type Lsoa, type MadePart } from './made-up.ts';

type Random = () => number;
const pointsOf = (count: number, random: Random) => Array.from({ length: count }, () => makePoint(random));
const whole = (random: Random, below: number) => Math.floor(random() * below);

export function makeCensus(lsoas: readonly Lsoa[], random: Random): readonly MadePart[] {
  const builder = new CensusBuilder();
  for (const { code: text, residents } of lsoas) {
    const number = parsePlaceCode(text) ?? 0;
    const households = Math.round(residents / (2 + random()));
    builder.set(number, 'population', residents);
    builder.set(number, 'people-in-households', residents - whole(random, 20));
    builder.set(number, 'density', 20 + random() * 9_000);
    builder.set(number, 'median-age', 30 + random() * 25);
    builder.set(number, 'households', households);
    builder.set(number, 'adults', Math.round(0.8 * residents));
    builder.set(number, 'employed', Math.round((0.35 + 0.2 * random()) * residents));
  }
  const incomes = Array.from({ length: 350 }, (_, at) => ({
    authorityCode: code('E06', at),
    publication: 'personal-incomes' as const,
    taxYear: 2023,
    medianPounds: 25_000 + whole(random, 15_000),
  }));
  return [
    {
      dataset: 'census-england-wales',
      part: 'census-england-wales',
      columns: builder.encode('census-england-wales'),
    },
    { dataset: 'income', part: incomePart, columns: encodeIncome(incomes) },
  ];
}

export function makeSchools(random: Random): readonly MadePart[] {
  const schools = pointsOf(26_000, random).map(({ latitudeMicro, longitudeMicro }, at) => ({
    number: 100_000 + at,
    name: `Made Up School ${at}`,
    phase: at % 5 === 0 ? 'Secondary' : 'Primary',
    teachesPrimary: at % 5 !== 0,
    teachesSecondary: at % 5 === 0,
    point: { latitudeDegrees: latitudeMicro / 1e6, longitudeDegrees: longitudeMicro / 1e6 },
    placing: 'grid reference' as const,
  }));
  const ratings = new Map(
    schools.slice(0, 22_000).map(({ number }) => {
      const tier = ([1, 2, 3, 3, 3, 4] as const)[whole(random, 6)] ?? 3;
      const label = ['', 'Inadequate', 'Requires improvement', 'Good', 'Outstanding'][tier] ?? '';
      const rating = {
        tier,
        framework: 'OEIF' as const,
        label,
        day: 18_000 + whole(random, 2_000),
        isOutstanding: tier === 4,
        isOfPredecessor: false,
      };
      return [number, rating] as const;
    }),
  );
  return [
    {
      dataset: 'schools-england',
      part: 'schools-england',
      columns: encodeSchools('England', schools, 'made up'),
    },
    { dataset: 'ofsted', part: inspectionsPart, columns: encodeInspections(ratings) },
  ];
}

export function makeTransport(random: Random): readonly MadePart[] {
  const named = (at: number) => ({ code: `9100MADE${at}`, name: `Station ${at}` });
  const stations = [
    ...pointsOf(2_700, random).map((point, at) => ({ ...point, kind: 'rail' as const, ...named(at) })),
    ...pointsOf(272, () => 0.16 * random()).map((point, at) => ({
      ...point,
      kind: 'tube' as const,
      ...named(10_000 + at),
    })),
  ];
  const stops = pointsOf(370_000, random);
  // Every second stop on the timetable, four routes each.
  const timed = stops.filter((_, at) => at % 2 === 0);
  const callsPerStop = 4;
  const calls = timed.length * callsPerStop;
  const routes = Array.from({ length: 14_000 }, (_, at) => ({ operator: at % 600, name: String(at % 400) }));
  const docks = pointsOf(800, () => 0.16 * random());
  return [
    {
      dataset: 'stops',
      part: stationsPart,
      columns: encodeStations(stations, ['tube', 'rail', 'metro', 'bus']),
    },
    ...Object.entries(
      encodeBusStops(
        stops.map((point, at) => ({
          ...point,
          area: String(100 + (at % 140)),
          named: { code: `${100 + (at % 140)}${at}`, name: `Made-up Street ${at % 5_000}`, type: 'BCT' },
        })),
      ),
    ).map(([part, columns]) => ({ dataset: 'stops' as const, part, columns })),
    {
      dataset: 'bus-routes',
      part: busRoutesPart,
      columns: encodeBusRoutes({
        codes: timed.map((_, at) => `490${String(at).padStart(7, '0')}`),
        latitudeMicro: Int32Array.from(timed, ({ latitudeMicro }) => latitudeMicro),
        longitudeMicro: Int32Array.from(timed, ({ longitudeMicro }) => longitudeMicro),
        stop: Uint32Array.from({ length: calls }, (_, at) => Math.floor(at / callsPerStop)),
        route: Uint32Array.from({ length: calls }, () => 1 + whole(random, routes.length)),
        feed: new Uint16Array(calls),
        routes,
        operators: Array.from({ length: 600 }, (_, at) => ({ noc: `N${at}`, name: `Operator ${at}` })),
        feeds: [{ name: 'all', referenceDay: 20_700, validFrom: 20_690 }],
      }),
    },
    {
      dataset: 'cycle-hire',
      part: cycleHirePart,
      columns: encodeCycleHire(
        docks.map((point, at) => ({ ...point, id: `BikePoints_${at}`, name: `Dock ${at}` })),
      ),
    },
    {
      dataset: 'traffic',
      part: trafficPart,
      columns: encodeTraffic(
        pointsOf(46_000, random).map((point, at) => ({
          ...point,
          id: at + 1,
          year: 2025,
          vehiclesADay: whole(random, 60_000),
        })),
      ),
    },
  ];
}

/** Half a million objects and 60,000 parks, on a map of the whole country. */
export function makeAmenities(random: Random): readonly MadePart[] {
  const [firstRow, firstColumn] = [rowOf(49_500_000), columnOf(-8_000_000)];
  const [rows, columns] = [rowOf(57_000_000) - firstRow, columnOf(3_000_000) - firstColumn];
  const cells = new CoverageCells(
    { firstRow, firstColumn, rows, columns },
    new Uint8Array(rows * columns).fill(inside),
  );
  function* objects(): Generator<Mapped> {
    for (let object = 1; object <= 500_000; object += 1) {
      const { latitudeMicro, longitudeMicro } = makePoint(random);
      const kind = pointKinds[whole(random, pointKinds.length)] ?? 'cafe';
      yield { kind, object, latitudeMicro, longitudeMicro };
    }
    for (let object = 500_001; object <= 560_000; object += 1) {
      const { latitudeMicro, longitudeMicro } = makePoint(random);
      const outline = Int32Array.from({ length: 24 }, (_, at) => {
        const angle = (Math.PI * Math.floor(at / 2)) / 6;
        return at % 2 === 0
          ? latitudeMicro + Math.round(1_500 * Math.sin(angle))
          : longitudeMicro + Math.round(2_400 * Math.cos(angle));
      });
      yield { kind: 'park', object, outline };
    }
  }
  const builder = new AmenitiesBuilder();
  builder.add({ region: 'made up', asOfMs: 0, cells }, objects());
  return Object.entries(builder.encode()).map(([part, made]) => ({
    dataset: 'amenities',
    part,
    columns: made,
  }));
}
