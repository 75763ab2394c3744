// `domesday update`: asks the publishers what is new, fetches it, and loads it as one release.

import { statfsSync } from 'node:fs';
import { totalmem } from 'node:os';
import path from 'node:path';
import { settings as allSettings, BadSetting, readSettings, type Settings, settings } from '../config.ts';
import { errorCode } from '../errno.ts';
import type { Listed } from '../ingest/publication.ts';
import { openSources } from '../ingest/source.ts';
import { DiskAllowance, diskPace } from '../release/disk-pace.ts';
import { sources } from '../sources/index.ts';
import { needsOf } from '../update/plan.ts';
import { fillable, findUnknown, listPublications } from '../update/select.ts';
import { TransferFailed } from '../update/web/failure.ts';
import {
  type Command,
  CommandRefused,
  type Io,
  PartlyDone,
  printJson,
  readArgs,
  WrongUsage,
} from './command.ts';
import { gentleBytesPerSecond, giveWay } from './give-way.ts';
import { lookAt, prepareHome, refuseInReplica } from './home.ts';
import { loadInto, printReport, refusing, type Told } from './ingest.ts';
import { didYouMean } from './nearest.ts';
import type { UpdateMeans, UpdateOrder, UpdateResult } from './update/order.ts';
import {
  formatBytes,
  openTransferLines,
  planJson,
  printPlan,
  printRun,
  printTerms,
  type Room,
} from './update/print.ts';
import { runUpdate } from './update/run.ts';

const help = `domesday update: fetches new data from the publishers and loads it as one release.

Usage: domesday update [DATASET...] [--set essential|all] [--dry-run] [--from URL_OR_FOLDER] [--keep]
                       [--accept-licences NAMES] [--address NAME=URL] [--gently] [--home DIR] [--json]

First it asks every publisher what there is and prints a plan: what is loaded, what is available, how large it is, and
the disk, memory and time that it needs. Then it fetches what is new, checks it early, and loads everything in one run, as
domesday ingest does. If a publisher has changed nothing, that costs one small request.

If a transfer breaks or is killed, the next run continues it. If a publication fails (it is gone, it is a web page instead
of data, or it is older or much smaller than the loaded data), its old data stays and the plan says why. The others
continue. A running service switches to the new release by itself. The guide is docs/national-data.md;
docs/data-sources.md lists every publication.

Without DATASET, the set decides:
  essential  what the endpoints need for England and Wales: about 12 GB to fetch
  all        the same, and Scotland and Northern Ireland as far as there is open data (the default)
DATASET is a name from GET /api/v1/datasets, or the name of one publication. The command then asks for it at once,
whatever its rhythm.

Options:
  --dry-run               Stop after the plan. Fetch and change nothing.
  --from URL_OR_FOLDER    Ask a mirror, which has https://HOST/PATH at URL_OR_FOLDER/HOST/PATH.
                          Environment: DOMESDAY_UPDATE_FROM.
  --address NAME=URL      New address of a file that its publisher has moved. Separate several with commas.
                          Environment: DOMESDAY_UPDATE_ADDRESSES.
  --accept-licences NAMES Names of terms that you have read and accept, or all. Environment: DOMESDAY_ACCEPT_LICENCES.
  --gently                Leave a service on this machine undisturbed: use the processor only when it is idle, and at most
                          40 MB of disk a second. A service that updates by itself does this.
  --keep                  Keep the fetched files in <home>/updates/files.
  --set SET               essential or all. Environment: DOMESDAY_UPDATE_SET.
  --home DIR              Home folder. Environment: DOMESDAY_HOME. Default: ./var.
  --json                  Print the plan and the result as JSON.
  --help                  Print this help.

Exit status: 0 everything is up to date; 3 some datasets kept their old data (the output names them and says why);
1 nothing was done; 2 wrong usage.
`;

// Names of publications and terms in settings of an update. One with a slip in it would count for nothing, without a word.

/** What was typed; what is not there came from the environment. */
type Typed = { readonly address?: string | undefined; readonly 'accept-licences'?: string | undefined };

/** Throws BadSetting. */
function refuseUnknownNames(
  publications: readonly Listed[],
  { updateAddresses, updateRhythm, acceptLicences }: Settings,
  typed: Typed,
): void {
  const names = publications.map(({ name }) => name);
  const datasets = publications.map(({ dataset }) => dataset);
  const terms = publications.flatMap((publication) => publication.terms?.name ?? []);
  const known = [
    {
      given: updateAddresses?.keys(),
      none: 'there is no publication',
      allowed: names,
      ...settings.updateAddresses,
      flag: 'address',
      by: typed.address,
    },
    {
      given: updateRhythm?.keys(),
      none: 'there is no publication',
      allowed: [...names, ...datasets],
      ...settings.updateRhythm,
      by: undefined,
    },
    {
      given: acceptLicences,
      none: 'there are no terms',
      allowed: [...terms, 'all'],
      ...settings.acceptLicences,
      by: typed['accept-licences'],
    },
  ];
  for (const { given = [], none, allowed, env, flag, by } of known) {
    const unknown = [...given].find((name) => !allowed.includes(name));
    if (unknown === undefined) continue;
    const source = by === undefined ? env : `--${flag}`;
    throw new BadSetting(
      `${source} names "${unknown}", and ${none} of that name.${didYouMean(unknown, allowed)} There are: ${[...new Set(allowed)].join(', ')}.`,
      by === undefined ? 'environment' : 'flag',
    );
  }
}

export const updateWith = (means: UpdateMeans): Command => ({
  name: 'update',
  help,
  run: async (args, io) => {
    const { values, positionals } = readArgs(args, {
      set: { type: 'string' },
      'dry-run': { type: 'boolean' },
      from: { type: 'string' },
      gently: { type: 'boolean' },
      keep: { type: 'boolean' },
      'accept-licences': { type: 'string' },
      address: { type: 'string' },
      home: { type: 'string' },
      json: { type: 'boolean' },
    });
    const settings = readSettings(
      io.env,
      {
        home: values.home,
        'update-set': values.set,
        'update-from': values.from,
        'update-addresses': values.address,
        'accept-licences': values['accept-licences'],
      },
      { 'update-set': 'set', 'update-from': 'from', 'update-addresses': 'address' },
    );
    refuseInReplica(settings);
    const publications = listPublications(await openSources(means.sources), new Map());
    const unknown = findUnknown(publications, positionals);
    if (unknown !== undefined) {
      const names = fillable(publications);
      throw new WrongUsage(
        `There is no dataset "${unknown}" that an update can fill.${didYouMean(unknown, names)} There are: ${names.join(', ')}.`,
      );
    }
    refuseUnknownNames(publications, settings, values);
    const until = values['dry-run'] === true ? 'plan' : 'release';
    if (until === 'plan') lookAt(settings.home);
    else prepareHome(settings.home);
    if (values.gently === true) await giveWay();
    using stopping = stopAtSignals(io);
    const form = values.json === true ? 'json' : 'text';
    const order: UpdateOrder = {
      means: values.gently === true ? gentle(means) : means,
      home: settings.home,
      names: positionals,
      set: settings.updateSet,
      from: settings.updateFrom,
      addresses: settings.updateAddresses ?? new Map(),
      rhythm: settings.updateRhythm ?? new Map(),
      accepted: settings.acceptLicences ?? new Set(),
      contact: settings.contact ?? settings.publicUrl,
      terms: form === 'text' ? 'told' : 'not told',
      rawFiles: values.keep === true ? 'keep' : 'remove',
      until,
      now: io.now,
      signal: stopping.signal,
    };
    const work = carryOut(order, io, form, stopping);
    const result = await work.catch((error: unknown) => {
      throw told(error, values.from);
    });
    if (form === 'json') printJson(io, jsonOf(result, roomOf(settings.home)));
    else {
      if (result.report !== undefined) printReport(result.report, io);
      if (result.run !== undefined) printRun(result.run, settings.home, io);
      printTerms(result.terms, io);
    }
    endAs(result);
  },
});

export const update = updateWith({ sources, web: {} });

const gentle = (means: UpdateMeans): UpdateMeans => ({
  ...means,
  disk: diskPace(new DiskAllowance(gentleBytesPerSecond)),
  web: { bytesPerSecond: gentleBytesPerSecond, ...means.web },
});

type Result = UpdateResult<Told>;

type Stopping = Disposable & {
  readonly signal: AbortSignal;
  /** Nothing is fetched any more: a signal ends the process at once, as a kill would, which loading survives. */
  beginLoading(): void;
};

function stopAtSignals(io: Io): Stopping {
  const controller = new AbortController();
  let phase: 'fetching' | 'loading' = 'fetching';
  const stop = () => {
    controller.abort();
    if (phase === 'fetching') return;
    io.err('Stopped; nothing was changed. The fetched files stay; run the command again to continue.\n');
    process.exit(1);
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, stop);
  return {
    signal: controller.signal,
    beginLoading: () => {
      phase = 'loading';
    },
    [Symbol.dispose]: () => {
      for (const signal of signals) process.off(signal, stop);
    },
  };
}

function carryOut(
  order: UpdateOrder,
  io: Io,
  form: 'json' | 'text',
  { beginLoading }: Stopping,
): Promise<Result> {
  const transfers = openTransferLines(io);
  return runUpdate(order, {
    plan: (lines) => {
      const [needs, room] = [needsOf(lines), roomOf(order.home)];
      if (form === 'text') printPlan(lines, needs, room, io);
      if (order.until === 'release' && needs.diskBytes > room.diskBytes) {
        throw new CommandRefused(
          `There is not enough disk space: the update needs ${formatBytes(needs.diskBytes)} in ${order.home}, and ${formatBytes(room.diskBytes)} are free. Free some space (\`domesday releases prune\`), or update fewer datasets at a time, for example \`domesday update postcodes\`.`,
        );
      }
    },
    progress: (publication, file, bytes, total) =>
      transfers.progress(`${publication.name} (${file})`, bytes, total),
    arrived: () => transfers.end(),
    load: (paths, about) => {
      beginLoading();
      const asked = { paths, sources: order.means.sources, ...about, onRefusal: 'leave out' } as const;
      return refusing(() => loadInto(order.home, asked, io, order.means.disk));
    },
  });
}

/** What an operator can put right, in words; anything else as it is. */
function told(error: unknown, typedFrom: string | undefined): unknown {
  if (error instanceof TransferFailed && error.kind === 'no mirror') {
    const { env } = allSettings.updateFrom;
    return typedFrom === undefined
      ? new BadSetting(`${env} ${error.message}`, 'environment')
      : new BadSetting(`--from ${error.message}`, 'flag');
  }
  if (error instanceof TransferFailed) return new CommandRefused(error.message);
  if (errorCode(error) === 'ENOSPC') {
    return new CommandRefused(
      'The disk is full. Free some space, for example with `domesday releases prune`, and run the command again: it continues where it stopped.',
    );
  }
  return error;
}

/** A home that is not there yet will lie on the disk of the folder in which it is made. */
function roomOf(home: string): Room {
  const folder = path.resolve(home);
  if (lookAt(folder) === 'absent') return roomOf(path.dirname(folder));
  const { bavail, bsize } = statfsSync(folder);
  return { diskBytes: bavail * bsize, memoryBytes: totalmem() };
}

const jsonOf = ({ plan, terms, run, report }: Result, room: Room) => ({
  ...planJson(plan, needsOf(plan), room),
  termsNotAccepted: terms.map(({ told, ...each }) => each),
  run: run ?? null,
  refused: report?.refused ?? [],
  lost: report?.lost ?? [],
});

function endAs({ run }: Result): void {
  if (run === undefined || run.outcome === 'fresh') return;
  const names = [...new Set(run.kept.map(({ dataset }) => dataset))].join(', ');
  if (run.outcome === 'failed')
    throw new CommandRefused(`Nothing was updated. These datasets keep their old data: ${names}.`);
  throw new PartlyDone(`Some datasets keep their old data: ${names}.`);
}
