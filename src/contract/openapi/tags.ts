// The groups that OpenAPI sorts operations into, so that tools show a table of contents.

type Tag = { readonly name: string; readonly description: string };

/** By the beginning of the path. The longest that fits counts. */
const groups: Readonly<Record<`/${string}`, Tag>> = {
  '/area': {
    name: 'Area',
    description: 'Statistics and places around a postcode: crime, people, schools, transport and amenities.',
  },
  '/area/sold-prices': {
    name: 'Sold prices',
    description: 'Sales registered in England and Wales since 1995, with summaries and trends.',
  },
  '/council-tax': {
    name: 'Council tax',
    description: 'Council tax bands and amounts by postcode, property or authority.',
  },
  '/crime': { name: 'Crime', description: 'Crimes that the police published around a postcode.' },
  '/postcodes': {
    name: 'Postcodes',
    description: 'Locations and areas of postcodes, and suggestions while somebody types.',
  },
  '/bank-rates': {
    name: 'Bank rates',
    description: "The Bank of England's official rate and its history since 1975.",
  },
  '/account': { name: 'Account', description: 'Credits, limits and usage of your own account. Free.' },
  '/batch': { name: 'Batch', description: 'Many calls in one request.' },
  '/datasets': { name: 'Datasets', description: 'The data that this service has loaded. Needs no key.' },
};

/** For an endpoint that no group has been written for yet. */
const others: Tag = { name: 'More', description: 'Other endpoints.' };

function groupOf(path: string): Tag {
  const [[, tag] = []] = Object.entries(groups)
    .filter(([start]) => path === start || path.startsWith(`${start}/`))
    .toSorted(([a], [b]) => b.length - a.length);
  return tag ?? others;
}

export const tagOf = (path: string): string => groupOf(path).name;

/** In the order of the paths. */
export const tagsOf = (paths: readonly string[]): readonly Tag[] => [...new Set(paths.map(groupOf))];
