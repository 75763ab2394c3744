// ArcGIS, where the Office for National Statistics keeps its geography: a search for items, of which user guides and older
// months are many. Errors come with status 200.

import type { Find, Offer } from '../../ingest/publication.ts';
import { type Ask, countOf, fieldOf, listOf, NotFound, textOf } from './ask.ts';

const sharing = 'https://www.arcgis.com/sharing/rest';
const hub = 'https://hub.arcgis.com/api/download/v1/items';
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

type ArcgisFind = Extract<Find, { kind: 'arcgis' }>;
type Item = {
  readonly id: string;
  readonly title: string;
  readonly order: number;
  readonly bytes: number | undefined;
};

export async function findItem(find: ArcgisFind, ask: Ask): Promise<Offer> {
  const query = new URLSearchParams({
    f: 'json',
    num: '100',
    sortField: 'modified',
    sortOrder: 'desc',
    q: find.search,
  });
  const answer = await ask.json(`${sharing}/search?${query}`);
  const error = fieldOf(answer, 'error');
  if (error !== undefined) {
    throw new NotFound(`the search of ArcGIS failed: ${textOf(error, 'message') ?? 'without a reason'}`);
  }
  const items = (listOf(answer, 'results') ?? []).flatMap((entry) => readItem(entry, find));
  const newest = items.reduce<Item | undefined>(
    (best, item) => (best === undefined || item.order > best.order ? item : best),
    undefined,
  );
  if (newest !== undefined) return offerOf(newest, find);
  if (find.pinnedItem !== undefined) {
    return offerOf({ id: find.pinnedItem, title: '', order: 0, bytes: undefined }, find);
  }
  throw new NotFound(
    `the search "${find.search}" of ArcGIS found no ${find.itemType} titled like ${find.title.source}`,
  );
}

function readItem(entry: unknown, find: ArcgisFind): readonly Item[] {
  const [id, title, type] = ['id', 'title', 'type'].map((name) => textOf(entry, name));
  if (id === undefined || title === undefined || type !== find.itemType || !/^[0-9a-f]{32}$/.test(id))
    return [];
  const { month, year } = find.title.exec(title)?.groups ?? {};
  const at = months.indexOf(month?.slice(0, 3).toLowerCase() ?? '');
  return at < 0 || year === undefined
    ? []
    : [{ id, title, order: Number(year) * 12 + at, bytes: countOf(entry, 'size') }];
}

const offerOf = ({ id, title, bytes }: Item, { take }: ArcgisFind): Offer => ({
  ...(take === 'the file of the item'
    ? { address: `${sharing}/content/items/${id}/data`, fileName: `${id}.zip` }
    : { address: `${hub}/${id}/csv?layers=0`, fileName: `${id}.csv` }),
  ...(title === '' ? {} : { edition: title }),
  // Of an item's own file; what a layer is exported to has another size.
  ...(bytes === undefined || take !== 'the file of the item' ? {} : { bytes }),
});
