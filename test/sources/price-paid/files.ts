// Price-paid files for tests: rows in the exact official layouts, a home to load them into, and what should come
// out, by the simplest means.

import type { Release } from '../../../src/release/reader.ts';
import type { ReleaseStore } from '../../../src/release/store.ts';
import { sourcesNamed } from '../../../src/sources/index.ts';
import { formatId } from '../../../src/sources/price-paid/records.ts';
import { saleChangesPart } from '../../../src/tables/sales/changes.ts';
import { openSales, openSalesIndex } from '../../../src/tables/sales/sales.ts';
import { saleIdsPart, saleIdsTable, salesIndexPart, unplacedArea } from '../../../src/tables/sales/table.ts';
import { formatDay } from '../../../src/uk/calendar.ts';
import { openTestHome, type TestHome } from '../../ingest/home.ts';

/** The sixteen fields of the bulk layout, the id in braces. */
export type Fields = readonly string[];

export const fieldNames = [
  'id',
  'price',
  'date',
  'postcode',
  'type',
  'new',
  'estate',
  'paon',
  'saon',
  'street',
  'locality',
  'town',
  'district',
  'county',
  'category',
  'status',
] as const;

type Wish = Partial<Record<(typeof fieldNames)[number], string>>;

/** A row of the bulk layout; `number` makes its id. */
export function row(number: number, wish: Wish = {}): Fields {
  const id = `{${number.toString(16).toUpperCase().padStart(8, '0')}-1DC7-8922-E063-4804A8C094D0}`;
  const plain: Record<string, string> = {
    id,
    price: '250000',
    date: '2025-06-27 00:00',
    postcode: 'PO33 2JR',
    type: 'T',
    new: 'N',
    estate: 'F',
    paon: '12',
    saon: '',
    street: 'HIGH STREET',
    locality: '',
    town: 'RYDE',
    district: 'ISLE OF WIGHT',
    county: 'ISLE OF WIGHT',
    category: 'A',
    status: 'A',
    ...wish,
  };
  return fieldNames.map((name) => plain[name] ?? '');
}

const quoted = (field: string) => `"${field.replaceAll('"', '""')}"`;
export const bulkCsv = (rows: readonly Fields[]): string =>
  rows.map((fields) => `${fields.map(quoted).join(',')}\n`).join('');

export const exportHeader =
  'unique_id,price_paid,deed_date,postcode,property_type,new_build,estate_type,saon,paon,street,locality,town,district,county,transaction_category,linked_data_uri';

/** The same rows as the query tool exports them. */
export const exportCsv = (rows: readonly Fields[], afterHeader: '\n' | '' = '\n'): string =>
  `${exportHeader}${afterHeader}${rows
    .map((fields) => {
      const [
        id = '',
        price = '',
        date = '',
        postcode = '',
        type = '',
        age = '',
        estate = '',
        paon = '',
        saon = '',
      ] = fields;
      const bare = id.replace(/[{}]/g, '');
      const uri = `http://landregistry.data.gov.uk/data/ppi/transaction/${bare}/current`;
      const cells = [bare, price, date.slice(0, 10), postcode, type, age, estate, saon, paon];
      return `${[...cells, ...fields.slice(9, 15), uri].map(quoted).join(',')}\n`;
    })
    .join('')}`;

/** What is live after applying rows in order, as "id fields…", in the order of the text. */
export function liveAfter(rows: readonly Fields[]): readonly string[] {
  const live = new Map<string, Fields>();
  for (const fields of rows) {
    if (fields[15] === 'D') live.delete(fields[0] ?? '');
    else live.set(fields[0] ?? '', fields);
  }
  return [...live.values()].map(textOf).sort();
}

const textOf = (fields: Fields) =>
  [fields[0]?.replace(/[{}]/g, ''), fields[1], fields[2]?.slice(0, 10), ...fields.slice(3, 15)].join('|');

export type SalesHome = TestHome & {
  /** Every live sale of the current release, the unplaced ones too, as `liveAfter` writes them. */
  live(): readonly string[];
};

export function openSalesHome(): SalesHome {
  const home = openTestHome();
  return {
    ...home,
    ingest: (paths, sources = sourcesNamed('price-paid'), ...more) => home.ingest(paths, sources, ...more),
    live: () => {
      const release = home.store.openCurrent();
      const areas = openSalesIndex(release).areas.map(({ area }) => area);
      return areas.flatMap((area) => readArea(release, area)).sort();
    },
  };
}

function readArea(release: Release, area: string): readonly string[] {
  const segment = openSales(release).find(area);
  if (segment === undefined) throw new Error(`no part for ${area}`);
  const ids = saleIdsTable.read(release.part(saleIdsPart(area))).id;
  return Array.from({ length: segment.length }, (_, at) => {
    const { street, locality, town, district, county } = segment.place(at);
    const flags = (segment.flags[at] ?? 0) & 31;
    return [
      formatId(ids.slice(16 * at, 16 * at + 16)),
      segment.price(at),
      formatDay(segment.days[at] ?? 0),
      segment.postcode(at),
      segment.propertyType(at),
      segment.isNewlyBuilt(at) ? 'Y' : 'N',
      segment.estate(at),
      segment.paon(at),
      segment.saon(at),
      street,
      locality,
      town,
      district,
      county,
      (flags & 1) === 1 ? 'B' : 'A',
    ].join('|');
  });
}

/** Size and checksum of every part with sales or their ids. */
export const areaParts = (store: ReleaseStore): ReadonlyMap<string, { bytes: number; crc32: number }> =>
  new Map(
    Object.entries(store.openCurrent().manifest.parts)
      .filter(([name]) => name !== salesIndexPart && name !== saleChangesPart)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

/** Areas of the release, without the unplaced sales. */
export const areasOf = (store: ReleaseStore): readonly string[] =>
  openSalesIndex(store.openCurrent())
    .areas.map(({ area }) => area)
    .filter((area) => area !== unplacedArea);
