// Guide: how to keep an answer, and how to ask whether it is still good.

import { answer, type Guide, get, heading, list, text } from '../blocks.ts';

export const caching: Guide = {
  name: 'caching',
  title: 'Caching',
  summary: 'Keep an answer, and ask for free whether it still holds.',
  blocks: () => [
    text(
      'An answer carries an `ETag`, which names its version, and `Cache-Control`, which says how long you may use it without asking:',
    ),
    get('/bank-rates', { limit: 1 }),
    answer({ success: true, '…': '' }, { ETag: 'W/"…"', 'Cache-Control': 'private, max-age=3600' }),
    heading('Ask whether it still holds'),
    text(
      'Send the ETag back in `If-None-Match`. While nothing has changed, the reply is an empty `304 Not Modified` and costs nothing. Once the answer has changed, you get the new one for the usual price.',
    ),
    text(
      'A `304` may leave out the headers that say where the data is from (`X-Data-As-Of`, `X-Data-Source`, `X-Data-Coverage`, `Link`). Keep those of the answer that you have: they are still right.',
    ),
    list(
      'An ETag changes when new data is loaded, and at midnight in London.',
      'A table has an ETag of its own: [CSV](/docs/guides/csv) and JSON are two versions.',
      'The ETag is the same in every compression.',
    ),
    heading('What has no ETag'),
    text(
      'Answers about your account, batches, and answers that a live service told are never to be kept. They have `Cache-Control: no-store` and no ETag.',
    ),
    heading('Compression'),
    text(
      'Send `Accept-Encoding` with `zstd`, `br` or `gzip`, and answers of 4 kB or more come compressed. Most HTTP libraries do so by themselves; with curl add `--compressed`. Shorter answers are sent as they are.',
    ),
  ],
};
