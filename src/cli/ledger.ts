// `domesday ledger`: looks after the ledger as a whole: copies, the way back from one, and retention.

import path from 'node:path';
import { readSettings } from '../config.ts';
import { ledgerFile } from '../ledger/open.ts';
import { backUpLedger, restoreLedger, sayUnsound } from '../ledger/sqlite/keeping/backup.ts';
import { type Lock, takeLock } from '../lock.ts';
import { type Command, CommandRefused, type Io, printJson, readArgs } from './command.ts';
import { lookAt, requireHome } from './home.ts';
import { trim, trimHelp } from './ledger/trim.ts';
import {
  counted,
  countedAccounts,
  ledgerOptions,
  readPositionals,
  runSubCommand,
  type SubCommand,
} from './ledger-home.ts';

const help = `domesday ledger: backs the ledger up, restores it, and trims old entries.

Usage: domesday ledger backup FILE
       domesday ledger restore FILE [--other-ledger] [--broken-journal]
       domesday ledger trim --before DATE [--yes]

The ledger has accounts, keys and every charge. While a service runs, its newest charges stand in files beside
ledger.sqlite, so that copying that file alone, or putting an older one over it, loses charges. These commands take
care of all of them. A home that had a ledger never makes a new one by itself.

  backup   writes a whole copy of the ledger to FILE, checks it, and only then gives it that name. Works while the
           service runs. A file that is there is not overwritten. A journal that breaks is copied as it is, and told.
  restore  makes FILE the ledger of this home, whose folder must be there. Stop the service first. FILE is checked,
           with the chain of every journal, before anything is changed; the ledger that was there is moved into a
           folder of its own in the home, never deleted; and it is told how many entries and credits it had that
           the backup has not.
             --other-ledger    also take a backup of another ledger than the one this home had
             --broken-journal  also take a backup in which a journal breaks or something contradicts it
${trimHelp}

Options of all:
  --home DIR   home folder (environment DOMESDAY_HOME, default ./var)
  --json       print JSON
  -h, --help   this text

Examples:
  domesday ledger backup /backups/ledger-2027-01-31.sqlite
  domesday ledger restore /backups/ledger-2027-01-31.sqlite

Exit status: 0 done, 1 refused, 2 wrong usage.
`;

const backup: SubCommand = async (args, io) => {
  const { values, positionals } = readArgs(args, ledgerOptions);
  const [file] = readPositionals(positionals, ['FILE']);
  const home = readFileHome(io, values.home);
  requireHome(home);
  const made = backUpLedger(ledgerFile(home), path.resolve(file), io.now());
  const { unsound, ...figures } = made;
  if (unsound !== null) warn(io, sayUnsound(unsound), 'it was copied as it is; see `domesday check`');
  if (values.json)
    return printJson(io, {
      ...figures,
      breaks: unsound?.breaks ?? null,
      different: unsound?.different ?? null,
      contradictions: unsound?.contradictions ?? null,
    });
  io.out(`${made.file}: ${countedAccounts(made.customers, made.accounts)}, ${entries(made.entries)}.\n`);
  if (unsound === null) {
    io.out(
      'Its journals were not followed: it is of an older version, which the next start brings up to date.\n',
    );
  }
};

const restore: SubCommand = async (args, io) => {
  const { values, positionals } = readArgs(args, {
    ...ledgerOptions,
    'other-ledger': { type: 'boolean' },
    'broken-journal': { type: 'boolean' },
  });
  const [file] = readPositionals(positionals, ['FILE']);
  const home = readFileHome(io, values.home);
  const ledger = path.resolve(ledgerFile(home));
  const lock = takeHome(home);
  try {
    const { unsound, ...restored } = restoreLedger({
      ledger,
      file: path.resolve(file),
      otherLedger: values['other-ledger'] === true ? 'take' : 'refuse',
      brokenJournal: values['broken-journal'] === true ? 'take' : 'refuse',
      atMs: io.now(),
    });
    warn(io, sayUnsound(unsound), 'it was restored as it is');
    if (values.json) return printJson(io, { ledger, ...restored, ...unsound });
    io.out(
      `Restored to ${ledger}: ${countedAccounts(restored.customers, restored.accounts)}, ${entries(restored.entries)}.\n`,
    );
    if (restored.movedTo === null) return;
    io.out(`What was there before is in ${restored.movedTo}.\n`);
    io.out(sayMissing(restored));
  } finally {
    lock.release();
  }
};

/** Both work on the file in a home. */
function readFileHome(io: Io, flag: string | undefined): string {
  const { home, databaseUrl } = readSettings(io.env, { home: flag });
  if (databaseUrl === undefined) return home;
  throw new CommandRefused(
    'The ledger is in the database of DATABASE_URL, and this is for one that is a file in the home; back the database up and restore it by its own tools, or unset DATABASE_URL if the file is meant.',
  );
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

/** Also where the ledger itself was removed under the service, so that nobody seems to use it. A home that is not there is
 *  more often a slip of typing than meant. */
function takeHome(home: string): Lock {
  if (lookAt(home) === 'absent') {
    throw new CommandRefused(
      `There is no folder ${home}; name the right home with DOMESDAY_HOME or --home, or, if a new one is meant, make it first: mkdir ${home}`,
    );
  }
  const lock = takeLock(path.join(home, 'service.lock'));
  if (lock !== 'taken') return lock;
  throw new CommandRefused(`A service runs on ${home}; stop it, then restore again.`);
}

function warn(io: Io, faults: readonly string[], outcome: string): void {
  for (const fault of faults) io.err(io.asTyped(`${fault}; ${outcome}.\n`));
}

const entries = (count: number): string =>
  count === 1 ? '1 entry' : `${count.toLocaleString('en-GB')} entries`;

const subCommands = new Map<string, SubCommand>([
  ['backup', backup],
  ['restore', restore],
  ['trim', trim],
]);

export const ledger: Command = {
  name: 'ledger',
  help,
  run: (args, io) => runSubCommand({ name: 'ledger', help }, subCommands, args, io),
};
