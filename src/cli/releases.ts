// `domesday releases`: which releases there are, switching between them, cleaning up, the keys that sign them; and, in releases/,
// handing them on to other machines.

import { writeFileSync } from 'node:fs';
import { readSettings } from '../config.ts';
import { makeKeys } from '../depot/signature.ts';
import { errorCode } from '../errno.ts';
import { ReleaseDamaged } from '../release/reader.ts';
import { HomeBusy, NoSuchRelease, openHome, type ReleaseEntry, type ReleaseStore } from '../release/store.ts';
import { layouts } from '../tables/index.ts';
import type { SubCommand } from './command.ts';
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
import { didYouMean } from './nearest.ts';

const help = `domesday releases: lists, switches, cleans up, publishes and fetches releases of the data.

Usage: domesday releases [list] [--home DIR] [--json]
       domesday releases use ID [--home DIR] [--json]
       domesday releases prune [--newer] [--home DIR] [--json]
       domesday releases publish TARGET [OPTIONS] [--home DIR] [--json]
       domesday releases fetch [--from URL_OR_FOLDER] [--gently] [--home DIR] [--json]
       domesday releases keygen FILE [--json]

  list     Lists every release, newest first. * marks the current one, which the service answers from.
  use ID   Reads the whole release to verify it, then makes it current. A running service switches by itself, and no
           request fails.
  prune    Removes all releases except the current one and the newest one before it. It keeps releases that are newer than
           the current one, such as after a switch back to an older one.
             --newer   remove those too
  publish  Puts the current release where replicas fetch it from: a folder that any web server can serve, or
           s3://BUCKET/PREFIX with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION and
           AWS_ENDPOINT_URL. It writes only files that are not there yet. The release before stays complete until the end.
             --release ID      publish this release instead of the current one
             --roll-back       publish it even if it is older than the newest one there
             --keep N          then remove all except the newest N releases there, and files that none of them needs
             --keep-hours H    with --keep: remove nothing that was in use less than H hours ago, because a replica may
                               still be fetching it. Default: 24.
             --sample          publish it even if it is the bundled sample
             --unsigned        publish without a signature even if what is there is signed
  fetch    Fetches the newest published release into this home and makes it current, as the service of a replica does by
           itself. It comes from DOMESDAY_RELEASES_URL, or from --from.
             --gently  leave a service on this machine undisturbed, as domesday update --gently does
  keygen   Makes a private key in FILE, for DOMESDAY_SIGNING_KEY, and prints its public key, for
           DOMESDAY_RELEASE_PUBLIC_KEY of replicas.

Options:
  --home DIR   Home folder. Environment: DOMESDAY_HOME. Default: ./var.
  --json       Print JSON.
  --help       Print this help.

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

/** Those that move releases are loaded only when they are called. */
const betweenMachines: ReadonlyMap<string, () => Promise<SubCommand>> = new Map([
  ['publish', async () => (await import('./releases/publish.ts')).publishRelease],
  ['fetch', async () => (await import('./releases/fetch.ts')).fetchRelease],
  ['keygen', () => Promise.resolve(makeSigningKey)],
]);

const verbs = ['list', 'use', 'prune'] as const;

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
      `releases has no "${verb}".${didYouMean(verb, [...verbs, ...betweenMachines.keys()])} It has list, use ID, prune, publish TARGET, fetch and keygen FILE.`,
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
    io.out(
      io.asTyped('There are no releases yet; `domesday serve` or `domesday ingest PATH…` makes the first.\n'),
    );
    return;
  }
  const rows = entries.flatMap((entry) => {
    const release = [
      entry.isCurrent ? '*' : '',
      entry.id,
      entry.kind === 'damaged' ? 'damaged' : entry.manifest.kind,
      entry.kind === 'damaged' ? '' : entry.manifest.createdAt.slice(0, 16).replace('T', ' '),
    ];
    const [first, ...others] = datasetsOf(entry).map(({ name, asOf, extent }) => [name, asOf, extent]);
    return [
      [...release, ...(first ?? [])],
      ...others.map((dataset) => [...release.map(() => ''), ...dataset]),
    ];
  });
  printTable(io, ['', 'RELEASE', 'KIND', 'MADE (UTC)', 'DATASET', 'AS OF', 'EXTENT'], rows);
}

function use(store: ReleaseStore, id: string, format: Format, io: Io): void {
  const lock = store.lock();
  try {
    store.use(id);
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
          'The bundled sample was among them. To build it again, use a new home folder: `domesday serve --home DIR`\n',
        ),
      );
    }
    for (const id of keptNewer) io.out(`Kept release ${id}, which is newer than the current one.\n`);
    if (keptNewer.length > 0) {
      io.out(
        io.asTyped(
          'To use one of them: `domesday releases use ID`. To remove them: `domesday releases prune --newer`\n',
        ),
      );
    }
  } finally {
    lock.release();
  }
}

// `domesday releases keygen`: a pair of keys with which releases are signed.
async function makeSigningKey(args: readonly string[], io: Io): Promise<void> {
  const { values, positionals } = readArgs(args, { json: { type: 'boolean' } });
  const [file, extra] = positionals;
  if (file === undefined)
    throw new WrongUsage('Name the file of the private key: `domesday releases keygen FILE`.');
  if (extra !== undefined) throw new WrongUsage(`releases keygen takes no "${extra}".`);
  const { privatePem, publicText } = makeKeys();
  try {
    writeFileSync(file, privatePem, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    throw new CommandRefused(`${file} already exists, and a key is never overwritten; name another file.`);
  }
  if (values.json === true) printJson(io, { file, publicKey: publicText });
  else
    io.out(
      `The private key is in ${file}. Only its owner can read it. Keep it where releases are published (DOMESDAY_SIGNING_KEY).\nGive replicas the public key:\n\nDOMESDAY_RELEASE_PUBLIC_KEY=${publicText}\n`,
    );
}
