// GET /bank-rates: the Bank of England's official rate today, and its changes since 1975.

import { type Context, endpoint, qualify } from '../contract/endpoint.ts';
import { date, wholeNumber } from '../contract/params.ts';
import { refuse } from '../contract/refusal.ts';
import { list, number, object, string } from '../contract/shape.ts';
import { openBankRate } from '../tables/bank-rate.ts';
import { formatDay, parseDay } from '../uk/calendar.ts';

/** The Bank publishes its list on working days, so that a newer one than this may be nowhere to be had after holidays. */
const newestDays = 7;

const day = (description: string) => string({ format: 'date', description });

export const bankRates = endpoint({
  method: 'GET',
  path: '/bank-rates',
  summary: 'Bank of England official rate and its history',
  description:
    'Gives the rate in force today and the dates on which it changed, newest first. A rate stays in force until the next change. Rates are exact: the eighths and sixteenths of earlier years are not rounded to two decimals. The rate in force today is that of the loaded list: if the list ends more than a week ago, X-Data-Coverage says up to which day the rate is known. If there are more than `limit` changes, a `Link` header with rel="next" has the address of the earlier ones.',
  credits: 1,
  envelope: 'top-level',
  datasets: ['bank-rate'],
  maxAgeSeconds: 3600,
  params: {
    startDate: date({
      description: 'Only changes on or after this date.',
      example: '2024-01-01',
      fault: 'INVALID_DATE_FORMAT',
    }),
    endDate: date({
      description: 'Only changes on or before this date.',
      example: '2025-12-31',
      fault: 'INVALID_DATE_FORMAT',
    }),
    limit: wholeNumber({
      description: 'Number of changes to list, newest first.',
      min: 1,
      max: 500,
      fallback: 100,
      outside: 'refuse',
      fault: 'INVALID_LIMIT',
    }),
  },
  errors: [
    'INVALID_DATE_FORMAT',
    'INVALID_LIMIT',
    'NO_DATA_FOUND',
    'AUTHENTICATION_REQUIRED',
    'INSUFFICIENT_CREDITS',
    'DATABASE_ERROR',
    'INTERNAL_SERVER_ERROR',
  ],
  answer: object('BankRates', {
    current: object(
      'CurrentRate',
      {
        rate: number({ description: 'Rate in percent a year.' }),
        effectiveFrom: day('Day on which the rate came into force.'),
        label: string({ description: 'Name of the rate at the time.' }),
      },
      { description: 'The rate in force today, as far as the loaded list goes: see X-Data-Coverage.' },
    ),
    rateChanges: list(
      object(
        'RateChange',
        {
          date: day('Day on which the rate changed.'),
          rate: number({ description: 'Rate in percent a year, from this date.' }),
        },
        { description: 'A change of the rate.' },
      ),
      { description: 'Changes of the rate, newest first.' },
    ),
  }),
  csv: 'rateChanges',
  // The changes before the oldest of the page. Looks again only after a full one.
  nextPage: ({ rateChanges }, { startDate, limit }, { release }) => {
    const oldest = parseDay(rateChanges.at(-1)?.date ?? '');
    if (oldest === undefined || rateChanges.length < limit) return undefined;
    const table = openBankRate(release);
    const [before] = table.changesIn(startDate ?? table.firstDay, oldest - 1, 1);
    return before === undefined ? undefined : { endDate: formatDay(before.day) };
  },
  handle: ({ startDate, endDate, limit }, { release, today }) => {
    const table = openBankRate(release);
    const current = table.rateInForceOn(today);
    const changes = table.changesIn(startDate ?? table.firstDay, endDate ?? table.lastDay, limit);
    if (current === undefined || changes.length === 0) {
      const asked = startDate ?? endDate ?? today;
      const lastDay = lastDayIn(release);
      const inForce = asked <= Math.min(today, lastDay) ? table.rateInForceOn(asked) : undefined;
      const firstDay = current === undefined ? undefined : table.firstDay;
      const message = whyNone({ startDate, endDate }, { firstDay, lastDay }, today);
      return inForce === undefined
        ? refuse('NO_DATA_FOUND', message)
        : refuse('NO_DATA_FOUND', message, {
            rateInForce: { date: formatDay(inForce.day), rate: inForce.rate },
          });
    }
    const answer = {
      current: { rate: current.rate, effectiveFrom: formatDay(current.day), label: current.series },
      rateChanges: changes.map((change) => ({ date: formatDay(change.day), rate: change.rate })),
    };
    const lastDay = lastDayIn(release);
    if (today - lastDay <= newestDays) return answer;
    const why = `the rate is known up to ${formatDay(lastDay)}`;
    return qualify({ shortage: { extent: 'partial', why } }, answer);
  },
});

/** After it the rate may have changed. */
const lastDayIn = (release: Context['release']): number =>
  parseDay(release.findDataset('bank-rate')?.asOf ?? '') ?? openBankRate(release).lastDay;

type Range = { readonly startDate: number | undefined; readonly endDate: number | undefined };

/** `firstDay` is undefined where there is no rate yet; after `lastDay` the rate may have changed. */
type Known = { readonly firstDay: number | undefined; readonly lastDay: number };

/** Without a message, the one of the error table. */
function whyNone(
  { startDate, endDate }: Range,
  { firstDay, lastDay }: Known,
  today: number,
): string | undefined {
  if (startDate !== undefined && endDate !== undefined && startDate > endDate) {
    return '`startDate` is after `endDate`; send them the other way round.';
  }
  if (firstDay !== undefined && endDate !== undefined && endDate < firstDay) {
    return `The history begins on ${formatDay(firstDay)}; send that day or a later one as \`endDate\`.`;
  }
  if (startDate !== undefined && startDate > lastDay) {
    return `The rate is known up to ${formatDay(lastDay)}, before this range; send an earlier \`startDate\`.`;
  }
  if ((endDate ?? today) <= lastDay) return undefined;
  return `The rate did not change in this range up to ${formatDay(lastDay)}, and is not known after that day; send an earlier \`startDate\`.`;
}
