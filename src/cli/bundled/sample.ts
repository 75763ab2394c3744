// What the bundled sample is: official files cut down to a few places (data/sample/README.md has where each comes from),
// read by the ordinary loaders, and here what such a file cannot say of itself: of which edition it is, and around which
// points it has everything. Beyond them an answer is unknown, and never 0.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { SampleCuts } from '../../ingest/source.ts';
import type { Columns } from '../../release/part.ts';
import type { Release } from '../../release/reader.ts';
import {
  crimeSampleAreasTable,
  crimeSampleReachTable,
  encodeCrimeSampleAreas,
  parseSampleAreas,
} from '../../tables/crime/sample.ts';
import { openPostcodes } from '../../tables/postcodes/postcodes.ts';
import { encodeReach, isNear, type ReachPoints } from '../../tables/reach.ts';
import { welshSchoolReachTable } from '../../tables/schools/schools.ts';
import { busReachTable } from '../../tables/transport/bus-routes.ts';
import { stationReachTable } from '../../tables/transport/stops.ts';
import type { LatLong } from '../../uk/grid.ts';

const areasFile = path.join(import.meta.dirname, '../../../data/sample/crime-areas.csv.gz');

/** What the cuts are made of, beside the files that the loaders read. */
export const cutsMadeOf = [areasFile, import.meta.filename];

type Point = readonly [latitude: number, longitude: number];

/** NP10 8WA in Newport, PO33 2RX in Ryde, LE15 6QU in Oakham: of each the postcodes within a kilometre are complete. */
const newport: Point = [51.560709, -3.022114];
const ryde: Point = [50.724499, -1.160294];
const oakham: Point = [52.672299, -0.73124];

const around = (points: readonly Point[], metres: number): ReachPoints => ({
  points: points.map(([latitude, longitude]) => ({
    latitudeMicro: Math.round(latitude * 1e6),
    longitudeMicro: Math.round(longitude * 1e6),
  })),
  metres,
});

/** Forces that the sample has around a few places: all their crimes of 2024, those of them that name no LSOA, and by month
 *  from January 2023 how many the force published beside those of the sample. */
const forces = [
  {
    name: 'Gwent Police',
    crimes: 72_040,
    unplaced: 1_356,
    elsewhere: [
      4305, 4892, 4891, 4893, 5257, 5173, 4700, 4887, 4854, 5796, 5182, 4901, 5210, 4996, 5600, 5702, 6167,
      5875, 6271, 5751, 5535, 5672, 5501, 4987,
    ],
  },
  {
    name: 'Hampshire Constabulary',
    crimes: 170_873,
    unplaced: 0,
    elsewhere: [
      14_358, 14_171, 15_812, 14_865, 15_373, 15_642, 15_507, 14_902, 14_850, 14_150, 13_256, 12_588, 13_287,
      12_961, 13_803, 13_255, 14_152, 14_997, 15_700, 15_129, 14_014, 14_464, 13_935, 12_679,
    ],
  },
  {
    name: 'Leicestershire Police',
    crimes: 107_902,
    unplaced: 3_149,
    elsewhere: [
      8610, 8714, 9519, 9529, 9761, 9678, 9150, 9208, 9170, 9029, 8558, 8229, 8248, 8167, 8829, 9057, 9322,
      9428, 9508, 9284, 9094, 9093, 8873, 8135,
    ],
  },
];
/** January 2023 and December 2024, as parseMonth gives them. */
const firstMonth = 12 * 2023;
const lastMonth = firstMonth + 23;

const mapReach = around([newport, ryde, oakham], 5_000);

/** Each file reaches a kilometre farther than the largest circle that is asked for, so that no circle ends outside. */
export const sampleCuts: SampleCuts = {
  postcodes: {
    told: {
      source: 'OS Code-Point Open, bundled sample',
      publisher: 'Ordnance Survey',
      publisherShort: 'Ordnance Survey',
      licence: 'Open Government Licence v3.0',
      attribution:
        'Contains OS data © Crown copyright and database right 2025. Contains Royal Mail data © Royal Mail copyright and database right 2025. Contains National Statistics data © Crown copyright and database right 2025.',
      edition: '2025.4.0',
      asOf: '2025-10-17',
      coverage: {
        Scotland: '6 postcodes, a sample',
        England: '575 postcodes, a sample',
        Wales: '115 postcodes, a sample',
      },
    },
  },
  'place-names': { told: { asOf: '2025-10-01' } },
  'price-paid': {},
  crime: {
    told: {
      source: 'Street-level crime, data.police.uk, bundled sample',
      edition: '2023-01 to 2024-12, City of London Police, and around Newport (Gwent), Ryde and Oakham',
      coverage: {
        England: 'City of London Police; 3 km around PO33 2RX in Ryde and LE15 6QU in Oakham',
        Wales: '3 km around NP10 8WA in Newport',
      },
    },
    elsewhere: forces.flatMap(({ name: force, elsewhere }) =>
      elsewhere.map((crimes, at) => ({ force, month: firstMonth + at, crimes })),
    ),
    parts: () => ({
      [crimeSampleReachTable.part]: encodeReach(
        crimeSampleReachTable,
        around([newport, ryde, oakham], 3_000),
      ),
      [crimeSampleAreasTable.part]: readCrimeAreas(),
    }),
  },
  'schools-wales': {
    told: {
      source: 'Address list of schools, bundled sample',
      edition: 'list of 2021-08-25, bundled sample',
      coverage: { Wales: 'maintained schools within 4.2 km of NP10 8WA in Newport' },
    },
    // The list has no coordinates. These are of OS Code-Point Open, worked out as those of the other postcodes.
    postcodes: new Map([
      placed('NP10 8JN', 51.575474, -3.061509),
      placed('NP10 8NF', 51.574218, -3.04324),
      placed('NP10 9AB', 51.586163, -3.040728),
      placed('NP10 9NL', 51.583743, -3.05792),
      placed('NP10 9YX', 51.586514, -3.049728),
      placed('NP19 0AP', 51.587951, -2.988905),
      placed('NP20 2FT', 51.577435, -2.994796),
      placed('NP20 2LW', 51.574325, -2.993631),
      placed('NP20 3AQ', 51.569883, -3.020877),
      placed('NP20 3DG', 51.56766, -3.010641),
      placed('NP20 3GY', 51.576158, -3.018867),
      placed('NP20 3RH', 51.582807, -3.027705),
      placed('NP20 4DW', 51.584544, -2.997289),
      placed('NP20 4JT', 51.58522, -3.009703),
      placed('NP20 5HJ', 51.5915, -2.999867),
    ]),
    parts: () => ({
      [welshSchoolReachTable.part]: encodeReach(welshSchoolReachTable, around([newport], 4_200)),
    }),
  },
  amenities: {
    told: {
      source: 'OpenStreetMap, bundled sample',
      edition: 'Newport 2023-06-13, Oakham 2022-07-20, Ryde 2015-01-01',
      nextEditionExpected: null,
      coverage: {
        England: 'some 5 km around PO33 2RX in Ryde and LE15 6QU in Oakham',
        Wales: 'some 5 km around NP10 8WA in Newport',
      },
    },
    isCompleteAt: (place) => isNear(place, mapReach),
  },
  'census-england-wales': {
    told: {
      source: 'Census 2021 of England and Wales (ONS, Nomis), bundled sample',
      edition: 'Census 2021, bundled sample',
      coverage: {
        England: "LSOAs of the sample's postcodes; no employment",
        Wales: "LSOAs of the sample's postcodes; no employment",
      },
    },
  },
  income: {
    told: {
      source: 'Annual Survey of Hours and Earnings, table 8 (ONS), bundled sample',
      edition: 'Hours and earnings 2020-21, bundled sample',
      nextEditionExpected: null,
      coverage: {
        'United Kingdom': 'median gross pay of local authorities; nothing from HM Revenue & Customs',
      },
    },
  },
  stops: {
    told: {
      source: 'NaPTAN and TfL stations, bundled sample',
      publisher: 'Department for Transport; Transport for London',
      publisherShort: 'DfT, TfL',
      licence: 'Open Government Licence v3.0; TfL transport data service terms',
      attribution:
        'Contains public sector information licensed under the Open Government Licence v3.0 (Department for Transport, NaPTAN). Powered by TfL Open Data.',
      edition: 'TfL June 2026, NaPTAN RailReferences December 2019 and access nodes July 2026',
      asOf: '2019-12-17',
      nextEditionExpected: null,
      coverage: {
        England: "stations within 3 km of the sample's postcodes; no bus stops",
        Wales: "stations within 3 km of the sample's postcodes; no bus stops",
        Scotland: "stations within 3 km of the sample's postcodes; no bus stops",
      },
    },
    parts: (soFar) => ({
      [stationReachTable.part]: encodeReach(stationReachTable, around(pointsOfPostcodes(soFar), 3_000)),
    }),
  },
  'bus-routes': {
    told: {
      source: 'Bus Open Data Service timetables (GTFS), bundled sample',
      edition: 'Tuesday 2024-03-05, bundled sample',
      nextEditionExpected: null,
      coverage: { Wales: 'stops within 1.4 km of NP10 8WA in Newport' },
    },
    parts: () => ({ [busReachTable.part]: encodeReach(busReachTable, around([newport], 1_400)) }),
  },
  traffic: {
    told: {
      source: 'Annual average daily flow (AADF), bundled sample',
      edition: '2015, bundled sample',
      nextEditionExpected: null,
      coverage: { England: 'the count points of the Isle of Wight' },
    },
  },
};

function placed(postcode: string, latitudeDegrees: number, longitudeDegrees: number): [string, LatLong] {
  return [postcode, { latitudeDegrees, longitudeDegrees }];
}

function pointsOfPostcodes(release: Release | undefined): readonly Point[] {
  if (release?.findDataset('postcodes') === undefined) return [];
  const postcodes = openPostcodes(release);
  const rows = postcodes.areas().flatMap((area) => [...postcodes.inArea(area)]);
  return rows.flatMap(({ point }): readonly Point[] =>
    point === null ? [] : [[point.latitudeDegrees, point.longitudeDegrees]],
  );
}

/** Rank and average need a year of every area of a force, which as rows of the police would be seventy times the sample. */
function readCrimeAreas(): Columns {
  const areas = parseSampleAreas(gunzipSync(readFileSync(areasFile)).toString());
  const years = forces.map(({ name, crimes, unplaced }) => ({
    name,
    lastMonth,
    unplacedShare: unplaced / crimes,
  }));
  return encodeCrimeSampleAreas(areas, years);
}
