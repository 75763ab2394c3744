// The end of a load of postcodes, whatever the publication. An edition replaces the one before as a whole, unless the
// operator would lose something by it.

import { refuseOlder } from '../../ingest/dating.ts';
import type { CsvRow } from '../../ingest/read/csv.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { Ground, Into, Loaded, RecognisedFile } from '../../ingest/source.ts';
import { formatCount } from '../../ingest/tally.ts';
import { defined } from '../../out-of-range.ts';
import { gridTable } from '../../tables/postcodes/grid-references.ts';
import {
  openPostcodes,
  type Place,
  type PostcodeSurvey,
  type Postcodes,
} from '../../tables/postcodes/postcodes.ts';
import type { PostcodesBuilder } from '../../tables/postcodes/postcodes-builder.ts';
import { type Nation, nationCodes, nations, postcodesPart } from '../../tables/postcodes/postcodes-table.ts';
import { currentAuthorityCode } from '../../uk/authority-codes.ts';
import { formatDay, parseDay } from '../../uk/calendar.ts';
import { unpackPostcode } from '../../uk/postcode.ts';

/** The reason of a rejected row. */
export const notAPostcode = 'not a postcode';

/** Official files have hardly any unreadable postcode. More of them mean that this is another column. */
const mostRejectedShare = 0.01;
const areasNamed = 12;

const codeNames: Readonly<Record<Exclude<keyof Place, 'nation'>, string>> = {
  authorityCode: 'authorities',
  wardCode: 'wards',
  countyCode: 'counties',
  regionCode: 'regions',
  lsoaCode: 'LSOAs',
  msoaCode: 'MSOAs',
  policeForceCode: 'police force areas',
};

/** Editions are three months apart. One that is dated by its name, and then by its rows or metadata, is up to a month
 *  older the second time. */
const sameEditionDays = 45;

/** Codes that OS Code-Point Open has for no postcode. */
const codesOfOnsAlone: readonly Exclude<keyof Place, 'nation'>[] = [
  'regionCode',
  'lsoaCode',
  'msoaCode',
  'policeForceCode',
];

/** Throws IngestRefused, before anything is read, where what is loaded says what Code-Point Open never does. */
export function refuseLessThanLoaded({ base, losses }: Ground): void {
  if (base?.findDataset('postcodes') === undefined) return;
  const { codes, terminated } = openPostcodes(base).survey();
  losses.refuse(
    [
      ...codesOfOnsAlone.filter((code) => codes.includes(code)).map((code) => codeNames[code]),
      ...(terminated > 0 ? [`${formatCount(terminated)} terminated postcodes`] : []),
    ],
    `Load a newer edition of ${base.findDataset('postcodes')?.source} instead.`,
  );
}

type Known = { readonly source: string; readonly asOf: string; readonly rows: number };

export type Edition = {
  readonly edition: string;
  /** YYYY-MM-DD */
  readonly asOf: string;
  readonly nextEditionExpected: string | null;
  /** With `{year}` where that of the edition goes. */
  readonly attribution: string;
  /** With fewer areas or postcodes than these, something of the publication is missing. */
  readonly whole?: { readonly areas: number; readonly postcodes: number };
};

/** Writes the part. Throws IngestRefused where the postcodes of the base say more than these. */
export function writeEdition(
  builder: PostcodesBuilder,
  edition: Edition,
  files: readonly RecognisedFile[],
  into: Into,
  check: (survey: PostcodeSurvey) => void = () => {},
): Loaded {
  const { tally } = into;
  const names = files.map(({ file }) => file.name).join(', ');
  const strange = tally.rejects.find(({ reason }) => reason === notAPostcode);
  if (strange !== undefined && strange.count > tally.read * mostRejectedShare) {
    const found = `${formatCount(strange.count)} of ${formatCount(tally.read)} rows have no postcode, the first at ${strange.places[0]}`;
    throw new FileRefused(names, `${found}; expected one in each`);
  }
  if (builder.size === 0) throw new FileRefused(names, 'holds no postcodes; expected one in each line');
  const { columns, grid, table } = builder.finish();
  const survey = table.survey();
  check(survey);
  compareWithBase(table, survey, edition, into);
  tally.kept = table.size;
  if (!survey.codes.includes('lsoaCode')) {
    const reason = `${into.source.source} has no statistical areas (LSOA); the ONS Postcode Directory (ONSPD) has them`;
    tally.note(reason, table.size, 'all');
  }
  into.writePart(postcodesPart, columns);
  into.writePart(gridTable.part, grid);
  const { whole } = edition;
  const isPart = whole === undefined || survey.areas.size < whole.areas || table.size < whole.postcodes;
  const extent = isPart ? 'partial' : 'complete';
  return {
    edition: edition.edition,
    asOf: edition.asOf,
    rows: table.size,
    extent,
    nextEditionExpected: edition.nextEditionExpected,
    attribution: edition.attribution.replaceAll('{year}', edition.asOf.slice(0, 4)),
    ...(isPart ? { coverage: partialCoverage(survey) } : {}),
  };
}

function partialCoverage({ areas, nations }: PostcodeSurvey): Record<string, string> {
  return Object.fromEntries(
    [...nations].map(([nation, count]) => [
      nation,
      `${formatCount(count)} postcodes of ${listAreas([...areas.keys()])} only`,
    ]),
  );
}

function listAreas(areas: readonly string[]): string {
  const named = areas.slice(0, areasNamed).join(', ');
  const more = areas.length > areasNamed ? ` and ${areas.length - areasNamed} more` : '';
  return `postcode area${areas.length === 1 ? '' : 's'} ${named}${more}`;
}

/** The bundled sample gives way to anything; loaded data only to what says as much. */
function compareWithBase(table: Postcodes, survey: PostcodeSurvey, edition: Edition, into: Into): void {
  const { base, tally, losses } = into;
  const dataset = base?.findDataset('postcodes');
  if (base === undefined || dataset === undefined || dataset.extent === 'sample') return;
  refuseOlderEdition(defined(parseDay(edition.asOf)), into);
  const before = openPostcodes(base);
  const known = before.survey();
  const saysMore = survey.codes.some((code) => !known.codes.includes(code));
  compareWithOther(edition, dataset, saysMore ? 'says more' : 'says no more', into);
  const lostAreas = [...known.areas.keys()].filter((area) => !survey.areas.has(area));
  const lost = [
    ...known.codes.filter((code) => !survey.codes.includes(code)).map((code) => codeNames[code]),
    ...(known.terminated > 0 && survey.terminated === 0
      ? [`${formatCount(known.terminated)} terminated postcodes`]
      : []),
    ...(lostAreas.length > 0 ? [listAreas(lostAreas)] : []),
  ];
  losses.refuse(
    lost,
    lostAreas.length > 0
      ? 'An edition is loaded as a whole: give all its files together.'
      : `Load a newer edition of ${dataset.source} instead.`,
  );
  into.progress({ phase: 'Comparing with the earlier postcodes', done: 0, total: undefined });
  for (const packed of before.packedNumbers()) {
    if (!table.has(packed)) tally.revise(`no longer in ${edition.edition}`, unpackPostcode(packed));
  }
}

/** An older edition of another publication is loaded where it says more, and its age is told; else it takes something away. */
function compareWithOther(
  { asOf }: Edition,
  known: Known,
  than: 'says more' | 'says no more',
  { source, tally, losses }: Into,
): void {
  const day = defined(parseDay(asOf));
  if (known.source === source.source || !isOlder(day, known)) return;
  if (than === 'says no more') refuseBackwards(day, known, { source, losses });
  const reason = `postcodes of ${asOf} replace those of ${known.source}, which were of ${known.asOf}`;
  tally.note(reason, known.rows, 'all');
}

const refuseBackwards = (day: number, known: Known, { source, losses }: Pick<Ground, 'source' | 'losses'>) =>
  losses.refuse(
    [`what changed from ${formatDay(day)} to ${known.asOf}`],
    `Load a newer edition of ${source.source}.`,
  );

const isOlder = (day: number, { asOf }: Pick<Known, 'asOf'>) =>
  day + sameEditionDays < defined(parseDay(asOf));

/** An edition of this name is dated by its rows. */
export const changesTo = 'changes to ';

/** As `refuseOlderEdition`, for a file whose name tells its month: where both do, any older one is another edition. So is an
 *  older one of another publication, where nothing can say more than what is loaded. Throws IngestRefused. */
export function refuseOlderMonth(month: number, ground: Ground): void {
  const { base, source } = ground;
  const known = base?.findDataset('postcodes');
  if (base === undefined || known === undefined) return;
  const isNamed = known.source === source.source && !known.edition.startsWith(changesTo);
  if (isNamed) refuseOlder(month, ground);
  else if (known.source === source.source) refuseOlderEdition(month, ground);
  else if (isOlder(month, known) && saysEverything(openPostcodes(base).survey()))
    refuseBackwards(month, known, ground);
}

const saysEverything = ({ codes }: PostcodeSurvey) => codes.length === Object.keys(codeNames).length;

/** Throws IngestRefused. */
function refuseOlderEdition(day: number, ground: Pick<Ground, 'base' | 'source'>): void {
  const known = ground.base?.findDataset('postcodes');
  if (known?.source === ground.source.source && isOlder(day, known)) refuseOlder(day, ground);
}

// Reads the codes of the national statistics (E06000001) from millions of rows, without making a text of a code that was
// seen before.

const codeBytes = 9;
const letterA = 0x41;
const letterZ = 0x5a;
const digit0 = 0x30;

export const nationsByCode: ReadonlyMap<string, Nation> = new Map(
  nations.map((nation) => [nationCodes[nation], nation]),
);

/** What a column may hold, and how to tell the operator. */
export type CodeColumn = { readonly at: number; readonly name: string; readonly pattern: RegExp };

/** Northern Ireland's areas of 2001 (95GG15S1) are codes too. */
export const anyCode = /^[A-Z0-9]{3,12}$/;

export class CodeReader {
  readonly #builder: PostcodesBuilder;
  /** Per column: the code as a number (letter × 10⁸ + digits) → the builder's number. */
  readonly #known = new Map<string, Map<number, number>>();

  constructor(builder: PostcodesBuilder) {
    this.#builder = builder;
  }

  /** The builder's number; 0 where the field is empty or a pseudo code. Throws FileRefused. */
  read(row: CsvRow, column: CodeColumn, file: string): number {
    const start = row.start(column.at);
    const end = row.end(column.at);
    if (start === end) return 0;
    const key = end - start === codeBytes ? keyOf(row.bytes, start) : -1;
    if (key < 0) return this.#readOther(row, column, file);
    // E99999999, W99999999, E63999999: "none here".
    if (key % 1_000_000 === 999_999) return 0;
    let known = this.#known.get(column.name);
    if (known === undefined) {
      known = new Map();
      this.#known.set(column.name, known);
    }
    const found = known.get(key);
    if (found !== undefined) return found;
    const number = this.#readOther(row, column, file);
    known.set(key, number);
    return number;
  }

  #readOther(row: CsvRow, { at, name, pattern }: CodeColumn, file: string): number {
    const text = row.text(at);
    if (pattern.test(text)) return this.#builder.code(currentAuthorityCode(text));
    throw new FileRefused(
      file,
      `line ${row.line} has ${JSON.stringify(text)} as ${name}; expected a code like ${example(pattern)}`,
    );
  }
}

const example = (pattern: RegExp) =>
  ['E09000001', 'E05000001', 'E10000002'].find((code) => pattern.test(code)) ?? 'E01000001';

/** −1 where it is not a capital letter and eight digits. */
function keyOf(bytes: Buffer, start: number): number {
  const letter = defined(bytes[start]);
  if (letter < letterA || letter > letterZ) return -1;
  let key = letter - letterA + 1;
  for (let at = start + 1; at < start + codeBytes; at += 1) {
    const digit = defined(bytes[at]) - digit0;
    if (digit < 0 || digit > 9) return -1;
    key = 10 * key + digit;
  }
  return key;
}
