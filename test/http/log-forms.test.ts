// The log in both forms, for programs and for people: nothing odd stops it, no key is in it, and nothing in it is obeyed by
// a terminal.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import fc from 'fast-check';
import { Laps } from '../../src/http/observe/laps.ts';
import { Log } from '../../src/http/observe/log.ts';
import { jsonLines, type LogLines } from '../../src/http/observe/log-lines.ts';
import { prettyLines } from '../../src/http/observe/pretty-lines.ts';
import { anyString } from '../any-string.ts';
import { terminal, testWith } from '../requirements.ts';
import { bundledHome, command, startDomesday } from '../rig.ts';

const forms: Readonly<Record<string, LogLines>> = {
  json: jsonLines,
  pretty: prettyLines('off'),
  'pretty in colour': prettyLines('on'),
};

function openLog(lines: LogLines): { log: Log; taken: () => string } {
  let text = '';
  const write = (line: string) => {
    text += line;
  };
  const log = new Log({ log: 'debug', slowRequestMs: 250 }, write, () => Date.UTC(2026, 10, 15, 12), lines);
  return { log, taken: () => text };
}

const anyText = fc.oneof(
  anyString({ maxLength: 60 }),
  fc.constantFrom(
    'a\nb',
    '\u001b[2J',
    '\u009b31m',
    'line\u2028end',
    '\u202egnp.exe',
    '\ud800',
    '\r12:00:00 GET /',
  ),
);

const throwing = () => {
  throw new Error('looked at');
};
const circle = new Error('a circle');
circle.cause = circle;

/** Whatever can be thrown. */
const anyFault: fc.Arbitrary<unknown> = fc.oneof(
  anyText,
  fc.anything(),
  anyText.map((text) => new Error(text)),
  anyText.map((text) => new Error('outside', { cause: new Error(text) })),
  anyText.map((text) => Object.assign(new Error('x'), { name: text, stack: text })),
  fc.constantFrom(
    Object.create(null),
    { toString: throwing },
    new Proxy({}, { get: throwing, getPrototypeOf: throwing }),
    Object.defineProperty(new Error('x'), 'message', { get: throwing }),
    Object.assign(new Error('x'), { stack: 7 }),
    Object.defineProperty(new Error('x'), 'name', { value: Symbol('s') }),
    circle,
    Symbol('s'),
    undefined,
  ),
);

/** Colours are then told apart from what others wrote. */
const shown = (text: string) => text.replaceAll('\u001b', 'ESC');
const ours = /ESC\[\d+m/g;

/** Every character but the line feed that a terminal would obey or not show. */
const unseen = /[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|(?!\n)\p{Cc}/u;

for (const [name, lines] of Object.entries(forms)) {
  test(`${name}: whatever is said or thrown, whole lines are written and none of it is obeyed by a terminal`, () => {
    fc.assert(
      fc.property(anyText, anyFault, anyText, (message, fault, requestId) => {
        const { log, taken } = openLog(lines);
        log.warn(message);
        log.fault(message, fault, requestId);
        const text = name === 'pretty in colour' ? shown(taken()).replaceAll(ours, '') : taken();
        assert.ok(text.endsWith('\n'));
        assert.doesNotMatch(text, unseen);
        const written = text.slice(0, -1).split('\n');
        if (name === 'json') {
          assert.equal(written.length, 2);
          assert.equal(JSON.parse(written[0] ?? '').message.isWellFormed(), message.isWellFormed());
        } else {
          const atEdge = written.filter((line) => !line.startsWith('    '));
          assert.equal(atEdge.length, 2, 'only what we say begins at the left');
          for (const line of atEdge) assert.match(line, /^\d\d:\d\d:\d\d (warn|error) /);
        }
      }),
    );
  });

  test(`${name}: no key is in it, wherever one was said`, () => {
    const key = `dd_live_${'A1b2'.repeat(8)}`;
    const { log, taken } = openLog(lines);
    log.info(`key ${key}`);
    log.fault(`of ${key}`, new Error(`with ${key}`, { cause: new Error(key) }), key);
    log.fault('text', `thrown ${encodeURIComponent(key)} %64d_live_${'A1b2'.repeat(8)}`);
    assert.doesNotMatch(taken(), /A1b2/);
    assert.match(taken(), /dd_live_…/);
  });
}

const call = {
  requestId: 'req_1',
  method: 'GET',
  pathJson: '"/bank-rates"',
  status: 200,
  seconds: 0.0012345,
  caller: { accountId: 'acc_1', keyId: 'key_1', mode: 'live' },
  creditsCharged: 1,
  laps: undefined,
  traceId: undefined,
} as const;

test('pretty: a request is one line with what a person looks for; a slow one has its stages', () => {
  const { log, taken } = openLog(prettyLines('off'));
  log.request(call);
  let nowMs = 0;
  const laps = new Laps(() => (nowMs += 100), 0);
  laps.end('key');
  laps.end('reply');
  log.request({
    ...call,
    status: 503,
    seconds: 0.3,
    creditsCharged: 0,
    caller: undefined,
    laps,
    traceId: 'ab12',
  });
  const [first, second] = taken().split('\n');
  assert.match(first ?? '', /^\d\d:\d\d:\d\d GET \/bank-rates 200 1\.235 ms 1 credit acc_1 key_1 req_1$/);
  assert.match(second ?? '', /^\S+ GET \/bank-rates 503 300 ms slow: key 100, reply 100 req_1 trace ab12$/);
});

test('pretty in colour: the status tells by its colour how it went', () => {
  const colourOf = (status: number) => {
    const { log, taken } = openLog(prettyLines('on'));
    log.request({ ...call, status });
    return new RegExp(`ESC\\[(\\d+)m${status}`).exec(shown(taken()))?.[1];
  };
  assert.deepEqual([200, 304, 402, 500].map(colourOf), ['32', '36', '33', '31']);
});

/** Starts the service on a terminal, asks it once and returns everything that the terminal was sent. */
async function onTerminal(script: string, env: Readonly<Record<string, string>>): Promise<string> {
  const { home, remove } = await bundledHome();
  const start = `echo "PID $$;"; exec '${process.execPath}' '${command}' serve`;
  const child = spawn(script, ['-qec', start, '/dev/null'], {
    env: { PATH: process.env.PATH, SHELL: '/bin/sh', TERM: 'xterm', DOMESDAY_HOME: home, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  const printed = (what: RegExp) =>
    new Promise<string>((resolve) => {
      const look = () => {
        const found = what.exec(output)?.[1];
        if (found !== undefined) resolve(found);
      };
      child.stdout.on('data', look);
      look();
    });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const url = await printed(/listens on (http:\S+)\s/);
  await (await fetch(`${url}/health/live`)).text();
  await printed(/(\/health\/live)/);
  process.kill(Number(await printed(/PID (\d+);/)), 'SIGTERM');
  await once(child, 'close');
  remove();
  return shown(output);
}

testWith(
  terminal,
  'slow: on a terminal the log is for people, in colours unless NO_COLOR or TERM says no, or as LOG_FORMAT says',
  async (script) => {
    const inColour = /^ESC\[2m[\d:]{8}ESC\[0m GET \/health\/live ESC\[32m200ESC\[0m /m;
    const without = /^[\d:]{8} GET \/health\/live 200 \S+ ms [\w-]+\r$/m;
    assert.match(await onTerminal(script, {}), inColour);
    for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
      const output = await onTerminal(script, env);
      assert.match(output, without);
      assert.doesNotMatch(output, ours);
    }
    assert.match(
      await onTerminal(script, { LOG_FORMAT: 'json' }),
      /^\{"level":"info",.*"path":"\/health\/live"/m,
    );
  },
);

test('to a file or a pipe the log is JSON, unless LOG_FORMAT says pretty, which then has no colours', async () => {
  for (const [env, line] of [
    [{}, /^\{"level":"info",.*"path":"\/health\/live"/m],
    [{ LOG_FORMAT: 'pretty', TERM: 'xterm' }, /^\d\d:\d\d:\d\d GET \/health\/live 200 \S+ ms [\w-]+$/m],
  ] as const) {
    const { home, remove } = await bundledHome();
    const running = await startDomesday(home, env);
    await (await fetch(`${running.url}/health/live`)).text();
    await running.stop();
    assert.match(running.output(), line);
    assert.doesNotMatch(shown(running.output()), ours);
    remove();
  }
});
