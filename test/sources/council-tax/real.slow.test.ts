// The loaders on real official files.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { firstRows } from '../../../src/ingest/read/csv.ts';
import { openCouncilTax } from '../../../src/tables/council-tax/council-tax.ts';
import { deriveBands, nationOfCode } from '../../../src/uk/council-tax-bands.ts';
import { parseTaxYear } from '../../../src/uk/tax-year.ts';
import { openTestHome } from '../../ingest/home.ts';
import { realFile, realFiles, testWith } from '../../requirements.ts';

const root = path.join(import.meta.dirname, '../../..');
const workbook = 'data/council_tax/CTR_Table_9_2023-24.ods';
const extract = 'data/council_tax/CTR_Table_9_2023-24_Data_Billing_extract.csv';

async function openAuthoritiesHome() {
  const home = openTestHome();
  const names = ['billing-authorities.csv', 'abolished-authorities.csv', 'authorities.json'];
  await home.ingest(names.map((name) => path.join(root, 'data/facts', name)));
  return home;
}

const recordsOf = (file: string) => {
  const [header = [], ...rows] = firstRows(readFileSync(file), Number.POSITIVE_INFINITY, 'utf-8');
  return rows.map((row) => (name: string) => row[header.indexOf(name)] ?? '');
};
const pence = (pounds: string) => Math.round(Number((Number(pounds) * 100).toFixed(4)));

testWith(
  realFiles(workbook, extract),
  'ODS 2023-24: 296 authorities, each equal to line 17, the sum of its parts',
  async (place) => {
    const home = await openAuthoritiesHome();
    try {
      const { sources, release } = await home.ingest([place(workbook)]);
      assert.deepEqual([sources[0]?.kept, sources[0]?.rows], [296, 296]);
      assert.deepEqual(
        sources[0]?.rejected.map(({ count }) => count),
        [6],
      );
      const table = openCouncilTax(release);
      let compared = 0;
      for (const get of recordsOf(place(extract))) {
        const code = { E08000016: 'E08000038', E08000019: 'E08000039' }[get('ons_code')] ?? get('ons_code');
        const bandD = table.find(code, 2023)?.pence[3];
        const parts = [
          'own_band_d_incl_parish_2023_24',
          'major_precept_county_or_gla',
          'major_precept_police',
          'major_precept_fire',
          'major_precept_combined_authority',
        ];
        assert.equal(bandD, pence(get('area_band_d_2023_24')), code);
        assert.equal(
          bandD,
          parts.reduce((sum, part) => sum + pence(get(part)), 0),
          code,
        );
        compared += 1;
      }
      assert.equal(compared, 296);
      assert.equal(table.rows[0]?.edition.publishedAt, '2023-03-23T00:00:00+00:00');
    } finally {
      home.remove();
    }
  },
);

testWith(
  realFile('data/council_tax/ctr_2223.xlsx'),
  'the workbook of 2022-23, without ONS codes, joins by E-code',
  async (file) => {
    const home = await openAuthoritiesHome();
    try {
      const { sources, release } = await home.ingest([file]);
      assert.equal(sources[0]?.kept, 292);
      assert.equal(sources[0]?.edition, 'England 2022-23');
      assert.equal(openCouncilTax(release).find('E09000033', 2022)?.pence[3], 86_578);
    } finally {
      home.remove();
    }
  },
);

testWith(
  realFile('data/council_tax/2024-01-10_Wales_Council_Tax_CentreforCities.xlsx'),
  'StatsWales 2022-23 gives all 22 with their totals',
  async (file) => {
    const home = await openAuthoritiesHome();
    try {
      const { sources, release } = await home.ingest([file]);
      assert.equal(sources[0]?.kept, 22);
      assert.equal(openCouncilTax(release).find('W06000015', 2022)?.pence[3], 164_018);
    } finally {
      home.remove();
    }
  },
);

testWith(
  realFile('facts/council_tax_bands.csv'),
  'the bundled figures are the checked ones, and every derived band of theirs is ours',
  (file) => {
    const bundled = new Map(
      recordsOf(path.join(root, 'data/facts/council-tax.csv')).map((get) => [
        `${get('code')} ${get('taxYear')}`,
        get,
      ]),
    );
    const letters = [...'abcdefghi'];
    let compared = 0;
    for (const get of recordsOf(file)) {
      const code = { E08000016: 'E08000038', E08000019: 'E08000039' }[get('code')] ?? get('code');
      const ours = bundled.get(`${code} ${get('taxYear')}`);
      const nation = nationOfCode(code);
      assert.ok(ours !== undefined && nation !== undefined, code);
      const theirs = letters.map((letter) => get(`band_${letter}`)).filter((text) => text !== '');
      assert.equal(ours('bandD'), get('band_d'));
      const derived = deriveBands(nation, parseTaxYear(get('taxYear')) ?? 0, pence(get('band_d')));
      const all =
        get('bandsBasis') === 'published'
          ? letters
              .map((letter) => ours(`band${letter.toUpperCase()}`))
              .filter((text) => text !== '')
              .map(pence)
          : derived;
      assert.deepEqual(all, theirs.map(pence), `${code} ${get('taxYear')}`);
      compared += 1;
    }
    assert.equal(compared, 700);
    assert.equal(bundled.size, 700);
  },
);
