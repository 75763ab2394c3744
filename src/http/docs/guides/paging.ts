// Guide: how to walk through a list that is longer than a page.

import { answer, type Guide, get, heading, list, text } from '../blocks.ts';

export const paging: Guide = {
  name: 'paging',
  title: 'Paging',
  summary: 'Walk through long lists by following the Link header.',
  blocks: () => [
    text(
      'A list comes in pages of `limit` items. While there is more, the reply has a `Link` header with the address of the next page:',
    ),
    get('/bank-rates', { limit: 2 }),
    answer(
      {
        success: true,
        '…': '',
        rateChanges: [
          { date: '2025-12-18', rate: 3.75 },
          { date: '2025-08-07', rate: 4 },
        ],
      },
      { Link: '</api/v1/bank-rates?endDate=2025-05-08&limit=2>; rel="next"' },
    ),
    text('The last page has no `Link`. So follow the links until there is none:'),
    {
      kind: 'code',
      language: 'js',
      code: `async function* pages(url, key) {
  while (url !== undefined) {
    const reply = await fetch(url, { headers: { 'X-API-Key': key } });
    yield await reply.json();
    const next = /<([^>]*)>; rel="next"/.exec(reply.headers.get('Link') ?? '')?.[1];
    url = next === undefined ? undefined : new URL(next, url).href;
  }
}`,
    },
    heading('Good to know'),
    list(
      'The address may be relative, as above. Resolve it against the address that you asked.',
      'Use the address as it is. It keeps your other parameters and knows where the next page begins.',
      'Each page is a call: it counts, and costs what the endpoint costs.',
      'A link never leads to an empty page.',
      'JSON and CSV have the same links.',
    ),
    text(
      'If new data is loaded while you walk, `X-Data-Release` changes between two pages. Begin again if every item must be there once.',
    ),
  ],
};
