// Whether to send a call again: the guide says of every code what the page of the code says, and both what a reply shows.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endpoints } from '../../../src/endpoints/index.ts';
import { type ErrorCode, errorCodes, errors } from '../../../src/errors.ts';
import { openRig, type Rig } from '../../rig.ts';

let rig: Rig;
before(async () => {
  rig = await openRig();
});
after(() => rig.close());

const markdownAt = async (path: string) =>
  (await rig.get(`${path}.md`)).body.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');

async function wordsOfPage(code: ErrorCode): Promise<string> {
  const [, words = ''] = /^## Send it again\?\n+(.+)$/m.exec(await markdownAt(`/docs/errors/${code}`)) ?? [];
  assert.notEqual(words, '', code);
  return words;
}

/** "503 except `A` and `B`", "502 `C`" or "400". */
function isAbout(part: string, code: ErrorCode): boolean {
  const [, status, except, named = ''] = /^(\d{3})( except)?(.*)$/.exec(part) ?? [];
  if (Number(status) !== errors[code].status) return false;
  const isNamed = named.includes(`\`${code}\``);
  return except === undefined ? isNamed || named === '' : !isNamed;
}

test('the table of the guide has every code in one row, with the words of its page', async () => {
  const rows = [...(await markdownAt('/docs/guides/errors')).matchAll(/^\| (\d{3}.*?) \| (.*?) \|$/gm)].map(
    ([, statuses = '', words = '']) => ({ statuses, words }),
  );
  for (const code of errorCodes) {
    const about = rows.filter(({ statuses }) => statuses.split(', ').some((part) => isAbout(part, code)));
    assert.deepEqual(
      about.map(({ words }) => words),
      [await wordsOfPage(code)],
      code,
    );
  }
});

test('a code that says how long to wait has words about Retry-After, and no other', async () => {
  for (const code of errorCodes) {
    const endpoint = endpoints.find((each) => each.errors.includes(code));
    if (endpoint === undefined) continue;
    const { key } = await rig.customer({ mode: 'test' });
    const url = `/api/v1${endpoint.path}`;
    const headers = { 'x-api-key': key, 'x-sandbox-outcome': code, 'content-type': 'application/json' };
    const { method } = endpoint;
    const reply = await rig.app.inject({ method, url, headers, ...(method === 'POST' && { payload: '{}' }) });
    assert.equal(reply.json().error.code, code);
    const isTold = reply.headers['retry-after'] !== undefined;
    assert.equal((await wordsOfPage(code)).includes('Retry-After'), isTold, code);
  }
});
