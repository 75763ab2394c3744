// `domesday ledger trim`: retention. Old entries of each journal give way to one that says what they came to.

import { keptDays } from '../../ledger/retention.ts';
import { printJson, readArgs, WrongUsage } from '../command.ts';
import {
  counted,
  ledgerOptions,
  readPositionals,
  readWhole,
  requireOption,
  type SubCommand,
  withLedger,
} from '../ledger-home.ts';

export const trimHelp = `  trim     replaces the entries before DATE (YYYY-MM-DD, UTC) of every journal by one closing entry each, which says how
           many there were, what they came to and where the chain goes on. Balances and usage stay as they are;
           who called what and when is gone for good. Entries of the last 62 days are always kept. Works while
           the service runs; if it is stopped half way, everything is sound and it can be run again. The file
           does not shrink: its room is used for new entries.
             --before DATE   what is trimmed
             --keep-days N   the same as a number of days that are kept (from 62), for a timer that runs it daily
             --yes           does it; without, it only says what it would do`;

export const trim: SubCommand = async (args, io) => {
  const { values, positionals } = readArgs(args, {
    ...ledgerOptions,
    before: { type: 'string' },
    'keep-days': { type: 'string' },
    yes: { type: 'boolean' },
  });
  readPositionals(positionals, []);
  const before = readBefore(values.before, values['keep-days'], io.now());
  const beforeMs = readDay(before);
  await withLedger(io, { home: values.home, ifMissing: 'refuse' }, async ({ journals }) => {
    const wanted = { beforeMs, atMs: io.now() };
    const isDone = values.yes === true;
    const { accounts, entries } = isDone ? await journals.trim(wanted) : await journals.planTrim(wanted);
    if (values.json) return printJson(io, { done: isDone, entries, accounts });
    if (entries === 0) return io.out(`There are no entries before ${before} to trim.\n`);
    const what = `${counted(entries, 'entry', 'entries')} in ${counted(accounts, 'journal')}`;
    io.out(
      isDone
        ? `Replaced ${what} by a closing entry each.\n`
        : `This would replace ${what} by a closing entry each. Nothing was changed; add --yes to do it.\n`,
    );
  });
};

function readBefore(before: string | undefined, keepDays: string | undefined, atMs: number): string {
  if (keepDays === undefined) return requireOption(before, 'before');
  if (before !== undefined) throw new WrongUsage('Give --before or --keep-days, not both.');
  return new Date(atMs - readWhole(keepDays, '--keep-days', keptDays) * dayMs).toISOString().slice(0, 10);
}

const dayMs = 86_400_000;

function readDay(text: string): number {
  const atMs = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(atMs) || new Date(atMs).toISOString().slice(0, 10) !== text) {
    throw new WrongUsage(`--before is "${text}"; it must be a date such as 2026-01-31.`);
  }
  return atMs;
}
