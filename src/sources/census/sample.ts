// The bundled sample of Census 2021 (data/sample/census-lsoa.csv), in a layout of this project: the LSOAs of the sample's
// postcodes. Any file of Nomis takes its place.

import type { InputFile } from '../../ingest/files.ts';
import { readNamedCells } from '../../ingest/read/named-rows.ts';
import type { Into, Loaded, Loader, RecognisedFile } from '../../ingest/source.ts';
import type { CensusMeasure } from '../../tables/census/census.ts';
import { CensusBuilder } from '../../tables/census/census-builder.ts';
import { parsePlaceCode } from '../../tables/postcodes/place-names.ts';
import { findNote, hasHeader, parseNote } from '../bundled-note.ts';
import { refuseOverLoaded } from '../sample-loader.ts';
import { censusEnglandWalesFacts } from './facts.ts';

const subject = 'sample-census';

type Layout = {
  readonly code: string;
  readonly pattern: RegExp;
  readonly columns: Readonly<Record<string, CensusMeasure>>;
  readonly tables: readonly (readonly [table: string, areas: string])[];
  /** In the order of the file. */
  readonly header: string;
};

/** Column of the file → measure of the table. */
export const measures = {
  population: 'population',
  populationDensity: 'density',
  medianAge: 'median-age',
  households: 'households',
  populationInHouseholds: 'people-in-households',
  peopleBySize: 'sized-people',
  householdsBySize: 'sized-households',
} as const;

const layouts: Readonly<Record<string, Layout>> = {
  'sample of LSOAs': {
    code: 'lsoa21Code',
    pattern: /^[EW]01\d{6}$/,
    columns: measures,
    tables: [
      ['TS001', 'LSOAs'],
      ['TS006', 'LSOAs'],
      ['TS007A', 'LSOAs'],
      ['TS017', 'LSOAs'],
      ['TS041', 'LSOAs'],
    ],
    header:
      'lsoa21Code,population,populationDensity,medianAge,households,populationInHouseholds,peopleBySize,householdsBySize',
  },
};

export const censusSample: Loader = {
  facts: {
    ...censusEnglandWalesFacts,
    coverage: {
      England: "LSOAs of the sample's postcodes; no employment",
      Wales: "LSOAs of the sample's postcodes; no employment",
    },
  },
  layouts: [
    ...Object.values(layouts).map(({ header }) => `CSV with the columns ${header} (this project)`),
    `JSON with "describes": "${subject}" (this project)`,
  ],
  recognise: (file: InputFile) => {
    if (file.form !== 'text') return undefined;
    if (parseNote(file, subject) !== undefined) return 'note on the sample';
    return Object.keys(layouts).find((name) => hasHeader(file, layouts[name]?.header ?? ''));
  },
  headerAlone: () => 'refused',
  load,
};

async function load(files: readonly RecognisedFile[], into: Into): Promise<Loaded> {
  refuseOverLoaded(into);
  const { edition, asOf } = findNote(files, subject);
  const builder = new CensusBuilder();
  for (const { file, layout } of files) {
    const known = layouts[layout];
    if (known === undefined || file.form !== 'text') continue;
    for (const [table, areas] of known.tables) builder.tables.set(table, areas);
    const wanted = { required: [known.code, ...Object.keys(known.columns)] } as const;
    await readNamedCells(file, { width: 'exact' }, wanted, into, ({ cell, refuse }) => {
      const code = cell(known.code);
      const number = parsePlaceCode(code);
      if (number === undefined || !known.pattern.test(code)) throw refuse(known.code, 'a code of ONS');
      for (const [column, measure] of Object.entries(known.columns)) {
        const text = cell(column);
        if (!/^(\d+(\.\d+)?)?$/.test(text)) throw refuse(column, 'a number, or nothing');
        if (text !== '') builder.set(number, measure, Number(text));
      }
      into.tally.kept += 1;
    });
  }
  into.writePart('census-england-wales', builder.encode('census-england-wales'));
  return {
    edition,
    asOf,
    rows: builder.size,
    extent: 'sample',
    nextEditionExpected: 'the census of 2031',
  };
}
