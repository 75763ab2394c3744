// `domesday releases`: which releases there are, switching between them, cleaning up; and, in releases/, handing them on to
// other machines.

import { readSettings } from '../config.ts';
import { isSealed, ReleaseDamaged } from '../release/reader.ts';
import { HomeBusy, NoSuchRelease, openHome, type ReleaseEntry, type ReleaseStore } from '../release/store.ts';
import { sealRelease } from '../release/writer.ts';
import { layouts } from '../tables/index.ts';
import {
  type Command,
  CommandRefused,
  type Io,
  printJson,
  printTable,
  readArgs,
  WrongUsage,
} from './command.ts';
import { requireHome } from './home.ts';
import type { SubCommand } from './ledger-home.ts';

const help = `domesday releases: shows, switches, cleans up, publishes and fetches releases of the data.

Usage: domesday releases [list] [--home DIR] [--json]
       domesday releases use ID [--home DIR] [--json]
       domesday releases prune [--newer] [--home DIR] [--json]
       domesday releases publish TARGET [OPTIONS] [--home DIR] [--json]
       domesday releases fetch [--from URL_OR_FOLDER] [--gently] [--home DIR] [--json]
       domesday releases keygen FILE [--json]

  list     Every release, newest first; * marks the current one, which the service answers from.
  use ID   Reads the whole release to verify it, then makes it current. A running service switches by itself,
           without a failed request. A release of an earlier version without manifest.sha256 is given one.
  prune    Removes all releases but the current one and the newest made before it. Releases newer than the current one
           stay, as after a switch back to an older one.
             --newer   removes those, too
  publish  Puts the current release where replicas fetch it from: a folder, which any web server may serve, or
           s3://BUCKET/PREFIX with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION and
           AWS_ENDPOINT_URL. Only files that are not there yet are written; the release before stays whole until the end.
             --release ID      another release than the current one
             --roll-back       although it is older than the newest there
             --keep N          then removes all but the newest N there, and files that none of them needs
             --keep-hours H    with --keep: nothing that was in use less than H hours ago, as a replica may be fetching
                               it. Default: 24.
             --sample          although it is the bundled sample
             --unsigned        although what is there is signed, and DOMESDAY_SIGNING_KEY is not set
  fetch    Takes the newest published release into this home and makes it current: what a replica's service does by
           itself. From DOMESDAY_RELEASES_URL, or --from.
             --gently  give way to a service on this machine, as domesday update --gently does
  keygen   Makes a private key in FILE, for DOMESDAY_SIGNING_KEY, and prints its public key, for
           DOMESDAY_RELEASE_PUBLIC_KEY of replicas.

Options:
  --home DIR   Home folder. Environment: DOMESDAY_HOME. Default: ./var.
  --json       Print JSON.
  --help       Print this.

Exit status: 0 done; 1 refused or failed, nothing changed; 2 wrong usage.
`;

export const releases: Command = {
  name: 'releases',
  help,
  run: async (args, io) => {
    const [verb = '', ...rest] = args;
    const between = betweenMachines.get(verb);
    if (between !== undefined) return (await between())(rest, io);
    const { values, positionals } = readArgs(args, {
      home: { type: 'string' },
      json: { type: 'boolean' },
      newer: { type: 'boolean' },
    });
    const { home } = readSettings(io.env, { home: values.home });
    requireHome(home);
    const store = openHome(home, layouts).releases;
    const format = values.json === true ? 'json' : 'text';
    try {
      obey(positionals, values.newer === true ? 'remove' : 'keep', store, format, io);
    } catch (error) {
      const isExpected =
        error instanceof HomeBusy || error instanceof ReleaseDamaged || error instanceof NoSuchRelease;
      if (isExpected) throw new CommandRefused(error.message);
      throw error;
    }
  },
};

/** Each is loaded only when it is called. */
const betweenMachines: ReadonlyMap<string, () => Promise<SubCommand>> = new Map([
  ['publish', async () => (await import('./releases/publish.ts')).publishRelease],
  ['fetch', async () => (await import('./releases/fetch.ts')).fetchRelease],
  ['keygen', async () => (await import('./releases/keygen.ts')).makeSigningKey],
]);

type Format = 'json' | 'text';
type Newer = Parameters<ReleaseStore['prune']>[0];

function obey(words: readonly string[], newer: Newer, store: ReleaseStore, format: Format, io: Io): void {
  const [verb = 'list', id, extra] = words;
  const surplus = verb === 'use' ? extra : id;
  if (surplus !== undefined) throw new WrongUsage(`releases ${verb} takes no "${surplus}".`);
  if (newer === 'remove' && verb !== 'prune') throw new WrongUsage('--newer belongs to releases prune.');
  if (verb === 'list') list(store, format, io);
  else if (verb === 'prune') prune(store, newer, format, io);
  else if (verb !== 'use')
    throw new WrongUsage(
      `releases has no "${verb}"; it has list, use ID, prune, publish TARGET, fetch and keygen FILE.`,
    );
  else if (id === undefined) throw new WrongUsage('Name the release: `domesday releases use ID`.');
  else use(store, id, format, io);
}

const datasetsOf = (entry: ReleaseEntry) =>
  entry.kind === 'damaged'
    ? []
    : entry.manifest.datasets.map(({ name, rows, asOf, extent }) => ({ name, rows, asOf, extent }));

function list(store: ReleaseStore, format: Format, io: Io): void {
  const entries = store.list();
  if (format === 'json') {
    printJson(io, {
      current: store.currentId() ?? null,
      releases: entries.map((entry) => ({
        id: entry.id,
        isCurrent: entry.isCurrent,
        ...(entry.kind === 'damaged'
          ? { state: 'damaged', problem: entry.problem }
          : {
              state: 'usable',
              kind: entry.manifest.kind,
              createdAt: entry.manifest.createdAt,
              parent: entry.manifest.parent,
              datasets: datasetsOf(entry),
            }),
      })),
    });
    return;
  }
  if (entries.length === 0) {
    io.out(io.asTyped('No releases yet; `domesday serve` or `domesday ingest PATH…` makes the first.\n'));
    return;
  }
  const rows = entries.map((entry) => [
    entry.isCurrent ? '*' : '',
    entry.id,
    entry.kind === 'damaged' ? 'damaged' : entry.manifest.kind,
    entry.kind === 'damaged' ? '' : entry.manifest.createdAt.slice(0, 16).replace('T', ' '),
    datasetsOf(entry)
      .map(({ name, asOf }) => `${name} (${asOf})`)
      .join(', '),
  ]);
  printTable(io, ['', 'RELEASE', 'KIND', 'MADE (UTC)', 'DATA (AS OF)'], rows);
}

function use(store: ReleaseStore, id: string, format: Format, io: Io): void {
  const lock = store.lock();
  try {
    const release = store.use(id);
    if (!isSealed(release)) sealRelease(release);
  } finally {
    lock.release();
  }
  if (format === 'json') printJson(io, { current: id });
  else io.out(`Release ${id} is verified and current.\n`);
}

function prune(store: ReleaseStore, newer: Newer, format: Format, io: Io): void {
  const lock = store.lock();
  try {
    const { removed, keptNewer } = store.prune(newer);
    if (format === 'json') {
      printJson(io, { removed, keptNewer });
      return;
    }
    for (const id of removed) io.out(`Removed release ${id}.\n`);
    if (removed.length === 0) io.out('There was nothing to remove.\n');
    if (removed.some((id) => id.startsWith('sample-'))) {
      io.out(
        io.asTyped(
          'The bundled sample was among them. It is built anew in a new home folder: `domesday serve --home DIR`\n',
        ),
      );
    }
    for (const id of keptNewer) io.out(`Kept release ${id}, which is newer than the one in use.\n`);
    if (keptNewer.length > 0) {
      io.out(
        io.asTyped(
          'To use one of these: `domesday releases use ID`; to remove them: `domesday releases prune --newer`\n',
        ),
      );
    }
  } finally {
    lock.release();
  }
}
