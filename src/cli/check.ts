// `domesday check`: a doctor. Looks at home, releases and ledger, and says for each finding what to do.

import { existsSync, statfsSync, statSync } from 'node:fs';
import { readSettings } from '../config.ts';
import { findMissingDatasets, type MissingDataset } from '../contract/missing-datasets.ts';
import { isDatasetName } from '../datasets.ts';
import { endpoints } from '../endpoints/index.ts';
import { type Derivation, findUnderived } from '../ingest/derivation.ts';
import { LedgerMissing, LedgerOutdated, LedgerUnavailable } from '../ledger/ledger.ts';
import { ledgerFile, openLedger } from '../ledger/open.ts';
import { sealFile } from '../ledger/seal.ts';
import { unsavedSince } from '../ledger/sqlite/keeping/backup.ts';
import type { Dataset } from '../release/manifest.ts';
import { isSealed, otherVersion, type Release, ReleaseDamaged, type Unreadable } from '../release/reader.ts';
import { NoSuchRelease, openHome, type ReleaseStore } from '../release/store.ts';
import { derivations } from '../sources/derivations.ts';
import { layouts, proveRelease } from '../tables/index.ts';
import { openPostcodes } from '../tables/postcodes/postcodes.ts';
import type { Finding } from './check/finding.ts';
import { journalFindings } from './check/journals.ts';
import { type Command, CommandRefused, type Io, printJson, readArgs, WrongUsage } from './command.ts';
import { lookAt } from './home.ts';
import { counted, countedAccounts } from './ledger-home.ts';
import { publications } from './publications.ts';

const help = `domesday check: examines the home folder and says what to do about each finding.

Usage: domesday check [--home DIR] [--json]

Looks at: the current release and the sandbox (every part is read, its checksum compared, and its numbers are
proved to point at something), whether each endpoint has all its data, which of it is a sample, how old it is, the ledger (structure,
the chain of every journal, every balance and every other row against it, refreshes that a wrong clock moved), and free disk space. It changes nothing and may run beside the service.

Options:
  --home DIR   Home folder. Environment: DOMESDAY_HOME. Default: ./var.
  --json       Print JSON: {"findings": [{"level", "subject", "finding", "advice"}]}.
  --help       Print this.

Exit status: 0 no problem found (warnings may be); 1 at least one problem; 2 wrong usage.
`;

const dayMs = 86_400_000;
/** Older data than this is worth a look, whatever its publisher's rhythm. */
const staleAfterDays = 200;
const freeBytesWanted = 2 ** 30;
const backupWantedDays = 7;

export const check: Command = {
  name: 'check',
  help,
  run: async (args, io) => {
    const { values, positionals } = readArgs(args, { home: { type: 'string' }, json: { type: 'boolean' } });
    if (positionals.length > 0) throw new WrongUsage(`check takes no "${positionals[0]}".`);
    const { home } = readSettings(io.env, { home: values.home });
    const found =
      lookAt(home) === 'folder'
        ? [
            ...homeRights(home),
            ...releaseFindings(home, io.now()),
            ...(await ledgerFindings(home, io.now())),
            diskFinding(home),
          ]
        : [homeMissing(home)];
    const findings = found.map(({ advice, ...told }) =>
      advice === undefined ? told : { ...told, advice: io.asTyped(advice) },
    );
    if (values.json === true) printJson(io, { findings });
    else printFindings(findings, io);
    const problems = findings.filter(({ level }) => level === 'problem').length;
    if (problems > 0) {
      throw new CommandRefused(`${counted(problems, 'problem')} found; do what each finding advises.`);
    }
  },
};

const homeMissing = (home: string): Finding => ({
  level: 'problem',
  subject: 'home',
  finding: `There is no home folder ${home}.`,
  advice: 'Start the service once with `domesday serve`, or name the folder with DOMESDAY_HOME or --home.',
});

function releaseFindings(home: string, atMs: number): Finding[] {
  const { releases, sandbox } = openHome(home, layouts);
  const live = openWhole(releases);
  const test = openWhole(sandbox);
  return [
    ...(live.kind === 'opened' ? datasetFindings(live.release, atMs) : [liveFinding(releases, live.reason)]),
    test.kind === 'opened'
      ? ok('sandbox', `${test.release.id}: every part is sound.`)
      : sandboxFinding(sandbox, test.reason),
  ];
}

type Unopened = ReleaseDamaged | NoSuchRelease;
type Opened =
  | { readonly kind: 'opened'; readonly release: Release }
  | { readonly kind: 'failed'; readonly reason: Unopened };

function openWhole(store: ReleaseStore): Opened {
  try {
    const release = store.openCurrent();
    proveRelease(release);
    return { kind: 'opened', release };
  } catch (error) {
    if (error instanceof ReleaseDamaged || error instanceof NoSuchRelease) {
      return { kind: 'failed', reason: error };
    }
    throw error;
  }
}

function liveFinding(store: ReleaseStore, reason: Unopened): Finding {
  const problem = { level: 'problem', subject: 'release' } as const;
  const current = currentOf(store);
  if (current === undefined) {
    const advice = 'Start the service with `domesday serve`, which loads the bundled sample first.';
    return { ...problem, finding: 'There is no release yet.', advice };
  }
  const finding = whatIsWrong(reason);
  const other = store.list().find((entry) => entry.kind === 'usable' && !entry.isCurrent);
  if (other !== undefined) return { ...problem, finding, advice: `\`domesday releases use ${other.id}\`` };
  const aside = `Move the folder ${store.folder} aside`;
  const advice =
    current.kind === 'sample'
      ? `${aside}; the next start builds the sample anew.`
      : `${aside} and load the files again with \`domesday ingest PATH…\``;
  return { ...problem, finding, advice };
}

function sandboxFinding(store: ReleaseStore, reason: Unopened): Finding {
  if (currentOf(store) === undefined) {
    const advice = 'Start the service with `domesday serve`, which builds it.';
    return { level: 'warning', subject: 'sandbox', finding: 'It is not built yet.', advice };
  }
  const advice = `Remove the folder ${store.folder}; the next start builds it anew.`;
  return { level: 'problem', subject: 'sandbox', finding: whatIsWrong(reason), advice };
}

/** What the pointer says is current, which need not be there; undefined where nothing ever was. */
function currentOf(store: ReleaseStore): { readonly kind: 'sample' | 'loaded' } | undefined {
  try {
    const id = store.currentId();
    return id === undefined ? undefined : { kind: id.startsWith('sample-') ? 'sample' : 'loaded' };
  } catch (error) {
    if (!(error instanceof ReleaseDamaged)) throw error;
    return { kind: 'loaded' };
  }
}

/** Without what its message advises: that is to come here. */
const whatIsWrong = (reason: Unopened): string =>
  reason instanceof ReleaseDamaged
    ? `${reason.part === undefined ? `Release ${reason.releaseId}` : `Part ${reason.part} of release ${reason.releaseId}`} cannot be used: ${reason.problem}.`
    : 'The release that was made current is not there.';

/** The year in which there will be something newer, where the publisher says so: a census is not old after a year. */
const dueYear = (nextEditionExpected: string | null): number =>
  Number(/\b20\d\d\b/.exec(nextEditionExpected ?? '')?.[0] ?? 0);

function datasetFindings(release: Release, atMs: number): Finding[] {
  const findings = [ok('release', `${release.id}: every part is sound.`)];
  const sampled = release.datasets.filter(({ extent }) => extent === 'sample').map(({ name }) => name);
  if (sampled.length > 0) {
    const whole = release.manifest.kind === 'sample' ? 'The bundled sample is served' : 'A part is a sample';
    findings.push({
      level: 'warning',
      subject: 'release',
      finding: `${whole}: ${sampled.join(', ')} cover a few places only.`,
      advice:
        'Load the country with `domesday ingest PATH…`; `domesday help ingest` and docs/data-sources.md name the files.',
    });
  }
  if (!isSealed(release)) findings.push(unsealedFinding(release));
  for (const dataset of release.datasets) findings.push(ageFinding(dataset, atMs));
  return [
    ...findings,
    ...areaFindings(release),
    ...findUnderived(derivations, release).map(underivedFinding),
    ...findMissingDatasets(endpoints, release, publications).map(missingFinding),
    ...release.unreadable.filter(({ dataset }) => !isDatasetName(dataset.name)).map(unknownFinding),
  ];
}

const unsealedFinding = ({ id }: Release): Finding => ({
  level: 'warning',
  subject: 'release',
  finding: `${id} was made by an earlier version of this program: its manifest has no checksum, so that damage to it is not noticed.`,
  advice: `\`domesday releases use ${id}\` adds one, as every new release has it.`,
});

function ageFinding(dataset: Dataset, atMs: number): Finding {
  const { name, rows, asOf, extent, coverage, nextEditionExpected } = dataset;
  const covered = Object.entries(coverage).map(([nation, what]) => `${nation}: ${what}`);
  const known = extent === 'complete' ? '' : ` (${extent})`;
  const facts = `${counted(rows, 'row')} as of ${asOf}${known}`;
  const tell = (age: string) => `${facts}${age}. ${covered.join('; ')}.`;
  const files = filesOf(publications.filter(({ dataset }) => dataset === name));
  if (rows === 0) {
    const advice = `Load its files again with \`domesday ingest PATH…\`; files: ${files || 'those that come with the program, in data/facts'}`;
    return { level: 'problem', subject: name, finding: 'It has no rows.', advice };
  }
  // What comes with the program alone is as new as the program.
  if (files === '') return ok(name, tell(', as it comes with the program'));
  const ageDays = Math.floor((atMs - Date.parse(asOf)) / dayMs);
  const isDue = new Date(atMs).getUTCFullYear() >= dueYear(nextEditionExpected);
  if (ageDays <= staleAfterDays || !isDue) return ok(name, tell(''));
  const advice = `Load a newer edition with \`domesday ingest PATH…\`; files: ${files}`;
  return { level: 'warning', subject: name, finding: tell(`, ${counted(ageDays, 'day')} old`), advice };
}

/** Postcodes of another publication than those of ONS: everything that is known by LSOA is out of reach. */
function areaFindings(release: Release): readonly Finding[] {
  const postcodes = release.findDataset('postcodes');
  if (postcodes === undefined || openPostcodes(release).survey().codes.includes('lsoaCode')) return [];
  const finding = `${postcodes.source} has no statistical areas (LSOA); missing without them: demographics and the crime of an area in /area/statistics.`;
  const files = publications.filter(({ dataset }) => dataset === 'postcodes')[0]?.homepage;
  const advice = `Load the ONS Postcode Directory (ONSPD) instead with \`domesday ingest PATH…\`; files: ${files}`;
  return [{ level: 'warning', subject: 'postcodes', finding, advice }];
}

const filesOf = (files: readonly { readonly homepage: string }[]): string =>
  [...new Set(files.map(({ homepage }) => homepage))].join(' or ');

const unknownFinding = ({ dataset: { name, rows, asOf }, laidOutBy }: Unreadable): Finding => ({
  level: 'warning',
  subject: name,
  finding: `${counted(rows, 'row')} as of ${asOf} of a dataset that only ${otherVersion[laidOutBy]} knows. It is kept, and not served.`,
  advice: 'Use that version to have it served.',
});

const underivedFinding = ({ part, from }: Derivation): Finding => ({
  level: 'warning',
  subject: part,
  finding: `The release was made by another version of this program and lacks what is worked out from ${from.join(', ')}.`,
  advice:
    'Load any official file with `domesday ingest PATH…`, also one that is loaded already; the part is made then.',
});

function missingFinding({ name, needed, fills, files, laidOutBy }: MissingDataset): Finding {
  const without = fills.join('; ');
  const where = filesOf(files);
  const load =
    where === '' ? 'with `domesday ingest PATH…`' : `with \`domesday ingest PATH…\`; files: ${where}`;
  const why =
    laidOutBy === undefined
      ? 'It is not loaded'
      : `It was laid out by ${otherVersion[laidOutBy]} and cannot be read`;
  const advice = {
    earlier: 'Load the complete file again',
    later: 'Use that version, or load the complete file again',
  };
  return {
    level: needed === 'required' || laidOutBy !== undefined ? 'problem' : 'warning',
    subject: name,
    finding:
      needed === 'required'
        ? `${why}; 503 instead of ${without}.`
        : `${why}; missing without it: ${without}.`,
    advice: `${laidOutBy === undefined ? 'Load it' : advice[laidOutBy]} ${load}`,
  };
}

async function ledgerFindings(home: string, atMs: number): Promise<Finding[]> {
  try {
    const { ledger, journals } = await openLedger({ home, ifMissing: 'refuse', ifOlder: 'refuse' });
    try {
      const report = await journals.verify(atMs);
      return [
        ok('ledger', `${countedAccounts(report.customers, report.journals)}; it can be read and written.`),
        ...rightsFindings(ledgerFile(home)),
        ...sealFindings(home),
        ...backupFindings(ledgerFile(home), atMs),
        ...journalFindings(report),
      ];
    } finally {
      await ledger.close();
    }
  } catch (error) {
    if (error instanceof LedgerMissing) {
      const advice =
        'Start the service with `domesday serve`, which makes one, or make an account with `domesday accounts create`.';
      return [{ level: 'warning', subject: 'ledger', finding: 'There is no ledger yet.', advice }];
    }
    if (error instanceof LedgerOutdated) {
      const advice =
        'Copy the home, then start the service or run `domesday accounts list`; check again after.';
      return [{ level: 'warning', subject: 'ledger', finding: error.message, advice }];
    }
    if (!(error instanceof LedgerUnavailable)) throw error;
    // Its message is the finding and, behind the semicolon, what to do.
    const cut = error.message.lastIndexOf('; ');
    const advice = error.message.slice(cut + 2);
    const finding = `${error.message.slice(0, cut)}.`;
    return [
      {
        level: 'problem',
        subject: 'ledger',
        finding,
        advice: advice.charAt(0).toUpperCase() + advice.slice(1),
      },
    ];
  }
}

const isOpenToOthers = (place: string): boolean =>
  process.platform !== 'win32' && (statSync(place).mode & 0o077) !== 0;

/** One that was there before, or made by an earlier version, may be open to others. */
function homeRights(home: string): Finding[] {
  if (!isOpenToOthers(home)) return [];
  const finding = 'Others than its owner may look into it: it has the ledger and what customers asked for.';
  return [{ level: 'warning', subject: 'home', finding, advice: `chmod 700 ${home}` }];
}

function sealFindings(home: string): Finding[] {
  if (existsSync(sealFile(home))) return [];
  const finding = 'It has no seal, so that an older copy in its place would not be noticed.';
  const advice = 'Start the service with `domesday serve`, which makes one.';
  return [{ level: 'warning', subject: 'ledger', finding, advice }];
}

function backupFindings(file: string, atMs: number): Finding[] {
  const sinceMs = unsavedSince(file);
  if (sinceMs === null || atMs - sinceMs < backupWantedDays * dayMs) return [];
  const finding = `No backup made by this program has its charges since ${new Date(sinceMs).toISOString().slice(0, 10)}.`;
  const advice =
    '`domesday ledger backup FILE`, every day and onto another disk; it works while the service runs.';
  return [{ level: 'warning', subject: 'ledger', finding, advice }];
}

/** One made by an earlier version, or restored, may be open to others. */
function rightsFindings(file: string): Finding[] {
  if (!isOpenToOthers(file)) return [];
  const finding = 'Others than its owner may read it: it has accounts and hashes of keys.';
  return [{ level: 'warning', subject: 'ledger', finding, advice: `chmod 600 ${file}` }];
}

function diskFinding(home: string): Finding {
  const { bavail, bsize } = statfsSync(home);
  const free = bavail * bsize;
  const finding = `${(free / 2 ** 30).toFixed(1)} GiB free where the home is.`;
  return free >= freeBytesWanted
    ? ok('disk', finding)
    : { level: 'warning', subject: 'disk', finding, advice: 'Make room: `domesday releases prune`.' };
}

const ok = (subject: string, finding: string): Finding => ({ level: 'ok', subject, finding });

function printFindings(findings: readonly Finding[], io: Io): void {
  for (const { level, subject, finding, advice } of findings) {
    io.out(`${level.padEnd(8)} ${subject}: ${finding}\n`);
    if (advice !== undefined) io.out(`         → ${advice}\n`);
  }
}
