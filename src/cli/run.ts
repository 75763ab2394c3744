// One `domesday` command from its words to its exit status: finds the command, runs it, turns its refusals into one line each.

import { realpathSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { BadSetting, settings } from '../config.ts';
import { ServiceUnreachable } from '../control/client.ts';
import { CallFailed } from '../control/wire.ts';
import { DepotFault } from '../depot/fault.ts';
import { errorCode } from '../errno.ts';
import { LedgerRefusal, LedgerUnavailable } from '../ledger/ledger.ts';
import { shellWord } from '../ledger/restore-command.ts';
import { isPackaged } from '../packaged.ts';
import { ReleaseDamaged } from '../release/reader.ts';
import { HomeBusy, NoSuchRelease } from '../release/store.ts';
import { visibleLines } from '../visible.ts';
import { CommandRefused, type Io, PartlyDone, WrongUsage } from './command.ts';
import { commands, findCommand } from './index.ts';
import { didYouMean } from './nearest.ts';
import { redrawing } from './progress-line.ts';
import { version } from './version.ts';

const help = `Domesday ${version}: UK property data from official open sources, metered by API key.

Usage: domesday COMMAND [OPTIONS]

Commands:
${commands.map(({ name, summary }) => `  ${name.padEnd(10)} ${summary}`).join('\n')}

For help with one command: domesday help COMMAND, or domesday COMMAND --help. For the version: domesday --version.
Exit status: 0 done, 1 refused or failed (one line on standard error), 2 wrong usage, 3 done in part (update alone).
`;

/** What others wrote (names of files, contents) is shown, and never obeyed by the terminal. */
function shown(text: string): string {
  const ours = redrawing.exec(text)?.[0] ?? '';
  return `${ours}${visibleLines(text.slice(ours.length))}`;
}

/** What a process has and a test makes up. */
type Surroundings = {
  readonly env: Io['env'];
  readonly out: Io['out'];
  readonly err: Io['err'];
  /** Whether standard error is a terminal. */
  readonly isTerminal: boolean;
  readonly now: () => number;
  /** Where the command was typed. */
  readonly folder: string;
};

// Commands in messages, as their reader has to type them. Every room writes a command between backticks, `domesday check`;
// only here is it known how this program was started, and on which home.

type Start = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly args: readonly string[];
  /** Where it was typed. */
  readonly folder: string;
};

const program = path.join(import.meta.dirname, '../../bin/domesday.js');

function asTyped(text: string, start: Start): string {
  return text.replace(/`domesday ([^`]+)`/g, (_, words: string) => {
    const home = /^(?:help|releases keygen)\b|--(?:help|home)\b/.test(words) ? '' : homeOption(start);
    return `\`${programWords(start)} ${words}${home}\``;
  });
}

function programWords({ env, folder }: Start): string {
  // A bare npx would run whatever has that name elsewhere.
  if (isPackaged && isOurs(path.join(folder, 'node_modules/.bin/domesday'))) return 'npx --no domesday';
  // npm puts folders of its own before the PATH that the reader has.
  if (
    !isPackaged &&
    (env.npm_lifecycle_event !== undefined || folder === path.dirname(path.dirname(program)))
  )
    return 'npx domesday';
  const isInstalled = (env.PATH ?? '')
    .split(path.delimiter)
    .some((place) => isOurs(path.join(place, 'domesday')));
  return isInstalled ? 'domesday' : `node ${shellWord(program)}`;
}

function isOurs(file: string): boolean {
  try {
    return realpathSync(file) === realpathSync(program);
  } catch (error) {
    if (errorCode(error) !== undefined) return false;
    throw error;
  }
}

function homeOption({ env, args }: Start): string {
  const options = { [settings.home.flag]: { type: 'string' } } as const;
  const { values } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true });
  const given = values[settings.home.flag] ?? env[settings.home.env];
  return typeof given === 'string' && given !== '' ? ` --${settings.home.flag} ${shellWord(given)}` : '';
}

/** Answers the exit status: 0 done, 1 refused or failed, 2 wrong usage, 3 done in part. What is a fault of the program is thrown. */
export function run(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { env, out, err, isTerminal, now, folder } = surroundings;
  return runCommand(args, {
    env,
    out: (text) => out(shown(text)),
    err: (text) => err(shown(text)),
    isTerminal,
    now,
    asTyped: (text) => asTyped(text, { env, args, folder }),
  });
}

async function runCommand([name, ...args]: readonly string[], io: Io): Promise<number> {
  const [about, ...others] = args;
  if (name === 'help' && about !== undefined && !about.startsWith('-')) {
    const words = others.filter((word) => !word.startsWith('-'));
    const complaint = await complaintAbout(about, words);
    if (complaint === undefined) return runCommand([about, '--help'], io);
    io.err(io.asTyped(`${complaint}\n`));
    return 2;
  }
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
    const names = commands.map((entry) => entry.name);
    const meant = didYouMean(name, [...names, 'help', '--version']);
    const list = `Commands: ${names.join(', ')}.`;
    io.err(`There is no command "${name}".${meant} ${list} ${io.asTyped('See: `domesday help`')}\n`);
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
    if (error instanceof WrongUsage || (error instanceof BadSetting && error.given === 'flag')) {
      io.err(io.asTyped(`${error.message} See: \`domesday ${name} --help\`\n`));
      return 2;
    }
    if (error instanceof PartlyDone) {
      io.err(`${error.message}\n`);
      return 3;
    }
    const refusal = systemRefusal(error);
    if (refusal !== undefined) {
      io.err(`${refusal}\n`);
      return 1;
    }
    if (isForTheOperator(error)) {
      io.err(io.asTyped(`${error.message}\n`));
      return 1;
    }
    throw error;
  }
}

/** Why there is no help with that; undefined where there is, or where the command itself is unknown. */
async function complaintAbout(about: string, [word, extra]: readonly string[]): Promise<string | undefined> {
  const command = await findCommand(about);
  if (command === undefined || word === undefined) return undefined;
  const usage = new RegExp(`^(?:Usage:)? +domesday ${command.name} \\[?([a-z]+)`, 'gm');
  const known = [...command.help.matchAll(usage)].map(([, name = '']) => name);
  if (!known.includes(word))
    return `${about} has no "${word}".${didYouMean(word, known)} See: \`domesday ${about} --help\``;
  return extra === undefined ? undefined : `"${extra}" is one argument too many. See: \`domesday help\``;
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
    DepotFault,
    ServiceUnreachable,
    CallFailed,
  ].some((kind) => error instanceof kind);
}

/** What the operating system refuses, wherever it is met, is the operator's to put right. */
function systemRefusal(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) return undefined;
  const place = 'path' in error ? String(error.path) : 'a file';
  switch (error.code) {
    case 'EACCES':
    case 'EPERM':
      return `This user may not use ${place}; correct its permissions, or choose another home with DOMESDAY_HOME or --home.`;
    case 'EROFS':
      return `Cannot write ${place}: the file system is read-only; choose another home with DOMESDAY_HOME or --home.`;
    case 'ENOSPC':
      return `Cannot write ${place}: the disk is full; free some space and try again.`;
    default:
      return undefined;
  }
}
