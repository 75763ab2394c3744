// Which table of a census gives which figure: an operator may have loaded some of them.

import type { Holding } from '../../contract/needs.ts';
import { type CensusDataset, type CensusFigure, openCensus } from '../../tables/census/census.ts';

type Table = { readonly holding: Holding; readonly gives: readonly CensusFigure[] };

const tableOf = (
  dataset: CensusDataset,
  publication: string,
  file: string,
  ...gives: readonly [CensusFigure, ...CensusFigure[]]
): Table => ({
  holding: {
    what: `table ${file}`,
    publication,
    file,
    isIn: (release) => openCensus(release).tells(dataset, gives[0]),
  },
  gives,
});

const ofNomis = (file: string, gives: CensusFigure) =>
  tableOf('census-england-wales', 'Census 2021, topic summaries, bulk downloads of Nomis', file, gives);
const ofScotland = (file: string, ...gives: readonly [CensusFigure, ...CensusFigure[]]) =>
  tableOf('census-scotland', "Scotland's Census 2022, output-area tables", file, ...gives);
const ofNisra = (file: string, ...gives: readonly [CensusFigure, ...CensusFigure[]]) =>
  tableOf('census-northern-ireland', 'Census 2021, Flexible Table Builder', file, ...gives);

/** Rates of crime need it too. */
export const residentsTable = ofNomis('TS001', 'population');

export const censuses = {
  englandAndWales: {
    dataset: 'census-england-wales',
    tables: [
      residentsTable,
      ofNomis('TS006', 'populationDensity'),
      ofNomis('TS007A', 'medianAge'),
      ofNomis('TS041', 'households'),
      ofNomis('TS017 (or TS001 with TS041)', 'averageHouseholdSize'),
      ofNomis('TS066', 'employmentRate'),
    ],
  },
  scotland: {
    dataset: 'census-scotland',
    tables: [
      ofScotland('UV101b', 'population'),
      ofScotland('UV103 or UV102b', 'medianAge'),
      ofScotland('UV406', 'households', 'averageHouseholdSize'),
      ofScotland('UV601', 'employmentRate'),
    ],
  },
  northernIreland: {
    dataset: 'census-northern-ireland',
    tables: [
      ofNisra('usual residents by age', 'population', 'medianAge'),
      ofNisra('households by size', 'households', 'averageHouseholdSize'),
      ofNisra('usual residents by economic activity', 'employmentRate'),
    ],
  },
} as const satisfies Readonly<
  Record<string, { readonly dataset: CensusDataset; readonly tables: readonly Table[] }>
>;
