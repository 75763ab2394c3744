// Chooses among files of the same force and month. The archives of data.police.uk overlap by three years, and each has
// its months as revised on its day, so that reading two of them would count every crime twice.

import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Dating } from '../../ingest/dating.ts';
import type { TextFile } from '../../ingest/files.ts';
import { firstRows } from '../../ingest/read/csv.ts';
import { FileRefused, IngestRefused } from '../../ingest/refusal.ts';
import type { Tally } from '../../ingest/tally.ts';
import { wholeOf } from '../../ingest/unpacking.ts';
import { formatMonth, lastDayOf, monthOf, parseMonth } from '../../uk/calendar.ts';

export type Layout = 'street' | 'outcomes';

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
export function describeFiles(files: readonly GivenFile[], dating: Dating): readonly PoliceFile[] {
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
export async function chooseFiles(
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
