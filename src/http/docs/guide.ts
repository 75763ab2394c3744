// The words that open the documentation, kept as values so that the page at /docs and docs/api.md say the same.

import { basePath } from '../../contract/endpoint.ts';
import { batchSection } from './guide-batch.ts';
import { exampleOrigin, type GuideSection, json, type Shown, terms, text } from './guide-blocks.ts';

function firstCall({ publicKey, publicUrl = exampleOrigin }: Shown): string {
  const url = `${publicUrl}${basePath}/bank-rates?limit=1`;
  return publicKey === undefined
    ? `export DOMESDAY_KEY=dd_test_…\ncurl -H "X-API-Key: $DOMESDAY_KEY" '${url}'`
    : `curl -H 'X-API-Key: ${publicKey}' '${url}'`;
}

/** Worth trying with any test key: what the made-up town has to show. */
export const sandboxPostcodes: readonly (readonly [postcode: string, shows: string])[] = [
  ['ZZ1 1AA', 'every endpoint answers, and all five objects of `/area/statistics` have figures'],
  [
    'ZZ1 1AB',
    'a short street: `/council-tax/property-candidates` lists five homes; “36 Last Lane” is none of them and gives `PROPERTY_NOT_FOUND` with suggestions',
  ],
  [
    'ZZ1 2ZZ',
    'withdrawn in May 2019: `POSTCODE_NOT_FOUND` with `terminated`, while `/postcodes/lookup` answers it, and `/area/sold-prices` with `months=360` still has its sales',
  ],
  ['ZZ2 9ZZ', 'no grid reference: council tax answers, `/crime/by-postcode` gives `NO_CRIME_DATA`'],
  [
    'ZZ3 1AA',
    'Wales: “Plas Zed, Ffordd Zed” is in band I, and the month that the force did not publish is absent',
  ],
  [
    'ZZ4 1AA',
    'Scotland: council tax by postcode, but no police data and `PROPERTY_LEVEL_COUNTRY_UNSUPPORTED` for single homes',
  ],
];

export const guide = (shown: Shown): readonly GuideSection[] => [
  firstSection(shown),
  ...furtherSections,
  csvSection(shown),
  batchSection(shown),
  clientsSection(shown),
];

const firstSection = (shown: Shown): GuideSection => ({
  id: 'first-call',
  title: 'First call',
  blocks: [
    text(
      `Every endpoint is a GET under \`${basePath}\`, but for \`/batch\`, and answers JSON. Send your key in the \`X-API-Key\` header.`,
    ),
    {
      kind: 'code',
      language: 'sh',
      code: firstCall(shown),
    },
    text(
      `${shown.publicKey === undefined ? 'A' : 'This is the public sandbox key, the same everywhere and free for everyone. A'} test key (\`dd_test_…\`) costs nothing and answers from a fictional town. A live key (\`dd_live_…\`) answers from the real data and spends credits; keep it on a server, never in a web page or an app. A publishable key (\`dd_pub_…\`) is a live key for pages of the origins that it is bound to.`,
    ),
    text(
      'An empty parameter counts as absent, the first of a repeated parameter counts, and unknown parameters are ignored.',
    ),
  ],
});

const csvSection = ({ publicKey, publicUrl = exampleOrigin }: Shown): GuideSection => ({
  id: 'csv',
  title: 'CSV and pages',
  blocks: [
    text(
      'With `Accept: text/csv` every endpoint answers a table instead of JSON, for the same credits: UTF-8 without a byte order mark, with titles, lines that end with CR LF. An endpoint with a list has a row for each of its items, every other one has a single row. Without that header, or where JSON is liked better, it is JSON; errors always are, and so are batches.',
    ),
    {
      kind: 'code',
      language: 'sh',
      code: `curl -H 'Accept: text/csv' -H ${publicKey === undefined ? '"X-API-Key: $DOMESDAY_KEY"' : `'X-API-Key: ${publicKey}'`} '${publicUrl}${basePath}/bank-rates?limit=2'`,
    },
    { kind: 'code', language: 'text', code: 'date,rate\n2025-12-18,3.75\n2025-08-07,4' },
    terms(
      [
        'Titles',
        'where the value stands in the JSON of the row, such as `councilTaxBands.band_a`; each endpoint below lists its columns, and OpenAPI has them in `x-csv`. They do not depend on what was asked for',
      ],
      ['Unknown', 'empty, as is what the JSON leaves out'],
      [
        'Lists and tables in a row',
        'one column with their JSON, such as `schools.topSchools`: `[]` where the list is empty',
      ],
      [
        'Formulas',
        'a text that a spreadsheet would take for one (it begins with =, +, -, @, a tab or a line break) has an apostrophe before it; numbers are never changed',
      ],
      [
        'Excel',
        'takes a file without a byte order mark for another encoding when it is opened by a double click; use Data › From Text/CSV and choose “65001: Unicode (UTF-8)”',
      ],
      [
        'Link',
        'while a list has more than its page, `<…>; rel="next"` has the address of the next one, with JSON and CSV alike, relative to the address asked unless the service knows its public one; the last page has none',
      ],
    ),
    text(
      'Beside its table an endpoint says nothing: ask for JSON where you need totals, and read `X-Data-Coverage` and `X-Credits-Charged` as ever. A table has an ETag of its own.',
    ),
  ],
});

const clientsSection = ({ publicUrl = exampleOrigin }: Shown): GuideSection => ({
  id: 'typed-clients',
  title: 'A typed client',
  blocks: [
    text(
      'Generators make a client with types from the OpenAPI description. Those of the TypeScript world need TypeScript 5 where they run (7 lacks the interface that they write by); what they make compiles with either:',
    ),
    {
      kind: 'code',
      language: 'sh',
      code: `npm install --save-dev typescript@5 openapi-typescript\nnpm install openapi-fetch\nnpx openapi-typescript ${publicUrl}${basePath}/openapi.json --output domesday.ts`,
    },
    text(
      '`createClient<paths>` of `openapi-fetch` then knows every parameter, answer and error. `@hey-api/openapi-ts` works as well.',
    ),
  ],
});

const furtherSections: readonly GuideSection[] = [
  {
    id: 'answers',
    title: 'Answers',
    blocks: [
      text(
        'A success has `success: true`, the answer in `data`, and `billing` when the endpoint costs credits. Endpoints marked “no data wrapper” put their members beside `success` instead.',
      ),
      text(
        'A failure has `success: false` and an `error`. Decide by `code`, which never changes; `message` says what to do and may be reworded. Some codes add members of their own.',
      ),
      json({
        success: false,
        error: {
          code: 'INVALID_LIMIT',
          message: 'Send `limit` as a whole number from 1 to 500.',
          field: 'limit',
          requestId: 'mhzlx2k0a-5f0c4d579a3c-00001f',
          docs: '/docs/errors/INVALID_LIMIT',
        },
      }),
      text('What is unknown is `null` or an honest error, never a made-up 0.'),
    ],
  },
  {
    id: 'credits',
    title: 'Credits',
    blocks: [
      text(
        'Each endpoint names its cost. Only a 200 is ever charged: errors, 304 replies and test keys cost nothing. An empty answer is charged too, unless the data could not have had another (`X-Data-Coverage: none; …`). A balance that does not cover the call gives `INSUFFICIENT_CREDITS`.',
      ),
      terms(
        ['X-Credits-Charged', 'credits this call cost; 0 unless it was charged'],
        ['X-Credits-Remaining', 'balance after the call'],
        ['X-Credits-Refresh-At', 'next monthly refresh; absent when the balance does not renew'],
      ),
      text(
        'These headers stand on every reply to a valid key. `billing` repeats them in the body. `/account` tells where the account stands, and `/account/usage` what was called and spent, by day, endpoint, key and status; both are free.',
      ),
    ],
  },
  {
    id: 'repeating',
    title: 'Sending a call again',
    blocks: [
      text(
        'A connection that breaks leaves open whether the call was charged. Send `Idempotency-Key` with a name of your own for the call (1 to 255 visible ASCII characters without spaces, such as a UUID): the same call sent again within 24 hours is charged once, however often and however closely together it comes, and whichever key of the account sends it.',
      ),
      terms(
        [
          'Idempotent-Replayed: true',
          'an earlier call paid for this answer; `X-Credits-Charged` and `billing.creditsCharged` are 0, and an empty balance is enough',
        ],
        [
          'The same call',
          'the same path and parameters, compared by what they mean: their order, the spelling of a postcode and unknown parameters do not matter. Anything else under the same key is `INVALID_PARAMETER`',
        ],
        [
          'What answers',
          'the data of now, not a copy of the first answer; an error is free, and the key stays paid for',
        ],
        [
          'What is not remembered',
          'whatever was not charged: errors, 304 replies, free answers and test keys. Sent again, such a call is a new one',
        ],
      ),
      text(
        'A call sent again counts against the rate limits. If the service knows before the charge that your connection is gone, nothing is charged; after that the charge stands. Closing only your own side of the connection is no hanging up: every call you have sent is answered.',
      ),
    ],
  },
  {
    id: 'rate-limits',
    title: 'Rate limits',
    blocks: [
      text(
        'Your plan limits calls per minute, per UTC day and per UTC calendar month. The limits belong to the account, so more keys give no more calls. Every call with a valid key counts, whatever its outcome. Calls by the public sandbox key are counted per address instead: nobody uses up your minute. Pages of the service itself have a count of their own there, 120 a minute and 2,000 a day.',
      ),
      terms(
        ['X-RateLimit-Limit', 'calls allowed in a minute; absent when there is no limit'],
        ['X-RateLimit-Remaining', 'calls left in this minute'],
        ['X-RateLimit-Reset', 'when this minute ends, in Unix seconds'],
        ['RateLimit-Policy, RateLimit', 'every window with its limit, as the IETF draft writes it'],
      ),
      text('Past a limit you get `RATE_LIMITED`; wait the seconds in `Retry-After`.'),
    ],
  },
  {
    id: 'sandbox',
    title: 'Sandbox',
    blocks: [
      text(
        'A test key is answered from the sandbox: a made-up town in postcode area `ZZ`, which is allocated to no real place. It has its own limits, those of the Basic plan, and `billing.mode` is `sandbox`. Live keys never see it.',
      ),
      terms(...sandboxPostcodes),
      text(
        'To rehearse a failure, send `X-Sandbox-Outcome` with any error code of the endpoint; the reply is then that error. Live keys ignore the header.',
      ),
    ],
  },
  {
    id: 'browsers',
    title: 'From a web page',
    blocks: [
      text(
        'A page of another origin may call every endpoint by `fetch`. What it can read of the reply depends on the key:',
      ),
      terms(
        ['dd_test_…', 'any page; free, and answered from the sandbox'],
        [
          'dd_pub_…',
          'pages of the origins that the key is bound to, and the endpoints that it is bound to (those of your account only where it was made for them by name); spends credits like a live key. Anywhere else it is `KEY_NOT_ALLOWED`. Ask whoever runs the service for one, and name your origins, such as `https://www.example.com` and `http://localhost:3000`',
        ],
        ['dd_live_…', 'no page: the browser keeps the reply from it. A live key belongs on a server'],
      ),
      text(
        'Every header of a reply can be read, and so can every error, but for those of a live key and of a page that the key is not bound to. Leave `credentials` out. The preflight is free and counts as no call.',
      ),
      text(
        'Everybody who opens a page can read its key. The origin keeps other pages from using it, not programs: let it stand for an account whose credits and limits you can spare.',
      ),
    ],
  },
  {
    id: 'caching',
    title: 'Caching',
    blocks: [
      text(
        'Successful answers of endpoints carry an `ETag`, but for those about your account, which are never to be kept; batches, `/datasets` and `openapi.json` have none. Send it back in `If-None-Match`: while nothing has changed the reply is an empty 304, free of credits. `Cache-Control` says how long a copy may be used without asking.',
      ),
      text(
        'Answers of 4 kB and more are compressed for whoever sends `Accept-Encoding` with `zstd`, `br` or `gzip` (`curl --compressed`); weights (`q`) are obeyed, and the ETag is the same in every coding. Shorter ones are sent as they are, unless `identity;q=0` rules that out and one of the three is taken; where none is, every answer is sent as it is all the same.',
      ),
    ],
  },
  {
    id: 'tracing',
    title: 'Request ids and data',
    blocks: [
      terms(
        [
          'X-Request-Id',
          'names the request in the log and in `error.requestId`; quote it when you report a problem. Send your own to have it echoed',
        ],
        ['X-Data-Release', 'id of the data release that answered'],
        [
          'X-Data-As-Of',
          'newest day of the dataset that the answer rests on; `/area/statistics` rests on several, and tells the day of the oldest. `/api/v1/datasets` has the day of each. Absent where a live service answered, or the ledger',
        ],
        ['X-Data-Source', 'short name of its publisher, or of all of them'],
        [
          'X-Data-Coverage',
          'what the data lacks: `sample` where any dataset that the answer rests on is one, `partial; …` with what is missing, `none; …` with why there is nothing. Absent where nothing is lacking',
        ],
      ),
      text(
        `\`GET ${basePath}/datasets\` lists every dataset with licence and attribution, what of its content is lacking (\`lacks\`), and those that are not loaded with the fields that they would fill (\`fields\`); \`GET ${basePath}/openapi.json\` is this reference as OpenAPI 3.1. Neither needs a key.`,
      ),
      text(
        "Of a dataset, `coverage` says what is loaded, and `extent` how much that is: `complete` (from the publisher's files, and nothing is known to be missing), `partial` (something is known to be missing), `sample` (bundled with the service) or `fictional` (made up).",
      ),
    ],
  },
];
