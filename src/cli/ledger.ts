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

const help = `domesday ledger: backs up, restores, moves and trims the ledger.

Usage: domesday ledger backup FILE
       domesday ledger restore FILE [--other-ledger] [--broken-journal]
       domesday ledger move FROM TO | --undo PLACE
       domesday ledger trim --before DATE | --keep-days N [--yes]

The ledger has accounts, keys and every charge. While a service runs, its newest charges are in files beside
ledger.sqlite. If you copy that file alone, or put an older one over it, you lose charges. These commands handle all of the
files. A home that had a ledger never makes a new one by itself. With DATABASE_URL, the ledger is in that database. A backup
is the same kind of file in both cases, and you can restore it into either.

  backup   writes a complete copy of the ledger to FILE. It checks the copy before it gives it that name. It works while the
           service runs, and never overwrites a file. If a journal breaks, it copies it as it is and says so.
  restore  makes FILE the ledger of this home. The home folder must exist. Stop the service first. The command checks FILE,
           with the chain of every journal, before it changes anything. It moves the old ledger into its own folder in the
           home and never deletes it. Then it says how many entries and credits the old ledger had that the backup lacks.
           In a database, all of it is one transaction, and the old ledger stays as a schema domesday_before_….
             --other-ledger    restore even a backup of a ledger that this home did not have
             --broken-journal  restore even a backup in which a journal breaks or something contradicts it
${moveHelp}
${trimHelp}

Options of all:
  --home DIR   home folder (environment DOMESDAY_HOME, default ./var)
  --json       print JSON
  -h, --help   print this help

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
      'Its journals were not checked, because the ledger has the format of an older version. The next start updates it.\n',
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
    return `The backup lacks ${entries(missing.entries)} that the old ledger had; charges among them took ${counted(missing.credits, 'credit')}.\n`;
  }
  return before === 'none'
    ? 'The home had no ledger left to compare the backup with.\n'
    : 'The old ledger cannot be read, so we cannot tell what the backup lacks.\n';
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
