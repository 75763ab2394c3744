// The loaders on real official files, where they lie beside the checkout (../shared/data); says so where they do not.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { firstRows } from '../../../src/ingest/read/csv.ts';
import { openCouncilTax } from '../../../src/tables/council-tax/council-tax.ts';
import { deriveBands, nationOfCode } from '../../../src/uk/council-tax-bands.ts';
import { parseTaxYear } from '../../../src/uk/tax-year.ts';
import { openTestHome } from '../../ingest/home.ts';

const root = path.join(import.meta.dirname, '../../..');
const shared = [path.join(root, '../shared'), path.join(root, '../../shared')].find((place) =>
  existsSync(place),
);
const inShared = (name: string) => {
  const place = path.join(shared ?? '', name);
  return shared !== undefined && existsSync(place) ? place : undefined;
};
const files = {
  workbook: inShared('data/council_tax/CTR_Table_9_2023-24.ods'),
  extract: inShared('data/council_tax/CTR_Table_9_2023-24_Data_Billing_extract.csv'),
  older: inShared('data/council_tax/ctr_2223.xlsx'),
  wales: inShared('data/council_tax/2024-01-10_Wales_Council_Tax_CentreforCities.xlsx'),
  bands: inShared('facts/council_tax_bands.csv'),
};
const absent = (place: string | undefined) =>
  place === undefined ? { skip: 'the real file is not here' } : {};

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

test(
  'ODS 2023-24: 296 authorities, each equal to line 17, the sum of its parts',
  absent(files.workbook),
  async () => {
    const home = await openAuthoritiesHome();
    try {
      const { sources, release } = await home.ingest([files.workbook ?? '']);
      assert.deepEqual([sources[0]?.kept, sources[0]?.rows], [296, 296]);
      assert.deepEqual(
        sources[0]?.rejected.map(({ count }) => count),
        [6],
      );
      const table = openCouncilTax(release);
      let compared = 0;
      for (const get of recordsOf(files.extract ?? '')) {
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

test('the workbook of 2022-23, without ONS codes, joins by E-code', absent(files.older), async () => {
  const home = await openAuthoritiesHome();
  try {
    const { sources, release } = await home.ingest([files.older ?? '']);
    assert.equal(sources[0]?.kept, 292);
    assert.equal(sources[0]?.edition, 'England 2022-23');
    assert.equal(openCouncilTax(release).find('E09000033', 2022)?.pence[3], 86_578);
  } finally {
    home.remove();
  }
});

test('StatsWales 2022-23 gives all 22 with their totals', absent(files.wales), async () => {
  const home = await openAuthoritiesHome();
  try {
    const { sources, release } = await home.ingest([files.wales ?? '']);
    assert.equal(sources[0]?.kept, 22);
    assert.equal(openCouncilTax(release).find('W06000015', 2022)?.pence[3], 164_018);
  } finally {
    home.remove();
  }
});

test(
  'the bundled figures are the checked ones, and every derived band of theirs is ours',
  absent(files.bands),
  () => {
    const bundled = new Map(
      recordsOf(path.join(root, 'data/facts/council-tax.csv')).map((get) => [
        `${get('code')} ${get('taxYear')}`,
        get,
      ]),
    );
    const letters = [...'abcdefghi'];
    let compared = 0;
    for (const get of recordsOf(files.bands ?? '')) {
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
