// `domesday records`: a copy of the file that has people, sessions and requests.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { readSettings } from '../../config.ts';
import { recordsFile } from '../../records/open.ts';
import { RecordsUnavailable } from '../../records/records.ts';
import { backUpFile } from '../../records/sqlite/standing.ts';
import { type Command, CommandRefused, printJson, readArgs } from '../command.ts';
import { requireHome } from '../home.ts';
import { ledgerOptions, readPositionals, runSubCommand, type SubCommand } from '../ledger-home.ts';

const help = `domesday records: copies the records: people, sessions, the audit log and the last requests.

Usage: domesday records backup FILE

  backup   writes a complete copy of records.sqlite to FILE. It works while the service runs, and never overwrites a file.
           To go back to the copy: stop the service, copy FILE over records.sqlite in the home folder, and start the
           service. With DATABASE_URL, the records are in that database; back up the database instead.

Options:
  --home DIR   home folder (environment DOMESDAY_HOME, default ./var)
  --json       print JSON
  -h, --help   print this help

Example:
  domesday records backup /backups/records-2027-01-31.sqlite

Exit status: 0 done, 1 refused, 2 wrong usage.
`;

const backup: SubCommand = async (args, io) => {
  const { values, positionals } = readArgs(args, ledgerOptions);
  const [name] = readPositionals(positionals, ['FILE']);
  const { home, databaseUrl } = readSettings(io.env, { home: values.home });
  if (databaseUrl !== undefined) {
    throw new CommandRefused(
      'The records are in the database of DATABASE_URL; back up the database, for example with pg_basebackup (docs/self-hosting.md).',
    );
  }
  requireHome(home);
  if (!existsSync(recordsFile(home))) {
    throw new CommandRefused('The home has no records yet; the first call or sign-in makes them.');
  }
  const file = path.resolve(name);
  try {
    backUpFile(recordsFile(home), file);
  } catch (error) {
    if (!(error instanceof RecordsUnavailable)) throw error;
    throw new CommandRefused(error.message, { cause: error });
  }
  if (values.json) printJson(io, { file });
  else io.out(`${file}: a complete copy of the records.\n`);
};

export const records: Command = {
  name: 'records',
  help,
  run: (args, io) => runSubCommand({ name: 'records', help }, new Map([['backup', backup]]), args, io),
};
