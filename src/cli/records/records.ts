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

const help = `domesday records: copies the records: people, sessions, audit and the last requests.

Usage: domesday records backup FILE

  backup   writes a whole copy of records.sqlite to FILE. Works while the service runs. A file that is there is not
           overwritten. To go back to it: stop the service, copy FILE over records.sqlite in the home, and start it. With
           DATABASE_URL set the records are in that database, and are backed up with it.

Options:
  --home DIR   home folder (environment DOMESDAY_HOME, default ./var)
  --json       print JSON
  -h, --help   this text

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
      'The records are in the database of DATABASE_URL; back that up, such as with pg_basebackup (docs/self-hosting.md).',
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
  else io.out(`${file}: a whole copy of the records.\n`);
};

export const records: Command = {
  name: 'records',
  help,
  run: (args, io) => runSubCommand({ name: 'records', help }, new Map([['backup', backup]]), args, io),
};
