// Every source that can be loaded: its name, the dataset it fills, where its files are. Files are offered to the sources
// in this order. Of several sources of one dataset the first is read, so the one that says most comes first. A start
// reads this list and imports no loader.

import type { Source } from '../ingest/source.ts';

const listed = [
  {
    name: 'bank-rate',
    dataset: 'bank-rate',
    version: 1,
    title: 'Bank Rate',
    source: 'Official Bank Rate history (IUDBEDR)',
    homepage: 'https://www.bankofengland.co.uk/boeapps/database/Bank-Rate.asp',
    open: async () => (await import('./bank-rate/bank-rate.ts')).bankRate,
  },
  {
    name: 'onspd',
    dataset: 'postcodes',
    version: 3,
    title: 'Postcodes',
    source: 'ONS Postcode Directory (ONSPD)',
    homepage: 'https://geoportal.statistics.gov.uk',
    open: async () => (await import('./postcodes/onspd.ts')).onspd,
  },
  {
    name: 'nspl',
    dataset: 'postcodes',
    version: 3,
    title: 'Postcodes',
    source: 'National Statistics Postcode Lookup (NSPL)',
    homepage: 'https://geoportal.statistics.gov.uk',
    open: async () => (await import('./postcodes/onspd.ts')).nspl,
  },
  {
    name: 'code-point-open',
    dataset: 'postcodes',
    version: 3,
    title: 'Postcodes',
    source: 'OS Code-Point Open',
    homepage: 'https://osdatahub.os.uk/downloads/open/CodePointOpen',
    open: async () => (await import('./postcodes/code-point-open.ts')).codePointOpen,
  },
  {
    name: 'authorities',
    dataset: 'authorities',
    version: 1,
    title: 'Billing authorities',
    source:
      'Names and codes of ONS, GOV.UK list of local authorities, MHCLG council tax tables; collated by this project',
    homepage: 'bundled with this project (data/facts)',
    open: async () => (await import('./council-tax/authorities.ts')).authorities,
  },
  {
    name: 'council-tax',
    dataset: 'council-tax',
    version: 1,
    title: 'Council tax',
    source:
      'Council Tax levels set by local authorities in England; Council Tax levels (Wales); Council Tax Datasets (Scotland)',
    homepage:
      'https://www.gov.uk/government/collections/council-tax-statistics (England), https://www.gov.wales/council-tax-levels (Wales), https://www.gov.scot/publications/council-tax-datasets/ (Scotland)',
    open: async () => (await import('./council-tax/council-tax.ts')).councilTax,
  },
  {
    name: 'price-paid',
    dataset: 'price-paid',
    version: 7,
    title: 'Price Paid Data',
    source: 'Price Paid Data',
    homepage: 'https://www.gov.uk/government/statistical-data-sets/price-paid-data-downloads',
    open: async () => (await import('./price-paid/price-paid.ts')).pricePaid,
  },
  {
    name: 'police',
    dataset: 'crime',
    version: 5,
    title: 'Crime',
    source: 'Street-level crime and outcomes, data.police.uk',
    homepage: 'https://data.police.uk/data/archive/',
    open: async () => (await import('./police/police.ts')).police,
  },
  {
    name: 'gias',
    dataset: 'schools-england',
    version: 1,
    title: 'Schools in England',
    source: 'Get Information about Schools (GIAS)',
    homepage: 'https://get-information-schools.service.gov.uk/Downloads',
    open: async () => (await import('./schools/gias.ts')).gias,
  },
  {
    name: 'ofsted',
    dataset: 'ofsted',
    version: 1,
    title: 'School inspections',
    source: 'Management information, state-funded schools, latest inspections',
    homepage:
      'https://www.gov.uk/government/statistical-data-sets/monthly-management-information-ofsteds-school-inspections-outcomes',
    open: async () => (await import('./schools/ofsted.ts')).ofsted,
  },
  {
    name: 'schools-wales',
    dataset: 'schools-wales',
    version: 1,
    title: 'Schools in Wales',
    source: 'Address list of schools',
    homepage: 'https://www.gov.wales/address-list-schools',
    open: async () => (await import('./schools/wales.ts')).schoolsWales,
  },
  {
    name: 'schools-scotland',
    dataset: 'schools-scotland',
    version: 1,
    title: 'Schools in Scotland',
    source: 'School contact details; School roll and locations',
    homepage:
      'https://www.gov.scot/publications/school-contact-details/ (the list), https://www.data.gov.uk/dataset/9a6f9d86-9698-4a5d-a2c8-89f3b212c52c/scottish-school-roll-and-locations (coordinates)',
    open: async () => (await import('./schools/scotland.ts')).schoolsScotland,
  },
  {
    name: 'openstreetmap',
    dataset: 'amenities',
    version: 3,
    title: 'Amenities',
    source: 'OpenStreetMap',
    homepage: 'https://download.geofabrik.de/europe/united-kingdom.html',
    open: async () => (await import('./openstreetmap/openstreetmap.ts')).openStreetMap,
  },
  {
    name: 'census-england-wales',
    dataset: 'census-england-wales',
    version: 1,
    title: 'Census, England and Wales',
    source: 'Census 2021, topic summaries, bulk downloads of Nomis',
    homepage: 'https://www.nomisweb.co.uk/sources/census_2021_bulk',
    open: async () => (await import('./census/england-wales.ts')).censusEnglandWales,
  },
  {
    name: 'census-scotland',
    dataset: 'census-scotland',
    version: 1,
    title: 'Census, Scotland',
    source: "Scotland's Census 2022, output-area tables",
    homepage:
      'https://www.scotlandscensus.gov.uk/documents/2022-output-area-data/; the look-up: https://www.nrscotland.gov.uk (2022 Census geography products)',
    open: async () => (await import('./census/scotland.ts')).censusScotland,
  },
  {
    name: 'census-northern-ireland',
    dataset: 'census-northern-ireland',
    version: 1,
    title: 'Census, Northern Ireland',
    source: 'Census 2021, Flexible Table Builder',
    homepage:
      'https://build.nisra.gov.uk (usual residents by age and by economic activity, households by size)',
    open: async () => (await import('./census/northern-ireland.ts')).censusNorthernIreland,
  },
  {
    name: 'income',
    dataset: 'income',
    version: 1,
    title: 'Median incomes',
    source: 'Personal incomes by local authority (HMRC); Annual Survey of Hours and Earnings, table 8 (ONS)',
    homepage:
      'https://www.gov.uk/government/collections/personal-incomes-statistics (HMRC), https://www.ons.gov.uk/datasets/ashe-tables-7-and-8 (ONS)',
    open: async () => (await import('./census/income.ts')).income,
  },
  {
    name: 'naptan',
    dataset: 'stops',
    version: 5,
    title: 'Stations and bus stops',
    source: 'National Public Transport Access Nodes (NaPTAN)',
    homepage: 'https://beta-naptan.dft.gov.uk/download',
    open: async () => (await import('./transport/naptan.ts')).naptan,
  },
  {
    name: 'bods',
    dataset: 'bus-routes',
    version: 1,
    title: 'Bus routes',
    source: 'Bus Open Data Service timetables (GTFS)',
    homepage: 'https://data.bus-data.dft.gov.uk/timetable/download/',
    open: async () => (await import('./transport/bods.ts')).bods,
  },
  {
    name: 'bikepoint',
    dataset: 'cycle-hire',
    version: 1,
    title: 'Cycle hire',
    source: 'Santander Cycles docking stations (TfL API, BikePoint)',
    homepage: 'https://api.tfl.gov.uk/BikePoint',
    open: async () => (await import('./transport/bikepoint.ts')).bikepoint,
  },
  {
    name: 'aadf',
    dataset: 'traffic',
    version: 2,
    title: 'Road traffic',
    source: 'Road traffic statistics, annual average daily flow (AADF)',
    homepage: 'https://roadtraffic.dft.gov.uk/downloads',
    open: async () => (await import('./transport/aadf.ts')).aadf,
  },
  // These two come last, because files of other kinds may also have names beside codes, or addresses.
  {
    name: 'ons-names',
    dataset: 'place-names',
    version: 2,
    title: 'Names of places',
    source: 'Names and codes of the ONS Open Geography Portal; code list of OS Code-Point Open',
    homepage:
      'https://geoportal.statistics.gov.uk (also in the folder Documents of ONSPD); https://osdatahub.os.uk/downloads/open/CodePointOpen (Doc/Codelist.xlsx)',
    fetched: 'postcodes',
    open: async () => (await import('./postcodes/ons-names.ts')).onsNames,
  },
  {
    name: 'valuation-list',
    dataset: 'valuations',
    version: 4,
    title: 'Valuation lists',
    source: 'Council tax valuation lists, as published by billing authorities',
    homepage:
      'the councils that publish their lists; ONSUD for missing postcodes: https://geoportal.statistics.gov.uk',
    fetched: 'never',
    open: async () => (await import('./council-tax/valuation-list.ts')).valuationList,
  },
] as const satisfies readonly Source[];

export type SourceName = (typeof listed)[number]['name'];

export const sources: readonly (Source & { readonly name: SourceName })[] = listed;

/** In the order of the list. */
export const sourcesNamed = (...names: readonly SourceName[]): readonly Source[] =>
  sources.filter(({ name }) => names.includes(name));
