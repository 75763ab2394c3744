// Draws names, census figures, earnings and schools of the bundled places.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { measures } from '../src/sources/census/sample.ts';
import { openCensusTable } from '../src/tables/census/census.ts';
import { readIncome } from '../src/tables/census/income.ts';
import { parsePlaceCode } from '../src/tables/postcodes/place-names.ts';
import { openSchools } from '../src/tables/schools/schools.ts';
import { around, type Csv, type Drawn, placeIn, placeMetres } from './sample-drawn.ts';

const byFirst = ([a = '']: readonly string[], [b = '']: readonly string[]) => (a < b ? -1 : 1);

/** Names that are there stay; those of new codes come from the ONS lists. */
export function drawNames({ folder, sampleFolder, readCsv }: Drawn, postcodes: Csv): Csv {
  const [header = [], ...known] = readCsv(path.join(sampleFolder, 'place-names.csv'));
  const names = new Map(known.map(([code = '', name = '']) => [code, name]));
  const lists = ['districts', 'wards', 'lsoa21'].map(
    (list): Readonly<Record<string, string>> =>
      JSON.parse(readFileSync(path.join(folder, `names_codes/postcodesio_${list}.json`), 'utf8')),
  );
  const [titles = [], ...rows] = postcodes;
  const codes = ['districtCode', 'wardCode', 'lsoa21Code'].map((title) => titles.indexOf(title));
  for (const row of rows) {
    for (const code of codes.map((at) => row[at] ?? '')) {
      const name = lists.map((list) => list[code]).find((found) => found !== undefined);
      if (code !== '' && !names.has(code)) names.set(code, name ?? fail(`${code} has no name`));
    }
  }
  return [header, ...[...names].sort(byFirst)];
}

/** The LSOAs of all postcodes of the sample. */
export function drawCensus({ release }: Drawn, postcodes: Csv): Csv {
  const table = openCensusTable(release, 'census-england-wales');
  const [titles = [], ...rows] = postcodes;
  const at = titles.indexOf('lsoa21Code');
  const codes = [...new Set(rows.map((row) => row[at] ?? '').filter((code) => code !== ''))].sort();
  const lines = codes.map((code) => {
    const row = table.rowOf(parsePlaceCode(code) ?? -1);
    if (row < 0) fail(`the census has no ${code}`);
    return [code, ...Object.values(measures).map((measure) => numberCell(table.at(row, measure)))];
  });
  return [['lsoa21Code', ...Object.keys(measures)], ...lines];
}

const numberCell = (value: number) => (Number.isNaN(value) ? '' : String(Number(value.toFixed(6))));

/** Every authority that has a median. */
export function drawIncomes({ release }: Drawn): Csv {
  const lines = readIncome(release)
    .filter(({ publication }) => publication === 'earnings')
    .map(({ authorityCode, taxYear, medianPounds }) => [
      authorityCode,
      String(taxYear),
      String(medianPounds),
    ]);
  return [['earningsAuthority', 'taxYearBegins', 'medianGrossPay'], ...lines.sort(byFirst)];
}

const schoolMetres = placeMetres + 3_200;

export function drawSchools(drawn: Drawn): Csv {
  const { centre } = placeIn(drawn, 'newport');
  const isNear = around(centre, schoolMetres);
  const lines = openSchools(drawn.release)
    .allOf('Wales')
    .filter(({ point }) => isNear(point))
    .map(({ number, name, phase, point }) => [
      String(number),
      name,
      phase,
      point.latitudeDegrees.toFixed(6),
      point.longitudeDegrees.toFixed(6),
    ]);
  return [['schoolNumber', 'schoolName', 'sector', 'latitude', 'longitude'], ...lines.sort(byFirst)];
}

function fail(problem: string): never {
  throw new Error(`${problem}.`);
}
