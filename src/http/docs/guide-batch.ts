// The part of the guide that tells of batches.

import { batchBounds } from '../../contract/batch.ts';
import { basePath } from '../../contract/endpoint.ts';
import {
  exampleOrigin,
  type GuideBlock,
  type GuideSection,
  json,
  type Shown,
  terms,
  text,
} from './guide-blocks.ts';

const batchBody = (body: unknown, { publicKey, publicUrl = exampleOrigin }: Shown): GuideBlock => {
  const key = publicKey === undefined ? '-H "X-API-Key: $DOMESDAY_KEY"' : `-H 'X-API-Key: ${publicKey}'`;
  const code = `curl ${key} -H 'Content-Type: application/json' '${publicUrl}${basePath}/batch' -d '${JSON.stringify(body)}'`;
  return { kind: 'code', language: 'sh', code };
};

const megabytes = batchBounds.answerBytesMax / 2 ** 20;

export const batchSection = (shown: Shown): GuideSection => ({
  id: 'batch',
  title: 'Many calls at once',
  blocks: [
    text(
      `\`POST ${basePath}/batch\` takes 1 to ${batchBounds.callsMost} calls in one request, of any endpoints. Each is answered in the order sent, with the status and body that it would have by itself, counts as one call in every window, and is charged by itself.`,
    ),
    batchBody(
      {
        calls: [
          { path: '/bank-rates', params: { limit: 1 } },
          { path: '/council-tax/lookup', params: { postcode: 'ZZ9 9ZZ' }, idempotencyKey: 'order-7' },
        ],
      },
      shown,
    ),
    json({
      success: true,
      results: [
        {
          status: 200,
          creditsCharged: 0,
          headers: { 'X-Data-As-Of': '2026-09-21', 'X-Data-Source': 'Bank of England' },
          body: { success: true, '…': 'as by itself' },
        },
        {
          status: 404,
          creditsCharged: 0,
          headers: {
            'X-Data-As-Of': '2026-03-25',
            'X-Data-Source': 'MHCLG, Welsh Government, Scottish Government',
          },
          body: { success: false, error: { code: 'POSTCODE_NOT_FOUND', '…': 'as by itself' } },
        },
      ],
      billing: { mode: 'sandbox', creditsCharged: 0, creditsRemaining: 0, creditsRefreshAt: null },
    }),
    text('One path for many postcodes has a short form; `params` are those of every call:'),
    batchBody({ path: '/council-tax/lookup', postcodes: ['ZZ1 1AA', 'ZZ1 1AB', 'ZZ3 1AA'] }, shown),
    terms(
      [
        'results[].status, body',
        'look at each: the batch is 200 also where calls of it are refused (`RATE_LIMITED` and `INSUFFICIENT_CREDITS` too)',
      ],
      [
        'results[].headers',
        '`X-Data-As-Of`, `X-Data-Source`, `X-Data-Coverage`, `Idempotent-Replayed` and `Retry-After` of the call, where it has them',
      ],
      ['billing', 'what all calls together cost, and where that leaves the account'],
      [
        'idempotencyKey',
        'names one call, as `Idempotency-Key` does by itself. The header `Idempotency-Key` on the batch names all of its calls, each by its place: the same batch sent again is charged for what was not charged the first time',
      ],
      [
        'sandboxOutcome',
        'of a call, with a test key: that error of its endpoint, or `BATCH_EXHAUSTED`. The header `X-Sandbox-Outcome` rehearses errors of the whole',
      ],
      [
        'What is refused whole',
        'an unknown key, and what cannot be read: the body, the number of calls, a member of the wrong type or with an unknown name. `error.field` says where (`calls[3].path`); nothing is charged, and it counts as one call',
      ],
      [
        'What is refused by itself',
        'an unknown path (`NOT_FOUND`), a batch in a batch, and whatever the endpoint refuses. Unknown names in `params` are ignored, as ever',
      ],
      [
        'Bounds',
        `a body of ${batchBounds.bodyBytesMax / 1024} kB, ${megabytes} MB of answers, ${batchBounds.secondsMost} seconds. Calls past the last two are \`BATCH_EXHAUSTED\` and not charged: send them again`,
      ],
    ),
    text(
      'All charges of a batch are one commit. If the service knows before it that your connection is gone, nothing of the batch is charged. Answers are JSON; `If-None-Match` has no meaning here.',
    ),
  ],
});
