// Guide: which keys there are, how to send one, and what test mode does.

import { answer, type Guide, get, heading, list, note, table, text } from '../blocks.ts';

export const keys: Guide = {
  name: 'keys',
  title: 'Keys and test mode',
  summary: 'Which kinds of keys there are, how to send one, and how to rehearse every error for free.',
  blocks: ({ publicKey }) => [
    text('Send your key in the `X-API-Key` header of every call:'),
    get('/bank-rates', { limit: 1 }),
    ...(publicKey === undefined
      ? []
      : [
          text(
            'This is the public sandbox key. It is the same in every installation, free for everyone, and no secret. Its account has no credits and needs none, so `creditsRemaining` is always 0.',
          ),
        ]),
    heading('Kinds of keys'),
    table(
      ['Key', 'Answers from', 'Costs', 'Belongs'],
      [
        ['`dd_test_…`, test', 'the sandbox, a made-up town', 'nothing', 'anywhere'],
        ['`dd_live_…`, live', 'the real data', 'credits', 'on a server'],
        [
          '`dd_pub_…`, publishable',
          'the real data, for the web pages that it is bound to',
          'credits',
          '[in those pages](/docs/guides/browsers)',
        ],
      ],
    ),
    text(
      'You make keys in the [dashboard](/account), or whoever runs the service makes one for you. A key is shown once, when it is made: store it then. All keys of an account share its credits and its limits.',
    ),
    heading('Test mode'),
    text(
      'A test key is answered from the sandbox. Postcodes there begin with `ZZ`, which belongs to no real place. [The first page](/docs#sandbox) lists those worth trying.',
    ),
    list(
      'A test call costs nothing. `billing.mode` is `sandbox`.',
      'Test keys have the limits of the Basic plan, whatever your plan is.',
      'A test key never sees real data, and a live key never sees the sandbox.',
    ),
    heading('Rehearse an error', 'outcomes'),
    text(
      'Send `X-Sandbox-Outcome` with any error code of the endpoint, and the reply is that error. So you can see what your program does when the credits run out:',
    ),
    get('/bank-rates', { limit: 1 }, { 'X-Sandbox-Outcome': 'INSUFFICIENT_CREDITS' }),
    answer(
      {
        success: false,
        error: {
          code: 'INSUFFICIENT_CREDITS',
          message: '…',
          requestId: '…',
          docs: '/docs/errors/INSUFFICIENT_CREDITS',
        },
      },
      {},
      402,
    ),
    text('Live keys ignore the header. [Error codes](/docs/errors) lists every code.'),
    heading('Keep keys safe'),
    list(
      'Keep a live key on a server and out of your repository.',
      'Bind a key to the endpoints and the network addresses that it is for. It is refused everywhere else with `KEY_NOT_ALLOWED`.',
      'Give each program a key of its own. You can then see what each one spends, and replace one without touching the others.',
      'If a key leaks, make a new one and revoke the old one. Both take effect at the next call.',
    ),
    note(
      'A missing, unknown, revoked or expired key gives status 401: `AUTHENTICATION_REQUIRED`, or `UNAUTHORIZED` from the area endpoints.',
    ),
  ],
};
