// Guide: what an error looks like, which calls to send again, and how to do so without paying twice.

import { againRows } from '../again.ts';
import { answer, type Guide, get, heading, list, note, table, terms, text } from '../blocks.ts';

export const errorsAndRetries: Guide = {
  name: 'errors',
  title: 'Errors and retries',
  summary: 'What an error looks like, which calls to send again, and how to send them without paying twice.',
  blocks: () => [
    text('Every error has the same form, whatever went wrong:'),
    get('/bank-rates', { limit: 0 }),
    answer(
      {
        success: false,
        error: {
          code: 'INVALID_LIMIT',
          message: 'Send `limit` as a whole number from 1 to 500.',
          field: 'limit',
          requestId: '…',
          docs: '/docs/errors/INVALID_LIMIT',
        },
      },
      {},
      400,
    ),
    terms(
      ['`code`', 'what your program decides by. A code never changes its meaning'],
      ['`message`', 'says what to do, for a person. Its words may change'],
      ['`field`', 'the parameter that is wrong, if one is'],
      ['`requestId`', 'names this request in the log of the service. Quote it when you report a problem'],
      ['`docs`', 'the page of this code, with its cause and its cure'],
    ),
    text('Some codes have members of their own. [Error codes](/docs/errors) lists them all.'),
    heading('Which calls to send again'),
    table(['Status', 'Send it again?'], againRows()),
    text(
      'If you send a call again after a moment, wait a second, then two, then four. [Error codes](/docs/errors) says of each code what it means.',
    ),
    heading('Idempotency: send a call again safely', 'idempotency'),
    text(
      'When a connection breaks, you do not know whether the call was charged. Name the call with `Idempotency-Key`, and send it again with the same name. Within 24 hours it is charged once, however often it arrives:',
    ),
    get('/bank-rates', { limit: 1 }, { 'Idempotency-Key': '5b0d3c4e-order-1042' }),
    list(
      'A name has 1 to 255 visible ASCII characters without spaces. A UUID is a good one.',
      'If an earlier call paid, the reply has `Idempotent-Replayed: true` and `X-Credits-Charged: 0`. An empty balance is then enough.',
      'The name belongs to the account. Any of its keys may send the call again.',
      'It must be the same call: the same path and the same parameters. Their order does not matter, nor does the spelling of a postcode. Another call under the same name gives `INVALID_PARAMETER`.',
      'You get the data of now, not a copy of the first answer.',
      'Only a charged call is remembered. Errors, 304 replies, free answers and test calls are not.',
    ),
    note('A repeated call counts against the [limits](/docs/guides/credits#limits), like any other.'),
    heading('If you hang up'),
    text(
      'If the service sees that your connection is gone before it charges, the call costs nothing. After that the charge stands. If you close only your sending side, every call you sent is still answered.',
    ),
    heading('Request ids'),
    text(
      'Every reply has an `X-Request-Id`. Send one of your own, and it is used instead, so that you find the call in your log and in ours.',
    ),
  ],
};
