// All tables of a release: the contents page of this room. Layouts, the proof of a whole release and the chapter of
// docs/release-format.md come from it.

import type { DatasetName } from '../datasets.ts';
import type { Layouts } from '../release/manifest.ts';
import { proveParts } from '../release/proof.ts';
import type { Release } from '../release/reader.ts';
import type { Table } from '../release/table.ts';
import {
  amenityBoxesTable,
  amenityCoverageTable,
  amenityNamesTable,
  amenityOriginsTable,
  amenityPointsTable,
  extractCellsTable,
  mapExtractsTable,
  parkNodesTable,
} from './amenities/amenities.ts';
import { bankRateTable } from './bank-rate.ts';
import { censusDatasets, censusTable } from './census/census.ts';
import { incomeTable } from './census/income.ts';
import { outputAreasTable } from './census/output-areas.ts';
import { abolishedTable, authoritiesTable } from './council-tax/authorities.ts';
import { councilTaxTable, editionsTable } from './council-tax/council-tax.ts';
import { crimeArchivesTable } from './crime/archives.ts';
import { crimeAreasTable } from './crime/areas.ts';
import { forceCategoriesTable } from './crime/force-categories.ts';
import { crimeRatesTable } from './crime/rates.ts';
import { crimeSampleAreasTable, crimeSampleReachTable } from './crime/sample.ts';
import { crimeGroundTable, crimeIdsTable, crimeMonthTable, crimesTable } from './crime/tables.ts';
import { completionsTable } from './postcodes/completions.ts';
import { gridTable } from './postcodes/grid-references.ts';
import { placeNamesTable } from './postcodes/place-names.ts';
import { postcodesTable } from './postcodes/postcodes-table.ts';
import { saleChangesTable } from './sales/changes.ts';
import { saleIdsTable, salesIndexTable, salesTable } from './sales/table.ts';
import { inspectionsTable } from './schools/inspections.ts';
import { schoolNations, schoolsTable, welshSchoolReachTable } from './schools/schools.ts';
import { busReachTable, busRoutesTable } from './transport/bus-routes.ts';
import { cycleHireTable } from './transport/cycle-hire.ts';
import {
  busStopNamesTable,
  busStopsTable,
  stationReachTable,
  stationsTable,
  stopAreasTable,
} from './transport/stops.ts';
import { trafficTable } from './transport/traffic.ts';
import { valuationListsTable, valuationsTable } from './valuations.ts';

/** By subject, as they are documented. A word in angle brackets stands for all parts of a table that has several. */
export const tables: Readonly<Record<string, readonly Table[]>> = {
  'Bank Rate': [bankRateTable],
  Postcodes: [postcodesTable, gridTable, placeNamesTable, completionsTable],
  'Council tax': [
    authoritiesTable,
    abolishedTable,
    councilTaxTable,
    editionsTable,
    valuationListsTable,
    valuationsTable('<area>'),
  ],
  'Sold prices': [salesTable, saleIdsTable, salesIndexTable, saleChangesTable],
  Crime: [
    crimesTable,
    crimeMonthTable('<month>', '<month>'),
    crimeIdsTable('<month>', '<month>'),
    crimeArchivesTable,
    crimeAreasTable,
    crimeSampleAreasTable,
    crimeSampleReachTable,
    crimeRatesTable,
    crimeGroundTable,
    forceCategoriesTable,
  ],
  'Censuses and incomes': [
    ...censusDatasets.map(censusTable),
    outputAreasTable('census-england-wales'),
    outputAreasTable('census-scotland'),
    incomeTable,
  ],
  Schools: [...schoolNations.map(schoolsTable), welshSchoolReachTable, inspectionsTable],
  Amenities: [
    amenityPointsTable('<kind>'),
    parkNodesTable,
    amenityCoverageTable,
    amenityBoxesTable,
    amenityNamesTable('<kind>'),
    mapExtractsTable,
    extractCellsTable('<extract>'),
    amenityOriginsTable('<kind>'),
  ],
  'Stations, buses, cycle hire and traffic': [
    stationsTable,
    busStopsTable,
    busStopNamesTable,
    stopAreasTable,
    stationReachTable,
    busRoutesTable,
    busReachTable,
    cycleHireTable,
    trafficTable,
  ],
};

const all = Object.values(tables).flat();

/** The one layout of each dataset that this program writes and reads. */
export const layouts: Layouts = layoutsOf(all);

function layoutsOf(list: readonly Table[]): Layouts {
  const found = new Map<DatasetName, number>();
  for (const { origin, part } of list) {
    if (!('dataset' in origin)) continue;
    const { dataset, layout } = origin;
    if ((found.get(dataset) ?? layout) !== layout) {
      throw new TypeError(`The tables of ${dataset} have two layouts; ${part} has layout ${layout}.`);
    }
    found.set(dataset, layout);
  }
  return found;
}

/** Reads every part once and proves that each number in it points at something. Throws ReleaseDamaged. */
export const proveRelease = (release: Release): void => proveParts(release, all);
