// The first page: from nothing to an answer in five minutes, and where everything else is.

import { basePath, type Endpoint } from '../../../contract/endpoint.ts';
import { samplePlaces } from '../../../contract/examples.ts';
import { plans } from '../../../ledger/plans.ts';
import {
  answer,
  type Block,
  type Card,
  type DocsPage,
  get,
  guidePath,
  heading,
  list,
  note,
  type Shown,
  table,
  text,
} from '../blocks.ts';
import { endpointTable } from '../reference.ts';
import { guides } from './index.ts';

/** Worth trying with any test key: what the made-up town has to show. */
export const sandboxPostcodes: readonly (readonly [postcode: string, shows: string])[] = [
  ['ZZ1 1AA', 'Every endpoint answers, and all five objects of `/area/statistics` have figures.'],
  [
    'ZZ1 1AB',
    'A short street: `/council-tax/property-candidates` lists five homes; “36 Last Lane” is none of them and gives `PROPERTY_NOT_FOUND` with suggestions.',
  ],
  [
    'ZZ1 2ZZ',
    'Withdrawn in May 2019: `POSTCODE_NOT_FOUND` with `terminated`, while `/postcodes/lookup` answers it, and `/area/sold-prices` with `months=360` still has its sales.',
  ],
  ['ZZ2 9ZZ', 'No grid reference: council tax answers, `/crime/by-postcode` gives `NO_CRIME_DATA`.'],
  [
    'ZZ3 1AA',
    'Wales: “Plas Zed, Ffordd Zed” is in band I, and the month that the force did not publish is absent.',
  ],
  [
    'ZZ4 1AA',
    'Scotland: council tax by postcode, but no police data and `PROPERTY_LEVEL_COUNTRY_UNSUPPORTED` for single homes.',
  ],
];

export const startPage = (endpoints: readonly Endpoint[], shown: Shown): DocsPage => ({
  path: '/docs',
  title: 'Start in five minutes',
  summary:
    'Domesday answers questions about UK property: council tax, crime, sold prices, area statistics, postcodes and Bank Rate. You ask over HTTP and get JSON.',
  facts: [],
  trail: [],
  blocks: [
    heading('Make a call', 'first-call'),
    ...keyBlocks(shown),
    get('/bank-rates', { limit: 1 }),
    text('You get today’s rate, and the date of its last change:'),
    answer({
      success: true,
      current: { rate: 3.75, effectiveFrom: '2025-12-18', label: 'Official Bank Rate' },
      rateChanges: [{ date: '2025-12-18', rate: 3.75 }],
      billing: { mode: 'sandbox', creditsCharged: 0, creditsRemaining: 0, creditsRefreshAt: null },
    }),
    heading('Read the answer'),
    list(
      '`success` is `true` or `false`. The HTTP status says the same: 200, or an error.',
      'Most endpoints put their figures in `data`. `/bank-rates` puts them beside `success`.',
      `\`billing\` says what the call cost. [Test keys](${guidePath('keys')}) cost nothing.`,
      'What nobody knows is `null`, or an error that says why. It is never a made-up 0.',
    ),
    text('An error has a `code` that never changes, and a message that says what to do:'),
    get('/council-tax/lookup', { postcode: 'ZZ9 9ZZ' }),
    answer(
      {
        success: false,
        error: {
          code: 'POSTCODE_NOT_FOUND',
          message: '…',
          requestId: '…',
          docs: '/docs/errors/POSTCODE_NOT_FOUND',
        },
      },
      {},
      404,
    ),
    heading('Try the sandbox', 'sandbox'),
    text(
      'Test keys are answered from a made-up town in postcode area `ZZ`, which belongs to no real place. These postcodes show what you will meet with real ones:',
    ),
    table(
      ['Postcode', 'What it shows'],
      sandboxPostcodes.map(([postcode, shows]) => [`\`${postcode}\``, shows]),
    ),
    heading('Use real data'),
    text(
      'Make an account in the [dashboard](/account), or ask whoever runs this service for one. A live key (`dd_live_…`) answers from the real data and spends credits.',
    ),
    note(
      `Keep a live key on a server. Never put it in a web page or an app, where anybody can read it. [From a web page](${guidePath('browsers')}) shows the key that is made for that.`,
    ),
    text(
      `[Data sources](/docs/data) says what this service has loaded, and how old it is. As long as that is the sample that comes with the program, a live key is answered for a few real places: ${samplePlaces.map(([postcode, town]) => `\`${postcode}\` (${town})`).join(', ')}.`,
    ),
    heading('Choose an endpoint'),
    text(
      `Put \`${basePath}\` before each path. Every page has a form that runs the endpoint with one click.`,
    ),
    endpointTable(endpoints),
    heading('Read on', 'guides'),
    { kind: 'cards', cards: guides.map(guideCard) },
  ],
  beside: [],
});

function keyBlocks({ publicKey }: Shown): readonly Block[] {
  if (publicKey === undefined) {
    return [
      text(
        'Ask whoever runs this service for a test key. It is free. Put it in `DOMESDAY_KEY`, and send it in the `X-API-Key` header:',
      ),
    ];
  }
  const perMinute = plans.basic.limits.minute ?? 'any number of';
  return [
    text(
      `You need no account for this one. It uses the **public sandbox key**, which is free for everyone and no secret. It answers ${perMinute} calls a minute from one address. Copy the call and run it:`,
    ),
  ];
}

const guideCard = ({ name, title, summary }: (typeof guides)[number]): Card => ({
  href: guidePath(name),
  title,
  text: summary,
});
