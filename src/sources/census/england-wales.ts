// Census 2021 of England and Wales, from the bulk archives of Nomis: six tables, each with a file per kind of area.
// Figures are of LSOAs: as published where there is such a file, else summed from output areas. The archives hold
// districts, regions and more beside them, which are passed over and counted.

import path from 'node:path';
import { loadedBefore } from '../../ingest/losses.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { Ground, Into, Judgement, Loaded, Loader, RecognisedFile } from '../../ingest/source.ts';
import { openCensusTable } from '../../tables/census/census.ts';
import type { CensusBuilder } from '../../tables/census/census-builder.ts';
import {
  encodeOutputAreas,
  type OutputAreas,
  outputAreasPart,
  readOutputAreas,
} from '../../tables/census/output-areas.ts';
import { englandWalesLookup, isLookup, readLookup } from './lookup.ts';
import {
  type NomisFile,
  type NomisTable,
  nomisTables,
  readNomis,
  recogniseNomis,
  refuseColumns,
} from './nomis.ts';
import {
  beginCensus,
  type Counts,
  countChildren,
  finishCensus,
  lookupLayout,
  oneOfEachTable,
  sumOutputAreas,
  takeFigures,
} from './tables.ts';

const dataset = 'census-england-wales';

export const censusEnglandWales: Loader = {
  facts: {
    publisher: 'Office for National Statistics',
    publisherShort: 'ONS',
    licence: 'Open Government Licence v3.0',
    attribution: 'Source: Office for National Statistics licensed under the Open Government Licence v.3.0.',
    coverage: { England: 'every LSOA of 2021', Wales: 'every LSOA of 2021' },
  },
  publications: [
    {
      name: 'census-england-wales',
      title: 'Census 2021, bulk downloads of Nomis: TS001, TS006, TS007A, TS017, TS041, TS066',
      page: 'https://www.nomisweb.co.uk/sources/census_2021_bulk',
      find: {
        kind: 'fixed',
        addresses: ['001', '006', '007a', '017', '041', '066'].map(
          (table) => `https://www.nomisweb.co.uk/output/census/2021/census2021-ts${table}.zip`,
        ),
      },
      hosts: ['www.nomisweb.co.uk'],
      rhythm: { text: 'once; the next census is in 2031', lateAfterDays: null, askEveryDays: 180 },
      typicalBytes: 25_000_000,
      mostBytes: 200_000_000,
      loading: { seconds: 20, memoryBytes: 600_000_000, diskBytes: 9_000_000 },
      gives: 'demographics of /area/statistics in England and Wales',
      set: 'essential',
      holds: 'everything',
      readWith: 'nothing else',
    },
  ],
  layouts: [
    'CSV of Nomis with the columns date, geography, geography code and those of TS001, TS006, TS007A, TS017, TS041 or TS066 (or the archives census2021-tsNNN.zip)',
    'CSV of ONS with the columns OA21CD and LSOA21CD, where a table is given for output areas alone',
  ],
  recognise: (file) => {
    const nomis = recogniseNomis(file);
    if (nomis !== undefined) return `${nomis.table.id} of ${nomis.areas}`;
    return isLookup(file, englandWalesLookup) ? lookupLayout : undefined;
  },
  headerAlone: () => 'refused',
  judge,
  load,
};

/** One file a table and kind of area. Where only output areas are given, their look-up must be there too. */
function judge(files: readonly RecognisedFile[], ground: Ground): Judgement {
  const isLoaded = ground.base !== undefined && readOutputAreas(ground.base, dataset).size > 0;
  const before = loadedBefore(ground.base, dataset);
  const layouts = new Set([
    ...files.map(({ layout }) => layout),
    // As "TS001 of LSOAs". Of a table that is loaded so, output areas are not needed.
    ...(before === undefined ? [] : openCensusTable(before, dataset).tables),
  ]);
  if (!isLoaded && !layouts.has(lookupLayout)) {
    const lacking = nomisTables.find(
      ({ id }) => layouts.has(`${id} of output areas`) && !layouts.has(`${id} of LSOAs`),
    );
    const file = files.find(({ layout }) => layout === `${lacking?.id} of output areas`)?.file;
    if (file !== undefined) {
      throw new FileRefused(
        file.name,
        `has output areas, which need the look-up to LSOAs: give the ONS file with ${englandWalesLookup.names} too, or the file of LSOAs instead`,
      );
    }
  }
  const judged = oneOfEachTable(files, ground);
  for (const { file } of judged.read) {
    const nomis = recogniseNomis(file);
    if (nomis !== undefined) refuseColumns(nomis);
  }
  return judged;
}

async function load(files: readonly RecognisedFile[], into: Into): Promise<Loaded> {
  const builder = beginCensus(dataset, into);
  const areas = into.base === undefined ? new Map() : readOutputAreas(into.base, dataset);
  for (const { file } of files) {
    if (isLookup(file, englandWalesLookup)) await readLookup(file, englandWalesLookup, areas, into);
  }
  const given = files.flatMap(({ file }) => recogniseNomis(file) ?? []);
  passOver(given, 'other areas', 'file of areas that are too large', into);
  for (const table of nomisTables) {
    const ofTable = given.filter((file) => file.table === table);
    const published = ofTable.filter((file) => file.areas === 'LSOAs');
    for (const file of published) {
      takeFigures(builder, await readNomis(file, into), table.figures, into, path.basename(file.file.name));
      builder.tables.set(table.id, 'LSOAs');
    }
    const smallest = ofTable.filter((file) => file.areas === 'output areas');
    if (builder.tables.get(table.id) === 'LSOAs') {
      passOver(smallest, 'output areas', 'file of output areas whose LSOAs are loaded', into);
    } else {
      for (const file of smallest) await takeOutputAreas(file, table, builder, areas, into);
    }
  }
  if (builder.tables.get('TS006') === 'output areas') takeDensities(builder, areas, into);
  if (areas.size > 0) into.writePart(outputAreasPart(dataset), encodeOutputAreas(dataset, areas));
  return finishCensus(
    {
      dataset,
      name: 'Census 2021',
      day: '2021-03-21',
      nations: { E: 'England', W: 'Wales' },
      areas: 'LSOAs',
      areaCount: 35_672,
      unpublished: [],
    },
    builder,
    files,
    into,
  );
}

function passOver(files: readonly NomisFile[], areas: NomisFile['areas'], reason: string, into: Into): void {
  for (const { file } of files.filter((item) => item.areas === areas)) {
    into.tally.reject(reason, path.basename(file.name));
  }
}

async function takeOutputAreas(
  file: NomisFile,
  table: NomisTable,
  builder: CensusBuilder,
  areas: OutputAreas,
  into: Into,
): Promise<void> {
  const { name } = file.file;
  const counts = await readNomis(file, into);
  if (table.id === 'TS006') keep(areas, counts, 'density');
  else {
    if (table.id === 'TS001') keep(areas, counts, 'population');
    const place = path.basename(name);
    takeFigures(builder, sumOutputAreas(counts, areas, into, place), table.figures, into, place);
  }
  builder.tables.set(table.id, 'output areas');
}

function keep(areas: OutputAreas, counts: Counts, what: 'population' | 'density'): void {
  for (const [code, values] of counts) {
    const known = areas.get(code);
    if (known !== undefined) areas.set(code, { ...known, [what]: values[0] ?? Number.NaN });
  }
}

/**
 * Densities cannot be added. The density of an LSOA is the people of its output areas, divided by their ground. The
 * ground of each is its people divided by its density. If one output area lacks either, its LSOA has no density.
 */
function takeDensities(builder: CensusBuilder, areas: OutputAreas, { tally }: Into): void {
  const lacking = countChildren(areas);
  const sums = new Map<number, { people: number; squareKilometres: number }>();
  for (const { parent, population, density } of areas.values()) {
    if (!(population > 0 && density > 0)) continue;
    const sum = sums.get(parent) ?? { people: 0, squareKilometres: 0 };
    sums.set(parent, sum);
    sum.people += population;
    sum.squareKilometres += population / density;
    lacking.set(parent, (lacking.get(parent) ?? 0) - 1);
  }
  for (const [parent, { people, squareKilometres }] of sums) {
    if (lacking.get(parent) === 0) builder.set(parent, 'density', people / squareKilometres);
  }
  const without = [...lacking.values()].filter((count) => count > 0).length;
  tally.note(
    'LSOA without density: residents (TS001) or density of an output area are missing',
    without,
    'TS006',
  );
}
