// A place has a name, whatever names are loaded: never a code, which no caller could show.

import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { crimeByPostcode } from '../../src/endpoints/crime-by-postcode.ts';
import { openTestHome } from '../ingest/home.ts';
import { madeDirectory } from './made-postcodes.ts';

const data = path.join(import.meta.dirname, '../../data');
const at = [51.5199, -0.0936] as const;
const inLondon = { country: 'england', point: at, authority: 'E09000001', policeArea: 'E23000034' } as const;
const postcodes = madeDirectory([
  { postcode: 'EC2Y 8AA', ward: 'E05009302', ...inLondon },
  { postcode: 'EC2Y 8AB', ...inLondon },
  { postcode: 'EC2Y 8AD', country: 'england', point: at, policeArea: 'E23000034' },
]);
const titles =
  'Crime ID,Month,Reported by,Falls within,Longitude,Latitude,Location,LSOA code,LSOA name,Crime type,Last outcome category,Context';
const crime =
  ',2026-08,City of London Police,City of London Police,-0.0936,51.5199,On or near Moor Lane,,,Drugs,,';

const inAllWays = (count: number) =>
  Array.from({ length: 2 ** count }, (_, bits) =>
    Array.from({ length: count }, (_, place) => ((bits >> place) & 1) === 1),
  );

for (const [hasWards = false, hasDistricts = false, hasCouncils = false] of inAllWays(3)) {
  const loaded = [hasWards && 'wards', hasDistricts && 'districts', hasCouncils && 'councils'].filter(
    Boolean,
  );
  test(`with names of ${loaded.join(', ') || 'nothing'}, every place has the name of its ward, else of its district, else of its nation`, async (t) => {
    const home = openTestHome();
    t.after(() => home.remove());
    const { release } = await home.ingest([
      home.put('ONSPD_NOV_2025_UK.csv', postcodes),
      home.put('crimes.csv', `${[titles, ...Array.from({ length: 60 }, () => crime)].join('\n')}\n`),
      ...(hasWards ? [home.put('w.csv', 'WD25CD,WD25NM\nE05009302,Cripplegate\n')] : []),
      ...(hasDistricts ? [home.put('d.csv', 'LAD25CD,LAD25NM\nE09000001,City of London\n')] : []),
      ...(hasCouncils
        ? ['facts/billing-authorities.csv', 'facts/abolished-authorities.csv', 'facts/authorities.json'].map(
            (name) => path.join(data, name),
          )
        : []),
    ]);
    const nameOf = async (postcode: string) => {
      const prepared = crimeByPostcode.prepare(new URLSearchParams({ postcode }));
      assert.ok(prepared.kind === 'prepared');
      const outcome = await prepared.run({ release, today: 20_772 });
      assert.ok(outcome.kind === 'answered', JSON.stringify(outcome));
      return JSON.parse(outcome.json).locationName;
    };
    const district = hasDistricts ? 'City of London' : hasCouncils ? 'City of London Corporation' : 'England';
    assert.deepEqual(
      [await nameOf('EC2Y 8AA'), await nameOf('EC2Y 8AB'), await nameOf('EC2Y 8AD')],
      [hasWards ? 'Cripplegate' : district, district, 'England'],
    );
  });
}
