// Councils' lists of homes with their council tax bands, as CSV in whatever columns each council has. Postcodes
// that a list lacks come from the ONS UPRN Directory, given in the same run.

import path from 'node:path';
import { chooseEdition, together } from '../../ingest/editions.ts';
import type { InputFile, TextFile } from '../../ingest/files.ts';
import { firstRows } from '../../ingest/read/csv.ts';
import { headerOf, placeOf, readNamedRows } from '../../ingest/read/named-rows.ts';
import { FileRefused, IngestRefused } from '../../ingest/refusal.ts';
import type { Ground, Into, Judgement, Loaded, Loader, RecognisedFile } from '../../ingest/source.ts';
import { formatCount, Tally } from '../../ingest/tally.ts';
import { defined } from '../../out-of-range.ts';
import {
  encodeValuationLists,
  encodeValuations,
  openValuations,
  type ValuationList,
  type ValuationRow,
  type Valuations,
  valuationBands,
  valuationListsPart,
  valuationsPart,
} from '../../tables/valuations.ts';
import { formatDay, parseWrittenDay } from '../../uk/calendar.ts';
import { packPostcodeText, parsePostcode, unpackPostcode } from '../../uk/postcode.ts';
import {
  addressAt,
  findColumns,
  type ListColumns,
  looksLikeList,
  missingColumn,
  statusOf,
  textAt,
} from './valuation-columns.ts';

const layouts = {
  list: "a council's list of homes as CSV with columns for address (ADDR, ADDR1 …), BAND, and POSTCODE or UPRN",
  directory: 'CSV with the columns UPRN, PCDS (ONS UPRN Directory or NSUL), beside a list without postcodes',
} as const;

export const valuationList: Loader = {
  facts: {
    publisher: 'Billing authorities of England and Wales',
    publisherShort: 'Billing authorities',
    licence: 'As each authority states; Open Government Licence v3.0 for Leeds, Wigan and Bradford',
    attribution: 'Contains public sector information licensed under the Open Government Licence v3.0.',
    coverage: {
      England: 'authorities whose lists are loaded',
      Wales: 'authorities whose lists are loaded',
      Scotland: 'none',
      'Northern Ireland': 'none',
    },
  },
  layouts: Object.values(layouts),
  recognise,
  headerAlone: () => 'refused',
  judge,
  load,
};

function recognise(file: InputFile): keyof typeof layouts | undefined {
  if (file.form !== 'text') return undefined;
  const columns = findColumns(headerOf(file));
  if (looksLikeList(columns)) return 'list';
  return columns.uprn !== -1 && columns.header.some(isDirectoryPostcode) ? 'directory' : undefined;
}

const isDirectoryPostcode = (name: string) => /^pcds$/i.test(name.trim());

/** A row that still lacks its postcode. */
type Pending = { readonly row: Omit<ValuationRow, 'postcode'>; readonly place: string };

type NamedList = Pick<ValuationList, 'name' | 'authority'>;

/** `by` is where its day comes from: rows of a part of a list need not reach its newest one. */
type DatedList = NamedList & { day: number; by: 'file' | 'rows' };

type Collected = {
  readonly lists: DatedList[];
  readonly rows: ValuationRow[];
  /** By UPRN. */
  readonly pending: Map<number, Pending>;
};

/** Before any day; for rows that say none. */
const noDay = Number.NEGATIVE_INFINITY;

/** Files of one list that state different days are editions of it. Throws FileRefused. */
function judge(files: readonly RecognisedFile[], { dating }: Ground): Judgement {
  const directories = files.filter(({ layout }) => layout === 'directory');
  const lists = files.filter((given) => !directories.includes(given));
  if (lists.length === 0) {
    throw new FileRefused(
      directories.map(({ file }) => file.name).join(', '),
      "has the postcodes of UPRNs; give it together with the council's list that needs it",
    );
  }
  for (const { file } of lists)
    if (file.form === 'text')
      usableColumns(file, headerOf(file), directories.length > 0 ? 'given' : 'absent');
  const sameList = Map.groupBy(lists, ({ file }) => (file.form === 'text' ? nameInHead(file) : file.name));
  const judgements = [...sameList.values()].map((same) => {
    const editions = Map.groupBy(same, ({ file }) => dating.glance(file));
    return chooseEdition([...editions].map(([day, given]) => ({ files: given, day })));
  });
  const judged = together(...judgements);
  // Rows of such a list have no day that could tell it.
  for (const { file } of judged.read)
    if (file.form === 'text' && findColumns(headerOf(file)).effective === -1) dating.dayOf(file);
  return together({ read: directories, passedOver: [] }, judged);
}

function nameInHead(file: TextFile): string {
  const [header = [], first = []] = firstRows(file.head, 2, 'cp1252');
  return listOf(file, first[findColumns(header).authority]?.trim() ?? '').name.toLowerCase();
}

// Lists by their names: what is loaded does not depend on which of them came first, and one that is loaded again changes
// nothing.

/** `list` of each row is a place among the lists. */
function orderByName<L extends { readonly name: string }>(
  lists: readonly L[],
  rows: readonly ValuationRow[],
): { readonly lists: readonly L[]; readonly rows: readonly ValuationRow[] } {
  const ordered = lists.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const places = lists.map((list) => ordered.indexOf(list));
  return {
    lists: ordered,
    rows: rows.map((row) => ({ ...row, list: defined(places[row.list]) })).sort((a, b) => a.list - b.list),
  };
}

// Lists that hold the same homes are editions of one council's list, whatever their files are called. Both together would
// give two bands to many homes, and keep homes that are gone.

/** Along a border two councils list some homes both. Fewer shared ones than these tell nothing. */
const sharedFewest = 20;
const isMost = (shared: number, all: number) => shared >= sharedFewest && 2 * shared >= all;

const keyOf = ({ postcode, address }: Pick<ValuationRow, 'postcode' | 'address'>): string =>
  `${postcode}|${address.toUpperCase().replace(/[\s,]+/g, ' ')}`;

/** Homes of the files of one run. */
class GivenHomes {
  /** The list that has each home; the first where several do. */
  readonly #lists = new Map<string, number>();
  readonly #sizes = new Map<number, number>();
  readonly #shared = new Map<string, number>();

  constructor(rows: readonly ValuationRow[]) {
    for (const row of rows) {
      const key = keyOf(row);
      const first = this.#lists.get(key);
      if (first === undefined) this.#lists.set(key, row.list);
      else if (first !== row.list) add(this.#shared, `${first} ${row.list}`);
      add(this.#sizes, row.list);
    }
  }

  /** Indexes of two lists with the same homes. */
  findPair(): readonly [number, number] | undefined {
    for (const [pair, shared] of this.#shared) {
      const [one = -1, other = -1] = pair.split(' ').map(Number);
      const smaller = Math.min(this.#sizes.get(one) ?? 0, this.#sizes.get(other) ?? 0);
      if (isMost(shared, smaller)) return [one, other];
    }
    return undefined;
  }

  /** The index of the list that has most homes of one that is loaded, judged by the postcodes that were kept with it. */
  findEditionOf(list: ValuationList, table: Valuations): number | undefined {
    const shared = new Map<number, number>();
    let all = 0;
    for (const packed of list.postcodes) {
      const postcode = parsePostcode(unpackPostcode(packed));
      if (postcode === undefined) continue;
      for (const { address, list: own } of table.entriesOf(postcode)) {
        if (own !== list) continue;
        all += 1;
        const given = this.#lists.get(keyOf({ postcode: packed, address }));
        if (given !== undefined) add(shared, given);
      }
    }
    return [...shared].find(([, count]) => isMost(count, all))?.[0];
  }
}

function add<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

async function load(files: readonly RecognisedFile[], into: Into): Promise<Loaded> {
  const lists = files.filter(({ layout }) => layout === 'list').map(({ file }) => file);
  const directories = files.filter(({ layout }) => layout === 'directory').map(({ file }) => file);
  const collected: Collected = { lists: [], rows: [], pending: new Map() };
  for (const file of lists) {
    if (file.form === 'text')
      await readList(file, collected, into, directories.length > 0 ? 'given' : 'absent');
  }
  for (const file of directories) {
    if (file.form === 'text' && collected.pending.size > 0) await readDirectory(file, collected, into);
  }
  for (const { place } of collected.pending.values()) into.tally.reject('no postcode for its UPRN', place);
  if (collected.rows.length === 0) {
    throw new FileRefused(lists.map(({ name }) => name).join(', '), 'has no home that can be loaded');
  }
  const homes = new GivenHomes(collected.rows);
  refuseEditions(collected, homes);
  const rows = dropRepeats(collected.rows, into);
  into.tally.kept += rows.length;
  const all = orderByName(collected.lists, joinKnown(collected, rows, homes, into));
  writeParts(all.lists, all.rows, into);
  const names = all.lists.map(({ name }) => name).join(', ');
  return {
    edition: `lists of ${names}`,
    asOf: formatDay(Math.min(...all.lists.map(({ day }) => day))),
    rows: all.rows.length,
    // Few councils publish theirs.
    extent: 'partial',
    nextEditionExpected: null,
    coverage: {
      'England and Wales': `${formatCount(all.rows.length)} homes from the lists of ${names}`,
      Scotland: 'none',
      'Northern Ireland': 'none',
    },
  };
}

/** leeds-2026-10-01, leeds_01.10.2026, leeds 202610, leeds October 2026 */
const dateAtEnd =
  /[_ .-]*(?:(?:\d{1,2}[_ .-]?)?(?:\d{1,2}|[a-z]{3,9})[_ .-]?20\d\d|\d{4,8}|20\d\d[_ .-]\d{1,2}(?:[_ .-]\d{1,2})?)$/i;

/** A list goes by the code of its authority, or else by its file name without edition and date. */
function listOf(file: TextFile, authority: string): NamedList {
  const stem = path.basename(file.name.split(' > ').at(-1) ?? '').replace(/\.\w+$/, '');
  const name = stem.replace(/[_ -]*CTBANDS.*$/i, '').replace(dateAtEnd, '');
  return { name: authority === '' ? name || stem : authority, authority };
}

/** Councils' names are typed in either case. */
const isSameList = (one: NamedList, other: NamedList) => one.name.toLowerCase() === other.name.toLowerCase();

function listIndex({ lists }: Collected, list: NamedList, day = noDay): number {
  const known = lists.findIndex((one) => isSameList(one, list));
  const { name, authority } = list;
  return known === -1 ? lists.push({ name, authority, day, by: 'rows' }) - 1 : known;
}

/** Throws FileRefused where two files are editions of one list: together they would be no list of any day. */
function dateLists(
  file: TextFile,
  indexes: ReadonlySet<number>,
  dated: { readonly day: number; readonly by: DatedList['by'] },
  { lists }: Collected,
) {
  for (const index of indexes) {
    const list = defined(lists[index]);
    const isFirst = list.day === noDay;
    if (!isFirst && list.day !== dated.day && (list.by === 'file' || dated.by === 'file')) {
      throw new FileRefused(
        file.name,
        `is the list of ${list.name} of ${formatDay(dated.day)}, and its list of ${formatDay(list.day)} was given too; give one of them`,
      );
    }
    list.day = Math.max(list.day, dated.day);
    if (isFirst || dated.by === 'file') list.by = dated.by;
  }
}

/** Throws FileRefused where a list lacks what it needs. */
function usableColumns(
  { name }: TextFile,
  titles: readonly string[],
  directory: 'given' | 'absent',
): ListColumns {
  const columns = findColumns(titles);
  const fault = missingColumn(columns);
  if (fault !== undefined) throw new FileRefused(name, fault);
  if (columns.postcode !== -1 || directory === 'given') return columns;
  throw new FileRefused(
    name,
    'has no column POSTCODE. Give it together with the ONS UPRN Directory, which has the postcode of each UPRN',
  );
}

async function readList(
  file: TextFile,
  collected: Collected,
  into: Into,
  directory: 'given' | 'absent',
): Promise<void> {
  const indexes = new Set<number>();
  let newest = noDay;
  const find = (titles: readonly string[]) => usableColumns(file, titles, directory);
  await readNamedRows(file, { width: 'any' }, find, into, (row, columns) => {
    const place = placeOf(file, row);
    const reject = (reason: string) => into.tally.reject(reason, place);
    const cell = (column: number) => textAt(row, column);
    if (row.length < columns.header.length) return reject('fewer fields than the header');
    const status = statusOf(cell(columns.status), cell(columns.deleted), cell(columns.ended));
    if (status !== 'live') return reject(status);
    const band = /^(?:BAND\s*)?([A-I])$/i.exec(cell(columns.band))?.[1]?.toUpperCase();
    if (band === undefined || !valuationBands.includes(band)) return reject('no band A to I');
    const address = addressAt(row, columns);
    const packed = packPostcodeText(cell(columns.postcode));
    const text = withoutPostcode(address, packed);
    if (text === '') return reject('no address');
    const effective = parseWrittenDay(cell(columns.effective));
    const uprn = /^\d{1,12}$/.test(cell(columns.uprn)) ? Number(cell(columns.uprn)) : 0;
    const list = listIndex(collected, listOf(file, cell(columns.authority)));
    const known = {
      address: text,
      band,
      reference: cell(columns.reference),
      uprn,
      effective,
      list,
    };
    newest = Math.max(newest, into.dating.past(effective) ?? noDay);
    indexes.add(list);
    if (packed !== undefined) return void collected.rows.push({ ...known, postcode: packed });
    if (cell(columns.postcode) !== '') return reject('not a postcode');
    if (uprn === 0) return reject('neither postcode nor UPRN');
    if (collected.pending.has(uprn)) return reject('same UPRN twice');
    collected.pending.set(uprn, { row: known, place });
  });
  if (indexes.size === 0) throw new FileRefused(file.name, 'holds no home with a band A to I');
  const day = into.dating.dayOf(file, newest === noDay ? {} : { newestInRows: newest });
  dateLists(file, indexes, { day, by: day === newest ? 'rows' : 'file' }, collected);
}

/** Some lists write the postcode into the address too. */
function withoutPostcode(address: string, packed: number | undefined): string {
  const at = address.lastIndexOf(', ');
  const last = address.slice(at === -1 ? 0 : at + 2);
  const isPostcode = packed !== undefined && packPostcodeText(last) === packed;
  return isPostcode ? address.slice(0, Math.max(at, 0)) : address;
}

async function readDirectory(file: TextFile, collected: Collected, into: Into): Promise<void> {
  const find = (titles: readonly string[]) => ({
    uprn: findColumns(titles).uprn,
    postcode: titles.findIndex(isDirectoryPostcode),
  });
  // The directory's rows are not rows of the list, so they are not counted.
  const uncounted = { progress: into.progress, tally: new Tally() };
  await readNamedRows(file, { width: 'any' }, find, uncounted, (row, at) => {
    const uprn = Number(row.text(at.uprn));
    const pending = collected.pending.get(uprn);
    if (pending === undefined) return;
    const postcode = packPostcodeText(row.text(at.postcode));
    if (postcode === undefined) return;
    collected.pending.delete(uprn);
    collected.rows.push({ ...pending.row, postcode });
  });
}

/** An address that occurs twice with one band is one entry, whatever its commas and spaces. Where a property has several
 *  bands, the newest counts. */
function dropRepeats(rows: readonly ValuationRow[], into: Into): readonly ValuationRow[] {
  const kept = new Map<string, ValuationRow>();
  const properties = new Map<string, string>();
  for (const row of rows) {
    const entry = `${row.postcode}|${row.address.toUpperCase().replace(/[\s,]+/g, ' ')}|${row.band}`;
    const place = `${unpackPostcode(row.postcode)} ${row.address}`;
    if (kept.has(entry)) {
      into.tally.reject('same entry twice', place);
      continue;
    }
    const property = row.reference === '' ? row.uprn : row.reference;
    const earlierEntry = property === 0 ? undefined : properties.get(`${row.list}|${property}`);
    const earlier = earlierEntry === undefined ? undefined : kept.get(earlierEntry);
    if (earlierEntry !== undefined && earlier !== undefined && earlier.address === row.address) {
      if ((earlier.effective ?? noDay) > (row.effective ?? noDay)) {
        into.tally.reject('earlier band of the same property', place);
        continue;
      }
      if (earlier.effective !== row.effective) {
        into.tally.reject('earlier band of the same property', place);
        kept.delete(earlierEntry);
      }
    }
    kept.set(entry, row);
    properties.set(`${row.list}|${property}`, entry);
  }
  return [...kept.values()];
}

/** Lists of earlier runs stay; one that is loaded again is replaced as a whole. */
function joinKnown(
  collected: Collected,
  rows: readonly ValuationRow[],
  homes: GivenHomes,
  into: Into,
): readonly ValuationRow[] {
  const dataset = into.base?.findDataset('valuations');
  if (into.base === undefined || dataset === undefined) return rows;
  const table = openValuations(into.base);
  const given = collected.lists.slice();
  const heirs = new Map(
    table.lists.flatMap((list) => {
      const heir =
        given.find((one) => isSameList(one, list)) ?? given[homes.findEditionOf(list, table) ?? -1];
      return replaces(heir, list) ? [[list, heir]] : [];
    }),
  );
  const fresh = new Set(rows.map(({ postcode, address }) => `${postcode}|${address}`));
  const replaced = new Map<DatedList, number>();
  const joined = [...rows];
  for (const name of dataset.parts) {
    if (name === valuationListsPart) continue;
    for (const row of table.rowsOf(name)) {
      const list = table.lists[row.list];
      if (list === undefined) continue;
      const heir = heirs.get(list);
      if (heir === undefined) {
        joined.push({ ...row, list: listIndex(collected, list, list.day) });
        continue;
      }
      replaced.set(heir, 1 + (replaced.get(heir) ?? 0));
      if (!fresh.has(`${row.postcode}|${row.address}`)) {
        const place = `${unpackPostcode(row.postcode)} ${row.address}`;
        into.tally.revise('known home removed: the new list does not have it', place);
      }
    }
  }
  into.losses.refuseShrunk(
    [...replaced].map(([heir, before]) => ({
      name: `the list of ${heir.name}`,
      before,
      now: rows.filter(({ list }) => given[list] === heir).length,
    })),
  );
  return joined;
}

/** Throws IngestRefused where two of the given lists hold the same homes. */
function refuseEditions({ lists }: Collected, homes: GivenHomes): void {
  const names = homes.findPair()?.map((index) => defined(lists[index]?.name));
  if (names === undefined) return;
  throw new IngestRefused(
    `Nothing was loaded: ${names.join(' and ')} list the same homes. They are editions of one list; give one of them.`,
  );
}

/** Throws IngestRefused where what is loaded is newer. */
function replaces(given: DatedList | undefined, { name, day }: ValuationList): given is DatedList {
  if (given === undefined) return false;
  if (given.day >= day) return true;
  throw new IngestRefused(
    `Nothing was loaded: the list of ${name} is of ${formatDay(given.day)}, but the newer one of ${formatDay(day)} is loaded. To use the older one, go back to a release of that time (domesday releases lists them).`,
  );
}

function writeParts(lists: readonly DatedList[], rows: readonly ValuationRow[], into: Into): void {
  const areas = Map.groupBy(rows, ({ postcode }) => parsePostcode(unpackPostcode(postcode))?.area ?? '');
  into.writePart(valuationListsPart, encodeValuationLists(lists, rows));
  for (const [area, entries] of [...areas].sort(([a], [b]) => (a < b ? -1 : 1))) {
    into.writePart(valuationsPart(area), encodeValuations(area, entries));
  }
}
