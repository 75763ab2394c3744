// What a command of `domesday` is, and how it speaks: data on standard output, one clear line on standard
// error when it refuses, exit status 0 done, 1 refused or failed, 2 wrong usage.

import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import type { PlanName, Tell } from '../ledger/ledger.ts';
import { findPlanName, planNames } from '../ledger/plans.ts';
import { didYouMean } from './nearest.ts';

export type Io = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** True when standard error is a terminal: long work then redraws one progress line. */
  readonly isTerminal: boolean;
  readonly now: () => number;
  /** Commands between backticks in a text, as whoever reads it has to type them. */
  readonly asTyped: (text: string) => string;
};

export type Command = {
  readonly name: string;
  /** The whole help text, as printed by `domesday NAME --help`. */
  readonly help: string;
  readonly run: (args: readonly string[], io: Io) => Promise<void>;
};

/** Refused or failed: exit 1. The message is the one line the operator reads; it says what to do next. */
export class CommandRefused extends Error {
  override name = 'CommandRefused';
}

/** Done in part: exit 3. The message names what was not done. */
export class PartlyDone extends Error {
  override name = 'PartlyDone';
}

/** Wrong usage: exit 2. */
export class WrongUsage extends Error {
  override name = 'WrongUsage';
}

/** parseArgs whose complaints are WrongUsage, one sentence each. */
export function readArgs<const T extends ParseArgsOptionsConfig>(args: readonly string[], options: T) {
  return parseArgs({ args: checkedArgs(args, options), options, allowPositionals: true, strict: true });
}

/** The arguments as parseArgs takes them without complaint: every value stands with its option. */
function checkedArgs(args: readonly string[], options: ParseArgsOptionsConfig): string[] {
  const { tokens } = parseArgs({
    args: [...args],
    options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  return tokens.map((token) => {
    if (token.kind === 'positional') return token.value;
    if (token.kind === 'option-terminator') return '--';
    const { rawName, value } = token;
    const type = Object.hasOwn(options, token.name) ? options[token.name]?.type : undefined;
    if (type === undefined) {
      const names = Object.keys(options).map((name) => `--${name}`);
      throw new WrongUsage(`There is no option ${rawName}.${didYouMean(rawName, names)}`);
    }
    if (type === 'boolean') {
      if (value !== undefined) throw new WrongUsage(`${rawName} takes no value.`);
      return rawName;
    }
    // What begins with a dash is another option, unless it is a number.
    if (value === undefined || (token.inlineValue === false && /^-(?!\d)./.test(value))) {
      throw new WrongUsage(`${rawName} needs a value.`);
    }
    return `${rawName}=${value}`;
  });
}

/** Notices of the ledger, for whoever runs a command. */
export const tellTo =
  (io: Io): Tell =>
  ({ message }) =>
    io.err(io.asTyped(`${message}\n`));

export function printJson(io: Io, value: unknown): void {
  io.out(`${JSON.stringify(value, null, 2)}\n`);
}

/** Left-aligned columns, two spaces apart; numbers are the caller's to format. */
export function printTable(io: Io, header: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  for (const row of [header, ...rows]) {
    io.out(
      `${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    );
  }
}

// Options, arguments and words that commands about accounts, keys and people share.

/** Options of every sub-command that touches the ledger. */
export const ledgerOptions = {
  home: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

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
