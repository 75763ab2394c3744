// `domesday backup` and `domesday restore`: everything that must not be lost, money and people together, as one folder. It has the
// database as one file, the settings that it needs, and a manifest with the hash of each.

import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { readSettings, type Settings, settings } from '../../config.ts';
import { parseJson } from '../../json.ts';
import { LedgerOutdated } from '../../ledger/ledger.ts';
import { databaseFile } from '../../ledger/open.ts';
import { backUpLedger, keepCopy, type Restored, restoreLedger } from '../../ledger/sqlite/keeping/backup.ts';
import { type Backup, type Figures, sayUnsound, sync } from '../../ledger/sqlite/keeping/copies.ts';
import { eraseAgain } from '../../people/persons.ts';
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
  tellTo,
} from '../command.ts';
import { requireHome, takeHome } from '../home.ts';
import { holdHome, withOperator } from '../operator.ts';
import { version } from '../version.ts';

const backupHelp = `domesday backup: copies everything that must not be lost to a folder.

Usage: domesday backup FOLDER

FOLDER must not be there yet. It gets domesday.sqlite (accounts, keys, every charge, people, roles and the audit log, as of one
moment, checked), settings.env (the settings of this command's environment; secrets are named, not copied) and manifest.json (the hash
of each file). It works while the service runs. With DATABASE_URL, it copies the database; the folder is of the same kind, and you can
restore it into a home or into a database. If a journal breaks, it is copied as it is, which the command says. Not in it: data of
publishers, which \`domesday update\` fetches again, and the last requests of accounts, which may be lost.

Options:
  --home DIR   home folder (environment DOMESDAY_HOME, default ./var)
  --json       print JSON
  -h, --help   print this help

Example:
  domesday backup /backups/domesday-2027-01-31

Exit status: 0 done, 1 refused, 2 wrong usage.
`;

const restoreHelp = `domesday restore: puts a backup back.

Usage: domesday restore FOLDER [--other-ledger] [--broken-journal]

FOLDER is what \`domesday backup\` wrote, or what a restore or a service set aside. The home folder must exist. Stop the service
first. The command checks hashes, the file and the chain of every journal before it changes anything. It moves the old file and what
belongs to it into its own folder in the home and never deletes it. Then it says how many entries and credits the old one had that the
backup lacks. Whoever was erased since the backup is erased again, if the old file can still be read. With DATABASE_URL, it restores into
the database, in one transaction, while no service is connected; what was there stays as a schema domesday_before_….

Options:
  --other-ledger    restore even a backup of a ledger that this home did not have
  --broken-journal  restore even a backup in which a journal breaks or something contradicts it
  --home DIR        home folder (environment DOMESDAY_HOME, default ./var)
  --json            print JSON
  -h, --help        print this help

Example:
  domesday restore /backups/domesday-2027-01-31

Exit status: 0 done, 1 refused, 2 wrong usage.
`;

const databaseName = 'domesday.sqlite';
const settingsName = 'settings.env';
const manifestName = 'manifest.json';

async function runBackup(args: readonly string[], io: Io): Promise<void> {
  const { values, positionals } = readArgs(args, ledgerOptions);
  if (values.help === true) return io.out(backupHelp);
  const [name] = readPositionals(positionals, ['FOLDER']);
  const { home, databaseUrl } = readSettings(io.env, { home: values.home });
  if (databaseUrl === undefined) requireHome(home);
  const folder = path.resolve(name);
  if (existsSync(folder)) throw new CommandRefused(`${folder} already exists; name a new folder.`);
  const draft = `${folder}.new-${randomUUID()}`;
  makeDraft(draft);
  try {
    const { unsound, file: _, ...figures } = await copyInto(draft, { home, databaseUrl }, io);
    finish(draft, figures, io);
    renameSync(draft, folder);
    if (process.platform !== 'win32') sync(path.dirname(folder));
    await note(io, values.home);
    if (unsound !== null) warn(io, sayUnsound(unsound), 'it was copied as it is; see `domesday check`');
    if (values.json) return printJson(io, { folder, ...figures, ...unsound });
    io.out(`${folder}: ${sayFigures(figures)}.\n`);
    if (unsound === null) {
      io.out(
        'Its journals were not checked, because the ledger has the format of an older version. The next start updates it.\n',
      );
    }
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function makeDraft(draft: string): void {
  try {
    mkdirSync(draft, { mode: 0o700 });
  } catch (error) {
    throw new CommandRefused(
      `Cannot make a folder in ${path.dirname(draft)}; make that folder first, or correct its permissions.`,
      { cause: error },
    );
  }
}

async function copyInto(
  draft: string,
  { home, databaseUrl }: Pick<Settings, 'home' | 'databaseUrl'>,
  io: Io,
): Promise<Backup> {
  const file = path.join(draft, databaseName);
  if (databaseUrl === undefined) return copyHome(home, file, io.now());
  const { backUpDatabase } = await import('../../ledger/moving/backup.ts');
  return backUpDatabase(databaseUrl, file, io.now(), tellTo(io));
}

/** A service copies what it has open. */
async function copyHome(home: string, file: string, atMs: number): Promise<Backup> {
  const holder = await holdHome(home, 'refuse');
  if (holder !== undefined && 'operator' in holder)
    return keepCopy(holder.operator.copies.database(), file, atMs);
  try {
    return await backUpLedger(databaseFile(home), file, atMs);
  } finally {
    holder?.release();
  }
}

/** In the database, by whoever has it. An older one is left as it is. */
async function note(io: Io, home: string | undefined): Promise<void> {
  try {
    await withOperator(io, { home, ifMissing: 'refuse' }, ({ backups }) => backups.note(io.now()), 'refuse');
  } catch (error) {
    if (!(error instanceof CommandRefused)) throw error;
    if (!(error.cause instanceof LedgerOutdated))
      io.err(`The backup is complete, but nothing but its folder tells of it: ${error.message}\n`);
  }
}

/** The manifest last: a folder that has one is whole. */
function finish(draft: string, made: Figures, io: Io): void {
  write(path.join(draft, settingsName), settingsIn(io.env));
  const files = [databaseName, settingsName].map((name) => ({ name, ...contentOf(path.join(draft, name)) }));
  const { entries, accounts, customers, newest } = made;
  const manifest = {
    format: 'domesday-backup-1',
    madeAt: new Date(io.now()).toISOString(),
    madeBy: version,
    entries,
    accounts,
    customers,
    newest,
    files,
  };
  write(path.join(draft, manifestName), `${JSON.stringify(manifest, null, 2)}\n`);
}

function write(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600, flush: true });
}

function contentOf(file: string): { readonly bytes: number; readonly sha256: string } {
  const sha256 = createHash('sha256');
  const portion = Buffer.alloc(2 ** 20);
  const handle = openSync(file, 'r');
  try {
    for (let bytes = 0; ; ) {
      const read = readSync(handle, portion);
      if (read === 0) return { bytes, sha256: sha256.digest('hex') };
      bytes += read;
      sha256.update(portion.subarray(0, read));
    }
  } finally {
    closeSync(handle);
  }
}

function settingsIn(env: Io['env']): string {
  const lines = Object.values(settings).flatMap((setting) => {
    const value = env[setting.env];
    if (value === undefined || value === '') return [];
    return setting.secrecy === 'secret'
      ? [`# ${setting.env} is a secret: set it again`]
      : [`${setting.env}=${value}`];
  });
  return ['# Settings of the environment that made this backup.', ...lines.toSorted(), ''].join('\n');
}

async function runRestore(args: readonly string[], io: Io): Promise<void> {
  const { values, positionals } = readArgs(args, {
    ...ledgerOptions,
    'other-ledger': { type: 'boolean' },
    'broken-journal': { type: 'boolean' },
  });
  if (values.help === true) return io.out(restoreHelp);
  const [name] = readPositionals(positionals, ['FOLDER']);
  const { home, databaseUrl } = readSettings(io.env, { home: values.home });
  const atMs = io.now();
  const wish = {
    file: fileIn(path.resolve(name)),
    otherLedger: values['other-ledger'] === true ? 'take' : 'refuse',
    brokenJournal: values['broken-journal'] === true ? 'take' : 'refuse',
    atMs,
    eraseAgain: (sql, personIds) => eraseAgain(sql, personIds, atMs),
  } satisfies RestoreWish;
  const { unsound, place, ...restored } =
    databaseUrl === undefined ? await restoreHome(home, wish) : await restoreTo(databaseUrl, wish, io);
  warn(io, sayUnsound(unsound), 'it was restored as it is');
  if (values.json) return printJson(io, { place, ...restored, ...unsound });
  io.out(`Restored to ${place}: ${sayFigures(restored)}.\n`);
  const { erasedAgain, movedTo } = restored;
  if (erasedAgain > 0) {
    io.out(
      `${counted(erasedAgain, 'person', 'people')} that had been erased since the backup were erased again.\n`,
    );
  }
  if (existsSync(path.join(path.resolve(name), settingsName)))
    io.out(`The settings that it was made with are in ${path.join(path.resolve(name), settingsName)}.\n`);
  if (movedTo === null) return;
  io.out(`What was there before is in ${movedTo}.\n`);
  io.out(sayMissing(restored));
}

/** The database in a backup whose files are what its manifest says. What was set aside has no manifest, and is checked as a whole all
 *  the same. */
function fileIn(place: string): string {
  if (statSync(place, { throwIfNoEntry: false })?.isDirectory() !== true) return place;
  const manifest = path.join(place, manifestName);
  if (existsSync(manifest)) {
    for (const { name, sha256 } of filesOf(manifest)) {
      const file = path.join(place, name);
      if (existsSync(file) && contentOf(file).sha256 === sha256) continue;
      throw new CommandRefused(
        `${file} is not what its manifest says; restore another backup. Nothing was changed.`,
      );
    }
  }
  return path.join(place, databaseName);
}

function filesOf(manifest: string): readonly { readonly name: string; readonly sha256: string }[] {
  const read = parseJson(readFileSync(manifest, 'utf8'));
  const files: unknown =
    typeof read === 'object' && read !== null && 'files' in read ? read.files : undefined;
  const known = Array.isArray(files) ? files.filter(isFile) : [];
  if (known.some(({ name }) => name === databaseName)) return known;
  throw new CommandRefused(`${manifest} is no manifest of a backup; restore another. Nothing was changed.`);
}

const isFile = (file: unknown): file is { readonly name: string; readonly sha256: string } =>
  typeof file === 'object' &&
  file !== null &&
  'name' in file &&
  (file.name === databaseName || file.name === settingsName) &&
  'sha256' in file &&
  typeof file.sha256 === 'string';

type RestoreWish = Omit<Parameters<typeof restoreLedger>[0], 'ledger'>;
type RestoredTo = Restored & { readonly place: string };

async function restoreHome(home: string, wish: RestoreWish): Promise<RestoredTo> {
  const ledger = path.resolve(databaseFile(home));
  const lock = await takeHome(home, 'restore');
  try {
    return { place: ledger, ...(await restoreLedger({ ...wish, ledger })) };
  } finally {
    lock.release();
  }
}

async function restoreTo(url: string, wish: RestoreWish, io: Io): Promise<RestoredTo> {
  const { restoreDatabase } = await import('../../ledger/moving/backup.ts');
  const { nameOf } = await import('../../ledger/postgres/address.ts');
  return { place: nameOf(url), ...(await restoreDatabase({ ...wish, url, tell: tellTo(io) })) };
}

/** Up to where it goes, so that whoever restores it knows what is in it. */
function sayFigures({ customers, accounts, entries: count, newest }: Figures): string {
  const upTo = newest === null ? '' : `, up to entry ${newest.entry} of ${formatTime(newest.atMs, '')}`;
  return `${countedAccounts(customers, accounts)}, ${entries(count)}${upTo}`;
}

function sayMissing({ before, missing }: Pick<Restored, 'before' | 'missing'>): string {
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

const entries = (count: number): string => counted(count, 'entry', 'entries');

export const backup: Command = { name: 'backup', help: backupHelp, run: runBackup };
export const restore: Command = { name: 'restore', help: restoreHelp, run: runRestore };
