// `domesday ingest`: official files in, a new current release out, and a report of what was kept and what not.

import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { readSettings } from '../config.ts';
import { findLost, type Lost, whatItFills } from '../contract/missing-datasets.ts';
import { endpoints } from '../endpoints/index.ts';
import { errorCode } from '../errno.ts';
import { parseEdition } from '../ingest/dating.ts';
import type { OnLoss } from '../ingest/losses.ts';
import { type PlanOrder, type PlanReport, planIngest } from '../ingest/plan.ts';
import { IngestRefused } from '../ingest/refusal.ts';
import { type IngestReport, runIngest, type SourceReport } from '../ingest/run.ts';
import { openSources } from '../ingest/source.ts';
import { formatCount, type Rejects } from '../ingest/tally.ts';
import type { DiskPace } from '../release/disk-pace.ts';
import { type Release, ReleaseDamaged } from '../release/reader.ts';
import { HomeBusy, NoSuchRelease, openHome, type ReleaseStore, releaseIdAt } from '../release/store.ts';
import { derivations } from '../sources/derivations.ts';
import { sources } from '../sources/index.ts';
import { layouts } from '../tables/index.ts';
import { londonToday } from '../uk/calendar.ts';
import { visible } from '../visible.ts';
import { ensureBundled } from './bundled/bundled.ts';
import { type Command, CommandRefused, type Io, printJson, readArgs, WrongUsage } from './command.ts';
import { prepareHome, refuseInReplica } from './home.ts';
import { openProgressLine } from './progress-line.ts';
import { howToLoad } from './publications.ts';

const known = (await openSources(sources))
  .flatMap(({ title, source, facts, layouts }) => [
    `  ${title}: ${source} (${facts.publisher})`,
    ...layouts.map((line) => `    ${line}`),
  ])
  .join('\n');

const help = `domesday ingest: loads official files into a new release and makes it current.

Usage: domesday ingest PATH... [--dry-run] [--replace] [--edition DAY] [--home DIR] [--json]

PATH is a file or a folder with everything in it: .csv, .txt, .json, .gz, .zip, .xls, .xlsx, .ods, .pbf. The command
recognises each file by its content, whatever its name. In a folder or archive it skips unknown files, such as
documentation, and lists them. But if it does not recognise a file that you name, it loads nothing.

It checks the beginning of every file before it reads anything long. --dry-run stops there and prints what would happen to
each file. If several files hold the same dataset (such as postcodes), it reads the one that says most. From several
editions of one publication it reads the whole before a part, then the newer, then the larger one, in whatever order you
name them. It lists the others as passed over and says why.

It refuses to take anything away from loaded data, and says what would be lost: a part of a list instead of the whole, a
publication that says less, or an edition with far fewer rows (docs/data-sources.md says how many may go). --replace loads
it anyway. It always refuses a file with a header and no rows. Loading the same files again changes nothing and makes no
release.

Every file must state its day: in its rows, its name (list-2021-08-25.ods), the text above its tables, or the time when the
workbook was last saved. If it does not, the command refuses it and asks for --edition. An older edition never replaces a
newer one. Only the sample that comes with the program gives way to any official file, even to an older one. The report then
names the datasets, and their places are answered from the official files alone.

The new release holds what the current one holds, plus these files. The command builds it aside, reads it back, verifies it,
and only then makes it current. If anything fails, the current release stays as it was. A running service switches to the
new release by itself. To go back: domesday releases use ID.

Options:
  --dry-run      Print what would happen to each file, and what would replace what. Change nothing.
  --replace      Load the files even if that takes something away from loaded data.
  --edition DAY  Day (YYYY-MM-DD) or month (YYYY-MM) of files that do not state theirs. It counts for all such files of
                 the run. It overrides the day on which a workbook was last saved, which is wrong if somebody saved it
                 again later. It is refused if every file states another day. Load files of different days in separate
                 runs.
  --home DIR     Home folder. Environment: DOMESDAY_HOME. Default: ./var.
  --json         Print the report as JSON.
  --help         Print this help.

Recognised:
${known}

The report says for each source how many rows it read, kept and rejected, with reasons and the first places. Then it names
the fields of each endpoint that the load made null, and what to load for them.
Exit status: 0 a new release is current, or nothing has changed; 1 refused or failed, nothing changed; 2 wrong usage.
`;

// What `domesday ingest --dry-run` prints: what would take the place of what, and what would become of each file.

/** Of an archive of hundreds. With --json, all are there. */
const filesNamed = 5;

type PlannedFile = PlanReport['files'][number];

function printPlan({ files, datasets, refused }: PlanReport, io: Io): void {
  const named = (wanted: readonly PlannedFile[]) => {
    for (const { name, fate, layout, day, because } of wanted.slice(0, filesNamed)) {
      const form = layout === undefined ? '' : ` (${layout})`;
      const dated = day === undefined ? '' : `, of ${day}`;
      const reason = because === undefined ? '' : `: ${visible(because)}`;
      io.out(`  ${fate}: ${visible(name)}${form}${dated}${reason}\n`);
    }
    const more = wanted.length - filesNamed;
    if (more > 0) io.out(`  ${wanted[0]?.fate}: ${formatCount(more)} more\n`);
  };
  for (const dataset of datasets) {
    printDataset(dataset, io);
    named(files.filter(({ source, fate }) => source === dataset.source && fate !== 'refused'));
    for (const { reason } of refused.filter(({ source }) => source === dataset.source))
      for (const line of reason.split('\n')) io.out(io.asTyped(`  ${line}\n`));
  }
  for (const fate of ['passed over', 'skipped'] as const) {
    const given = files.filter((file) => file.fate === fate);
    if (given.length > 0) io.out(`${fate === 'skipped' ? 'Not data of a known kind' : 'Not read'}:\n`);
    named(given);
  }
  for (const { reason } of refused.filter(({ source }) => source === undefined))
    io.out(io.asTyped(`${reason}\n`));
  io.out('Nothing was changed.\n');
}

function printDataset({ title, fate, given, now, lost }: PlanReport['datasets'][number], io: Io): void {
  const loaded =
    now === null
      ? 'nothing is loaded'
      : `now loaded: ${now.source}, ${now.edition}, as of ${now.asOf}, ${formatCount(now.rows)} rows (${now.extent})`;
  const does = {
    read: `${given} would be read`,
    unchanged: `nothing would change, because ${given} is already loaded from these files`,
    refused: `${given} would be refused`,
  };
  io.out(`${title}: ${does[fate]}; ${loaded}\n`);
  for (const item of lost) io.out(`  would be lost, because of --replace: ${item}\n`);
}

export const ingest: Command = {
  name: 'ingest',
  help,
  run: async (args, io) => {
    const { values, positionals } = readArgs(args, {
      'dry-run': { type: 'boolean' },
      replace: { type: 'boolean' },
      edition: { type: 'string' },
      home: { type: 'string' },
      json: { type: 'boolean' },
    });
    if (positionals.length === 0) throw new WrongUsage('Name the files or folders to read.');
    const editionDay = values.edition === undefined ? undefined : readEdition(values.edition, io);
    const settings = readSettings(io.env, { home: values.home });
    refuseInReplica(settings);
    const { home } = settings;
    const onLoss = values.replace === true ? 'accept' : 'refuse';
    const asked: Asked = { paths: positionals, editionDay, onLoss };
    if (values['dry-run'] === true) {
      const plan = await refusing(() => planFor(home, asked, io));
      if (values.json === true) printJson(io, plan);
      else printPlan(plan, io);
      if (plan.refused.length > 0) throw new CommandRefused(`${plan.refused.length} refused; see above.`);
      return;
    }
    const report = await refusing(() => ingestInto(home, asked, io));
    if (values.json === true) printJson(io, jsonOf(report));
    else printReport(report, io);
  },
};

function readEdition(text: string, io: Io): number {
  const day = parseEdition(text);
  if (day === undefined) {
    throw new WrongUsage(
      `--edition takes a day such as 2026-08-31, or a month such as 2026-08, not "${text}".`,
    );
  }
  if (day > londonToday(io.now())) throw new WrongUsage(`--edition ${text} is in the future.`);
  return day;
}

// What a load takes away, field by field: the bundled sample says more than some official files do.

type LostFields = Lost & { /** What brings them back. */ readonly advice: string | null };

/** Fields that answers had from the release before, and have nowhere any more. */
const lostFields = (before: Release, made: Release): readonly LostFields[] =>
  findLost(endpoints, before, made).map((lost) => ({
    ...lost,
    advice: howToLoad({ dataset: lost.name, publication: lost.publication, file: lost.file }) ?? null,
  }));

/** Lines for the report. */
function tellLostFields({ release, gaveWay }: IngestReport, lost: readonly LostFields[]): readonly string[] {
  const gone = lost.map(({ name, what, fills, advice }) => {
    const has = release.findDataset(name);
    const why =
      what === undefined || has === undefined
        ? `${name} is not loaded`
        : `the loaded ${has.source} has no ${what}`;
    return `Null after this load, because ${why}: ${fills.join('; ')}.${advice === null ? '' : ` ${advice}`}`;
  });
  const given = gaveWay.map((name) => {
    const { fills } = whatItFills(endpoints, name);
    return `Where the sample of ${name} was, answers now lack this unless these files have it: ${fills.join('; ')}.`;
  });
  return [...gone, ...given];
}

/** With the fields that have no data any more. */
export type Told = IngestReport & { readonly lost: ReturnType<typeof lostFields> };

type Loading = Pick<
  PlanOrder,
  'paths' | 'sources' | 'editionDay' | 'fetchedDays' | 'leaveOut' | 'onLoss' | 'onRefusal' | 'apart'
>;

type Asked = {
  readonly paths: readonly string[];
  readonly editionDay: number | undefined;
  readonly onLoss: OnLoss;
};

/** Without the bundled data in a home that has none yet: nothing is made. */
async function planFor(home: string, asked: Asked, io: Io): Promise<PlanReport> {
  const { releases } = openHome(home, layouts);
  const base = releases.currentId() === undefined ? undefined : releases.openCurrent();
  const line = openProgressLine(io);
  try {
    return await planIngest({
      ...asked,
      sources,
      base,
      kind: 'loaded',
      atMs: io.now(),
      progress: line.progress,
    });
  } finally {
    line.end();
  }
}

async function ingestInto(home: string, asked: Asked, io: Io): Promise<Told> {
  const made = prepareHome(home);
  try {
    return await loadInto(home, { ...asked, sources }, io);
  } catch (error) {
    // What was not there before is not left behind by a run that loaded nothing.
    if (made !== undefined && error instanceof IngestRefused && holdsBundledAlone(home))
      rmSync(made, { recursive: true });
    throw error;
  }
}

/** A service that was started meanwhile has a ledger there. */
const holdsBundledAlone = (home: string) =>
  readdirSync(home).every((name) => name === 'releases' || name === 'sandbox');

/** Makes what was built current. Throws IngestRefused. */
export async function loadInto(home: string, asked: Loading, io: Io, pace?: DiskPace): Promise<Told> {
  await ensureBundled(home, io.now());
  const { releases } = openHome(home, layouts, pace);
  const lock = releases.lock();
  const line = openProgressLine(io);
  try {
    const atMs = io.now();
    const base = releases.openCurrent();
    const report = await runIngest({
      ...asked,
      derivations,
      store: releases,
      base,
      id: freeId(releases, atMs),
      kind: 'loaded',
      atMs,
      progress: line.progress,
    });
    const lost = lostFields(base, report.release);
    if (report.outcome === 'made') releases.point(report.release.id);
    return { ...report, lost };
  } finally {
    line.end();
    lock.release();
  }
}

function freeId(store: ReleaseStore, atMs: number): string {
  for (;;) {
    const id = releaseIdAt(atMs, randomBytes(3).toString('hex'));
    if (!store.has(id)) return id;
  }
}

/** What an operator can put right is one clear refusal; anything else is a fault of the program. */
export async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isExpected =
      error instanceof IngestRefused ||
      error instanceof HomeBusy ||
      error instanceof ReleaseDamaged ||
      error instanceof NoSuchRelease;
    if (isExpected) throw new CommandRefused(error.message);
    if (errorCode(error) === 'ENOSPC') {
      throw new CommandRefused(
        'The disk is full; nothing was changed. Free some space, for example with `domesday releases prune`.',
      );
    }
    throw error;
  }
}

const jsonOf = ({ outcome, release, sources: reports, ...report }: Told) => ({
  outcome,
  release: release.id,
  parent: release.manifest.parent,
  sources: reports,
  unchanged: report.unchanged,
  skipped: report.skipped,
  passedOver: report.passedOver,
  gaveWay: report.gaveWay,
  lost: report.lost,
  stillSample: stillSample(release).map(({ name }) => name),
});

/** Datasets of which nothing official has been loaded. */
const stillSample = ({ datasets }: IngestReport['release']) =>
  datasets.filter(({ extent }) => extent === 'sample');

export function printReport(report: Told, io: Io): void {
  const { outcome, release, sources: reports, unchanged, skipped, passedOver, gaveWay } = report;
  for (const report of reports) printSource(report, io);
  for (const { title, files } of unchanged)
    io.out(
      `${title}: nothing changed, ${files.length === 1 ? 'this file is' : 'these files are'} already loaded\n`,
    );
  if (skipped.length > 0) {
    io.out('Skipped, because they are not data of a known kind:\n');
    for (const name of skipped.slice(0, filesNamed)) io.out(`  ${visible(name)}\n`);
    printUnnamed(skipped, io);
  }
  for (const { name, because } of passedOver) io.out(`Passed over ${visible(name)}: ${because}.\n`);
  const given = gaveWay.flatMap((name) => release.findDataset(name)?.title ?? []);
  if (given.length > 0) {
    io.out(
      `The official files replaced the bundled sample of: ${given.join('; ')}. Its places are now answered from these files alone.\n`,
    );
  }
  for (const line of tellLostFields(report, report.lost)) io.out(`${line}\n`);
  const sample = stillSample(release).map(({ title }) => title);
  if (sample.length > 0) io.out(`Still the bundled sample: ${sample.join('; ')}.\n`);
  io.out(
    outcome === 'made'
      ? `Release ${release.id} is verified and current.\n`
      : `Nothing changed. Release ${release.id} stays current.\n`,
  );
}

function printUnnamed({ length }: readonly unknown[], io: Io): void {
  if (length > filesNamed) io.out(`  and ${formatCount(length - filesNamed)} more\n`);
}

function printSource(report: SourceReport, io: Io): void {
  io.out(`${report.title}: ${formatCount(report.rows)} rows, ${report.edition}, as of ${report.asOf}\n`);
  for (const { name, layout, dated } of report.files.slice(0, filesNamed))
    io.out(`  ${visible(name)} (${layout})${dated === undefined ? '' : `: of ${dated}`}\n`);
  printUnnamed(report.files, io);
  io.out(`  read ${formatCount(report.read)}, kept ${formatCount(report.kept)}\n`);
  const counted = (verb: string, entries: readonly Rejects[]) => {
    for (const { reason, count, places } of entries) {
      const more = count > places.length ? ', …' : '';
      const where = places.length === 0 ? '' : ` (${visible(places.join(', '))}${more})`;
      io.out(`  ${verb} ${formatCount(count)}: ${reason}${where}\n`);
    }
  };
  counted('rejected', report.rejected);
  counted('revised', report.revised);
  counted('noted', report.noted);
  for (const lost of report.lost) io.out(`  lost, because of --replace: ${lost}\n`);
  if (report.outcome === 'unchanged') io.out('  nothing changed: everything is already loaded\n');
}
