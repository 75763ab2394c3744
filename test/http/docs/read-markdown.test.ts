// What a guide may be written in: each part of its Markdown becomes the block that it is meant to be, nothing in it can be HTML,
// and a name that stands for nothing is refused.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { heading, list, note, table, terms, text } from '../../../src/http/docs/blocks.ts';
import { blocksOf, guideNames } from '../../../src/http/docs/guides.ts';
import { html, prose } from '../../../src/http/docs/html.ts';

const written = `A paragraph that
goes on.

## A part
## Another part {#other}
Right below it.
- an item
  that goes on

- \`code\`: and more

> A note
> of two lines.

- \`one\`: its meaning
- \`two\`, \`three\`: their
  meaning

| Head | Other |
| --- | --- |
| a \\| b | \`c\` |

\`\`\`js
const a = 1;

## no part
\`\`\`
`;

test('each part of a guide becomes what it is meant to be', () => {
  assert.deepEqual(blocksOf(written), [
    text('A paragraph that goes on.'),
    heading('A part', 'a-part'),
    heading('Another part', 'other'),
    text('Right below it.'),
    list('an item that goes on', '`code`: and more'),
    note('A note of two lines.'),
    terms(['`one`', 'its meaning'], ['`two`, `three`', 'their meaning']),
    table(['Head', 'Other'], [['a | b', '`c`']]),
    { kind: 'code', language: 'js', code: 'const a = 1;\n\n## no part' },
  ]);
});

const fence = (language: string, ...lines: readonly string[]) =>
  [`\`\`\`${language}`, ...lines, '```'].join('\n');

test('a call has its parameters, headers and body, and an answer its status, headers and body', () => {
  const get = {
    method: 'GET',
    path: '/a',
    params: [['q', 'x y'] as const, ['limit', 2] as const],
    headers: {},
  };
  assert.deepEqual(blocksOf(fence('call', 'GET /a?q=x y&limit=2')), [{ kind: 'call', call: get }]);
  assert.deepEqual(blocksOf(fence('call', 'POST /b', 'Accept: text/csv', '', '{ "c": [1] }')), [
    {
      kind: 'call',
      call: { method: 'POST', path: '/b', params: [], headers: { Accept: 'text/csv' }, body: { c: [1] } },
    },
  ]);
  assert.deepEqual(blocksOf(fence('answer', '{ "a": 1 }')), [
    { kind: 'answer', status: 200, headers: {}, body: { json: { a: 1 } } },
  ]);
  assert.deepEqual(blocksOf(fence('answer', '402', 'X-A: b: c', '', 'a,b', '', '1,2')), [
    { kind: 'answer', status: 402, headers: { 'X-A': 'b: c' }, body: { text: 'a,b\n\n1,2' } },
  ]);
  for (const call of ['DELETE /a', 'POST /a', '/a', '']) assert.throws(() => blocksOf(fence('call', call)));
  assert.throws(() => blocksOf(fence('answer', '{ "a" }')));
});

test('a name stands for a word or a table, one that is absent takes its paragraph along, and an unknown one is refused', () => {
  const plans = table(['Plan'], [['Basic']]);
  const values = { word: '$& `x`', plans, here: '', absent: undefined };
  const guide = '{{here}} Say {{word}},\n{{word}}.\n\n{{absent}} Not\nthis.\n\n{{plans}}\n\nThe end.';
  assert.deepEqual(blocksOf(guide, values), [text('Say $& `x`, $& `x`.'), plans, text('The end.')]);
  for (const name of ['none', 'toString', '__proto__'])
    assert.throws(() => blocksOf(`Say {{${name}}}.`, values), { message: new RegExp(`names {{${name}}}`) });
});

test('HTML in a guide is shown as it is written', () => {
  const hostile = '<script>alert(1)</script> & [a](javascript:alert(1)) <a href="https://example.com">b</a>';
  assert.deepEqual(blocksOf(hostile), [text(hostile)]);
  const markup = html`${prose(hostile)}`.html;
  assert.doesNotMatch(markup, /<(script|a)\b/);
  assert.match(markup, /^&lt;script&gt;alert/);
});

test('every file among the guides is a page', () => {
  const files = readdirSync(new URL('../../../docs/guides', import.meta.url)).map((file) =>
    file.replace('.md', ''),
  );
  assert.deepEqual(files.toSorted(), [...guideNames, 'reference', 'start'].toSorted());
});
