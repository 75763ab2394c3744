// `domesday`: finds the command, runs it, turns its refusals into exit status 1 or 2 and one line each.

import { BadSetting } from '../config.ts';
import { LedgerRefusal, LedgerUnavailable } from '../ledger/ledger.ts';
import { HomeBusy } from '../release/claim.ts';
import { ReleaseDamaged } from '../release/reader.ts';
import { NoSuchRelease } from '../release/store.ts';
import { CommandRefused, type Io, WrongUsage } from './command.ts';
import { commands, findCommand } from './index.ts';
import { version } from './version.ts';

const help = `Domesday ${version}: UK property data from official open sources, metered by API key.

Usage: domesday COMMAND [OPTIONS]

Commands:
${commands.map(({ name, summary }) => `  ${name.padEnd(10)} ${summary}`).join('\n')}

domesday COMMAND --help tells all about one command.
Exit status: 0 done, 1 refused or failed (one line on standard error), 2 wrong usage.
`;

const io: Io = {
  env: process.env,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  isTerminal: process.stderr.isTTY === true,
  now: Date.now,
};

async function main([name, ...args]: readonly string[]): Promise<number> {
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    io.out(help);
    return name === undefined ? 2 : 0;
  }
  if (name === '--version') {
    io.out(`${version}\n`);
    return 0;
  }
  const command = await findCommand(name);
  if (command === undefined) {
    io.err(`There is no command "${name}". Commands: ${commands.map((entry) => entry.name).join(', ')}.\n`);
    return 2;
  }
  if (args.includes('--help') || args.includes('-h')) {
    io.out(command.help);
    return 0;
  }
  try {
    await command.run(args, io);
    return 0;
  } catch (error) {
    if (error instanceof WrongUsage) {
      io.err(`${error.message} See: domesday ${name} --help\n`);
      return 2;
    }
    if (isForTheOperator(error)) {
      io.err(`${error.message}\n`);
      return 1;
    }
    throw error;
  }
}

function isForTheOperator(error: unknown): error is Error {
  return [
    CommandRefused,
    BadSetting,
    LedgerRefusal,
    LedgerUnavailable,
    ReleaseDamaged,
    NoSuchRelease,
    HomeBusy,
  ].some((kind) => error instanceof kind);
}

// `domesday accounts list | head` closes the pipe early; that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

process.exitCode = await main(process.argv.slice(2));
