// `domesday ledger trim`: retention. Old entries of each journal give way to one that says what they came to.

import { keptDays } from '../ledger/retention.ts';
import { dayMs } from '../time.ts';
import {
  type Command,
  counted,
  ledgerOptions,
  printJson,
  readArgs,
  readPositionals,
  readWhole,
  runSubCommand,
  type SubCommand,
  WrongUsage,
} from './command.ts';
import { withOperator } from './operator.ts';

const help = `domesday ledger: trims the ledger.

Usage: domesday ledger trim --before DATE | --keep-days N [--yes]

  trim     replaces the entries before DATE (YYYY-MM-DD, UTC) in every journal by one closing entry. It says how many entries
           there were, what they added up to, and where the chain continues. Balances and usage stay. Who called what and
           when is lost for good. The command always keeps the entries of the last 62 days. It works while the service
           runs. If it stops half way, everything is correct and you can run it again. The file does not shrink: its space
           is used for new entries.
             --before DATE   trim the entries before this date
             --keep-days N   trim the entries older than N days (at least 62), for a daily timer
             --yes           do it; without this, the command only says what it would do

Options:
  --home DIR   home folder (environment DOMESDAY_HOME, default ./var)
  --json       print JSON
  -h, --help   print this help

Example:
  domesday ledger trim --keep-days 400 --yes

Exit status: 0 done, 1 refused, 2 wrong usage.
`;

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

export const ledger: Command = {
  name: 'ledger',
  help,
  run: (args, io) => runSubCommand({ name: 'ledger', help }, new Map([['trim', trim]]), args, io),
};
