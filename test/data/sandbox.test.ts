// The fictional town's files have the official layouts and touch nothing real.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { firstRows } from '../../src/ingest/read/csv.ts';

const read = (name: string) => {
  const [header = [], ...rows] = firstRows(
    readFileSync(path.join(import.meta.dirname, '../../data/sandbox', name)),
    Number.POSITIVE_INFINITY,
    'utf-8',
  );
  return {
    header,
    rows: rows.map((row) => new Map(header.map((column, index) => [column, row[index] ?? '']))),
  };
};

// ONS Postcode Directory, November 2025.
const onspdHeader =
  'pcd7,pcd8,pcds,dointr,doterm,cty25cd,ced25cd,lad25cd,wd25cd,parncp25cd,usrtypind,east1m,north1m,gridind,hlth19cd,nhser24cd,ctry25cd,rgn25cd,ssr95cd,pcon24cd,eer20cd,educ23cd,ttwa15cd,pco19cd,itl25cd,wdstl05cd,oa01cd,wdcas03cd,npark16cd,lsoa01cd,msoa01cd,ruc01ind,oac01ind,oa11cd,lsoa11cd,msoa11cd,wz11cd,sicbl24cd,bua24cd,ruc11ind,oac11ind,lat,long,lep21cd1,lep21cd2,pfa23cd,imd20ind,cal24cd,icb23cd,oa21cd,lsoa21cd,msoa21cd,ruc21ind';

const postcodes = read('postcodes.csv');
const authorities = read('billing-authorities.csv');
const nations = { E: 'England', W: 'Wales', S: 'Scotland' };
const countries = { E: 'E92000001', W: 'W92000004', S: 'S92000003' };

test('postcodes have the official header and one whole row each', () => {
  assert.equal(postcodes.header.join(','), onspdHeader);
  assert.equal(postcodes.rows.length, 60);
  const seen = new Set(postcodes.rows.map((row) => row.get('pcds')));
  assert.equal(seen.size, postcodes.rows.length);
});

test('every postcode lies in area ZZ, in the three official spellings', () => {
  for (const row of postcodes.rows) {
    const postcode = row.get('pcds') ?? '';
    assert.match(postcode, /^ZZ[1-4] \d[ABD-HJLNP-UW-Z]{2}$/);
    assert.equal(row.get('pcd7'), postcode);
    assert.equal(row.get('pcd8'), postcode.replace(' ', '  '));
    assert.match(row.get('dointr') ?? '', /^(19|20)\d\d(0[1-9]|1[0-2])$/);
    assert.match(row.get('doterm') ?? '', /^((19|20)\d\d(0[1-9]|1[0-2]))?$/);
  }
});

test('codes are well formed, of one nation per row, and never allocated', () => {
  const codes = new Set(authorities.rows.map((row) => row.get('code')));
  for (const row of postcodes.rows) {
    const country = Object.entries(countries).find(([, code]) => code === row.get('ctry25cd'))?.[0];
    assert.ok(country !== undefined, `a country like ${row.get('ctry25cd')}`);
    for (const [column, code] of row) {
      // ssr95cd and the two old ward codes have forms of their own.
      if (!/cd[12]?$/.test(column) || column === 'ssr95cd' || code === '' || code === '99ZZ00') continue;
      assert.match(code, new RegExp(`^${country}\\d{8}$`), column);
      const isUnallocated = /999/.test(code) || column === 'ctry25cd';
      assert.ok(isUnallocated, `${column} ${code}`);
    }
    assert.ok(codes.has(row.get('lad25cd') ?? ''));
  }
});

test('coordinates are those of the North Sea, or the official mark for none', () => {
  for (const row of postcodes.rows) {
    const [east, north, lat, long] = ['east1m', 'north1m', 'lat', 'long'].map((name) => row.get(name) ?? '');
    if (row.get('gridind') === '9') {
      assert.deepEqual([east, north, lat, long], ['', '', '99.999999', '0.000000']);
      continue;
    }
    assert.match(east ?? '', /^\d{6}$/);
    assert.match(north ?? '', /^\d{7}$/);
    assert.ok(
      Number(lat) > 54.1 && Number(lat) < 54.3 && Number(long) > 0.8 && Number(long) < 1,
      `${lat} ${long}`,
    );
  }
});

test('the cases that callers should meet are there', () => {
  const count = (column: string, value: RegExp) =>
    postcodes.rows.filter((row) => value.test(row.get(column) ?? '')).length;
  assert.equal(count('doterm', /./), 2);
  assert.equal(count('usrtypind', /^1$/), 1);
  assert.equal(count('gridind', /^9$/), 1);
  assert.ok(count('ctry25cd', /^W/) >= 10);
  assert.ok(count('ctry25cd', /^S/) >= 5);
});

test('authorities have the layout of the real list and addresses nobody owns', () => {
  assert.equal(
    authorities.header.join(','),
    'code,name,nation,category,websiteUrl,mhclgClass,mhclgRegion,mhclgEcode,govukSlug,govukOfficialName,formerCode,dwellings',
  );
  assert.equal(new Set(authorities.rows.map((row) => row.get('code'))).size, authorities.rows.length);
  for (const row of authorities.rows) {
    const code = row.get('code') ?? '';
    assert.match(code, /^(E06|W06|S12)000999$/);
    assert.equal(row.get('nation'), Object.entries(nations).find(([letter]) => code.startsWith(letter))?.[1]);
    assert.match(row.get('websiteUrl') ?? '', /^https:\/\/[a-z]+\.example\/$/);
  }
});
