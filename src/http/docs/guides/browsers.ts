// Guide: calling from a web page.

import { exampleOrigin, type Guide, heading, list, note, table, text } from '../blocks.ts';

export const browsers: Guide = {
  name: 'browsers',
  title: 'From a web page',
  summary: 'Call the API by fetch from your own pages, with a key that is made for them.',
  blocks: ({ publicKey = 'dd_test_…', publicUrl = exampleOrigin }) => [
    text('A page of any origin can call every endpoint. You need no proxy of your own:'),
    {
      kind: 'code',
      language: 'js',
      code: `const reply = await fetch('${publicUrl}/api/v1/bank-rates?limit=1', {
  headers: { 'X-API-Key': '${publicKey}' },
});
const { success, current, error } = await reply.json();
document.querySelector('output').value = success ? \`\${current.rate} %\` : error.message;`,
    },
    heading('Which key'),
    table(
      ['Key', 'Pages that can read the reply'],
      [
        ['`dd_test_…`', 'Any page. Test calls are free and answered from the sandbox.'],
        ['`dd_pub_…`', 'Pages of the origins that the key is bound to. It spends credits like a live key.'],
        ['`dd_live_…`', 'None: the browser keeps the reply from the page. A live key belongs on a server.'],
      ],
    ),
    heading('A publishable key'),
    text(
      'Make one in the [dashboard](/account) and name the origins of your pages, such as `https://www.example.com` and `http://localhost:3000`. You can also name the endpoints that it is for. Anywhere else it gives `KEY_NOT_ALLOWED`. It answers `/account` and `/account/usage` only if you name them.',
    ),
    note(
      'Everybody who opens your page can read its key. The origin keeps other pages from using it, but not programs. Use an account whose credits and limits you can spare.',
    ),
    heading('What a page can read'),
    list(
      'Every header of a reply, and every error. A page that the key is not bound to reads nothing.',
      'Leave `credentials` out: no cookie is ever read.',
      'The preflight that the browser sends first is free and counts as no call.',
      'For an [`Idempotency-Key`](/docs/guides/errors#idempotency) use `crypto.randomUUID()`.',
    ),
  ],
};
