// Street-level crime and outcomes of data.police.uk: the archive as a zip or folder, or single files of it. A force's
// month takes the place of the same month loaded before, unless that is of a newer archive; everything else stays.

import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Dating } from '../../ingest/dating.ts';
import type { InputFile, TextFile } from '../../ingest/files.ts';
import { loadedBefore } from '../../ingest/losses.ts';
import { firstRows } from '../../ingest/read/csv.ts';
import { hasTitles } from '../../ingest/read/named-rows.ts';
import { FileRefused, IngestRefused } from '../../ingest/refusal.ts';
import type {
  DatasetFacts,
  Ground,
  Into,
  Judgement,
  Loaded,
  Loader,
  RecognisedFile,
} from '../../ingest/source.ts';
import type { Tally } from '../../ingest/tally.ts';
import { wholeOf } from '../../ingest/unpacking.ts';
import { defined, outOfRange } from '../../out-of-range.ts';
import { crimeArchivesTable, readCrimeArchives } from '../../tables/crime/archives.ts';
import { type Coverage, type CoverageKind, judgeForces, shareOfUsual } from '../../tables/crime/coverage.ts';
import { openCrimes } from '../../tables/crime/crimes.ts';
import { formatDay, formatMonth, lastDayOf, monthOf, parseMonth } from '../../uk/calendar.ts';
import {
  lastMonthOfForce,
  northernIrelandForce,
  territorialForces,
  transportPolice,
} from '../../uk/police.ts';
import { carryOver } from './carry-over.ts';
import { outcomesColumns, PoliceRows, streetColumns } from './rows.ts';

const policeFacts: DatasetFacts = {
  publisher: 'Police forces of England, Wales and Northern Ireland, through data.police.uk',
  publisherShort: 'data.police.uk',
  licence: 'Open Government Licence v3.0',
  attribution: 'Contains public sector information licensed under the Open Government Licence v3.0.',
  coverage: {
    England: 'the loaded forces and months; Greater Manchester has published nothing since July 2019',
    Wales: 'the loaded forces and months',
    'Northern Ireland': 'until July 2023; never with outcomes',
    Scotland: 'British Transport Police only',
  },
};

export const police: Loader = {
  facts: policeFacts,
  publications: [
    {
      name: 'police-archive',
      title: 'Street-level crime, the three-year archive',
      page: 'https://data.police.uk/data/archive/',
      find: {
        kind: 'links',
        page: 'https://data.police.uk/data/archive/',
        follow: [/^https:\/\/data\.police\.uk\/data\/archive\/(?<newest>20\d\d-\d\d)\.zip$/],
        md5Behind: true,
      },
      hosts: ['data.police.uk', 'policeuk-data.s3.amazonaws.com'],
      rhythm: { text: 'monthly, at the end of the following month', lateAfterDays: 75, askEveryDays: 0 },
      typicalBytes: 1_733_535_664,
      mostBytes: 6_000_000_000,
      loading: { seconds: 220, memoryBytes: 1_900_000_000, diskBytes: 1_010_000_000 },
      gives: 'crime of /area/statistics and all of /crime/by-postcode',
      set: 'essential',
      holds: 'everything',
      readWith: 'nothing else',
    },
  ],
  layouts: [
    'the archive of data.police.uk (YYYY-MM.zip), or its files YYYY-MM-<force>-street.csv and -outcomes.csv',
  ],
  recognise,
  // A force may have nothing to publish in a month. What is loaded of that month stays.
  // Forces revise their months; each is compared by itself.
  shrinks: { share: 0.2, perYear: 0 },
  headerAlone: () => 'passed over',
  judge,
  load,
};

// Chooses among files of the same force and month. The archives of data.police.uk overlap by three years, and each has
// its months as revised on its day, so that reading two of them would count every crime twice.

type Layout = 'street' | 'outcomes';

type GivenFile = { readonly file: TextFile; readonly layout: Layout };

type DescribedFile = GivenFile & {
  /** Of the first row; undefined where it has none, or none that can be read. */
  readonly month: number | undefined;
  readonly force: string | undefined;
};

type PoliceFile = DescribedFile & {
  /** The month of the archive that the file is of. */
  readonly archive: number;
};

/** Throws FileRefused for a file of a month that is yet to come: it would pass for the newest until then. */
function describeFiles(files: readonly GivenFile[], dating: Dating): readonly PoliceFile[] {
  const described = files.map(describeFile);
  for (const { file, month } of described) {
    if (month === undefined || dating.past(firstDayOf(month)) !== undefined) continue;
    throw new FileRefused(
      file.name,
      `begins with the month ${formatMonth(month)}, which is in the future by the clock of this machine. Leave the file out, or correct the clock`,
    );
  }
  const bundles = Map.groupBy(described, ({ file }) => bundleOf(file));
  return [...bundles].flatMap(([bundle, held]) => {
    const archive = archiveMonth(bundle, held, dating);
    return held.map((file) => ({ ...file, archive }));
  });
}

const firstDayOf = (month: number) => lastDayOf(month - 1) + 1;

/**
 * An archive is of its newest month, which its name (YYYY-MM.zip) or what it holds tells: the later of both, because files may
 * have been taken out of it. Where it is not so named, its files may have been cut out of any later archive; whoever knows
 * which says so with --edition.
 */
function archiveMonth(bundle: string, files: readonly DescribedFile[], dating: Dating): number {
  const dated = files.filter(({ month }) => month !== undefined);
  const newest = dated.toSorted((a, b) => (b.month ?? 0) - (a.month ?? 0))[0];
  const held = newest?.month ?? 0;
  const named = parseMonth(path.basename(bundle).replace(/\.zip$/i, ''));
  if (named !== undefined && dating.past(firstDayOf(named)) !== undefined) return Math.max(named, held);
  if (newest === undefined) return held;
  return Math.max(held, monthOf(dating.dayOf(newest.file, { newestInRows: firstDayOf(held) })));
}

function describeFile({ file, layout }: GivenFile): DescribedFile {
  const [header = [], first = []] = firstRows(file.head, 2, 'cp1252');
  const cell = (title: string) => {
    const at = header.findIndex((text) => text.trim().toLowerCase() === title);
    return at < 0 ? undefined : first[at]?.trim();
  };
  return { file, layout, month: parseMonth(cell('month') ?? ''), force: cell('reported by') };
}

/**
 * One file for each force, month and layout, in an order that does not depend on that of the files given. Equal files count
 * once. Of different ones the one from the newest archive is taken. Throws IngestRefused where nothing tells which that is.
 */
async function chooseFiles(
  files: readonly PoliceFile[],
  tally: Pick<Tally, 'note'>,
): Promise<readonly PoliceFile[]> {
  const same: string[] = [];
  const older: string[] = [];
  const chosen: PoliceFile[] = [];
  const ordered = files.toSorted(
    (a, b) =>
      (a.month ?? 0) - (b.month ?? 0) ||
      compareTexts(a.force ?? '', b.force ?? '') ||
      compareTexts(a.file.name, b.file.name),
  );
  for (const rivals of Map.groupBy(ordered, keyOf).values()) {
    const [first] = rivals;
    if (rivals.length === 1 || first?.month === undefined || first.force === undefined) {
      chosen.push(...rivals);
      continue;
    }
    const contents = await Promise.all(rivals.map(({ file }) => contentOf(file)));
    const latest = Math.max(...rivals.map(({ archive }) => archive));
    const newestContents = new Set(contents.filter((_, at) => rivals[at]?.archive === latest));
    const [taken] = newestContents;
    if (newestContents.size > 1) throw ambiguous(first, rivals);
    const kept = rivals.find(({ archive }, at) => archive === latest && contents[at] === taken) ?? first;
    chosen.push(kept);
    for (const [at, rival] of rivals.entries()) {
      if (rival === kept) continue;
      if (contents[at] === taken) same.push(rival.file.name);
      else older.push(`${rival.file.name}, taken from ${kept.file.name}`);
    }
  }
  tally.note(
    'file of a force and month given again with the same content, read once',
    same.length,
    same[0] ?? '',
  );
  tally.note(
    'file of a force and month left out, because a newer archive has it too',
    older.length,
    older[0] ?? '',
  );
  return chosen;
}

const compareTexts = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Files that do not tell their force and month have no rivals. */
const keyOf = ({ file, layout, month, force }: PoliceFile) =>
  month === undefined || force === undefined ? `? ${file.name}` : `${layout} ${month} ${force}`;

const monthName = /^\d{4}-\d{2}$/;

/** The archive that the file came in: a zip, or the folder above those of the months. */
function bundleOf({ name }: TextFile): string {
  const [archive, entry] = name.split(' > ');
  if (entry !== undefined && archive !== undefined) return archive;
  const folder = path.dirname(path.resolve(name));
  return monthName.test(path.basename(folder)) ? path.dirname(folder) : folder;
}

/** The largest of a month has 30 MB. */
const mostBytes = 1 << 28;

/** A hash of the content. The ends of its lines, a byte order mark and blank ends do not count. */
async function contentOf(file: TextFile): Promise<string> {
  const text = (await wholeOf(file.open(), file.name, mostBytes)).toString('latin1');
  const plain = text.replace(/^\u00ef\u00bb\u00bf/, '').replaceAll('\r', '');
  return createHash('sha256').update(plain.trimEnd(), 'latin1').digest('hex');
}

const ambiguous = ({ force, month, layout }: PoliceFile, rivals: readonly PoliceFile[]) =>
  new IngestRefused(
    `${rivals.map(({ file }) => file.name).join(' and ')} differ, but all have ${layout} rows of ${force} for ${month === undefined ? 'a month' : formatMonth(month)}, and nothing says which is the newest. Give only the one that should count.`,
  );

function recognise(file: InputFile): Layout | undefined {
  if (file.form !== 'text') return undefined;
  if (hasTitles(file, ...streetColumns.required)) return 'street';
  return hasTitles(file, ...outcomesColumns.required) ? 'outcomes' : undefined;
}

const textsOf = (files: readonly RecognisedFile[]) =>
  files.flatMap(({ file, layout }) =>
    file.form === 'text' ? [{ file, layout: layout === 'street' ? 'street' : 'outcomes' } as const] : [],
  );

/** Which of them are read, their contents tell. */
function judge(files: readonly RecognisedFile[], { dating }: Ground): Judgement {
  describeFiles(textsOf(files), dating);
  return { read: files, passedOver: [] };
}

async function load(files: readonly RecognisedFile[], into: Into): Promise<Loaded> {
  const { dating, tally } = into;
  const before = loadedBefore(into.base, 'crime');
  const archiveBefore = before === undefined ? () => 0 : readCrimeArchives(before);
  const rows = new PoliceRows(into, archiveBefore);
  const chosen = await chooseFiles(describeFiles(textsOf(files), dating), tally);
  for (const { file, layout } of chosen) if (layout === 'outcomes') await rows.readOutcomes(file);
  for (const { file, layout, archive } of chosen)
    if (layout === 'street') await rows.readStreet(file, archive);
  for (const { force, month, crimes } of into.cut?.elsewhere ?? [])
    rows.builder.countPublished(month, rows.forces.list.number(force), crimes);
  if (before !== undefined) carryOver(openCrimes(before), archiveBefore, rows, into);
  if (rows.builder.size === 0) {
    const names = files.map(({ file }) => file.name).join(', ');
    throw new FileRefused(names, 'holds no crimes; expected files like 2024-12-leicestershire-street.csv');
  }
  rows.report(transportPolice);
  tellTransportPolice(rows, into);
  into.writePart(crimeArchivesTable.part, rows.builder.encodeArchives(rows.forces.list.words));
  return writeCrimes(rows, into);
}

// What the whole publication is, and what is told of a load that has less.
//
// Whole is: every month from the first loaded to the last, of every force whose files an archive of data.police.uk has.
// Those are the 43 territorial forces of England and Wales, the Police Service of Northern Ireland and British Transport
// Police; a force that stopped publishing belongs to it up to its last month. How many months it spans is not asked:
// archives have had different lengths, and the text says from when to when. Police Scotland has never published.
// A month of which only a few rows came is missing, whoever is the cause. Files of outcomes are not asked for: some forces
// have none, and the street files have each crime's last outcome. Before 2013 not all of these forces published yet: such
// months are told as missing, because nothing tells them from months that were left out.

/** Forces with an area of their own. */
const placedForces: readonly string[] = [...territorialForces, northernIrelandForce];

const forcesNamed = 3;
const monthsNamed = 3;

const isPublished = (force: string, month: number) =>
  formatMonth(month) <= (lastMonthOfForce.get(force) ?? '9999-12');

type CoverageRows = {
  /** As the files name them. */
  readonly forces: readonly string[];
  /** Loaded months, rising. */
  readonly months: readonly number[];
  /** Rows read, one force after the other. */
  readonly rows: Uint32Array;
};

/** Of each month between the first and the last loaded, what is there of a force. */
function coverageIn({ forces, months, rows }: CoverageRows) {
  const judged = judgeForces(months, rows);
  const first = defined(months[0]);
  const span = Array.from({ length: defined(months.at(-1)) - first + 1 }, (_, at) => first + at);
  const find = (force: string, month: number): Coverage | undefined => {
    const [row, column] = [forces.indexOf(force), months.indexOf(month)];
    return row < 0 || column < 0 ? undefined : judged[row * months.length + column];
  };
  const monthsOf = (force: string, ...kinds: readonly CoverageKind[]) =>
    span
      .filter((month) => isPublished(force, month))
      .filter((month) => kinds.includes(find(force, month)?.kind ?? 'absent'));
  return { span, find, monthsOf };
}

/** Loaded months in which British Transport Police has no rows. Its crimes lie in the areas of all other forces. */
function monthsWithoutTransportPolice(loaded: CoverageRows): readonly number[] {
  return coverageIn(loaded)
    .monthsOf(transportPolice, 'absent')
    .filter((month) => loaded.months.includes(month));
}

/** "43 forces, 2022-01 to 2024-12; not loaded: Kent Police; not published: Greater Manchester Police after 2019-06; without
 *  Dyfed-Powys Police 2024-02; partial: Dyfed-Powys Police 2024-01 (31.1% of the usual number)". */
function describeCoverage(loaded: CoverageRows): Pick<Loaded, 'extent' | 'coverage'> {
  const { forces } = loaded;
  const { span, find, monthsOf } = coverageIn(loaded);
  const expected = (force: string) => span.some((month) => isPublished(force, month));
  const absent = [...placedForces, transportPolice].filter(
    (force) => expected(force) && !forces.includes(force),
  );
  const placed = forces.filter((force) => force !== transportPolice);
  const gaps = forces.flatMap((force) => {
    const missing = monthsOf(force, 'absent', 'collapsed');
    if (missing.length === 0) return [];
    return `${force} ${missing.length > monthsNamed ? `${missing.length} of ${span.length} months` : missing.map(formatMonth).join(', ')}`;
  });
  // On railways crime follows the passengers, so that half of the usual may be all there was.
  const partial = placed.flatMap((force) =>
    monthsOf(force, 'partial').map(
      (month) => `${force} ${formatMonth(month)} (${shareOfUsual(defined(find(force, month)))})`,
    ),
  );
  const stopped = [...lastMonthOfForce]
    .filter(([force]) => !span.every((month) => isPublished(force, month)))
    .map(([force, last]) => `${force} after ${last}`);
  const [first = outOfRange()] = span;
  const text = [
    `${forces.length === 1 ? `${forces[0]} only` : `${forces.length} forces`}, ${formatMonth(first)} to ${formatMonth(defined(span.at(-1)))}`,
    ...(absent.length === 0 ? [] : [`not loaded: ${nameForces(absent)}`]),
    ...(stopped.length === 0 ? [] : [`not published: ${stopped.join(', ')}`]),
    ...(gaps.length === 0 ? [] : [`without ${gaps.join('; ')}`]),
    ...(partial.length === 0 ? [] : [`partial: ${partial.join('; ')}`]),
  ].join('; ');
  const isWhole = absent.length + gaps.length + partial.length === 0;
  return { extent: isWhole ? 'complete' : 'partial', coverage: { 'United Kingdom': text } };
}

/** British Transport Police by name, however many others there are: its crimes are missing everywhere. */
function nameForces(absent: readonly string[]): string {
  const placed = absent.filter((force) => force !== transportPolice);
  const named = placed.length > forcesNamed ? [`${placed.length} other forces`] : placed;
  const national = absent.includes(transportPolice)
    ? [`${transportPolice}, whose crimes lie on railways in every area`]
    : [];
  return [...named, ...national].join(', ');
}

/** Who loads the files of single forces does not see that other crimes lie in their areas too. */
function tellTransportPolice({ builder, forces }: PoliceRows, { tally }: Into): void {
  const { words } = forces.list;
  const months = builder.months();
  const missing = monthsWithoutTransportPolice({
    forces: words,
    months,
    rows: builder.coverageRows(words.length),
  });
  tally.note(
    `month without ${transportPolice}, whose crimes lie on railways in the areas of all other forces`,
    missing.length,
    missing.length === 0 ? '' : formatMonth(defined(missing.at(-1))),
  );
}

/** Writes every part of the table. */
function writeCrimes(rows: PoliceRows, into: Into): Loaded {
  const { builder } = rows;
  const forces = rows.forces.list.words;
  const months = builder.months();
  const words = {
    names: rows.names.texts,
    lsoas: rows.lsoas.texts,
    forces,
    categories: rows.categories.list.words,
    outcomes: rows.outcomes.list.words,
  };
  for (const [name, columns] of builder.encode(words)) {
    into.progress({ phase: `Writing ${name}`, done: 0, total: undefined });
    into.writePart(name, columns);
  }
  const first = defined(months[0]);
  const last = defined(months.at(-1));
  return {
    edition: `${formatMonth(first)} to ${formatMonth(last)}`,
    asOf: formatDay(lastDayOf(last)),
    rows: builder.size,
    nextEditionExpected: 'monthly, two months behind',
    ...describeCoverage({ forces, months, rows: builder.coverageRows(forces.length) }),
  };
}
