// The demographics of a postcode: every figure with its area, source and period, or null.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { demographics, describeDemographics } from '../../../src/endpoints/area-statistics/demographics.ts';
import { firstRows } from '../../../src/ingest/read/csv.ts';
import type { Release } from '../../../src/release/reader.ts';
import { openHome } from '../../../src/release/store.ts';
import { openCensus } from '../../../src/tables/census/census.ts';
import { layouts } from '../../../src/tables/index.ts';
import { openPostcodes, type PostcodeRow } from '../../../src/tables/postcodes/postcodes.ts';
import { parsePostcode } from '../../../src/uk/postcode.ts';
import { bundledHome } from '../../rig.ts';

const { home, remove } = await bundledHome();
let sample: Release;
let sandbox: Release;
before(() => {
  const stores = openHome(home, layouts);
  sample = stores.releases.openCurrent();
  sandbox = stores.sandbox.openCurrent();
});
after(remove);

const place = (release: Release, text: string): PostcodeRow =>
  openPostcodes(release).find(parsePostcode(text) ?? assert.fail(text)) ??
  assert.fail(`${text} is not there`);

const nothing = {
  population: null,
  populationDensity: null,
  medianAge: null,
  households: null,
  averageHouseholdSize: null,
  employmentRate: null,
  medianIncome: null,
  basis: [],
};

test('the Barbican has the figures of its LSOA, and nulls for the rest', () => {
  const answer = describeDemographics(place(sample, 'EC2Y 8DN'), sample);
  assert.deepEqual(answer, {
    ...nothing,
    population: 1475,
    populationDensity: 11_364,
    medianAge: 44.3,
    households: 838,
    averageHouseholdSize: 1.76,
    basis: [
      {
        fields: ['population', 'populationDensity', 'medianAge', 'households', 'averageHouseholdSize'],
        dataset: 'census-england-wales',
        source:
          'Census 2021 of England and Wales (ONS, Nomis), bundled sample, Office for National Statistics',
        period: '2021-03-21',
        geographyCode: 'E01000001',
        geographyName: 'City of London 001A',
        radiusMetres: null,
      },
    ],
  });
});

test('every given figure is in one basis, and no null is', () => {
  for (const release of [sample, sandbox]) {
    const table = openPostcodes(release);
    for (const area of table.areas()) {
      for (const row of table.inArea(area)) {
        const { basis, ...figures } = describeDemographics(row, release);
        const given = Object.entries(figures).flatMap(([field, figure]) => (figure === null ? [] : [field]));
        assert.deepEqual(basis.flatMap(({ fields }) => fields).sort(), given.sort(), row.postcode);
        demographics.write({ ...figures, basis });
      }
    }
  }
});

test('a postcode without small area has no census figures, not those of its district', () => {
  const row = { ...place(sample, 'EC2Y 8DN'), lsoaCode: null };
  assert.deepEqual(describeDemographics(row, sample), nothing);
  assert.deepEqual(describeDemographics({ ...row, authorityCode: null }, sample), nothing);
});

test('the three corners of the sandbox town answer from three publications', () => {
  const english = describeDemographics(place(sandbox, 'ZZ1 1AA'), sandbox);
  assert.deepEqual(Object.values(english).slice(0, 7), [1426, 3060, 40.3, 616, 2.28, 52.2, 28_450]);
  assert.deepEqual(
    english.basis.map(({ geographyCode, geographyName, period }) => [geographyCode, geographyName, period]),
    [
      ['E01999001', 'Zedbury 001A', '2021-03-21'],
      ['E06000999', 'Zedbury', '2022-23'],
    ],
  );
  assert.match(english.basis[1]?.source ?? '', /^median total income of taxpayers before tax: .*HM Revenue/);
  const welsh = describeDemographics(place(sandbox, 'ZZ3 1AA'), sandbox);
  assert.deepEqual([welsh.employmentRate, welsh.medianIncome], [53, 25_900]);
  const scottish = describeDemographics(place(sandbox, 'ZZ4 1AA'), sandbox);
  assert.deepEqual(Object.values(scottish).slice(0, 7), [1001, null, 40.2, 422, 2.41, 60.4, null]);
  assert.match(scottish.basis[0]?.source ?? '', /^Scotland's Census 2022/);
});

test('an area that one table lacks has a null there alone', () => {
  const row = { ...place(sandbox, 'ZZ3 1AA'), lsoaCode: 'W01999002' };
  const { employmentRate, population, basis } = describeDemographics(row, sandbox);
  assert.equal(employmentRate, null);
  assert.ok(population !== null && population > 1000);
  assert.ok(!basis.some(({ fields }) => fields.includes('employmentRate')));
});

test('the bundled figures are those of the files, as they stand', () => {
  const read = (name: string) =>
    firstRows(
      readFileSync(path.join(import.meta.dirname, '../../../data/sample', name)),
      Number.POSITIVE_INFINITY,
      'utf-8',
    ).slice(1);
  const census = openCensus(sample);
  const figures = {
    'census2021-ts001-lsoa.csv': 'population',
    'census2021-ts006-lsoa.csv': 'populationDensity',
    'census2021-ts041-lsoa.csv': 'households',
  } as const;
  for (const [file, figure] of Object.entries(figures)) {
    const lsoas = read(file);
    assert.equal(lsoas.length, 137);
    for (const [, , code = '', count] of lsoas)
      assert.equal(census.find(code)?.[figure], Math.round(Number(count)), `${figure} of ${code}`);
  }
  assert.equal([...census.residents()].length, 137);
  const { extent } = sample.findDataset('census-england-wales') ?? assert.fail();
  assert.equal(extent, 'sample');
});

test('what a release without census and incomes answers is null', () => {
  const bare: Release = Object.create(sample, {
    has: { value: () => false },
    findDataset: { value: () => undefined },
  });
  assert.deepEqual(describeDemographics(place(sample, 'EC2Y 8DN'), bare), nothing);
});

test('each figure is described with its source and when it is null', () => {
  const { properties } = demographics.schema;
  assert.ok(typeof properties === 'object' && properties !== null);
  const texts = Object.entries(properties).filter(([name]) => name !== 'basis');
  assert.equal(texts.length, 7);
  for (const [name, schema] of texts) {
    assert.match(JSON.stringify(schema), /null if/i, name);
  }
});
