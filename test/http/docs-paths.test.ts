// The addresses of the documentation: each answers GET and HEAD without a key, and one that is slightly off is led to the
// right one.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { errorCodes } from '../../src/errors.ts';
import { openRig, type Rig } from '../rig.ts';

let rig: Rig;
before(async () => {
  rig = await openRig();
});
after(() => rig.close());

test('every error code has a page of its own under the strict content policy, for GET and HEAD', async () => {
  for (const path of ['/docs', '/docs/errors', ...errorCodes.map((code) => `/docs/errors/${code}`)]) {
    for (const method of ['GET', 'HEAD'] as const) {
      const { statusCode, headers } = await rig.app.inject({ method, url: path });
      assert.equal(statusCode, 200, `${method} ${path}`);
      assert.match(String(headers['content-type']), /^text\/html/);
      assert.match(String(headers['content-security-policy']), /^default-src 'none'; script-src 'self';/);
    }
  }
});

const withCalls = ['/docs', '/docs/errors/INVALID_LIMIT'];

test('calls in the pages go to the host that was asked, so that they can be copied where no script runs', async () => {
  for (const host of [
    'data.example.com',
    'localhost:9000',
    '10.0.0.7:80',
    '[2001:db8::1]:8080',
    'my_app:1',
  ]) {
    for (const url of withCalls) {
      const { body } = await rig.app.inject({ url, headers: { host } });
      const calls = body.match(/curl -H .*/g) ?? [];
      assert.ok(calls.length > 0);
      for (const call of calls) assert.ok(call.includes(`http://${host}/api/v1/`), call);
      assert.doesNotMatch(body, /127\.0\.0\.1/);
    }
  }
});

test('nothing of a Host that is no plain name or address comes into the pages', async () => {
  const [page = ''] = withCalls;
  const { body: untouched } = await rig.app.inject({ url: page, headers: { host: '$' } });
  const hostile = fc.tuple(
    fc.constantFrom('', 'a', 'example.com', '[::1]', 'a:80'),
    fc.constantFrom(...`<>"'\`$;&|(){}\\/ @?#%*!,=`),
    fc.constantFrom('', 'a', 'b:80', 'script'),
  );
  await fc.assert(
    fc.asyncProperty(hostile, async (pieces) => {
      // What ends with a space is sent without it.
      fc.pre(pieces.join('') === pieces.join('').trim());
      const { body } = await rig.app.inject({ url: page, headers: { host: pieces.join('') } });
      assert.ok(body === untouched, pieces.join(''));
    }),
  );
});

test('an unknown code is a 404 page that leads to the list and runs nothing of what was asked', async () => {
  for (const named of [
    'NO_SUCH_CODE',
    'a/b',
    '%3Cscript%3Ealert(1)%3C/script%3E',
    'constructor',
    '__proto__',
  ]) {
    const { statusCode, headers, body } = await rig.get(`/docs/errors/${named}`);
    assert.equal(statusCode, 404, named);
    assert.match(String(headers['content-type']), /^text\/html/);
    assert.ok(headers['content-security-policy']);
    assert.match(body, /href="\/docs\/errors"/);
    assert.doesNotMatch(body, /<script/i);
  }
});

test('an address that is slightly off is led to the right one for good, with its query', async () => {
  const asked = {
    '/docs/': '/docs',
    '/docs/?q=1&r=%20': '/docs?q=1&r=%20',
    '/docs/errors/': '/docs/errors',
    '/docs/errors/invalid_limit': '/docs/errors/INVALID_LIMIT',
    '/docs/errors/INVALID_LIMIT/': '/docs/errors/INVALID_LIMIT',
  };
  for (const [url, location] of Object.entries(asked)) {
    for (const method of ['GET', 'HEAD'] as const) {
      const { statusCode, headers } = await rig.app.inject({ method, url });
      assert.deepEqual([statusCode, headers.location], [308, location], url);
    }
  }
});
