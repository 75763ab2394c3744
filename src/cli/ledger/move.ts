// `domesday ledger move`: a ledger goes from a home into a database, or back.

import path from 'node:path';
import { readSettings } from '../../config.ts';
import type { DatabasePlace, FilePlace, Moved } from '../../ledger/moving/move.ts';
import { ledgerFile } from '../../ledger/open.ts';
import { CommandRefused, type Io, printJson, readArgs, tellTo, WrongUsage } from '../command.ts';
import { counted, countedAccounts, ledgerOptions, readPositionals, type SubCommand } from '../ledger-home.ts';
import { takeHome } from './home-lock.ts';

export const moveHelp = `  move     copies the ledger from FROM to TO and checks the copy: every count and sum, and the chain of every journal. Then it
           marks FROM as moved: FROM keeps everything, refuses to serve, and says where the ledger went. One of FROM and TO
           is a home folder (or its ledger.sqlite), the other a database. For a database, write DATABASE_URL to use the
           address in the environment, which keeps the password out of the process list, or give a postgres:// address.
           Stop every service on either first. TO must not have a ledger, except one that was moved away from there. If the
           command stops half way, either the ledger of FROM or the copy is complete; run the same command again.
             --undo PLACE    use the ledger that was moved from PLACE again, as it was then, if TO is lost`;

type Place = FilePlace | DatabasePlace;

export const move: SubCommand = async (args, io) => {
  const { values, positionals } = readArgs(args, { ...ledgerOptions, undo: { type: 'string' } });
  if (values.undo !== undefined) {
    readPositionals(positionals, []);
    return undo(io, readPlace(io, values.undo), values.json === true ? 'json' : 'text');
  }
  const [from, to] = readPositionals(positionals, ['FROM', 'TO']);
  return moveTo(io, readPlace(io, from), readPlace(io, to), values.json === true ? 'json' : 'text');
};

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
  const { customers, accounts, entries, aside } = moved;
  io.out(
    `Moved to ${placeName(to)}: ${countedAccounts(customers, accounts)}, ${counted(entries, 'entry', 'entries')}. The copy was checked.\n`,
  );
  if (aside !== null) io.out(`What was there before is now in ${aside}.\n`);
  const next =
    to.kind === 'database'
      ? 'Start every service with DATABASE_URL set.'
      : 'Start the service without DATABASE_URL.';
  io.out(`The ledger of ${placeName(from)} is marked as moved and refuses to serve. ${next}\n`);
}

async function undo(io: Io, place: Place, form: 'json' | 'text'): Promise<void> {
  const { placeName, undoMove } = await import('../../ledger/moving/move.ts');
  const work = () => undoMove(place, tellTo(io));
  const mark = await (place.kind === 'file' ? withHome(place, work) : work());
  if (form === 'json') return printJson(io, { place: placeName(place), wasMovedTo: mark.place });
  io.out(
    `The ledger of ${placeName(place)} is in use again, as it was before the move. It lacks what was charged or changed at ${mark.place} since then; make sure that no service runs there any more.\n`,
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
  const home = path.basename(word) === 'ledger.sqlite' ? path.dirname(word) : word;
  return { kind: 'file', ledger: path.resolve(ledgerFile(home)) };
}

/** Nobody else serves on it meanwhile. */
async function withHome<T>({ ledger }: FilePlace, work: () => Promise<T>): Promise<T> {
  const lock = takeHome(path.dirname(ledger), 'move');
  try {
    return await work();
  } finally {
    lock.release();
  }
}
