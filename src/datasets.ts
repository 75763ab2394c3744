// The name of every dataset that this program knows. Sources fill datasets, a release keeps them, endpoints read them.
// The names stand in the manifests of releases and in GET /datasets, so they never change.

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
