// Every district has one police force, and it is the one that the directories of postcodes and the crimes themselves name.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { crimeByPostcode } from '../../src/endpoints/crime-by-postcode.ts';
import { findFiles } from '../../src/ingest/files.ts';
import { firstRows, readCsv } from '../../src/ingest/read/csv.ts';
import type { Release } from '../../src/release/reader.ts';
import { forceOf } from '../../src/tables/crime/police-forces.ts';
import { findForceOfArea, territorialForces } from '../../src/uk/police.ts';
import { findForceAreaOfCounty, findForceAreaOfDistrict } from '../../src/uk/police-districts.ts';
import { openTestHome } from '../ingest/home.ts';
import { realFile, realFiles, testWith } from '../requirements.ts';

const facts = path.join(import.meta.dirname, '../../data/facts');
const rowsOf = (file: string): readonly Readonly<Record<string, string>>[] => {
  const [titles = [], ...rows] = firstRows(readFileSync(file), 100_000, 'utf-8');
  return rows.map((cells) => Object.fromEntries(titles.map((title, at) => [title, cells[at] ?? ''])));
};
const billing = rowsOf(path.join(facts, 'billing-authorities.csv'));
const abolished = rowsOf(path.join(facts, 'abolished-authorities.csv'));

const forceOfCode = (code: string): string | undefined =>
  findForceOfArea(
    (code.startsWith('E10') ? findForceAreaOfCounty(code) : findForceAreaOfDistrict(code)) ?? '',
  );

test('every district of England and Wales has a force, and every force has one', () => {
  const codes = billing.filter(({ nation }) => nation !== 'Scotland').flatMap(({ code }) => code ?? []);
  assert.equal(codes.length, 318);
  const found = codes.map((code) => forceOfCode(code) ?? assert.fail(`${code} has no force`));
  assert.deepEqual([...new Set(found)].sort(), territorialForces.toSorted());
  for (const { code = '', formerCode = '', nation } of billing) {
    if (formerCode !== '' && nation !== 'Scotland')
      assert.equal(forceOfCode(formerCode), forceOfCode(code), code);
  }
});

test('an abolished district has the force of every authority that took its place', () => {
  assert.ok(abolished.length > 80);
  for (const { code = '', name, successors = '' } of abolished) {
    for (const successor of successors.split(';')) {
      assert.equal(forceOfCode(code), forceOfCode(successor), `${code} ${name}`);
    }
  }
});

test('codes of no district have no force', () => {
  for (const code of [
    '',
    'E99999999',
    'S12000033',
    'L99999999',
    'N09000001',
    'E06000067',
    'E07000247',
    'E05000001',
    'W06000025',
    'E10000001x',
  ])
    assert.equal(findForceAreaOfDistrict(code), undefined, code);
});

test("the directory's own police force area comes first, then the district, then the county", () => {
  const place = { nation: 'England', policeForceCode: null, authorityCode: null, countyCode: null } as const;
  const cases: readonly (readonly [Partial<Parameters<typeof forceOf>[0]>, string | undefined])[] = [
    [{ authorityCode: 'E07000243', countyCode: 'E10000015' }, 'Hertfordshire Constabulary'],
    [{ policeForceCode: 'E23000017', authorityCode: 'E07000243' }, 'Warwickshire Police'],
    [{ policeForceCode: 'E99999999', authorityCode: 'E07000243' }, 'Hertfordshire Constabulary'],
    [{ authorityCode: 'E07999999', countyCode: 'E10000015' }, 'Hertfordshire Constabulary'],
    [{ nation: 'Northern Ireland', authorityCode: 'N09000003' }, 'Police Service of Northern Ireland'],
    [{ nation: 'Scotland', authorityCode: 'S12000033', policeForceCode: 'S23000009' }, undefined],
    [{}, undefined],
  ];
  for (const [given, force] of cases) assert.equal(forceOf({ ...place, ...given }, undefined), force);
});

const directories = [
  'data/onspd/ONSPD_JUN_2023_UK_AB_sample.csv',
  'data/onspd/nspl_2025_sample.csv',
  'data/onspd/onspd_2024_aberdeen_8048rows_crlf.csv',
  'data/onspd/onspd_aug2024_sample.csv',
  'data/onspd/onspd_nov2025_sample.csv',
] as const;

testWith(
  realFiles(...directories),
  'of real directories, every district has the force area that they give',
  (file, t) => {
    let compared = 0;
    for (const name of directories) {
      for (const row of rowsOf(file(name))) {
        const cell = (...titles: readonly string[]) =>
          titles.map((title) => row[title]).find((text) => text !== undefined) ?? '';
        const [district, area, county] = [
          cell('oslaua', 'lad25cd'),
          cell('pfa', 'pfa23cd'),
          cell('oscty', 'cty25cd'),
        ];
        // Scotland's one force area is not of England and Wales, and no district of it is in the table.
        assert.equal(
          findForceAreaOfDistrict(district),
          /^[EW]/.test(area) ? area : undefined,
          `${name} ${district}`,
        );
        if (county.startsWith('E10')) assert.equal(findForceAreaOfCounty(county), area, county);
        compared += 1;
      }
    }
    t.diagnostic(`${compared} postcodes compared`);
  },
);

const archives = [
  'data/police/2024-12.zip',
  'data/places/newport/police-2023-01_2024-12.zip',
  'data/places/isle-of-wight/police-2023-01_2024-12.zip',
  'data/names_codes/postcodesio_districts.json',
] as const;

testWith(
  realFiles(...archives),
  'slow: the districts in which a force reports most of all crimes, and nearly all of its own, are its districts',
  async (file, t) => {
    const [districts, ...zips] = [archives[3], archives[0], archives[1], archives[2]].map(file);
    const codeOf = new Map(
      Object.entries<string>(JSON.parse(readFileSync(districts ?? '', 'utf8'))).map(([code, name]) => [
        name,
        code,
      ]),
    );
    const byDistrict = await countByDistrict(zips);
    let compared = 0;
    for (const [name, counts] of byDistrict) {
      const code = codeOf.get(name);
      const [force = '', most = 0] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? [];
      // Neighbours whose own force is not loaded have a few strays; a force's own districts have thousands of rows.
      if (code === undefined || most < 2_000) continue;
      assert.equal(forceOfCode(code), force, name);
      compared += 1;
    }
    assert.ok(compared > 25, String(compared));
    t.diagnostic(`${compared} districts compared`);
  },
);

/** District, as LSOAs are named after it → force → rows. */
async function countByDistrict(zips: readonly string[]) {
  const counts = new Map<string, Map<string, number>>();
  const found = await findFiles(zips);
  try {
    for (const text of found.given.flatMap(({ holdings }) => holdings.flatMap(({ files }) => files))) {
      if (
        text.form !== 'text' ||
        !/-(?!btp)[a-z-]+-street\.csv$/.test(text.name) ||
        text.name.includes('-btp-')
      )
        continue;
      let at: { readonly force: number; readonly lsoa: number } | undefined;
      await readCsv(text.open(), { file: text.name, encoding: 'utf-8' }, (line) => {
        if (at === undefined) {
          const titles = line.texts();
          at = { force: titles.indexOf('Reported by'), lsoa: titles.indexOf('LSOA name') };
          return;
        }
        const district = line.text(at.lsoa).replace(/ \d{3}[A-Z]$/, '');
        const forces = counts.get(district) ?? new Map<string, number>();
        const force = line.text(at.force);
        forces.set(force, (forces.get(force) ?? 0) + 1);
        counts.set(district, forces);
      });
    }
  } finally {
    await found.close();
  }
  return counts;
}

const ask = (query: string, release: Release) => {
  const prepared = crimeByPostcode.prepare(new URLSearchParams(query));
  assert.ok(prepared.kind === 'prepared');
  return prepared.run({ release, today: 20_772 });
};

const codePointRow = (
  postcode: string,
  easting: number,
  northing: number,
  county: string,
  district: string,
) =>
  `"${postcode}",10,${easting},${northing},"E92000001","E19000001","E18000001","${county}","${district}","E05000001"`;

test('with Code-Point Open a force that is not loaded is named, and a quiet place of a loaded one has zeros', async () => {
  const home = openTestHome();
  try {
    const titles =
      'Crime ID,Month,Reported by,Falls within,Longitude,Latitude,Location,LSOA code,LSOA name,Crime type,Last outcome category,Context\n';
    const near =
      ',2024-12,Warwickshire Police,Warwickshire Police,-0.2025,51.9020,On or near X,E01023000,Stevenage 001A,Drugs,,\n';
    const away = near.replace('-0.2025,51.9020', '-1.5,52.28').replace('Stevenage', 'Warwick');
    const postcodes = [
      codePointRow('SG1 1AA', 523_800, 224_500, 'E10000015', 'E07000243'),
      codePointRow('CV34 4AA', 428_000, 240_000, 'E10000031', 'E07000222'),
    ].join('\n');
    // Postcodes before crime: nothing is loaded again.
    await home.ingest([home.put('codepo_gb_2025.4.csv', `${postcodes}\n`)]);
    const { release } = await home.ingest([
      home.put('w-street.csv', titles + near.repeat(40) + away.repeat(40)),
    ]);
    const other = await ask('postcode=SG1 1AA&months=1', release);
    assert.ok(other.kind === 'refused');
    assert.deepEqual(other.extras, { reason: 'force-not-loaded', policeForce: 'Hertfordshire Constabulary' });
    const own = await ask('postcode=CV34 4AA&months=1', release);
    assert.ok(own.kind === 'answered', JSON.stringify(own));
    const { policeForce, monthlyTotals, totalCrimes, crimeCategories } = JSON.parse(own.json);
    assert.deepEqual(
      [policeForce, monthlyTotals, totalCrimes, crimeCategories],
      ['Warwickshire Police', { '2024-12': 0 }, 0, []],
    );
  } finally {
    home.remove();
  }
});

testWith(
  realFile('data/codepoint_open/codepo_gb_2025.4_all.csv.gz'),
  'slow: every postcode of a real Code-Point Open outside Scotland has a force',
  async (file, t) => {
    const found = await findFiles([file]);
    const without = new Map<string, number>();
    let all = 0;
    try {
      for (const text of found.given.flatMap(({ holdings }) => holdings.flatMap(({ files }) => files))) {
        assert.ok(text.form === 'text');
        await readCsv(text.open(), { file: text.name, encoding: 'utf-8' }, (line) => {
          const [district = '', country = ''] = [line.text(8), line.text(4)];
          if (!/^[EW]92/.test(country)) return;
          all += 1;
          if (forceOfCode(district) === undefined) without.set(district, (without.get(district) ?? 0) + 1);
        });
      }
    } finally {
      await found.close();
    }
    t.diagnostic(`${all} postcodes of England and Wales`);
    // Some postcodes have no district in the file.
    without.delete('');
    assert.deepEqual([...without], []);
    assert.ok(all > 1_400_000, String(all));
  },
);
