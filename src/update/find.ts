// The publishers as an update asks them: finds the newest files of a publication by what its publisher answers today, over the web or
// a mirror, at the addresses that sources name or that the operator gave instead.

import type { Find, Listed, Offer } from '../ingest/publication.ts';
import { formatDay, londonToday } from '../uk/calendar.ts';
import type { Publisher } from './look.ts';
import type { Web } from './web/web.ts';

// ArcGIS, where the Office for National Statistics keeps its geography: a search for items, of which user guides and older
// months are many. Errors come with status 200.

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

// What a finder may ask of a publisher, and how it reads the answer: nothing in it is believed before it was looked at.

/** Each rejects where the publisher does not answer as it should. */
export type Ask = {
  readonly json: (address: string) => Promise<unknown>;
  /** With the address after redirects, as links are relative to it. */
  readonly page: (address: string) => Promise<{ readonly text: string; readonly address: string }>;
  readonly isThere: (address: string) => Promise<boolean>;
};

/** The publisher answered, but the file is not where it used to be. The message begins small. */
export class NotFound extends Error {
  override name = 'NotFound';
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;

function textOf(value: unknown, name: string): string | undefined {
  const field = fieldOf(value, name);
  return typeof field === 'string' ? field : undefined;
}

function countOf(value: unknown, name: string): number | undefined {
  const field = fieldOf(value, name);
  return typeof field === 'number' && Number.isSafeInteger(field) && field >= 0 ? field : undefined;
}

function listOf(value: unknown, ...names: readonly string[]): readonly unknown[] | undefined {
  const field = names.reduce(fieldOf, value);
  return Array.isArray(field) ? field : undefined;
}

/** What the file is called on disk: the last step of its path, without what no file system takes. */
function fileNameOf(address: string): string {
  const steps = new URL(address).pathname.split('/').filter((step) => step !== '');
  const name = (steps.at(-1) ?? '').replaceAll(/%[0-9a-f]{2}|[^\w.() -]/gi, '_');
  return /^\.*$/.test(name) ? 'file' : name;
}

/** Of what a pattern matches: the one that comes last in the order of the group `newest`, or else the first. */
function newestOf<T>(entries: readonly T[], pattern: RegExp, text: (entry: T) => string): T | undefined {
  const matching = entries.flatMap((entry) => {
    const match = pattern.exec(text(entry));
    return match === null ? [] : [{ entry, order: match.groups?.newest ?? '' }];
  });
  return matching.reduce<(typeof matching)[number] | undefined>(
    (best, each) => (best === undefined || each.order > best.order ? each : best),
    undefined,
  )?.entry;
}

async function findItem(find: ArcgisFind, ask: Ask): Promise<Offer> {
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

// GOV.UK: the content API tells the attachments of a page. When a page was last changed says nothing about its files.

const api = 'https://www.gov.uk/api/content';

type GovukFind = Extract<Find, { kind: 'govuk' }>;

async function findAttachments(find: GovukFind, ask: Ask): Promise<readonly Offer[]> {
  const path = find.document === undefined ? find.path : await findDocument(find.path, find.document, ask);
  const attachments = listOf(await ask.json(`${api}${path}`), 'details', 'attachments');
  if (attachments === undefined) throw new NotFound(`https://www.gov.uk${path} lists no attachments`);
  return find.files.map(({ title, fileName }) => {
    const pattern = title ?? fileName ?? /(?:)/;
    const found = newestOf(attachments, pattern, (entry) =>
      title === undefined
        ? nameIn(entry)
        : fileName === undefined || fileName.test(nameIn(entry))
          ? (textOf(entry, 'title') ?? '')
          : '',
    );
    const address = textOf(found, 'url');
    if (address === undefined) {
      throw new NotFound(`https://www.gov.uk${path} has no attachment like ${pattern.source}`);
    }
    const bytes = countOf(found, 'file_size');
    const edition = textOf(found, 'title');
    return {
      address,
      fileName: fileNameOf(address),
      ...(edition === undefined ? {} : { edition }),
      ...(bytes === undefined ? {} : { bytes }),
    };
  });
}

function nameIn(attachment: unknown): string {
  const address = textOf(attachment, 'url');
  return textOf(attachment, 'filename') ?? (address === undefined ? '' : fileNameOf(address));
}

async function findDocument(path: string, title: RegExp, ask: Ask): Promise<string> {
  const documents = listOf(await ask.json(`${api}${path}`), 'links', 'documents');
  const newest = newestOf(documents ?? [], title, (document) => textOf(document, 'title') ?? '');
  const found = textOf(newest, 'base_path');
  if (found === undefined)
    throw new NotFound(`https://www.gov.uk${path} has no document titled like ${title.source}`);
  return found;
}

// Index pages for people: the link that leads to the file, or to the page that has it.

/** How far behind its link the MD5 of a file may stand. */
const md5Within = 400;

type Link = { readonly address: string; readonly md5: string | undefined };

async function followLinks(
  { page, follow, md5Behind }: Extract<Find, { kind: 'links' }>,
  ask: Ask,
): Promise<Offer> {
  let at: Link = { address: page, md5: undefined };
  for (const pattern of follow) {
    const index = await ask.page(at.address);
    const found = newestOf(linksOf(index.text, index.address), pattern, ({ address }) => address);
    if (found === undefined) throw new NotFound(`${at.address} has no link like ${pattern.source}`);
    at = found;
  }
  const edition = follow.at(-1)?.exec(at.address)?.groups?.newest;
  return {
    address: at.address,
    fileName: fileNameOf(at.address),
    ...(edition === undefined ? {} : { edition }),
    ...(md5Behind === undefined || at.md5 === undefined ? {} : { md5: at.md5 }),
  };
}

/** In the order of the page. */
function linksOf(html: string, page: string): readonly Link[] {
  const hrefs = [...html.matchAll(/\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')/gi)];
  return hrefs.flatMap((match, index) => {
    const written = (match[1] ?? match[2] ?? '').replaceAll('&amp;', '&').trim();
    const address = URL.parse(written, page)?.href;
    if (address === undefined) return [];
    const behind = html.slice(
      match.index,
      Math.min(hrefs[index + 1]?.index ?? html.length, match.index + md5Within),
    );
    return [{ address, md5: /(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])/i.exec(behind)?.[0].toLowerCase() }];
  });
}

// The downloads API of Ordnance Survey: version, size and MD5 of every product, without a key.

const products = 'https://api.os.uk/downloads/v1/products';

async function findProduct(
  { product, area, format }: Extract<Find, { kind: 'os-downloads' }>,
  ask: Ask,
): Promise<Offer> {
  const version = textOf(await ask.json(`${products}/${product}`), 'version');
  const address = `${products}/${product}/downloads`;
  const found = listOf(await ask.json(address))?.find(
    (entry) => textOf(entry, 'area') === area && textOf(entry, 'format') === format,
  );
  const url = textOf(found, 'url');
  if (url === undefined) throw new NotFound(`${address} offers no ${format} of ${area}`);
  const bytes = countOf(found, 'size');
  const md5 = textOf(found, 'md5')?.toLowerCase();
  return {
    address: url,
    fileName: textOf(found, 'fileName')?.replaceAll(/[^\w.() -]/g, '_') ?? `${product}.zip`,
    ...(version === undefined ? {} : { edition: version }),
    ...(bytes === undefined ? {} : { bytes }),
    ...(md5 !== undefined && /^[0-9a-f]{32}$/.test(md5) ? { md5 } : {}),
  };
}

/** `today` is a day of src/uk/calendar.ts. Throws NotFound where the publisher's answer has no such file. */
export async function findOffers(find: Find, ask: Ask, today: number): Promise<readonly Offer[]> {
  switch (find.kind) {
    case 'fixed':
      return find.addresses.map((address) => ({ address, fileName: fileNameOf(address) }));
    case 'os-downloads':
      return [await findProduct(find, ask)];
    case 'govuk':
      return findAttachments(find, ask);
    case 'arcgis':
      return [await findItem(find, ask)];
    case 'links':
      return [await followLinks(find, ask)];
    case 'dated':
      return [await findDated(find, ask, today)];
  }
}

async function findDated(
  { address, daysBack }: Extract<Find, { kind: 'dated' }>,
  ask: Ask,
  today: number,
): Promise<Offer> {
  for (let back = 0; back <= daysBack; back += 1) {
    const day = formatDay(today - back);
    const dated = address.replace('{YYYYMMDD}', day.replaceAll('-', ''));
    if (await ask.isThere(dated)) return { address: dated, fileName: fileNameOf(dated), edition: day };
  }
  throw new NotFound(`none of the last ${daysBack + 1} days has a file at ${address}`);
}

// The publishers as an update asks them.

/** Index pages have some 100 kB; a search of ArcGIS 300 kB. */
const mostIndexBytes = 16_000_000;

type Means = {
  readonly web: Web;
  /** By name of the publication: where its file is, whatever its source says. */
  readonly addresses: ReadonlyMap<string, string>;
  readonly nowMs: number;
  readonly signal: AbortSignal;
};

/** An address that the operator gave is trusted with its own host. */
export const hostsOf = (
  { name, hosts }: Listed,
  { addresses }: Pick<Means, 'addresses'>,
): readonly string[] => {
  const given = URL.parse(addresses.get(name) ?? '')?.hostname;
  return given === undefined ? hosts : [given, ...hosts];
};

export function openPublisher(means: Means): Publisher {
  const { web, addresses, nowMs, signal } = means;
  return {
    find: async (publication): Promise<readonly Offer[]> => {
      const given = addresses.get(publication.name);
      if (given !== undefined) return [{ address: given, fileName: fileNameOf(given) }];
      return findOffers(publication.find, askOf(publication, means), londonToday(nowMs));
    },
    peek: (publication, address, known) =>
      web.peek(address, {
        hosts: hostsOf(publication, means),
        known: known && {
          ...(known.etag === undefined ? {} : { etag: known.etag }),
          ...(known.lastModified === undefined ? {} : { lastModified: known.lastModified }),
        },
        signal,
      }),
  };
}

function askOf({ hosts }: Listed, { web, signal }: Means): Ask {
  const bounds = { hosts, mostBytes: mostIndexBytes, signal };
  return {
    json: async (address) => (await web.readDocument(address, { ...bounds, expects: 'json' })).value,
    page: (address) => web.readDocument(address, { ...bounds, expects: 'html' }),
    isThere: (address) => web.isThere(address, { hosts, signal }),
  };
}
