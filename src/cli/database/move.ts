// `domesday move`: everything goes from a home into a database, or back.

import path from 'node:path';
import { readSettings } from '../../config.ts';
import type { DatabasePlace, FilePlace, Moved } from '../../ledger/moving/move.ts';
import { databaseFile } from '../../ledger/open.ts';
import {
  type Command,
  CommandRefused,
  counted,
  countedAccounts,
  formatCount,
  type Io,
  ledgerOptions,
  printJson,
  readArgs,
  readPositionals,
  tellTo,
  WrongUsage,
} from '../command.ts';
import { takeHome } from '../home.ts';

const help = `domesday move: moves everything between a home and a database.

Usage: domesday move FROM TO
       domesday move --undo PLACE

It copies accounts, keys, charges and people from FROM to TO and checks the copy: every count and sum of every table, and the chain
of every journal. Then it marks FROM as moved: FROM keeps everything, refuses to serve, and says where it went. One of FROM and TO
is a home folder (or its domesday.sqlite), the other a database. For a database, write DATABASE_URL to use the address in the
environment, which keeps the password out of the process list, or give a postgres:// address. Stop every service on either first.
TO must be empty, except for what was moved away from there. If the command stops half way, either FROM or the copy is complete; run
the same command again. The last requests of accounts are not moved: they may be lost.

Options:
  --undo PLACE   use what was moved from PLACE again, as it was then, if TO is lost
  --json         print JSON
  -h, --help     print this help

Examples:
  DATABASE_URL=postgres://… domesday move ./var DATABASE_URL
  DATABASE_URL=postgres://… domesday move DATABASE_URL ./var

Exit status: 0 done, 1 refused, 2 wrong usage.
`;

type Place = FilePlace | DatabasePlace;

async function runMove(args: readonly string[], io: Io): Promise<void> {
  const { values, positionals } = readArgs(args, { ...ledgerOptions, undo: { type: 'string' } });
  if (values.help === true) return io.out(help);
  if (values.undo !== undefined) {
    readPositionals(positionals, []);
    return undo(io, readPlace(io, values.undo), values.json === true ? 'json' : 'text');
  }
  const [from, to] = readPositionals(positionals, ['FROM', 'TO']);
  return moveTo(io, readPlace(io, from), readPlace(io, to), values.json === true ? 'json' : 'text');
}

async function moveTo(io: Io, from: Place, to: Place, form: 'json' | 'text'): Promise<void> {
  const { moveToDatabase, moveToFile, placeName } = await import('../../ledger/moving/move.ts');
  const wish = { atMs: io.now(), tell: tellTo(io) };
  const work = async (): Promise<Moved> => {
    if (from.kind === 'file' && to.kind === 'database')
      return withHome(from, () => moveToDatabase(from, to, wish));
    if (from.kind === 'database' && to.kind === 'file') return withHome(to, () => moveToFile(from, to, wish));
    throw new WrongUsage('One of FROM and TO must be a home folder, and the other a database.');
  };
  const moved = await work();
  if (form === 'json') return printJson(io, { from: placeName(from), to: placeName(to), ...moved });
  const { customers, accounts, entries, aside, tables } = moved;
  io.out(
    `Moved to ${placeName(to)}: ${countedAccounts(customers, accounts)}, ${counted(entries, 'entry', 'entries')}. The copy was checked.\n`,
  );
  for (const [table, rows] of Object.entries(tables ?? {}))
    io.out(`  ${table.padEnd(28)} ${formatCount(rows)} before, ${formatCount(rows)} after\n`);
  if (aside !== null) io.out(`What was there before is now in ${aside}.\n`);
  const next =
    to.kind === 'database'
      ? 'Start every service with DATABASE_URL set.'
      : 'Start the service without DATABASE_URL.';
  io.out(`What was in ${placeName(from)} is marked as moved and refuses to serve. ${next}\n`);
}

async function undo(io: Io, place: Place, form: 'json' | 'text'): Promise<void> {
  const { placeName, undoMove } = await import('../../ledger/moving/move.ts');
  const work = () => undoMove(place, tellTo(io));
  const mark = await (place.kind === 'file' ? withHome(place, work) : work());
  if (form === 'json') return printJson(io, { place: placeName(place), wasMovedTo: mark.place });
  io.out(
    `What is in ${placeName(place)} is in use again, as it was before the move. It lacks what was charged or changed at ${mark.place} since then; make sure that no service runs there any more.\n`,
  );
}

/** What other hands see of a command is its words, so that an address with a password had better be in the environment. */
function readPlace(io: Io, word: string): Place {
  if (word === 'DATABASE_URL') {
    const { databaseUrl } = readSettings(io.env, {});
    if (databaseUrl !== undefined) return { kind: 'database', url: databaseUrl };
    throw new CommandRefused('DATABASE_URL is not set; set it to the address of the database.');
  }
  if (/^postgres(ql)?:/.test(word)) return { kind: 'database', url: word };
  const home = path.basename(word) === 'domesday.sqlite' ? path.dirname(word) : word;
  return { kind: 'file', ledger: path.resolve(databaseFile(home)) };
}

/** Nobody else serves on it meanwhile. */
async function withHome<T>({ ledger }: FilePlace, work: () => Promise<T>): Promise<T> {
  const lock = await takeHome(path.dirname(ledger), 'move');
  try {
    return await work();
  } finally {
    lock.release();
  }
}

export const move: Command = { name: 'move', help, run: runMove };
