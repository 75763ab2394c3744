// OS Code-Point Open: every live postcode of Great Britain with its grid reference. The data has no header, so
// every field is checked against what must stand there. Edition and counts come from Doc/metadata.txt.

import path from 'node:path';
import { chooseEdition } from '../../ingest/editions.ts';
import type { InputFile, TextFile } from '../../ingest/files.ts';
import { reporting } from '../../ingest/progress.ts';
import { type CsvRow, firstRows, readCsv } from '../../ingest/read/csv.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { Ground, Into, Judgement, Loaded, Loader, RecognisedFile } from '../../ingest/source.ts';
import { formatCount } from '../../ingest/tally.ts';
import { defined } from '../../out-of-range.ts';
import { noPoint, type PostcodeSurvey } from '../../tables/postcodes/postcodes.ts';
import { PostcodesBuilder } from '../../tables/postcodes/postcodes-builder.ts';
import type { Nation } from '../../tables/postcodes/postcodes-table.ts';
import { formatDay, parseDay } from '../../uk/calendar.ts';
import { gridToLatLong } from '../../uk/grid.ts';
import { packPostcodeText } from '../../uk/postcode.ts';
import {
  type CodeColumn,
  CodeReader,
  type Edition,
  nationsByCode,
  notAPostcode,
  refuseLessThanLoaded,
  writeEdition,
} from './edition.ts';

const layouts = {
  data: 'CSV without a header, 10 columns: postcode, quality, easting, northing, country, two NHS codes, county, district, ward (one file, or one per postcode area)',
  metadata: 'metadata.txt that begins ORDNANCE SURVEY, PRODUCT: OS CODE-POINT (edition and counts)',
  'column names': 'Code-Point_Open_Column_Headers.csv',
} as const;
type Layout = keyof typeof layouts;

const columnNames =
  'Postcode,Positional_quality_indicator,Eastings,Northings,Country_code,NHS_regional_HA_code,NHS_HA_code,Admin_county_code,Admin_district_code,Admin_ward_code';
const fieldCount = 10;
const qualities = /^(10|20|30|40|50|60|90)$/;
const nationCode = /^[EWS]92\d{6}$/;

const county: CodeColumn = { at: 7, name: 'county', pattern: /^E10\d{6}$/ };
const district: CodeColumn = { at: 8, name: 'district', pattern: /^(E0[6-9]|W06|S12)\d{6}$/ };
const ward: CodeColumn = { at: 9, name: 'ward', pattern: /^(E05|W05|S13)\d{6}$/ };

/** The National Grid reaches no further. */
const mostEastMetres = 700_000;
const mostNorthMetres = 1_300_000;

/** With `{year}` where that of the edition goes. */
const attribution =
  'Contains OS data © Crown copyright and database right {year}. Contains Royal Mail data © Royal Mail copyright and database right {year}. Contains National Statistics data © Crown copyright and database right {year}.';

export const codePointOpen: Loader = {
  facts: {
    publisher: 'Ordnance Survey',
    publisherShort: 'Ordnance Survey',
    licence: 'Open Government Licence v3.0',
    attribution: attribution.replaceAll('{year}', '[year of the edition]'),
    coverage: { England: 'live postcodes', Wales: 'live postcodes', Scotland: 'live postcodes' },
  },
  publications: [
    {
      name: 'code-point-open',
      title: 'Code-Point Open',
      page: 'https://osdatahub.os.uk/downloads/open/CodePointOpen',
      find: { kind: 'os-downloads', product: 'CodePointOpen', area: 'GB', format: 'CSV' },
      hosts: ['api.os.uk', 'omseprd1stdstordownload.blob.core.windows.net'],
      rhythm: { text: 'quarterly', lateAfterDays: 150, askEveryDays: 0 },
      typicalBytes: 14_461_176,
      mostBytes: 200_000_000,
      loading: { seconds: 12, memoryBytes: 280_000_000, diskBytes: 47_000_000 },
      gives: 'postcodes of Great Britain, without the small areas that census and crime need',
      set: 'on request',
      holds: 'everything',
      readWith: 'nothing else',
    },
  ],
  layouts: Object.values(layouts),
  // About one postcode in a hundred comes or goes in a year.
  shrinks: { share: 0.02, perYear: 0.02 },
  recognise,
  judge,
  load,
};

function recognise(file: InputFile): Layout | undefined {
  if (file.form !== 'text') return undefined;
  if (/^\s*ORDNANCE SURVEY\s+PRODUCT: OS CODE-POINT/i.test(file.head.toString('latin1'))) return 'metadata';
  const [first = [], second = []] = firstRows(file.head, 2, 'cp1252');
  if (first.join() === 'PC,PQ,EA,NO,CY,RH,LH,CC,DC,WC' || second.join() === columnNames)
    return 'column names';
  // A postcode and a country in any place, so that a file with columns in another order is refused by name.
  const isRow =
    first.length >= fieldCount - 2 &&
    first.length <= fieldCount + 2 &&
    first.some((cell) => packPostcodeText(cell) !== undefined) &&
    first.some((cell) => nationCode.test(cell.trim()));
  return isRow ? 'data' : undefined;
}

const textsOf = (files: readonly RecognisedFile[], wish: Layout): readonly TextFile[] =>
  files.flatMap(({ file, layout }) => (layout === wish && file.form === 'text' ? [file] : []));

/** The files of a download lie in one archive or folder, as Doc/metadata.txt and Data/CSV/ab.csv. */
function downloadOf({ name }: InputFile): string {
  const [archive = '', entry] = name.split(' > ');
  return entry === undefined ? path.dirname(archive).replace(/[/\\](Doc|Data[/\\]CSV)$/i, '') : archive;
}

/** One download is read, with what describes it. Where it lies beside nothing else, what describes it may lie elsewhere. */
function judge(files: readonly RecognisedFile[], ground: Ground): Judgement {
  refuseLessThanLoaded(ground);
  for (const file of textsOf(files, 'column names')) checkColumnNames(file);
  const downloads = [...Map.groupBy(files, ({ file }) => downloadOf(file)).values()];
  const withData = downloads.filter((given) => textsOf(given, 'data').length > 0);
  if (withData.length === 0) {
    const names = files.map(({ file }) => file.name).join(', ');
    throw new FileRefused(names, 'describes Code-Point Open; give the data (Data/CSV) with it');
  }
  const judged =
    withData.length === 1 ? { read: files, passedOver: [] } : chooseEdition(withData.map(editionOf));
  describeEdition(textsOf(judged.read, 'metadata').map(readMetadata), textsOf(judged.read, 'data'), ground);
  ground.losses.refuseFragment(judged.read.filter(({ layout }) => layout === ('data' satisfies Layout)));
  return judged;
}

function editionOf(files: readonly RecognisedFile[]): {
  files: readonly RecognisedFile[];
  day: number | undefined;
} {
  const [metadata] = textsOf(files, 'metadata').map(readMetadata);
  const [version] = textsOf(files, 'data').flatMap(versionInName);
  return { files, day: parseDay(metadata?.asOf ?? (version === undefined ? '' : firstDayOf(version))) };
}

async function load(files: readonly RecognisedFile[], into: Into): Promise<Loaded> {
  const metadata = textsOf(files, 'metadata').map(readMetadata);
  const data = textsOf(files, 'data');
  const edition = describeEdition(metadata, data, into);
  const builder = new PostcodesBuilder();
  const reader = new RowReader(builder);
  for (const file of data) await readData(file, reader, into);
  return writeEdition(builder, edition, files, into, (survey) => {
    for (const item of metadata) checkCounts(item, survey);
  });
}

function checkColumnNames(file: TextFile): void {
  const names = firstRows(file.head, 2, 'cp1252')[1]?.join() ?? '';
  if (names === columnNames) return;
  throw new FileRefused(file.name, `line 2 has ${JSON.stringify(names)}; expected ${columnNames}`);
}

type Metadata = {
  readonly file: string;
  readonly version: string;
  /** YYYY-MM-DD: of the Royal Mail's data in it. */
  readonly asOf: string;
  readonly areas: ReadonlyMap<string, number>;
};

function readMetadata(file: TextFile): Metadata {
  const text = file.head.toString('latin1');
  const version = /^DATASET VERSION NUMBER:\s*(20\d\d\.\d+(?:\.\d+)*)/m.exec(text)?.[1];
  const [, year, month, day] =
    /^RM UPDATE DATE:\s*(\d{4})(\d\d)(\d\d)\b/m.exec(text) ??
    /^COPYRIGHT DATE:\s*(\d{4})(\d\d)(\d\d)\b/m.exec(text) ??
    [];
  if (version === undefined || year === undefined) {
    throw new FileRefused(
      file.name,
      'lacks a line; expected DATASET VERSION NUMBER: 2025.4.0 and RM UPDATE DATE: 20251017',
    );
  }
  const areas = [...text.matchAll(/^\s*([A-Z]{1,2})\s+(\d+)\s*$/gm)].map(
    ([, area = '', count = '']): [string, number] => [area, Number(count)],
  );
  return { file: file.name, version, asOf: `${year}-${month}-${day}`, areas: new Map(areas) };
}

/** Great Britain has 120 areas; edition 2025.4 has 1,745,849 postcodes. */
const whole = { areas: 120, postcodes: 1_600_000 };

/** "2025.4", in codepo_gb_2025.4_all.csv. */
function versionInName({ name }: TextFile): readonly string[] {
  const [, year, quarter] = /code-?po(?:int)?[^>]*?(20\d\d)[._-]([1-4])(?!\d)/i.exec(name) ?? [];
  return year === undefined ? [] : [`${year}.${quarter}`];
}

/** Of the quarter, as no more is known. */
const firstDayOf = (version: string) =>
  `${version.slice(0, 4)}-${String(3 * Number(version.slice(5)) - 2).padStart(2, '0')}-01`;

/** Throws FileRefused where the files tell no edition, or several. */
function describeEdition(
  metadata: readonly Metadata[],
  data: readonly TextFile[],
  { dating }: Pick<Ground, 'dating'>,
): Edition {
  const common = { attribution, nextEditionExpected: 'quarterly', whole } as const;
  const versions = new Set(metadata.map(({ version }) => version));
  const [stated] = metadata;
  if (stated !== undefined && versions.size === 1) {
    return { ...common, edition: stated.version, asOf: stated.asOf };
  }
  const named = new Set(data.map((file) => versionInName(file)[0]));
  const [version] = named;
  if (versions.size > 1 || named.size > 1) {
    const editions = [...versions, ...named].map((item) => item ?? 'unknown').join(', ');
    const names = data.map(({ name }) => name).join(', ');
    throw new FileRefused(names, `belong to several editions (${editions}); give one`);
  }
  if (version === undefined) {
    const asOf = formatDay(dating.dayOf(defined(data[0])));
    return { ...common, edition: `of ${asOf}`, asOf };
  }
  return { ...common, edition: version, asOf: firstDayOf(version) };
}

/** Throws FileRefused where an area has another number of postcodes than the publisher counted. */
function checkCounts({ file, areas }: Metadata, survey: PostcodeSurvey): void {
  const wrong = [...areas].filter(([area, count]) => survey.areas.get(area) !== count);
  const [first] = wrong;
  if (first === undefined) return;
  const [area, count] = first;
  throw new FileRefused(
    file,
    `lists ${formatCount(count)} postcodes of ${area}, but the data has ${formatCount(survey.areas.get(area) ?? 0)}${wrong.length > 1 ? `; ${wrong.length} areas differ` : ''}. Files are missing or cut off: give the whole download`,
  );
}

async function readData(file: TextFile, reader: RowReader, into: Into): Promise<void> {
  const { tally } = into;
  const base = path.basename(file.name);
  const chunks = reporting(file.open(), `Reading ${file.name}`, file.bytes, into.progress);
  await readCsv(chunks, { file: file.name, encoding: 'utf-8' }, (row) => {
    tally.read += 1;
    const outcome = reader.take(row, file.name);
    if (outcome === 'no postcode') tally.reject(notAPostcode, `${base}:${row.line}`);
    else if (outcome === 'already there') tally.reject('duplicate postcode', `${base}:${row.line}`);
  });
}

class RowReader {
  readonly #builder: PostcodesBuilder;
  readonly #codes: CodeReader;
  /** Buildings with many postcodes have one grid reference. */
  #last = { east: -1, north: -1, latitude: noPoint, longitude: 0 };

  constructor(builder: PostcodesBuilder) {
    this.#builder = builder;
    this.#codes = new CodeReader(builder);
  }

  /** Throws FileRefused. */
  take(row: CsvRow, file: string): 'added' | 'already there' | 'no postcode' {
    const wrong = (expected: string) =>
      new FileRefused(
        file,
        `line ${row.line} is ${JSON.stringify(row.texts().join())}; expected ${expected}`,
      );
    if (row.length !== fieldCount) {
      throw wrong(`${fieldCount} fields (${columnNames}), not ${row.length}. Is the file cut off?`);
    }
    const packed = packPostcodeText(row.text(0));
    if (packed === undefined && row.line === 1) throw wrong('a postcode as the first field');
    if (!qualities.test(row.text(1))) throw wrong('a quality (10 to 90) as the second field');
    const nation = this.#nation(row);
    if (nation === undefined) throw wrong('a country code like E92000001 as the fifth field');
    const codes = [
      this.#codes.read(row, district, file),
      this.#codes.read(row, ward, file),
      this.#codes.read(row, county, file),
      ...[0, 0, 0, 0],
    ];
    const [east, north] = [readMetres(row, 2), readMetres(row, 3)];
    if (!(east <= mostEastMetres && north <= mostNorthMetres)) {
      throw wrong('easting and northing in metres as the third and fourth field');
    }
    if (packed === undefined) return 'no postcode';
    const { latitude, longitude } = this.#point(east, north);
    const place = this.#builder.place(nation, codes);
    return this.#builder.add({
      packed,
      place,
      latitude,
      longitude,
      easting: east,
      northing: north,
      terminated: 0,
      usage: null,
    });
  }

  #nation(row: CsvRow): Nation | null | undefined {
    const code = row.text(4);
    return code === '' ? null : nationsByCode.get(code);
  }

  /** Quality 90 has zeros for an unknown place. */
  #point(east: number, north: number): { readonly latitude: number; readonly longitude: number } {
    const last = this.#last;
    if (last.east === east && last.north === north) return last;
    if (east === 0 && north === 0) {
      this.#last = { east, north, latitude: noPoint, longitude: 0 };
    } else {
      const { latitudeDegrees, longitudeDegrees } = gridToLatLong(east, north);
      const micro = (degrees: number) => Math.round(degrees * 1e6);
      this.#last = { east, north, latitude: micro(latitudeDegrees), longitude: micro(longitudeDegrees) };
    }
    return this.#last;
  }
}

/** A whole number; NaN for anything else. */
function readMetres(row: CsvRow, at: number): number {
  const end = row.end(at);
  let value = row.start(at) === end ? Number.NaN : 0;
  for (let index = row.start(at); index < end; index += 1) {
    const digit = defined(row.bytes[index]) - 0x30;
    value = digit >= 0 && digit <= 9 ? 10 * value + digit : Number.NaN;
  }
  return value;
}
