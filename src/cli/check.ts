// `domesday check`: a doctor. Looks at home, releases, and database, and says for each finding what to do.

import { existsSync, statfsSync, statSync } from 'node:fs';
import type { UpdateTime } from '../config/values.ts';
import { readSettings, type Settings, settings } from '../config.ts';
import type { Operator } from '../control/calls.ts';
import { ServiceUnreachable } from '../control/client.ts';
import { DepotFault } from '../depot/fault.ts';
import { isReplica, type ReplicaState, readReplicaState } from '../depot/state.ts';
import type { Listed } from '../ingest/publication.ts';
import { openSources } from '../ingest/source.ts';
import { LedgerMissing, LedgerOutdated, LedgerUnavailable } from '../ledger/ledger.ts';
import { databaseFile } from '../ledger/open.ts';
import { sealFile } from '../ledger/seal.ts';
import type { Backups } from '../ledger/told/journals.ts';
import { type Release, ReleaseDamaged } from '../release/reader.ts';
import { NoSuchRelease, openHome, type ReleaseStore } from '../release/store.ts';
import { sources } from '../sources/index.ts';
import { DatabaseUnavailable } from '../storage/sql.ts';
import { layouts, proveRelease } from '../tables/index.ts';
import { dayMs } from '../time.ts';
import { listPublications } from '../update/select.ts';
import { type PublicationState, readUpdateState, type UpdateRun } from '../update/state.ts';
import { datasetFindings } from './check/datasets.ts';
import { type Finding, ok } from './check/finding.ts';
import { journalFindings } from './check/journals.ts';
import {
  type Command,
  CommandRefused,
  counted,
  countedAccounts,
  formatTime,
  type Io,
  printJson,
  readArgs,
  WrongUsage,
} from './command.ts';
import { lookAt } from './home.ts';
import { openOperator } from './operator.ts';
import { withholdsSample } from './serve/reach.ts';
import { nextRunMs } from './serve/updates.ts';

const help = `domesday check: checks the home folder and advises what to do.

Usage: domesday check [--home DIR] [--all] [--json]

It prints five lines (is the service ready, whose data it has, people, ledger, the last backup), then what to do, in order.

It checks:
  the data      reads every part of the current release and of the sandbox, and compares checksums and references
  the fields    whether each field of each endpoint has its data, what to load if not, what is a sample, and how old it is
  updates       what fails and since when, and which publications are late
  a replica     which releases it follows
  the database  its structure, people, the chain of every journal, every balance, and refreshes that a wrong clock moved
  the disk      free space
It changes nothing, and it can run while the service runs.

Options:
  --home DIR   Home folder. Environment: DOMESDAY_HOME. Default: ./var.
  --all        Print every finding too: each dataset with its rows and age, and the fields that answers lack.
  --json       Print JSON: {"findings": [{"level", "subject", "finding", "advice", "fields", "data"}]}. If answers lack
               fields, "fields" is [{"endpoint", "fields", "where"}]. "data" is why an update should load a dataset: it is a
               sample, not loaded, or old.
  --help       Print this help.

Exit status: 0 no problem (there may be warnings); 1 at least one problem; 2 wrong usage.
`;

const freeBytesWanted = 2 ** 30;
const backupWantedDays = 7;

// What `domesday check` says of a replica: what it has taken, and whether it still follows.

const subject = 'replica';

type Following = Pick<Settings, 'home' | 'releasesUrl'>;

const follows = ({ home, releasesUrl }: Following): boolean => releasesUrl !== undefined || isReplica(home);

/** Findings about its data, with what can be done about them on a replica, which loads nothing itself. */
const adviseReplica = (settings: Following, findings: readonly Finding[]): readonly Finding[] =>
  follows(settings) ? findings.map((finding) => ({ ...finding, ...adviceFor(finding) })) : findings;

function adviceFor({ level, subject: about, advice = '' }: Finding): Pick<Finding, 'advice'> {
  if (level === 'problem' && about === 'release')
    return { advice: 'Restart the service; it fetches the newest published release.' };
  return /`domesday (?:update|ingest)\b/.test(advice)
    ? { advice: 'Load it where releases are published, and publish again. `check` there says which file.' }
    : {};
}

/** Nothing where the home follows no published releases. */
function replicaFindings(settings: Following): Finding[] {
  if (!follows(settings)) return [];
  try {
    return findingsOf(readReplicaState(settings.home));
  } catch (error) {
    if (!(error instanceof DepotFault)) throw error;
    return [{ level: 'problem', subject, finding: error.message, advice: '`domesday releases fetch`' }];
  }
}

function findingsOf({ taken, failing }: ReplicaState): Finding[] {
  const has =
    taken === undefined
      ? 'It has fetched no release yet.'
      : `It has ${taken.release}, published on ${taken.publishedAt.slice(0, 10)} (sequence ${taken.sequence}).`;
  if (failing !== undefined) {
    const finding = `${has} Since ${failing.since.slice(0, 16).replace('T', ' ')} it cannot follow: ${failing.why}`;
    const advice = 'Fix that. `domesday releases fetch` tries again at once.';
    return [{ level: taken === undefined ? 'problem' : 'warning', subject, finding, advice }];
  }
  if (taken !== undefined) return [ok(subject, has)];
  return [{ level: 'warning', subject, finding: has, advice: '`domesday releases fetch`' }];
}

// What `domesday check` says of the updates: how the last one ended, when the service runs the next, which publications fail and since when, and which of
// them have not changed for longer than their rhythm says.

/** Nothing where no update was ever run, and none is due. */
function updateFindings(
  { home, update }: Pick<Settings, 'home' | 'update'>,
  listed: readonly Listed[],
  atMs: number,
): Finding[] {
  const { publications, lastRun } = readUpdateState(home);
  return [
    ...(lastRun === undefined ? [] : [runFinding(lastRun)]),
    ...(update === undefined ? [] : [nextFinding(update, home, atMs)]),
    ...listed.flatMap((publication) => {
      const state = publications[publication.name];
      return state === undefined ? [] : publicationFindings(publication, state, atMs);
    }),
  ];
}

const dayOf = (instant: string) => instant.slice(0, 10);

const nextFinding = (time: UpdateTime, home: string, atMs: number): Finding =>
  ok(
    'updates',
    `The service runs the next update by itself (${settings.update.env}) from ${new Date(nextRunMs(time, home, atMs)).toISOString()}.`,
  );

function runFinding({ endedAt, outcome, kept }: UpdateRun): Finding {
  const last = `The last update, on ${dayOf(endedAt)},`;
  if (outcome === 'fresh') return ok('updates', `${last} found everything up to date, or loaded it.`);
  const finding =
    outcome === 'failed'
      ? `${last} failed. All data stayed as it was.`
      : `${last} left ${kept.length} ${kept.length === 1 ? 'publication as it was' : 'publications as they were'}.`;
  return { level: 'warning', subject: 'updates', finding, advice: '`domesday update`' };
}

function publicationFindings(
  { name, dataset, page, rhythm }: Listed,
  { failing, files = [], changedAt }: PublicationState,
  atMs: number,
): Finding[] {
  const subject = dataset;
  if (failing !== undefined) {
    const finding = `Updates of ${name} have failed since ${dayOf(failing.since)}, so its old data stays: ${failing.why}`;
    const advice = `Run \`domesday update ${name}\`. If its file has moved (${page}), run \`domesday update ${name} --address ${name}=URL\`, or load it with \`domesday ingest PATH…\``;
    return [{ level: 'warning', subject, finding, advice }];
  }
  const newestMs = Math.max(
    ...files.map(({ lastModified }) => Date.parse(lastModified ?? changedAt ?? '')).filter(Number.isFinite),
  );
  const { lateAfterDays, text } = rhythm;
  if (lateAfterDays === null || !Number.isFinite(newestMs) || atMs - newestMs <= lateAfterDays * dayMs)
    return [];
  const finding = `${name} is late: the newest edition is of ${dayOf(new Date(newestMs).toISOString())}, and there should be one ${text}.`;
  return [
    { level: 'warning', subject, finding, advice: `Run \`domesday update ${name}\`, or look at ${page}` },
  ];
}

// What `domesday check` says of people.

async function peopleFinding(people: Operator['people']): Promise<Finding> {
  try {
    const { people: all, operators } = await people.count();
    return ok('people', `${counted(all, 'person', 'people')}, ${counted(operators, 'operator')}.`);
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    return {
      level: 'problem',
      subject: 'people',
      finding: 'Their tables are damaged: nobody can sign in. Calls with keys go on.',
      advice: 'Stop the service and run `domesday restore FOLDER` with the newest backup.',
    };
  }
}

export const check: Command = {
  name: 'check',
  help,
  run: async (args, io) => {
    const { values, positionals } = readArgs(args, {
      home: { type: 'string' },
      all: { type: 'boolean' },
      json: { type: 'boolean' },
    });
    if (positionals.length > 0) throw new WrongUsage(`check takes no "${positionals[0]}".`);
    const settings = readSettings(io.env, { home: values.home });
    const { home } = settings;
    const found =
      lookAt(home) === 'folder'
        ? [
            ...homeRights(home),
            ...adviseReplica(settings, releaseFindings(settings, io.now())),
            ...replicaFindings(settings),
            ...updateFindings(settings, listPublications(await openSources(sources), new Map()), io.now()),
            ...(await ledgerFindings(io, settings)),
            diskFinding(home),
          ]
        : [
            homeMissing(home),
            ...(settings.databaseUrl === undefined ? [] : await ledgerFindings(io, settings)),
          ];
    const findings = found.map(({ advice, ...told }) =>
      advice === undefined ? told : { ...told, advice: io.asTyped(advice) },
    );
    if (values.json === true) printJson(io, { findings });
    else printFindings(findings, values.all === true ? 'all' : 'to do', io);
    const problems = findings.filter(({ level }) => level === 'problem').length;
    if (problems > 0) {
      throw new CommandRefused(`${counted(problems, 'problem')} found; follow the advice of each finding.`);
    }
  },
};

const homeMissing = (home: string): Finding => ({
  level: 'problem',
  subject: 'home',
  finding: `There is no home folder ${home}.`,
  advice: 'Start the service once with `domesday serve`, or name the folder with DOMESDAY_HOME or --home.',
});

function releaseFindings(settings: Settings, atMs: number): Finding[] {
  const { releases, sandbox } = openHome(settings.home, layouts);
  const live = openWhole(releases);
  const test = openWhole(sandbox);
  return [
    ...(live.kind === 'opened'
      ? [...datasetFindings(live.release, atMs), ...withheldFindings(settings, live.release)]
      : [liveFinding(releases, live.reason)]),
    test.kind === 'opened'
      ? ok('sandbox', `${test.release.id}: every part is sound.`)
      : sandboxFinding(sandbox, test.reason),
  ];
}

/** What makes a service with nothing wrong refuse its customers. */
function withheldFindings(settings: Settings, release: Release): Finding[] {
  if (!withholdsSample(settings) || release.findDataset('postcodes')?.extent !== 'sample') return [];
  const finding =
    'Others can reach it, so live keys get 503 in place of the sample until its postcodes are its own.';
  return [
    { level: 'warning', subject: service, finding, advice: 'Load the whole country with `domesday update`.' },
  ];
}

const service = 'service';

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
    const advice = 'Start the service with `domesday serve`; it loads the bundled sample first.';
    return { ...problem, finding: 'There is no release yet.', advice };
  }
  const finding = whatIsWrong(reason);
  const other = store.list().find((entry) => entry.kind === 'usable' && !entry.isCurrent);
  if (other !== undefined) return { ...problem, finding, advice: `\`domesday releases use ${other.id}\`` };
  const aside = `Move the folder ${store.folder} aside`;
  const advice =
    current.kind === 'sample'
      ? `${aside}; the next start builds the sample again.`
      : `${aside} and load the files again with \`domesday ingest PATH…\``;
  return { ...problem, finding, advice };
}

function sandboxFinding(store: ReleaseStore, reason: Unopened): Finding {
  if (currentOf(store) === undefined) {
    const advice = 'Start the service with `domesday serve`; it builds the sandbox.';
    return { level: 'warning', subject: 'sandbox', finding: 'It is not built yet.', advice };
  }
  const advice = `Remove the folder ${store.folder}; the next start builds it again.`;
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
    : 'The current release is not there.';

/** As whoever has it open finds it. */
async function ledgerFindings(io: Io, { home, databaseUrl }: Settings): Promise<Finding[]> {
  try {
    const { operator, close } = await openOperator(io, { home, ifMissing: 'refuse' }, 'refuse');
    try {
      const { accounts, journals, people } = operator;
      const report = await journals.verify(io.now());
      return [
        await peopleFinding(people),
        ok('ledger', `${countedAccounts(report.customers, report.journals)}; it can be read and written.`),
        ...(databaseUrl === undefined ? fileFindings(home) : []),
        backupFinding(await accounts.backups(), io.now()),
        ...journalFindings(report),
      ];
    } finally {
      await close();
    }
  } catch (error) {
    if (error instanceof ServiceUnreachable) return [problemOf(service, error)];
    if (error instanceof LedgerMissing) {
      const advice =
        'Start the service with `domesday serve`, which makes one, or create an account with `domesday accounts create`.';
      return [{ level: 'warning', subject: 'ledger', finding: 'There is no ledger yet.', advice }];
    }
    if (error instanceof LedgerOutdated) {
      const advice =
        'Copy the home folder, then start the service or run `domesday accounts list`. Check again afterwards.';
      return [{ level: 'warning', subject: 'ledger', finding: error.message, advice }];
    }
    if (!(error instanceof LedgerUnavailable)) throw error;
    return [problemOf('ledger', error)];
  }
}

/** The message is the finding and, behind the last semicolon, what to do. */
function problemOf(about: string, { message }: Error): Finding {
  const cut = message.lastIndexOf('; ');
  const advice = message.slice(cut + 2);
  return {
    level: 'problem',
    subject: about,
    finding: `${message.slice(0, cut)}.`,
    advice: advice.charAt(0).toUpperCase() + advice.slice(1),
  };
}

/** What is true only of a ledger that is a file. */
const fileFindings = (home: string): Finding[] => [
  ...rightsFindings(databaseFile(home)),
  ...sealFindings(home),
];

const isOpenToOthers = (place: string): boolean =>
  process.platform !== 'win32' && (statSync(place).mode & 0o077) !== 0;

/** One that was there before may be open to others. */
function homeRights(home: string): Finding[] {
  if (!isOpenToOthers(home)) return [];
  const finding =
    'Other users of this machine can look into it. It has the ledger and what customers asked for.';
  return [{ level: 'warning', subject: 'home', finding, advice: `chmod 700 ${home}` }];
}

function sealFindings(home: string): Finding[] {
  if (existsSync(sealFile(home))) return [];
  const finding = 'It has no seal, so nobody would notice an older copy in its place.';
  const advice = 'Start the service with `domesday serve`, which makes one.';
  return [{ level: 'warning', subject: 'ledger', finding, advice }];
}

function backupFinding({ lastAtMs, unsavedSinceMs }: Backups, atMs: number): Finding {
  const subject = 'backup';
  const days = lastAtMs === null ? 0 : Math.floor((atMs - lastAtMs) / dayMs);
  const last =
    lastAtMs === null
      ? 'None was made by this program.'
      : `The last one is of ${formatTime(lastAtMs, '').slice(0, 10)}, ${counted(days, 'day')} old.`;
  if (unsavedSinceMs === null || atMs - unsavedSinceMs < backupWantedDays * dayMs) return ok(subject, last);
  const finding = `${last} No backup by this program includes the charges since ${formatTime(unsavedSinceMs, '').slice(0, 10)}.`;
  const advice = 'Run `domesday backup FOLDER` every day, to another disk; it works while the service runs.';
  return { level: 'warning', subject, finding, advice };
}

/** One that was put back by hand may be open to others. */
function rightsFindings(file: string): Finding[] {
  if (!isOpenToOthers(file)) return [];
  const finding = 'Other users of this machine can read it. It has accounts and hashes of keys.';
  return [{ level: 'warning', subject: 'ledger', finding, advice: `chmod 600 ${file}` }];
}

function diskFinding(home: string): Finding {
  const { bavail, bsize } = statfsSync(home);
  const free = bavail * bsize;
  const finding = `${(free / 2 ** 30).toFixed(1)} GiB free on the disk of the home folder.`;
  return free >= freeBytesWanted
    ? ok('disk', finding)
    : { level: 'warning', subject: 'disk', finding, advice: 'Free some space: `domesday releases prune`.' };
}

/** The subjects of the five lines; what a line says is the first that was found of its subject. */
const summed = [
  ['Data', 'release'],
  ['People', 'people'],
  ['Ledger', 'ledger'],
  ['Backup', 'backup'],
] as const;

function printFindings(findings: readonly Finding[], which: 'to do' | 'all', io: Io): void {
  io.out(`Ready    ${readiness(findings)}\n`);
  for (const [title, about] of summed) {
    const found = findings.find(({ subject }) => subject === about);
    io.out(`${title.padEnd(8)} ${found?.finding ?? 'Nothing to look at yet.'}\n`);
  }
  const toDo = inOrder(findings);
  io.out(toDo.length === 0 ? '\nThere is nothing to do.\n' : '\nTo do, in this order:\n');
  for (const [place, { level, subject, finding, advice }] of toDo.entries()) {
    io.out(`${`${place + 1}.`.padEnd(3)} ${level}  ${subject}: ${finding}\n`);
    if (advice !== undefined) io.out(`    → ${advice}\n`);
  }
  if (which === 'to do') {
    io.out(io.asTyped('\n`domesday check --all` prints every finding.\n'));
    return;
  }
  io.out('\nEverything that was found:\n');
  for (const { level, subject, finding, advice } of findings) {
    io.out(`${level.padEnd(8)} ${subject}: ${finding}\n`);
    if (advice !== undefined) io.out(`         → ${advice}\n`);
  }
}

function readiness(findings: readonly Finding[]): string {
  const problems = findings.filter(({ level }) => level === 'problem').length;
  if (problems > 0) return `No: ${counted(problems, 'problem')}, at the head of the list below.`;
  const withheld = findings.find(({ subject }) => subject === service);
  return withheld === undefined ? 'Yes.' : `Not for customers. ${withheld.finding}`;
}

/** Problems first, and first of them that nobody can sign in. What one update loads is one thing to do. */
function inOrder(findings: readonly Finding[]): readonly Finding[] {
  const wanting = findings.filter(({ level }) => level !== 'ok');
  const [problems, others] = [
    wanting.filter(({ level }) => level === 'problem'),
    wanting.filter(({ level }) => level !== 'problem'),
  ];
  const data = others.filter((finding) => finding.data !== undefined);
  const isOfData = ({ data: why, subject }: Finding) =>
    why !== undefined || (data.length > 0 && (subject === 'release' || subject === service));
  return [
    ...problems.toSorted((a, b) => Number(b.subject === 'people') - Number(a.subject === 'people')),
    ...(data.length === 0 ? [] : [loadAll(data, others.find(isOfRelease)?.advice)]),
    ...others.filter((finding) => !isOfData(finding)),
  ];
}

const isOfRelease = ({ subject }: Finding): boolean => subject === 'release';

/** `advice` of the release as a whole; where only some datasets are old, that of the one. */
function loadAll(data: readonly Finding[], advice: string | undefined): Finding {
  const words = { sample: 'the bundled sample', 'not loaded': 'not loaded', old: 'old' } as const;
  const groups = [...Map.groupBy(data, (finding) => finding.data ?? 'old')].map(([why, some]) => {
    const names = [...new Set(some.map(({ subject }) => subject))];
    return `${names.length} ${names.length === 1 ? 'is' : 'are'} ${words[why]} (${names.join(', ')})`;
  });
  const load = advice ?? (data.length === 1 ? data[0]?.advice : undefined) ?? 'Run `domesday update`.';
  return { level: 'warning', subject: 'data', finding: `${groups.join('; ')}.`, advice: load };
}
