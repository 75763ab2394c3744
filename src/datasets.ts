// The name of every dataset that this program knows. Sources fill them, a release keeps them, endpoints read them; the
// names are in manifests, in the list of datasets and in configuration of callers, so they never change.

export const datasetNames = [
  'bank-rate',
  'postcodes',
  'place-names',
  'authorities',
  'council-tax',
  'valuations',
  'price-paid',
  'crime',
  'schools-england',
  'schools-wales',
  'schools-scotland',
  'ofsted',
  'amenities',
  'census-england-wales',
  'census-scotland',
  'census-northern-ireland',
  'income',
  'stops',
  'bus-routes',
  'cycle-hire',
  'traffic',
] as const;

export type DatasetName = (typeof datasetNames)[number];

const known: ReadonlySet<string> = new Set(datasetNames);

export const isDatasetName = (name: string): name is DatasetName => known.has(name);

/** The names that a record is kept by, in its order. */
export const datasetsIn = (record: Readonly<Partial<Record<DatasetName, unknown>>>): readonly DatasetName[] =>
  Object.keys(record).filter(isDatasetName);
