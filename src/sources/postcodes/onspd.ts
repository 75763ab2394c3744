// The postcode directories of the Office for National Statistics: the ONS Postcode Directory (ONSPD) and the National
// Statistics Postcode Lookup (NSPL).

import { chooseEdition, together } from '../../ingest/editions.ts';
import type { InputFile, TextFile } from '../../ingest/files.ts';
import type { Terms } from '../../ingest/publication.ts';
import { type CsvRow, firstRows } from '../../ingest/read/csv.ts';
import {
  headerOf,
  placeOf,
  type RowFormat,
  readNamedRows,
  refuseHeader,
} from '../../ingest/read/named-rows.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type {
  Ground,
  Into,
  Judgement,
  Loaded,
  Loader,
  RecognisedFile,
  Shrinkage,
} from '../../ingest/source.ts';
import { outOfRange } from '../../out-of-range.ts';
import { monthNumber, noPoint, type Usage } from '../../tables/postcodes/postcodes.ts';
import { PostcodesBuilder } from '../../tables/postcodes/postcodes-builder.ts';
import type { Nation } from '../../tables/postcodes/postcodes-table.ts';
import { dayMs } from '../../time.ts';
import { dayOf, formatDay, parseDay, parseMonthName } from '../../uk/calendar.ts';
import { packPostcodeText } from '../../uk/postcode.ts';
import {
  anyCode,
  type CodeColumn,
  CodeReader,
  changesTo,
  type Edition,
  nationsByCode,
  notAPostcode,
  refuseOlderMonth,
  writeEdition,
} from './edition.ts';

/** A file with this many of the columns is one of these, and what it lacks is worth saying. */
const enoughToRecognise = 7;
const isOnlyInOnspd = (name: string) => /^(parish|parncp\d\dcd)$/.test(name);

/** Latitude of a row without a grid reference. */
const noLatitude = 99.999999;

const licence =
  'Open Government Licence v3.0; postcodes of Northern Ireland (BT): internal business use only, unless Land & Property Services gives a licence';
const attribution =
  'Source: Office for National Statistics licensed under the Open Government Licence v.3.0. Contains OS data © Crown copyright and database right {year}. Contains Royal Mail data © Royal Mail copyright and database right {year}.';

const facts = {
  publisher: 'Office for National Statistics',
  publisherShort: 'ONS',
  licence,
  attribution: attribution.replaceAll('{year}', '[year of the edition]'),
  coverage: {
    England: 'complete',
    Wales: 'complete',
    Scotland: 'complete',
    'Northern Ireland': 'complete',
    'Channel Islands': 'postcodes without location',
    'Isle of Man': 'postcodes without location',
  },
};

const leftOut = 'postcode of Northern Ireland, whose terms were not accepted';

const northernIreland: Terms = {
  name: 'northern-ireland-postcodes',
  text: 'Postcodes of Northern Ireland (BT) belong to Land & Property Services. Without its licence they are for internal business use only, not for a service that you sell.',
  page: 'https://www.ons.gov.uk/methodology/geography/licences',
  leavesOut: 'postcodes of Northern Ireland',
};

/** What both publications have in common. */
const ofBoth = {
  hosts: ['www.arcgis.com'],
  rhythm: { text: 'quarterly: February, May, August, November', lateAfterDays: 150, askEveryDays: 0 },
  mostBytes: 1_500_000_000,
  loading: { seconds: 30, memoryBytes: 440_000_000, diskBytes: 71_000_000 },
  terms: northernIreland,
  holds: 'everything',
  readWith: 'nothing else',
} as const;

/** Postcodes that are used no more stay in the directories. */
const shrinks: Shrinkage = { share: 0.01, perYear: 0.01 };

export const onspd: Loader = {
  facts,
  publications: [
    {
      name: 'onspd',
      title: 'ONS Postcode Directory',
      page: 'https://geoportal.statistics.gov.uk/search?q=PRD_ONSPD',
      find: {
        kind: 'arcgis',
        search: 'title:"ONS Postcode Directory" AND owner:ONSGeography_data',
        itemType: 'CSV Collection',
        title: /^ONS Postcode Directory \((?<month>\w+) (?<year>20\d\d)\)/,
        take: 'the file of the item',
      },
      typicalBytes: 253_928_895,
      gives: 'every endpoint that takes a postcode, and the small areas that census and crime need',
      set: 'essential',
      ...ofBoth,
    },
  ],
  layouts: ['CSV with the columns pcds, doterm, lat, long, lad25cd (or oslaua), …, parncp25cd (or parish)'],
  recognise: (file) => (isDirectory(file, 'ONSPD') ? 'ONS Postcode Directory' : undefined),
  shrinks,
  headerAlone: () => 'refused',
  judge,
  load,
};

export const nspl: Loader = {
  facts,
  publications: [
    {
      name: 'nspl',
      title: 'National Statistics Postcode Lookup',
      page: 'https://geoportal.statistics.gov.uk/search?q=PRD_NSPL',
      find: {
        kind: 'arcgis',
        search: 'title:"National Statistics Postcode Lookup" AND owner:ONSGeography_data',
        itemType: 'CSV Collection',
        title: /^National Statistics Postcode Lookup \((?<month>\w+) (?<year>20\d\d)\)/,
        take: 'the file of the item',
      },
      typicalBytes: 185_109_467,
      gives: 'the same as the Postcode Directory, without parishes',
      set: 'on request',
      ...ofBoth,
    },
  ],
  layouts: ['CSV with the columns pcds, doterm, lat, long, lad25cd (or laua), …, without parishes'],
  recognise: (file) => (isDirectory(file, 'NSPL') ? 'National Statistics Postcode Lookup' : undefined),
  shrinks,
  headerAlone: () => 'refused',
  judge,
  load,
};

// Which columns of the postcode directories are read. Their names carry the year of what they refer to (lad25cd) and were renamed
// altogether in 2025, so each is found by a pattern, and a missing one is an error.

const wanted = {
  postcode: { pattern: /^pcds$/, names: 'pcds' },
  introduced: { pattern: /^dointr$/, names: 'dointr' },
  terminated: { pattern: /^doterm$/, names: 'doterm' },
  usage: { pattern: /^(usertype|usrtypind)$/, names: 'usertype or usrtypind' },
  easting: { pattern: /^(oseast1m|east1m)$/, names: 'oseast1m or east1m' },
  northing: { pattern: /^(osnrth1m|north1m)$/, names: 'osnrth1m or north1m' },
  latitude: { pattern: /^lat$/, names: 'lat' },
  longitude: { pattern: /^long$/, names: 'long' },
  country: { pattern: /^ctry(\d\dcd)?$/, names: 'ctry or ctry25cd' },
  authority: { pattern: /^(oslaua|laua|lad\d\dcd)$/, names: 'oslaua, laua or lad25cd' },
  ward: { pattern: /^(osward|ward|wd\d\dcd)$/, names: 'osward, ward or wd25cd' },
  county: { pattern: /^(oscty|cty(\d\dcd)?)$/, names: 'oscty, cty or cty25cd' },
  region: { pattern: /^(rgn|gor)(\d\dcd)?$/, names: 'rgn or rgn25cd' },
  police: { pattern: /^pfa(\d\dcd)?$/, names: 'pfa or pfa23cd' },
  // Editions before 2023 have only the areas of the census of 2011.
  lsoa: { pattern: /^lsoa(21|11)(cd)?$/, names: 'lsoa21 or lsoa21cd (lsoa11 in older editions)' },
  msoa: { pattern: /^msoa(21|11)(cd)?$/, names: 'msoa21 or msoa21cd (msoa11 in older editions)' },
} as const;

type Wanted = keyof typeof wanted;
type Column = { readonly at: number; readonly name: string };
type Found = Readonly<Record<Wanted, Column>>;

/** Throws FileRefused, naming every column that is missing. */
function resolveColumns(file: string, header: readonly string[]): Found {
  const missing: string[] = [];
  const resolve = (wish: Wanted): Column => {
    const { pattern, names } = wanted[wish];
    const matching = header.filter((name) => pattern.test(name));
    // Both censuses are in an edition; the newer one is the one that everything else refers to.
    const name = matching.find((candidate) => candidate.includes('21')) ?? matching[0] ?? '';
    const isTwice = matching.length > 1 && !/^[lm]soa$/.test(wish);
    if (name === '') missing.push(names);
    if (isTwice || header.indexOf(name) !== header.lastIndexOf(name)) {
      throw new FileRefused(file, `line 1 has ${matching.join(' and ')}; expected one column for ${wish}`);
    }
    return { at: header.indexOf(name), name };
  };
  const found: Found = {
    postcode: resolve('postcode'),
    introduced: resolve('introduced'),
    terminated: resolve('terminated'),
    usage: resolve('usage'),
    easting: resolve('easting'),
    northing: resolve('northing'),
    latitude: resolve('latitude'),
    longitude: resolve('longitude'),
    country: resolve('country'),
    authority: resolve('authority'),
    ward: resolve('ward'),
    county: resolve('county'),
    region: resolve('region'),
    police: resolve('police'),
    lsoa: resolve('lsoa'),
    msoa: resolve('msoa'),
  };
  if (missing.length === 0) return found;
  throw new FileRefused(
    file,
    `line 1 lacks ${missing.length === 1 ? 'a required column' : `${missing.length} required columns`}; expected ${missing.map((names) => `(${names})`).join(' ')}. Its columns are ${header.join(', ')}`,
  );
}

function isDirectory(file: InputFile, which: 'ONSPD' | 'NSPL'): boolean {
  if (file.form !== 'text') return false;
  const header = headerOf(file).map(normalise);
  const found = Object.values(wanted).filter(({ pattern }) => header.some((cell) => pattern.test(cell)));
  if (found.length < enoughToRecognise) return false;
  return header.some(isOnlyInOnspd) === (which === 'ONSPD');
}

const normalise = (cell: string) => cell.trim().toLowerCase();

const format: RowFormat = { width: 'exact' };

const columnsIn = ({ name }: TextFile, titles: readonly string[]) =>
  resolveColumns(name, titles.map(normalise));

/** A row has 300 bytes or more, and the largest postcode area a thirtieth of all rows: so much is of many areas. */
const leastOfWhole = 100_000_000;

/** A file of the whole country is read alone. Files by postcode area are read together, but for those of an older edition
 *  and those that begin with the same postcode: they are editions of one. */
function judge(files: readonly RecognisedFile[], ground: Ground): Judgement {
  const judged = chooseFiles(files);
  const [month] = judged.read.map(({ file }) => monthOf(file));
  for (const { file } of judged.read)
    if (file.form === 'text') refuseHeader(file, format, (titles) => columnsIn(file, titles));
  if (month !== undefined) refuseOlderMonth(month, ground);
  ground.losses.refuseFragment(judged.read);
  return judged;
}

function chooseFiles(files: readonly RecognisedFile[]): Judgement {
  const editionsOf = (given: readonly RecognisedFile[]) =>
    chooseEdition(given.map((one) => ({ files: [one], day: monthOf(one.file) })));
  // The archive has every row twice: in a national file, and in the files by postcode area below multi_csv.
  const isCopy = ({ file }: RecognisedFile) => /[/\\]multi_csv[/\\]/.test(file.name);
  const isWhole = ({ file }: RecognisedFile) => file.weight >= leastOfWhole;
  const own = files.some((given) => !isCopy(given)) ? files.filter((given) => !isCopy(given)) : files;
  const whole = own.filter(isWhole);
  const chosen = whole.length > 0 ? whole : own;
  const because = 'file by postcode area, whose rows are in the national file';
  const copies = files.filter((given) => !chosen.includes(given));
  const left = { read: [], passedOver: copies.map(({ file }) => ({ name: file.name, because })) };
  if (whole.length > 0) return together(editionsOf(whole), left);
  const byMonth = Map.groupBy(own, ({ file }) => monthOf(file));
  const newest = chooseEdition([...byMonth].map(([day, given]) => ({ files: given, day })));
  const sameAreas = Map.groupBy(newest.read, ({ file }) => firstPostcode(file) ?? file.name);
  return together(...[...sameAreas.values()].map(editionsOf), {
    ...left,
    passedOver: [...left.passedOver, ...newest.passedOver],
  });
}

/** The first day of the month of the edition, which only names tell. */
function monthOf({ name }: InputFile): number | undefined {
  const [, word = '', year = ''] = /(?:ONSPD|NSPL)\w*?_([A-Z]{3})[A-Z]*_(20\d\d)/i.exec(name) ?? [];
  return dayOf(Number(year), parseMonthName(word) ?? 0, 1);
}

function firstPostcode(file: InputFile): string | undefined {
  if (file.form !== 'text') return undefined;
  const [header = [], first = []] = firstRows(file.head, 2, 'cp1252');
  return first[header.map(normalise).findIndex((name) => wanted.postcode.pattern.test(name))];
}

async function load(files: readonly RecognisedFile[], into: Into): Promise<Loaded> {
  const builder = new PostcodesBuilder();
  const codes = new CodeReader(builder);
  const texts = files.flatMap(({ file }) => (file.form === 'text' ? [file] : []));
  const [first = outOfRange()] = texts;
  let newestMonth = '';
  for (const file of texts) newestMonth = await readDirectory(file, builder, codes, newestMonth, into);
  const month = monthOf(first);
  const described = month === undefined ? describeChanges(newestMonth, first, into) : describeEdition(month);
  const loaded = writeEdition(builder, described, files, into);
  if (!into.leaveOut.has('postcodes of Northern Ireland')) return loaded;
  return {
    ...loaded,
    leftOut,
    extent: 'partial',
    coverage: {
      ...(loaded.coverage ?? facts.coverage),
      'Northern Ireland': 'none: their terms were not accepted',
    },
  };
}

/** The United Kingdom with the Channel Islands and the Isle of Man has 124 areas. With those that have ended, the
 *  directories have 2.7 million postcodes. */
const whole = { areas: 124, postcodes: 2_500_000 };

const common = { attribution, whole } as const;

/** Files under other names than the publisher's are dated by the newest month (YYYYMM) in which a postcode came or went. */
function describeChanges(newestMonth: string, first: TextFile, { dating }: Into): Edition {
  const newest = parseDay(`${newestMonth.slice(0, 4)}-${newestMonth.slice(4)}-01`);
  const isKnown = newest !== undefined && newest <= dating.today;
  const asOf = formatDay(isKnown ? newest : dating.dayOf(first));
  return { ...common, edition: `${changesTo}${asOf.slice(0, 7)}`, asOf, nextEditionExpected: null };
}

function describeEdition(month: number): Edition {
  const first = new Date(month * dayMs);
  const next = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 3));
  const name = (date: Date) =>
    date.toLocaleDateString('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
  return { ...common, edition: name(first), asOf: formatDay(month), nextEditionExpected: name(next) };
}

/** Returns the newest month (YYYYMM) in which a postcode came or went. */
async function readDirectory(
  file: TextFile,
  builder: PostcodesBuilder,
  codes: CodeReader,
  newestBefore: string,
  into: Into,
): Promise<string> {
  const { tally } = into;
  let newest = newestBefore;
  const find = (titles: readonly string[]) =>
    new RowReader(file.name, columnsIn(file, titles), builder, codes);
  await readNamedRows(file, format, find, into, (row, reader) => {
    const outcome = reader.take(row, into.leaveOut);
    if (outcome === 'no postcode') tally.reject(notAPostcode, placeOf(file, row));
    else if (outcome === 'already there') tally.reject('duplicate postcode', placeOf(file, row));
    else if (outcome === 'left out') tally.reject(leftOut, placeOf(file, row));
    if (reader.newestMonth > newest) newest = reader.newestMonth;
  });
  return newest;
}

class RowReader {
  newestMonth = '';
  readonly #file: string;
  readonly #at: Found;
  /** In the order of the table's places. */
  readonly #codeColumns: readonly CodeColumn[];
  readonly #builder: PostcodesBuilder;
  readonly #codes: CodeReader;

  constructor(file: string, at: Found, builder: PostcodesBuilder, codes: CodeReader) {
    this.#file = file;
    this.#at = at;
    const { authority, ward, county, region, lsoa, msoa, police } = this.#at;
    this.#codeColumns = [authority, ward, county, region, lsoa, msoa, police].map((column) => ({
      ...column,
      pattern: anyCode,
    }));
    this.#builder = builder;
    this.#codes = codes;
  }

  /** Throws FileRefused. */
  take(row: CsvRow, leaveOut: Into['leaveOut']): 'added' | 'already there' | 'no postcode' | 'left out' {
    const text = row.text(this.#at.postcode.at);
    if (leaveOut.has('postcodes of Northern Ireland') && text.startsWith('BT')) return 'left out';
    const packed = packPostcodeText(text);
    const introduced = this.#month(row, 'introduced');
    const terminated = this.#month(row, 'terminated');
    if (introduced > this.newestMonth) this.newestMonth = introduced;
    if (terminated > this.newestMonth) this.newestMonth = terminated;
    const codes = this.#codeColumns.map((column) => this.#codes.read(row, column, this.#file));
    const nation = this.#nation(row);
    const place = this.#builder.place(nation, codes);
    const { latitude, longitude } = this.#point(row);
    const { easting, northing } = this.#gridReference(row, nation);
    if (packed === undefined) return 'no postcode';
    return this.#builder.add({
      packed,
      place,
      latitude,
      longitude,
      easting,
      northing,
      terminated:
        terminated === '' ? 0 : monthNumber(Number(terminated.slice(0, 4)), Number(terminated.slice(4))),
      usage: this.#usage(row),
    });
  }

  #wrong(row: CsvRow, column: Wanted, expected: string): FileRefused {
    const { at, name } = this.#at[column];
    return new FileRefused(
      this.#file,
      `line ${row.line} has ${JSON.stringify(row.text(at))} as ${name}; expected ${expected}`,
    );
  }

  #month(row: CsvRow, column: 'introduced' | 'terminated'): string {
    const text = row.text(this.#at[column].at);
    if (text === '' || /^(19|20)\d\d(0[1-9]|1[0-2])$/.test(text)) return text;
    throw this.#wrong(row, column, 'a month like 202511, or nothing');
  }

  #nation(row: CsvRow): Nation | null {
    const code = row.text(this.#at.country.at);
    const nation = nationsByCode.get(code);
    if (nation !== undefined) return nation;
    if (code === '' || /^[A-Z]99999999$/.test(code)) return null;
    throw this.#wrong(row, 'country', `one of ${[...nationsByCode.keys()].join(', ')}`);
  }

  #usage(row: CsvRow): Usage | null {
    const text = row.text(this.#at.usage.at);
    if (text === '0') return 'small';
    if (text === '1') return 'large';
    if (text === '') return null;
    throw this.#wrong(row, 'usage', '0 (small user) or 1 (large user)');
  }

  /** As published, which is exact to a millionth of a degree. */
  #point(row: CsvRow): { readonly latitude: number; readonly longitude: number } {
    const text = row.text(this.#at.latitude.at);
    const latitude = Number(text);
    if (text === '' || latitude === noLatitude) return { latitude: noPoint, longitude: 0 };
    if (!(latitude > 49 && latitude < 61.5)) {
      throw this.#wrong(row, 'latitude', `a latitude from 49 to 61.5, or ${noLatitude}`);
    }
    const longitudeText = row.text(this.#at.longitude.at);
    const longitude = longitudeText.trim() === '' ? Number.NaN : Number(longitudeText);
    if (!(longitude > -9 && longitude < 2.5)) {
      throw this.#wrong(row, 'longitude', 'a longitude from -9 to 2.5');
    }
    return { latitude: Math.round(latitude * 1e6), longitude: Math.round(longitude * 1e6) };
  }

  /** Those of Northern Ireland are on the Irish grid, and are no places on the National Grid. */
  #gridReference(row: CsvRow, nation: Nation | null) {
    const none = { easting: 0, northing: 0 };
    const isEmpty = row.text(this.#at.easting.at) === '' && row.text(this.#at.northing.at) === '';
    if (isEmpty || nation === 'Northern Ireland') return none;
    return { easting: this.#metres(row, 'easting'), northing: this.#metres(row, 'northing') };
  }

  #metres(row: CsvRow, column: 'easting' | 'northing'): number {
    const text = row.text(this.#at[column].at);
    if (/^\d{1,7}$/.test(text)) return Number(text);
    throw this.#wrong(row, column, 'whole metres on the National Grid, or nothing');
  }
}
