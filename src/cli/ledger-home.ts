// How the commands about accounts and keys reach the ledger of a home folder, and how its refusals are said.

import { readSettings } from '../config.ts';
import { type Accounts, LedgerRefusal, type OpenLedger, type PlanName } from '../ledger/ledger.ts';
import { openLedger } from '../ledger/open.ts';
import { findPlanName, planNames } from '../ledger/plans.ts';
import { AuditLog } from '../people/audit.ts';
import type { Event } from '../people/people.ts';
import { type Database, DatabaseUnavailable } from '../storage/sql.ts';
import { CommandRefused, type Io, tellTo, WrongUsage } from './command.ts';
import { lookAt, prepareHome } from './home.ts';
import { didYouMean } from './nearest.ts';

/** Options of every sub-command that touches the ledger. */
export const ledgerOptions = {
  home: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

export type LedgerPlace = {
  readonly home: string | undefined;
  readonly ifMissing: 'make' | 'refuse';
};

// What commands about accounts and keys change is in the audit log of the account, where its owners read it.

/** The change is made already: a log that cannot be written is told, and undoes nothing. */
async function recordChanges(io: Io, database: Database, changes: readonly Event[]): Promise<void> {
  const audit = new AuditLog({ database, now: io.now });
  try {
    for (const change of changes) await audit.write({ kind: 'command' }, change);
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    io.err(`The change is made, but the audit log of the account lacks it: ${error.message}\n`);
  }
}

export async function withAccounts(
  io: Io,
  place: LedgerPlace,
  /** `note` has what it changes in an account written to the audit log of that account. */
  work: (accounts: Accounts, note: (change: Event) => void) => Promise<void>,
): Promise<void> {
  await withLedger(io, place, async ({ accounts, database }) => {
    const changes: Event[] = [];
    try {
      await work(accounts, (change) => changes.push(change));
    } finally {
      await recordChanges(io, database, changes);
    }
  });
}

export async function withLedger(
  io: Io,
  place: LedgerPlace,
  work: (open: OpenLedger) => Promise<void>,
): Promise<void> {
  const { home, databaseUrl } = readSettings(io.env, { home: place.home });
  // A ledger in a database is reached from any machine, with or without a home.
  if (databaseUrl === undefined) {
    if (place.ifMissing === 'make') prepareHome(home);
    else lookAt(home);
  }
  try {
    const open = await openLedger({ home, databaseUrl, ifMissing: place.ifMissing, tell: tellTo(io) });
    try {
      await work(open);
    } finally {
      await open.ledger.close();
    }
  } catch (error) {
    if (error instanceof LedgerRefusal || error instanceof DatabaseUnavailable) {
      throw new CommandRefused(error.message, { cause: error });
    }
    throw error;
  }
}

export type SubCommand = (args: readonly string[], io: Io) => Promise<void>;

/** Runs the sub-command that the first argument names. */
export async function runSubCommand(
  command: { readonly name: string; readonly help: string },
  subCommands: ReadonlyMap<string, SubCommand>,
  args: readonly string[],
  io: Io,
): Promise<void> {
  const [name, ...rest] = args;
  if (args.some((arg) => arg === '--help' || arg === '-h')) {
    io.out(command.help);
    return;
  }
  const found = name === undefined ? undefined : subCommands.get(name);
  if (found === undefined) {
    const names = [...subCommands.keys()];
    const takes = `${command.name} takes one of ${names.join(', ')}.`;
    if (name === undefined) throw new WrongUsage(`Say what to do: ${takes}`);
    if (name.startsWith('-')) throw new WrongUsage(`Say what to do before ${name}: ${takes}`);
    throw new WrongUsage(`There is no "${name}".${didYouMean(name, names)} ${takes}`);
  }
  await found(rest, io);
}

/** Exactly the positional arguments that a sub-command names. */
export function readPositionals<const T extends readonly string[]>(
  given: readonly string[],
  names: T,
): { readonly [K in keyof T]: string };
export function readPositionals(given: readonly string[], names: readonly string[]): readonly string[] {
  const missing = names[given.length];
  if (missing !== undefined) throw new WrongUsage(`${missing} is missing.`);
  const extra = given[names.length];
  if (extra !== undefined) throw new WrongUsage(`"${extra}" is one argument too many.`);
  return given;
}

export function readPlan(text: string): PlanName {
  const found = findPlanName(text.toLowerCase());
  if (found === undefined) {
    throw new WrongUsage(
      `"${text}" is not a plan; choose one of ${planNames.join(', ')}.${didYouMean(text, planNames)}`,
    );
  }
  return found;
}

export function requireOption(value: string | undefined, name: string): string {
  if (value === undefined || value.trim() === '') throw new WrongUsage(`--${name} is missing.`);
  return value;
}

export function readWhole(text: string, name: string, min: number): number {
  const number = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= min)) {
    const range = min === Number.NEGATIVE_INFINITY ? '' : ` from ${min}`;
    throw new WrongUsage(`${name} is "${text}"; it must be a whole number${range}.`);
  }
  return number;
}

export function formatCount(count: number): string {
  return count.toLocaleString('en-GB');
}

/** "1 credit", "2,000 credits". */
export function counted(count: number, thing: string, things = `${thing}s`): string {
  return `${formatCount(count)} ${count === 1 ? thing : things}`;
}

/** "3 accounts and the account of the public sandbox key": the same way wherever accounts are counted. */
export function countedAccounts(customers: number, all: number): string {
  return `${counted(customers, 'account')}${all > customers ? ' and the account of the public sandbox key' : ''}`;
}

export function formatTime(atMs: number | null, absent: string): string {
  return atMs === null ? absent : new Date(atMs).toISOString().replace(/\.000Z$/, 'Z');
}
