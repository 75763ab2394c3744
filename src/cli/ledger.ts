// `domesday ledger`: looks after the ledger as a whole: copies, the way back from one, moving it, and retention.

import path from 'node:path';
import { readSettings } from '../config.ts';
import { ledgerFile } from '../ledger/open.ts';
import { backUpLedger, restoreLedger } from '../ledger/sqlite/keeping/backup.ts';
import { type Figures, sayUnsound } from '../ledger/sqlite/keeping/copies.ts';
import { type Command, type Io, printJson, readArgs, tellTo } from './command.ts';
import { requireHome } from './home.ts';
import { takeHome } from './ledger/home-lock.ts';
import { move, moveHelp } from './ledger/move.ts';
import { trim, trimHelp } from './ledger/trim.ts';
import {
  counted,
  countedAccounts,
  formatTime,
  ledgerOptions,
  readPositionals,
  runSubCommand,
  type SubCommand,
} from './ledger-home.ts';

const help = `domesday ledger: backs the ledger up, restores it, moves it, and trims old entries.

Usage: domesday ledger backup FILE
       domesday ledger restore FILE [--other-ledger] [--broken-journal]
       domesday ledger move FROM TO | --undo PLACE
       domesday ledger trim --before DATE | --keep-days N [--yes]

The ledger has accounts, keys and every charge. While a service runs, its newest charges stand in files beside
ledger.sqlite, so that copying that file alone, or putting an older one over it, loses charges. These commands take
care of all of them. A home that had a ledger never makes a new one by itself. With DATABASE_URL set, the ledger is the one
in that database; a backup is the same kind of file and can be restored into either.

  backup   writes a whole copy of the ledger to FILE, checks it, and only then gives it that name. Works while the
           service runs. A file that is there is not overwritten. A journal that breaks is copied as it is, and told.
  restore  makes FILE the ledger of this home, whose folder must be there. Stop the service first. FILE is checked,
           with the chain of every journal, before anything is changed; the ledger that was there is moved into a
           folder of its own in the home, never deleted; and it is told how many entries and credits it had that
           the backup has not. Into a database it is one transaction; what was there is kept as a schema
           domesday_before_….
             --other-ledger    also take a backup of another ledger than the one this home had
             --broken-journal  also take a backup in which a journal breaks or something contradicts it
${moveHelp}
${trimHelp}

Options of all:
  --home DIR   home folder (environment DOMESDAY_HOME, default ./var)
  --json       print JSON
  -h, --help   this text

Examples:
  domesday ledger backup /backups/ledger-2027-01-31.sqlite
  domesday ledger restore /backups/ledger-2027-01-31.sqlite
  DATABASE_URL=postgres://… domesday ledger move ./var DATABASE_URL

Exit status: 0 done, 1 refused, 2 wrong usage.
`;

const backup: SubCommand = async (args, io) => {
  const { values, positionals } = readArgs(args, ledgerOptions);
  const [name] = readPositionals(positionals, ['FILE']);
  const { home, databaseUrl } = readSettings(io.env, { home: values.home });
  const file = path.resolve(name);
  const made = databaseUrl === undefined ? backUpHome(home, file, io) : await backUp(databaseUrl, file, io);
  const { unsound, ...figures } = made;
  if (unsound !== null) warn(io, sayUnsound(unsound), 'it was copied as it is; see `domesday check`');
  if (values.json)
    return printJson(io, {
      ...figures,
      breaks: unsound?.breaks ?? null,
      different: unsound?.different ?? null,
      contradictions: unsound?.contradictions ?? null,
    });
  io.out(`${made.file}: ${sayFigures(made)}.\n`);
  if (unsound === null) {
    io.out(
      'Its journals were not followed: it is of an older version, which the next start brings up to date.\n',
    );
  }
};

function backUpHome(home: string, file: string, io: Io) {
  requireHome(home);
  return backUpLedger(ledgerFile(home), file, io.now());
}

async function backUp(databaseUrl: string, file: string, io: Io) {
  const { backUpDatabase } = await import('../ledger/moving/backup.ts');
  return backUpDatabase(databaseUrl, file, io.now(), tellTo(io));
}

const restore: SubCommand = async (args, io) => {
  const { values, positionals } = readArgs(args, {
    ...ledgerOptions,
    'other-ledger': { type: 'boolean' },
    'broken-journal': { type: 'boolean' },
  });
  const [name] = readPositionals(positionals, ['FILE']);
  const { home, databaseUrl } = readSettings(io.env, { home: values.home });
  const wish = {
    file: path.resolve(name),
    otherLedger: values['other-ledger'] === true ? 'take' : 'refuse',
    brokenJournal: values['broken-journal'] === true ? 'take' : 'refuse',
    atMs: io.now(),
  } as const;
  const { unsound, ledger, ...restored } =
    databaseUrl === undefined ? restoreHome(home, wish) : await restoreTo(databaseUrl, wish, io);
  warn(io, sayUnsound(unsound), 'it was restored as it is');
  if (values.json) return printJson(io, { ledger, ...restored, ...unsound });
  io.out(`Restored to ${ledger}: ${sayFigures(restored)}.\n`);
  if (restored.movedTo === null) return;
  io.out(`What was there before is in ${restored.movedTo}.\n`);
  io.out(sayMissing(restored));
};

type RestoreWish = Omit<Parameters<typeof restoreLedger>[0], 'ledger'>;

function restoreHome(home: string, wish: RestoreWish) {
  const ledger = path.resolve(ledgerFile(home));
  const lock = takeHome(home, 'restore');
  try {
    return { ledger, ...restoreLedger({ ...wish, ledger }) };
  } finally {
    lock.release();
  }
}

async function restoreTo(url: string, wish: RestoreWish, io: Io) {
  const { restoreDatabase } = await import('../ledger/moving/backup.ts');
  const { nameOf } = await import('../ledger/postgres/address.ts');
  return { ledger: nameOf(url), ...(await restoreDatabase({ ...wish, url, tell: tellTo(io) })) };
}

/** Up to where it goes, so that whoever restores it knows what is in it. */
function sayFigures({ customers, accounts, entries: count, newest }: Figures): string {
  const upTo = newest === null ? '' : `, up to entry ${newest.entry} of ${formatTime(newest.atMs, '')}`;
  return `${countedAccounts(customers, accounts)}, ${entries(count)}${upTo}`;
}

function sayMissing({
  before,
  missing,
}: Pick<ReturnType<typeof restoreLedger>, 'before' | 'missing'>): string {
  if (missing !== null) {
    return `The backup lacks ${entries(missing.entries)} of it; charges among them took ${counted(missing.credits, 'credit')}.\n`;
  }
  return before === 'none'
    ? 'The home had no ledger any more with which the backup could be compared.\n'
    : 'It cannot be read, so that nobody can tell what the backup lacks.\n';
}

function warn(io: Io, faults: readonly string[], outcome: string): void {
  for (const fault of faults) io.err(io.asTyped(`${fault}; ${outcome}.\n`));
}

const entries = (count: number): string =>
  count === 1 ? '1 entry' : `${count.toLocaleString('en-GB')} entries`;

const subCommands = new Map<string, SubCommand>([
  ['backup', backup],
  ['move', move],
  ['restore', restore],
  ['trim', trim],
]);

export const ledger: Command = {
  name: 'ledger',
  help,
  run: (args, io) => runSubCommand({ name: 'ledger', help }, subCommands, args, io),
};
