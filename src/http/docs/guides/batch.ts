// Guide: many calls in one request.

import { batchBounds } from '../../../contract/batch.ts';
import { basePath } from '../../../contract/endpoint.ts';
import { answer, type Guide, heading, list, post, terms, text } from '../blocks.ts';

const megabytes = batchBounds.answerBytesMax / 2 ** 20;

export const batch: Guide = {
  name: 'batch',
  title: 'Many calls at once',
  summary: `Send up to ${batchBounds.callsMost} calls in one request. Each is answered and charged as if it came alone.`,
  blocks: () => [
    text(
      `\`POST ${basePath}/batch\` takes 1 to ${batchBounds.callsMost} calls of any endpoints. The answers come in the order of the calls:`,
    ),
    post('/batch', {
      calls: [
        { path: '/bank-rates', params: { limit: 1 } },
        { path: '/council-tax/lookup', params: { postcode: 'ZZ9 9ZZ' }, idempotencyKey: 'order-7' },
      ],
    }),
    answer({
      success: true,
      results: [
        {
          status: 200,
          creditsCharged: 0,
          headers: { 'X-Data-As-Of': '…', 'X-Data-Source': 'Bank of England', '…': '' },
          body: { success: true, '…': '' },
        },
        {
          status: 404,
          creditsCharged: 0,
          headers: { 'X-Data-As-Of': '…', 'X-Data-Source': '…', '…': '' },
          body: { success: false, error: { code: 'POSTCODE_NOT_FOUND', '…': '' } },
        },
      ],
      billing: { mode: 'sandbox', creditsCharged: 0, creditsRemaining: 0, creditsRefreshAt: null },
    }),
    text(
      'Look at the status of each result. The batch itself is 200 even if some of its calls were refused, for example because a limit was reached or the credits ran out.',
    ),
    heading('One path, many postcodes', 'postcodes'),
    text('There is a short form. `params` are those of every call, and you can leave it out:'),
    post('/batch', { path: '/council-tax/lookup', postcodes: ['ZZ1 1AA', 'ZZ1 1AB', 'ZZ3 1AA'] }),
    heading('What a result has'),
    terms(
      ['`status`, `body`', 'as if the call had come alone'],
      ['`creditsCharged`', 'what this call cost'],
      [
        '`headers`',
        '`X-Data-As-Of`, `X-Data-Source`, `X-Data-Coverage`, `Link` (the next page), `Idempotent-Replayed` and `Retry-After` of the call, if it has them',
      ],
    ),
    text('`billing` beside `results` says what all calls cost together, and where that leaves the account.'),
    heading('What a call may have'),
    terms(
      [
        '`idempotencyKey`',
        'names this call, as [`Idempotency-Key`](/docs/guides/errors#idempotency) does for a single one. The header on the batch names all of its calls, each by its place: if you send the same batch again, you pay only for what was not charged the first time',
      ],
      [
        '`sandboxOutcome`',
        'with a test key: the error that this call shall have, or `BATCH_EXHAUSTED`. The header `X-Sandbox-Outcome` rehearses errors of the whole batch',
      ],
    ),
    heading('What is refused'),
    list(
      'The whole batch: an unknown key, and what cannot be read, such as broken JSON, too many calls, or an unknown member. `error.field` says where (`calls[3].path`). Nothing is charged, and it counts as one call.',
      'One call alone: an unknown path, a batch in a batch, and whatever the endpoint refuses. The other calls are answered.',
    ),
    heading('Bounds'),
    text(
      `A body may have ${batchBounds.bodyBytesMax / 1024} kB, all answers together ${megabytes} MB, and the work ${batchBounds.secondsMost} seconds. Calls past the last two get \`BATCH_EXHAUSTED\` and cost nothing: send them again.`,
    ),
    list(
      'Each call counts as one in every window of the [limits](/docs/guides/credits#limits).',
      'All charges of a batch are written together. If the service sees before that that your connection is gone, nothing of the batch is charged.',
      'Batches are JSON; `If-None-Match` has no meaning here.',
    ),
  ],
};
