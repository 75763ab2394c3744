// The bundled sample of schools (data/sample/schools.csv): those around a place in Wales, each where its postcode is.

import type { NamedCells } from '../../ingest/read/named-rows.ts';
import { encodeReach } from '../../tables/reach.ts';
import {
  encodeSchools,
  type PlacedSchool,
  schoolLists,
  welshSchoolReachPart,
  welshSchoolReachTable,
} from '../../tables/schools/schools.ts';
import { reachOf, readPoint, sampleLoader } from '../sample-loader.ts';
import { agesOfSector, schoolsWalesFacts } from './wales-facts.ts';

const columns = ['schoolNumber', 'schoolName', 'sector', 'latitude', 'longitude'] as const;

export const schoolSample = sampleLoader({
  subject: 'sample-schools',
  facts: {
    ...schoolsWalesFacts,
    coverage: { Wales: 'maintained schools within 4.2 km of NP10 8WA in Newport' },
  },
  columns,
  readRow: readSchool,
  write: (schools, note, into) => {
    into.writePart(schoolLists.Wales, encodeSchools('Wales', schools, 'address list'));
    into.writePart(welshSchoolReachPart, encodeReach(welshSchoolReachTable, reachOf(note)));
  },
});

function readSchool(cells: NamedCells<(typeof columns)[number]>): PlacedSchool {
  const { cell, refuse } = cells;
  const number = Number(cell('schoolNumber'));
  if (!Number.isInteger(number) || number < 1) throw refuse('schoolNumber', 'a number');
  const phase = cell('sector');
  const ages = agesOfSector.get(phase);
  if (ages === undefined) throw refuse('sector', `one of ${[...agesOfSector.keys()].join(', ')}`);
  const { latitudeMicro, longitudeMicro } = readPoint(cells);
  const point = { latitudeDegrees: latitudeMicro / 1e6, longitudeDegrees: longitudeMicro / 1e6 };
  return { number, name: cell('schoolName'), phase, ...ages, point, placing: 'postcode' };
}
