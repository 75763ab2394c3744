// `domesday ledger`: looks after the ledger as a whole.

import type { Command } from './command.ts';
import { trim, trimHelp } from './ledger/trim.ts';
import { runSubCommand, type SubCommand } from './ledger-home.ts';

const help = `domesday ledger: looks after the ledger as a whole.

Usage: domesday ledger trim --before DATE [--yes]

${trimHelp}

Options of all:
  --home DIR        home folder (environment DOMESDAY_HOME, default ./var)
  --json            print JSON
  -h, --help        this text

Exit status: 0 done, 1 refused, 2 wrong usage.
`;

const subCommands = new Map<string, SubCommand>([['trim', trim]]);

export const ledger: Command = {
  name: 'ledger',
  help,
  run: (args, io) => runSubCommand({ name: 'ledger', help }, subCommands, args, io),
};
