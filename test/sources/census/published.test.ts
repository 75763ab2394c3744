// What the census loader makes of whole authorities and of whole nations, against figures that the Office for National
// Statistics published of them. Figures typed here are facts with their source; others need the real files of output
// areas.
//
// ONS changes small counts at random (cell key perturbation), for every table and level of area anew: sums of hundreds of
// output areas differ from the published total by a few persons in ten thousand, never by nothing.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { firstRows } from '../../../src/ingest/read/csv.ts';
import { type CensusArea, openCensus } from '../../../src/tables/census/census.ts';
import { medianAge } from '../../../src/uk/age-bands.ts';
import { openTestHome } from '../../ingest/home.ts';
import { realFile, realFiles, testWith } from '../../requirements.ts';
import { nomisCsv, ts001Columns, ts006Columns, ts041Columns, ts066Columns } from './files.ts';

const rowsOf = (file: string) => firstRows(readFileSync(file), Number.POSITIVE_INFINITY, 'utf-8');

/**
 * The four authorities whose output areas are all among the first 2,000 of the census, in the order of the file. Residents
 * and density: ONS, Population and household estimates, Census 2021 (28 June 2022), residents rounded to hundreds and
 * density of those, as in the data of its article "How the population changed in …" (github.com/ONSvisual/
 * census-population-scrolly, static/data/place_data).
 */
const authorities = [
  { code: 'E06000001', name: 'Hartlepool', firstArea: 'E00060274', residents: 92_300, density: 985 },
  { code: 'E06000002', name: 'Middlesbrough', firstArea: 'E00060865', residents: 143_900, density: 2_671 },
  {
    code: 'E06000003',
    name: 'Redcar and Cleveland',
    firstArea: 'E00061021',
    residents: 136_500,
    density: 557,
  },
  { code: 'E06000004', name: 'Stockton-on-Tees', firstArea: 'E00061745', residents: 196_600, density: 959 },
] as const;
/** The first output area of Darlington, of which the file has only some. */
const afterLast = 'E00062207';

const renamed = <Table extends string>(table: Table) =>
  `data/area/census2021_${table}_oa_renamed_first2000.csv` as const;
const inDistricts = 'data/area/census2021-ts007-ltla.csv';
const householdSizes = 'data/area/census2021-ts017-oa.rebuilt-header.first1000.csv';

/** Values by output area of a file whose header was renamed. */
function readAreas(file: string): Record<string, readonly string[]> {
  const [, ...rows] = rowsOf(file);
  return Object.fromEntries(rows.map(([code = '', ...values]) => [code, values]));
}

/** `parents`: output area → the area that stands for its authority. */
async function loadAs(
  parents: ReadonlyMap<string, string>,
  tables: readonly string[],
  files: readonly string[] = [],
): Promise<(code: string) => CensusArea> {
  const home = openTestHome();
  try {
    const lookup = [...parents].map(([area, parent]) => `${area},${parent}`);
    const paths = tables.map((text, at) => home.put(`table-${at}.csv`, text));
    await home.ingest([
      home.put('lookup.csv', `OA21CD,LSOA21CD\n${lookup.join('\n')}\n`),
      ...paths,
      ...files,
    ]);
    const census = openCensus(home.store.openCurrent());
    return (code) => census.find(code) ?? assert.fail(code);
  } finally {
    home.remove();
  }
}

/** An LSOA of our own for each authority, so that the loader sums its output areas as it sums those of an LSOA. */
const standIn = (authority: string) => `E01${authority.slice(3)}`;

function parentsOf(areas: readonly string[]): ReadonlyMap<string, string> {
  const starts = authorities.map(({ firstArea }) => areas.indexOf(firstArea));
  const ends = [...starts.slice(1), areas.indexOf(afterLast)];
  return new Map(
    authorities.flatMap(({ code }, at) =>
      areas.slice(starts[at], ends[at]).map((area) => [area, standIn(code)] as const),
    ),
  );
}

testWith(
  realFiles(renamed('ts001'), renamed('ts006'), renamed('ts041'), inDistricts),
  'of four whole authorities residents and density are those that ONS published, within its perturbation',
  async (place, context) => {
    const people = readAreas(place(renamed('ts001')));
    const densities = readAreas(place(renamed('ts006')));
    const homes = readAreas(place(renamed('ts041')));
    const ages = place(inDistricts);
    const parents = parentsOf(Object.keys(people));
    assert.equal(parents.size, 1_922);
    const own = (rows: Record<string, readonly string[]>) =>
      Object.fromEntries(Object.entries(rows).filter(([code]) => parents.has(code)));
    const find = await loadAs(parents, [
      nomisCsv(ts001Columns, own(people)),
      nomisCsv(ts006Columns, own(densities)),
      nomisCsv(ts041Columns, own(homes)),
    ]);
    const unrounded = new Map(rowsOf(ages).map(([, , code = '', total]) => [code, Number(total)]));
    for (const { code, name, residents, density } of authorities) {
      const { population, populationDensity, households, averageHouseholdSize } = find(standIn(code));
      const ours = population ?? assert.fail(name);
      assert.ok(Math.abs(ours - (unrounded.get(code) ?? 0)) <= 0.0002 * ours, `${name}: ${ours} in TS001`);
      assert.ok(Math.abs(ours - residents) <= 50 + 0.0002 * ours, `${name}: ${ours}, published ${residents}`);
      assert.ok(
        Math.abs((populationDensity ?? 0) - density) <= 1,
        `${name}: ${populationDensity} per km², published ${density}`,
      );
      context.diagnostic(
        `${name}: ${ours} residents (TS007 ${unrounded.get(code)}, first results ${residents}), ${populationDensity} per km² (${density}), ${households} households of ${averageHouseholdSize}`,
      );
    }
  },
);

testWith(
  realFiles(renamed('ts001'), renamed('ts041'), householdSizes),
  'of two whole authorities the table of household sizes has the households of the table of households',
  async (place, context) => {
    const homes = readAreas(place(renamed('ts041')));
    const people = readAreas(place(renamed('ts001')));
    const sizes = place(householdSizes);
    const whole = new Set<string>(['E06000001', 'E06000002'].map(standIn));
    const parents = new Map([...parentsOf(Object.keys(people))].filter(([, parent]) => whole.has(parent)));
    const own = (rows: Record<string, readonly string[]>) =>
      Object.fromEntries(Object.entries(rows).filter(([code]) => parents.has(code)));
    const counted = await loadAs(parents, [
      nomisCsv(ts001Columns, own(people)),
      nomisCsv(ts041Columns, own(homes)),
    ]);
    // The rows beyond the two are rejected, as the look-up does not have them.
    const sized = await loadAs(parents, [], [sizes]);
    for (const code of whole) {
      const [one, other] = [counted(code), sized(code)];
      const homesIn: number = rowsOf(sizes)
        .slice(1)
        .filter(([, , area = '']) => parents.get(area) === code)
        .reduce((sum, row) => sum + Number(row[3]), 0);
      assert.ok(
        Math.abs((one.households ?? 0) - homesIn) <= 0.0005 * homesIn,
        `${one.households}, ${homesIn}`,
      );
      assert.ok(
        Math.abs((one.averageHouseholdSize ?? 0) - (other.averageHouseholdSize ?? 0)) <= 0.02,
        `${one.averageHouseholdSize} counted, ${other.averageHouseholdSize} by sizes`,
      );
      context.diagnostic(
        `${code}: ${one.households} households of ${one.averageHouseholdSize} counted; ${homesIn} of ${other.averageHouseholdSize} by sizes`,
      );
    }
  },
);

/**
 * England and Wales. Residents and households: ONS, Population and household estimates, unrounded data (2 November 2022).
 * People in households (TS001) and in employment of those aged 16 and over, students included (TS066): as quoted from the
 * tables by others; the shares that ONS published of them, below, are what they are held against.
 */
const nation = {
  residents: 59_597_542,
  inHouseholds: 58_555_851,
  households: 24_783_199,
  adults: 48_566_371,
  employed: 27_773_665,
};

test('the published totals of England and Wales give the published household size and employment rate', async () => {
  const { residents, inHouseholds, households, adults, employed } = nation;
  const communal = residents - inHouseholds;
  const find = await loadAs(new Map([['E00000001', 'E01000001']]), [
    nomisCsv(ts001Columns, { E01000001: [residents, inHouseholds, communal] }),
    nomisCsv(ts041Columns, { E01000001: [households] }),
    nomisCsv(ts066Columns, { E01000001: [adults, employed, employed, 0, 0] }),
  ]);
  const area = find('E01000001');
  assert.deepEqual([area.population, area.households], [residents, households]);
  assert.equal(area.averageHouseholdSize, 2.36);
  // ONS, Household and resident characteristics, Census 2021 (2 November 2022): 2.4 people a household.
  assert.equal(area.averageHouseholdSize?.toFixed(1), '2.4');
  // ONS, How people living in communal establishments differ, Census 2021: 1.7% of residents live in them.
  assert.equal(((100 * communal) / residents).toFixed(1), '1.7');
  // ONS, Employment in local authorities, Census 2021: 57.2% of residents aged 16 and over.
  assert.equal(area.employmentRate, 57.2);
});

/** ONS gives medians in whole years, of the person in the middle: 54 for everyone from 54 to 55. */
const wholeYears = (age: number | null | undefined) => Math.floor(age ?? Number.NaN);

testWith(
  realFile('data/area/census2021-ts007-ctry.csv'),
  'the median ages of the nations are those that ONS published',
  (file) => {
    const [header = [], ...rows] = rowsOf(file);
    const years = Array.from({ length: 100 }, (_, age) => ({ from: age, until: age + 1 }));
    const columnOf = (age: number) => {
      const text = age === 0 ? 'under 1 year' : age === 1 ? '1 year' : `${age} years`;
      const found = header.findIndex((title) => title.startsWith(`Age: Aged ${text};`));
      return found < 0 ? assert.fail(text) : found;
    };
    const columns = years.map(({ from }) => columnOf(from));
    const medians = rows.map((row) => {
      const counts = columns.map((at) => Number(row[at]));
      const known = counts.reduce((sum, count) => sum + count, 0);
      const open = Number(row[3]) - known;
      return [row[1], wholeYears(medianAge([...years, { from: 100, until: undefined }], [...counts, open]))];
    });
    // ONS, Population and household estimates, unrounded data.
    assert.deepEqual(medians, [
      ['England and Wales', 40],
      ['England', 40],
      ['Wales', 42],
    ]);
  },
);
