// Chooses among files of the same force and month. The archives of data.police.uk overlap by three years, and each has
// its months as revised on its day, so that reading two of them would count every crime twice.

import { createHash } from 'node:crypto';
import path from 'node:path';
import type { TextFile } from '../../ingest/files.ts';
import { firstRows } from '../../ingest/read/csv.ts';
import { IngestRefused } from '../../ingest/refusal.ts';
import type { Tally } from '../../ingest/tally.ts';
import { wholeOf } from '../../ingest/unpacking.ts';
import { formatMonth, parseMonth } from '../../uk/calendar.ts';

export type Layout = 'street' | 'outcomes';

type PoliceFile = {
  readonly file: TextFile;
  readonly layout: Layout;
  /** Of the first row; undefined where it has none, or none that can be read. */
  readonly month: number | undefined;
  readonly force: string | undefined;
};

export function describeFile(file: TextFile, layout: Layout): PoliceFile {
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
  const newest = newestMonths(files);
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
    const archive = (rival: PoliceFile) => newest.get(bundleOf(rival.file)) ?? 0;
    const latest = Math.max(...rivals.map(archive));
    const newestContents = new Set(contents.filter((_, at) => archive(rivals[at] ?? first) === latest));
    const [taken] = newestContents;
    if (newestContents.size > 1) throw ambiguous(first, rivals);
    const kept = rivals.find((_, at) => contents[at] === taken) ?? first;
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
    'file of a force and month left out, as a newer archive has it too',
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

/** Bundle → its newest month, by its name (YYYY-MM.zip) and what it holds. */
function newestMonths(files: readonly PoliceFile[]): ReadonlyMap<string, number> {
  const newest = new Map<string, number>();
  for (const { file, month } of files) {
    const bundle = bundleOf(file);
    const named = parseMonth(path.basename(bundle).replace(/\.zip$/i, ''));
    newest.set(bundle, Math.max(newest.get(bundle) ?? 0, named ?? 0, month ?? 0));
  }
  return newest;
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
    `${rivals.map(({ file }) => file.name).join(' and ')} differ, but all have ${layout} rows of ${force} for ${month === undefined ? 'a month' : formatMonth(month)}, and nothing tells which is the newest. Give only the one that is to count.`,
  );
