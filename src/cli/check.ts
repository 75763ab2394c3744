// `domesday check`: a doctor. Looks at home, releases and ledger, and says for each finding what to do.

import { existsSync, statfsSync } from 'node:fs';
import { readSettings } from '../config.ts';
import { findMissingDatasets, type MissingDataset } from '../contract/missing-datasets.ts';
import { isDatasetName } from '../datasets.ts';
import { endpoints } from '../endpoints/index.ts';
import { type Derivation, findUnderived } from '../ingest/derivation.ts';
import { openEmbeddedLedger } from '../ledger/embedded.ts';
import { LedgerUnavailable } from '../ledger/ledger.ts';
import { otherVersion, type Release, ReleaseDamaged, type Unreadable } from '../release/reader.ts';
import { NoSuchRelease, openHome, type ReleaseStore } from '../release/store.ts';
import { derivations } from '../sources/derivations.ts';
import { layouts, proveRelease } from '../tables/index.ts';
import { type Command, CommandRefused, type Io, printJson, readArgs, WrongUsage } from './command.ts';
import { ledgerPath } from './home.ts';
import { publications } from './publications.ts';

const help = `domesday check: examines the home folder and says what to do about each finding.

Usage: domesday check [--home DIR] [--json]

Looks at: the current release and the sandbox (every part is read, its checksum compared, and its numbers are
proved to point at something), whether each endpoint has all its data, how old the data is, the ledger (structure,
and every balance against its journal), and free disk space. It changes nothing and may run beside the service.

Options:
  --home DIR   Home folder. Environment: DOMESDAY_HOME. Default: ./var.
  --json       Print JSON: {"findings": [{"level", "subject", "finding", "advice"}]}.
  --help       Print this.

Exit status: 0 no problem found (warnings may be); 1 at least one problem; 2 wrong usage.
`;

type Finding = {
  readonly level: 'ok' | 'warning' | 'problem';
  readonly subject: string;
  readonly finding: string;
  readonly advice?: string;
};

const dayMs = 86_400_000;
/** Older data than this is worth a look, whatever its publisher's rhythm. */
const staleAfterDays = 200;
const freeBytesWanted = 2 ** 30;

export const check: Command = {
  name: 'check',
  summary: 'examine releases and ledger, and say what to do',
  help,
  run: async (args, io) => {
    const { values, positionals } = readArgs(args, { home: { type: 'string' }, json: { type: 'boolean' } });
    if (positionals.length > 0) throw new WrongUsage(`check takes no "${positionals[0]}".`);
    const { home } = readSettings(io.env, { home: values.home });
    const findings = existsSync(home)
      ? [...releaseFindings(home, io.now()), ...(await ledgerFindings(home)), diskFinding(home)]
      : [homeMissing(home)];
    if (values.json === true) printJson(io, { findings });
    else printFindings(findings, io);
    const problems = findings.filter(({ level }) => level === 'problem').length;
    if (problems > 0) throw new CommandRefused(`${problems} problem(s) found; do what each finding advises.`);
  },
};

const homeMissing = (home: string): Finding => ({
  level: 'problem',
  subject: 'home',
  finding: `There is no home folder ${home}.`,
  advice: 'Start the service once with domesday serve, or name the folder with DOMESDAY_HOME or --home.',
});

function releaseFindings(home: string, atMs: number): Finding[] {
  const { releases, sandbox } = openHome(home, layouts);
  const live = openWhole('release', releases);
  const test = openWhole('sandbox', sandbox);
  return [
    ...(live.kind === 'opened' ? datasetFindings(live.release, atMs) : [live.finding]),
    test.kind === 'opened' ? ok('sandbox', `${test.release.id}: every part is sound.`) : test.finding,
  ];
}

type Opened =
  | { readonly kind: 'opened'; readonly release: Release }
  | { readonly kind: 'failed'; readonly finding: Finding };

function openWhole(subject: string, store: ReleaseStore): Opened {
  try {
    const release = store.openCurrent();
    proveRelease(release);
    return { kind: 'opened', release };
  } catch (error) {
    if (!(error instanceof ReleaseDamaged || error instanceof NoSuchRelease)) throw error;
    const advice =
      subject === 'sandbox'
        ? 'Remove the sandbox folder of the home; the next start builds it anew.'
        : 'Choose another with domesday releases use ID, or load the files again with domesday ingest.';
    return { kind: 'failed', finding: { level: 'problem', subject, finding: error.message, advice } };
  }
}

/** The year in which there will be something newer, where the publisher says so: a census is not old after a year. */
const dueYear = (nextEditionExpected: string | null): number =>
  Number(/\b20\d\d\b/.exec(nextEditionExpected ?? '')?.[0] ?? 0);

function datasetFindings(release: Release, atMs: number): Finding[] {
  const findings = [ok('release', `${release.id}: every part is sound.`)];
  if (release.manifest.kind === 'sample') {
    findings.push({
      level: 'warning',
      subject: 'release',
      finding: 'The bundled sample is served.',
      advice: 'Load the country with domesday ingest PATH…; docs/data-sources.md says where the files are.',
    });
  }
  for (const { name, rows, asOf, extent, nextEditionExpected } of release.datasets) {
    const ageDays = Math.floor((atMs - Date.parse(asOf)) / dayMs);
    const facts = `${rows} rows as of ${asOf} (${extent})`;
    if (rows === 0) {
      findings.push({
        level: 'problem',
        subject: name,
        finding: 'It has no rows.',
        advice: 'Load its files again with domesday ingest.',
      });
    } else if (ageDays > staleAfterDays && new Date(atMs).getUTCFullYear() >= dueYear(nextEditionExpected)) {
      const advice = 'Load a newer edition with domesday ingest.';
      findings.push({ level: 'warning', subject: name, finding: `${facts}, ${ageDays} days old.`, advice });
    } else findings.push(ok(name, `${facts}.`));
  }
  return [
    ...findings,
    ...findUnderived(derivations, release).map(underivedFinding),
    ...findMissingDatasets(endpoints, release, publications).map(missingFinding),
    ...release.unreadable.filter(({ dataset }) => !isDatasetName(dataset.name)).map(unknownFinding),
  ];
}

const unknownFinding = ({ dataset: { name, rows, asOf }, laidOutBy }: Unreadable): Finding => ({
  level: 'warning',
  subject: name,
  finding: `${rows} rows as of ${asOf} of a dataset that only ${otherVersion[laidOutBy]} knows. It is kept, and not served.`,
  advice: 'Use that version to have it served.',
});

const underivedFinding = ({ part, from }: Derivation): Finding => ({
  level: 'warning',
  subject: part,
  finding: `The release was made by another version of this program and lacks what is worked out from ${from.join(', ')}.`,
  advice:
    'Load any official file with domesday ingest, also one that is loaded already; the part is made then.',
});

function missingFinding({ name, needed, fills, files, laidOutBy }: MissingDataset): Finding {
  const without = fills.join('; ');
  const where = [...new Set(files.map(({ homepage }) => homepage))].join(' or ');
  const load = where === '' ? 'with domesday ingest.' : `with domesday ingest; files: ${where}`;
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

async function ledgerFindings(home: string): Promise<Finding[]> {
  const path = ledgerPath(home);
  if (!existsSync(path)) {
    const advice = 'Start the service once with domesday serve, or make an account with domesday accounts.';
    return [{ level: 'warning', subject: 'ledger', finding: 'There is no ledger yet.', advice }];
  }
  try {
    const { ledger, accounts } = openEmbeddedLedger({ path });
    try {
      const balances = await accounts.recomputeBalances();
      const different = balances.filter(({ kind }) => kind === 'different');
      const advice =
        'Stop the service and restore the ledger from a backup, or correct with accounts credit.';
      return [
        ok('ledger', `${balances.length} account(s); it can be read and written.`),
        ...different.map(
          ({ accountId, balance, journalSum }): Finding => ({
            level: 'problem',
            subject: accountId,
            finding: `The balance is ${balance}, its journal adds up to ${journalSum}.`,
            advice,
          }),
        ),
      ];
    } finally {
      await ledger.close();
    }
  } catch (error) {
    if (!(error instanceof LedgerUnavailable)) throw error;
    const advice = 'Restore it from a backup, or move it aside to begin with an empty one.';
    return [{ level: 'problem', subject: 'ledger', finding: error.message, advice }];
  }
}

function diskFinding(home: string): Finding {
  const { bavail, bsize } = statfsSync(home);
  const free = bavail * bsize;
  const finding = `${(free / 2 ** 30).toFixed(1)} GiB free where the home is.`;
  return free >= freeBytesWanted
    ? ok('disk', finding)
    : { level: 'warning', subject: 'disk', finding, advice: 'Make room: domesday releases prune.' };
}

const ok = (subject: string, finding: string): Finding => ({ level: 'ok', subject, finding });

function printFindings(findings: readonly Finding[], io: Io): void {
  for (const { level, subject, finding, advice } of findings) {
    io.out(`${level.padEnd(8)} ${subject}: ${finding}\n`);
    if (advice !== undefined) io.out(`         → ${advice}\n`);
  }
}
