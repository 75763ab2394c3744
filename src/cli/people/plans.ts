// `domesday plans`: what each plan gives, and what it costs in the operator's words.

import type { PlanName } from '../../ledger/ledger.ts';
import { planNames, plans as planTable } from '../../ledger/plans.ts';
import {
  type Command,
  ledgerOptions,
  printJson,
  printTable,
  readArgs,
  readPlan,
  readPositionals,
  runSubCommand,
  type SubCommand,
  WrongUsage,
} from '../command.ts';
import { withOperator } from '../operator.ts';

const help = `domesday plans: shows the plans, and sets what they cost.

Usage: domesday plans list
       domesday plans set NAME --price TEXT [--link URL]
       domesday plans clear NAME

Customers see a price at /account, on the front page and in /docs, and you at /admin, from the next request on. Domesday
shows the words as they are and collects no money. A plan without a price is shown without one.

  list   prints what each plan gives and costs
  set    sets the price of a plan: trial, basic, standard, premium or enterprise
           --price TEXT   what it costs, such as "£49 a month"; at most 60 characters
           --link URL     where a customer reads more or pays: an http, https or mailto address
  clear  removes the price of a plan

Options of all:
  --home DIR   home folder (environment DOMESDAY_HOME, default ./var)
  --json       print JSON
  -h, --help   print this help

Examples:
  domesday plans set standard --price "£49 a month" --link https://example.com/buy
  domesday plans set enterprise --price "from £900 a month" --link mailto:sales@example.com

Exit status: 0 done, 1 refused, 2 wrong usage.
`;

const list: SubCommand = async (args, io) => {
  const { values, positionals } = readArgs(args, ledgerOptions);
  readPositionals(positionals, []);
  await withOperator(io, { home: values.home, ifMissing: 'make' }, async ({ planPrices }) => {
    const prices = new Map((await planPrices.all()).map(({ plan, ...priced }) => [plan, priced]));
    const rows = planNames.map((plan) => ({
      plan,
      credits: planTable[plan].allowance,
      price: prices.get(plan)?.price ?? null,
      link: prices.get(plan)?.link ?? null,
    }));
    if (values.json) return printJson(io, { plans: rows });
    printTable(
      io,
      ['PLAN', 'CREDITS', 'PRICE', 'LINK'],
      rows.map(({ plan, credits, price, link }) => [
        plan,
        credits === null ? 'as agreed' : String(credits),
        price ?? '-',
        link ?? '-',
      ]),
    );
  });
};

const set: SubCommand = async (args, io) => {
  const options = { ...ledgerOptions, price: { type: 'string' }, link: { type: 'string' } } as const;
  const { values, positionals } = readArgs(args, options);
  const plan = planNamed(positionals);
  const price = readPrice(values.price);
  const link = values.link === undefined ? null : readLink(values.link);
  await withOperator(io, { home: values.home, ifMissing: 'make' }, ({ planPrices }) =>
    planPrices.set({ plan, price, link }),
  );
  if (values.json) return printJson(io, { plan, price, link });
  io.out(`The ${plan} plan costs ${price}.\n`);
};

const clear: SubCommand = async (args, io) => {
  const { values, positionals } = readArgs(args, ledgerOptions);
  const plan = planNamed(positionals);
  await withOperator(io, { home: values.home, ifMissing: 'make' }, ({ planPrices }) =>
    planPrices.clear(plan),
  );
  if (values.json) return printJson(io, { plan, price: null, link: null });
  io.out(`The ${plan} plan is shown without a price.\n`);
};

export const plans: Command = {
  name: 'plans',
  help,
  run: (args, io) =>
    runSubCommand(
      { name: 'plans', help },
      new Map([
        ['list', list],
        ['set', set],
        ['clear', clear],
      ]),
      args,
      io,
    ),
};

const planNamed = (positionals: readonly string[]): PlanName =>
  readPlan(readPositionals(positionals, ['NAME'])[0]);

function readPrice(text: string | undefined): string {
  const price = text?.trim() ?? '';
  if (price === '')
    throw new WrongUsage(
      'Say what the plan costs: --price "£49 a month". `domesday plans clear NAME` removes a price.',
    );
  if (price.length > 60 || /\p{C}/u.test(price))
    throw new WrongUsage('--price must be one line of at most 60 characters, such as "£49 a month".');
  return price;
}

/** A page puts it into a link: nothing that a browser would run. */
function readLink(text: string): string {
  const address = URL.parse(text);
  const isWhole = address !== null && text.length <= 300 && !/\s/.test(text);
  if (!isWhole || !['http:', 'https:', 'mailto:'].includes(address.protocol)) {
    throw new WrongUsage('--link must be an http, https or mailto address, such as https://example.com/buy.');
  }
  return address.href;
}
