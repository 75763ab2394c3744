// Which day a file is of. A day that is not known is never today, nor when the file was copied: an old list would pass
// for a new one, and the next real one for old. In this order count: the day in the file's name; the day that the
// publisher states above the tables; what the operator says (--edition); the month in the name; when the workbook was
// last saved; the newest day in its rows; when its publisher last changed it, where it was fetched by an update. The day of
// creation is not asked where there is a later one, because publishers fill last year's workbook again: real ones of 2023
// say that they were created in 2000.

import path from 'node:path';
import type { DatasetName } from '../datasets.ts';
import type { ReleaseKind } from '../release/manifest.ts';
import type { Release } from '../release/reader.ts';
import {
  dayIn,
  dayOf,
  formatDay,
  formatMonth,
  lastDayOf,
  monthOf,
  parseDay,
  parseMonthName,
} from '../uk/calendar.ts';
import { visible } from '../visible.ts';
import type { InputFile } from './files.ts';
import { tidy } from './read/workbook.ts';
import { FileRefused, IngestRefused } from './refusal.ts';

/** No publication that is read here is older. An earlier day is a program's default, such as 1980-01-01. */
const firstYear = 1990;
const firstDay = dayOf(firstYear, 1, 1) ?? Number.NaN;

/** What a loader has found in a file. */
type FoundInside = {
  /** Texts of a file that is no workbook in which the publisher may state the day. */
  readonly titles?: readonly string[];
  /** The newest day of its rows, which may be of an event rather than of the edition. */
  readonly newestInRows?: number | undefined;
};

const waysToTell = {
  name: 'its name',
  title: 'what stands above its tables',
  told: '--edition',
  month: 'the month in its name',
  saved: 'when it was last saved',
  rows: 'the newest day in its rows',
  fetched: 'when it was last changed where it was fetched',
} as const;

type Dated = { readonly day: number; readonly by: keyof typeof waysToTell };

/** How exactly a file is dated. */
const units = {
  day: { of: (day: number) => day, format: formatDay },
  month: { of: monthOf, format: (day: number) => formatMonth(monthOf(day)) },
} as const;
type Unit = (typeof units)[keyof typeof units];

/** Tells the days of the files of one ingest. */
export class Dating {
  readonly today: number;
  readonly #told: number | undefined;
  readonly #fetched: ReadonlyMap<string, number>;
  readonly #dated = new Map<string, Dated & { readonly unit: Unit }>();

  /** `told` is the day of --edition. `fetched`: by path, the days of files that were just fetched from their publishers. */
  constructor(
    today: number,
    told: number | undefined,
    fetched: ReadonlyMap<string, number> = new Map<string, number>(),
  ) {
    this.today = today;
    this.#told = told;
    this.#fetched = fetched;
  }

  /** Throws FileRefused, asking for --edition, where nothing tells. */
  dayOf(file: InputFile, inside: FoundInside = {}): number {
    return this.#tell(file, inside, units.day);
  }

  /** As `dayOf`, in months since the year 0, for a file that is of a month: --edition may name it without a day. */
  monthOf(file: InputFile, inside: FoundInside = {}): number {
    return monthOf(this.#tell(file, inside, units.month));
  }

  #tell(file: InputFile, inside: FoundInside, unit: Unit): number {
    const found = this.#find(file, inside);
    if (found === undefined) {
      throw new FileRefused(
        file.name,
        'does not state its day. Add the day, or its month, to the command: --edition 2026-08-31',
      );
    }
    const { newestInRows } = inside;
    const isTooNew = newestInRows !== undefined && unit.of(newestInRows) > unit.of(found.day);
    if (found.by === 'told' && isTooNew) {
      throw new FileRefused(
        file.name,
        `has rows of ${formatDay(newestInRows)}, so it cannot be of ${unit.format(found.day)}, as --edition says`,
      );
    }
    this.#dated.set(file.name, { ...found, unit });
    return found.day;
  }

  /** What the head of a file tells of its day, before it is read. */
  glance(file: InputFile): number | undefined {
    return this.#tellers(file, {}).find(([by, day]) => by !== 'told' && day !== undefined)?.[1];
  }

  /** The last day that a row of the file can be of: the end of the month that it says it is of, and never after today. The
   *  bundled files are of one day, whatever a machine's clock says. */
  lastDayIn(file: InputFile, kind: ReleaseKind): number {
    if (kind !== 'loaded') return Number.POSITIVE_INFINITY;
    const own = this.#find(file, {});
    return own === undefined ? this.today : Math.min(this.today, lastDayOf(monthOf(own.day)));
  }

  /** A day that can have been when the file was made; else undefined. Typing errors and clocks that run ahead are found in
   *  every register. */
  past(day: number | undefined): number | undefined {
    return day !== undefined && day >= firstDay && day <= this.today ? day : undefined;
  }

  /** "2021-08-25, by its name" where the day of a file was asked for. */
  describe(file: string): string | undefined {
    const dated = this.#dated.get(file);
    return dated && `${dated.unit.format(dated.day)}, by ${waysToTell[dated.by]}`;
  }

  /** Throws IngestRefused where --edition was given, no file needed it, and they are of another day: the operator would take
   *  it for heard. `asOf` are the days of the sources, for files whose rows tell. */
  refuseUnused(asOf: readonly string[]): void {
    const dated = [...this.#dated.values()];
    if (this.#told === undefined || dated.some(({ by }) => by === 'told')) return;
    const told = this.#told;
    const isAsTold =
      dated.length === 0
        ? asOf.every((day) => day === formatDay(told))
        : dated.every(({ day, unit }) => unit.of(day) === unit.of(told));
    if (isAsTold) return;
    throw needless([...this.#dated.keys()].map((file) => `${file}: ${this.describe(file)}`));
  }

  /** As `refuseUnused`, before anything is read: where every file says by its name or above its tables that it is of another
   *  month. */
  refuseNeedless(files: readonly InputFile[]): void {
    const told = this.#told;
    if (told === undefined || files.length === 0) return;
    const lines = files.flatMap((file) => {
      const [by, day] = this.#tellers(file, {}).find(([, found]) => found !== undefined) ?? [];
      const isOther =
        (by === 'name' || by === 'title') && day !== undefined && monthOf(day) !== monthOf(told);
      return isOther ? [`${file.name}: ${formatDay(day)}, by ${waysToTell[by]}`] : [];
    });
    if (lines.length === files.length) throw needless(lines);
  }

  #find(file: InputFile, inside: FoundInside): Dated | undefined {
    for (const [by, day] of this.#tellers(file, inside)) if (day !== undefined) return { day, by };
    return undefined;
  }

  /** In the order in which they count. */
  #tellers(
    file: InputFile,
    { titles = [], newestInRows }: FoundInside,
  ): readonly (readonly [Dated['by'], number | undefined])[] {
    const workbook = file.form === 'workbook' ? file : undefined;
    const texts = workbook?.sheetNames.flatMap((sheet) => workbook.head(sheet).flat()) ?? titles;
    return [
      ['name', this.#newest([...namesOf(file).flatMap(daysInName), ...dayOfExtract(file)])],
      ['title', this.#newest(texts.flatMap((text) => statedDay(tidy(text)) ?? []))],
      ['told', this.#told],
      ['month', this.#newest(namesOf(file).flatMap(monthsInName))],
      ['saved', this.past(workbook?.savedDay)],
      ['rows', this.past(newestInRows)],
      ['fetched', this.past(this.#fetched.get(file.name.split(' > ', 1)[0] ?? ''))],
    ];
  }

  #newest(days: readonly number[]): number | undefined {
    const possible = days.filter((day) => this.past(day) !== undefined);
    return possible.length === 0 ? undefined : Math.max(...possible);
  }
}

const needless = (lines: readonly string[]) =>
  new IngestRefused(
    [
      'Nothing was loaded: --edition is for files that do not state their day. These files state another day. Leave it out.',
      ...lines.map((line) => `  ${visible(line)}`),
    ].join('\n'),
  );

/** YYYY-MM-DD, or YYYY-MM for the first day of that month. Undefined where it is no such day, or before 1990. */
export function parseEdition(text: string): number | undefined {
  const day = parseDay(/^\d{4}-\d\d$/.test(text) ? `${text}-01` : text);
  return day !== undefined && day >= firstDay ? day : undefined;
}

/** Throws IngestRefused where what is loaded is newer: an older edition never takes the place of a newer one. `newest` is given
 *  where several lists are loaded, whose oldest is the day of the dataset. */
export function refuseOlder(
  day: number,
  {
    base,
    source,
  }: { readonly base: Release | undefined; readonly source: { readonly dataset: DatasetName } },
  newest?: number,
): void {
  const known = base?.findDataset(source.dataset);
  if (known === undefined || known.extent === 'sample') return;
  const loaded = newest === undefined ? known.asOf : formatDay(newest);
  if (loaded <= formatDay(day)) return;
  throw new IngestRefused(
    `Nothing was loaded: the file is of ${formatDay(day)}, and ${known.source} of ${loaded} is loaded. To go back, use a release of that time (\`domesday releases\` lists them).`,
  );
}

/** The names that the publisher may have given: of the entry, and of the archive that it lies in. Folders are the operator's. */
function namesOf({ name }: InputFile): readonly string[] {
  const names = name.split(' > ').map((part) => path.basename(part).replace(/%20|%2B|\+/gi, ' '));
  return names.map((part) => part.replace(/(\.[a-z]{1,4})+$/i, '').replace(/_/g, ' '));
}

const inName = {
  /** 20210825, 2021-08-25, 2021.08.25 */
  yearFirst: /(?<!\d)(20\d\d)([-. ]?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])(?!\d)/g,
  /** 25-08-2021 */
  dayFirst: /(?<!\d)(\d{1,2})([-. ])(\d{1,2})\2(20\d\d)(?!\d)/g,
  /** 25 August 2021, 25-Aug-2021 */
  inWords: /(?<!\d)(\d{1,2})(?:st|nd|rd|th)?[-. ]?([a-z]{3,9})[-. ]?(20\d\d)(?!\d)/gi,
  /** August 2021, aug2021 */
  monthInWords: /(?<![a-z])([a-z]{3,9})[-. ]?(20\d\d)(?!\d)/gi,
  /** 2021-08, 202108 */
  month: /(?<!\d)(20\d\d)[-.]?(0[1-9]|1[0-2])(?![-.]?\d)/g,
  /** rutland-240101.osm.pbf, as Geofabrik names its extracts. */
  extract: /-(\d\d)(\d\d)(\d\d)\.osm\.pbf$/i,
};

const isDay = (day: number | undefined) => day !== undefined;

function daysInName(name: string): readonly number[] {
  return [
    ...[...name.matchAll(inName.yearFirst)].map(([, year, , month, date]) =>
      dayOf(Number(year), Number(month), Number(date)),
    ),
    ...[...name.matchAll(inName.dayFirst)].map(([, date, , month, year]) =>
      dayOf(Number(year), Number(month), Number(date)),
    ),
    ...[...name.matchAll(inName.inWords)].map(([, date, word = '', year]) =>
      dayOf(Number(year), parseMonthName(word) ?? 0, Number(date)),
    ),
  ].filter(isDay);
}

function dayOfExtract({ name }: InputFile): readonly number[] {
  const [, year, month, date] = inName.extract.exec(name) ?? [];
  return [dayOf(2000 + Number(year), Number(month), Number(date))].filter(isDay);
}

function monthsInName(name: string): readonly number[] {
  const isTaxYear = (year: number, month: number) => (year + 1) % 100 === month;
  return [
    ...[...name.matchAll(inName.monthInWords)].map(([, word = '', year]) =>
      dayOf(Number(year), parseMonthName(word) ?? 0, 1),
    ),
    // "2011-12" is a year of council tax as well as a month.
    ...[...name.matchAll(inName.month)].map(([, year, month]) =>
      isTaxYear(Number(year), Number(month)) ? undefined : dayOf(Number(year), Number(month), 1),
    ),
  ].filter(isDay);
}

const stating =
  /\b(publi(?:shed|cation)|updated?|revised|released?|issued|dated?|correct|as (?:at|of|on)|extracted)\b/i;
const ahead = /\b(next|forthcoming|until|due|planned)\b/i;

/** The day in "Published on 23 March 2023", "Schools open as at 31 July 2026" or "1 April 2026" alone; not that of
 *  "the period 1 April 2023 to 31 March 2024", nor of the next edition. */
function statedDay(text: string): number | undefined {
  if (/^\d{1,2}(st|nd|rd|th)? [A-Z][a-z]+ \d{4}$/.test(text)) return dayIn(text);
  const at = stating.exec(text);
  if (at === null || ahead.test(text)) return undefined;
  return dayIn(/^[^.]{0,160}/.exec(text.slice(at.index))?.[0] ?? '');
}
