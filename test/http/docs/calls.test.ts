// Every call that a page shows can be copied and run, and is answered what stands below it. Read from the Markdown of the
// pages, as a reader would copy them.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, before, test } from 'node:test';
import { openRig, type Rig } from '../../rig.ts';
import { textOf } from './read-page.ts';

let rig: Rig;
before(async () => {
  rig = await openRig();
  await rig.accounts.openPublicSandbox(rig.clock.nowMs);
});
after(() => rig.close());

type Copied = { readonly line: string; readonly shown: string | undefined };

/** Calls with the answer that follows, where one does. */
function callsIn(markdown: string): readonly Copied[] {
  const fences = [...markdown.matchAll(/^```(\w+)\n([\s\S]*?)\n```$/gm)].map(
    ([, language = '', code = '']) => ({
      language,
      code,
    }),
  );
  return fences.flatMap(({ language, code }, place) => {
    if (language !== 'sh' || !code.startsWith('curl ')) return [];
    const next = fences[place + 1];
    const isAnswer = next !== undefined && ['json', 'http'].includes(next.language);
    return [{ line: code, shown: isAnswer ? next.code : undefined }];
  });
}

/** What a shell would hand to curl. */
function readCurl(line: string) {
  const words = [...line.replaceAll('\\\n', ' ').matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? '',
  );
  const headers: Record<string, string> = {};
  let url = '';
  let body: string | undefined;
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '-H') {
      const [, name = '', value = ''] = /^([^:]+): (.*)$/.exec(words[at + 1] ?? '') ?? [];
      headers[name.toLowerCase()] = value;
      at += 1;
    } else if (word === '-d') {
      body = words[at + 1];
      at += 1;
    } else {
      assert.equal(url, '', `two addresses in ${line}`);
      url = word;
    }
  }
  return { url: new URL(url), headers, body };
}

let calls = 0;
async function run(line: string) {
  const { url, headers, body } = readCurl(line);
  calls += 1;
  // Each from an address of its own, whose minute is not used up.
  const remoteAddress = `198.51.${Math.floor(calls / 200)}.${calls % 200}`;
  const target = `${url.pathname}${url.search}`;
  return body === undefined
    ? rig.app.inject({ url: target, headers, remoteAddress })
    : rig.app.inject({ method: 'POST', url: target, headers, payload: body, remoteAddress });
}

/** Status, headers and body of an answer as it is shown. JSON alone is a success. */
function readShown(shown: string) {
  const [, status, rest = ''] = /^HTTP\/1\.1 (\d+) [^\n]*\n?([\s\S]*)$/.exec(shown) ?? [];
  if (status === undefined) return { status: 200, headers: [], body: shown };
  const [head = '', ...bodies] = `\n${rest}`.split('\n\n');
  const headers = [...head.matchAll(/^([^:\n]+): (.*)$/gm)].map(
    ([, name = '', value = '']) => [name, value] as const,
  );
  return { status: Number(status), headers, body: bodies.join('\n\n') };
}

/** Names of what is of the call, not of the data. */
const ofTheCall = new Set(['requestId', 'executionTime']);

/** Equal, but that `…` stands for what was left out: in a text, or as a member beside others. */
function assertSame(shown: unknown, told: unknown, where: string): void {
  if (typeof shown === 'string' && shown.includes('…')) {
    const pattern = shown
      .split('…')
      .map((part) => part.replace(/\W/g, '\\$&'))
      .join('[^]*');
    assert.match(String(told), new RegExp(`^${pattern}$`), where);
  } else if (Array.isArray(shown)) {
    assert.ok(Array.isArray(told), where);
    assert.equal(shown.length, told.length, where);
    for (const [at, item] of shown.entries()) assertSame(item, told[at], `${where}[${at}]`);
  } else if (typeof shown === 'object' && shown !== null) {
    assert.ok(typeof told === 'object' && told !== null, where);
    const members = new Map(Object.entries(told));
    const names = Object.keys(shown).filter((name) => name !== '…');
    if (!('…' in shown)) assert.deepEqual(names.toSorted(), [...members.keys()].toSorted(), where);
    for (const [name, value] of Object.entries(shown)) {
      if (name === '…') continue;
      if (ofTheCall.has(name)) assert.equal(typeof members.get(name), typeof value, `${where}.${name}`);
      else assertSame(value, members.get(name), `${where}.${name}`);
    }
  } else assert.equal(told, shown, where);
}

test('every call on every page can be run as it stands, and is answered what is shown', async () => {
  const index: readonly (readonly [string])[] = (await rig.get('/docs/search.json')).json();
  const pages = new Set(index.map(([href]) => href.replace(/#.*/, '')));
  let compared = 0;
  for (const page of pages) {
    const { statusCode, body: markdown } = await rig.get(`${page}.md`);
    assert.equal(statusCode, 200, page);
    for (const { line, shown } of callsIn(markdown)) {
      const reply = await run(line);
      if (shown === undefined) {
        assert.equal(reply.statusCode, 200, `${page} ${line} ${reply.body}`);
        continue;
      }
      const { status, headers, body } = readShown(shown);
      assert.equal(reply.statusCode, status, `${page} ${line} ${reply.body}`);
      for (const [name, value] of headers) {
        // The address that was asked may stand in the text.
        assertSame(value, reply.headers[name.toLowerCase()], `${page} ${name}`);
      }
      const isJson = String(reply.headers['content-type']).startsWith('application/json');
      if (isJson) assertSame(JSON.parse(body), reply.json(), `${page} ${line}`);
      else assert.equal(body.trimEnd(), reply.body.replaceAll('\r\n', '\n').trimEnd(), page);
      compared += 1;
    }
  }
  assert.ok(compared > 50, `only ${compared} answers were compared`);
});

test('the same calls in TypeScript run as they stand', async () => {
  const address = await rig.app.listen({ port: 0, host: '127.0.0.1' });
  for (const path of ['/docs/guides/paging', '/docs/guides/csv', '/docs/guides/batch']) {
    const page = await (await fetch(`${address}${path}`)).text();
    const samples = page.split('<pre tabindex="0" aria-label="TypeScript">').slice(1);
    assert.ok(samples.length > 0, path);
    for (const sample of samples) {
      const [code = ''] = sample.split('</pre>');
      const { out, err } = await runTypeScript(textOf(code));
      assert.equal(err, '', path);
      assert.match(out, /success: true|date,rate/, path);
    }
  }
});

function runTypeScript(code: string): Promise<{ readonly out: string; readonly err: string }> {
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-'], { stdio: 'pipe' });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk;
  });
  child.stdin.end(code);
  return new Promise((resolve) => {
    child.on('close', () => resolve({ out, err }));
  });
}

test('a call that the page does not show rightly would be told', () => {
  const shown = { success: true, '…': '', list: [{ rate: 4 }], id: 'W/"…"' };
  assertSame(shown, { success: true, more: 1, list: [{ rate: 4 }], id: 'W/"x"' }, 'same');
  for (const told of [
    { success: false, list: [{ rate: 4 }], id: 'W/"x"' },
    { success: true, list: [{ rate: 5 }], id: 'W/"x"' },
    { success: true, list: [{ rate: 4, more: 1 }], id: 'W/"x"' },
    { success: true, list: [], id: 'W/"x"' },
    { success: true, list: [{ rate: 4 }], id: 'x' },
  ]) {
    assert.throws(() => assertSame(shown, told, 'other'));
  }
});
