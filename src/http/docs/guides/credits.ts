// Guide: what a call costs, and how many calls there may be.

import { planNames, plans } from '../../../ledger/plans.ts';
import { type Guide, get, heading, list, table, terms, text } from '../blocks.ts';

const number = (value: number | null): string =>
  value === null ? 'by agreement' : value.toLocaleString('en-GB');

const planRows = planNames.map((name) => {
  const { limits, allowance, renewal } = plans[name];
  const granted = renewal === 'monthly' ? 'a month' : 'once';
  const credits = allowance === null ? number(null) : `${number(allowance)} ${granted}`;
  return [
    name.charAt(0).toUpperCase() + name.slice(1),
    number(limits.minute),
    number(limits.day),
    number(limits.month),
    credits,
  ];
});

export const credits: Guide = {
  name: 'credits',
  title: 'Credits and limits',
  summary: 'What a call costs, what is free, and how many calls you can make.',
  blocks: () => [
    text(
      'Each endpoint names its price in credits. You pay only for a status 200. Your balance is prepaid, and never falls below zero.',
    ),
    heading('What is free'),
    list(
      'every error',
      'a `304 Not Modified` ([Caching](/docs/guides/caching))',
      'every call of a test key',
      'an empty answer, if the data could not have had another. `X-Data-Coverage` then begins with `none`',
      'a repeated call under the same [`Idempotency-Key`](/docs/guides/errors#idempotency)',
    ),
    text(
      'An empty answer is charged if the data covers the place and has nothing to list. If the balance does not cover a call, you get `INSUFFICIENT_CREDITS`.',
    ),
    heading('What a reply tells'),
    terms(
      ['`X-Credits-Charged`', 'what this call cost; 0 unless it was charged'],
      ['`X-Credits-Remaining`', 'the balance after the call'],
      ['`X-Credits-Refresh-At`', 'when the plan’s credits are next renewed; absent if they are not'],
    ),
    text(
      'Every reply to a valid key has these headers. Where an endpoint costs credits, `billing` in the body repeats them.',
    ),
    heading('Where your account stands'),
    text(
      '[`/account`](/docs/reference/account) tells your plan, balance and limits. [`/account/usage`](/docs/reference/account-usage) tells what you called and spent, by day, endpoint, key and status. Both are free, even on an empty balance.',
    ),
    get('/account'),
    heading('Limits'),
    text(
      'Your plan limits the calls in a minute, in a UTC day and in a UTC calendar month. The limits belong to the account: more keys do not give more calls. Every call with a valid key counts, whatever its outcome.',
    ),
    table(['Plan', 'Calls a minute', 'Calls a day', 'Calls a month', 'Credits'], planRows),
    text('Past a limit you get `RATE_LIMITED`. Wait the seconds in `Retry-After`, then send the call again.'),
    terms(
      ['`X-RateLimit-Limit`', 'calls allowed in a minute; absent if there is no limit'],
      ['`X-RateLimit-Remaining`', 'calls left in this minute'],
      ['`X-RateLimit-Reset`', 'when this minute ends, in Unix seconds'],
      ['`RateLimit-Policy`, `RateLimit`', 'every window with its limit, as the IETF draft writes it'],
    ),
    text(
      'Calls with the public sandbox key are counted per network address instead. So nobody else uses up your minute. Pages of the service itself have a separate count: 120 calls a minute and 2,000 a day.',
    ),
  ],
};
