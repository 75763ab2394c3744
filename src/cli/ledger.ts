// `domesday ledger`: looks after the ledger as a whole: copies, the way back from one, moving it, and retention.

import path from 'node:path';
import { readSettings } from '../config.ts';
import type { DatabasePlace, FilePlace, Moved } from '../ledger/moving/move.ts';
import { databaseFile } from '../ledger/open.ts';
import { keptDays } from '../ledger/retention.ts';
import { backUpLedger, restoreLedger } from '../ledger/sqlite/keeping/backup.ts';
import { type Figures, sayUnsound } from '../ledger/sqlite/keeping/copies.ts';
import { type Lock, takeLock } from '../lock.ts';
import { dayMs } from '../time.ts';
import {
  type Command,
  CommandRefused,
  counted,
  countedAccounts,
  formatTime,
  type Io,
  ledgerOptions,
  printJson,
  readArgs,
  readPositionals,
  readWhole,
  runSubCommand,
  type SubCommand,
  tellTo,
  WrongUsage,
} from './command.ts';
import { lookAt, requireHome } from './home.ts';
import { withOperator } from './operator.ts';

// `domesday ledger move`: a ledger goes from a home into a database, or back.

const moveHelp = `  move     copies the ledger from FROM to TO and checks the copy: every count and sum, and the chain of every journal. Then it
           marks FROM as moved: FROM keeps everything, refuses to serve, and says where the ledger went. One of FROM and TO
           is a home folder (or its domesday.sqlite), the other a database. For a database, write DATABASE_URL to use the
           address in the environment, which keeps the password out of the process list, or give a postgres:// address.
           Stop every service on either first. TO must not have a ledger, except one that was moved away from there. If the
           command stops half way, either the ledger of FROM or the copy is complete; run the same command again.
             --undo PLACE    use the ledger that was moved from PLACE again, as it was then, if TO is lost`;

type Place = FilePlace | DatabasePlace;

const move: SubCommand = async (args, io) => {
  const { values, positionals } = readArgs(args, { ...ledgerOptions, undo: { type: 'string' } });
  if (values.undo !== undefined) {
    readPositionals(positionals, []);
    return undo(io, readPlace(io, values.undo), values.json === true ? 'json' : 'text');
  }
  const [from, to] = readPositionals(positionals, ['FROM', 'TO']);
  return moveTo(io, readPlace(io, from), readPlace(io, to), values.json === true ? 'json' : 'text');
};

async function moveTo(io: Io, from: Place, to: Place, form: 'json' | 'text'): Promise<void> {
  const { moveToDatabase, moveToFile, placeName } = await import('../ledger/moving/move.ts');
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
  const { placeName, undoMove } = await import('../ledger/moving/move.ts');
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
  const home = path.basename(word) === 'domesday.sqlite' ? path.dirname(word) : word;
  return { kind: 'file', ledger: path.resolve(databaseFile(home)) };
}

// The lock of a home, for commands that must not meet a service on it.

/** Also where the ledger itself was removed under the service, so that nobody seems to use it. A home that is not there is
 *  more often a slip of typing than meant. */
function takeHome(home: string, then: 'move' | 'restore'): Lock {
  if (lookAt(home) === 'absent') {
    throw new CommandRefused(
      `There is no folder ${home}; name the right home with ${then === 'move' ? 'FROM or TO' : 'DOMESDAY_HOME or --home'}, or make a new one first: mkdir ${home}`,
    );
  }
  const lock = takeLock(path.join(home, 'service.lock'));
  if (lock !== 'taken') return lock;
  throw new CommandRefused(`A service runs on ${home}; stop it, then ${then} again.`);
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

// `domesday ledger trim`: retention. Old entries of each journal give way to one that says what they came to.

const trimHelp = `  trim     replaces the entries before DATE (YYYY-MM-DD, UTC) in every journal by one closing entry. It says how many entries
           there were, what they added up to, and where the chain continues. Balances and usage stay. Who called what and
           when is lost for good. The command always keeps the entries of the last 62 days. It works while the service
           runs. If it stops half way, everything is correct and you can run it again. The file does not shrink: its space
           is used for new entries.
             --before DATE   trim the entries before this date
             --keep-days N   trim the entries older than N days (at least 62), for a daily timer
             --yes           do it; without this, the command only says what it would do`;

const trim: SubCommand = async (args, io) => {
  const { values, positionals } = readArgs(args, {
    ...ledgerOptions,
    before: { type: 'string' },
    'keep-days': { type: 'string' },
    yes: { type: 'boolean' },
  });
  readPositionals(positionals, []);
  const before = readBefore(values.before, values['keep-days'], io.now());
  const beforeMs = readDay(before);
  await withOperator(io, { home: values.home, ifMissing: 'refuse' }, async ({ journals }) => {
    const wanted = { beforeMs, atMs: io.now() };
    const isDone = values.yes === true;
    const { accounts, entries } = isDone ? await journals.trim(wanted) : await journals.planTrim(wanted);
    if (values.json) return printJson(io, { done: isDone, entries, accounts });
    if (entries === 0) return io.out(`There are no entries before ${before} to trim.\n`);
    const what = `${counted(entries, 'entry', 'entries')} in ${counted(accounts, 'journal')}`;
    io.out(
      isDone
        ? `Replaced ${what} by one closing entry each.\n`
        : `This would replace ${what} by one closing entry each. Nothing was changed; add --yes to do it.\n`,
    );
  });
};

function readBefore(before: string | undefined, keepDays: string | undefined, atMs: number): string {
  if (keepDays === undefined) {
    if (before !== undefined) return before;
    throw new WrongUsage('Say what to trim: --before DATE or --keep-days N is missing.');
  }
  if (before !== undefined) throw new WrongUsage('Give --before or --keep-days, not both.');
  return new Date(atMs - readWhole(keepDays, '--keep-days', keptDays) * dayMs).toISOString().slice(0, 10);
}

function readDay(text: string): number {
  const atMs = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(atMs) || new Date(atMs).toISOString().slice(0, 10) !== text) {
    throw new WrongUsage(`--before is "${text}"; it must be a date such as 2026-01-31.`);
  }
  return atMs;
}

const help = `domesday ledger: backs up, restores, moves and trims the ledger.

Usage: domesday ledger backup FILE
       domesday ledger restore FILE [--other-ledger] [--broken-journal]
       domesday ledger move FROM TO | --undo PLACE
       domesday ledger trim --before DATE | --keep-days N [--yes]

The ledger has accounts, keys and every charge. While a service runs, its newest charges are in files beside
domesday.sqlite. If you copy that file alone, or put an older one over it, you lose charges. These commands handle all of the
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
  return backUpLedger(databaseFile(home), file, io.now());
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
  const ledger = path.resolve(databaseFile(home));
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
