// `domesday releases`: which releases there are, switching between them, and cleaning up.

import { readSettings } from '../config.ts';
import { HomeBusy } from '../release/claim.ts';
import { ReleaseDamaged } from '../release/reader.ts';
import { NoSuchRelease, openHome, type ReleaseEntry, type ReleaseStore } from '../release/store.ts';
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

const help = `domesday releases: shows, switches and cleans up releases of the data.

Usage: domesday releases [list] [--home DIR] [--json]
       domesday releases use ID [--home DIR] [--json]
       domesday releases prune [--home DIR] [--json]

  list     Every release, newest first; * marks the current one, which the service answers from.
  use ID   Reads the whole release to verify it, then makes it current. A running service switches by itself,
           without a failed request.
  prune    Removes all releases but the current one and the newest made before it.

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
    const { values, positionals } = readArgs(args, {
      home: { type: 'string' },
      json: { type: 'boolean' },
    });
    const { home } = readSettings(io.env, { home: values.home });
    const store = openHome(home, layouts).releases;
    const format = values.json === true ? 'json' : 'text';
    try {
      obey(positionals, store, format, io);
    } catch (error) {
      const isExpected =
        error instanceof HomeBusy || error instanceof ReleaseDamaged || error instanceof NoSuchRelease;
      if (isExpected) throw new CommandRefused(error.message);
      throw error;
    }
  },
};

type Format = 'json' | 'text';

function obey(words: readonly string[], store: ReleaseStore, format: Format, io: Io): void {
  const [verb = 'list', id, extra] = words;
  const surplus = verb === 'use' ? extra : id;
  if (surplus !== undefined) throw new WrongUsage(`releases ${verb} takes no "${surplus}".`);
  if (verb === 'list') list(store, format, io);
  else if (verb === 'prune') prune(store, format, io);
  else if (verb !== 'use') throw new WrongUsage(`releases has no "${verb}"; it has list, use ID and prune.`);
  else if (id === undefined) throw new WrongUsage('Name the release: domesday releases use ID.');
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
    io.out('No releases yet; domesday serve or domesday ingest makes the first.\n');
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
    store.use(id);
  } finally {
    lock.release();
  }
  if (format === 'json') printJson(io, { current: id });
  else io.out(`Release ${id} is verified and current.\n`);
}

function prune(store: ReleaseStore, format: Format, io: Io): void {
  const lock = store.lock();
  try {
    const removed = store.prune();
    if (format === 'json') printJson(io, { removed });
    else if (removed.length === 0) io.out('There was nothing to remove.\n');
    else for (const id of removed) io.out(`Removed release ${id}.\n`);
  } finally {
    lock.release();
  }
}
