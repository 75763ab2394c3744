// `domesday ledger`: looks after the ledger as a whole: copies, the way back from one, and retention.

import path from 'node:path';
import { readSettings } from '../config.ts';
import { ledgerFile } from '../ledger/open.ts';
import { backUpLedger, restoreLedger } from '../ledger/sqlite/keeping/backup.ts';
import { type Command, printJson, readArgs } from './command.ts';
import { requireHome } from './home.ts';
import { trim, trimHelp } from './ledger/trim.ts';
import { counted, ledgerOptions, readPositionals, runSubCommand, type SubCommand } from './ledger-home.ts';

const help = `domesday ledger: backs the ledger up, restores it, and trims old entries.

Usage: domesday ledger backup FILE
       domesday ledger restore FILE [--other-ledger]
       domesday ledger trim --before DATE [--yes]

The ledger has accounts, keys and every charge. While a service runs, its newest charges stand in files beside
ledger.sqlite, so that copying that file alone, or putting an older one over it, loses charges. These commands take
care of all of them. A home that had a ledger never makes a new one by itself.

  backup   writes a whole copy of the ledger to FILE, checks it, and only then gives it that name. Works while the
           service runs. A file that is there is not overwritten.
  restore  makes FILE the ledger of this home. Stop the service first. FILE is checked before anything is changed;
           the ledger that was there is moved into a folder of its own in the home, never deleted; and it is told
           how many entries and credits it had that the backup has not.
             --other-ledger    also take a backup of another ledger than the one this home had
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
  const { home } = readSettings(io.env, { home: values.home });
  requireHome(home);
  const made = backUpLedger(ledgerFile(home), path.resolve(file), io.now());
  if (values.json) return printJson(io, made);
  io.out(`${made.file}: ${counted(made.accounts, 'account')}, ${entries(made.entries)}.\n`);
};

const restore: SubCommand = async (args, io) => {
  const { values, positionals } = readArgs(args, { ...ledgerOptions, 'other-ledger': { type: 'boolean' } });
  const [file] = readPositionals(positionals, ['FILE']);
  const { home } = readSettings(io.env, { home: values.home });
  const restored = restoreLedger({
    ledger: ledgerFile(home),
    file: path.resolve(file),
    otherLedger: values['other-ledger'] === true ? 'take' : 'refuse',
    atMs: io.now(),
  });
  if (values.json) return printJson(io, restored);
  io.out(`Restored: ${counted(restored.accounts, 'account')}, ${entries(restored.entries)}.\n`);
  if (restored.movedTo === null) return;
  io.out(`What was there before is in ${restored.movedTo}.\n`);
  io.out(
    restored.missing === null
      ? 'It cannot be read, so that nobody can tell what the backup lacks.\n'
      : `The backup lacks ${entries(restored.missing.entries)} of it; charges among them took ${counted(restored.missing.credits, 'credit')}.\n`,
  );
};

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
