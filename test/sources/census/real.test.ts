// The census loader on real values. Their headers were renamed by those who kept them (OA, ts0010001, …) and are put
// back here as Nomis writes them.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { firstRows } from '../../../src/ingest/read/csv.ts';
import { fiveYearBands, nomisTables, normaliseColumn } from '../../../src/sources/census/england-wales.ts';
import { openCensus } from '../../../src/tables/census/census.ts';
import { type AgeBand, medianAge, parseAgeBand } from '../../../src/uk/age-bands.ts';
import { openTestHome } from '../../ingest/home.ts';
import { realFile, realFiles, testWith } from '../../requirements.ts';
import { nomisCsv, ts001Columns, ts006Columns, ts041Columns } from './files.ts';

const rowsOf = (file: string) => firstRows(readFileSync(file), Number.POSITIVE_INFINITY, 'utf-8');

const peopleFile = 'data/area/census2021_ts001_oa_renamed_first2000.csv';
const densitiesFile = 'data/area/census2021_ts006_oa_renamed_first2000.csv';
const homesFile = 'data/area/census2021_ts041_oa_renamed_first2000.csv';
const sizesFile = 'data/area/census2021-ts017-oa.rebuilt-header.first1000.csv';

/** Output area → values. */
const readRenamed = (file: string) =>
  Object.fromEntries(
    rowsOf(file)
      .slice(1)
      .map(([code = '', ...values]) => [code, values]),
  );

testWith(
  realFile('data/area/census2021-ts007-ltla.csv'),
  'medians from five-year bands lie within 0.3 years of those from single years, in all 331 districts',
  (file, context) => {
    const [header = [], ...rows] = rowsOf(file);
    const years = header.flatMap((name, index) => {
      const band = parseAgeBand(name.replace(/^Age: /, '').replace('; measures: Value', ''));
      const isYear = band !== undefined && (band.until ?? band.from + 1) === band.from + 1;
      return isYear && (band.until !== undefined || band.from === 100) ? [{ index, band }] : [];
    });
    assert.equal(years.length, 101);
    const single: readonly AgeBand[] = years.map(({ band }) => band);
    const differences = rows.map((row) => {
      const counts = years.map(({ index }) => Number(row[index]));
      const bands = fiveYearBands.map(({ from, until }) =>
        counts.reduce((sum, count, age) => sum + (age >= from && age < (until ?? 101) ? count : 0), 0),
      );
      return Math.abs(medianAge(fiveYearBands, bands) - medianAge(single, counts));
    });
    assert.equal(differences.length, 331);
    const largest = Math.max(...differences);
    assert.ok(largest < 0.3, `differs by ${largest} years`);
    context.diagnostic(`largest difference ${largest.toFixed(3)} years`);
  },
);

testWith(
  realFile('data/area/census2021_nomis_column_names__Table_Metadata.csv'),
  'every column that a table needs has its published name, once in that table',
  (file) => {
    const [header = [], ...rows] = rowsOf(file);
    const at = (row: readonly string[], name: string) => row[header.indexOf(name)] ?? '';
    for (const { id, columns } of nomisTables) {
      const published = rows
        .filter((row) => at(row, 'Table_ID') === id.toLowerCase())
        .map((row) => normaliseColumn(at(row, 'old_names')));
      for (const column of columns) {
        assert.equal(
          published.filter((name) => name === normaliseColumn(column)).length,
          1,
          `${id} ${column}`,
        );
      }
    }
  },
);

testWith(
  realFiles(peopleFile, densitiesFile, homesFile, sizesFile),
  '2,000 real output areas go through the loader and sum to what adding them by hand gives',
  async (place) => {
    const people = readRenamed(place(peopleFile));
    const densities = readRenamed(place(densitiesFile));
    const homes = readRenamed(place(homesFile));
    const home = openTestHome();
    try {
      const codes = Object.keys(people);
      assert.equal(codes.length, 2_000);
      // Which LSOA each belongs to is not in the files: eight in a row make one here.
      const parentOf = (index: number) => `E01${String(Math.floor(index / 8)).padStart(6, '0')}`;
      const lookup = codes.map((code, index) => `${code},${parentOf(index)}`);
      await home.ingest([
        home.put('lookup.csv', `OA21CD,LSOA21CD\n${lookup.join('\n')}\n`),
        home.put('ts001.csv', nomisCsv(ts001Columns, people)),
        home.put('ts006.csv', nomisCsv(ts006Columns, densities)),
        home.put('ts041.csv', nomisCsv(ts041Columns, homes)),
        place(sizesFile),
      ]);
      const census = openCensus(home.store.openCurrent());
      const valueAt = (rows: Record<string, string[]>, code: string, at: number): number =>
        Number(rows[code]?.[at]);
      for (let first = 0; first < codes.length; first += 8) {
        const own = codes.slice(first, first + 8);
        const sum = (countOf: (code: string) => number): number =>
          own.reduce((total, code) => total + countOf(code), 0);
        const residents = sum((code) => valueAt(people, code, 0));
        const ground = sum((code) => valueAt(people, code, 0) / valueAt(densities, code, 0));
        const households = sum((code) => valueAt(homes, code, 0));
        const householdSize: number = sum((code) => valueAt(people, code, 1)) / households;
        const area = census.find(parentOf(first)) ?? assert.fail();
        assert.deepEqual(
          [area.population, area.populationDensity, area.households, area.averageHouseholdSize],
          [residents, Math.round(residents / ground), households, Math.round(householdSize * 100) / 100],
        );
      }
      const residents = [...census.residents()].reduce((total, [, count]) => total + count, 0);
      assert.equal(
        residents,
        codes.reduce((total, code) => total + valueAt(people, code, 0), 0),
      );
    } finally {
      home.remove();
    }
  },
);

testWith(
  realFiles(peopleFile, homesFile, sizesFile),
  'household sizes of 1,000 real output areas give nearly the size of counted people and households',
  async (place, context) => {
    const people = readRenamed(place(peopleFile));
    const homes = readRenamed(place(homesFile));
    const home = openTestHome();
    try {
      const codes = rowsOf(place(sizesFile))
        .slice(1)
        .map((row) => row[2] ?? '');
      const parentOf = (index: number) => `E01${String(index).padStart(6, '0')}`;
      const lookup = codes.map((code, index) => `${code},${parentOf(index)}`);
      await home.ingest([
        home.put('lookup.csv', `OA21CD,LSOA21CD\n${lookup.join('\n')}\n`),
        place(sizesFile),
      ]);
      const census = openCensus(home.store.openCurrent());
      const gaps = codes.map((code, index) => {
        const counted = Number(people[code]?.[1]) / Number(homes[code]?.[0]);
        return Math.abs((census.find(parentOf(index))?.averageHouseholdSize ?? 0) - counted);
      });
      const mean = gaps.reduce((a, b) => a + b, 0) / gaps.length;
      assert.ok(mean < 0.03, `differs by ${mean} on average`);
      context.diagnostic(`mean difference ${mean.toFixed(4)} persons over ${gaps.length} output areas`);
    } finally {
      home.remove();
    }
  },
);
